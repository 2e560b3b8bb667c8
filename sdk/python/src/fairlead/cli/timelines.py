"""Commands that show events in one timeline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from fairlead import models
from fairlead.cli.output import Column, Format, show_all
from fairlead.cli.session import Columns, Output, client, session, verb

app = typer.Typer()

ENTRIES: list[Column[models.TimelineEntryResponse]] = [
    Column("AT", lambda e: f"{e.at:%Y-%m-%d %H:%M:%S}Z"),
    Column("SOURCE", lambda e: e.source, rank=5),
    Column("TYPE", lambda e: e.type),
    Column("NODE", lambda e: e.node or "-", rank=4),
    Column("BY", lambda e: e.actor or "-", rank=6),
    Column("WHAT", lambda e: e.text or "-"),
]
Since = Annotated[
    str, typer.Option("--since", help="A time, or a duration ago, at most 31 days back.")
]


def shown(
    found: Iterable[models.TimelineEntryResponse], output: Format, columns: str | None
) -> None:
    empty = "no events since then"
    show_all(list(found), ENTRIES, output, columns, name=lambda e: e.type, empty=empty)


@verb(
    app,
    "job timeline",
    "Show events of a job, its nodes and its clusters, oldest first",
    "fairlead job timeline llama-sft --since 2h",
)
def job(
    context: typer.Context,
    job: Annotated[str, typer.Argument(metavar="JOB", help="Name, id, or a unique prefix.")],
    since: Since = "24h",
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
        shown(fl.timeline(job=found.id, since=since), output, columns)


@verb(
    app,
    "node timeline",
    "Show incidents, quarantines, repairs and drains of a node, oldest first",
    "fairlead node timeline eu-1-gpu-0004 --since 7d",
)
def node(
    context: typer.Context,
    node: Annotated[str, typer.Argument(metavar="NODE", help="Name or id.")],
    since: Since = "24h",
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        shown(fl.timeline(node=node, since=since), output, columns)


@verb(
    app,
    "cluster timeline",
    "Show incidents, quarantines, repairs and drains in a cluster, oldest first",
    "fairlead cluster timeline eu-1 --since 2h",
)
def cluster(
    context: typer.Context,
    cluster: Annotated[str, typer.Argument(metavar="CLUSTER", help="Name or id.")],
    since: Since = "24h",
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        shown(fl.timeline(cluster=cluster, since=since), output, columns)
