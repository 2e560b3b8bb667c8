"""What the mix of capacity saved."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, client, verb

__all__ = ["app"]

app = typer.Typer()

SAVINGS: list[Column[models.SavingsLine]] = [
    Column("MODEL", lambda line: text.safe(line.model)),
    Column("GPU-HOURS", lambda line: f"{line.used.gpu_hours:.1f}"),
    Column("CURRENCY", lambda line: text.safe(line.currency)),
    Column("PAID", lambda line: f"{line.paid:.2f}"),
    Column("ALL ON DEMAND", lambda line: f"{line.all_on_demand:.2f}"),
    Column("SAVED", lambda line: f"{line.saved:.2f}"),
    Column("RESERVED ONLY", lambda line: f"{line.reserved_only:.2f}"),
    Column("BEYOND RESERVED", lambda line: f"{line.beyond_reserved:.2f}"),
]


def waits(wait: models.ReservedWait) -> str:
    """What reserved capacity alone would have meant for the work of one model."""
    hours = wait.mean_wait_seconds / 3600
    told = (
        f"On reserved {text.safe(wait.model)} alone {wait.waiting.gpu_hours:.1f} GPU-hours would have"
        f" waited {hours:.1f} hours or more in the mean"
    )
    if wait.unserved.gpu_hours:
        told += f", and {wait.unserved.gpu_hours:.1f} would wait still"
    if wait.unknown.gpu_hours:
        told += f"; of {wait.unknown.gpu_hours:.1f} more it is not known"
    return told + "."


@verb(
    app,
    "savings",
    "Show what was paid beside the same use on demand alone, and on reserved capacity alone",
    "fairlead savings",
    "fairlead savings --since 2030-01-01T00:00:00Z --until 2030-02-01T00:00:00Z",
    "fairlead savings -o csv",
)
def savings(
    context: typer.Context,
    since: Annotated[
        str, typer.Option("--since", help="From this time on, or so long ago.")
    ] = "31d",
    until: Annotated[str | None, typer.Option(help="Before this time, or so long ago.")] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.savings(since, until)
    show_all(
        found.lines,
        SAVINGS,
        output,
        columns,
        name=lambda line: f"{line.model} {line.currency}",
        empty="nothing was used that has a price, and one on demand beside it",
    )
    if output is not Format.TABLE:
        return
    for wait in found.waits:
        say(waits(wait))
    if found.not_compared.gpu_hours:
        say(
            f"{found.not_compared.gpu_hours:.1f} GPU-hours are not compared:"
            " they have no price, or none on demand in their currency."
        )
