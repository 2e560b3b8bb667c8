"""Commands that show the fleet."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import listing
from fairlead.cli.jobs import PS
from fairlead.cli.output import (
    Column,
    Format,
    Line,
    chosen,
    paint,
    say,
    show,
    show_all,
    table,
    terminal,
    width,
)
from fairlead.cli.pools import clock
from fairlead.cli.session import Columns, Output, UsageProblem, Watch, client, verb
from fairlead.cli.watching import repeat, watched

TOP_JOBS = 200
EXIT_WARNING = 30
EXIT_PROBLEM = 31
TOP = [column for column in PS if not column.wide and column.name != "ID"]
app = typer.Typer()


def gang(one: models.CapacityResponse, level: str) -> str:
    return next((text.amount(g.gpus) for g in one.largest_gang if g.level == level), "-")


def isolation(can: models.Capabilities) -> str:
    """Number of isolation features with a refused probe, and the names of unenforced features."""
    if not can.isolation:
        return "-"
    enforced = sum(feature.state == "ENFORCED" for feature in can.isolation)
    none = [feature.name for feature in can.isolation if feature.state == "NOT_ENFORCED"]
    return f"{enforced} of {len(can.isolation)}" + (f", not {', '.join(none)}" if none else "")


GPUS: list[Column[models.CapacityResponse]] = [
    Column("CLUSTER", lambda c: c.cluster),
    Column("POOL", lambda c: c.pool or "-", wide=True),
    Column("MODEL", lambda c: c.model),
    Column("TYPE", lambda c: c.capacity_type, rank=7),
    Column("TOTAL", lambda c: text.amount(c.total)),
    Column("FREE", lambda c: text.amount(c.free)),
    Column("USED", lambda c: text.amount(c.allocated), rank=5),
    Column("UNHEALTHY", lambda c: text.amount(c.unhealthy), rank=6),
    Column("CORDONED", lambda c: text.amount(c.cordoned), rank=6),
    Column("FOREIGN", lambda c: text.amount(c.foreign), wide=True),
    Column("KEPT", lambda c: text.amount(c.kept), wide=True),
    Column("SPARE", lambda c: text.amount(c.spare), wide=True),
    Column(
        "LARGEST GANG",
        lambda c: text.listed(f"{text.amount(g.gpus)} in one {g.level}" for g in c.largest_gang),
        rank=8,
    ),
]
GPU_MODELS: list[Column[models.GpuModelResponse]] = [
    Column("MODEL", lambda m: m.name),
    Column("MEMORY", lambda m: m.memory),
    Column("PRODUCT", lambda m: m.product, rank=3),
    Column("MIG", lambda m: text.listed(m.mig_profiles), rank=5),
    Column("LABEL HAS", lambda m: text.listed(m.keys), wide=True),
    Column("MACHINES", lambda m: text.listed(m.machines), wide=True),
]
NODES: list[Column[models.NodeResponse]] = [
    Column("NAME", lambda n: n.name),
    Column("CLUSTER", lambda n: n.cluster, rank=2),
    Column("STATE", lambda n: n.state),
    Column("POOL", lambda n: n.pool or "-", wide=True),
    Column("TYPE", lambda n: n.capacity_type or "-", wide=True),
    Column("MODEL", lambda n: n.gpu_model or "-"),
    Column("GPU", lambda n: text.amount(n.allocatable.gpu)),
    Column("USED", lambda n: text.amount(n.allocated.gpu)),
    Column("UNHEALTHY", lambda n: sum(g.state != "HEALTHY" for g in n.gpus), rank=3),
    Column("CPU", lambda n: f"{n.allocated.cpu} of {n.allocatable.cpu}", rank=4),
    Column("MEMORY", lambda n: f"{n.allocated.memory} of {n.allocatable.memory}", rank=5),
    Column("TOPOLOGY", lambda n: text.listed(f"{k} {v}" for k, v in n.topology.items()), wide=True),
    Column("ID", lambda n: n.id, wide=True),
]
CLUSTERS: list[Column[models.ClusterResponse]] = [
    Column("NAME", lambda c: c.name),
    Column("KIND", lambda c: c.kind, rank=5),
    Column("STATE", lambda c: c.state),
    Column("NODES", lambda c: c.nodes),
    Column("GPUS", lambda c: c.gpus),
    Column("TYPE", lambda c: c.capacity_type, rank=4),
    Column("FENCE", lambda c: c.capabilities.fence, wide=True),
    Column("ISOLATION", lambda c: isolation(c.capabilities), wide=True),
    Column("VERSION", lambda c: c.version or "-", wide=True),
    Column("ID", lambda c: c.id, wide=True),
    Column(
        "SEEN", lambda c: f"{text.ago(c.last_seen_at)} ago" if c.last_seen_at else "never", rank=3
    ),
    Column("TROUBLE", lambda c: c.trouble or "-"),
]


DEVICES: list[Column[models.DeviceResponse]] = [
    Column("CLUSTER", lambda d: d.cluster, rank=4),
    Column("NODE", lambda d: d.node),
    Column("GPU", lambda d: d.index),
    Column("MODEL", lambda d: d.model, rank=5),
    Column("STATE", lambda d: d.state),
    Column("USED", lambda d: text.amount(d.allocated)),
    Column("SERIAL", lambda d: d.serial, rank=6),
    Column("HOLDER", lambda d: holder(d)),
]


def holder(device: models.DeviceResponse) -> str:
    own = [f"{one.name} {one.member}" for one in device.holders]
    return text.listed([*own, "others"] if device.others else own) or "-"


def life(known: models.KnownGpuResponse, changes: Sequence[models.GpuChangeResponse]) -> str:
    where = f"node {known.node} of {known.cluster}"
    if known.missing_since is not None:
        where = f"unknown since {known.missing_since:%Y-%m-%d %H:%M} UTC, last in {where}"
    lines = [f"GPU {known.serial or known.uuid} ({known.uuid}): {where}"]
    lines += [f"  {c.at:%Y-%m-%d %H:%M:%S} {c.kind} {c.text}" for c in changes]
    return "".join(f"{text.safe_line(line)}\n" for line in lines)


@verb(
    app,
    "gpus",
    "Show GPUs in total and free",
    "fairlead gpus",
    "fairlead gpus --watch",
    "fairlead gpus --each --node eu-1-gpu-0004",
    "fairlead gpus --serial 1653922031544",
    "fairlead gpus --each --serial 1653922031544",
    "fairlead gpus --models",
)
def gpus(
    context: typer.Context,
    output: Output = Format.TABLE,
    columns: Columns = None,
    watch: Watch = False,
    each: Annotated[
        bool, typer.Option("--each", help="List each device with its serial number and holder.")
    ] = False,
    node: Annotated[str | None, typer.Option(help="With --each: only this node.")] = None,
    serial: Annotated[
        str | None,
        typer.Option(
            help="History of one GPU by serial number or UUID, for operators. With --each, its "
            "holder."
        ),
    ] = None,
    models_: Annotated[
        bool, typer.Option("--models", help="GPU models in the catalogue, with memory and MIG.")
    ] = False,
) -> None:
    if models_ and (each or watch or node is not None or serial is not None):
        raise UsageProblem("--models lists the catalogue and takes no other option")
    if models_:
        with client(context) as fl:
            known_models = fl.gpu_models()
        show_all(
            known_models, GPU_MODELS, output, columns, name=lambda m: m.name, empty="no models"
        )
        return
    if serial is not None and node is not None:
        raise UsageProblem("name one GPU with --serial, or a node with --node")
    if serial is not None and not each:
        with client(context) as fl:
            known, changes = fl.gpu(serial), list(fl.gpu_history(serial))
        show(known, output, lambda: life(known, changes), known.uuid)
        return
    if each or node is not None:
        with client(context) as fl:
            devices = list(fl.gpus(node=node, serial=serial))
        show_all(devices, DEVICES, output, columns, name=lambda d: d.serial, empty="no GPUs")
        return
    picked = chosen(GPUS, output, columns)
    watch = watched(watch, output)
    with client(context) as fl:
        if watch:
            repeat(lambda: table(fl.capacity(), picked, width()))
        name = lambda c: f"{c.cluster}/{c.model}"  # noqa: E731
        show_all(
            fl.capacity(), GPUS, output, columns, name=name, empty="no GPUs: fairlead cluster list"
        )


FLAKY_NODES: list[Column[models.FlakyNodeResponse]] = [
    Column("NODE", lambda n: n.node),
    Column("CLUSTER", lambda n: n.cluster),
    Column("POINTS", lambda n: str(n.points)),
    Column("FLAKY", lambda n: "yes" if n.flaky_node else "-"),
    Column("BY", lambda n: ", ".join(f"{p.times} {p.kind.lower()}" for p in n.parts)),
    Column("WORST GPU", lambda n: (n.gpus[0].serial or n.gpus[0].gpu) if n.gpus else "-", rank=6),
]


@verb(
    app,
    "node list",
    "List nodes",
    "fairlead node list",
    "fairlead node list --cluster eu-1 -o wide",
    "fairlead node list --flaky-nodes",
)
def nodes(
    context: typer.Context,
    cluster: Annotated[
        str | None, typer.Option("--cluster", "-c", help="Only this cluster.")
    ] = None,
    flaky_nodes: Annotated[
        bool, typer.Option("--flaky-nodes", help="Show evidence of flaky nodes, worst first.")
    ] = False,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        if flaky_nodes:
            worst = [n for n in fl.flaky_nodes() if cluster is None or n.cluster == cluster]
            show_all(
                worst,
                FLAKY_NODES,
                output,
                columns,
                name=lambda n: n.node,
                empty="no evidence against any node",
            )
            return
        found = list(fl.nodes(cluster=cluster))
    show_all(found, NODES, output, columns, name=lambda n: n.name, empty="no nodes")


CHECKS: list[Column[models.DoctorCheck]] = [
    Column("VERDICT", lambda c: c.verdict),
    Column("AREA", lambda c: c.area),
    Column("SUBJECT", lambda c: c.subject),
    Column("FOUND", lambda c: c.found),
]


def advice(checks: Sequence[models.DoctorCheck]) -> Iterator[str]:
    for one in checks:
        if one.next is not None:
            yield f"{one.area} {one.subject}: {one.next}"


@verb(
    app,
    "doctor",
    "Check the installation and print the next step for each problem",
    "fairlead doctor",
    "fairlead doctor --all",
    "fairlead doctor -o json",
    more="Checks the database, its backup, roles, migrations, leases, loops, clocks, clusters, keys, "
    "partitions, retention and the audit log. Exits with 0 if all checks pass, 30 with warnings "
    "only, 31 with a problem. If a request fails, with the code of that request. Needs a "
    "platform role.",
)
def doctor(
    context: typer.Context,
    everything: Annotated[bool, typer.Option("--all", "-a", help="Include passed checks.")] = False,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        checks = fl.checks()
    wrong = [one for one in checks if one.verdict != "OK"]
    shown = checks if everything or output not in (Format.TABLE, Format.WIDE) else wrong
    show_all(
        shown,
        CHECKS,
        output,
        columns,
        name=lambda c: f"{c.area}/{c.subject}",
        empty=f"{len(checks)} checks, all is well",
    )
    if output in (Format.TABLE, Format.WIDE):
        for line in advice(wrong):
            say(line)
    if wrong:
        raise typer.Exit(
            EXIT_PROBLEM if any(c.verdict == "PROBLEM" for c in wrong) else EXIT_WARNING
        )


@verb(
    app,
    "config installation",
    "Show the installation; after a restore, declare its database the live one",
    "fairlead config installation",
    "fairlead config installation --raise-incarnation-from 1",
)
def installation(
    context: typer.Context,
    raise_from: Annotated[
        int | None,
        typer.Option(
            "--raise-incarnation-from",
            metavar="NUMBER",
            help="Current incarnation. Change nothing if the incarnation differs.",
        ),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    with client(context) as fl:
        found = fl.installation() if raise_from is None else fl.raise_incarnation(raise_from)
    show(found, output, lambda: f"{found.id}  incarnation {found.incarnation}\n", found.id)
    if raise_from is not None:
        say(
            "Clusters with differences that were only reported are reconciled again: fairlead cluster list"
        )


@verb(
    app, "cluster list", "List clusters", "fairlead cluster list", "fairlead cluster list -o yaml"
)
@listing(CLUSTERS, "no clusters")
def clusters(fl: Fairlead) -> Iterable[models.ClusterResponse]:
    return fl.clusters.list()


GPU_STACK: list[Column[models.GpuComponent]] = [
    Column("PART", lambda c: c.part),
    Column("STATE", lambda c: c.state),
    Column("VERSION", lambda c: versions(c)),
    Column("REASON", lambda c: c.reason or "-"),
]


@verb(
    app,
    "cluster gpu-stack",
    "Show the versions of the GPU software on a cluster",
    "fairlead cluster gpu-stack eu-1",
    "fairlead cluster gpu-stack eu-1 -o json",
)
@listing(GPU_STACK, "it was not checked yet", lambda c: c.part)
def gpu_stack(
    fl: Fairlead, cluster: Annotated[str, typer.Argument(metavar="CLUSTER", help="Name or id.")]
) -> Iterable[models.GpuComponent]:
    return fl.clusters.get(cluster).capabilities.gpu_stack


def versions(part: models.GpuComponent) -> str:
    """`570.124.06 on 6 nodes, 550.90.07 on 2 nodes`."""
    return (
        ", ".join(
            f"{text.safe(each.version)} on {each.nodes} nodes" if each.nodes else each.version
            for each in part.versions
        )
        or "-"
    )


CHANGES: list[Column[models.LimitChangeResponse]] = [
    Column("FROM", lambda c: clock(c.start, c.timezone)),
    Column("UNTIL", lambda c: clock(c.end, c.timezone) if c.end else "-"),
    Column("FLAVOR", lambda c: c.flavor),
    Column("RESOURCE", lambda c: c.resource),
    Column("NOMINAL", lambda c: "no limit" if c.nominal is None else text.amount(c.nominal)),
    Column(
        "BORROWS",
        lambda c: "no limit" if c.borrowing_limit is None else text.amount(c.borrowing_limit),
    ),
]


@verb(
    app,
    "quota windows",
    "Show the current and next limits of a queue or quota with windows",
    "fairlead quota windows research --next 10",
)
def quota_windows(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="QUOTA", help="Name or id.")],
    count: Annotated[int, typer.Option("--next", min=1, max=100, help="How many.")] = 10,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.quotas.windows(name, next=count)
    show_all(
        found,
        CHANGES,
        output,
        columns,
        name=lambda c: c.start.isoformat(),
        empty=f"the limits of {text.safe(name)} are the same at all times",
    )


@verb(
    app,
    "job top",
    "Show GPUs and the jobs that use most of them, live on a terminal",
    "fairlead job top",
)
def top(context: typer.Context) -> None:
    with client(context) as fl:
        if terminal():
            repeat(lambda: overview(fl))
        paint(overview(fl))


def overview(fl: Fairlead) -> list[Line]:
    running = list(
        itertools.islice(fl.jobs.list(state=["RUNNING", "STARTING", "ADMITTED"]), TOP_JOBS)
    )
    waiting = list(itertools.islice(fl.jobs.list(state="QUEUED"), TOP_JOBS))
    by_use = sorted(running, key=lambda j: -j.gpus.allocated) + waiting
    cells = width()
    more = "+" if len(waiting) == TOP_JOBS else ""
    count = Line([(f"{len(running)} jobs run or start, {len(waiting)}{more} wait", "")])
    return [
        *table(fl.capacity(), GPUS, cells),
        Line(),
        count,
        *table(by_use, TOP, cells),
    ]
