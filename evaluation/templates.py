"""Jinja templates in a sandbox. Parsing is safe anywhere; rendering belongs in the scoring pool's child processes."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from domain.canonical import JSON
from domain.errors import Collector, ErrorCode, InvalidInput, Path
from domain.limits import MAX_CONTENT_BYTES, MEBIBYTE
from domain.names import shown

if TYPE_CHECKING:
    from jinja2 import Template

MAX_TEMPLATE_LENGTH: Final = 65_536
MAX_TEMPLATES: Final = 1_000


class TemplateFailure(Exception):
    """A template that cannot be rendered over its row; the message is for the person who wrote it."""


_MARKS: Final = ("{{", "{%", "{#")


def is_template(text: str) -> bool:
    """Whether there is anything in the text to render."""
    return any(mark in text for mark in _MARKS)


def check_template(text: str, path: Path = ()) -> None:
    """Raise InvalidInput where the text is no template: bad syntax (with its line), or over 65,536 characters.

    Nothing is compiled or rendered: a constant in a template can already take gigabytes when it is folded.
    """
    if not is_template(text):
        return
    if len(text) > MAX_TEMPLATE_LENGTH:
        raise InvalidInput(
            f"A template has at most {MAX_TEMPLATE_LENGTH:,} characters; this one has {len(text):,}.",
            path,
            ErrorCode.LIMIT_EXCEEDED,
        )
    from evaluation.languages import SANDBOX, TemplateError

    try:
        SANDBOX.parse(text)
    except RecursionError:
        raise InvalidInput("The template nests too deeply.", path) from None
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        raise InvalidInput(f"Not a Jinja template (line {line}): {error.message}", path) from None
    except (ValueError, MemoryError) as error:
        raise InvalidInput(f"Not a Jinja template: {error}.", path) from None


def check_json_template(value: JSON, path: Path = ()) -> None:
    """Check every string inside a JSON structure as a template; at most 1,000 of them. Raises Problems."""
    problems = Collector()
    texts = [(text, at) for text, at in _strings(value, path) if is_template(text)]
    if len(texts) > MAX_TEMPLATES:
        problems.add(
            InvalidInput(f"At most {MAX_TEMPLATES:,} strings may be templates.", path, ErrorCode.LIMIT_EXCEEDED)
        )
        texts = []
    for text, at in texts:
        try:
            check_template(text, at)
        except InvalidInput as error:
            problems.add(error)
    problems.finish()


def render(text: str, context: Mapping[str, Any]) -> str:
    """The text of a template over a row. Raises TemplateFailure, which says what the row does not have.

    Unbounded in time and memory: only for a child process of the scoring pool.
    """
    if not is_template(text):
        return text
    from evaluation.languages import TemplateError

    try:
        parts: list[str] = []
        size = 0
        for part in _compiled(text).generate(context):
            size += len(part)
            if size > MAX_CONTENT_BYTES:
                raise TemplateFailure(f"{_named(text)} renders to more than {MAX_CONTENT_BYTES // MEBIBYTE} MiB.")
            parts.append(part)
        return "".join(parts)
    except TemplateError as error:
        raise TemplateFailure(f"{_named(text)} could not be rendered: {str(error.message).rstrip('.')}.") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise TemplateFailure(f"{_named(text)} could not be rendered: {type(error).__name__}: {error}.") from None


def render_json(value: JSON, context: Mapping[str, Any]) -> JSON:
    """The same structure with every string in it rendered; keys stay as they are. Raises TemplateFailure."""
    if isinstance(value, str):
        return render(value, context)
    if isinstance(value, list):
        return [render_json(item, context) for item in value]
    if isinstance(value, dict):
        return {key: render_json(item, context) for key, item in value.items()}
    return value


@lru_cache(maxsize=512)
def _compiled(text: str) -> "Template":
    from evaluation.languages import SANDBOX

    return SANDBOX.from_string(text)


def _named(text: str) -> str:
    return f"The template {shown(text)}"


def _strings(value: JSON, path: Path) -> Iterator[tuple[str, Path]]:
    if isinstance(value, str):
        yield value, path
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _strings(item, (*path, key))
