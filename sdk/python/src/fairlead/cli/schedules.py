"""Commands for schedules, which submit jobs at set times."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Annotated

import typer
from pydantic import BaseModel

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, listing, noun, showing
from fairlead.cli.files import request_of
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text

app = noun("Submit jobs on a schedule.")

# fields of a response that a request does not have
SHOWN_ONLY = (
    "id",
    "name",
    "project",
    "owner",
    "delay",
    "suspended",
    "lastRun",
    "upcoming",
    "version",
)


def utc(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def following(one: models.ScheduleResponse) -> str:
    if one.suspended:
        return "suspended"
    return one.upcoming[0].local_time if one.upcoming else "none"


SCHEDULES: list[Column[models.ScheduleResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("CRON", lambda one: one.cron),
    Column("ZONE", lambda one: one.time_zone),
    Column("NEXT", following),
    Column("LAST", lambda one: "-" if one.last_run is None else one.last_run.outcome),
    Column("OWNER", lambda one: one.owner, rank=6),
]
RUNS: list[Column[models.ScheduleRunResponse]] = [
    Column("INSTANT", lambda one: utc(one.instant)),
    Column(
        "OUTCOME",
        lambda one: one.outcome if one.instants == 1 else f"{one.outcome} ({one.instants})",
    ),
    Column("JOB", lambda one: one.job or "-"),
    Column("REASON", lambda one: one.reason),
]
INSTANTS: list[Column[models.ScheduleInstantResponse]] = [
    Column("LOCAL TIME", lambda one: one.local_time),
    Column("INSTANT", lambda one: utc(one.instant)),
    Column("SUBMIT", lambda one: utc(one.starts_at)),
]

Name = Annotated[str, typer.Argument(metavar="SCHEDULE", help="Name of the schedule, a DNS label.")]
Project = Annotated[str | None, typer.Option("--project", "-p", help="Project of the schedule.")]


@app.command(
    "create",
    help=help_text(
        "Add a schedule, or change it, from a file: cron, timeZone, repeatedTime, skippedTime, "
        "jitter, catchUp, catchUpMost, overlap and job (as for fairlead submit). Takes the output "
        "of `fairlead job schedule get`. Its jobs are submitted in your name.",
        "fairlead job schedule create nightly nightly.yaml -p nlp",
        "fairlead job schedule create nightly nightly.yaml --dry-run",
    ),
    short_help="Add a schedule, or change it",
)
def create(
    context: typer.Context,
    schedule: Name,
    file: Annotated[str, typer.Argument(metavar="FILE", help="YAML or JSON, or - for stdin.")],
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    body = request_of(file, "a schedule", SHOWN_ONLY)
    with client(context) as fl:
        done = fl.schedules.set(schedule, body, project=project, validate_only=dry_run)
    first = done.upcoming[0].local_time if done.upcoming else "none"
    would = "would be" if dry_run else "is"
    say(f"schedule {done.name} {would} stored, its first instant is {first}")


@app.command(
    "list",
    help=help_text("List schedules of the project.", "fairlead job schedule list -p nlp"),
    short_help="List schedules",
)
@listing(SCHEDULES, "no schedules")
def list_all(fl: Fairlead, project: Project = None) -> Iterable[models.ScheduleResponse]:
    return fl.schedules.list(project=project)


@app.command(
    "get",
    help=help_text(
        "Show a schedule with its last run and its next instants.",
        "fairlead job schedule get nightly -p nlp",
    ),
    short_help="Show a schedule",
)
@showing
def get(fl: Fairlead, schedule: Name, project: Project = None) -> BaseModel:
    return fl.schedules.get(schedule, project=project)


@app.command(
    "preview",
    help=help_text(
        "List the next ten times of a schedule, adjusted for daylight saving time.",
        "fairlead job schedule preview nightly",
        "fairlead job schedule preview nightly --begin 2030-10-26T00:00:00Z",
    ),
    short_help="List the next instants",
)
def preview(
    context: typer.Context,
    schedule: Name,
    project: Project = None,
    begin: Annotated[str | None, typer.Option(help="Time with UTC offset. Default: now.")] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    try:
        after = None if begin is None else text.instant(begin)
    except ValueError as problem:
        raise UsageProblem(f"--begin: {problem}") from problem
    with client(context) as fl:
        found = list(fl.schedules.preview(schedule, project=project, begin=after))
    show_all(found, INSTANTS, output, columns, name=lambda one: utc(one.instant), empty="none")


@app.command(
    "runs",
    help=help_text(
        "List decisions of a schedule, the newest first: the job, or the reason why there is none.",
        "fairlead job schedule runs nightly -p nlp",
        "fairlead job schedule runs nightly --limit 500",
    ),
    short_help="List runs and refusals",
)
@listing(RUNS, "no runs", lambda one: utc(one.instant))
def runs(
    fl: Fairlead,
    schedule: Name,
    project: Project = None,
    limit: Annotated[int, typer.Option(min=1, max=1_100, help="Number of runs.")] = 50,
) -> Iterable[models.ScheduleRunResponse]:
    return islice(fl.schedules.runs(schedule, project=project), limit)


@app.command(
    "suspend",
    help=help_text(
        "Stop the submits of a schedule until it is resumed.",
        "fairlead job schedule suspend nightly",
    ),
    short_help="Suspend a schedule",
)
def suspend(
    context: typer.Context, schedule: Name, project: Project = None, dry_run: DryRun = False
) -> None:
    with client(context) as fl:
        found = fl.schedules.suspend(schedule, project=project, validate_only=dry_run)
    say(f"schedule {found.name} {'would be' if dry_run else 'is'} suspended")


@app.command(
    "resume",
    help=help_text(
        "Continue a schedule with the next instant.", "fairlead job schedule resume nightly"
    ),
    short_help="Resume a schedule",
)
def resume(
    context: typer.Context, schedule: Name, project: Project = None, dry_run: DryRun = False
) -> None:
    with client(context) as fl:
        found = fl.schedules.resume(schedule, project=project, validate_only=dry_run)
    would = "would continue" if dry_run else "continues"
    say(f"schedule {found.name} {would} at {following(found)}")


@app.command(
    "delete",
    help=help_text(
        "Delete a schedule with its history. Its jobs remain.",
        "fairlead job schedule delete nightly",
    ),
    short_help="Delete a schedule",
)
@changing("schedule", "deleted", ask="Delete {}")
def delete(fl: Fairlead, schedule: Name, project: Project = None, *, validate_only: bool) -> None:
    fl.schedules.delete(schedule, project=project, validate_only=validate_only)
