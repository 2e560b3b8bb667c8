"""Commands that take nodes and clusters out of service and back, and long-running operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from fairlead import Fairlead, NotFound, models
from fairlead.cli import domains, text
from fairlead.cli.actions import listing
from fairlead.cli.output import Column, Format, emit, say, show, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, duration, verb
from fairlead.cli.watching import EXIT_CANCELLED, EXIT_INTERRUPTED

app = typer.Typer()

OPERATIONS: list[Column[models.OperationResponse]] = [
    Column("ID", lambda o: o.id),
    Column("KIND", lambda o: o.kind),
    Column("SUBJECT", lambda o: o.subject.name),
    Column("STATE", lambda o: o.state),
    Column("DONE", lambda o: f"{o.metadata.percent} %"),
    Column("BY", lambda o: o.actor, rank=6),
    Column("AGE", lambda o: text.ago(o.created_at), rank=5),
    Column("STEP", lambda o: o.metadata.step),
]
ANode = Annotated[str, typer.Argument(metavar="NODE", help="Name or id of a node.")]
ACluster = Annotated[str, typer.Argument(metavar="CLUSTER", help="Name or id of a cluster.")]
Deadline = Annotated[
    str | None, typer.Option(help="Time limit for the drain, or a duration from now such as 2h.")
]
AtDeadline = Annotated[
    str | None,
    typer.Option(
        help="Action at the deadline: wait (default), or stop, which includes non-preemptible jobs."
    ),
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until the node or cluster is empty.")]
Timeout = Annotated[
    str | None, typer.Option(help="With --wait: stop waiting after this time, such as 30m.")
]


@contextmanager
def node_named(fl: Fairlead, name: str, verb: str) -> Iterator[None]:
    """Raises UsageProblem with the right command if a cluster has the name and no node."""
    try:
        yield
    except NotFound:
        if any(one.name == name for one in fl.clusters.list()):
            right = f"fairlead cluster {verb} {name}"
            raise UsageProblem(f"{name} is a cluster, not a node: {right}") from None
        raise


@verb(
    app,
    "node cordon",
    "Stop placing jobs on a node. Running jobs continue",
    "fairlead node cordon eu-1-gpu-0004",
)
def cordon(context: typer.Context, node: ANode) -> None:
    with client(context) as fl, node_named(fl, node, "cordon"):
        done = fl.nodes.cordon(node)
    emit(f"node {done.name} of {done.cluster} is cordoned\n")
    say(f"Next: fairlead node uncordon {node}")


@verb(
    app,
    "node uncordon",
    "Uncordon a node and cancel its drain",
    "fairlead node uncordon eu-1-gpu-0004",
)
def uncordon(context: typer.Context, node: ANode) -> None:
    with client(context) as fl, node_named(fl, node, "uncordon"):
        done = fl.nodes.uncordon(node)
    emit(f"node {done.name} of {done.cluster} is uncordoned\n")
    say("It becomes ACTIVE when its cluster reports it as schedulable: fairlead node list")


@verb(
    app,
    "node drain",
    "Drain a node: preemptible jobs move, others run to their end",
    "fairlead node drain eu-1-gpu-0004",
    "fairlead node drain eu-1-gpu-0004 --wait",
    "fairlead node drain eu-1-gpu-0004 --deadline 2h --at-deadline stop",
)
def drain(
    context: typer.Context,
    node: ANode,
    deadline: Deadline = None,
    at_deadline: AtDeadline = None,
    wait: Wait = False,
    timeout: Timeout = None,
    output: Output = Format.TABLE,
) -> None:
    patience = None if timeout is None else duration("--timeout", timeout).total_seconds()
    then = at_deadline.upper() if at_deadline else None
    with client(context) as fl, node_named(fl, node, "drain"):
        drained(
            fl, fl.nodes.drain(node, deadline=deadline, at_deadline=then), wait, patience, output
        )


@verb(
    app,
    "cluster cordon",
    "Stop placing jobs on a cluster. Running jobs continue",
    "fairlead cluster cordon eu-1",
)
def cordon_cluster(context: typer.Context, cluster: ACluster) -> None:
    with client(context) as fl:
        emit(f"cluster {fl.clusters.cordon(cluster).name} is cordoned\n")
    say(f"Next: fairlead cluster uncordon {cluster}")


@verb(
    app,
    "cluster uncordon",
    "Uncordon a cluster and cancel its drain",
    "fairlead cluster uncordon eu-1",
)
def uncordon_cluster(context: typer.Context, cluster: ACluster) -> None:
    with client(context) as fl:
        emit(f"cluster {fl.clusters.uncordon(cluster).name} is uncordoned\n")


@verb(
    app,
    "cluster drain",
    "Drain a cluster: preemptible jobs move, others run to their end",
    "fairlead cluster drain eu-1 --wait",
    "fairlead cluster drain eu-1 --deadline 2h --at-deadline stop",
)
def drain_cluster(
    context: typer.Context,
    cluster: ACluster,
    deadline: Deadline = None,
    at_deadline: AtDeadline = None,
    wait: Wait = False,
    timeout: Timeout = None,
    output: Output = Format.TABLE,
) -> None:
    patience = None if timeout is None else duration("--timeout", timeout).total_seconds()
    then = at_deadline.upper() if at_deadline else None
    with client(context) as fl:
        begun = fl.clusters.drain(cluster, deadline=deadline, at_deadline=then)
        drained(fl, begun, wait, patience, output)


def drained(
    fl: Fairlead,
    begun: models.OperationResponse,
    wait: bool,
    patience: float | None,
    output: Format,
) -> None:
    """Prints the drain, at its end with --wait."""
    if wait:
        begun = followed(fl, begun, patience)
    show(begun, output, lambda: f"{line(begun)}\n", begun.id)
    if not begun.done:
        say(f"Next: fairlead node operations {begun.id}")
    if begun.state == "CANCELLED":
        raise typer.Exit(EXIT_CANCELLED)


INCIDENTS: list[Column[models.IncidentResponse]] = [
    Column("ID", lambda i: i.id),
    Column("NODE", lambda i: where(i)),
    Column("CLUSTER", lambda i: i.cluster, rank=5),
    Column("GPU", lambda i: i.serial or i.gpu or "-", rank=3),
    Column("CAUSE", lambda i: i.cause),
    Column("STATE", lambda i: "ended" if i.ended_at else "open"),
    Column("REPAIR", lambda i: i.step, rank=4),
    Column("EVENTS", lambda i: i.events, wide=True),
    Column("AGE", lambda i: text.ago(i.opened_at), rank=6),
    Column("DONE", lambda i: i.isolation, rank=7),
]
Reason = Annotated[str, typer.Option("--reason", "-r", help="Reason, recorded with the action.")]


@verb(
    app,
    "incident list",
    "List faults of nodes and GPUs with the action taken, newest first",
    "fairlead incident list",
    "fairlead incident list --open --node eu-1-gpu-0004",
)
@listing(INCIDENTS, "no incidents", lambda i: i.id)
def incidents(
    fl: Fairlead,
    node: Annotated[str | None, typer.Option("--node", help="Only this node.")] = None,
    open_only: Annotated[bool, typer.Option("--open", help="Only open incidents.")] = False,
) -> Iterable[models.IncidentResponse]:
    return fl.incidents.list(node=node, open=open_only)


@verb(
    app,
    "incident get",
    "Show a fault, the action taken and the next step",
    "fairlead incident get inc_01k... -o yaml",
)
def incident(
    context: typer.Context,
    incident: Annotated[str, typer.Argument(metavar="INCIDENT", help="Id of the incident.")],
    output: Output = Format.TABLE,
) -> None:
    with client(context) as fl:
        one = fl.incidents.get(incident)
    show(one, output, lambda: story(one), one.id)


def where(one: models.IncidentResponse) -> str:
    more = len(one.nodes or []) - 1
    return f"{one.node} and {more} more" if more > 0 else one.node


def story(one: models.IncidentResponse) -> str:
    device = one.serial or one.gpu
    lines = [
        f"{one.cause} on {f'GPU {device}, ' if device else ''}node {where(one)} of {one.cluster}"
        + (f", job {one.job}, attempt {one.attempt}" if one.job else ""),
        f"  {text.ago(one.opened_at)} ago, {one.events} events, repair: {one.step}",
        f"  {one.isolation}",
    ]
    if one.quarantine is not None:
        lines.append(f"  {standing(one.quarantine)}")
    if one.unknown_holder is not None:
        asked = one.unknown_holder
        members = ", ".join(f"{c.member} of {text.safe(c.name)}" for c in asked.candidates)
        then = "all of them are stopped" if asked.then == "STOP" else "they continue"
        lines.append(f"  no source reports the holder. Candidates: {members}")
        lines.append(
            f"  decide by {asked.until:%Y-%m-%d %H:%M} UTC (drain the node, cancel a job, or "
            f"quarantine the node), then {then}"
        )
    return "\n".join(lines) + "\n"


def standing(quarantine: models.QuarantineResponse) -> str:
    scope = "only this GPU, " if quarantine.gpu is not None else ""
    if quarantine.released is not None:
        return f"{scope}released: {quarantine.released}"
    if quarantine.until is None:
        return f"{scope}held by {quarantine.owner} until it is released"
    return f"{scope}until {quarantine.until:%Y-%m-%d %H:%M} UTC" + (
        f", held by {quarantine.owner}" if quarantine.owner else " unless an operator holds it"
    )


Named = Annotated[
    str | None, typer.Argument(metavar="[NODE]", help="Name or id of a node.", show_default=False)
]
Domain = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL=NAME",
        help="A topology domain of --cluster instead of a node, such as rack=eu-1-r03.",
    ),
]
OfCluster = Annotated[str | None, typer.Option("--cluster", help="Of --domain.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation for a domain.")]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Print the nodes, and the jobs of a domain, without changing anything."
    ),
]


@verb(
    app,
    "node quarantine",
    "Quarantine a node or a topology domain for its health, independent of its cluster's reports",
    'fairlead node quarantine eu-1-gpu-0004 --reason "waits for a part"',
    'fairlead node quarantine eu-1-gpu-0004 --reason "strange noise" --lasts 2d',
    'fairlead node quarantine --cluster eu-1 --domain rack=eu-1-r03 --reason "cooling fails"',
)
def quarantine(
    context: typer.Context,
    reason: Reason,
    node: Named = None,
    domain: Domain = None,
    cluster: OfCluster = None,
    lasts: Annotated[
        str | None, typer.Option(help="Duration, such as 2d. Until released by default.")
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Quarantine even if it exceeds the circuit breaker."),
    ] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    one_place(node, domain, cluster)
    with client(context) as fl:
        if domain is not None and cluster is not None:
            domains.take_out(
                fl, cluster, domain, reason, lasts, force=force, yes=yes, dry_run=dry_run
            )
        elif node is not None and dry_run:
            emit(f"{text.safe(node)}\n")
        elif node is not None:
            for one in fl.nodes.quarantine(node, reason, lasts=lasts):
                emit(f"node {node}: {one.cause}; {standing(one)}\n")
    if not dry_run:
        say(
            f"Next: fairlead node release {node or f'--cluster {cluster} --domain {domain}'} --reason ..."
        )


@verb(
    app,
    "node release",
    "Release a node and close its incidents, or release a topology domain",
    'fairlead node release eu-1-gpu-0004 --reason "GPU exchanged"',
    'fairlead node release --cluster eu-1 --domain rack=eu-1-r03 --reason "cooled again"',
)
def release(
    context: typer.Context,
    reason: Reason,
    node: Named = None,
    domain: Domain = None,
    cluster: OfCluster = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    one_place(node, domain, cluster)
    with client(context) as fl:
        if domain is not None and cluster is not None:
            domains.take_back(fl, cluster, domain, reason, yes=yes, dry_run=dry_run)
        elif node is not None and dry_run:
            emit(f"{text.safe(node)}\n")
        elif node is not None:
            for one in fl.nodes.release(node, reason):
                emit(f"node {node}: released from {one.cause}\n")
    if not dry_run:
        say("It becomes ACTIVE when its cluster reports it as schedulable: fairlead node list")


def one_place(node: str | None, domain: str | None, cluster: str | None) -> None:
    if (node is None) == (domain is None) or (domain is None) != (cluster is None):
        raise UsageProblem("name a node, or a domain with --cluster and --domain LEVEL=NAME")


@verb(
    app,
    "node operations",
    "Show long-running operations, such as drains, with progress and current wait",
    "fairlead node operations",
    "fairlead node operations opr_01k...",
    "fairlead node operations opr_01k... --cancel",
)
def operations(
    context: typer.Context,
    operation: Annotated[
        str | None, typer.Argument(metavar="[OPERATION]", help="Id of one.", show_default=False)
    ] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="Give it up.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Until it has ended.")] = False,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    if operation is None:
        if cancel or wait:
            raise UsageProblem("--cancel and --wait need the id of one operation")
        with client(context) as fl:
            found = list(fl.operations.list())
        show_all(found, OPERATIONS, output, columns, name=lambda o: o.id, empty="no operations")
        return
    with client(context) as fl:
        one = fl.operations.cancel(operation) if cancel else fl.operations.get(operation)
        if wait:
            one = followed(fl, one, None)
    show(one, output, lambda: f"{line(one)}\n", one.id)


def followed(
    fl: Fairlead, operation: models.OperationResponse, seconds: float | None
) -> models.OperationResponse:
    """Reports each step on stderr until the end. Ctrl-C does not stop the operation."""
    shown, last = "", operation
    try:
        for last in fl.operations.watch(operation.id, timeout=seconds):
            if line(last) != shown:
                shown = line(last)
                say(shown)
        return last
    except KeyboardInterrupt:
        say(f"\nDetached: the operation continues. Next: fairlead node operations {operation.id}")
        raise typer.Exit(EXIT_INTERRUPTED) from None


def line(operation: models.OperationResponse) -> str:
    what = operation.kind.lower().replace("_", " ")
    progress = operation.metadata
    return (
        f"{operation.id}  {what} {text.safe(operation.subject.name)}: {operation.state.lower()}, "
        f"{progress.percent} %, {text.safe(progress.step)}"
    )
