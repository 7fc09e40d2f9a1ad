"""`pinset export`: a taskset revision or a job as a file."""

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from pinset.commands.failures import reported
from pinset.commands.jobs import found_job
from pinset.commands.options import DEFAULT_WORKSPACE, Token, Url, Workspace, connect
from pinset.commands.output import progress_bar, say
from pinset.errors import PinsetError
from pinset.exports import job_records, member_contents, taskset_records
from pinset.files.bundles import write_bundle
from pinset.files.hud import hud_row, write_hud
from pinset.files.values import JSONObject, canonical_text
from pinset.states import ENDED

if TYPE_CHECKING:
    from pinset.synchronous.client import Pinset

Write = Callable[[IO[bytes]], str]


class Format(StrEnum):
    """What a taskset can be written as."""

    BUNDLE = "bundle"
    HUD = "hud"
    PLATFORM = "platform"


@reported
def export(
    ref: Annotated[
        str, typer.Argument(help="A taskset: NAME, NAME#TAG or NAME#DIGEST; with --job a job's name or id.")
    ],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file. [default: standard output]")] = None,
    format: Annotated[Format, typer.Option("--format", "-f", help="A bundle, HUD rows, or the platform's bodies.")] = (
        Format.BUNDLE
    ),
    job: Annotated[bool, typer.Option("--job", help="Export a job: its work list, trials and scores.")] = False,
    workspace: Workspace = DEFAULT_WORKSPACE,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write a taskset revision with all that it pins, or a finished job, as one file."""
    if job and format is not Format.BUNDLE:
        raise typer.BadParameter("a job is exported as a bundle")
    with connect(url, token, workspace) as client, tempfile.TemporaryDirectory() as folder:
        if job:
            write = _job(client, ref, workspace)
        elif format is Format.BUNDLE:
            write = _bundle(client, ref, workspace, Path(folder))
        else:
            write = _rows(client, ref, workspace, format, output)
        if output is None:
            write(sys.stdout.buffer)
            return
        say(f"{output}: {_into(output, write)}")


def _job(client: "Pinset", ref: str, workspace: str) -> Write:
    found = found_job(client, ref, workspace)
    if found.status.value not in ENDED:
        raise PinsetError(f"The job {found.name} is {found.status.value}; only a finished one can be exported.")
    return lambda stream: f"root hash {write_bundle(_counted(job_records(client, found)), stream)}"


def _bundle(client: "Pinset", ref: str, workspace: str, folder: Path) -> Write:
    revision = client.tasksets.retrieve_revision(ref, workspace=workspace)
    records = taskset_records(client, revision, folder)
    return lambda stream: f"root hash {write_bundle(_counted(records, revision.member_count), stream)}"


def _rows(client: "Pinset", ref: str, workspace: str, format: Format, output: Path | None) -> Write:
    contents = member_contents(client, ref, workspace)

    def write(stream: IO[bytes]) -> str:
        text = io.TextIOWrapper(stream, "utf-8", newline="\n", write_through=True)
        if format is Format.HUD:
            array = output is not None and output.suffix == ".json"
            count = write_hud(_counted(hud_row(name, content) for name, content in contents), text, array)
        else:
            count = _write_bodies(contents, text)
        text.detach()
        return f"{count} rows"

    return write


def _write_bodies(contents: Iterable[tuple[str, JSONObject]], text: IO[str]) -> int:
    count = 0
    for name, content in contents:
        text.write(canonical_text({"name": name, **content}) + "\n")
        count += 1
    return count


def _into(output: Path, write: Write) -> str:
    """Write beside the file and move into its place, so that a file under its name is always a whole one."""
    with tempfile.NamedTemporaryFile(dir=output.parent, prefix=f".{output.name}.", delete=False) as stream:
        try:
            said = write(stream.file)
            stream.flush()
            os.fsync(stream.fileno())
            Path(stream.name).chmod(0o644)
            Path(stream.name).replace(output)
        except BaseException:
            Path(stream.name).unlink(missing_ok=True)
            raise
    return said


def _counted(records: Iterable[JSONObject], total: int | None = None) -> Iterator[JSONObject]:
    with progress_bar() as bar:
        shown = bar.add_task("Exporting", total=total)
        for record in records:
            yield record
            bar.advance(shown)
