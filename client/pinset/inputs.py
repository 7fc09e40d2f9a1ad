"""What callers hand in, as the API's inputs.

A spec is given in the API's form, `{"evaluator": {…}}`, or in the platform's, `{"kind": "evaluator", …}`; metadata as a
mapping or as a list of items.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from pinset.files.platform import task_input
from pinset.generated.base_model import UNSET, UnsetType

Metadata: TypeAlias = Mapping[str, Any] | Iterable[Mapping[str, Any]]
Nullable: TypeAlias = str | UnsetType | None


def task_of(spec: Mapping[str, Any], metadata: Metadata = (), tags: Iterable[str] = ()) -> dict[str, Any]:
    """A `TaskInput`. Raises FileProblem for a spec in the platform's form that does not fit."""
    given = task_input({"spec": dict(spec)})["spec"] if "kind" in spec else dict(spec)
    return {"spec": given, "metadata": metadata_of(metadata), "tags": list(tags)}


def metadata_of(metadata: Metadata) -> list[dict[str, Any]]:
    """Metadata items in the order given."""
    if isinstance(metadata, Mapping):
        return [{"key": key, "value": value} for key, value in metadata.items()]
    return [dict(item) for item in metadata]


def present(**values: Any) -> dict[str, Any]:
    """The values that were given; None is a value, UNSET is none."""
    return {key: value for key, value in values.items() if not isinstance(value, UnsetType)}


def selector(*, revision: str | None = None, tag: str | None = None, number: int | None = None) -> dict[str, Any]:
    """A `RevisionSelector`: exactly one of a digest, a tag or an ordinal. Raises ValueError."""
    given = {"digest": revision, "tag": tag, "number": number}
    chosen = {key: value for key, value in given.items() if value is not None}
    if len(chosen) != 1:
        raise ValueError("give exactly one of revision (a digest), tag and number")
    return chosen


def reference(name: str, revision: str | None = None, tag: str | None = None) -> str:
    """`name`, `name#tag` or `name#digest`. Raises ValueError where both fragments are given."""
    if revision is not None and tag is not None:
        raise ValueError("give a revision (a digest) or a tag, not both")
    fragment = revision or tag
    return name if fragment is None else f"{name}#{fragment}"


__all__ = ["UNSET", "Metadata", "Nullable", "metadata_of", "present", "reference", "selector", "task_of"]
