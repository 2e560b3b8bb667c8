"""Commands for launchers, which start the processes of a job."""

from __future__ import annotations

from collections.abc import Iterable

from fairlead import Fairlead, models
from fairlead.cli.actions import listing, noun
from fairlead.cli.output import Column
from fairlead.cli.session import help_text

app = noun("List the launchers that a job can name.")

LAUNCHERS: list[Column[models.LauncherResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("ELASTIC", lambda one: "yes" if one.elastic else "no"),
    Column("REPAIR", lambda one: "yes" if one.gang_repair else "no"),
    Column("ROLES", lambda one: ",".join(one.roles) or "any"),
    Column("DESCRIPTION", lambda one: one.description),
]


@app.command(
    "list",
    help=help_text(
        "List launchers for the option --launcher of `fairlead submit` and `fairlead run`.",
        "fairlead job launcher list",
        "fairlead job launcher list -o json",
    ),
    short_help="List launchers",
)
@listing(LAUNCHERS, "no launchers")
def list_all(fl: Fairlead) -> Iterable[models.LauncherResponse]:
    return fl.launchers()
