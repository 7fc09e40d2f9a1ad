"""Filters of lists as queries that an index can serve."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from domain.canonical import canonical_text
from domain.content import MetadataItem, TaskKind
from domain.limits import MAX_NAME_LENGTH
from domain.metrics import MetricType
from domain.names import LATEST, NAME
from domain.outcomes import ABSENT, Absent


@dataclass(frozen=True, slots=True)
class DateRange:
    """A closed range of times; None is open."""

    gte: datetime | None = None
    lte: datetime | None = None


@dataclass(frozen=True, slots=True)
class MetadataMatch:
    """A metadata key that must be present and, unless `value` is ABSENT, have this value (equal canonical text)."""

    key: str
    value: Any = ABSENT


@dataclass(frozen=True, slots=True)
class HeadFilter:
    """What tasks or tasksets a list wants; every field given must hold. `kind` and `metric` are for tasks."""

    name_contains: str | None = None
    name_prefix: str | None = None
    project: str | None = None
    kind: TaskKind | None = None
    metadata: Sequence[MetadataMatch] = ()
    metric: str | None = None
    tag: str | None = None
    created_at: DateRange | None = None
    updated_at: DateRange | None = None


@dataclass(frozen=True, slots=True)
class MetricFilter:
    """What metrics a list wants; every field given must hold."""

    name_contains: str | None = None
    name_prefix: str | None = None
    project: str | None = None
    type: MetricType | None = None


def head_query(workspace: str, filter: HeadFilter | None) -> dict[str, Any]:
    """The query of a list of tasks or tasksets; `filter.metric` is a qualified reference."""
    if filter is None:
        return {"workspace": workspace}
    facets = [facet(match.key, match.value) for match in filter.metadata]
    conditions: dict[str, Any] = {
        "project": filter.project,
        "kind": None if filter.kind is None else filter.kind.value,
        "facets": {"$all": facets} if facets else None,
        "metrics": filter.metric,
        "tags.name": None if filter.tag in (None, LATEST) else filter.tag,
        "createdAt": date_range(filter.created_at),
        "updatedAt": date_range(filter.updated_at),
    }
    given = {name: condition for name, condition in conditions.items() if condition is not None}
    return {"workspace": workspace, **given, **_names(filter.name_prefix, filter.name_contains)}


def metric_query(workspace: str, filter: MetricFilter | None) -> dict[str, Any]:
    """The query of a list of metrics, retired ones left out."""
    query: dict[str, Any] = {"workspace": workspace, "isRetired": False}
    if filter is None:
        return query
    conditions = {"project": filter.project, "type": None if filter.type is None else filter.type.value}
    given = {name: condition for name, condition in conditions.items() if condition is not None}
    return {**query, **given, **_names(filter.name_prefix, filter.name_contains)}


def facet(key: str, value: Any = ABSENT) -> str:
    """What a metadata filter looks for: a hash, since a value may be far longer than an index entry should be."""
    text = canonical_text([key] if isinstance(value, Absent) else [key, value])
    return sha256(text.encode("ascii")).hexdigest()[:32]


def facets_of(metadata: Sequence[MetadataItem]) -> list[str]:
    """Everything that a filter could look for in these annotations."""
    keys = [facet(item.key) for item in metadata]
    return keys + [facet(item.key, item.value) for item in metadata]


def readable_users(workspaces: Sequence[str] | None) -> dict[str, Any]:
    """The condition that a record lies in a workspace that may be read; None means all."""
    return {} if workspaces is None else {"workspace": {"$in": list(workspaces)}}


def date_range(dates: DateRange | None) -> dict[str, datetime] | None:
    """The condition of a closed range of times; None where it is open on both sides."""
    if dates is None:
        return None
    bounds = {"$gte": dates.gte, "$lte": dates.lte}
    return {operator: bound for operator, bound in bounds.items() if bound is not None} or None


def _names(prefix: str | None, contains: str | None) -> dict[str, Any]:
    # What no name can hold would upset the regular expression, or sort behind every name.
    if any(part and not _is_part_of_a_name(part) for part in (prefix, contains)):
        return {"name": {"$in": []}}
    conditions: dict[str, Any] = {}
    if prefix:
        # MongoDB compares texts by code point, and no name holds the last one.
        conditions |= {"$gte": prefix, "$lt": prefix + "\U0010ffff"}
    if contains:
        conditions["$regex"] = re.escape(contains)
    return {"name": conditions} if conditions else {}


def _is_part_of_a_name(text: str) -> bool:
    return len(text) <= MAX_NAME_LENGTH and NAME.fullmatch(text) is not None
