"""Moving a bundle's records to another workspace: every reference is rewritten, every digest computed anew."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pinset.files.bundles import content_of, with_digest
from pinset.files.names import shown
from pinset.files.problems import FileProblem
from pinset.files.values import JSON, JSONObject


@dataclass(frozen=True, slots=True)
class Moved:
    """A record in its new place; `old` and `new` are its pinned references before and after."""

    line: int
    record: JSONObject
    old: str
    new: str


def moved(records: Iterable[tuple[int, JSONObject]], workspace: str) -> Iterator[Moved]:
    """The metrics, tasks and taskset of a bundle as they stand in `workspace`, in the bundle's order.

    Two records that come from different workspaces under one name are refused. Raises FileProblem with the line.
    """
    digests: dict[str, str] = {}
    taken: dict[tuple[str, str], int] = {}
    for line, record in records:
        kind = str(record["record"])
        if kind not in ("metric", "task", "taskset"):
            continue
        _refuse_taken(record, taken, (kind, str(record["name"])), line)
        target = {**record, "workspace": workspace}
        if kind != "metric":
            target = _rewritten(target, workspace, digests)
        old = f"{record['workspace']}/{record['name']}#{record['digest']}"
        new = f"{workspace}/{record['name']}#{target['digest']}"
        digests[old] = new
        yield Moved(line, target, old, new)


def _refuse_taken(record: JSONObject, taken: dict[tuple[str, str], int], place: tuple[str, str], line: int) -> None:
    if place in taken:
        raise FileProblem(
            f"{shown(str(record['name']))} comes from two workspaces (line {taken[place]} has the other); "
            "it cannot be moved to one.",
            line,
        )
    taken[place] = line


def _rewritten(record: JSONObject, workspace: str, digests: dict[str, str]) -> JSONObject:
    content = content_of(record)
    if record["record"] == "task":
        spec = content["spec"]
        if isinstance(spec, dict):
            content["spec"] = _rewritten_spec(spec, workspace)
    else:
        content["tasks"] = sorted(_pins(content["tasks"], digests), key=str)
        content["files_ref"] = _moved_reference(content.get("files_ref"), workspace)
    target = with_digest(record, content)
    if "members" in record:
        target["members"] = _pins(record["members"], digests)
    return target


def _rewritten_spec(spec: JSONObject, workspace: str) -> JSONObject:
    moved_spec = dict(spec)
    metrics = spec.get("metrics")
    if isinstance(metrics, list):
        moved_spec["metrics"] = [_moved_reference(metric, workspace) for metric in metrics]
    if "archive_ref" in spec:
        moved_spec["archive_ref"] = _moved_reference(spec["archive_ref"], workspace)
    return moved_spec


def _moved_reference(reference: JSON, workspace: str) -> JSON:
    return f"{workspace}/{str(reference).partition('/')[2]}" if reference is not None else None


def _pins(members: JSON, digests: dict[str, str]) -> list[JSON]:
    if not isinstance(members, list):
        raise FileProblem("A taskset's members must be a list.")
    return [_pin(str(member), digests) for member in members]


def _pin(member: str, digests: dict[str, str]) -> str:
    if member not in digests:
        raise FileProblem(f"The taskset pins {member}, which the bundle does not hold.")
    return digests[member]
