"""Sync plans: what makes a taskset equal to a file, and the digest by which exactly that plan is applied.

The plan digest is the digest (canonical text, SHA-256) of

    {"description", "files_ref", "metadata", "project",    each only where the sync sets it
     "remove_missing": true or false,
     "taskset": ["workspace/name", digest of its latest revision or null],
     "tasks": [["workspace/name", digest of its latest revision or null, digest of the file's content, [tags]], ...]}

with `tasks` in the order of the file. The taskset's digest stands for its members. A plan made again from the same
file therefore has the same digest exactly as long as nothing that it rests on has moved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.canonical import JSON, canonical_text, digest_of
from domain.content import MetadataItem
from domain.outcomes import ABSENT, Absent

KEPT: Final = "kept"
REMOVED: Final = "taken out"


@dataclass(frozen=True, slots=True)
class TasksetChanges:
    """What a sync sets on the taskset beside its members: ABSENT keeps it, None clears it."""

    description: str | Absent | None = ABSENT
    files_ref: str | Absent | None = ABSENT
    metadata: Sequence[MetadataItem] | Absent | None = ABSENT
    project: str | Absent | None = ABSENT
    remove_missing: bool = False


@dataclass(frozen=True, slots=True)
class SyncItem:
    """A task of a plan: the digest it has now and the one it gets.

    `name` is qualified (`workspace/name`) where the task lies in another workspace than the taskset. No
    `current_digest`: it does not exist yet. No `new_digest`: it leaves the taskset.
    """

    name: str
    current_digest: str | None
    new_digest: str | None


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What a sync does. `remote_only` are members that the file does not name; `taskset` is what becomes of itself."""

    digest: str
    taskset: SyncItem
    to_create: tuple[SyncItem, ...]
    to_update: tuple[SyncItem, ...]
    unchanged: tuple[SyncItem, ...]
    remote_only: tuple[SyncItem, ...]

    @property
    def summary(self) -> str:
        """Five lines for people: what becomes of the taskset, and how many tasks are in each part of the plan."""
        missing = len(self.remote_only)
        leaving = any(item.new_digest is None for item in self.remote_only)
        lines = (
            f"Sync of taskset {self.taskset.name}: {self._fate()}",
            f"  Create:      {len(self.to_create):,}",
            f"  Update:      {len(self.to_update):,}",
            f"  Unchanged:   {len(self.unchanged):,}",
            f"  Remote-only: {missing:,}" + (f" ({REMOVED if leaving else KEPT})" if missing else ""),
        )
        return "\n".join(lines)

    def _fate(self) -> str:
        if self.taskset.current_digest is None:
            return "it is created"
        if self.taskset.current_digest == self.taskset.new_digest:
            return "its content stays"
        return "it gets a new revision"


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task of the file: `workspace/name`, the digest of its content, and the tags to point at it."""

    ref: str
    digest: str
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Basis:
    """Everything that a plan rests on: the file, and where the taskset and its tasks stand.

    `task_digests` are the latest ones by `workspace/name`; a task that does not exist is left out.
    """

    taskset_ref: str
    changes: TasksetChanges
    tasks: Sequence[PlannedTask]
    taskset_digest: str | None
    task_digests: Mapping[str, str]

    @property
    def digest(self) -> str:
        """The plan digest."""
        tasks: list[JSON] = [
            [task.ref, self.task_digests.get(task.ref), task.digest, list(task.tags)] for task in self.tasks
        ]
        value: dict[str, JSON] = {
            "remove_missing": self.changes.remove_missing,
            "taskset": [self.taskset_ref, self.taskset_digest],
            "tasks": tasks,
            **_choices(self.changes),
        }
        return digest_of(canonical_text(value))

    def plan(self, members: Mapping[str, str], new_taskset_digest: str) -> SyncPlan:
        """The plan, where the taskset's members are these (digests by `workspace/name`) and it gets a new digest."""
        items = [self._item(task.ref, self.task_digests.get(task.ref), task.digest) for task in self.tasks]
        return SyncPlan(
            digest=self.digest,
            taskset=self._item(self.taskset_ref, self.taskset_digest, new_taskset_digest),
            to_create=tuple(item for item in items if item.current_digest is None),
            to_update=tuple(item for item in items if item.current_digest not in (None, item.new_digest)),
            unchanged=tuple(item for item in items if item.current_digest == item.new_digest),
            remote_only=self._remote_only(members),
        )

    def _remote_only(self, members: Mapping[str, str]) -> tuple[SyncItem, ...]:
        named = {task.ref for task in self.tasks}
        leaving = self.changes.remove_missing
        return tuple(
            self._item(ref, digest, None if leaving else digest) for ref, digest in members.items() if ref not in named
        )

    def _item(self, ref: str, current: str | None, new: str | None) -> SyncItem:
        workspace = self.taskset_ref.partition("/")[0]
        return SyncItem(ref.removeprefix(f"{workspace}/"), current, new)


def _choices(changes: TasksetChanges) -> dict[str, JSON]:
    choices: dict[str, JSON] = {}
    if not isinstance(changes.description, Absent):
        choices["description"] = changes.description
    if not isinstance(changes.files_ref, Absent):
        choices["files_ref"] = changes.files_ref
    if not isinstance(changes.metadata, Absent):
        choices["metadata"] = [[item.key, item.value] for item in changes.metadata or ()]  # type: ignore[list-item]
    if not isinstance(changes.project, Absent):
        choices["project"] = changes.project
    return choices
