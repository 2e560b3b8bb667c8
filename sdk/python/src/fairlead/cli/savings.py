"""Savings from the capacity mix, commitments, and use beyond reserved capacity."""

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


COMMITMENTS: list[Column[models.CommitmentReport]] = [
    Column("PRICE", lambda line: line.price),
    Column("POOL", lambda line: text.safe(line.pool or "any")),
    Column("MODEL", lambda line: text.safe(line.model or "any")),
    Column("GPUS", lambda line: str(line.gpus)),
    Column("UNTIL", lambda line: text.moment(line.ends)),
    Column("GPU-HOURS", lambda line: f"{line.committed_gpu_hours:.1f}"),
    Column("USED", lambda line: f"{line.used_gpu_hours:.1f}"),
    Column("UNUSED", lambda line: f"{line.unused_gpu_hours:.1f}"),
    Column("BEYOND", lambda line: f"{line.beyond_gpu_hours:.1f}"),
    Column("COST", lambda line: text.money(line.cost, line.currency)),
    Column("OF UNUSED", lambda line: text.money(line.unused_cost, line.currency)),
]

Part = tuple[models.Spilled, models.CauseTime]

SPILL: list[Column[Part]] = [
    Column("TENANT", lambda part: text.safe(part[0].tenant)),
    Column("MODEL", lambda part: text.safe(part[0].model)),
    Column("CAPACITY", lambda part: part[0].capacity),
    Column("GPU-HOURS", lambda part: f"{part[1].gpu_hours:.6f}"),
    Column("RESERVED COULD SERVE", lambda part: "yes" if part[1].servable else "no"),
    Column("CAUSE", lambda part: part[1].cause),
]


def buckets(reserved: models.Reserved) -> str:
    """GPU-hours of reserved GPUs of a model. Categories that are always zero are omitted."""
    parts = [f"{b.gpu_hours:.1f} {b.bucket.lower()}" for b in reserved.buckets if b.gpu_hours]
    return ", ".join(parts) or "no time"


def waits(wait: models.ReservedWait) -> str:
    """Projected wait if jobs of one model had run only on reserved capacity."""
    hours = wait.mean_wait_seconds / 3600
    told = (
        f"On reserved {text.safe(wait.model)} only, {wait.waiting.gpu_hours:.1f} GPU-hours would "
        f"have waited {hours:.1f} hours or more on average"
    )
    if wait.unserved.gpu_hours:
        told += f", and {wait.unserved.gpu_hours:.1f} would still wait"
    return told + "."


def show_savings(found: models.SavingsResponse, output: Format, columns: str | None) -> None:
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


def show_spill(found: models.SpillResponse, output: Format, columns: str | None) -> None:
    show_all(
        [(spilled, cause) for spilled in found.spill for cause in spilled.causes],
        SPILL,
        output,
        columns,
        name=lambda part: f"{part[0].tenant} {part[0].model} {part[1].cause}",
        empty="no on-demand or spot capacity was used",
    )
    if output is not Format.TABLE:
        return
    for reserved in found.reserved:
        owner = f" of tenant {text.safe(reserved.tenant)}" if reserved.tenant else ""
        say(f"reserved {text.safe(reserved.model)}{owner}, GPU-hours: {buckets(reserved)}")


@verb(
    app,
    "usage savings",
    "Compare the cost with the same usage on on-demand capacity only and on reserved capacity only",
    "fairlead usage savings",
    "fairlead usage savings --commitments",
    "fairlead usage savings --spill --since 2030-01-01T00:00:00Z --until 2030-02-01T00:00:00Z",
)
def savings(
    context: typer.Context,
    since: Annotated[
        str, typer.Option("--since", help="Start time, or a duration before now.")
    ] = "31d",
    until: Annotated[
        str | None, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = None,
    of_commitments: Annotated[
        bool,
        typer.Option(
            "--commitments",
            help="Show the cost and the utilization of commitments. For platform roles.",
        ),
    ] = False,
    of_spill: Annotated[
        bool,
        typer.Option(
            "--spill",
            help="Show GPU-hours of on-demand and spot capacity, and what reserved capacity could"
            " have served.",
        ),
    ] = False,
    every_tenant: Annotated[
        bool, typer.Option("--every-tenant", help="With --spill: all tenants. For platform roles.")
    ] = False,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    if of_commitments and of_spill:
        raise typer.BadParameter("give either --commitments or --spill")
    if every_tenant and not of_spill:
        raise typer.BadParameter("--every-tenant needs --spill")
    with client(context) as fl:
        if of_commitments:
            show_all(
                fl.commitments(since, until).lines,
                COMMITMENTS,
                output,
                columns,
                name=lambda line: line.price,
                empty="no commitment in that time",
            )
        elif of_spill:
            show_spill(fl.spill(since, until, every_tenant=every_tenant), output, columns)
        else:
            show_savings(fl.savings(since, until), output, columns)
