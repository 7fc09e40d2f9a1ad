"""Errors as data: every kind of domain error has its type, its code and a path that starts at the input."""

from typing import cast

import pytest

from domain import errors
from domain.errors import BadUserInput, ErrorCode, Problems
from resolvers.context import Context
from schema.build import build_schema
from schema.errors import ERROR_TYPES, answer, present, reading
from schema.workspaces import CreateWorkspacePayload
from storage.services import Services
from tests.operations import data

pytestmark = pytest.mark.anyio

PATH = ("task", "metadata", 3, "value")
SHOWN = ["input", "task", "metadata", "3", "value"]

PRESENTED = [
    (errors.InvalidInput("m", PATH), "InvalidInput", "INVALID_INPUT", {}),
    (errors.InvalidInput("m", PATH, ErrorCode.LIMIT_EXCEEDED), "InvalidInput", "LIMIT_EXCEEDED", {}),
    (errors.InvalidInput("m", PATH, ErrorCode.TAG_RESERVED), "InvalidInput", "TAG_RESERVED", {}),
    (errors.InvalidInput("m", PATH, ErrorCode.DUPLICATE_MEMBER), "InvalidInput", "DUPLICATE_MEMBER", {}),
    (errors.NotFound("m", PATH, ref="a/b"), "NotFound", "NOT_FOUND", {"ref": "a/b"}),
    (
        errors.AlreadyExists("m", PATH, ref="a/b", digest="d"),
        "AlreadyExists",
        "ALREADY_EXISTS",
        {"ref": "a/b", "digest": "d"},
    ),
    (errors.Conflict("m", PATH, current_digest=None), "Conflict", "CONFLICT", {"current_digest": None}),
    (errors.InUse("m", PATH, users=["a/b"], hidden_users=2), "InUse", "IN_USE", {"users": ["a/b"], "hidden_users": 2}),
    (errors.Refused("m", PATH), "Refused", "INVALID_STATE", {}),
    (errors.Refused("m", PATH, ErrorCode.LEASE_LOST), "Refused", "LEASE_LOST", {}),
    (errors.Refused("m", PATH, ErrorCode.FORBIDDEN), "Refused", "FORBIDDEN", {}),
]


@pytest.mark.parametrize(("error", "name", "code", "fields"), PRESENTED, ids=lambda value: str(value))
def test_each_error_has_its_type_its_code_and_its_path(
    error: errors.UserError, name: str, code: str, fields: dict[str, object]
) -> None:
    shown = present(error)
    assert (type(shown).__name__, shown.code, shown.path, shown.message) == (name, code, SHOWN, "m")
    assert {field: getattr(shown, field) for field in fields} == fields


def test_every_code_and_every_error_type_is_presented() -> None:
    assert {code for _, _, code, _ in PRESENTED} == {code.value for code in ErrorCode}
    assert {name for _, name, _, _ in PRESENTED} == {type_.__name__ for type_ in ERROR_TYPES}


def test_every_payload_carries_errors_and_every_mutation_takes_one_input() -> None:
    mutation = build_schema()._schema.mutation_type
    assert mutation is not None
    for name, field in mutation.fields.items():
        pascal = name[0].upper() + name[1:]
        assert list(field.args) == ["input"], name
        assert str(field.type).endswith("Payload!"), name
        payload = build_schema()._schema.get_type(str(field.type).rstrip("!"))
        assert str(payload.fields["errors"].type) == "[UserError!]!", pascal  # type: ignore[union-attr]


def _context() -> Context:
    return Context(cast(Services, None))


async def _raising(error: Exception) -> CreateWorkspacePayload:
    raise error


async def test_problems_become_one_error_each_and_an_otherwise_empty_payload() -> None:
    problems = Problems([errors.InvalidInput("one", ("name",)), errors.InvalidInput("two", ("description",))])
    payload = await answer(_context(), _raising(problems), CreateWorkspacePayload)
    assert [error.path for error in payload.errors] == [["input", "name"], ["input", "description"]]
    assert payload.workspace is None


async def test_bugs_and_request_errors_pass_through() -> None:
    for error in (ValueError("bug"), errors.ServiceUnavailable("later")):
        with pytest.raises(type(error)):
            await answer(_context(), _raising(error), CreateWorkspacePayload)


async def test_a_read_answers_bad_user_input_where_a_mutation_would_answer_data() -> None:
    problems = Problems([errors.InvalidInput("one", PATH), errors.NotFound("two", ("x",), ref="r")])
    with pytest.raises(BadUserInput) as caught:
        await reading(_raising(problems), "content")
    assert caught.value.extensions["code"] == "BAD_USER_INPUT"
    assert caught.value.extensions["problems"] == [
        {"message": "one", "code": "INVALID_INPUT", "path": ["content", "task", "metadata", "3", "value"]},
        {"message": "two", "code": "NOT_FOUND", "path": ["content", "x"]},
    ]


async def test_a_metadata_value_that_was_not_sent_is_refused_beside_all_else_that_is_wrong(context: Context) -> None:
    document = """
    mutation ($unset: JSON) {
      createTask(input: {
        name: "t"
        task: {
          spec: {evaluator: {intent: "i", metrics: ["a/b/c"]}}
          metadata: [{key: "null", value: null}, {key: "a"}, {key: "b", value: $unset}]
        }
      }) { task { id } errors { __typename code path } }
    }
    """
    answered = (await data(document, None, context))["createTask"]
    assert answered["task"] is None
    places = [["spec", "evaluator", "metrics", "0"], ["metadata", "1", "value"], ["metadata", "2", "value"]]
    assert answered["errors"] == [
        {"__typename": "InvalidInput", "code": "INVALID_INPUT", "path": ["input", "task", *place]} for place in places
    ]
