"""Verbs of pools."""

from __future__ import annotations

import base64
from datetime import datetime, timezone
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from fairlead import Conflict, models
from fairlead.cli import bulk, text
from fairlead.cli.actions import Yes, noun
from fairlead.cli.output import Column, Format, emit, say, show, show_all
from fairlead.cli.session import Columns, Output, client, help_text, verb

pool_app = noun("Create, change and delete pools.")


def selects(pool: models.PoolResponse) -> str:
    """The selector in one line."""
    wanted = pool.selector
    parts = [*wanted.clusters, *wanted.models]
    parts += [f"{key}={value}" for key, value in wanted.match_labels.items()]
    for part in wanted.match_expressions:
        values = f" ({', '.join(part.values)})" if part.values else ""
        parts.append(f"{part.key} {part.operator}{values}")
    return text.safe(text.listed(parts))


def spared(pool: models.PoolResponse) -> str:
    """Available spares, with the rule."""
    return f"{pool.spare_nodes} ({pool.spares})" if pool.spares else "-"


def clock(at: datetime, zone: str) -> str:
    """Returns the local time of the zone, or UTC if this machine does not have the zone."""
    try:
        return at.astimezone(ZoneInfo(zone)).strftime("%a %Y-%m-%d %H:%M %Z")
    except (KeyError, ValueError):
        return at.astimezone(timezone.utc).strftime("%a %Y-%m-%d %H:%M UTC")


def opened(windows: list[str] | None, leftover: str | None, lead: str | None) -> dict[str, Any]:
    """Windows from the options."""
    wanted: dict[str, Any] = {}
    if windows:
        wanted["windows"] = [window(each) for each in windows]
    if leftover in ("EVICT", "FINISH"):
        wanted.update(leftoverPolicy=leftover, leftoverLimit=None)
    elif leftover is not None:
        wanted.update(leftoverPolicy="EXTEND_UP_TO", leftoverLimit=leftover)
    if lead is not None:
        wanted["windowLead"] = lead
    return wanted


def window(given: str) -> dict[str, str]:
    """0 22 * * 1-5 for 8h in Europe/Berlin as a window."""
    cron, separated, rest = given.partition(" for ")
    duration, zoned, zone = rest.partition(" in ")
    if not separated or not zoned:
        raise typer.BadParameter(
            f'--window takes "CRON for DURATION in TIMEZONE", not {text.safe(given)!r}'
        )
    return {"cron": cron.strip(), "duration": duration.strip(), "timezone": zone.strip()}


def opens(pool: models.PoolResponse) -> str:
    """Its windows in one line."""
    parts = [f"{each.cron} for {each.duration} in {each.timezone}" for each in pool.windows]
    return text.safe("; ".join(parts)) or "always"


POOLS: list[Column[models.PoolResponse]] = [
    Column("NAME", lambda p: p.name),
    Column("TENANT", lambda p: p.tenant or "shared"),
    Column("NODES", lambda p: p.nodes),
    Column("GPUS", lambda p: p.gpus),
    Column("SPARES", spared, rank=6),
    Column("ELSEWHERE", lambda p: p.nodes_elsewhere, rank=5),
    Column("SELECTS", selects, rank=4),
    Column("OPEN", opens, rank=3),
    Column("DESCRIPTION", lambda p: text.safe(p.description) or "-", wide=True),
    Column("ID", lambda p: p.id, wide=True),
]

Name = Annotated[str, typer.Argument(metavar="POOL", help="Name or id.")]
Clusters = Annotated[list[str] | None, typer.Option("--cluster", help="Nodes of this cluster.")]
Models = Annotated[list[str] | None, typer.Option("--model", help="Nodes with this GPU model.")]
Labels = Annotated[
    list[str] | None, typer.Option("--label", help="Nodes with the label key=value.")
]
Owner = Annotated[str | None, typer.Option("--owner", help="Only accept jobs of this tenant.")]
Spares = Annotated[
    str | None,
    typer.Option(help='Spare nodes reserved for gangs that lose a node to a fault, as "1 per 32".'),
]
Windows = Annotated[
    list[str] | None,
    typer.Option(
        "--window",
        help='Window in which the nodes accept work, as "0 22 * * 1-5 for 8h in Europe/Berlin"; '
        "repeatable.",
    ),
]
Leftover = Annotated[
    str | None,
    typer.Option(
        help="Action on work that still runs when a window closes: EVICT, FINISH, or a grace "
        "period such as 30m."
    ),
]
Lead = Annotated[
    str | None,
    typer.Option(
        "--lead",
        help="With --leftover FINISH: time before the close during which a job starts only if it "
        "ends in time.",
    ),
]
OPENINGS: list[Column[models.OpeningResponse]] = [
    Column("OPENS", lambda o: clock(o.start, o.timezone)),
    Column("CLOSES", lambda o: clock(o.end, o.timezone)),
    Column("TIMEZONE", lambda o: o.timezone),
    Column("OPENS UTC", lambda o: o.start.isoformat(), wide=True),
    Column("CLOSES UTC", lambda o: o.end.isoformat(), wide=True),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only print the resulting configuration.")]


@verb(
    pool_app,
    "list",
    "List pools: named sets of nodes",
    "fairlead pool list",
    "fairlead pool list -o yaml",
)
def pools(context: typer.Context, output: Output = Format.TABLE, columns: Columns = None) -> None:
    with client(context) as fl:
        found = fl.pools.list()
    show_all(found, POOLS, output, columns, name=lambda p: p.name, empty="no pools")
    for warning in (w for pool in found for w in pool.warnings):
        say(f"warning: {text.safe(warning)}")


def selector(
    clusters: list[str] | None, models_: list[str] | None, labels: list[str] | None
) -> dict[str, Any]:
    wanted: dict[str, Any] = {}
    if clusters:
        wanted["clusters"] = clusters
    if models_:
        wanted["models"] = models_
    if labels:
        pairs = [label.partition("=") for label in labels]
        if any(not equals for _, equals, _ in pairs):
            raise typer.BadParameter("--label takes key=value")
        wanted["matchLabels"] = {key: value for key, _, value in pairs}
    return wanted


def told(pool: models.PoolResponse, dry_run: bool) -> None:
    emit(
        f"pool {pool.name} {'would have' if dry_run else 'has'} "
        f"{pool.nodes} nodes and {pool.gpus} GPUs\n"
    )
    for warning in pool.warnings:
        say(f"warning: {text.safe(warning)}")


@pool_app.command(
    "create",
    help=help_text(
        "Create a pool of the nodes that match every option. --cluster and --model are "
        "repeatable. Any of their values matches. With --owner, the nodes only accept jobs of "
        "that tenant. For operators.",
        "fairlead pool create research --cluster eu-1 --label team=research --owner acme",
        "fairlead pool create big --model H200 --model B200 --dry-run",
    ),
    short_help="Create a pool",
)
def create(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A DNS label. Cannot be changed later.")
    ],
    cluster: Clusters = None,
    model: Models = None,
    label: Labels = None,
    owner: Owner = None,
    description: Annotated[str | None, typer.Option(help="For people.")] = None,
    spares: Spares = None,
    windows: Windows = None,
    leftover: Leftover = None,
    lead: Lead = None,
    dry_run: DryRun = False,
) -> None:
    body: dict[str, Any] = {"name": name, "selector": selector(cluster, model, label)}
    if owner is not None:
        body["tenant"] = owner
    if description is not None:
        body["description"] = description
    if spares is not None:
        body["spares"] = spares
    body.update({k: v for k, v in opened(windows, leftover, lead).items() if v is not None})
    with client(context) as fl:
        told(fl.pools.create(body, validate_only=dry_run), dry_run)


@pool_app.command(
    "change",
    help=help_text(
        "Change the node selection, owner, spares or windows of a pool. Each given option "
        "replaces that part of the selector. Running jobs continue.",
        "fairlead pool change research --label team=research",
        "fairlead pool change research --shared",
        'fairlead pool change research --spares "1 per 32"',
        'fairlead pool change night --window "0 22 * * * for 8h in Europe/Berlin" --leftover 30m',
    ),
    short_help="Change a pool",
)
def change(
    context: typer.Context,
    name: Name,
    cluster: Clusters = None,
    model: Models = None,
    label: Labels = None,
    owner: Owner = None,
    shared: Annotated[bool, typer.Option("--shared", help="Without an owner.")] = False,
    spares: Spares = None,
    windows: Windows = None,
    leftover: Leftover = None,
    lead: Lead = None,
    always: Annotated[bool, typer.Option("--always", help="Without windows.")] = False,
    dry_run: DryRun = False,
) -> None:
    if always and (windows or leftover or lead):
        raise typer.BadParameter("--always cannot be combined with --window, --leftover or --lead")
    patch: dict[str, Any] = {}
    if wanted := selector(cluster, model, label):
        patch["selector"] = wanted
    if owner is not None or shared:
        patch["tenant"] = None if shared else owner
    if spares is not None:
        patch["spares"] = spares
    patch.update(opened(windows, leftover, lead))
    if always:
        patch.update(windows=None, leftoverPolicy=None, leftoverLimit=None, windowLead=None)
    with client(context) as fl:
        found = fl.pools.get(name)
        changed = fl.pools.update(name, patch, version=found.version, validate_only=dry_run)
    told(changed, dry_run)


@pool_app.command(
    "delete",
    help=help_text(
        "Delete a pool. Its nodes move to the next pool that selects them, or to no pool. Jobs that "
        "name it wait.",
        "fairlead pool delete research -y",
    ),
    short_help="Delete a pool",
)
def delete(
    context: typer.Context,
    name: Name,
    yes: Yes = False,
) -> None:
    with client(context) as fl:
        found = fl.pools.get(name)
        if not yes:
            bulk.confirmed(f"Delete pool {found.name} with {found.nodes} nodes?")
        fl.pools.delete(name, version=found.version)
    emit(f"pool {found.name} is deleted\n")


@pool_app.command(
    "windows",
    help=help_text(
        "List the next windows in which the nodes of a pool accept work, in the local time of "
        "each window's zone. An open window starts now.",
        "fairlead pool windows night --next 10",
    ),
    short_help="List the next openings of a pool",
)
def windows(
    context: typer.Context,
    name: Name,
    count: Annotated[int, typer.Option("--next", min=1, max=100, help="How many.")] = 10,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.pools.windows(name, next=count)
    show_all(
        found,
        OPENINGS,
        output,
        columns,
        name=lambda o: o.start.isoformat(),
        empty=f"pool {text.safe(name)} is always open",
    )


@pool_app.command(
    "get",
    help=help_text("Show one pool.", "fairlead pool get research -o yaml"),
    short_help="Show one pool",
)
def get(context: typer.Context, name: Name, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        found = fl.pools.get(name)
    show(
        found,
        output,
        lambda: (
            f"{found.name}  {found.nodes} nodes  {found.gpus} GPUs  {selects(found)}  "
            f"open {opens(found)}\n"
        ),
        found.name,
    )


REQUESTS: list[Column[models.SupplyRequestResponse]] = [
    Column("KEY", lambda r: r.id),
    Column("STATE", lambda r: r.state),
    Column("NODES", lambda r: r.asked_for),
    Column("ASKED", lambda r: r.asked_at.isoformat(timespec="seconds")),
    Column("READY", lambda r: sum(n.ready_at is not None for n in r.nodes)),
    Column("HANDED BACK", lambda r: sum(n.returned_at is not None for n in r.nodes), rank=4),
    Column("MESSAGE", lambda r: text.safe(r.message) or "-", rank=3),
    Column("NAMES", lambda r: text.listed([n.name for n in r.nodes]) or "-", wide=True),
]
supply_app = noun("Configure the node provisioner of a pool.")
pool_app.add_typer(supply_app, name="supply", short_help="Configure the node provisioner of a pool")


@supply_app.command(
    "get",
    help=help_text(
        "Show the nodes that a pool's provisioner could add now, and its requests. For platform "
        "roles.",
        "fairlead pool supply get burst",
        "fairlead pool supply get burst -o yaml",
    ),
    short_help="Show the supply of a pool",
)
def supply(context: typer.Context, name: Name, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        found = fl.pools.supply(name)
    if output not in (Format.TABLE, Format.WIDE):
        show(found, output, lambda: "", found.pool)
        return
    out = (
        f", none until about {found.stock_out.until.isoformat(timespec='minutes')} after "
        if found.stock_out
        else ""
    )
    if found.stock_out:
        out += f"{found.stock_out.refusals} refusals"
        misfit = found.stock_out.misfit
        out += (
            f": {text.safe(misfit)}. Correct the configuration and set the supply again"
            if misfit
            else ""
        )
    emit(
        f"{found.pool}  {found.node.model} x{found.node.gpus} on {found.cluster}  {found.room} of "
        f"{found.max_nodes} can be requested, {found.coming} are coming{out}\n"
    )
    show_all(found.requests, REQUESTS, output, None, name=lambda r: r.id, empty="no requests")


def asked(
    url: str | None,
    ca: typer.FileText | None,
    provisioning_class: str | None,
    parameters: list[str] | None,
) -> dict[str, Any]:
    """The provisioner of a supply: exactly one of a webhook and an autoscaler."""
    if (url is None) == (provisioning_class is None):
        raise typer.BadParameter("give either --url or --provisioning-class")
    if url is None:
        if ca is not None:
            raise typer.BadParameter("--ca needs --url")
        request: dict[str, Any] = {"className": provisioning_class}
        pairs = [parameter.partition("=") for parameter in parameters or []]
        if any(not equals for _, equals, _ in pairs):
            raise typer.BadParameter("--parameter takes key=value")
        if pairs:
            request["parameters"] = {key: value for key, _, value in pairs}
        return {"provisioningRequest": request}
    if parameters:
        raise typer.BadParameter("--parameter needs --provisioning-class")
    webhook: dict[str, Any] = {"url": url}
    if ca is not None:
        webhook["caData"] = base64.b64encode(ca.read().encode()).decode()
    return {"webhook": webhook}


@supply_app.command(
    "set",
    help=help_text(
        "Set the source of a pool's nodes: a provisioner over HTTPS, or the autoscaler of the cluster. "
        "The response contains the key that signs the calls to the provisioner. For operators.",
        "fairlead pool supply set burst --cluster us-2 --model H100 --gpus 8 --cpu 96 --memory 1000Gi "
        "--max 8 --url https://provisioner.example.com/nodes",
        "fairlead pool supply set burst --cluster us-2 --model H100 --gpus 8 --cpu 96 --memory 1000Gi "
        "--max 0 --url https://provisioner.example.com/nodes --dry-run",
        "fairlead pool supply set burst --cluster us-2 --model H100 --gpus 8 --cpu 96 --memory 1000Gi "
        "--max 8 --label cloud.google.com/gke-nodepool=h100 "
        "--provisioning-class best-effort-atomic-scale-up.autoscaling.x-k8s.io",
    ),
    short_help="Set the supply of a pool",
)
def set_supply(
    context: typer.Context,
    name: Name,
    cluster: Annotated[str, typer.Option(help="Cluster that the nodes join.")],
    model: Annotated[str, typer.Option(help="GPU model of each node.")],
    gpus: Annotated[int, typer.Option(min=1, max=64, help="GPUs of each node.")],
    cpu: Annotated[str, typer.Option(help="Allocatable CPU cores of each node.")],
    memory: Annotated[str, typer.Option(help="Allocatable memory of each node, such as 1000Gi.")],
    most: Annotated[
        int, typer.Option("--max", min=0, max=256, help="Maximum number of nodes at a time.")
    ],
    url: Annotated[str | None, typer.Option(help="HTTPS address of the provisioner.")] = None,
    provisioning_class: Annotated[
        str | None,
        typer.Option(
            help="Use the cluster's autoscaler through ProvisioningRequests of this class."
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", help="key=value of the provisioning class."),
    ] = None,
    capacity: Annotated[str, typer.Option(help="RESERVED, ON_DEMAND or SPOT.")] = "ON_DEMAND",
    gpu_memory: Annotated[
        str | None, typer.Option(help="Memory of each GPU, such as 80Gi.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", help="key=value that each node has.")
    ] = None,
    release_after: Annotated[
        str | None, typer.Option(help="Idle time after which a node is returned.")
    ] = None,
    ready_within: Annotated[
        str | None, typer.Option(help="Time limit for the arrival of requested nodes.")
    ] = None,
    ca: Annotated[
        typer.FileText | None,
        typer.Option(help="PEM certificates of the provisioner's private CA."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    node: dict[str, Any] = {
        "model": model,
        "gpus": gpus,
        "capacity": capacity,
        "cpu": cpu,
        "memory": memory,
    }
    if gpu_memory is not None:
        node["gpuMemory"] = gpu_memory
    if label:
        node["labels"] = selector(None, None, label)["matchLabels"]
    body: dict[str, Any] = {"cluster": cluster, "node": node, "maxNodes": most}
    body |= asked(url, ca, provisioning_class, parameter)
    if release_after is not None:
        body["releaseAfter"] = release_after
    if ready_within is not None:
        body["readyWithin"] = ready_within
    with client(context) as fl:
        made = fl.pools.set_supply(name, body, validate_only=dry_run)
    if dry_run:
        emit(f"pool {made.pool} would get up to {made.max_nodes} nodes from its provisioner\n")
        return
    signed = f"; calls are signed with\n{made.signing_key}" if made.signing_key else ""
    emit(f"pool {made.pool} gets up to {made.max_nodes} nodes{signed}\n")


@supply_app.command(
    "delete",
    help=help_text(
        "Remove the supply of a pool. Refused while nodes of its provisioner exist or may still "
        "arrive.",
        "fairlead pool supply delete burst -y",
        "fairlead pool supply delete burst --force --reason 'the account was closed'",
    ),
    short_help="Remove the supply of a pool",
)
def remove_supply(
    context: typer.Context,
    name: Name,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Remove it even if nodes of a lost provisioner exist. These nodes remain and are "
            "billed.",
        ),
    ] = False,
    reason: Annotated[
        str | None, typer.Option("--reason", help="Reason for --force, recorded in the audit log.")
    ] = None,
    yes: Yes = False,
) -> None:
    if force != (reason is not None):
        raise typer.BadParameter("--force and --reason require each other")
    with client(context) as fl:
        if force:
            try:
                fl.pools.remove_supply(name, validate_only=True)
            except Conflict as stays:
                say(text.safe(stays.detail or stays.title))
        if not yes:
            bulk.confirmed(f"Remove the supply of pool {text.safe(name)}?")
        fl.pools.remove_supply(name, force_reason=reason)
    emit(f"pool {text.safe(name)} has no provisioner\n")
