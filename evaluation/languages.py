"""Jinja in a sandbox, and JSONPath, by their libraries. Loaded where a template or a path is first read."""

from typing import Any, Final

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jsonpath_ng.ext.parser import parse as parse_path

__all__ = ["SANDBOX", "TemplateError", "parse_path"]


class _Sandbox(ImmutableSandboxedEnvironment):
    """A row's own keys come before the methods of dict, so that `item.values` is the row's value."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


def _sandbox() -> _Sandbox:
    sandbox = _Sandbox(undefined=StrictUndefined)
    # Both would give the same content another score tomorrow.
    del sandbox.filters["random"], sandbox.globals["lipsum"]
    return sandbox


SANDBOX: Final = _sandbox()
