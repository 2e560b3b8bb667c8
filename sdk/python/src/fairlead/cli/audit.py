"""Who changed what, and who was denied it."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, client, help_text, since_time

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

ROWS: list[Column[models.AuditResponse]] = [
    Column("AT", lambda r: text.moment(r.at)),
    Column("ACTOR", lambda r: r.actor),
    Column("ACTION", lambda r: r.action),
    Column("OBJECT", lambda r: r.object),
    Column("OUTCOME", lambda r: r.outcome),
    Column("COUNT", lambda r: str(r.count), rank=4),
    Column("ADDRESS", lambda r: r.address or "-", rank=5),
    Column("REQUEST", lambda r: r.request_id or "-", rank=6),
]


@app.callback(help="Show who changed what, and who was denied it.")
def group() -> None:
    return


@app.command(
    "list",
    help=help_text(
        "List what changed something in the tenant, and what was denied, the newest first. For owners of "
        "the tenant, administrators and auditors.",
        "fairlead audit list --since 24h",
        "fairlead audit list --actor ana --outcome denied",
        "fairlead audit list --since 30d --limit 100000 -o csv > audit.csv",
    ),
    short_help="List changes and denials",
)
def list_audit(
    context: typer.Context,
    actor: Annotated[str | None, typer.Option(help="Of this person or service account.")] = None,
    action: Annotated[str | None, typer.Option(help="Such as createToken.")] = None,
    about: Annotated[str | None, typer.Option("--object", help="About this id or name.")] = None,
    outcome: Annotated[str | None, typer.Option(help="allowed or denied.")] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="From this time on, or so long ago; 31 days when absent."),
    ] = None,
    until: Annotated[str | None, typer.Option(help="Before this time, or so long ago.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many rows.")] = 100,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        rows = fl.audit.list(
            actor=actor,
            action=action,
            object=about,
            outcome=outcome.upper() if outcome else None,
            since=since_time(since),
            until=since_time(until),
        )
        found = list(islice(rows, limit + 1))
    show_all(
        found[:limit], ROWS, output, columns, name=lambda r: r.request_id or "-", empty="nothing"
    )
    if len(found) > limit:
        say(f"there is more: --limit {10 * limit}")
