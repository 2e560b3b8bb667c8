"""Usage beyond reserved capacity."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, client, verb

__all__ = ["app"]

app = typer.Typer()
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


@verb(
    app,
    "spill",
    "Show GPU-hours of on-demand and spot capacity, and what reserved capacity could have served",
    "fairlead spill",
    "fairlead spill --since 2030-01-01T00:00:00Z --until 2030-02-01T00:00:00Z",
    "fairlead spill --every-tenant -o csv",
)
def spill(
    context: typer.Context,
    since: Annotated[
        str, typer.Option("--since", help="Start time, or a duration before now.")
    ] = "31d",
    until: Annotated[
        str | None, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = None,
    every_tenant: Annotated[
        bool, typer.Option("--every-tenant", help="All tenants. For platform roles.")
    ] = False,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.spill(since, until, every_tenant=every_tenant)
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
    if found.known_from is None or found.known_from > found.from_:
        say("The cause is unknown for hours recorded before an upgrade.")
