"""Published ways out of a template's sandbox, and patterns without end: none reaches a file, a secret or the server."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from domain.errors import InvalidInput
from domain.metrics import MetricType
from domain.trials import TrialOutcome, TrialStatus
from evaluation.paths import PathFailure, check_path
from evaluation.scoring import ScoringPool
from evaluation.templates import check_template
from tests.test_scoring import metric, work

pytestmark = pytest.mark.anyio

SECRET: Final = "sk-only-the-worker-knows"

# Each would run a command, read a file, or show what the process holds, if the sandbox let it.
ESCAPES: Final = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ [].__class__.__base__.__subclasses__()[132].__init__.__globals__['popen']('touch CANARY').read() }}",
    "{{ self.__init__.__globals__.__builtins__.__import__('os').popen('touch CANARY').read() }}",
    "{{ self._TemplateReference__context.cycler.__init__.__globals__.os.popen('touch CANARY') }}",
    "{{ cycler.__init__.__globals__.os.popen('touch CANARY').read() }}",
    "{{ joiner.__init__.__globals__['os'].popen('touch CANARY') }}",
    "{{ namespace.__init__.__globals__.os.environ }}",
    "{{ lipsum.__globals__['os'].popen('touch CANARY').read() }}",
    "{{ lipsum.__globals__['__builtins__']['open']('CANARY', 'w') }}",
    "{{ item.__class__.__init__.__globals__ }}",
    "{{ sample.__init__.__globals__ }}",
    "{{ request.application.__globals__.__builtins__ }}",
    "{{ config.items() }}",
    "{{ dict.mro() }}",
    "{{ range.__class__ }}",
    "{{ ().__class__.__bases__[0].__subclasses__()|length }}",
    "{{ (''|attr('__class__'))|attr('__mro__') }}",
    "{{ ''|attr(['__cla', 'ss__']|join) }}",
    "{{ ''['\\x5f\\x5fclass\\x5f\\x5f'] }}",
    "{{ {}|attr('__class__')|attr('__base__') }}",
    # CVE-2016-10745 and CVE-2019-10906: attributes by way of str.format and str.format_map.
    "{{ '{0.__class__.__init__.__globals__}'.format(self) }}",
    "{{ '{0.__class__.__mro__}'.format_map({'0': self}) }}",
    "{{ '{x.__class__.__init__.__globals__[os]}'.format_map({'x': cycler}) }}",
    # CVE-2024-56326 and CVE-2025-27516: the same through a filter or an indirect reference.
    "{{ ('{0.__class__.__init__.__globals__}'|attr('format'))(self) }}",
    "{{ [cycler]|map('{0.__init__.__globals__}'.format)|list }}",
    "{% set f = '{0.__class__.__base__}'.format %}{{ f(self) }}",
    "{{ ('{0.__class__}'|attr('format_map'))({'0': self}) }}",
    # CVE-2024-56201 and relatives: code by way of names.
    "{% set x.__class__ = 1 %}",
    "{% import 'os' as os %}{{ os.system('touch CANARY') }}",
    "{% include '/proc/self/environ' %}",
    "{% extends '/etc/passwd' %}",
    "{% from 'os' import popen %}",
    "{{ ''.__init__.__globals__ }}",
    "{{ self.__dict__ }}",
    "{{ caller.__globals__ }}",
    "{{ url_for.__globals__ }}",
    "{{ get_flashed_messages.__globals__ }}",
    "{%- macro m() -%}{{ m.__globals__ }}{%- endmacro -%}{{ m() }}",
    "{%- macro m() -%}{%- endmacro -%}{{ m._environment.globals }}",
    "{%- macro m() -%}{%- endmacro -%}{{ m._func.__globals__ }}",
    "{% for x in [].__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "{{ (1).__class__.__base__ }}",
    "{{ ().__reduce__() }}",
    "{{ item.keys.__self__.__class__ }}",
    "{{ loop.__init__.__globals__ }}",
    "{% for x in [1] %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "{% for x in [1] %}{{ loop._undefined.__init__.__globals__ }}{% endfor %}",
    "{{ ((x for x in [1])).gi_frame.f_globals }}",
    "{{ (1).__format__.__self__.__class__ }}",
    "{{ ''.join.__self__.__class__.__base__ }}",
]
LEAKS: Final = ("__main__", "<class", "<module", "root:x", "PATH=", "_frozen_importlib", SECRET, "object at 0x")


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[ScoringPool]:
    before = os.environ.get("PINSET_SECRET_ATTACK")
    os.environ["PINSET_SECRET_ATTACK"] = SECRET
    try:
        async with ScoringPool(size=1, seconds=2.0) as running:
            yield running
    finally:
        if before is None:
            del os.environ["PINSET_SECRET_ATTACK"]


@pytest.mark.parametrize("template", ESCAPES)
async def test_no_template_gets_out(pool: ScoringPool, tmp_path: Path, template: str) -> None:
    canary = tmp_path / "canary"
    text = template.replace("CANARY", str(canary))
    attack = metric(MetricType.EXACT_MATCH, "attack", reference=text)
    (score,) = await pool.score(work(), TrialOutcome(output="x"), [attack])
    assert not canary.exists()
    seen = repr(score)
    assert [leak for leak in LEAKS if leak in seen] == []
    assert score.status is TrialStatus.FAILED


PATTERNS: Final = [
    ("(a+)+$", "a" * 40 + "!"),
    ("(a|aa)+$", "a" * 60 + "!"),
    ("(a|a?)+$", "a" * 40 + "!"),
    ("(.*a){25}", "a" * 24 + "b" * 2_000),
    ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60),
]


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "text"), PATTERNS)
async def test_a_pattern_without_end_is_ended(pool: ScoringPool, pattern: str, text: str) -> None:
    value: Any = [{"x": text}]
    with pytest.raises(PathFailure):
        await pool.find(f'$[?(@.x =~ "{pattern}")].x', value)
    assert await pool.find("$[0].x", value) == text


@pytest.mark.parametrize(
    "text",
    [
        "{{ " + "(" * 30_000 + ")" * 30_000 + " }}",
        "{{ " + "-" * 60_000 + "1 }}",
        "{{ " + "not " * 15_000 + "1 }}",
        "{% for x in y %}" * 4_000,
        "{{ " + "[" * 30_000,
        "{% if x %}" * 6_000,
    ],
)
def test_templates_that_would_exhaust_the_parser_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        check_template(text)


@pytest.mark.parametrize("text", ["(" * 1_000, "$" + "[?(" * 300, "$." * 500, "`sub(/a/, b)`" * 70, "$" + "." * 999])
def test_paths_that_would_exhaust_the_parser_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        check_path(text)
