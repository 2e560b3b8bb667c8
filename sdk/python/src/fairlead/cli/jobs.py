"""Verbs that read and end jobs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Annotated

import typer

from fairlead import Fairlead, Job, NotFound, models
from fairlead._time import ENDED, Deadline
from fairlead.cli import bulk, happenings, text, unseen
from fairlead.cli import report as reports
from fairlead.cli.copying import OutputCopy
from fairlead.cli.decisions import held, of_ended, past
from fairlead.cli.output import GAP, Column, Format, chosen, emit, say, show, show_all, table, width
from fairlead.cli.session import (
    Columns,
    JobName,
    OneJob,
    Output,
    UsageProblem,
    Watch,
    client,
    complete_job,
    hints,
    session,
    since_time,
    verb,
)
from fairlead.cli.watching import EXIT_INTERRUPTED, follow, repeat
from fairlead.states import JobState

ACTIVE = [one.value for one in JobState if one not in ENDED]
app = typer.Typer()

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
    Column("NODES", lambda j: len(j.placement.nodes) or "-", rank=7),
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
    list[str] | None, typer.Option("--state", "-s", help="Only these; may be repeated.")
]
Queues = Annotated[list[str] | None, typer.Option("--queue", "-q", help="Only of these queues.")]
User = Annotated[str | None, typer.Option("--user", "-u", help="Only of this user.")]
Labels = Annotated[list[str] | None, typer.Option("--label", "-l", help="Only with key=value.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="At most so many.")]
Order = Annotated[
    str, typer.Option("--sort", help="-createdAt, createdAt, -priority or name.", metavar="ORDER")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")]
Jobs = Annotated[
    list[str],
    typer.Argument(
        metavar="JOB...",
        help="Whole names in the project in use, or ids.",
        autocompletion=complete_job,
    ),
]
SomeJobs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[JOB...]",
        help="Whole names in the project in use, or ids.",
        autocompletion=complete_job,
    ),
]
Project = Annotated[str | None, typer.Option("--project", "-p", help="Only of this project.")]


def newest(fl: Fairlead, limit: int, **filters: object) -> Sequence[Job]:
    """The newest so many; says on stderr when there are more."""
    found = list(itertools.islice(fl.jobs.list(**filters), limit + 1))  # type: ignore[arg-type]
    if len(found) > limit:
        say(f"the newest {limit}; there are more: --limit")
    return found[:limit]


@verb(
    app,
    "ps",
    "List jobs: those that have not ended, or all with --all",
    "fairlead ps",
    "fairlead ps --all --state FAILED",
    "fairlead ps --watch",
    "fairlead ps -o csv --columns NAME,STATE,GPU,TIME",
)
def ps(
    context: typer.Context,
    all_: Annotated[bool, typer.Option("--all", "-a", help="Ended ones too.")] = False,
    state: States = None,
    queue: Queues = None,
    user: User = None,
    label: Labels = None,
    project: Project = None,
    sort: Order = "-createdAt",
    limit: Limit = 500,
    output: Output = Format.TABLE,
    columns: Columns = None,
    watch: Watch = False,
) -> None:
    states = [one.upper() for one in state] if state else None if all_ else ACTIVE
    picked = chosen(PS, output, columns)
    with client(context) as fl:

        def look() -> Sequence[Job]:
            view = (
                "BASIC"
                if output in (Format.TABLE, Format.WIDE, Format.CSV, Format.NAME)
                else "FULL"
            )
            return newest(
                fl,
                limit,
                project=project or session(context).project,
                state=states,
                queue=queue,
                user=user,
                label=label,
                order_by=sort,
                view=view,
            )

        if watch and output in (Format.TABLE, Format.WIDE):
            repeat(lambda: table(look(), picked, width()))
        empty = "no jobs" if all_ or state else "no active jobs; ended ones: fairlead ps --all"
        show_all(look(), PS, output, columns, name=lambda j: j.name, empty=empty)


@verb(
    app,
    "history",
    "List jobs that have ended",
    "fairlead history --since 24h",
    "fairlead history --state FAILED",
    "fairlead history --since 7d -o csv > jobs.csv",
)
def history(
    context: typer.Context,
    since: Annotated[str, typer.Option("--since", help="Submitted in this time.")] = "7d",
    state: States = None,
    queue: Queues = None,
    user: User = None,
    label: Labels = None,
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
            created_after=since_time(since),
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
    more="With -o yaml the file that fairlead submit takes, with -o json everything that is known of it.",
)
def get(context: typer.Context, job: JobName, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
    if output is Format.YAML and found.spec is not None:
        emit(reports.job_file(found))
        return
    show(found, output, lambda: reports.details(found), found.name)


@verb(
    app,
    "why",
    "Say why a job waits, with the numbers, and what would let it start",
    "fairlead why llama-sft",
    "fairlead why llama-sft -o json",
    "fairlead why --at 2030-01-31T08:00 llama-sft",
    more="With --at what held then. Of a job that has ended also what was decided of it.",
)
def why(
    context: typer.Context,
    job: JobName,
    at: Annotated[str | None, typer.Option("--at", help="At this time, or so long ago.")] = None,
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
        attempts = fl.jobs.attempts(found.id) if text.unseen(found) else ()
    show(
        explanation,
        output,
        lambda: (
            "".join(unseen.explained(found, attempts))
            or reports.explained(found, explanation) + past(decided)
        ),
        found.name,
    )


@verb(
    app,
    "logs",
    "Print what a member of a job writes",
    "fairlead logs llama-sft",
    "fairlead logs -f llama-sft",
    "fairlead logs llama-sft --member worker-3 --tail 100",
    more="With -f a job that waits is waited for, and its output is followed until it ends.",
)
def logs(
    context: typer.Context,
    job: JobName,
    follow_: Annotated[bool, typer.Option("--follow", "-f", help="Until it ends.")] = False,
    member: Annotated[str | None, typer.Option(help="Role and index, such as worker-0.")] = None,
    attempt: Annotated[int | None, typer.Option(min=1, help="Number of the attempt.")] = None,
    element: Annotated[int | None, typer.Option(min=0, help="Index in an array job.")] = None,
    tail: Annotated[
        int | None, typer.Option("--tail", "-n", min=0, help="The last lines only.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="Since a time, or a duration ago.")] = None,
) -> None:
    after = since_time(since)
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
        if follow_ and not found.ended and attempt is None and element is None:
            follow(fl, found, logs=True, member=member, since=after, tail=tail)
            return
        try:
            following = follow_ and not found.ended
            number = attempt or (newest_attempt(fl, found, element) if following else 0)
            if following and number and tail is None:
                copy = OutputCopy(fl, found.id, number, member=member, element=element, since=after)
                copy.go_on(False, Deadline(None))
                return
            for line in fl.jobs.logs(
                found.id,
                follow=following,
                member=member,
                attempt=attempt,
                element=element,
                tail=tail,
                since_time=after,
            ):
                emit(line + "\n")
        except NotFound as nothing:
            never = found.ended and found.attempt == 0
            why = "It never started, so there is no output." if never else nothing.detail
            say(f"{found.name} is {text.state(found)}. {why}")
            if found.pending:
                say(hints(found, "logs -f", "why"))
            raise typer.Exit(3) from None
        except KeyboardInterrupt:
            say(f"\nDetached: {found.name} goes on.")
            raise typer.Exit(EXIT_INTERRUPTED) from None


def newest_attempt(fl: Fairlead, job: Job, element: int | None) -> int:
    return max((one.number for one in fl.jobs.attempts(job.id, element=element)), default=0)


@verb(
    app,
    "cancel",
    "Cancel jobs, by name or all that a filter finds",
    "fairlead cancel llama-sft",
    "fairlead cancel sweep-a sweep-b --wait",
    "fairlead cancel --user ana --state QUEUED",
    "fairlead cancel --label sweep=lr-7 --dry-run",
    more="Those that a filter finds are counted first, and you are asked, unless with -y. When they"
    " are more or fewer by then, nothing is cancelled. With a project in use, by --project,"
    " FAIRLEAD_PROJECT or fairlead config set project, those of other projects are left alone.",
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
        typer.Option("--project", "-p", help="Of this project; the one in use when absent."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: DryRun = False,
    wait: Annotated[bool, typer.Option("--wait", help="Until nothing of them runs.")] = False,
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
    """The jobs of these ids, or of these whole names in the project in use: a beginning, or a name in
    another project, could be that of another job."""
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
    "Hold jobs back: what runs of them stops and gives its GPUs back",
    "fairlead suspend llama-sft",
    more="fairlead resume lets them wait for a place again; they start anew from their checkpoints.",
)
def suspend(
    context: typer.Context, jobs: Jobs, dry_run: DryRun = False, output: Output = Format.TABLE
) -> None:
    act(context, jobs, "suspend", dry_run, output)


@verb(app, "resume", "Let suspended jobs wait for a place again", "fairlead resume llama-sft")
def resume(
    context: typer.Context, jobs: Jobs, dry_run: DryRun = False, output: Output = Format.TABLE
) -> None:
    act(context, jobs, "resume", dry_run, output)


@verb(
    app,
    "requeue",
    "Stop jobs and let them wait for a place anew, or end their back-off",
    "fairlead requeue llama-sft",
)
def requeue(
    context: typer.Context, jobs: Jobs, dry_run: DryRun = False, output: Output = Format.TABLE
) -> None:
    act(context, jobs, "requeue", dry_run, output)


@verb(
    app,
    "delete",
    "Delete jobs that have ended, with all that is known of them",
    "fairlead delete hello-gpu",
    "fairlead delete sweep-a sweep-b -y",
    more="Asks before it does so; without a terminal -y is needed.",
)
def delete(
    context: typer.Context,
    jobs: Jobs,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
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
    "update",
    "Change a job: its priority, its time limit, its deadline, its labels, its workers",
    "fairlead update llama-sft --priority high",
    "fairlead update llama-sft --max-runtime 72h --label team=nlp",
    "fairlead update sweep --workers 16",
    more="--max-runtime none and --deadline none take the limit away, --label key= a label. What runs "
    "goes on.",
)
def update(
    context: typer.Context,
    job: OneJob,
    priority: Annotated[str | None, typer.Option(help="low, normal, high or urgent.")] = None,
    max_runtime: Annotated[str | None, typer.Option(help="Such as 4h, or none.")] = None,
    deadline: Annotated[
        str | None,
        typer.Option(help="When it has to be over, such as 2026-03-01T18:00:00Z, or none."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="What runs elastic grows or shrinks to it.")
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
    "events",
    "List what happened to a job, oldest first, or follow what happens",
    "fairlead events llama-sft",
    "fairlead events --since 2h",
    "fairlead events -f",
    "fairlead events -f llama-sft -o jsonl",
)
def events(
    context: typer.Context,
    job: Annotated[
        str | None,
        typer.Argument(
            metavar="[JOB]",
            help="Name, id, or a beginning of one; with -f all jobs without it.",
            autocompletion=complete_job,
            show_default=False,
        ),
    ] = None,
    following: Annotated[
        bool, typer.Option("--follow", "-f", help="Print events as they happen, until Ctrl-C.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(help="Begin behind the event with this id, at a time, or a duration ago."),
    ] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    if job is None and not following and since is None:
        raise UsageProblem("name a job, say --since when, or follow all of them with -f")
    with client(context) as fl:
        only = None if job is None else fl.jobs.find(job, project=session(context).project).id
        names = happenings.Names(fl)
        kinds = happenings.columns(names, of_one_job=only is not None)
        picked = chosen(kinds, output, columns)
        if not following:
            happened = list(
                fl.jobs.events(only)
                if only is not None and since is None
                else fl.events.list(job=only, since=since)
            )
            if only is None:
                names.learn(happened)
            show_all(happened, kinds, output, columns, name=lambda e: e.id, empty="no events")
            return
        form = Format.JSONL if output is Format.JSON else output
        for event in fl.events.stream(job=only, since=since):
            names.learn([event])
            line = GAP.join(text.safe(column.of(event)) for column in picked)
            show(event, form, lambda line=line: line + "\n", event.id)  # type: ignore[misc]


@verb(
    app,
    "report",
    "Account for a job: waiting, running, GPU hours, attempts and the cause of a failure",
    "fairlead report llama-sft",
    "fairlead report llama-sft -o json",
)
def report(context: typer.Context, job: JobName, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
        attempts: Sequence[models.AttemptResponse] = fl.jobs.attempts(found.id)
    whole = reports.accounted(found, attempts)
    show(whole, output, lambda: reports.account(found, attempts), found.name)
