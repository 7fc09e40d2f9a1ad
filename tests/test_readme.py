"""README says what is so: its settings and limits are those of the code, and its example runs as it stands."""

import re
from pathlib import Path
from typing import Any

import pytest

from domain import limits
from server.settings import Settings
from tests.graphql_client import GraphQLClient

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text()

pytestmark = pytest.mark.anyio


def settings_table() -> str:
    """The table of settings as the code has them."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=False)
        shown = "" if default in (None, ()) else f"`{str(default).lower() if default in (True, False) else default}`"
        rows.append(f"| `PINSET_{name.upper()}` | {shown} | {field.description} |")
    return "\n".join(rows)


def test_the_settings_are_those_of_the_code() -> None:
    match = re.search(r"<!-- settings: begin -->\n(.*?)\n?<!-- settings: end -->", TEXT, re.DOTALL)
    assert match is not None
    assert match[1] == settings_table()


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("body and frame | 16 MiB", limits.MAX_BODY_BYTES == 16 * limits.MEBIBYTE),
        ("answer | 64 MiB", limits.MAX_ANSWER_BYTES == 64 * limits.MEBIBYTE),
        ("query tokens | 15,000", limits.MAX_QUERY_TOKENS == 15_000),
        ("child) | 200,000", limits.MAX_QUERY_COST == 200_000),
        ("depth | 15 ", limits.MAX_QUERY_DEPTH == 15),
        ("operation | 30 s", limits.OPERATION_SECONDS == 30),
        ("root fields | 100, 50", (limits.MAX_ALIASES, limits.MAX_ROOT_FIELDS) == (100, 50)),
        ("operations a socket | 100", limits.MAX_SOCKET_OPERATIONS == 100),
        ("canonical text | 8 MiB", limits.MAX_CONTENT_BYTES == 8 * limits.MEBIBYTE),
        ("JSON value | 64", limits.MAX_JSON_DEPTH == 64),
        ("members of a taskset | 10,000", limits.MAX_MEMBERS == 10_000),
        ("tags of a record | 1,000", limits.MAX_TAGS == 1_000),
        ("page | 1,000", limits.MAX_PAGE == 1_000),
        ("offset | 10,000", limits.MAX_OFFSET == 10_000),
        ("trials of a job | 50,000", limits.MAX_TRIALS == 50_000),
        ("concurrency | 1,000, 1,000", (limits.MAX_REPEATS, limits.MAX_CONCURRENCY) == (1_000, 1_000)),
        ("name, tag | 255", limits.MAX_NAME_LENGTH == 255),
        ("description | 1,000", limits.MAX_DESCRIPTION_LENGTH == 1_000),
        ("blob | 1 GiB", limits.MAX_BLOB_BYTES == 1024 * limits.MEBIBYTE),
    ],
)
def test_the_limits_are_those_of_the_code(words: str, value: bool) -> None:
    assert words in TEXT
    assert value


def examples() -> list[str]:
    """The GraphQL documents of the example, in order."""
    return re.findall(r"```graphql\n(.*?)```", TEXT, re.DOTALL)


async def test_the_example_runs_as_it_stands(client: GraphQLClient) -> None:
    answers: list[Any] = []
    for document in examples():
        answers.append(await client.data(document))
        for payload in answers[-1].values():
            assert payload.get("errors", []) == []
    assert [next(iter(answer)) for answer in answers] == [
        "createMetric",
        "createTask",
        "replaceTask",
        "createTaskset",
        "taskset",
        "submitJob",
        "jobByName",
    ]
    assert answers[2]["replaceTask"]["outcome"] == "PUBLISHED"
    assert answers[2]["replaceTask"]["revision"]["tags"] == ["blessed", "latest"]
    [member] = answers[3]["createTaskset"]["revision"]["members"]["nodes"]
    assert member["ref"] == f"default/capital-of-france#{answers[2]['replaceTask']['revision']['digest']}"
    [read] = answers[4]["taskset"]["latest"]["members"]["nodes"]
    assert (read["isOutdated"], read["revision"]["number"]) == (False, 2)
    assert answers[6]["jobByName"]["progress"]["total"] == 1
    assert read["revision"]["spec"] == {"prompt": "Name the capital city of France."}
