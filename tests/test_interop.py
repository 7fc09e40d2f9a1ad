"""Files and bodies as domain content: the digests are those of the platform."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from domain.content import EvaluatorDraft, MetadataItem, TaskDraft, TasksetDraft, check_task
from domain.errors import InvalidInput
from domain.references import archive_blob
from interop.drafts import task_draft
from interop.harbor import verify_archive
from interop.hud import row_from_content, task_from_row
from interop.platform import task_from_body, taskset_from_body
from pinset.files import FileProblem, SourceKind, open_source
from pinset.files.packages import write_archive
from pinset.files.platform import read_suite, task_body, task_input, taskset_body
from pinset.files.tables import Fields

EXAMPLES = Path(__file__).parent.parent / "examples"
LINE_COUNT = "41c4bbadbcc25a17698d682607f265f07c801820d3e54fc1992ab56d320888f6"
FRANCE_BODY: Any = {
    "spec": {
        "kind": "evaluator",
        "intent": "Answer the user's geography question with the capital city.",
        "inputs": {"instruction": "What is the capital of France?"},
        "metrics": ["default/answer-exact-match"],
    },
    "metadata": [{"key": "suite", "value": "geography"}],
}
FRANCE = "d7d6a54b1651988f1c7a1f6b459124f28e9565c93b8cc2619a2e22393d510f52"
HARBOR_BODY: Any = {
    "spec": {
        "kind": "harbor",
        "archive_ref": "default/hello-world#dist.tar.gz",
        "archive_digest": "a" * 64,
        "instruction": 'Create a file called hello.txt with "Hello, world!" as the content.',
        "config": {"any": 1},
    }
}
HARBOR = "e992cc05364d72a4f792e32137634a29a9844507e632c217de7da379d13d375f"
RASPBERRY = "75726b955f9276d03decf0a86f8dcffeee1bcc0b5bf168879760ee7eefadae73"


@pytest.mark.parametrize(("body", "digest"), [(FRANCE_BODY, FRANCE), (HARBOR_BODY, HARBOR)])
def test_a_body_has_the_platform_s_digest(body: Any, digest: str) -> None:
    content = check_task(task_from_body(body), "default")
    assert content.digest == digest
    assert task_body(task_input(body)) == body
    stored = json.loads(content.text)
    assert check_task(task_draft(task_input(stored)), "default").digest == digest


def test_a_hud_row_has_the_digest_of_its_template_content() -> None:
    row: Any = {"env": "letter-count", "id": "count_letter", "args": {"word": "raspberry"}}
    row = {**row, "columns": {"difficulty": "easy", "length": 9}}
    name, draft = task_from_row(row)
    content = check_task(draft, "default")
    assert (name, content.digest) == ("count_letter-9add9630", RASPBERRY)
    assert row_from_content(name, json.loads(content.text)) == row


def test_the_suite_reads_as_one_document() -> None:
    source = open_source(EXAMPLES / "geography.json")
    assert (source.kind, source.name) == (SourceKind.SUITE, "geography")
    suite = read_suite(source.path)
    assert [row.name for row in suite.tasks] == ["capital-of-france", "capital-of-japan"]
    assert suite.taskset["tasks"] == ["capital-of-france", "capital-of-japan"]
    assert suite.metrics[0]["name"] == "answer-exact-match"
    draft = task_draft(suite.tasks[0].task)
    assert isinstance(draft.spec, EvaluatorDraft)
    assert draft.spec.reference == {"expected": "Paris"}


def test_bodies_with_names_read_as_tasks(tmp_path: Path) -> None:
    path = tmp_path / "bodies.jsonl"
    path.write_text(json.dumps({"name": "france", **FRANCE_BODY}) + "\n")
    source = open_source(path)
    assert source.kind is SourceKind.TASKS
    (row,) = source.rows(Fields(), "default", tmp_path)
    assert check_task(task_draft(row.task), "default").digest == FRANCE
    path.write_text('{"name": "a", "spec": {"kind": "evaluator", "intent": "i", "metrics": [{"metric_type": "f1"}]}}\n')
    with pytest.raises(FileProblem, match="line 1: Inline metrics"):
        list(source.rows(Fields(), "default", tmp_path))


def test_a_taskset_body_and_back() -> None:
    body: Any = {"description": "d", "tasks": ["a", "b#t"], "files_ref": "w/f#p", "tags": ["x"]}
    body = {**body, "metadata": [{"key": "k", "value": None}]}
    draft = taskset_from_body(body)
    assert draft == TasksetDraft("d", ("a", "b#t"), "w/f#p", (MetadataItem("k", None),), ("x",))
    sent: Any = {"description": "d", "tasks": ["a", "b#t"], "filesRef": "w/f#p"}
    assert taskset_body({**sent, "metadata": body["metadata"], "tags": ["x"]}) == body
    assert taskset_from_body({}) == TasksetDraft()


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ([], ()),
        ({}, ("spec",)),
        ({"spec": {"kind": "other"}}, ("spec", "kind")),
        ({"spec": {"kind": "evaluator", "intent": 1}}, ("spec", "evaluator", "intent")),
        ({"spec": {"kind": "evaluator", "intent": "i", "x": 1}}, ("x",)),
        ({"spec": {"kind": "harbor", "archive_digest": "0"}}, ("spec", "harbor", "archiveRef")),
        ({**FRANCE_BODY, "project": "p"}, ("project",)),
        ({**FRANCE_BODY, "metadata": [{"key": "k"}]}, ("metadata", 0)),
        ({**FRANCE_BODY, "tags": "x"}, ("tags",)),
        ({**FRANCE_BODY, "metadata": [{"key": "k", "value": float("nan")}]}, ("metadata", 0, "value")),
    ],
)
def test_a_body_that_does_not_fit_is_refused_with_its_path(body: object, path: tuple[object, ...]) -> None:
    with pytest.raises(InvalidInput) as caught:
        task_from_body(body)
    assert caught.value.path == path


@pytest.mark.parametrize("spec", [{}, {"evaluator": {"intent": "i"}, "harbor": None}, {"other": {}}])
def test_a_spec_has_exactly_one_kind(spec: Any) -> None:
    with pytest.raises(InvalidInput, match="exactly one") as caught:
        task_draft({"spec": spec})
    assert caught.value.path == ("spec",)


def test_defaults_of_a_minimal_task() -> None:
    assert task_draft({"spec": {"evaluator": {"intent": "i"}}}) == TaskDraft(EvaluatorDraft("i"))


def test_an_archive_is_checked_against_its_digest() -> None:
    stream = io.BytesIO()
    blob = write_archive(EXAMPLES / "harbor" / "line-count", stream)
    stream.seek(0)
    verify_archive(stream, LINE_COUNT)
    stream.seek(0)
    with pytest.raises(InvalidInput, match=f"hashes to {LINE_COUNT}, not to 0") as caught:
        verify_archive(stream, "0" * 64)
    assert caught.value.path == ("spec", "harbor", "archiveDigest")
    with pytest.raises(InvalidInput, match=r"no readable tar\.gz"):
        verify_archive(io.BytesIO(b"x"), LINE_COUNT)
    assert archive_blob(f"default/line-count#{blob}.tar.gz") == blob
    assert archive_blob("default/line-count#dist.tar.gz") is None
    assert archive_blob(f"default/line-count#{blob}") is None
