"""The planned executor answers every document exactly as graphql-core's own executor does, errors included."""

import asyncio
import inspect
import json
from collections.abc import AsyncIterator
from enum import Enum
from typing import Annotated, Any, Union

import pytest
import strawberry
from graphql import ExecutionResult, GraphQLError, parse, validate
from graphql.execution import Executor
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_graphql import from_schema
from strawberry.execution import optimized_is_awaitable

from schema.execution.documents import Documents

pytestmark = pytest.mark.anyio


@strawberry.enum
class Color(Enum):
    RED = "red"
    BLUE = "blue"


@strawberry.interface
class Named:
    name: str


@strawberry.type
class Leaf(Named):
    weight: float = 1.5
    tags: list[str] = strawberry.field(default_factory=lambda: ["a", "b"])
    color: Color = Color.RED


@strawberry.input
class Range:
    start: int = 0
    stop: int | None = None
    names: list[str] = strawberry.field(default_factory=list)


@strawberry.type
class Branch(Named):
    secret: strawberry.Private[int] = 3
    count: int = 2**31 - 1
    too_large: int | None = 2**31
    wrong: int = "no number"  # type: ignore[assignment]
    not_a_list: list[int] | None = 5  # type: ignore[assignment]
    holes: list[int | None] = strawberry.field(default_factory=lambda: [1, None, 2**40])
    full: list[int] | None = strawberry.field(default_factory=lambda: [1, None])
    missing: str = None  # type: ignore[assignment]
    returned: str | None = strawberry.field(default_factory=lambda: ValueError("returned"))

    @strawberry.field
    def own(self) -> int:
        return self.secret

    @strawberry.field
    def leaves(self, within: Range | None = None) -> list[Leaf]:
        within = within or Range(stop=2)
        return [Leaf(name=f"leaf{n}") for n in range(within.start % 5, (within.stop or 3) % 5)]

    @strawberry.field
    async def later(self, info: strawberry.Info, number: int = 7) -> int:
        await asyncio.sleep(0)
        return number + len(info.path) + len(info.selected_fields)

    @strawberry.field
    async def fails_later(self) -> str:
        await asyncio.sleep(0)
        raise ValueError("late")

    @strawberry.field
    def fails(self) -> int | None:
        raise GraphQLError("at once", extensions={"code": "ONCE"})

    @strawberry.field
    async def things(self) -> list[Annotated[Union["Branch", Leaf, None], strawberry.union("Thing")]]:
        return [Leaf(name="x"), None, Branch(name="y"), Leaf(name=None)]  # type: ignore[arg-type]

    @strawberry.field
    def named(self, color: Color | None = Color.BLUE) -> Named | None:
        return {Color.RED: Leaf(name="red"), Color.BLUE: Branch(name="blue"), None: None}[color]

    @strawberry.field
    def impostor(self) -> Named | None:
        return 5  # type: ignore[return-value]

    @strawberry.field
    async def children(self) -> list["Branch"]:
        return [Branch(name="child"), Branch(name=None)]  # type: ignore[arg-type]

    @strawberry.field
    def optional_children(self) -> list["Branch | None"] | None:
        return [Branch(name="child", secret=4), None]


written: list[str] = []


@strawberry.type
class Query:
    @strawberry.field
    def root(self, depth: int = 0) -> Branch:
        return Branch(name="root", secret=depth)

    @strawberry.field
    async def maybe(self) -> Branch | None:
        return Branch(name="maybe")

    @strawberry.field
    def echo(self, info: strawberry.Info, text: str | None = strawberry.UNSET) -> str:
        return f"{info.context}:{info.field_name}:{text!r}"


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def write(self, text: str) -> Branch:
        await asyncio.sleep(0)
        written.append(text)
        return Branch(name=text)

    @strawberry.mutation
    def write_at_once(self, text: str) -> str:
        written.append(text)
        return "".join(written)


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def branches(self, number: int = 2) -> AsyncIterator[Branch]:
        for each in range(number):
            yield Branch(name=f"event{each}")


SCHEMA = strawberry.Schema(Query, Mutation, Subscription, types=[Leaf, Branch])
GRAPHQL = SCHEMA._schema
DOCUMENTS = Documents(GRAPHQL)

CONDITIONS = """
query($yes: Boolean!, $no: Boolean! = false, $range: Range, $number: Int = 3, $text: String) {
  root(depth: $number) {
    ...on Named { name @include(if: $yes) }
    again: name @skip(if: $yes)
    ...Own @skip(if: $no)
    later(number: $number)
    leaves(within: $range) { tags __typename ...Colored }
    one: leaves(within: {start: 1, stop: $number, names: "single"}) { name }
  }
  maybe { own @include(if: $no) children { name later } }
  echo(text: $text)
}
fragment Own on Branch { own named { __typename name ... on Leaf { weight } ... on Branch { own fails } } }
fragment Colored on Leaf { color weight }
"""
ARGUMENTS = """
query($number: Int, $range: Range, $color: Color, $names: [String!], $stop: Int) {
  root {
    a: leaves(within: {start: $number, stop: $stop, names: $names}) { name }
    b: leaves(within: $range) { name }
    c: leaves(within: null) { name }
    d: named(color: $color) { name }
    e: named(color: RED) { name }
    f: named(color: null) { name }
    g: named { name }
  }
  maybe { later(number: $number) }
  echo(text: "constant")
}
"""
SERIAL = """
mutation { a: writeAtOnce(text: "1") b: write(text: "2") { name own later } c: writeAtOnce(text: "3") __typename }
"""
ABORTED = 'mutation { a: writeAtOnce(text: "1") b: write(text: "2") { missing } c: writeAtOnce(text: "3") }'
INTROSPECTION = """
{ __schema { types { name kind fields(includeDeprecated: true) { name args { name defaultValue } type { name } } } }
  __type(name: "Branch") { name interfaces { name } } __typename }
"""


async def run(executor: Any) -> tuple[Any, Any]:
    """The data and the errors of an execution, or the errors that keep it from beginning."""
    if isinstance(executor, list):
        return "refused", [error.formatted for error in executor]
    result = executor.execute_operation()
    result = await result if inspect.isawaitable(result) else result
    assert isinstance(result, ExecutionResult)
    errors = [json.dumps(error.formatted) for error in result.errors or ()]
    return json.dumps(result.data), sorted(errors)


async def answers(text: str, variables: dict[str, Any] | None = None) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """What graphql-core answers, and what the planned executor answers."""
    document = parse(text)
    assert not validate(GRAPHQL, document)
    options: dict[str, Any] = {
        "context_value": "context",
        "raw_variable_values": variables or {},
        "is_awaitable": optimized_is_awaitable,
    }
    written.clear()
    expected = await run(Executor.build(GRAPHQL, document, **options))
    written.clear()
    (operation,) = DOCUMENTS.parse(text).operations.values()
    for _ in range(2):
        found = await run(operation.plans.executor(variables or {}, "context"))
        written.clear()
    return expected, found


@given(from_schema(str(SCHEMA)).filter(lambda text: "subscription" not in text))
async def test_generated_documents_are_answered_alike(text: str) -> None:
    if DOCUMENTS.parse(text).errors:
        return
    expected, found = await answers(text)
    assert found == expected


@given(
    st.booleans(),
    st.booleans(),
    st.integers(-4, 9),
    st.sampled_from([{}, {"range": None}, {"range": {}}, {"range": {"start": 1, "names": ["x"]}}, {"text": None}]),
)
async def test_conditions_and_variables_are_obeyed_alike(
    yes: bool, no: bool, number: int, more: dict[str, Any]
) -> None:
    expected, found = await answers(CONDITIONS, {"yes": yes, "no": no, "number": number, **more})
    assert found == expected


@pytest.mark.parametrize(
    "variables", [{}, {"yes": None}, {"yes": 1}, {"yes": True, "range": {"start": "x"}}, {"yes": True, "number": None}]
)
async def test_variables_that_do_not_fit_are_refused_alike(variables: dict[str, Any]) -> None:
    expected, found = await answers(CONDITIONS, variables)
    assert found == expected


@given(
    st.dictionaries(st.sampled_from(["number", "stop"]), st.none() | st.integers(0, 3)),
    st.sampled_from([{}, {"range": None}, {"range": {"stop": 1}}, {"range": {"start": 1, "stop": None}}]),
    st.sampled_from([{}, {"color": None}, {"color": "RED"}, {"names": "x"}, {"names": ["x"]}, {"names": None}]),
)
async def test_arguments_are_read_alike(numbers: dict[str, Any], within: dict[str, Any], more: dict[str, Any]) -> None:
    expected, found = await answers(ARGUMENTS, {**numbers, **within, **more})
    assert found == expected


@pytest.mark.parametrize("text", [SERIAL, ABORTED, INTROSPECTION])
async def test_mutations_run_one_after_another_and_introspection_is_answered(text: str) -> None:
    expected, found = await answers(text)
    assert found == expected
