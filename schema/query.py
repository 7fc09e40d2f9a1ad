"""Everything that can be read: one mixin per noun."""

import strawberry

from schema.audit import AuditQueries
from schema.digests import DigestQueries
from schema.jobs import JobQueries
from schema.metrics import MetricQueries
from schema.nodes import NodeQueries
from schema.task_queries import TaskQueries
from schema.taskset_queries import TasksetQueries
from schema.tokens import TokenQueries
from schema.viewer import ViewerQueries
from schema.workspaces import WorkspaceQueries


@strawberry.type(description="Everything that can be read. What is unknown or unreadable is null or not listed.")
class Query(
    NodeQueries,
    WorkspaceQueries,
    MetricQueries,
    TaskQueries,
    TasksetQueries,
    JobQueries,
    DigestQueries,
    ViewerQueries,
    TokenQueries,
    AuditQueries,
):
    pass
