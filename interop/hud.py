"""HUD rows and domain content."""

from domain.canonical import check_json
from domain.content import TaskDraft
from domain.errors import InvalidInput
from interop.drafts import task_draft
from pinset.files.hud import hud_row, task_row
from pinset.files.problems import FileProblem
from pinset.files.values import JSONObject


def task_from_row(row: object) -> tuple[str, TaskDraft]:
    """The name and the draft of one HUD row. Raises InvalidInput with the path to what does not fit."""
    if not isinstance(row, dict):
        raise InvalidInput("A row must be a JSON object.")
    check_json(row)
    try:
        read = task_row(row, 1)
    except FileProblem as problem:
        raise InvalidInput(problem.message, problem.path) from None
    return read.name, task_draft(read.task)


def row_from_content(name: str, content: JSONObject) -> JSONObject:
    """Stored content of a template task as a HUD row. Raises InvalidInput for other kinds of task."""
    try:
        return hud_row(name, content)
    except FileProblem as problem:
        raise InvalidInput(problem.message, problem.path) from None
