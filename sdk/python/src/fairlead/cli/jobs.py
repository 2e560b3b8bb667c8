"""Commands that read and end jobs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from fairlead import Fairlead, Job, models
from fairlead._time import ENDED
from fairlead.cli import bulk, text, unreachable
from fairlead.cli import report as reports
from fairlead.cli.actions import Yes
from fairlead.cli.decisions import held, of_ended, past
from fairlead.cli.jobfile import job_file
from fairlead.cli.output import Column, Format, chosen, emit, say, show, show_all, table, width
from fairlead.cli.session import (
    Columns,
    JobName,
    OneJob,
    Output,
    UsageProblem,
    Watch,
    client,
    complete_job,
    session,
    since_time,
    verb,
)
from fairlead.cli.watching import repeat, watched
from fairlead.states import JobState

# smaller numbers of listed jobs are not counted
COUNTED = 20
# hold GPUs, or will soon
HOLDING = ["RUNNING", "STARTING", "ADMITTED", "CANCELLING"]
ACTIVE = [one.value for one in JobState if one not in ENDED]
WAITING = [one for one in ACTIVE if one not in HOLDING]
app = typer.Typer()


def nodes(job: Job) -> str:
    """Nodes that the job holds. For an array, a list shows only the nodes of the newest element."""
    held = job.state in HOLDING and job.array is None
    return str(len(job.placement.nodes) or "-") if held else "-"


PS: list[Column[Job]] = [
    Column("NAME", lambda j: j.name),
    Column("ID", lambda j: j.id, wide=True),
    Column("USER", lambda j: j.user, rank=8),
    Column("PROJECT", lambda j: j.project, wide=True),
    Column("QUEUE", lambda j: j.queue, wide=True),
    Column("PRIORITY", lambda j: j.priority, wide=True),
    Column("STATE", text.state),
    Column("GPU", text.gpus, rank=6),
    Column("TIME", text.job_time, rank=5),
    Column("NODES", nodes, rank=7),
    Column("CREATED", lambda j: text.moment(j.created_at), wide=True),
    Column("STARTED", lambda j: text.moment(j.started_at), wide=True),
    Column("ENDED", lambda j: text.moment(j.ended_at), wide=True),
    Column("PLACE/REASON", text.place),
]
HISTORY: list[Column[Job]] = [
    Column("NAME", lambda j: j.name),
    Column("ID", lambda j: j.id, wide=True),
    Column("USER", lambda j: j.user, rank=8),
    Column("STATE", lambda j: j.state),
    Column("GPU", text.gpus, rank=6),
    Column(
        "WAITED",
        lambda j: text.took((j.started_at or j.ended_at or text.now()) - j.created_at),
        rank=7,
    ),
    Column("RAN", lambda j: text.job_time(j) if j.started_at else "-", rank=4),
    Column("ENDED", lambda j: text.moment(j.ended_at), rank=5),
    Column("PLACE/CAUSE", text.place),
]

States = Annotated[
    list[str] | None, typer.Option("--state", "-s", help="Only this state. Repeatable.")
]
Queues = Annotated[list[str] | None, typer.Option("--queue", "-q", help="Only these queues.")]
User = Annotated[str | None, typer.Option("--user", "-u", help="Only this user.")]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--label", "-l", help="Only jobs with the label key=value.", callback=bulk.key_values
    ),
]
NamePart = Annotated[
    str | None, typer.Option("--name", help="Only names that contain this text.", metavar="PART")
]
Limit = Annotated[
    int, typer.Option("--limit", "-n", min=1, max=100_000, help="Maximum number of jobs.")
]
Order = Annotated[
    str, typer.Option("--sort", help="-createdAt, createdAt, -priority or name.", metavar="ORDER")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the result without changing anything.")
]
Jobs = Annotated[
    list[str],
    typer.Argument(
        metavar="JOB...",
        help="Full names in the current project, or ids.",
        autocompletion=complete_job,
    ),
]
SomeJobs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[JOB...]",
        help="Full names in the current project, or ids.",
        autocompletion=complete_job,
    ),
]
Project = Annotated[str | None, typer.Option("--project", "-p", help="Only this project.")]


def newest(fl: Fairlead, limit: int, **filters: object) -> Sequence[Job]:
    """The newest jobs up to the limit. Reports on stderr whether more exist."""
    found = list(itertools.islice(fl.jobs.list(**filters), limit + 1))  # type: ignore[arg-type]
    if len(found) > limit:
        say(f"showing the newest {limit}; for more: --limit")
    return found[:limit]


@verb(
    app,
    "ps",
    "List active jobs, running first, or all jobs with --all",
    "fairlead ps",
    "fairlead ps --me",
    "fairlead ps --all --state FAILED",
    "fairlead ps --name sft",
    "fairlead ps --watch",
    "fairlead ps -o csv --columns NAME,STATE,GPU,TIME",
)
def ps(
    context: typer.Context,
    all_: Annotated[bool, typer.Option("--all", "-a", help="Ended ones too.")] = False,
    state: States = None,
    queue: Queues = None,
    user: User = None,
    me: Annotated[bool, typer.Option("--me", help="Only your jobs.")] = False,
    label: Labels = None,
    name: NamePart = None,
    project: Project = None,
    sort: Annotated[
        str | None,
        typer.Option("--sort", help="-createdAt, createdAt, -priority or name.", metavar="ORDER"),
    ] = None,
    limit: Limit = 500,
    output: Output = Format.TABLE,
    columns: Columns = None,
    watch: Watch = False,
) -> None:
    if me and user:
        raise UsageProblem("--me means --user with your name: give only one of the two")
    running_first = not (state or all_ or sort)
    states = [one.upper() for one in state] if state else None if all_ else ACTIVE
    picked = chosen(PS, output, columns)
    watch = watched(watch, output)
    tables = (Format.TABLE, Format.WIDE)
    view = "BASIC" if output in (*tables, Format.CSV, Format.NAME) else "FULL"
    with client(context) as fl:
        filters: dict[str, Any] = {
            "project": project or session(context).project,
            "queue": queue,
            "user": fl.me().user if me else user,
            "label": label,
        }

        def look() -> Sequence[Job]:
            order: dict[str, Any] = {"order_by": sort or "-createdAt", "view": view, **filters}
            order["name_contains"] = name
            if not running_first:
                return newest(fl, limit, state=states, **order)
            found = list(itertools.islice(fl.jobs.list(state=states, **order), limit + 1))
            if len(found) <= limit:
                return sorted(found, key=lambda job: job.state not in HOLDING)
            first = list(itertools.islice(fl.jobs.list(state=HOLDING, **order), limit))
            waiting = fl.jobs.list(state=WAITING, **order)
            return [*first, *itertools.islice(waiting, limit - len(first))]

        if watch:
            repeat(lambda: table(look(), picked, width()))
        empty = "no jobs" if all_ or state else "no active jobs; ended jobs: fairlead ps --all"
        found = look()
        show_all(found, PS, output, columns, name=lambda j: j.name, empty=empty)
        if len(found) >= COUNTED and output in tables and not name:
            say(counted(fl.jobs.summary(state=states, **filters), len(found)))


def counted(counts: Sequence[models.CountResponse], shown: int) -> str:
    """12 running, 1,988 queued. 500 of 2,000 shown: --limit"""
    order = {state: at for at, state in enumerate([*HOLDING, *WAITING])}
    by = sorted(counts, key=lambda one: order.get(one.group["state"], len(order)))
    line = ", ".join(f"{one.jobs:,} {one.group['state'].lower()}" for one in by if one.jobs)
    total = sum(one.jobs for one in by)
    return line + (f". {shown:,} of {total:,} shown: --limit" if shown < total else "")


@verb(
    app,
    "job history",
    "List jobs that have ended",
    "fairlead job history --since 24h",
    "fairlead job history --since 30d --until 7d --state FAILED",
    "fairlead job history --since 7d -o csv > jobs.csv",
)
def history(
    context: typer.Context,
    since: Annotated[
        str, typer.Option("--since", help="Only jobs submitted within this time.")
    ] = "7d",
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            help="Only jobs submitted before this time, or longer ago than this duration.",
        ),
    ] = None,
    state: States = None,
    queue: Queues = None,
    user: User = None,
    label: Labels = None,
    name: NamePart = None,
    project: Project = None,
    limit: Limit = 500,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    chosen(HISTORY, output, columns)
    states = [one.upper() for one in state] if state else sorted(ENDED)
    with client(context) as fl:
        found = newest(
            fl,
            limit,
            project=project or session(context).project,
            state=states,
            queue=queue,
            user=user,
            label=label,
            name_contains=name,
            created_after=since_time(since),
            created_before=since_time(until),
        )
    show_all(
        found, HISTORY, output, columns, name=lambda j: j.name, empty=f"no job ended in {since}"
    )


@verb(
    app,
    "get",
    "Show one job",
    "fairlead get llama-sft",
    "fairlead get llama-sft -o yaml > again.yaml",
    "fairlead get llama-sft -o json",
    more="-o yaml prints the job file without empty fields and defaults, -o json all fields.",
)
def get(
    context: typer.Context,
    job: JobName,
    full: Annotated[bool, typer.Option("--full", help="With -o yaml, print defaults too.")] = False,
    output: Output = Format.TABLE,
) -> None:
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
    if output is Format.YAML and found.spec is not None:
        emit(job_file(found, full=full))
        return
    show(found, output, lambda: reports.details(found), found.name)


@verb(
    app,
    "why",
    "Explain why a job waits, and what would let it start",
    "fairlead why llama-sft",
    "fairlead why llama-sft -o json",
    "fairlead why --at 2030-01-31T08:00 llama-sft",
    more="With --at, the explanation recorded for that time. For an ended job, also its recorded "
    "decisions.",
)
def why(
    context: typer.Context,
    job: JobName,
    at: Annotated[
        str | None, typer.Option("--at", help="A time, or a duration before now.")
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    then = since_time(at)
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
        if then is not None:
            held(found, fl.jobs.decisions(found.id, at=then), then, output)
            return
        decided = of_ended(fl, found)
        explanation = fl.jobs.explain(found.id)
        began = warm_start(fl, found)
        attempts = fl.jobs.attempts(found.id) if text.unreachable(found) else ()
    show(
        explanation,
        output,
        lambda: (
            "".join(unreachable.explained(found, attempts))
            or reports.explained(found, explanation) + began + past(decided)
        ),
        found.name,
    )


@verb(
    app,
    "cancel",
    "Cancel jobs by name, or all jobs that match a filter",
    "fairlead cancel llama-sft",
    "fairlead cancel sweep-a sweep-b --wait",
    "fairlead cancel --user ana --state QUEUED",
    "fairlead cancel --label sweep=lr-7 --dry-run",
    more="Counts the jobs that match the filter and asks for confirmation, unless -y is given. If the "
    "count has changed by then, nothing is cancelled. A project set by --project, "
    "FAIRLEAD_PROJECT or fairlead config set project limits the command to its jobs.",
)
def cancel(
    context: typer.Context,
    jobs: SomeJobs = None,
    state: States = None,
    queue: Queues = None,
    user: User = None,
    label: Labels = None,
    project: Annotated[
        str | None,
        typer.Option("--project", "-p", help="Only this project. The current project by default."),
    ] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until all processes have ended.")
    ] = False,
    output: Output = Format.TABLE,
) -> None:
    if not jobs:
        of = project or session(context).project_in_use()
        filters = bulk.picked_out(state, queue, user, label, of)
        if wait or output is not Format.TABLE:
            raise UsageProblem("--wait and --output are for jobs that are named")
        with client(context) as fl:
            bulk.cancel_found(fl, filters, yes, dry_run)
        return
    if state or queue or user or label:
        raise UsageProblem("name jobs or give a filter, not both")
    with client(context) as fl:
        found = meant(context, fl, jobs, project)  # all are known before the first is cancelled
        told = [fl.jobs.cancel(job.id, validate_only=dry_run) for job in found]
        if wait and not dry_run:
            told = [fl.jobs.wait(job.id) for job in told]
    if output is not Format.TABLE:
        show_all(told, PS, output, name=lambda j: j.name)
        return
    for job in told:
        emit(f"{job.name} {'would be ' if dry_run else 'is '}{job.state}\n")


def meant(
    context: typer.Context, fl: Fairlead, jobs: Sequence[str], project: str | None = None
) -> list[Job]:
    """The jobs with these ids, or with these full names in the current project. A prefix, or a name in
    another project, could match the wrong job."""
    of = project or session(context).project_in_use()
    return [fl.jobs.only(one, project=of) for one in jobs]


def act(context: typer.Context, jobs: list[str], action: str, dry_run: bool, form: Format) -> None:
    with client(context) as fl:
        found = meant(context, fl, jobs)  # all are known before the first is touched
        told = [getattr(fl.jobs, action)(job.id, validate_only=dry_run) for job in found]
    if form is not Format.TABLE:
        show_all(told, PS, form, name=lambda j: j.name)
        return
    for job in told:
        emit(f"{job.name} {'would be ' if dry_run else 'is '}{job.state}\n")


@verb(
    app,
    "suspend",
    "Suspend jobs: stop their processes and release their GPUs",
    "fairlead suspend llama-sft",
    more="fairlead resume queues them again; they restart from their checkpoints.",
)
def suspend(
    context: typer.Context, jobs: Jobs, dry_run: DryRun = False, output: Output = Format.TABLE
) -> None:
    act(context, jobs, "suspend", dry_run, output)


@verb(
    app, "resume", "Resume suspended jobs: they return to their queue", "fairlead resume llama-sft"
)
def resume(
    context: typer.Context, jobs: Jobs, dry_run: DryRun = False, output: Output = Format.TABLE
) -> None:
    act(context, jobs, "resume", dry_run, output)


@verb(
    app,
    "job requeue",
    "Stop jobs and queue them again, or end their back-off",
    "fairlead job requeue llama-sft",
)
def requeue(
    context: typer.Context, jobs: Jobs, dry_run: DryRun = False, output: Output = Format.TABLE
) -> None:
    act(context, jobs, "requeue", dry_run, output)


@verb(
    app,
    "job delete",
    "Delete ended jobs with all their data",
    "fairlead job delete hello-gpu",
    "fairlead job delete sweep-a sweep-b -y",
    more="Asks for confirmation. Without a terminal, -y is required.",
)
def delete(
    context: typer.Context,
    jobs: Jobs,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        found = meant(context, fl, jobs)  # all are known before the first is deleted
        names = text.safe(text.listed(job.name for job in found))
        if not yes and not dry_run:
            bulk.confirmed(f"Delete {names}?")
        for job in found:
            fl.jobs.delete(job.id, validate_only=dry_run)
            emit(f"{text.safe(job.name)} {'would be' if dry_run else 'is'} deleted\n")


@verb(
    app,
    "job update",
    "Change the priority, time limit, deadline, labels or workers of a job",
    "fairlead job update llama-sft --priority high",
    "fairlead job update llama-sft --max-runtime 72h --label team=nlp",
    "fairlead job update sweep --workers 16",
    more="--max-runtime none and --deadline none remove the limit, --label key= removes a label. "
    "Running attempts continue.",
)
def update(
    context: typer.Context,
    job: OneJob,
    priority: Annotated[str | None, typer.Option(help="low, normal, high or urgent.")] = None,
    max_runtime: Annotated[str | None, typer.Option(help="Such as 4h, or none.")] = None,
    deadline: Annotated[
        str | None,
        typer.Option(help="Time when the job is stopped, such as 2026-03-01T18:00:00Z, or none."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="New number of workers. A running elastic job grows or shrinks to this size.",
        ),
    ] = None,
    label: Annotated[list[str] | None, typer.Option("--label", "-l", help="key=value.")] = None,
    dry_run: DryRun = False,
    output: Output = Format.TABLE,
) -> None:
    change: dict[str, object] = {}
    if priority is not None:
        change["priorityClass"] = priority
    if max_runtime is not None:
        change["maxRuntime"] = None if max_runtime == "none" else max_runtime
    if deadline is not None:
        change["deadline"] = None if deadline == "none" else deadline
    if workers is not None:
        change["workers"] = workers
    pairs = [pair.partition("=") for pair in label or ()]
    if any(not equals or not key for key, equals, _ in pairs):
        raise UsageProblem("--label is key=value")
    if pairs:
        change["labels"] = {key: value or None for key, _, value in pairs}
    if not change:
        raise UsageProblem(
            "nothing to change: --priority, --max-runtime, --deadline, --workers or --label"
        )
    with client(context) as fl:
        changed = fl.jobs.patch(meant(context, fl, [job])[0].id, change, validate_only=dry_run)
    show(changed, output, lambda: reports.details(changed), changed.name)


@verb(
    app,
    "job report",
    "Summarize a job: wait, run time, GPU-hours, attempts and the cause of a failure",
    "fairlead job report llama-sft",
    "fairlead job report llama-sft -o json",
)
def report(context: typer.Context, job: JobName, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
        attempts: Sequence[models.AttemptResponse] = fl.jobs.attempts(found.id)
    whole = reports.accounted(found, attempts)
    show(whole, output, lambda: reports.account(found, attempts), found.name)


def warm_start(fl: Fairlead, job: Job) -> str:
    """The warm pool that a session comes from, or the reason why it comes from none."""
    if not job.spec or "session" not in job.spec.labels:
        return ""
    for event in fl.jobs.events(job.id):
        if event.type == "JobTaken":
            return f"It was taken from warm pool {text.safe(event.data['warmPool'])}.\n"
        if event.type == "JobSubmitted" and "noWarmPool" in event.data:
            return f"No warm pool: {text.safe(event.data['noWarmPool'])}.\n"
    return ""
