"""Commands for licences and other counted resources that belong to no node."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead import models
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, client, help_text

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

LICENCES: list[Column[models.LicenceResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("CLUSTER", lambda one: one.cluster or "all"),
    Column("COUNT", lambda one: str(one.count)),
    Column("HELD", lambda one: str(one.held)),
    Column("FREE", lambda one: str(max(0, one.count - one.held))),
    Column("JOBS", lambda one: str(one.jobs)),
]

Name = Annotated[str, typer.Argument(metavar="LICENCE", help="A DNS label.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only check it.")]


@app.callback(
    help="Set and show licences: counted resources that jobs hold and that belong to no node."
)
def group() -> None:
    return


@app.command(
    "list",
    help=help_text(
        "List licences with their number, and how many of them jobs hold.",
        "fairlead quota licence list",
        "fairlead quota licence list -o json",
    ),
    short_help="List licences",
)
def list_all(
    context: typer.Context, output: Output = Format.TABLE, columns: Columns = None
) -> None:
    with client(context) as fl:
        found = list(fl.licences.list())
    show_all(found, LICENCES, output, columns, name=lambda one: one.name, empty="no licences")


@app.command(
    "set",
    help=help_text(
        "Add a licence, or change its number. If jobs hold more than the new number, they "
        "continue, and no new job starts with the licence. For operators.",
        "fairlead quota licence set ansys 20",
        "fairlead quota licence set storage 4 --cluster eu-1",
    ),
    short_help="Add a licence, or change its number",
)
def put(
    context: typer.Context,
    licence: Name,
    count: Annotated[int, typer.Argument(metavar="COUNT", help="0 to 1000000.", min=0)],
    cluster: Annotated[
        str | None, typer.Option(help="Limit on this cluster. Default: a total over all clusters.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        done = fl.licences.set(licence, count, cluster=cluster, validate_only=dry_run)
    say(f"licence {done.name} {'would have' if dry_run else 'has'} {done.count}")


@app.command(
    "delete",
    help=help_text(
        "Delete a licence that no job holds. Jobs that wait for it continue to wait. For "
        "operators.",
        "fairlead quota licence delete ansys",
    ),
    short_help="Delete a licence",
)
def delete(context: typer.Context, licence: Name, dry_run: DryRun = False) -> None:
    with client(context) as fl:
        fl.licences.delete(licence, validate_only=dry_run)
    say(f"licence {licence} {'would be' if dry_run else 'is'} deleted")
