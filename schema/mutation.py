"""Everything that can be changed: one mixin per noun."""

import strawberry

from schema.job_mutations import JobMutations
from schema.leases import LeaseMutations
from schema.metrics import MetricMutations
from schema.sync import SyncMutations
from schema.task_mutations import TaskMutations
from schema.taskset_mutations import TasksetMutations
from schema.tokens import TokenMutations
from schema.workspaces import WorkspaceMutations


@strawberry.type(
    description="Everything that can be changed. Each mutation answers a payload whose `errors` say what went wrong."
)
class Mutation(
    WorkspaceMutations,
    MetricMutations,
    TaskMutations,
    TasksetMutations,
    SyncMutations,
    JobMutations,
    LeaseMutations,
    TokenMutations,
):
    pass
