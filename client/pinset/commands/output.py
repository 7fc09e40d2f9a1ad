"""What commands print: tables for people, JSON for programs, progress on standard error where it is a terminal."""

import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from pinset.plain import plain


class RateColumn(ProgressColumn):
    """Steps a second."""

    def render(self, task: Task) -> Text:
        """The rate so far, or nothing before there is one."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", style="progress.data.speed")


def console() -> Console:
    """Standard output, plain where it is no terminal."""
    return Console(soft_wrap=not sys.stdout.isatty(), highlight=False)


def say(text: str) -> None:
    """A line for people, kept apart from what a program reads."""
    Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(text)


def show_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(plain(value), indent=2, ensure_ascii=False))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """A table; tabs between the cells where nobody looks."""
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(_cell(cell) for cell in row))
        return
    table = Table(*columns, title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    console().print(table)


def progress_bar(quiet: bool = False) -> Progress:
    """A bar with count, rate and time left; silent where standard error is no terminal."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=quiet or not sys.stderr.isatty(),
    )


def working(what: str, quiet: bool = False) -> AbstractContextManager[object]:
    """A sign of life while the server works on one request."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    return Console(stderr=True).status(f"{what}…")


def _cell(value: object) -> str:
    if value is None:
        return "–" if sys.stdout.isatty() else ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
