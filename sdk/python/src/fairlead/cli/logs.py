"""Commands for the output and the events of a job."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead import Fairlead, Job, NotFound
from fairlead._time import Deadline
from fairlead.cli import happenings, text
from fairlead.cli.copying import OutputCopy, print_all
from fairlead.cli.output import GAP, Format, chosen, emit, say, show, show_all
from fairlead.cli.session import (
    Columns,
    JobName,
    Output,
    UsageProblem,
    client,
    complete_job,
    hints,
    session,
    since_time,
    verb,
)
from fairlead.cli.watching import EXIT_INTERRUPTED, follow

app = typer.Typer()


@verb(
    app,
    "logs",
    "Print the output of one member of a job",
    "fairlead logs llama-sft",
    "fairlead logs -f llama-sft",
    "fairlead logs llama-sft --member worker-3 --tail 100",
    "fairlead logs -f llama-sft --all",
    "fairlead logs llama-sft --container fetch",
    more="With -f, waits for a job that has not started and follows the output until the end. With "
    "--all, prefixes each line with its member. With --container, the container must have started.",
)
def logs(
    context: typer.Context,
    job: JobName,
    follow_: Annotated[bool, typer.Option("--follow", "-f", help="Until it ends.")] = False,
    member: Annotated[str | None, typer.Option(help="Role and index, such as worker-0.")] = None,
    container: Annotated[
        str | None, typer.Option(help="An init container or sidecar, while its pod exists.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="The output of all members.")] = False,
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
        if all_ and member is not None:
            raise UsageProblem("give --member or --all")
        if all_ and container is not None:
            raise UsageProblem("give --container or --all")
        if member is None and found.attempt and not all_:
            say_which(found, element)
        program = container is None and not all_
        if follow_ and not found.ended and attempt is None and element is None and program:
            follow(fl, found, logs=True, member=member, since=after, tail=tail)
            return
        try:
            if all_:
                print_all(fl, found, attempt, element, following=follow_, tail=tail, since=after)
                return
            following = follow_ and not found.ended
            whole = following and tail is None and container is None
            number = attempt or (newest_attempt(fl, found, element) if whole else 0)
            if whole and number:
                copy = OutputCopy(fl, found.id, number, member=member, element=element, since=after)
                copy.go_on(False, Deadline(None))
                return
            for line in fl.jobs.logs(
                found.id,
                follow=following,
                member=member,
                container=container,
                attempt=attempt,
                element=element,
                tail=tail,
                since_time=after,
            ):
                emit(line + "\n")
        except NotFound as nothing:
            never = found.ended and found.attempt == 0
            why = "The job never started, so there is no output." if never else nothing.detail
            say(f"{found.name} is {text.state(found)}. {why}")
            if url := in_platform(fl, found, member, attempt, element):
                say(f"Log store of the platform: {url}")
            if found.pending:
                say(hints(found, "logs -f", "why"))
            raise typer.Exit(3) from None
        except KeyboardInterrupt:
            say(f"\nDetached: {found.name} continues.")
            raise typer.Exit(EXIT_INTERRUPTED) from None


def say_which(job: Job, element: int | None) -> None:
    """Reports which member and element are shown if the job has several."""
    spec = job.spec
    several = spec is not None and ((spec.workers or 1) > 1 or bool(spec.roles))
    first = spec.roles[0].name if spec is not None and spec.roles else "worker"
    if job.array is not None and element is None:
        say("The output of element 0. Other elements: --element N")
    elif several:
        say(f"The output of {first}-0. Other members: --member, or --all")


def in_platform(
    fl: Fairlead, job: Job, member: str | None, attempt: int | None, element: int | None
) -> str | None:
    """The address of the output in the log store of the platform, of one member if it is named."""
    if member is None:
        return job.logs_url
    members = fl.jobs.members(job.id, attempt=attempt, element=element)
    return next((one.logs_url for one in members if f"{one.role}-{one.index}" == member), None)


def newest_attempt(fl: Fairlead, job: Job, element: int | None) -> int:
    return max((one.number for one in fl.jobs.attempts(job.id, element=element)), default=0)


@verb(
    app,
    "job events",
    "List or follow events of jobs, nodes, incidents and clusters, oldest first",
    "fairlead job events llama-sft",
    "fairlead job events --since 2h --node gpu-0042",
    "fairlead job events -f --type NodeNotice --type IncidentOpened",
    "fairlead job events -f llama-sft -o jsonl",
)
def events(
    context: typer.Context,
    job: Annotated[
        str | None,
        typer.Argument(
            metavar="[JOB]",
            help="Name, id, or a unique prefix. Default with -f: all jobs.",
            autocompletion=complete_job,
            show_default=False,
        ),
    ] = None,
    following: Annotated[
        bool, typer.Option("--follow", "-f", help="Print events as they happen, until Ctrl-C.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(help="Begin after the event with this id, at a time, or a duration ago."),
    ] = None,
    type_: Annotated[
        list[str] | None,
        typer.Option("--type", help="Show only events of this type. May be repeated."),
    ] = None,
    node: Annotated[str | None, typer.Option(help="Show only events of this node.")] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Show only events of this cluster, its nodes and its incidents."),
    ] = None,
    incident: Annotated[
        str | None,
        typer.Option(help="Show only events of the incident with this id and its quarantines."),
    ] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    if job is None and not following and since is None:
        raise UsageProblem("name a job, give --since, or follow all jobs with -f")
    with client(context) as fl:
        only = None if job is None else fl.jobs.find(job, project=session(context).project).id
        kinds = happenings.columns(of_one_job=only is not None)
        picked = chosen(kinds, output, columns)
        picks = {"type": type_, "node": node, "cluster": cluster, "incident": incident}
        named = {name: value for name, value in picks.items() if value}
        if not following:
            happened = list(
                fl.jobs.events(only)
                if only is not None and since is None and not named
                else fl.events.list(job=only, since=since, **named)  # type: ignore[arg-type]
            )
            show_all(happened, kinds, output, columns, name=lambda e: e.id, empty="no events")
            return
        form = Format.JSONL if output is Format.JSON else output
        for event in fl.events.stream(job=only, since=since, **named):  # type: ignore[arg-type]
            line = GAP.join(text.safe(column.of(event)) for column in picked)
            show(event, form, lambda line=line: line + "\n", event.id)  # type: ignore[misc]
