"""Trusted documents: the operations that a client team has registered, addressed by the hash of their text.

A directory holds one document a file (`*.graphql`, `*.gql`), or a JSON manifest (`*.json`) that maps ids to texts as
the Relay compiler and graphql-codegen write it. The id is `sha256:` and the 64 hex digits of the exact text.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from domain.canonical import parse_json
from domain.errors import InvalidInput, RequestError, StartupFailure
from server.requests import GraphQLRequest

PREFIX: Final = "sha256:"


class DocumentNotFound(RequestError):
    """A document id that this server does not know."""

    code = "PERSISTED_QUERY_NOT_FOUND"


class DocumentNotTrusted(RequestError):
    """A document that is not a trusted one, where only those may run."""

    code = "DOCUMENT_NOT_TRUSTED"


class TrustedDocuments:
    """The registered texts by id; with `only`, nothing else may run."""

    def __init__(self, texts: Mapping[str, str], *, only: bool = False) -> None:
        self.texts = dict(texts)
        self.only = only

    def text_of(self, request: GraphQLRequest) -> str:
        """The document to run. Raises DocumentNotFound or DocumentNotTrusted."""
        if request.document_id is None:
            text = request.query or ""
            if self.only and document_id(text) not in self.texts:
                raise DocumentNotTrusted("This server runs only registered documents; send a 'documentId'.")
            return text
        found = self.texts.get(request.document_id)
        if found is None:
            raise DocumentNotFound("No document is registered under this documentId ('sha256:' and 64 hex digits).")
        return found


def document_id(text: str) -> str:
    """The id of a document: `sha256:` and the hash of its text as UTF-8."""
    return PREFIX + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def load(directory: Path | None, *, only: bool = False) -> TrustedDocuments:
    """Read the registered documents. Raises StartupFailure naming what cannot be read."""
    if directory is None:
        if only:
            raise StartupFailure("PINSET_ONLY_TRUSTED needs PINSET_TRUSTED_DOCUMENTS, a directory of documents.")
        return TrustedDocuments({})
    if not directory.is_dir():
        raise StartupFailure(f"PINSET_TRUSTED_DOCUMENTS names '{directory}', which is not a directory.")
    texts = {document_id(text): text for path in sorted(directory.rglob("*")) for text in _texts(path)}
    return TrustedDocuments(texts, only=only)


def _texts(path: Path) -> Iterator[str]:
    try:
        if path.suffix in (".graphql", ".gql"):
            yield path.read_text("utf-8")
        elif path.suffix == ".json":
            yield from _manifest(path)
    except (OSError, UnicodeDecodeError, InvalidInput) as error:
        raise StartupFailure(f"The trusted document '{path}' cannot be read: {error}") from error


def _manifest(path: Path) -> Iterator[str]:
    manifest = parse_json(path.read_bytes())
    if not isinstance(manifest, dict) or not all(isinstance(text, str) for text in manifest.values()):
        raise StartupFailure(f"The manifest '{path}' must be a JSON object of document texts.")
    for key, text in manifest.items():
        digest = document_id(text)
        if key.removeprefix(PREFIX) != digest.removeprefix(PREFIX):
            raise StartupFailure(f"The manifest '{path}' has the id '{key}' for a text whose id is '{digest}'.")
        yield text
