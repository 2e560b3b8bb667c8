"""Usage of the fleet."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.actions import DryRun
from fairlead.cli.output import Column, Format, emit, say, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text, since_time

# hours per request, so that the answer arrives before the command times out
AT_ONCE = timedelta(hours=6)
EXIT_DIFFERS = 5
app = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
labels_app = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
app.add_typer(labels_app, name="labels", short_help="Job labels by which usage is grouped")


def value(name: str) -> Column[models.UsageRowResponse]:
    return Column(name.upper(), lambda row: text.safe(row.group[name]) or "-")


def columns_of(by: list[str]) -> list[Column[models.UsageRowResponse]]:
    """The period, each group, and its usage."""
    return [
        Column("FROM", lambda row: row.from_.strftime("%Y-%m-%d %H:%M")),
        *(value(name) for name in by),
        Column("GPU-HOURS", lambda row: f"{row.gpu_hours:.6f}"),
        Column("STILL COUNTED", lambda row: "yes" if row.preliminary else "-", rank=5),
    ]


@app.callback(
    help=help_text(
        "Show GPU-hours that were used, by month, day or hour (UTC).",
        "fairlead usage",
        "fairlead usage --by user --period day --since 7d",
        "fairlead usage --by project,model -o csv > usage.csv",
        "fairlead usage --by label:grant --period day",
        "fairlead usage rebuild --verify",
    )
)
def usage(
    context: typer.Context,
    by: Annotated[
        str,
        typer.Option(
            help="Any of project,queue,user,pool,model,capacity, and label:KEY for an enabled "
            "usage label."
        ),
    ] = "project",
    period: Annotated[str, typer.Option(help="hour, day or month.")] = "month",
    since: Annotated[
        str, typer.Option("--since", help="Start time, or a duration before now.")
    ] = "31d",
    until: Annotated[
        str | None, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = None,
    project: Annotated[str | None, typer.Option("--of", help="Only this project.")] = None,
    user: Annotated[str | None, typer.Option(help="Only this user.")] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    if context.invoked_subcommand is not None:
        return
    groups = [name.strip() for name in by.split(",")]
    with client(context) as fl:
        found = fl.usage(
            groups, period=period.upper(), project=project, user=user, since=since, until=until
        )
    show_all(
        found,
        columns_of(groups),
        output,
        columns,
        name=lambda row: row.from_.isoformat(),
        empty="nothing was used",
    )
    if output is Format.TABLE and any(row.preliminary for row in found):
        say("Hours close ten minutes after they end.")


DIFFERENCES: list[Column[models.Difference]] = [
    Column("HOUR", lambda row: row.from_.strftime("%Y-%m-%d %H:%M")),
    Column(
        "SUM OF", lambda row: " ".join(f"{k}={text.safe(v) or '-'}" for k, v in row.key.items())
    ),
    Column("STORED", lambda row: f"{row.stored_milli_gpu_millis}"),
    Column("RECKONED", lambda row: f"{row.reckoned_milli_gpu_millis}"),
]


@app.command(
    "rebuild",
    help=help_text(
        "Recompute closed hours from the usage records and rewrite differing ones. With "
        "--verify, writes nothing and exits with 5 if an hour differs. Amounts are thousandths "
        "of a GPU times milliseconds. Covers the last 400 days. For operators.",
        "fairlead usage rebuild --verify",
        "fairlead usage rebuild --since 2030-01-01T00:00:00Z --until 2030-02-01T00:00:00Z",
    ),
    short_help="Recompute closed hours",
)
def rebuild(
    context: typer.Context,
    verify: Annotated[bool, typer.Option("--verify", help="Only compare.")] = False,
    since: Annotated[
        str, typer.Option("--since", help="Start time, or a duration before now.")
    ] = "24h",
    until: Annotated[
        str, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = "0s",
    output: Output = Format.TABLE,
) -> None:
    begin, end = since_time(since), since_time(until)
    if begin is None or end is None or begin >= end:
        raise UsageProblem("--since must be before --until")
    named: list[models.Difference] = []
    hours = differences = 0
    with client(context) as fl:
        while begin < end:
            upto = min(end, begin.replace(minute=0, second=0, microsecond=0) + AT_ONCE)
            found = fl.rebuild_usage(begin, upto, validate_only=verify)
            hours += found.hours
            differences += found.differences
            named += found.items
            begin = upto
    show_all(named, DIFFERENCES, output, None, name=lambda row: row.from_.isoformat(), empty="")
    more = f", {len(named)} of them shown" if len(named) < differences else ""
    done = "compared" if verify else "compared, differing hours were rewritten"
    say(f"{hours} closed hours {done}; {differences} sums differed{more}")
    if verify and differences:
        raise typer.Exit(EXIT_DIFFERS)


def waited(name: str) -> Column[models.WaitRowResponse]:
    return Column(name.upper(), lambda row: text.safe(row.group[name]))


@app.command(
    "waits",
    help=help_text(
        "Show waiting time in job-hours by reason. Once a minute each waiting job counts for its "
        "first reason. A job-hour is one job that waits for an hour.",
        "fairlead usage waits",
        "fairlead usage waits --by queue,cause --period day --since 7d",
    ),
    short_help="Show waiting time of jobs by reason",
)
def waits(
    context: typer.Context,
    by: Annotated[str, typer.Option(help="Any of project,queue,cause.")] = "cause",
    period: Annotated[str, typer.Option(help="hour, day or month.")] = "month",
    since: Annotated[
        str, typer.Option("--since", help="Start time, or a duration before now.")
    ] = "31d",
    until: Annotated[
        str | None, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = None,
    project: Annotated[str | None, typer.Option("--of", help="Only this project.")] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    groups = [name.strip() for name in by.split(",")]
    with client(context) as fl:
        found = fl.waits(groups, period=period.upper(), project=project, since=since, until=until)
    show_all(
        found,
        [
            Column("FROM", lambda row: row.from_.strftime("%Y-%m-%d %H:%M")),
            *(waited(name) for name in groups),
            Column("JOB-HOURS", lambda row: f"{row.job_hours:.6f}"),
            Column("STILL COUNTED", lambda row: "yes" if row.preliminary else "-", rank=5),
        ],
        output,
        columns,
        name=lambda row: row.from_.isoformat(),
        empty="no job waited",
    )


LABELS: list[Column[models.UsageLabelsResponse]] = [
    Column("FROM", lambda named: text.moment(named.from_)),
    Column("KEYS", lambda named: ", ".join(text.safe(key) for key in named.keys) or "-"),
    Column("BY", lambda named: text.safe(named.by)),
]


@labels_app.callback(
    help=help_text(
        "Show the usage labels, newest first. Each set applies from its hour until a later set "
        "begins.",
        "fairlead usage labels",
        "fairlead usage labels set grant paper",
    )
)
def labels(context: typer.Context, output: Output = Format.TABLE, columns: Columns = None) -> None:
    if context.invoked_subcommand is not None:
        return
    with client(context) as fl:
        found = fl.usage_labels()
    show_all(
        found,
        LABELS,
        output,
        columns,
        name=lambda named: named.from_.isoformat(),
        empty="no usage labels are set",
    )


@labels_app.command(
    "set",
    help=help_text(
        "Set the usage labels from the next hour (UTC) on, at most three; they replace the "
        "current set. Usage records carry the labels that the job had when the attempt started. "
        "For tenant owners.",
        "fairlead usage labels set grant paper",
        "fairlead usage labels set --none",
    ),
    short_help="Name them",
)
def set_labels(
    context: typer.Context,
    keys: Annotated[
        list[str] | None, typer.Argument(metavar="KEY...", help="Keys of labels of jobs.")
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Report without labels.")] = False,
    dry_run: DryRun = False,
) -> None:
    if none == bool(keys):
        raise UsageProblem("give keys of labels, or --none")
    with client(context) as fl:
        named = fl.name_usage_labels(keys or [], validate_only=dry_run)
    by = "by " + ", ".join(named.keys) if named.keys else "by no label"
    would = "would be" if dry_run else "is"
    emit(f"use {would} added up {by} from {text.moment(named.from_)} on\n")
