"""References: `name` or `workspace/name`, either with `#tag` or `#digest`."""

import re
from dataclasses import dataclass
from typing import Final, Self

from domain.errors import InvalidInput, Path
from domain.names import LATEST, NAME, check_tag, is_digest, is_name, shown

_FILESET_PATH: Final = re.compile(r"[\w\-./]+")
_ARCHIVE_PATH: Final = re.compile(r"([0-9a-f]{64})\.tar\.gz")


@dataclass(frozen=True, slots=True)
class Reference:
    """A parsed reference to a record and, by its fragment, to one of its revisions.

    `fragment` is None where none was written, which means the tag `latest`.
    """

    workspace: str
    name: str
    fragment: str | None = None

    @property
    def record(self) -> str:
        """`workspace/name`, without the fragment."""
        return f"{self.workspace}/{self.name}"

    @property
    def digest(self) -> str | None:
        """The fragment where it is a digest: 64 lowercase hex digits."""
        return self.fragment if self.fragment is not None and is_digest(self.fragment) else None

    @property
    def tag(self) -> str | None:
        """The tag that the reference follows, `latest` where no fragment was written; None for a digest."""
        return None if self.digest is not None else (self.fragment or LATEST)

    def pinned(self, digest: str) -> Self:
        """The same record at one digest."""
        return type(self)(self.workspace, self.name, digest)

    def __str__(self) -> str:
        return self.record if self.fragment is None else f"{self.record}#{self.fragment}"


def parse_reference(text: str, workspace: str, path: Path = ("ref",)) -> Reference:
    """Parse a task or taskset reference; a bare name resolves in `workspace`. Raises InvalidInput."""
    entity, mark, fragment = text.partition("#")
    reference = _parse_entity(entity, workspace, text, path)
    if not mark:
        return reference
    if NAME.fullmatch(fragment) is None:
        raise InvalidInput(_explain(text), path)
    if not is_digest(fragment):
        check_tag(fragment, path)
    return Reference(reference.workspace, reference.name, fragment)


def parse_metric_reference(text: str, workspace: str, path: Path = ("ref",)) -> Reference:
    """Parse a metric reference, which has no fragment: a metric has one definition. Raises InvalidInput."""
    if "#" in text:
        raise InvalidInput(
            f"{shown(text)} is not a metric reference: use 'name' or 'workspace/name'; a metric has no revisions.", path
        )
    return _parse_entity(text, workspace, text, path)


def parse_fileset_reference(text: str, path: Path = ("ref",)) -> str:
    """The text itself where it is `workspace/fileset#path` (all parts demanded), else InvalidInput."""
    entity, mark, fragment = text.partition("#")
    workspace, slash, name = entity.partition("/")
    legal_path = _FILESET_PATH.fullmatch(fragment) is not None
    if not (mark and slash and is_name(workspace) and is_name(name) and legal_path):
        raise InvalidInput(f"{shown(text)} is not a fileset reference: use 'workspace/fileset#path'.", path)
    return text


def archive_blob(text: str) -> str | None:
    """The SHA-256 of the blob that `workspace/name#<sha256>.tar.gz` names; None for a reference of another form."""
    named = _ARCHIVE_PATH.fullmatch(text.partition("#")[2])
    return None if named is None else named[1]


def _parse_entity(entity: str, workspace: str, text: str, path: Path) -> Reference:
    first, slash, second = entity.partition("/")
    parts = Reference(first, second) if slash else Reference(workspace, first)
    if not (is_name(parts.workspace) and is_name(parts.name)):
        raise InvalidInput(_explain(text), path)
    return parts


def _explain(text: str) -> str:
    return (
        f"{shown(text)} is not a reference: use 'name' or 'workspace/name', optionally with '#tag' or '#digest' "
        "(64 lowercase hex digits)."
    )
