"""What templates see: the row of a task or dataset, in both spellings of the platform's documents.

`item` holds the structured keys (`item.reference.expected`) and, flattened beside them, the keys of reference and
inputs (`item.expected`); `sample` is what was produced. The keys of `item` and then those of `sample` also stand at
the top level. A dataset row is `item` itself.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from domain.canonical import JSON
from domain.trials import TrialOutcome

Row = dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Work:
    """One trial's share of a job: the task's name and canonical content, or a dataset row's, and the repeat (from 0).

    `trial_id` is the id under which the trial is addressed.
    """

    name: str
    content: str
    is_row: bool = False
    repeat: int = 0
    trial_id: str = ""


def prompt_context(work: Work) -> Row:
    """What a prompt or an agent's body is rendered over: never the reference, which is for graders alone."""
    item = _dataset_row(work) if work.is_row else _item(work, with_reference=False)
    return {**item, "item": item}


def scoring_context(work: Work, outcome: TrialOutcome) -> Row:
    """What the templates of metrics are rendered over.

    Where no text was produced, `sample.output_text` and `item.output` are undefined, so that a template that names
    them fails with a diagnostic.
    """
    sample = _sample(outcome)
    produced: Row = {} if outcome.output is None else {"output": outcome.output}
    if work.is_row:
        item = {**produced, **_dataset_row(work)}
    else:
        item = {**_item(work, with_reference=True), "trial": _trial(work, outcome)}
        # What the reference calls `output` must never pass for what was produced.
        item.pop("output", None)
        item.update(produced)
    return {**item, **sample, "item": item, "sample": sample}


def prompt_of(work: Work) -> str | None:
    """What an agent is asked by default: a task's instruction, or its intent where that is unset.

    None for a dataset row and for tasks of other kinds without an instruction.
    """
    return None if work.is_row else instruction_of(_spec(work))


def instruction_of(spec: Mapping[str, JSON]) -> str | None:
    """As `prompt_of`, of a task's spec."""
    inputs = spec.get("inputs")
    instruction = inputs.get("instruction") if isinstance(inputs, dict) else spec.get("instruction")
    text = spec.get("intent") if instruction is None else instruction
    return text if isinstance(text, str) else None


def row_outcome(content: Row) -> TrialOutcome | None:
    """The outcome that a dataset row brings along: `output`, `output_text` or `response`, and `reward`; else None.

    An output that is not a text is taken as its JSON.
    """
    text = next((content[key] for key in ("output", "output_text") if content.get(key) is not None), None)
    response = content.get("response")
    if text is None and isinstance(response, str):
        text = response
    reward = content.get("reward")
    is_number = isinstance(reward, int | float) and not isinstance(reward, bool)
    outcome = TrialOutcome(
        output=text if text is None or isinstance(text, str) else json.dumps(text, ensure_ascii=False),
        response=None if isinstance(response, str) else response,
        trajectory=content.get("trajectory"),
        reward=float(cast(float, reward)) if is_number else None,
    )
    return outcome if outcome.has_result else None


def _item(work: Work, with_reference: bool) -> Row:
    content = cast("dict[str, JSON]", json.loads(work.content))
    spec = cast("dict[str, JSON]", content["spec"])
    inputs = cast("dict[str, JSON]", spec.get("inputs") or {})
    reference = cast("dict[str, JSON]", spec.get("reference") or {}) if with_reference else {}
    item: Row = {**inputs, **reference}
    prompt = instruction_of(spec)
    if item.get("instruction") is None and prompt is not None:
        item["instruction"] = prompt
    item.update(task=_task(work, spec, content.get("metadata")), inputs=inputs)
    if with_reference:
        item["reference"] = reference
    return item


def _task(work: Work, spec: Mapping[str, JSON], metadata: JSON) -> Row:
    items = cast("list[dict[str, JSON]]", metadata or [])
    return {
        "id": work.name,
        "intent": spec.get("intent"),
        "metadata": {cast(str, item["key"]): item["value"] for item in items},
    }


def _trial(work: Work, outcome: TrialOutcome) -> Row:
    error: JSON = None
    if outcome.error is not None:
        error = {"type": outcome.error.type, "message": outcome.error.message}
    return {
        "id": work.trial_id,
        "task_id": work.name,
        "status": outcome.status.lower(),
        "error": error,
        "metadata": {"repeat": work.repeat},
    }


def _sample(outcome: TrialOutcome) -> Row:
    sample: Row = {"response": outcome.response, "trajectory": outcome.trajectory, "metadata": {}}
    if outcome.output is not None:
        sample["output_text"] = outcome.output
    if outcome.reward is not None:
        sample["reward"] = outcome.reward
    if outcome.rewards:
        sample["rewards"] = dict(outcome.rewards)
    return sample


def _dataset_row(work: Work) -> Row:
    row = json.loads(work.content)
    return cast("Row", row) if isinstance(row, dict) else {"value": cast(JSON, row)}


def _spec(work: Work) -> Row:
    return cast("Row", cast("Row", json.loads(work.content))["spec"])
