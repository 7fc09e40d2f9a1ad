"""`pinset demo`: two tasks and a taskset that pins them; a task is published anew, and a job runs what is pinned."""

import contextlib
import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Final

from pinset.commands.failures import reported
from pinset.commands.jobs import follow
from pinset.commands.options import DEFAULT_WORKSPACE, Token, Url, Workspace, connect
from pinset.commands.private_server import private_server
from pinset.errors import AlreadyExists, Unreachable
from pinset.synchronous.client import Pinset

EDITED: Final = "capital-of-france"
QUESTION: Final = "Which city is the capital of France?"
# What some agent answered before; one of them is wrong.
ANSWERS: Final = {"capital-of-france": "Paris.", "capital-of-japan": "Kyoto."}
_SHOWN_DIGITS: Final = 12

STATE: Final = """
query ($workspace: String!, $taskset: String!, $task: String!, $pinned: RevisionSelector!) {
  taskset(workspace: $workspace, name: $taskset) {
    latest { number digest members { nodes { ref name digest isOutdated revision { number ...Question } } } }
    outdatedMembers { nodes { name } }
  }
  task(workspace: $workspace, name: $task) {
    latest { number digest ...Question }
    diff(from: $pinned, to: {tag: "latest"}) { patch }
  }
}
fragment Question on TaskRevision { spec { ... on EvaluatorTaskSpec { prompt } } }
"""
PINNED: Final = """
query ($workspace: String!, $taskset: String!, $task: String!) {
  taskset(workspace: $workspace, name: $taskset) { latest { member(name: $task) { digest } } }
}
"""
MEMBERS: Final = """
query ($workspace: String!, $taskset: String!) {
  taskset(workspace: $workspace, name: $taskset) { latest { ref digest members { nodes { name } } } }
}
"""


@reported
def demo(workspace: Workspace = DEFAULT_WORKSPACE, url: Url = None, token: Token = None) -> None:
    """Load two tasks and a taskset, publish one task anew, see what stays pinned, and run a job over that."""
    with _server(url, token, workspace) as client:
        example = json.loads(files("pinset.commands").joinpath("geography.json").read_text(encoding="utf-8"))
        print("1. Two tasks, the metric that scores them, and a taskset that pins both by digest")
        _load(client, example)
        print(f"\n2. {EDITED} is published with another question")
        _publish(client, example["tasks"][0]["task"])
        _show(client, example["taskset"]["name"])
        print("\n5. A job runs what is pinned; it scores answers that came along, so no model is called")
        _run(client, example["taskset"]["name"])


@contextlib.contextmanager
def _server(url: str | None, token: str | None, workspace: str) -> Iterator[Pinset]:
    """A client of the server that was named or runs here, else of a private one."""
    with connect(url, token, workspace) as client:
        try:
            client.execute("{ __typename }")
        except Unreachable:
            if url is not None:
                raise
        else:
            yield client
            return
    print("No server answers here: a private one is started, and ends with this command.\n")
    with private_server() as address, connect(address, None, workspace) as client:
        yield client


def _load(client: Pinset, example: dict[str, Any]) -> None:
    for metric in example["metrics"]:
        with _kept("metric", f"{client.workspace}/{metric['name']}"):
            _line("metric", client.metrics.create(metric["name"], metric["metric"]).ref, "created")
    for task in example["tasks"]:
        with _kept("task", f"{client.workspace}/{task['name']}"):
            _line("task", client.tasks.create(task["name"], **_content(client, task["task"])).latest.ref, "revision 1")
    taskset = example["taskset"]
    with _kept("taskset", f"{client.workspace}/{taskset['name']}"):
        made = client.tasksets.create(taskset["name"], taskset["tasks"], description=taskset["description"])
        _line("taskset", made.latest.ref, "revision 1")


@contextlib.contextmanager
def _kept(kind: str, ref: str) -> Iterator[None]:
    """Leave alone what is there already, as after the command ran before."""
    try:
        yield
    except AlreadyExists:
        _line(kind, ref, "there already")


def _publish(client: Pinset, task: dict[str, Any]) -> None:
    content = _content(client, task)
    content["spec"]["evaluator"]["inputs"]["instruction"] = QUESTION
    published = client.tasks.replace(EDITED, **content)
    assert published.revision is not None
    outcome = published.outcome.value.lower() if published.outcome else ""
    ref = f"{client.workspace}/{EDITED}#{published.revision.digest}"
    _line("task", ref, f"{outcome}, revision {published.revision.number}")


def _content(client: Pinset, task: dict[str, Any]) -> dict[str, Any]:
    """The content of an example's task, its metrics in the workspace at hand."""
    spec = json.loads(json.dumps(task["spec"]))
    evaluator = spec["evaluator"]
    evaluator["metrics"] = [ref.rpartition("/")[2] for ref in evaluator["metrics"]]
    return {"spec": spec, "metadata": task["metadata"]}


def _show(client: Pinset, taskset: str) -> None:
    variables = {"workspace": client.workspace, "taskset": taskset, "task": EDITED}
    member = client.execute(PINNED, variables)["taskset"]["latest"]["member"]
    pinned = {"digest": member["digest"]} if member else {"number": 1}
    state = client.execute(STATE, {**variables, "pinned": pinned})
    print("\n3. What moved")
    _show_task(client, state["task"])
    print("\n4. What stayed")
    _show_taskset(f"{client.workspace}/{taskset}", state["taskset"])


def _show_task(client: Pinset, task: dict[str, Any]) -> None:
    _line("latest", f"{client.workspace}/{EDITED}#{task['latest']['digest']}", f"revision {task['latest']['number']}")
    _quote(task["latest"])
    for operation in task["diff"]["patch"]:
        print(f"   {'change':<8} {operation['op']} {operation['path']}")


def _show_taskset(ref: str, taskset: dict[str, Any]) -> None:
    latest = taskset["latest"]
    _line("taskset", f"{ref}#{latest['digest']}", f"revision {latest['number']}")
    for member in latest["members"]["nodes"]:
        note = "outdated" if member["isOutdated"] else "up to date"
        _line("pin", member["ref"], f"revision {member['revision']['number']}, {note}")
        _quote(member["revision"])
    outdated = [member["name"] for member in taskset["outdatedMembers"]["nodes"]]
    print("\nThe taskset means the same work as before, until it is published again.")
    print(f"Members whose task has moved on: {', '.join(outdated) or 'none'}.")


def _run(client: Pinset, taskset: str) -> None:
    latest = client.execute(MEMBERS, {"workspace": client.workspace, "taskset": taskset})["taskset"]["latest"]
    digest = latest["digest"][:_SHOWN_DIGITS]
    members = [member["name"] for member in latest["members"]["nodes"]]
    outputs = [{"task": name, "output": answer} for name, answer in ANSWERS.items() if name in members]
    job = client.jobs.submit(
        taskset=latest["ref"],
        name=f"{taskset}-{digest}",
        target={"outputs": outputs},
        idempotency_key=f"demo-{digest}",
    )
    ended = follow(client, job)
    progress = ended.progress
    note = f"{ended.status.value.lower()}, {progress.completed} of {progress.total} trials"
    _line("job", f"{client.workspace}/{ended.name}", note)
    for trial in client.jobs.trials(ended.id):
        reward = "no reward" if trial.reward is None else f"reward {trial.reward:g}"
        print(f"   {'trial':<8} {trial.task_name + ' “' + ANSWERS.get(trial.task_name, '') + '”':<46} {reward}")
    summary = client.jobs.results(ended.id).summary.reward
    mean = "none" if summary.mean is None else f"{summary.mean:g}"
    print(f"   {'mean':<8} {'reward':<46} {mean}, over {summary.scored} of {summary.expected} trials")


def _line(kind: str, ref: str, note: str) -> None:
    record, mark, fragment = ref.partition("#")
    short = fragment[:_SHOWN_DIGITS]
    print(f"   {kind:<8} {record + mark + short:<46} {note}")


def _quote(revision: dict[str, Any]) -> None:
    print(f"   {'':<8} “{revision['spec']['prompt']}”")
