"""OpenAI-compatible chat completions, as targets and judges use them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from domain.canonical import JSON
from domain.names import shown
from domain.trials import FailureType, Usage
from evaluation.calls import OutgoingFailure

_ENDPOINT: Final = "/chat/completions"
_MOST_TOKENS: Final = 2**53


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of a completion (None where it only calls tools) and what it consumed."""

    text: str | None
    usage: Usage | None


def completions_url(url: str) -> str:
    """The address to POST to: the endpoint itself, or a base such as `https://api.example/v1` it lies under."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if path.endswith(_ENDPOINT):
        return url
    return urlunsplit(parts._replace(path=(path or "/v1") + _ENDPOINT))


def messages(prompt: str, system_prompt: str | None) -> list[JSON]:
    """The messages of one question."""
    system: list[JSON] = [] if system_prompt is None else [{"role": "system", "content": system_prompt}]
    return [*system, {"role": "user", "content": prompt}]


def read_completion(answer: JSON) -> Completion:
    """The first choice of a completion. Raises OutgoingFailure (INVALID_ANSWER) where there is none."""
    message = _message(answer)
    text = _text(message.get("content"))
    if text is None and not message.get("tool_calls"):
        text = _text(message.get("refusal"))
    if text is None and not message.get("tool_calls"):
        raise OutgoingFailure(FailureType.INVALID_ANSWER, "The completion holds neither text nor tool calls.")
    return Completion(text, read_usage(answer))


def read_usage(answer: JSON) -> Usage | None:
    """Tokens and cost as an answer's `usage` states them; what is not a sensible number is left out."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    if not isinstance(usage, dict):
        return None
    return Usage(_tokens(usage.get("prompt_tokens")), _tokens(usage.get("completion_tokens")), _cost(usage.get("cost")))


def _message(answer: JSON) -> Mapping[str, Any]:
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise OutgoingFailure(
            FailureType.INVALID_ANSWER,
            f"The answer is no chat completion: it has no choices[0].message: {_brief(answer)}",
        )
    return message


def _text(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if texts else None


def _tokens(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if is_count else None


def _cost(value: Any) -> float | None:
    is_cost = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return float(value) if is_cost else None


def _brief(answer: JSON) -> str:
    return shown(str(answer) if not isinstance(answer, dict) else "keys " + ", ".join(list(answer)[:10]))
