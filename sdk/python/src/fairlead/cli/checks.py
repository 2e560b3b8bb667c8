"""Commands for admission checks of jobs."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, NamedTuple

import typer

from fairlead import Job, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, JobName, Output, client, help_text, session

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


class Request(NamedTuple):
    """An admission check of a job."""

    job: Job
    check: models.JobCheck


class State(str, Enum):
    """A result, as on the command line."""

    READY = "ready"
    RETRY = "retry"
    REJECTED = "rejected"
    PENDING = "pending"


REQUESTS: list[Column[Request]] = [
    Column("JOB", lambda one: one.job.id),
    Column("NAME", lambda one: one.job.name),
    Column("PROJECT", lambda one: one.job.project),
    Column("STATE", lambda one: one.check.state),
    Column("REQUEST", lambda one: str(one.check.request)),
    Column("SINCE", lambda one: text.ago(one.check.changed_at)),
    Column("MESSAGE", lambda one: text.safe(one.check.message or ""), rank=5),
]

Check = Annotated[str, typer.Argument(metavar="CHECK", help="Name of an admission check.")]


@app.callback(
    help="Show admission checks and report their results. A check is a controller that "
    "permits jobs to start."
)
def group() -> None:
    return


@app.command(
    "list",
    help=help_text(
        "List waiting jobs for which the check was requested, with the number of the request.",
        "fairlead job check list budget",
        "fairlead job check list budget -o json",
    ),
    short_help="List jobs that wait for a check",
)
def list_all(
    context: typer.Context, check: Check, output: Output = Format.TABLE, columns: Columns = None
) -> None:
    with client(context) as fl:
        found = [
            Request(job, one)
            for job in fl.jobs.list(
                project=session(context).project, state=["QUEUED", "RUNNING"], view="BASIC"
            )
            for one in job.checks or ()
            if one.name == check and one.state != "READY"
        ]
    show_all(
        found, REQUESTS, output, columns, name=lambda one: one.job.name, empty="no jobs wait for it"
    )


@app.command(
    "report",
    help=help_text(
        "Report the result of a check for a job. READY permits the next attempt, RETRY requests "
        "the check again later, REJECTED fails the job. For owners of the project.",
        "fairlead job check report llama-sft budget --state ready",
        "fairlead job check report llama-sft budget --state retry --after 10m -m 'no budget today'",
    ),
    short_help="Report the result of a check",
)
def report(
    context: typer.Context,
    job: JobName,
    check: Check,
    state: Annotated[State, typer.Option("--state", help="The result.", case_sensitive=False)],
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="Message to the owner of the job.")
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            "--after", help="Time until the check is requested again, with the state retry."
        ),
    ] = None,
    request: Annotated[
        int | None,
        typer.Option("--request", help="Number of the judged request. The current one by default."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
        judged = request or max(
            (one.request for one in found.checks or () if one.name == check), default=1
        )
        done = fl.jobs.report_check(
            found.id,
            check,
            state.value.upper(),
            judged,
            message=message,
            retry_after=after,
            validate_only=dry_run,
        )
    say(f"check {check} of {done.name} {'would be' if dry_run else 'is'} {state.value.upper()}")
