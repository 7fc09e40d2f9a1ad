"""Task and taskset content: what a client hands in (drafts), and the normalised form that is hashed and stored.

The shapes and their defaults are those of NeMo Platform 0.6.0 (evaluator, harbor); the template kind is Pinset's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias, cast

from domain.canonical import JSON, bounded_text, check_json, digest_of
from domain.errors import Collector, ErrorCode, InvalidInput, Path
from domain.limits import MAX_DESCRIPTION_LENGTH, MAX_METADATA, MAX_TAGS
from domain.names import check_digest, check_tag, shown
from domain.outcomes import ABSENT
from domain.references import archive_blob, parse_fileset_reference, parse_metric_reference
from domain.views import checked_views


class TaskKind(StrEnum):
    """What kind of work a task describes; the value is the discriminator in stored content."""

    EVALUATOR = "evaluator"
    HARBOR = "harbor"
    TEMPLATE = "template"


@dataclass(frozen=True, slots=True)
class MetadataItem:
    """One annotation; the order of a record's items is part of its digest. ABSENT as value is refused when checked."""

    key: str
    value: object


@dataclass(frozen=True, slots=True)
class EvaluatorDraft:
    """An evaluator task as handed in; None means the default of the field."""

    intent: str
    instruction: str | None = None
    extra: object = None
    reference: object = None
    metrics: Sequence[str] = ()
    views: object = None


@dataclass(frozen=True, slots=True)
class HarborDraft:
    """A packaged task directory; `config` is kept but is not part of the digest."""

    archive_ref: str
    archive_digest: str
    instruction: str | None = None
    config: object = None


@dataclass(frozen=True, slots=True)
class TemplateDraft:
    """A template of an environment, bound to arguments (one row of a HUD taskset)."""

    env: str
    template: str
    args: object = None
    agent_config: object = None
    runtime_config: object = None
    validation: object = None


SpecDraft: TypeAlias = EvaluatorDraft | HarborDraft | TemplateDraft


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """A task's content as handed in, with the tags to point at the revision."""

    spec: SpecDraft
    metadata: Sequence[MetadataItem] = ()
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TasksetDraft:
    """A taskset's content as handed in; `tasks` are references in the order wanted."""

    description: str | None = None
    tasks: Sequence[str] = ()
    files_ref: str | None = None
    metadata: Sequence[MetadataItem] = ()
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Archive:
    """A packed task directory that is kept here: the blob's SHA-256, its workspace, and the hash of what it holds."""

    blob: str
    workspace: str
    digest: str


@dataclass(frozen=True, slots=True)
class TaskContent:
    """Normalised task content: `text` is what is hashed and stored, `metrics` are qualified references in order.

    `config` is the canonical text of a harbor task's configuration, which stays outside the digest; None elsewhere.
    `archive` is None for a harbor task too, where its reference leads elsewhere.
    """

    kind: TaskKind
    text: str
    digest: str
    metrics: tuple[str, ...]
    metadata: tuple[MetadataItem, ...]
    config: str | None
    archive: Archive | None = None


@dataclass(frozen=True, slots=True)
class TasksetContent:
    """Normalised taskset content; `members` are pinned references in the order submitted."""

    text: str
    digest: str
    members: tuple[str, ...]
    metadata: tuple[MetadataItem, ...]


@dataclass(frozen=True, slots=True)
class TasksetHead:
    """The part of a taskset's content that can be checked before its members are resolved."""

    description: str | None
    files_ref: str | None
    metadata: tuple[MetadataItem, ...]
    tags: tuple[str, ...] = field(default=())


INSTRUCTION: Final = "instruction"


def check_task(draft: TaskDraft, workspace: str) -> TaskContent:
    """Normalise a task; bare metric references resolve in `workspace`.

    Raises Problems with every offending value, its path relative to the task (`spec`, `evaluator`, `intent`).
    """
    problems = Collector()
    kind, spec, config = _spec(draft.spec, workspace, problems)
    metadata = check_metadata(draft.metadata, problems)
    check_tags(draft.tags, problems)
    problems.finish()
    value: JSON = {"metadata": _metadata_value(metadata), "spec": spec}
    text = bounded_text(value)
    metrics = cast("list[str]", spec.get("metrics", []))
    return TaskContent(kind, text, digest_of(text), tuple(metrics), metadata, config, _archive(draft.spec))


def check_taskset(draft: TasksetDraft, problems: Collector) -> TasksetHead:
    """Check everything of a taskset but its members; problems are collected, paths relative to the taskset."""
    if draft.description is not None:
        _json(draft.description, ("description",), problems)
        if len(draft.description) > MAX_DESCRIPTION_LENGTH:
            problems.add(
                InvalidInput(
                    f"A description has at most {MAX_DESCRIPTION_LENGTH} characters; this one has "
                    f"{len(draft.description)}.",
                    ("description",),
                )
            )
    if draft.files_ref is not None:
        problems.attempt(parse_fileset_reference, draft.files_ref, ("filesRef",))
    metadata = check_metadata(draft.metadata, problems)
    check_tags(draft.tags, problems)
    return TasksetHead(draft.description, draft.files_ref, metadata, tuple(draft.tags))


def taskset_content(head: TasksetHead, members: Sequence[str]) -> TasksetContent:
    """Content of a taskset from its checked head and its pinned members (`workspace/name#digest`).

    The order given is kept for reading and is not in the digest.
    """
    value: JSON = {
        "description": head.description,
        "files_ref": head.files_ref,
        "metadata": _metadata_value(head.metadata),
        "tasks": cast("list[JSON]", sorted(members)),
    }
    text = bounded_text(value)
    return TasksetContent(text, digest_of(text), tuple(members), head.metadata)


def check_metadata(items: Sequence[MetadataItem], problems: Collector) -> tuple[MetadataItem, ...]:
    """Check annotations: values are JSON, keys are unique; order is kept."""
    if len(items) > MAX_METADATA:
        message = f"A record has at most {MAX_METADATA:,} metadata items; this one has {len(items):,}."
        problems.add(InvalidInput(message, ("metadata",), ErrorCode.LIMIT_EXCEEDED))
        return ()
    seen: dict[str, int] = {}
    for index, item in enumerate(items):
        path = ("metadata", index)
        _json(item.key, (*path, "key"), problems)
        if item.key in seen:
            problems.add(
                InvalidInput(
                    f"The metadata key {shown(item.key)} stands at {seen[item.key]} and {index}; keys are unique.",
                    (*path, "key"),
                )
            )
        seen.setdefault(item.key, index)
        if item.value is ABSENT:
            message = "A metadata item needs a `value`; send null to store null."
            problems.add(InvalidInput(message, (*path, "value")))
        else:
            _json(item.value, (*path, "value"), problems)
    return tuple(items)


def check_tags(tags: Sequence[str], problems: Collector) -> None:
    """Check the tags of a body; `latest` may be listed and has no effect."""
    if len(tags) > MAX_TAGS:
        problems.add(InvalidInput(f"A record has at most {MAX_TAGS} tags.", ("tags",), ErrorCode.LIMIT_EXCEEDED))
        return
    for index, tag in enumerate(tags):
        problems.attempt(check_tag, tag, ("tags", index))


Spec: TypeAlias = tuple[TaskKind, dict[str, JSON], str | None]


def _spec(draft: SpecDraft, workspace: str, problems: Collector) -> Spec:
    match draft:
        case EvaluatorDraft():
            return _evaluator(draft, workspace, problems)
        case HarborDraft():
            return _harbor(draft, problems)
        case TemplateDraft():
            return _template(draft, problems)


def _evaluator(draft: EvaluatorDraft, workspace: str, problems: Collector) -> Spec:
    at = ("spec", "evaluator")
    _json(draft.intent, (*at, "intent"), problems)
    _json(draft.instruction, (*at, "inputs", INSTRUCTION), problems)
    extra = _object(draft.extra, (*at, "inputs", "extra"), problems)
    if INSTRUCTION in extra:
        problems.add(
            InvalidInput(
                "`extra` may not contain the key 'instruction'; send it as `inputs.instruction`.",
                (*at, "inputs", "extra", INSTRUCTION),
            )
        )
    spec: dict[str, JSON] = {
        "inputs": {**extra, INSTRUCTION: draft.instruction},
        "intent": draft.intent,
        "kind": TaskKind.EVALUATOR.value,
        "metrics": _metrics(draft.metrics, workspace, (*at, "metrics"), problems),
        "reference": _object(draft.reference, (*at, "reference"), problems),
        "views": {},
    }
    spec["views"] = problems.attempt(checked_views, draft.views, (*at, "views"))
    return TaskKind.EVALUATOR, spec, None


def _metrics(refs: Sequence[str], workspace: str, path: Path, problems: Collector) -> list[JSON]:
    metrics: list[JSON] = []
    for index, ref in enumerate(refs):
        metrics.append(str(problems.attempt(parse_metric_reference, ref, workspace, (*path, index))))
    return metrics


def _harbor(draft: HarborDraft, problems: Collector) -> Spec:
    at = ("spec", "harbor")
    problems.attempt(parse_fileset_reference, draft.archive_ref, (*at, "archiveRef"))
    problems.attempt(check_digest, draft.archive_digest, (*at, "archiveDigest"))
    _json(draft.instruction, (*at, INSTRUCTION), problems)
    config = _object(draft.config, (*at, "config"), problems)
    text: str | None = None
    if not problems.errors:
        text = problems.attempt(bounded_text, config, (*at, "config"), "configuration")
    spec: dict[str, JSON] = {
        "archive_digest": draft.archive_digest,
        "archive_ref": draft.archive_ref,
        "instruction": draft.instruction,
        "kind": TaskKind.HARBOR.value,
    }
    return TaskKind.HARBOR, spec, text


def _archive(draft: SpecDraft) -> Archive | None:
    blob = archive_blob(draft.archive_ref) if isinstance(draft, HarborDraft) else None
    if blob is None or not isinstance(draft, HarborDraft):
        return None
    return Archive(blob, draft.archive_ref.partition("/")[0], draft.archive_digest)


def _template(draft: TemplateDraft, problems: Collector) -> Spec:
    at = ("spec", "template")
    for name, text in (("env", draft.env), ("template", draft.template)):
        _json(text, (*at, name), problems)
        if not text:
            problems.add(InvalidInput(f"`{name}` may not be empty.", (*at, name)))
    optional: dict[str, JSON] = {
        "agent_config": _optional_object(draft.agent_config, (*at, "agentConfig"), problems),
        "runtime_config": _optional_object(draft.runtime_config, (*at, "runtimeConfig"), problems),
        "validation": _json(draft.validation, (*at, "validation"), problems),
    }
    spec: dict[str, JSON] = {
        "args": _object(draft.args, (*at, "args"), problems),
        "env": draft.env,
        "kind": TaskKind.TEMPLATE.value,
        "template": draft.template,
        **optional,
    }
    return TaskKind.TEMPLATE, spec, None


def _metadata_value(items: Sequence[MetadataItem]) -> list[JSON]:
    return [{"key": item.key, "value": check_json(item.value)} for item in items]


def _json(value: object, path: Path, problems: Collector) -> JSON:
    return problems.attempt(check_json, value, path)


def _object(value: object, path: Path, problems: Collector) -> dict[str, JSON]:
    return _optional_object(value, path, problems) or {}


def _optional_object(value: object, path: Path, problems: Collector) -> dict[str, JSON] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        problems.add(InvalidInput("Must be a JSON object.", path))
        return None
    checked = _json(value, path, problems)
    return checked if isinstance(checked, dict) else None
