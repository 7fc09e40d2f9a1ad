"""What the client's calls return, under short names; each is a pydantic model of the fields that are read."""

from pinset.generated.compare_jobs import CompareJobsJobCompare as Comparison
from pinset.generated.compare_jobs import CompareJobsJobCompareTasks as ComparedTasks
from pinset.generated.compare_jobs import CompareJobsJobCompareTasksNodes as TaskComparison
from pinset.generated.create_workspace import CreateWorkspaceCreateWorkspaceWorkspace as Workspace
from pinset.generated.diff_task import DiffTaskTaskDiff as ContentDiff
from pinset.generated.diff_taskset import DiffTasksetTasksetDiff as TasksetDiff
from pinset.generated.enums import AttemptPolicy
from pinset.generated.extend_leases import ExtendLeasesExtendLeases as Extended
from pinset.generated.fragments import JobFields as Job
from pinset.generated.fragments import MetricFields as Metric
from pinset.generated.fragments import SyncItemFields as SyncItem
from pinset.generated.fragments import SyncPlanFields as SyncPlan
from pinset.generated.fragments import TaskFields as Task
from pinset.generated.fragments import TaskListFields as TaskSummary
from pinset.generated.fragments import TaskRevisionFields as TaskRevision
from pinset.generated.fragments import TasksetFields as Taskset
from pinset.generated.fragments import TasksetListFields as TasksetSummary
from pinset.generated.fragments import TasksetRevisionFields as TasksetRevision
from pinset.generated.fragments import TrialFields as Trial
from pinset.generated.get_results import GetResultsJob as Results
from pinset.generated.get_task_revision import GetTaskRevisionTaskRevision as CanonicalTaskRevision
from pinset.generated.get_taskset_revision import GetTasksetRevisionTasksetRevision as CanonicalTasksetRevision
from pinset.generated.get_workspace import GetWorkspaceWorkspace as CountedWorkspace
from pinset.generated.lease_trials import LeaseTrialsLeaseTrialsLeases as Lease
from pinset.generated.list_job_tasks import ListJobTasksJobTasksNodes as JobTask
from pinset.generated.list_members import ListMembersTasksetRevisionMembersNodes as Member
from pinset.generated.list_whole_trials import ListWholeTrialsJobTrialsNodes as WholeTrial
from pinset.generated.list_workspaces import ListWorkspacesWorkspacesNodes as WorkspaceRow
from pinset.generated.replace_task import ReplaceTaskReplaceTask as PublishedTask
from pinset.generated.replace_taskset import ReplaceTasksetReplaceTaskset as PublishedTaskset
from pinset.generated.report_trial import ReportTrialReportTrialTrial as ReportedTrial
from pinset.generated.sync_taskset import SyncTasksetSyncTaskset as Synced
from pinset.generated.sync_taskset import SyncTasksetSyncTasksetRevision as SyncedRevision
from pinset.generated.watch_job import (
    WatchJobJobProgressJobEnded,
    WatchJobJobProgressJobEvent,
    WatchJobJobProgressJobStatusChanged,
    WatchJobJobProgressTrialFinished,
    WatchJobJobProgressTrialRequeued,
)

Event = (
    WatchJobJobProgressJobEvent
    | WatchJobJobProgressJobEnded
    | WatchJobJobProgressJobStatusChanged
    | WatchJobJobProgressTrialFinished
    | WatchJobJobProgressTrialRequeued
)

__all__ = [
    "AttemptPolicy",
    "CanonicalTaskRevision",
    "CanonicalTasksetRevision",
    "ComparedTasks",
    "Comparison",
    "ContentDiff",
    "CountedWorkspace",
    "Event",
    "Extended",
    "Job",
    "JobTask",
    "Lease",
    "Member",
    "Metric",
    "PublishedTask",
    "PublishedTaskset",
    "ReportedTrial",
    "Results",
    "SyncItem",
    "SyncPlan",
    "Synced",
    "SyncedRevision",
    "Task",
    "TaskComparison",
    "TaskRevision",
    "TaskSummary",
    "Taskset",
    "TasksetDiff",
    "TasksetRevision",
    "TasksetSummary",
    "Trial",
    "WholeTrial",
    "Workspace",
    "WorkspaceRow",
]
