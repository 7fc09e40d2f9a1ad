"""What a sync would do, and doing it: in one mutation where the rows fit one request, else task by task.

Small files go through `syncTaskset`, all or nothing. Files over 12 MiB of JSON are planned and stored in batches, and
the taskset moves once at the end: cut in the middle, tasks may be stored, but the taskset is the old one, and running
the same command again finishes the work.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pinset import bulk
from pinset.errors import Conflict, NotFound, Problem
from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow
from pinset.files.values import canonical_text
from pinset.inputs import UNSET, Nullable
from pinset.models import SyncItem
from pinset.synchronous.client import Pinset

SMALL_BYTES: Final = 12 * 1024 * 1024
MOST_MEMBERS: Final = 10_000

Read = Callable[[], Iterable[TaskRow]]
Step = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Item:
    """One task of a plan; a digest is None where there is no such content."""

    name: str
    current_digest: str | None
    new_digest: str | None

    def as_json(self) -> dict[str, Any]:
        """The item as the API writes it."""
        return {"name": self.name, "currentDigest": self.current_digest, "newDigest": self.new_digest}


@dataclass(slots=True)
class Plan:
    """What a sync would do. `digest` binds the plan of one mutation; None for a plan in batches."""

    create: list[Item] = field(default_factory=list)
    update: list[Item] = field(default_factory=list)
    unchanged: list[Item] = field(default_factory=list)
    remote_only: list[Item] = field(default_factory=list)
    digest: str | None = None

    @property
    def changes(self) -> int:
        """How many tasks would be published."""
        return len(self.create) + len(self.update)

    def as_json(self) -> dict[str, Any]:
        """The plan as the API writes it."""
        lists = {"toCreate": self.create, "toUpdate": self.update, "unchanged": self.unchanged}
        lists["remoteOnly"] = self.remote_only
        return {"planDigest": self.digest, **{key: [item.as_json() for item in rows] for key, rows in lists.items()}}


@dataclass(frozen=True, slots=True)
class Applied:
    """The taskset's revision after a sync."""

    number: int
    digest: str
    member_count: int


@dataclass(frozen=True, slots=True)
class Target:
    """Which taskset is made equal to the rows; an UNSET description keeps the one there is."""

    workspace: str
    name: str
    description: Nullable = UNSET
    remove_missing: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """A file that was read once, whole: the number of rows, and the rows themselves where they fit one request."""

    count: int
    small: list[TaskRow] | None


def read_whole(rows: Iterable[TaskRow], seen: Step) -> Contents:
    """Read every row, so that a bad one is known before anything is written. Raises FileProblem."""
    kept: list[TaskRow] | None = []
    count = size = 0
    for count, row in enumerate(rows, 1):
        size += len(canonical_text(row.named_task()))
        if count > MOST_MEMBERS:
            raise FileProblem(
                f"A taskset has at most {MOST_MEMBERS:,} members, and the file has more rows. Split it, or store the "
                "tasks without a taskset: pinset import FILE.",
                row.line,
            )
        if kept is not None:
            kept = _grown(kept, row, size)
        seen(count)
    return Contents(count, kept)


def plan_small(client: Pinset, target: Target, rows: list[TaskRow]) -> Plan:
    """Ask the server what a sync would do."""
    synced = client.tasksets.sync(
        target.name,
        [row.named_task() for row in rows],
        description=target.description,
        remove_missing=target.remove_missing,
        dry_run=True,
        workspace=target.workspace,
    )
    assert synced.plan is not None
    found = synced.plan
    return Plan(
        _items(found.to_create),
        _items(found.to_update),
        _items(found.unchanged),
        _items(found.remote_only),
        found.plan_digest,
    )


def apply_small(client: Pinset, target: Target, rows: list[TaskRow], plan: Plan) -> Applied:
    """Apply exactly the plan that was shown. Raises Conflict where anything that it rests on has moved."""
    synced = client.tasksets.sync(
        target.name,
        [row.named_task() for row in rows],
        description=target.description,
        remove_missing=target.remove_missing,
        plan_digest=plan.digest,
        workspace=target.workspace,
    )
    assert synced.revision is not None
    return Applied(synced.revision.number, synced.revision.digest, synced.revision.member_count)


@dataclass(slots=True)
class Large:
    """A sync in batches: `rows` reads the file anew, `before` is the taskset as the plan found it."""

    client: Pinset
    target: Target
    rows: Read
    before: "Before"

    def plan(self, step: Step) -> Plan:
        """Compare every row with what its name stands for now."""
        plan = Plan()
        names: set[str] = set()
        for batch in bulk.batches(self.rows()):
            for state in bulk.states(self.client, batch, self.target.workspace):
                names.add(state.row.name)
                _sorted_into(plan, state)
            step(len(batch))
        plan.remote_only = [Item(name, pin.partition("#")[2], None) for name, pin in self.before.others(names)]
        return plan

    def apply(self, plan: Plan, step: Step) -> Applied:
        """Store what is new, then move the taskset. Raises Conflict where anything planned on has moved."""
        known = {item.name: str(item.new_digest) for item in plan.unchanged}
        expected = {item.name: str(item.current_digest) for item in plan.update}
        pins: dict[str, str] = {}
        for batch in bulk.batches(self.rows()):
            fresh = [row for row in batch if row.name not in known]
            stored = bulk.publish(self.client, fresh, self.target.workspace, expected) if fresh else []
            digests = known | {task.row.name: task.digest for task in stored}
            pins |= {row.name: f"{self.target.workspace}/{row.name}#{digests[row.name]}" for row in batch}
            step(len(batch))
        kept = [] if self.target.remove_missing else [pin for _, pin in self.before.others(set(pins))]
        return self.before.publish(self.client, self.target, [*pins.values(), *kept])


@dataclass(frozen=True, slots=True)
class Before:
    """A taskset before a sync: its digest (None where there is none), its members, and the rest of its content."""

    digest: str | None
    members: tuple[str, ...] = ()
    content: dict[str, Any] = field(default_factory=dict)

    def others(self, names: set[str]) -> Iterator[tuple[str, str]]:
        """Name and pin of the members that are not among `names`."""
        for pin in self.members:
            name = pin.partition("#")[0].partition("/")[2]
            if name not in names:
                yield name, pin

    def publish(self, client: Pinset, target: Target, members: list[str]) -> Applied:
        """Make these the members, if the taskset is still what it was."""
        description = self.content.get("description")
        given: dict[str, Any] = {
            "description": description if target.description is UNSET else target.description,
            "files_ref": self.content.get("files_ref"),
            "metadata": self.content.get("metadata", []),
            "workspace": target.workspace,
        }
        if self.digest is None:
            latest = client.tasksets.create(target.name, members, **given).latest
        else:
            client.tasksets.replace(target.name, members, expected_digest=self.digest, **given)
            latest = client.tasksets.retrieve(target.name, workspace=target.workspace).latest
        return Applied(latest.number, latest.digest, latest.member_count)


def before(client: Pinset, target: Target) -> Before:
    """The taskset as it is now."""
    try:
        latest = client.tasksets.retrieve(target.name, workspace=target.workspace).latest
    except NotFound:
        return Before(None)
    members = client.tasksets.members(f"{target.name}#{latest.digest}", workspace=target.workspace)
    return Before(latest.digest, tuple(member.ref for member in members), dict(latest.content or {}))


def moved_since(error: Conflict) -> Conflict:
    """The conflict in the words of a sync: something that the plan rests on has moved."""
    first = error.problems[0]
    message = f"Somebody published since the plan was made: {first.message} Run the command again for a new plan."
    return Conflict([Problem(message, first.code, first.path, first.details)])


def _items(items: Sequence[SyncItem]) -> list[Item]:
    return [Item(item.name, item.current_digest, item.new_digest) for item in items]


def _grown(kept: list[TaskRow], row: TaskRow, size: int) -> list[TaskRow] | None:
    if size > SMALL_BYTES:
        return None
    kept.append(row)
    return kept


def _sorted_into(plan: Plan, state: bulk.State) -> None:
    item = Item(state.row.name, state.current, state.digest)
    if state.current is None:
        plan.create.append(item)
    elif state.current == state.digest:
        plan.unchanged.append(item)
    else:
        plan.update.append(item)
