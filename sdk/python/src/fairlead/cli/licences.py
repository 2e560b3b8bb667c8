"""Commands for licences and other counted resources that belong to no node."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli.actions import DryRun, changing, listing, noun
from fairlead.cli.output import Column, say
from fairlead.cli.session import client, help_text, verb

app = noun("Set and show licences: counted resources that jobs hold and that belong to no node.")

LICENCES: list[Column[models.LicenceResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("CLUSTER", lambda one: one.cluster or "all"),
    Column("COUNT", lambda one: str(one.count)),
    Column("HELD", lambda one: str(one.held)),
    Column("FREE", lambda one: str(max(0, one.count - one.held))),
    Column("JOBS", lambda one: str(one.jobs)),
]

Name = Annotated[str, typer.Argument(metavar="LICENCE", help="A DNS label.")]


@app.command(
    "list",
    help=help_text(
        "List licences with their total number and the number held by jobs.",
        "fairlead quota licence list",
        "fairlead quota licence list -o json",
    ),
    short_help="List licences",
)
@listing(LICENCES, "no licences")
def list_all(fl: Fairlead) -> Iterable[models.LicenceResponse]:
    return fl.licences.list()


@verb(
    app,
    "set",
    "Add a licence, or change its number",
    "fairlead quota licence set ansys 20",
    "fairlead quota licence set storage 4 --cluster eu-1",
    more="If jobs hold more than the new number, they continue, and no new job starts with the "
    "licence. For operators.",
)
def put(
    context: typer.Context,
    licence: Name,
    count: Annotated[int, typer.Argument(metavar="COUNT", help="0 to 1000000.", min=0)],
    cluster: Annotated[
        str | None, typer.Option(help="Limit on this cluster. Default: the total of all clusters.")
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
@changing("licence", "deleted")
def delete(fl: Fairlead, licence: Name, *, validate_only: bool) -> None:
    fl.licences.delete(licence, validate_only=validate_only)
