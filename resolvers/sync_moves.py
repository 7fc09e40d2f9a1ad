"""Naming what moved since a plan was shown.

The plan is known by its digest alone. Going back through what was published since, newest first, until a plan made of
that older state has this digest finds exactly what moved in between; a deletion leaves nothing to go back to.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from domain.errors import Conflict
from domain.sync import Basis, SyncPlan
from resolvers.context import Context
from storage.bulk import Standing
from storage.clock import now
from storage.records import TASK, TASKSET, Head, RecordKind
from storage.revisions import newest_revisions

_NAMED: Final = 10
_STEPS_BACK: Final = 64
_REVISIONS: Final = 20_000
_HOW_LONG_AGO: Final = timedelta(days=1)


class PlanMoved(Conflict):
    """The plan that was shown no longer stands; `plan` is the one that would be made now."""

    def __init__(self, message: str, plan: SyncPlan) -> None:
        super().__init__(message, ("planDigest",), current_digest=plan.digest)
        self.plan = plan


@dataclass(frozen=True, slots=True)
class _Move:
    """A record got another latest digest; `before` is None where it did not exist."""

    at: datetime
    kind: RecordKind
    ref: str
    before: str | None


async def plan_moved(context: Context, shown: str, basis: Basis, plan: SyncPlan, found: Standing) -> PlanMoved:
    """The conflict of a plan digest that was shown with the plan that would be made now."""
    moved = await _moved(context, shown, basis, found)
    if moved is None:
        return PlanMoved(
            "The plan no longer stands: a record that it rests on was deleted or changed long ago, or the input is not "
            "the one that it was made of. Look at the new plan, and apply that.",
            plan,
        )
    named = ", ".join(moved[:_NAMED])
    more = f" and {len(moved) - _NAMED:,} more" if len(moved) > _NAMED else ""
    return PlanMoved(
        f"The plan no longer stands, since these moved: {named}{more}. Look at the new plan, and apply that.", plan
    )


async def _moved(context: Context, shown: str, basis: Basis, found: Standing) -> list[str] | None:
    """The records that moved since, the newest move first; None where it cannot be told."""
    heads = [] if found.taskset is None else [found.taskset]
    moves = [*await _moves(context, TASKSET, heads), *await _moves(context, TASK, list(found.tasks.values()))]
    moved: dict[str, None] = {}
    moves.sort(key=lambda move: move.at, reverse=True)
    together = groupby(moves, key=lambda move: move.at)
    for _, (_, group) in zip(range(_STEPS_BACK), together, strict=False):
        undone = list(group)
        moved |= {f"{move.kind.noun} '{move.ref}'": None for move in undone}
        basis = _before(basis, undone)
        if basis.digest == shown:
            return list(moved)
        await asyncio.sleep(0)
    return None


async def _moves(context: Context, kind: RecordKind, heads: Sequence[Head]) -> list[_Move]:
    since = now() - _HOW_LONG_AGO
    parents = [head.id for head in heads if head.updated_at >= since]
    moves: list[_Move] = []
    found = await newest_revisions(context.services.database, kind, parents, _REVISIONS)
    digests = {(revision.parent, revision.number): revision.digest for revision in found}
    for revision in found:
        before = digests.get((revision.parent, revision.number - 1))
        if before is not None or revision.number == 1:
            moves.append(_Move(revision.created_at, kind, f"{revision.workspace}/{revision.name}", before))
    return moves


def _before(basis: Basis, moves: Sequence[_Move]) -> Basis:
    """What a plan rested on before these moves, which are given the newest first."""
    taskset = basis.taskset_digest
    tasks = dict(basis.task_digests)
    for move in moves:
        if move.kind is TASKSET:
            taskset = move.before
        elif move.before is None:
            tasks.pop(move.ref, None)
        else:
            tasks[move.ref] = move.before
    return replace(basis, taskset_digest=taskset, task_digests=tasks)
