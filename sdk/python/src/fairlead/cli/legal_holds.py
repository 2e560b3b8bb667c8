"""Commands for legal holds, which protect jobs and decisions from deletion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, listing, noun
from fairlead.cli.output import Column, say
from fairlead.cli.session import UsageProblem, client, help_text, since_time

app = noun("Set and show legal holds, which protect jobs and decisions from deletion.")


def keeps(one: models.LegalHoldResponse) -> str:
    if one.job:
        return f"job {one.job}"
    return f"project {text.safe(one.project)}" if one.project else "all jobs"


HOLDS: list[Column[models.LegalHoldResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("KEEPS", keeps),
    Column("FROM", lambda one: text.moment(one.from_)),
    Column("TO", lambda one: text.moment(one.to)),
    Column("REASON", lambda one: text.safe(one.reason)),
    Column("SET BY", lambda one: text.safe(one.changed_by), rank=5),
    Column("SET AT", lambda one: text.moment(one.changed_at), wide=True),
]

Name = Annotated[str, typer.Argument(metavar="HOLD", help="A DNS label.")]


@app.command(
    "list",
    help=help_text(
        "List the legal holds of the tenant. For owners of the tenant and auditors.",
        "fairlead audit legal-hold list",
        "fairlead audit legal-hold list -o json",
    ),
    short_help="List legal holds",
)
@listing(HOLDS, "no legal holds")
def list_all(fl: Fairlead) -> Iterable[models.LegalHoldResponse]:
    return fl.legal_holds.list()


@app.command(
    "set",
    help=help_text(
        "Protect the jobs of the tenant, of a project, or one job, and their decisions: whatever "
        "their age, they are not deleted until the hold is deleted. Replaces a hold of the same "
        "name. For tenant owners.",
        'fairlead audit legal-hold set case-7 --reason "4 O 12/30"',
        'fairlead audit legal-hold set case-7 --reason "4 O 12/30" --of nlp --since 2030-01-01T00:00:00Z',
        'fairlead audit legal-hold set audit --reason "why it waited" --job job_01m7vxn2c4e0mtrw2g5kqy8v3d',
    ),
    short_help="Set a legal hold",
)
def put(
    context: typer.Context,
    hold: Name,
    reason: Annotated[str, typer.Option(help="Why; 1 to 500 characters.")],
    project: Annotated[str | None, typer.Option("--of", help="Only jobs of this project.")] = None,
    job: Annotated[
        str | None, typer.Option(help="Id of a job. The hold covers only this job.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Cover decisions from this time. A time, or a duration before now."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(help="Cover decisions before this time. A time, or a duration before now."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    if project and job:
        raise UsageProblem("give --of or --job, not both: a job is of one project")
    with client(context) as fl:
        done = fl.legal_holds.set(
            hold,
            reason,
            project=project,
            job=job,
            since=since_time(since),
            until=since_time(until),
            validate_only=dry_run,
        )
    say(f"legal hold {done.name} {'would cover' if dry_run else 'covers'} {keeps(done)}")


@app.command(
    "delete",
    help=help_text(
        "Delete a legal hold. Its jobs and decisions become subject to retention and deletion "
        "again. For tenant owners.",
        "fairlead audit legal-hold delete case-7",
    ),
    short_help="Delete a legal hold",
)
@changing("legal hold", "deleted")
def delete(fl: Fairlead, hold: Name, *, validate_only: bool) -> None:
    fl.legal_holds.delete(hold, validate_only=validate_only)
