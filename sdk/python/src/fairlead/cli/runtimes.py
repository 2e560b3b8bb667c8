"""Commands for runtimes, the model servers of services."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli.actions import listing, noun
from fairlead.cli.output import Column, Format, show
from fairlead.cli.session import Output, UsageProblem, client, help_text

app = noun("List the model servers that a service can name.")

RUNTIMES: list[Column[models.ModelRuntime]] = [
    Column("NAME", lambda one: one.name),
    Column("READS", lambda one: ",".join(one.models)),
    Column("FORMATS", lambda one: ",".join(one.formats) or "any", rank=6),
    Column("PORT", lambda one: str(one.port)),
    Column("READY PATH", lambda one: one.ready_path or "-"),
    Column("DESCRIPTION", lambda one: one.description),
]


@app.command(
    "list",
    help=help_text(
        "List runtimes for the field runtime of a service.",
        "fairlead service runtime list",
        "fairlead service runtime list -o json",
    ),
    short_help="List runtimes",
)
@listing(RUNTIMES, "no runtimes")
def list_all(fl: Fairlead) -> Iterable[models.ModelRuntime]:
    return fl.runtimes()


@app.command(
    "get",
    help=help_text(
        "Show a runtime with its program and its options.", "fairlead service runtime get vllm"
    ),
    short_help="Show a runtime",
)
def get(
    context: typer.Context,
    runtime: Annotated[str, typer.Argument(metavar="RUNTIME", help="Its name.")],
    output: Output = Format.YAML,
) -> None:
    with client(context) as fl:
        found = {one.name: one for one in fl.runtimes()}
    if runtime not in found:
        raise UsageProblem(f"there is no runtime {runtime}: the runtimes are {', '.join(found)}")
    show(found[runtime], output, lambda: runtime)
