"""Opening files, and reading them line by line or item by item with bounded memory.

A UTF-8 byte order mark and CRLF line ends are accepted, as spreadsheets write them; gzip is recognised by its first
bytes. Other encodings are refused by name rather than guessed at.
"""

import codecs
import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast

from pinset.files.problems import FileProblem
from pinset.files.values import DECODER, JSON, JSONObject, checked_unicode, kind_of, parse

MEBIBYTE: Final = 1024 * 1024
MAX_LINE_BYTES: Final = 16 * MEBIBYTE
MAX_DOCUMENT_BYTES: Final = 64 * MEBIBYTE
_CHUNK: Final = 256 * 1024
_WHITESPACE: Final = " \t\r\n"


def suffix_of(path: Path) -> str:
    """The suffix that tells the format: `.jsonl` of `tasks.jsonl.gz`."""
    return Path(path.name.removesuffix(".gz")).suffix.lower()


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes, unpacked where it is gzip. Raises FileProblem for what cannot be opened or is empty."""
    try:
        raw = path.open("rb")
    except IsADirectoryError:
        raise FileProblem(f"{path} is a directory; name a file in it.") from None
    except FileNotFoundError:
        raise FileProblem(f"{path} does not exist.") from None
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from None
    with raw:
        first = raw.read(2)
        raw.seek(0)
        if not first:
            raise FileProblem(f"{path} is empty.")
        try:
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if first == b"\x1f\x8b" else raw
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileProblem(f"{path} is damaged: {error}.") from None
        except OSError as error:
            raise FileProblem(f"{path} cannot be read: {error.strerror}.") from None


def text_lines(path: Path, max_bytes: int = MAX_LINE_BYTES) -> Iterator[tuple[int, str]]:
    """Each line with its number (from 1) and its line end. Raises FileProblem naming the line."""
    with open_bytes(path) as stream:
        number = 0
        while raw := stream.readline(max_bytes + 1):
            number += 1
            if number == 1:
                raw = _after_mark(raw)
            if len(raw) > max_bytes:
                raise FileProblem(f"The line is longer than {max_bytes // MEBIBYTE} MiB.", number)
            yield number, _decoded(raw, number)


def json_lines(path: Path) -> Iterator[tuple[int, JSONObject]]:
    """The object on each line of a JSONL file; blank lines are skipped."""
    for number, text in text_lines(path):
        if text.strip():
            yield number, _object(_parsed(text.rstrip("\r\n"), number), number)


def json_entries(path: Path) -> Iterator[tuple[int, JSONObject]]:
    """The objects of a `.json` document (one, or an array of them), else of a file with one a line."""
    return json_items(path) if suffix_of(path) == ".json" else json_lines(path)


def json_items(path: Path) -> Iterator[tuple[int, JSONObject]]:
    """The objects of a file that holds one JSON array of objects, or one object, each with its first line."""
    with open_bytes(path) as stream:
        scanner = _Scanner(_chunks(stream))
        first = scanner.peek()
        if first == "[":
            scanner.advance()
            yield from _array(scanner)
        elif first == "":
            raise FileProblem(f"{path} holds no JSON value.")
        else:
            yield scanner.object(MAX_DOCUMENT_BYTES)
        if scanner.peek():
            raise FileProblem("More text follows the end of the JSON value.", scanner.line)


def json_document(path: Path) -> JSON:
    """The one JSON value of a file of at most 64 MiB."""
    with open_bytes(path) as stream:
        raw = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(raw) > MAX_DOCUMENT_BYTES:
        raise FileProblem(f"The document is larger than {MAX_DOCUMENT_BYTES // MEBIBYTE} MiB; use JSONL.")
    return _parsed(_decoded(_after_mark(raw), None), None)


def _array(scanner: "_Scanner") -> Iterator[tuple[int, JSONObject]]:
    if scanner.peek() == "]":
        scanner.advance()
        return
    while True:
        yield scanner.object(MAX_LINE_BYTES)
        mark = scanner.peek()
        if mark not in (",", "]"):
            raise FileProblem("A ',' or ']' must follow the entry.", scanner.line)
        scanner.advance()
        if mark == "]":
            return


class _Scanner:
    """Reads JSON values out of a stream of text, keeping no more than the value under way."""

    def __init__(self, chunks: Iterator[str]) -> None:
        self.line = 1
        self._chunks = chunks
        self._buffer = ""
        self._at = 0

    def peek(self) -> str:
        """The next character that is no whitespace, or '' at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in _WHITESPACE:
                self.advance()
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more(1):
                return ""

    def advance(self) -> None:
        """Step over one character."""
        self.line += self._buffer[self._at] == "\n"
        self._at += 1

    def object(self, max_bytes: int) -> tuple[int, JSONObject]:
        """The object that begins here, with the line on which it begins."""
        if self.peek() != "{":
            raise FileProblem("Every entry must be a JSON object.", self.line)
        while True:
            try:
                value, end = DECODER.raw_decode(self._buffer, self._at)
                break
            except ValueError as error:
                self._grow(error, max_bytes)
            except RecursionError:
                raise FileProblem("The value nests too deeply.", self.line) from None
        start, text = self.line, self._buffer[self._at : end]
        self.line += text.count("\n")
        self._at = end
        return start, cast(JSONObject, _guarded(value, text, start))

    def _grow(self, error: ValueError, max_bytes: int) -> None:
        held = len(self._buffer) - self._at
        if held > max_bytes:
            raise FileProblem(f"The entry is larger than {max_bytes // MEBIBYTE} MiB.", self.line) from None
        line = self.line + self._buffer.count("\n", self._at, getattr(error, "pos", self._at))
        if not self._more(held):
            raise FileProblem(_explained(error), line) from None

    def _more(self, least: int) -> bool:
        """Take in at least as many characters as are held, so that a large value is decoded a few times only."""
        parts, size = [self._buffer[self._at :]], 0
        for chunk in self._chunks:
            parts.append(chunk)
            size += len(chunk)
            if size >= least:
                break
        self._buffer, self._at = "".join(parts), 0
        return size > 0


def _chunks(stream: IO[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, first = 1, True
    while raw := stream.read(_CHUNK):
        if first:
            raw, first = _after_mark(raw), False
        try:
            text = decoder.decode(raw)
        except UnicodeDecodeError as error:
            raise FileProblem(_not_utf8(raw, error.start), line + raw.count(b"\n", 0, error.start)) from None
        line += raw.count(b"\n")
        yield text


def _after_mark(raw: bytes) -> bytes:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\x00" in raw[:4]:
        raise FileProblem("The file is UTF-16 or UTF-32; save it as UTF-8.", 1)
    return raw.removeprefix(codecs.BOM_UTF8)


def _decoded(raw: bytes, line: int | None) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileProblem(_not_utf8(raw, error.start), line) from None


def _not_utf8(raw: bytes, at: int) -> str:
    return f"Byte 0x{raw[at]:02x} is not valid UTF-8; save the file as UTF-8."


def _parsed(text: str, line: int | None) -> JSON:
    try:
        return parse(text)
    except ValueError as error:
        raise FileProblem(_explained(error), line) from None


def _guarded(value: JSON, text: str, line: int) -> JSON:
    try:
        return checked_unicode(value, text)
    except ValueError as error:
        raise FileProblem(_explained(error), line) from None


def _explained(error: ValueError) -> str:
    found = f"{error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)
    return f"Not valid JSON: {found}."


def _object(value: JSON, line: int) -> JSONObject:
    if not isinstance(value, dict):
        raise FileProblem(f"Each line must hold a JSON object; this one holds {kind_of(value)}.", line)
    return value
