# Written by client/generate.py; change pinset/generated/client.py instead.
"""Typed operations, written by ariadne-codegen from the schema."""

from collections.abc import Iterator
from typing import Any, Optional, Union

from pinset.generated.base_model import UNSET, UnsetType
from pinset.generated.cancel_job import CancelJob
from pinset.generated.compare_jobs import CompareJobs
from pinset.generated.create_metric import CreateMetric
from pinset.generated.create_task import CreateTask
from pinset.generated.create_taskset import CreateTaskset
from pinset.generated.create_workspace import CreateWorkspace
from pinset.generated.delete_job import DeleteJob
from pinset.generated.delete_metric import DeleteMetric
from pinset.generated.delete_task import DeleteTask
from pinset.generated.delete_taskset import DeleteTaskset
from pinset.generated.diff_task import DiffTask
from pinset.generated.diff_taskset import DiffTaskset
from pinset.generated.enums import AttemptPolicy, ComparisonClass
from pinset.generated.extend_leases import ExtendLeases
from pinset.generated.get_job import GetJob
from pinset.generated.get_job_by_name import GetJobByName
from pinset.generated.get_metric import GetMetric
from pinset.generated.get_results import GetResults
from pinset.generated.get_task import GetTask
from pinset.generated.get_task_revision import GetTaskRevision
from pinset.generated.get_taskset import GetTaskset
from pinset.generated.get_taskset_revision import GetTasksetRevision
from pinset.generated.get_viewer import GetViewer
from pinset.generated.get_workspace import GetWorkspace
from pinset.generated.input_types import (
    CreateMetricInput,
    CreateTaskInput,
    CreateTasksetInput,
    CreateWorkspaceInput,
    DefinitionOrder,
    DeleteMetricInput,
    DeleteTaskInput,
    DeleteTasksetInput,
    ExtendLeasesInput,
    JobFilter,
    JobInput,
    JobOrder,
    LeaseTrialsInput,
    MetricFilter,
    ReplaceTaskInput,
    ReplaceTasksetInput,
    ReportTrialInput,
    RetryJobInput,
    RevisionSelector,
    SubmitJobInput,
    SyncTasksetInput,
    TagTaskInput,
    TagTasksetInput,
    TaskFilter,
    TasksetFilter,
    TrialFilter,
    UntagTaskInput,
    UntagTasksetInput,
)
from pinset.generated.lease_trials import LeaseTrials
from pinset.generated.list_job_tasks import ListJobTasks
from pinset.generated.list_jobs import ListJobs
from pinset.generated.list_members import ListMembers
from pinset.generated.list_metrics import ListMetrics
from pinset.generated.list_task_revisions import ListTaskRevisions
from pinset.generated.list_tasks import ListTasks
from pinset.generated.list_taskset_revisions import ListTasksetRevisions
from pinset.generated.list_tasksets import ListTasksets
from pinset.generated.list_trials import ListTrials
from pinset.generated.list_whole_trials import ListWholeTrials
from pinset.generated.list_workspaces import ListWorkspaces
from pinset.generated.pause_job import PauseJob
from pinset.generated.replace_task import ReplaceTask
from pinset.generated.replace_taskset import ReplaceTaskset
from pinset.generated.report_trial import ReportTrial
from pinset.generated.resume_job import ResumeJob
from pinset.generated.retry_job import RetryJob
from pinset.generated.submit_job import SubmitJob
from pinset.generated.sync_taskset import SyncTaskset
from pinset.generated.tag_task import TagTask
from pinset.generated.tag_taskset import TagTaskset
from pinset.synchronous.transport import Transport
from pinset.generated.untag_task import UntagTask
from pinset.generated.untag_taskset import UntagTaskset
from pinset.generated.watch_job import WatchJob


def gql(q: str) -> str:
    return q


class GeneratedClient(Transport):
    def get_job(self, id: str, **kwargs: Any) -> GetJob:
        query = gql("""
            query GetJob($id: ID!) {
              job(id: $id) {
                ...JobFields
              }
            }

            fragment JobFields on Job {
              id
              workspace
              name
              project
              description
              labels
              status
              statusReason
              isStalled
              tasksetRef
              tasksetDigest
              target {
                kind
                name
              }
              repeats
              maxConcurrency
              timeoutSeconds
              maxAttempts
              failFast
              progress {
                ...ProgressFields
              }
              createdAt
              startedAt
              finishedAt
              createdBy
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }
            """)
        variables: dict[str, object] = {"id": id}
        response = self.execute(
            query=query, operation_name="GetJob", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return GetJob.model_validate(data)

    def get_job_by_name(
        self, workspace: str, name: str, **kwargs: Any
    ) -> GetJobByName:
        query = gql("""
            query GetJobByName($workspace: String!, $name: String!) {
              jobByName(workspace: $workspace, name: $name) {
                ...JobFields
              }
            }

            fragment JobFields on Job {
              id
              workspace
              name
              project
              description
              labels
              status
              statusReason
              isStalled
              tasksetRef
              tasksetDigest
              target {
                kind
                name
              }
              repeats
              maxConcurrency
              timeoutSeconds
              maxAttempts
              failFast
              progress {
                ...ProgressFields
              }
              createdAt
              startedAt
              finishedAt
              createdBy
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }
            """)
        variables: dict[str, object] = {"workspace": workspace, "name": name}
        response = self.execute(
            query=query, operation_name="GetJobByName", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return GetJobByName.model_validate(data)

    def list_jobs(
        self,
        workspace: str,
        filter_: Union[Optional[JobFilter], UnsetType] = UNSET,
        order_by: Union[Optional[JobOrder], UnsetType] = UNSET,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListJobs:
        query = gql("""
            query ListJobs($workspace: String!, $filter: JobFilter, $orderBy: JobOrder, $first: Int, $after: String) {
              jobs(
                workspace: $workspace
                filter: $filter
                orderBy: $orderBy
                first: $first
                after: $after
              ) {
                nodes {
                  ...JobFields
                }
                pageInfo {
                  ...PageFields
                }
              }
            }

            fragment JobFields on Job {
              id
              workspace
              name
              project
              description
              labels
              status
              statusReason
              isStalled
              tasksetRef
              tasksetDigest
              target {
                kind
                name
              }
              repeats
              maxConcurrency
              timeoutSeconds
              maxAttempts
              failFast
              progress {
                ...ProgressFields
              }
              createdAt
              startedAt
              finishedAt
              createdBy
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }
            """)
        variables: dict[str, object] = {
            "workspace": workspace,
            "filter": filter_,
            "orderBy": order_by,
            "first": first,
            "after": after,
        }
        response = self.execute(
            query=query, operation_name="ListJobs", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ListJobs.model_validate(data)

    def get_results(
        self,
        id: str,
        attempt: AttemptPolicy,
        missing_as: Union[Optional[float], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> GetResults:
        query = gql("""
            query GetResults($id: ID!, $missingAs: Float, $attempt: AttemptPolicy! = LAST) {
              job(id: $id) {
                ...JobFields
                summary(missingAs: $missingAs, attempt: $attempt) {
                  tasksetDigest
                  reward {
                    ...StatisticFields
                  }
                  statistics {
                    ...StatisticFields
                  }
                  passRates {
                    k
                    anyPass
                    allPass
                    tasks
                  }
                  failures {
                    type
                    count
                  }
                }
              }
            }

            fragment JobFields on Job {
              id
              workspace
              name
              project
              description
              labels
              status
              statusReason
              isStalled
              tasksetRef
              tasksetDigest
              target {
                kind
                name
              }
              repeats
              maxConcurrency
              timeoutSeconds
              maxAttempts
              failFast
              progress {
                ...ProgressFields
              }
              createdAt
              startedAt
              finishedAt
              createdBy
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }

            fragment StatisticFields on Statistic {
              name
              expected
              scored
              failed
              missing
              coverage
              mean
              standardDeviation
              standardError
              minimum
              maximum
              median
              confidence95
              lowerBound
              upperBound
            }
            """)
        variables: dict[str, object] = {
            "id": id,
            "missingAs": missing_as,
            "attempt": attempt,
        }
        response = self.execute(
            query=query, operation_name="GetResults", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return GetResults.model_validate(data)

    def list_trials(
        self,
        id: str,
        filter_: Union[Optional[TrialFilter], UnsetType] = UNSET,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListTrials:
        query = gql("""
            query ListTrials($id: ID!, $filter: TrialFilter, $first: Int, $after: String) {
              job(id: $id) {
                trials(filter: $filter, first: $first, after: $after) {
                  nodes {
                    ...TrialFields
                  }
                  pageInfo {
                    ...PageFields
                  }
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }

            fragment ScoreFields on Score {
              metric
              status
              values {
                name
                value
                label
              }
              diagnostics {
                severity
                message
              }
            }

            fragment TrialFields on Trial {
              id
              taskName
              taskDigest
              repeat
              status
              reward
              output
              response
              runner
              latencyMs
              startedAt
              finishedAt
              scores {
                ...ScoreFields
              }
              error {
                type
                message
              }
              usage {
                inputTokens
                outputTokens
                costUsd
              }
            }
            """)
        variables: dict[str, object] = {
            "id": id,
            "filter": filter_,
            "first": first,
            "after": after,
        }
        response = self.execute(
            query=query, operation_name="ListTrials", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ListTrials.model_validate(data)

    def list_whole_trials(
        self,
        id: str,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListWholeTrials:
        query = gql("""
            query ListWholeTrials($id: ID!, $first: Int, $after: String) {
              job(id: $id) {
                trials(first: $first, after: $after) {
                  nodes {
                    ...TrialFields
                    trajectory
                    attempts {
                      number
                      status
                      reward
                      runner
                      startedAt
                      finishedAt
                      error {
                        type
                        message
                      }
                    }
                  }
                  pageInfo {
                    ...PageFields
                  }
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }

            fragment ScoreFields on Score {
              metric
              status
              values {
                name
                value
                label
              }
              diagnostics {
                severity
                message
              }
            }

            fragment TrialFields on Trial {
              id
              taskName
              taskDigest
              repeat
              status
              reward
              output
              response
              runner
              latencyMs
              startedAt
              finishedAt
              scores {
                ...ScoreFields
              }
              error {
                type
                message
              }
              usage {
                inputTokens
                outputTokens
                costUsd
              }
            }
            """)
        variables: dict[str, object] = {"id": id, "first": first, "after": after}
        response = self.execute(
            query=query, operation_name="ListWholeTrials", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ListWholeTrials.model_validate(data)

    def list_job_tasks(
        self,
        id: str,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListJobTasks:
        query = gql("""
            query ListJobTasks($id: ID!, $first: Int, $after: String) {
              job(id: $id) {
                tasks(first: $first, after: $after) {
                  nodes {
                    name
                    ref
                    digest
                    content
                    metrics
                  }
                  pageInfo {
                    ...PageFields
                  }
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }
            """)
        variables: dict[str, object] = {"id": id, "first": first, "after": after}
        response = self.execute(
            query=query, operation_name="ListJobTasks", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ListJobTasks.model_validate(data)

    def compare_jobs(
        self,
        id: str,
        to: str,
        classes: Union[Optional[list[ComparisonClass]], UnsetType] = UNSET,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> CompareJobs:
        query = gql("""
            query CompareJobs($id: ID!, $to: ID!, $classes: [ComparisonClass!], $first: Int, $after: String) {
              job(id: $id) {
                compare(to: $to) {
                  base {
                    id
                    name
                  }
                  candidate {
                    id
                    name
                  }
                  sameContent
                  changedContent
                  onlyInBase
                  onlyInCandidate
                  meanDelta
                  confidence95
                  tasks(classes: $classes, first: $first, after: $after) {
                    nodes {
                      name
                      class
                      baseDigest
                      candidateDigest
                      delta
                      base {
                        mean
                        scored
                      }
                      candidate {
                        mean
                        scored
                      }
                    }
                    pageInfo {
                      ...PageFields
                    }
                  }
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }
            """)
        variables: dict[str, object] = {
            "id": id,
            "to": to,
            "classes": classes,
            "first": first,
            "after": after,
        }
        response = self.execute(
            query=query, operation_name="CompareJobs", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return CompareJobs.model_validate(data)

    def submit_job(self, input: SubmitJobInput, **kwargs: Any) -> SubmitJob:
        query = gql("""
            mutation SubmitJob($input: SubmitJobInput!) {
              submitJob(input: $input) {
                job {
                  ...JobFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment JobFields on Job {
              id
              workspace
              name
              project
              description
              labels
              status
              statusReason
              isStalled
              tasksetRef
              tasksetDigest
              target {
                kind
                name
              }
              repeats
              maxConcurrency
              timeoutSeconds
              maxAttempts
              failFast
              progress {
                ...ProgressFields
              }
              createdAt
              startedAt
              finishedAt
              createdBy
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="SubmitJob", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return SubmitJob.model_validate(data)

    def cancel_job(self, input: JobInput, **kwargs: Any) -> CancelJob:
        query = gql("""
            mutation CancelJob($input: JobInput!) {
              cancelJob(input: $input) {
                job {
                  ...JobFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment JobFields on Job {
              id
              workspace
              name
              project
              description
              labels
              status
              statusReason
              isStalled
              tasksetRef
              tasksetDigest
              target {
                kind
                name
              }
              repeats
              maxConcurrency
              timeoutSeconds
              maxAttempts
              failFast
              progress {
                ...ProgressFields
              }
              createdAt
              startedAt
              finishedAt
              createdBy
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="CancelJob", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return CancelJob.model_validate(data)

    def pause_job(self, input: JobInput, **kwargs: Any) -> PauseJob:
        query = gql("""
            mutation PauseJob($input: JobInput!) {
              pauseJob(input: $input) {
                job {
                  ...JobFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment JobFields on Job {
              id
              workspace
              name
              project
              description
              labels
              status
              statusReason
              isStalled
              tasksetRef
              tasksetDigest
              target {
                kind
                name
              }
              repeats
              maxConcurrency
              timeoutSeconds
              maxAttempts
              failFast
              progress {
                ...ProgressFields
              }
              createdAt
              startedAt
              finishedAt
              createdBy
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="PauseJob", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return PauseJob.model_validate(data)

    def resume_job(self, input: JobInput, **kwargs: Any) -> ResumeJob:
        query = gql("""
            mutation ResumeJob($input: JobInput!) {
              resumeJob(input: $input) {
                job {
                  ...JobFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment JobFields on Job {
              id
              workspace
              name
              project
              description
              labels
              status
              statusReason
              isStalled
              tasksetRef
              tasksetDigest
              target {
                kind
                name
              }
              repeats
              maxConcurrency
              timeoutSeconds
              maxAttempts
              failFast
              progress {
                ...ProgressFields
              }
              createdAt
              startedAt
              finishedAt
              createdBy
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="ResumeJob", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ResumeJob.model_validate(data)

    def retry_job(self, input: RetryJobInput, **kwargs: Any) -> RetryJob:
        query = gql("""
            mutation RetryJob($input: RetryJobInput!) {
              retryJob(input: $input) {
                job {
                  ...JobFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment JobFields on Job {
              id
              workspace
              name
              project
              description
              labels
              status
              statusReason
              isStalled
              tasksetRef
              tasksetDigest
              target {
                kind
                name
              }
              repeats
              maxConcurrency
              timeoutSeconds
              maxAttempts
              failFast
              progress {
                ...ProgressFields
              }
              createdAt
              startedAt
              finishedAt
              createdBy
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="RetryJob", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return RetryJob.model_validate(data)

    def delete_job(self, input: JobInput, **kwargs: Any) -> DeleteJob:
        query = gql("""
            mutation DeleteJob($input: JobInput!) {
              deleteJob(input: $input) {
                deletedId
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="DeleteJob", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return DeleteJob.model_validate(data)

    def watch_job(
        self,
        id: str,
        after: Union[Optional[int], UnsetType] = UNSET,
        max_per_second: Union[Optional[float], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> Iterator[WatchJob]:
        query = gql("""
            subscription WatchJob($id: ID!, $after: Int, $maxPerSecond: Float) {
              jobProgress(id: $id, after: $after, maxPerSecond: $maxPerSecond) {
                __typename
                seq
                at
                progress {
                  ...ProgressFields
                }
                job {
                  id
                  name
                  status
                }
                ... on TrialFinished {
                  trial {
                    taskName
                    repeat
                    status
                    reward
                    error {
                      type
                      message
                    }
                  }
                }
                ... on TrialRequeued {
                  trial {
                    taskName
                    repeat
                  }
                  requeueReason: reason
                }
                ... on JobStatusChanged {
                  from
                  to
                  reason
                }
                ... on JobEnded {
                  status
                }
              }
            }

            fragment ProgressFields on JobProgress {
              total
              pending
              running
              scoring
              completed
              partial
              failed
              cancelled
              retries
              fraction
              meanReward
              inputTokens
              outputTokens
              costUsd
              secondsRemaining
            }
            """)
        variables: dict[str, object] = {
            "id": id,
            "after": after,
            "maxPerSecond": max_per_second,
        }
        for data in self.execute_ws(
            query=query, operation_name="WatchJob", variables=variables, **kwargs
        ):
            yield WatchJob.model_validate(data)

    def lease_trials(self, input: LeaseTrialsInput, **kwargs: Any) -> LeaseTrials:
        query = gql("""
            mutation LeaseTrials($input: LeaseTrialsInput!) {
              leaseTrials(input: $input) {
                leases {
                  token
                  expiresAt
                  prompt
                  trial {
                    id
                    taskName
                    taskDigest
                    repeat
                  }
                  spec {
                    __typename
                    kind
                    ... on EvaluatorTaskSpec {
                      intent
                      inputs {
                        instruction
                        extra
                      }
                      reference
                    }
                    ... on HarborTaskSpec {
                      archiveRef
                      archiveDigest
                      instruction
                      config
                    }
                    ... on TemplateTaskSpec {
                      env
                      template
                      args
                      agentConfig
                      runtimeConfig
                      validation
                    }
                  }
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="LeaseTrials", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return LeaseTrials.model_validate(data)

    def extend_leases(
        self, input: ExtendLeasesInput, **kwargs: Any
    ) -> ExtendLeases:
        query = gql("""
            mutation ExtendLeases($input: ExtendLeasesInput!) {
              extendLeases(input: $input) {
                extended
                lost
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="ExtendLeases", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ExtendLeases.model_validate(data)

    def report_trial(self, input: ReportTrialInput, **kwargs: Any) -> ReportTrial:
        query = gql("""
            mutation ReportTrial($input: ReportTrialInput!) {
              reportTrial(input: $input) {
                trial {
                  id
                  taskName
                  repeat
                  status
                  reward
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="ReportTrial", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ReportTrial.model_validate(data)

    def get_metric(self, workspace: str, name: str, **kwargs: Any) -> GetMetric:
        query = gql("""
            query GetMetric($workspace: String!, $name: String!) {
              metric(workspace: $workspace, name: $name) {
                ...MetricFields
              }
            }

            fragment MetricFields on Metric {
              id
              workspace
              name
              ref
              project
              type
              description
              labels
              config
              digest
              isRetired
              createdAt
              createdBy
              outputs {
                name
                description
                minimum
                maximum
              }
            }
            """)
        variables: dict[str, object] = {"workspace": workspace, "name": name}
        response = self.execute(
            query=query, operation_name="GetMetric", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return GetMetric.model_validate(data)

    def list_metrics(
        self,
        workspace: str,
        filter_: Union[Optional[MetricFilter], UnsetType] = UNSET,
        order_by: Union[Optional[DefinitionOrder], UnsetType] = UNSET,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListMetrics:
        query = gql("""
            query ListMetrics($workspace: String!, $filter: MetricFilter, $orderBy: DefinitionOrder, $first: Int, $after: String) {
              metrics(
                workspace: $workspace
                filter: $filter
                orderBy: $orderBy
                first: $first
                after: $after
              ) {
                nodes {
                  ...MetricFields
                }
                pageInfo {
                  ...PageFields
                }
              }
            }

            fragment MetricFields on Metric {
              id
              workspace
              name
              ref
              project
              type
              description
              labels
              config
              digest
              isRetired
              createdAt
              createdBy
              outputs {
                name
                description
                minimum
                maximum
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }
            """)
        variables: dict[str, object] = {
            "workspace": workspace,
            "filter": filter_,
            "orderBy": order_by,
            "first": first,
            "after": after,
        }
        response = self.execute(
            query=query, operation_name="ListMetrics", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ListMetrics.model_validate(data)

    def create_metric(
        self, input: CreateMetricInput, **kwargs: Any
    ) -> CreateMetric:
        query = gql("""
            mutation CreateMetric($input: CreateMetricInput!) {
              createMetric(input: $input) {
                metric {
                  ...MetricFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment MetricFields on Metric {
              id
              workspace
              name
              ref
              project
              type
              description
              labels
              config
              digest
              isRetired
              createdAt
              createdBy
              outputs {
                name
                description
                minimum
                maximum
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="CreateMetric", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return CreateMetric.model_validate(data)

    def delete_metric(
        self, input: DeleteMetricInput, **kwargs: Any
    ) -> DeleteMetric:
        query = gql("""
            mutation DeleteMetric($input: DeleteMetricInput!) {
              deleteMetric(input: $input) {
                deletedId
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="DeleteMetric", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return DeleteMetric.model_validate(data)

    def get_task(self, workspace: str, name: str, **kwargs: Any) -> GetTask:
        query = gql("""
            query GetTask($workspace: String!, $name: String!) {
              task(workspace: $workspace, name: $name) {
                ...TaskFields
              }
            }

            fragment TaskFields on Task {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TaskRevisionFields
              }
            }

            fragment TaskRevisionFields on TaskRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
            }
            """)
        variables: dict[str, object] = {"workspace": workspace, "name": name}
        response = self.execute(
            query=query, operation_name="GetTask", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return GetTask.model_validate(data)

    def get_task_revision(
        self, ref: str, workspace: str, **kwargs: Any
    ) -> GetTaskRevision:
        query = gql("""
            query GetTaskRevision($ref: String!, $workspace: String!) {
              taskRevision(ref: $ref, workspace: $workspace) {
                ...TaskRevisionFields
                canonical
              }
            }

            fragment TaskRevisionFields on TaskRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
            }
            """)
        variables: dict[str, object] = {"ref": ref, "workspace": workspace}
        response = self.execute(
            query=query, operation_name="GetTaskRevision", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return GetTaskRevision.model_validate(data)

    def list_tasks(
        self,
        workspace: str,
        filter_: Union[Optional[TaskFilter], UnsetType] = UNSET,
        order_by: Union[Optional[DefinitionOrder], UnsetType] = UNSET,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListTasks:
        query = gql("""
            query ListTasks($workspace: String!, $filter: TaskFilter, $orderBy: DefinitionOrder, $first: Int, $after: String) {
              tasks(
                workspace: $workspace
                filter: $filter
                orderBy: $orderBy
                first: $first
                after: $after
              ) {
                nodes {
                  ...TaskListFields
                }
                pageInfo {
                  ...PageFields
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }

            fragment TaskListFields on Task {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              latest {
                number
                digest
                tags
                spec {
                  __typename
                  kind
                }
              }
            }
            """)
        variables: dict[str, object] = {
            "workspace": workspace,
            "filter": filter_,
            "orderBy": order_by,
            "first": first,
            "after": after,
        }
        response = self.execute(
            query=query, operation_name="ListTasks", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ListTasks.model_validate(data)

    def list_task_revisions(
        self,
        workspace: str,
        name: str,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListTaskRevisions:
        query = gql("""
            query ListTaskRevisions($workspace: String!, $name: String!, $first: Int, $after: String) {
              task(workspace: $workspace, name: $name) {
                revisions(first: $first, after: $after) {
                  nodes {
                    ...TaskRevisionFields
                  }
                  pageInfo {
                    ...PageFields
                  }
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }

            fragment TaskRevisionFields on TaskRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
            }
            """)
        variables: dict[str, object] = {
            "workspace": workspace,
            "name": name,
            "first": first,
            "after": after,
        }
        response = self.execute(
            query=query,
            operation_name="ListTaskRevisions",
            variables=variables,
            **kwargs,
        )
        data = self.get_data(response)
        return ListTaskRevisions.model_validate(data)

    def diff_task(
        self,
        workspace: str,
        name: str,
        from_: RevisionSelector,
        to: RevisionSelector,
        **kwargs: Any,
    ) -> DiffTask:
        query = gql("""
            query DiffTask($workspace: String!, $name: String!, $from: RevisionSelector!, $to: RevisionSelector!) {
              task(workspace: $workspace, name: $name) {
                diff(from: $from, to: $to) {
                  from
                  to
                  isEmpty
                  patch
                }
              }
            }
            """)
        variables: dict[str, object] = {
            "workspace": workspace,
            "name": name,
            "from": from_,
            "to": to,
        }
        response = self.execute(
            query=query, operation_name="DiffTask", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return DiffTask.model_validate(data)

    def create_task(self, input: CreateTaskInput, **kwargs: Any) -> CreateTask:
        query = gql("""
            mutation CreateTask($input: CreateTaskInput!) {
              createTask(input: $input) {
                task {
                  ...TaskFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment TaskFields on Task {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TaskRevisionFields
              }
            }

            fragment TaskRevisionFields on TaskRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="CreateTask", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return CreateTask.model_validate(data)

    def replace_task(self, input: ReplaceTaskInput, **kwargs: Any) -> ReplaceTask:
        query = gql("""
            mutation ReplaceTask($input: ReplaceTaskInput!) {
              replaceTask(input: $input) {
                task {
                  ...TaskFields
                }
                revision {
                  number
                  digest
                }
                outcome
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment TaskFields on Task {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TaskRevisionFields
              }
            }

            fragment TaskRevisionFields on TaskRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="ReplaceTask", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ReplaceTask.model_validate(data)

    def tag_task(self, input: TagTaskInput, **kwargs: Any) -> TagTask:
        query = gql("""
            mutation TagTask($input: TagTaskInput!) {
              tagTask(input: $input) {
                task {
                  ...TaskFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment TaskFields on Task {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TaskRevisionFields
              }
            }

            fragment TaskRevisionFields on TaskRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="TagTask", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return TagTask.model_validate(data)

    def untag_task(self, input: UntagTaskInput, **kwargs: Any) -> UntagTask:
        query = gql("""
            mutation UntagTask($input: UntagTaskInput!) {
              untagTask(input: $input) {
                task {
                  ...TaskFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment TaskFields on Task {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TaskRevisionFields
              }
            }

            fragment TaskRevisionFields on TaskRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="UntagTask", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return UntagTask.model_validate(data)

    def delete_task(self, input: DeleteTaskInput, **kwargs: Any) -> DeleteTask:
        query = gql("""
            mutation DeleteTask($input: DeleteTaskInput!) {
              deleteTask(input: $input) {
                deletedId
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="DeleteTask", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return DeleteTask.model_validate(data)

    def get_taskset(self, workspace: str, name: str, **kwargs: Any) -> GetTaskset:
        query = gql("""
            query GetTaskset($workspace: String!, $name: String!) {
              taskset(workspace: $workspace, name: $name) {
                ...TasksetFields
              }
            }

            fragment TasksetFields on Taskset {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TasksetRevisionFields
              }
            }

            fragment TasksetRevisionFields on TasksetRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
              memberCount
            }
            """)
        variables: dict[str, object] = {"workspace": workspace, "name": name}
        response = self.execute(
            query=query, operation_name="GetTaskset", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return GetTaskset.model_validate(data)

    def get_taskset_revision(
        self, ref: str, workspace: str, **kwargs: Any
    ) -> GetTasksetRevision:
        query = gql("""
            query GetTasksetRevision($ref: String!, $workspace: String!) {
              tasksetRevision(ref: $ref, workspace: $workspace) {
                ...TasksetRevisionFields
                canonical
                taskset {
                  workspace
                  name
                }
              }
            }

            fragment TasksetRevisionFields on TasksetRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
              memberCount
            }
            """)
        variables: dict[str, object] = {"ref": ref, "workspace": workspace}
        response = self.execute(
            query=query,
            operation_name="GetTasksetRevision",
            variables=variables,
            **kwargs,
        )
        data = self.get_data(response)
        return GetTasksetRevision.model_validate(data)

    def list_tasksets(
        self,
        workspace: str,
        filter_: Union[Optional[TasksetFilter], UnsetType] = UNSET,
        order_by: Union[Optional[DefinitionOrder], UnsetType] = UNSET,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListTasksets:
        query = gql("""
            query ListTasksets($workspace: String!, $filter: TasksetFilter, $orderBy: DefinitionOrder, $first: Int, $after: String) {
              tasksets(
                workspace: $workspace
                filter: $filter
                orderBy: $orderBy
                first: $first
                after: $after
              ) {
                nodes {
                  ...TasksetListFields
                }
                pageInfo {
                  ...PageFields
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }

            fragment TasksetListFields on Taskset {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              latest {
                number
                digest
                memberCount
                tags
                description
              }
            }
            """)
        variables: dict[str, object] = {
            "workspace": workspace,
            "filter": filter_,
            "orderBy": order_by,
            "first": first,
            "after": after,
        }
        response = self.execute(
            query=query, operation_name="ListTasksets", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ListTasksets.model_validate(data)

    def list_taskset_revisions(
        self,
        workspace: str,
        name: str,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListTasksetRevisions:
        query = gql("""
            query ListTasksetRevisions($workspace: String!, $name: String!, $first: Int, $after: String) {
              taskset(workspace: $workspace, name: $name) {
                revisions(first: $first, after: $after) {
                  nodes {
                    ...TasksetRevisionFields
                  }
                  pageInfo {
                    ...PageFields
                  }
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }

            fragment TasksetRevisionFields on TasksetRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
              memberCount
            }
            """)
        variables: dict[str, object] = {
            "workspace": workspace,
            "name": name,
            "first": first,
            "after": after,
        }
        response = self.execute(
            query=query,
            operation_name="ListTasksetRevisions",
            variables=variables,
            **kwargs,
        )
        data = self.get_data(response)
        return ListTasksetRevisions.model_validate(data)

    def list_members(
        self,
        ref: str,
        workspace: str,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListMembers:
        query = gql("""
            query ListMembers($ref: String!, $workspace: String!, $first: Int, $after: String) {
              tasksetRevision(ref: $ref, workspace: $workspace) {
                members(first: $first, after: $after) {
                  nodes {
                    position
                    ref
                    workspace
                    name
                    digest
                    isDangling
                    isHidden
                    isOutdated
                    revision {
                      canonical
                      metadata {
                        key
                        value
                      }
                    }
                  }
                  pageInfo {
                    ...PageFields
                  }
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }
            """)
        variables: dict[str, object] = {
            "ref": ref,
            "workspace": workspace,
            "first": first,
            "after": after,
        }
        response = self.execute(
            query=query, operation_name="ListMembers", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ListMembers.model_validate(data)

    def diff_taskset(
        self,
        workspace: str,
        name: str,
        from_: RevisionSelector,
        to: RevisionSelector,
        **kwargs: Any,
    ) -> DiffTaskset:
        query = gql("""
            query DiffTaskset($workspace: String!, $name: String!, $from: RevisionSelector!, $to: RevisionSelector!) {
              taskset(workspace: $workspace, name: $name) {
                diff(from: $from, to: $to) {
                  added {
                    ref
                  }
                  removed {
                    ref
                  }
                  changed {
                    workspace
                    name
                    fromDigest
                    toDigest
                  }
                  unchangedCount
                  patch
                }
              }
            }
            """)
        variables: dict[str, object] = {
            "workspace": workspace,
            "name": name,
            "from": from_,
            "to": to,
        }
        response = self.execute(
            query=query, operation_name="DiffTaskset", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return DiffTaskset.model_validate(data)

    def create_taskset(
        self, input: CreateTasksetInput, **kwargs: Any
    ) -> CreateTaskset:
        query = gql("""
            mutation CreateTaskset($input: CreateTasksetInput!) {
              createTaskset(input: $input) {
                taskset {
                  ...TasksetFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment TasksetFields on Taskset {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TasksetRevisionFields
              }
            }

            fragment TasksetRevisionFields on TasksetRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
              memberCount
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="CreateTaskset", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return CreateTaskset.model_validate(data)

    def replace_taskset(
        self, input: ReplaceTasksetInput, **kwargs: Any
    ) -> ReplaceTaskset:
        query = gql("""
            mutation ReplaceTaskset($input: ReplaceTasksetInput!) {
              replaceTaskset(input: $input) {
                taskset {
                  ...TasksetFields
                }
                revision {
                  number
                  digest
                }
                outcome
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment TasksetFields on Taskset {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TasksetRevisionFields
              }
            }

            fragment TasksetRevisionFields on TasksetRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
              memberCount
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="ReplaceTaskset", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ReplaceTaskset.model_validate(data)

    def tag_taskset(self, input: TagTasksetInput, **kwargs: Any) -> TagTaskset:
        query = gql("""
            mutation TagTaskset($input: TagTasksetInput!) {
              tagTaskset(input: $input) {
                taskset {
                  ...TasksetFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment TasksetFields on Taskset {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TasksetRevisionFields
              }
            }

            fragment TasksetRevisionFields on TasksetRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
              memberCount
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="TagTaskset", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return TagTaskset.model_validate(data)

    def untag_taskset(
        self, input: UntagTasksetInput, **kwargs: Any
    ) -> UntagTaskset:
        query = gql("""
            mutation UntagTaskset($input: UntagTasksetInput!) {
              untagTaskset(input: $input) {
                taskset {
                  ...TasksetFields
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment TasksetFields on Taskset {
              id
              workspace
              name
              ref
              project
              createdAt
              updatedAt
              tags {
                name
                number
                digest
              }
              latest {
                ...TasksetRevisionFields
              }
            }

            fragment TasksetRevisionFields on TasksetRevision {
              id
              number
              digest
              ref
              tags
              isLatest
              createdAt
              createdBy
              content
              memberCount
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="UntagTaskset", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return UntagTaskset.model_validate(data)

    def delete_taskset(
        self, input: DeleteTasksetInput, **kwargs: Any
    ) -> DeleteTaskset:
        query = gql("""
            mutation DeleteTaskset($input: DeleteTasksetInput!) {
              deleteTaskset(input: $input) {
                deletedId
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="DeleteTaskset", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return DeleteTaskset.model_validate(data)

    def sync_taskset(self, input: SyncTasksetInput, **kwargs: Any) -> SyncTaskset:
        query = gql("""
            mutation SyncTaskset($input: SyncTasksetInput!) {
              syncTaskset(input: $input) {
                plan {
                  ...SyncPlanFields
                }
                revision {
                  number
                  digest
                  ref
                  memberCount
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }

            fragment SyncItemFields on SyncItem {
              name
              currentDigest
              newDigest
            }

            fragment SyncPlanFields on SyncPlan {
              planDigest
              summary
              toCreate {
                ...SyncItemFields
              }
              toUpdate {
                ...SyncItemFields
              }
              unchanged {
                ...SyncItemFields
              }
              remoteOnly {
                ...SyncItemFields
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="SyncTaskset", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return SyncTaskset.model_validate(data)

    def get_workspace(self, name: str, **kwargs: Any) -> GetWorkspace:
        query = gql("""
            query GetWorkspace($name: String!) {
              workspace(name: $name) {
                id
                name
                description
                createdAt
                taskCount
                tasksetCount
                metricCount
                jobCount
              }
            }
            """)
        variables: dict[str, object] = {"name": name}
        response = self.execute(
            query=query, operation_name="GetWorkspace", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return GetWorkspace.model_validate(data)

    def list_workspaces(
        self,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> ListWorkspaces:
        query = gql("""
            query ListWorkspaces($first: Int, $after: String) {
              workspaces(first: $first, after: $after) {
                nodes {
                  id
                  name
                  description
                  createdAt
                }
                pageInfo {
                  ...PageFields
                }
              }
            }

            fragment PageFields on PageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }
            """)
        variables: dict[str, object] = {"first": first, "after": after}
        response = self.execute(
            query=query, operation_name="ListWorkspaces", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return ListWorkspaces.model_validate(data)

    def create_workspace(
        self, input: CreateWorkspaceInput, **kwargs: Any
    ) -> CreateWorkspace:
        query = gql("""
            mutation CreateWorkspace($input: CreateWorkspaceInput!) {
              createWorkspace(input: $input) {
                workspace {
                  id
                  name
                  description
                  createdAt
                }
                errors {
                  __typename
                  ...ErrorFields
                }
              }
            }

            fragment ErrorFields on UserError {
              message
              code
              path
              ... on NotFound {
                ref
              }
              ... on AlreadyExists {
                ref
                digest
              }
              ... on Conflict {
                currentDigest
              }
              ... on InUse {
                users
                hiddenUsers
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = self.execute(
            query=query, operation_name="CreateWorkspace", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return CreateWorkspace.model_validate(data)

    def get_viewer(self, **kwargs: Any) -> GetViewer:
        query = gql("""
            query GetViewer {
              viewer {
                name
                grants {
                  workspace
                  scopes
                }
              }
            }
            """)
        variables: dict[str, object] = {}
        response = self.execute(
            query=query, operation_name="GetViewer", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return GetViewer.model_validate(data)
