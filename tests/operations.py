"""Runs GraphQL documents in this process, by the engine that serves clients."""

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from resolvers.context import Context
from schema.build import build_schema
from schema.execution.answers import RequestRefused
from schema.execution.engine import Engine
from storage.services import Services


@cache
def engine() -> Engine:
    """One engine for the whole run."""
    return Engine(build_schema())


async def run(document: str, variables: Mapping[str, object] | None = None, context: Context | None = None) -> Any:
    """The answer as clients receive it; without a context nothing may be read from the database."""
    context = context or Context(cast(Services, None))
    try:
        operation = await engine().prepare(document, None, variables or {})
    except RequestRefused as refused:
        return refused.answer.payload()
    return (await engine().execute(operation, variables or {}, context)).payload()


async def data(document: str, variables: Mapping[str, object] | None = None, context: Context | None = None) -> Any:
    """The data of an answer without errors."""
    answer = await run(document, variables, context)
    assert "errors" not in answer, answer["errors"]
    return answer["data"]
