"""Savings from the capacity mix."""

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
    """Projected wait if the work of one model had only run on reserved capacity."""
    hours = wait.mean_wait_seconds / 3600
    told = (
        f"On reserved {text.safe(wait.model)} only, {wait.waiting.gpu_hours:.1f} GPU-hours would "
        f"have waited {hours:.1f} hours or more on average"
    )
    if wait.unserved.gpu_hours:
        told += f", and {wait.unserved.gpu_hours:.1f} would still wait"
    if wait.unknown.gpu_hours:
        told += f"; unknown for another {wait.unknown.gpu_hours:.1f}"
    return told + "."


@verb(
    app,
    "savings",
    "Compare the cost with the same usage on on-demand capacity only and on reserved capacity only",
    "fairlead savings",
    "fairlead savings --since 2030-01-01T00:00:00Z --until 2030-02-01T00:00:00Z",
    "fairlead savings -o csv",
)
def savings(
    context: typer.Context,
    since: Annotated[
        str, typer.Option("--since", help="Start time, or a duration before now.")
    ] = "31d",
    until: Annotated[
        str | None, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = None,
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
        empty="no usage that has a price and an on-demand price",
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
