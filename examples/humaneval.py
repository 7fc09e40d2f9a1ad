"""HumanEval as 164 tasks and one taskset, through the GraphQL API and nothing else.

The mapping, row by row: `task_id` becomes the name (`HumanEval/0` is stored as `HumanEval-0`, the id itself stays in
the metadata), `prompt` the instruction, `entry_point` an extra input; `canonical_solution` and `test` are the
reference, which no agent sees. At the end every prompt is read back and compared byte for byte.

Usage: python examples/humaneval.py [URL]     (PINSET_TOKEN holds a token where the server asks for one)
"""

import gzip
import json
import os
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import httpx

FILE = Path(__file__).with_name("HumanEval.jsonl.gz")
TASKSET = "humaneval"
BATCH = 40  # fewer than the 50 root fields that one request may have

UPSERT_TASK = "replaceTask(input: $input{0}) {{ outcome errors {{ message path }} }}"
UPSERT_TASKSET = """
mutation($input: ReplaceTasksetInput!) {
  replaceTaskset(input: $input) { outcome revision { number digest memberCount } errors { message path } }
}
"""
READ_PAGE = """
query($name: String!, $after: String) {
  taskset(name: $name) { latest { members(first: 100, after: $after) {
    nodes { name revision { spec { ... on EvaluatorTaskSpec { inputs { instruction } } } } }
    pageInfo { hasNextPage endCursor }
  } } }
}
"""


def task_of(row: dict[str, str]) -> dict[str, Any]:
    """One row as the input of `replaceTask`."""
    return {
        "name": row["task_id"].replace("/", "-"),
        "task": {
            "spec": {
                "evaluator": {
                    "intent": "Complete the Python function so that it does what its docstring says.",
                    "inputs": {"instruction": row["prompt"], "extra": {"entry_point": row["entry_point"]}},
                    "reference": {"canonical_solution": row["canonical_solution"], "test": row["test"]},
                }
            },
            "metadata": [{"key": "task_id", "value": row["task_id"]}],
        },
    }


def run(client: httpx.Client, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """One request; its data, or an exception for anything that went wrong."""
    response = client.post("/graphql", json={"query": query, "variables": variables})
    answer = response.json()
    if answer.get("errors"):
        raise SystemExit(f"{response.status_code}: {answer['errors']}")
    data: dict[str, Any] = answer["data"]
    for payload in data.values():
        if payload and payload.get("errors"):
            raise SystemExit(f"refused: {payload['errors']}")
    return data


def store_tasks(client: httpx.Client, tasks: list[dict[str, Any]]) -> None:
    """Create or replace the tasks, several a request by aliases."""
    remaining = iter(tasks)
    while batch := list(islice(remaining, BATCH)):
        variables = {f"input{index}": task for index, task in enumerate(batch)}
        declared = ", ".join(f"${name}: ReplaceTaskInput!" for name in variables)
        fields = " ".join(f"t{index}: {UPSERT_TASK.format(index)}" for index in range(len(batch)))
        run(client, f"mutation({declared}) {{ {fields} }}", variables)


def prompts(client: httpx.Client) -> dict[str, str]:
    """Every member's instruction by its name, as the taskset pins it."""
    found: dict[str, str] = {}
    after = None
    while True:
        page = run(client, READ_PAGE, {"name": TASKSET, "after": after})["taskset"]["latest"]["members"]
        found.update({node["name"]: node["revision"]["spec"]["inputs"]["instruction"] for node in page["nodes"]})
        if not page["pageInfo"]["hasNextPage"]:
            return found
        after = page["pageInfo"]["endCursor"]


def main() -> None:
    """Store the file's rows, make the taskset equal to them, and check what reads back."""
    rows = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]
    tasks = [task_of(row) for row in rows]
    token = os.environ.get("PINSET_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        store_tasks(client, tasks)
        taskset = {"description": "HumanEval, 164 Python functions.", "tasks": [task["name"] for task in tasks]}
        payload = run(client, UPSERT_TASKSET, {"input": {"name": TASKSET, "taskset": taskset}})["replaceTaskset"]
        read = prompts(client)
    wrong = [task["name"] for task, row in zip(tasks, rows, strict=True) if read.get(task["name"]) != row["prompt"]]
    if wrong or len(read) != len(rows):
        raise SystemExit(f"{len(wrong)} prompts read back differently: {wrong[:5]}")
    revision = payload["revision"]
    print(f"{payload['outcome']}: revision {revision['number']} of {TASKSET}, {revision['memberCount']} tasks")
    print(f"digest {revision['digest']}; every prompt reads back byte for byte")


if __name__ == "__main__":
    main()
