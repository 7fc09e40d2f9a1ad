"""The platform's JSON bodies (snake_case, a `kind` in the spec) and domain content."""

from collections.abc import Callable

from domain.canonical import check_json
from domain.content import TaskDraft, TasksetDraft
from domain.errors import InvalidInput
from interop.drafts import task_draft, taskset_draft
from pinset.files.platform import task_input, taskset_input
from pinset.files.problems import FileProblem
from pinset.files.values import JSONObject


def task_from_body(body: object) -> TaskDraft:
    """A `TaskInput` body as a draft. Raises InvalidInput with the path to what does not fit."""
    return task_draft(_checked(body, task_input))


def taskset_from_body(body: object) -> TasksetDraft:
    """A `TasksetInput` body as a draft. Raises InvalidInput with the path to what does not fit."""
    return taskset_draft(_checked(body, taskset_input))


def _checked(body: object, read: Callable[[JSONObject], JSONObject]) -> JSONObject:
    if not isinstance(body, dict):
        raise InvalidInput("The body must be a JSON object.")
    check_json(body)
    try:
        return read(body)
    except FileProblem as problem:
        raise InvalidInput(problem.message, problem.path) from None
