"""Commands for launchers, which start the processes of a job."""

from __future__ import annotations

import typer

from fairlead import models
from fairlead.cli.output import Column, Format, show_all
from fairlead.cli.session import Columns, Output, client, help_text

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

LAUNCHERS: list[Column[models.LauncherResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("ELASTIC", lambda one: "yes" if one.elastic else "no"),
    Column("REPAIR", lambda one: "yes" if one.gang_repair else "no"),
    Column("ROLES", lambda one: ",".join(one.roles) or "any"),
    Column("DESCRIPTION", lambda one: one.description),
]


@app.callback(help="List the launchers that a job can name.")
def group() -> None:
    return


@app.command(
    "list",
    help=help_text(
        "List launchers for the option --launcher of `fairlead submit` and `fairlead run`.",
        "fairlead job launcher list",
        "fairlead job launcher list -o json",
    ),
    short_help="List launchers",
)
def list_all(
    context: typer.Context, output: Output = Format.TABLE, columns: Columns = None
) -> None:
    with client(context) as fl:
        found = list(fl.launchers())
    show_all(found, LAUNCHERS, output, columns, name=lambda one: one.name, empty="no launchers")
