"""Options that several commands share."""

from typing import TYPE_CHECKING, Annotated

import typer

import pinset
from pinset.files.tables import Fields

if TYPE_CHECKING:
    from pinset.synchronous.client import Pinset

Url = Annotated[str | None, typer.Option("--url", envvar="PINSET_URL", help="The server. [default: the local one]")]
Token = Annotated[str | None, typer.Option("--token", envvar="PINSET_TOKEN", help="Where the server asks for one.")]
Workspace = Annotated[str, typer.Option("--workspace", "-w", envvar="PINSET_WORKSPACE", help="Where names are.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]
NameField = Annotated[str | None, typer.Option("--name", metavar="FIELD", help="The field that names a row's task.")]
InstructionField = Annotated[
    str | None, typer.Option("--instruction", metavar="FIELD", help="The field with the prompt.")
]
IntentField = Annotated[str | None, typer.Option("--intent", metavar="FIELD", help="The field with the intent.")]
ReferenceFields = Annotated[
    list[str] | None,
    typer.Option("--reference", metavar="[KEY=]FIELD", help="A field that only graders see; repeatable."),
]
ExtraFields = Annotated[
    list[str] | None, typer.Option("--extra", metavar="[KEY=]FIELD", help="A field that becomes an input; repeatable.")
]
IgnoredFields = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="FIELD", help="A field to leave out; repeatable.")
]
MetricRefs = Annotated[
    list[str] | None, typer.Option("--metric", metavar="REF", help="A metric that every task gets; repeatable.")
]
MetricsField = Annotated[
    str | None, typer.Option("--metrics-field", metavar="FIELD", help="The field that lists a row's own metrics.")
]

DEFAULT_WORKSPACE = "default"


def connect(url: str | None, token: str | None, workspace: str, timeout: float = 120.0) -> "Pinset":
    """A client for one command."""
    return pinset.Pinset(url, token, workspace=workspace, timeout=timeout)


def mapping_of(
    name: str | None,
    instruction: str | None,
    intent: str | None,
    reference: list[str] | None,
    extra: list[str] | None,
    ignored: list[str] | None,
    metrics: list[str] | None,
    metrics_field: str | None,
) -> Fields | None:
    """The mapping of fields, or None where no option gave one."""
    given = (name, instruction, intent, reference, extra, ignored, metrics, metrics_field)
    if not any(given):
        return None
    return Fields(
        name or "name",
        instruction or "instruction",
        intent,
        tuple(reference or ()),
        tuple(extra or ()),
        tuple(ignored or ()),
        tuple(metrics or ()),
        metrics_field,
    )
