"""Commands for volumes of a project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer
from pydantic import BaseModel

from fairlead import Fairlead, models
from fairlead.cli import bulk, text
from fairlead.cli.actions import DryRun, Yes, listing, noun, showing
from fairlead.cli.output import Column, say
from fairlead.cli.session import client, help_text, verb

app = noun(
    "Claim storage that jobs mount. A volume is on the cluster where its first job was placed."
)

VOLUMES: list[Column[models.VolumeResponse]] = [
    Column("NAME", lambda v: v.name),
    Column("STATE", lambda v: v.state),
    Column("SIZE", lambda v: v.size),
    Column("ACCESS", lambda v: v.access),
    Column("CLUSTER", lambda v: v.cluster or ""),
    Column("CLAIM", lambda v: v.claim or "", rank=4),
    Column("CLASS", lambda v: v.storage_class or "", rank=5),
    Column("MADE", lambda v: text.moment(v.created_at), rank=6),
    Column("MESSAGE", lambda v: v.message or "", rank=7),
]
TRANSFERS: list[Column[models.VolumeTransferResponse]] = [
    Column("TRANSFER", lambda t: t.id),
    Column("FROM", lambda t: t.source or t.from_ or ""),
    Column("TO", lambda t: t.target),
    Column("CLUSTER", lambda t: t.cluster or ""),
    Column("PHASE", lambda t: t.phase),
    Column("DONE", lambda t: f"{t.bytes_done / 2**30:.1f} GiB" if t.bytes_total else ""),
    Column("TOTAL", lambda t: f"{t.bytes_total / 2**30:.1f} GiB" if t.bytes_total else ""),
    Column("MOVED", lambda t: text.ago(t.moved_at), rank=4),
    Column("WRITTEN BY", lambda t: t.written_by or "", rank=6),
    Column("MESSAGE", lambda t: t.message, rank=5),
]
HOURS: list[Column[models.VolumeHoursLine]] = [
    Column("PROJECT", lambda line: text.safe(line.project)),
    Column("VOLUME", lambda line: line.volume),
    Column("CLUSTER", lambda line: text.safe(line.cluster)),
    Column("CLASS", lambda line: line.storage_class or ""),
    Column("SIZE", lambda line: f"{line.size_gib} GiB"),
    Column("FROM", lambda line: line.from_.isoformat(timespec="minutes")),
    Column("TO", lambda line: line.to.isoformat(timespec="minutes")),
    Column("GIB-HOURS", lambda line: f"{line.gib_hours:.1f}"),
]
BREAKERS: list[Column[models.VolumeBreakerResponse]] = [
    Column("CLUSTER", lambda one: one.cluster),
    Column("MISSING", lambda one: str(one.missing)),
    Column("CLAIMS", lambda one: str(one.claims)),
    Column("SINCE", lambda one: text.ago(one.since)),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A DNS label of at most 40 characters.")]
Transfer = Annotated[
    str | None,
    typer.Option("--transfer", metavar="ID", help="Transfer id. The open transfer by default."),
]
Project = Annotated[
    str | None, typer.Option("--project", "-p", help="Project. The current project by default.")
]


@app.command(
    "list",
    help=help_text(
        "List volumes with their clusters, including deleted volumes with a claim that remains on a "
        "cluster.",
        "fairlead volume list",
        "fairlead volume list --project nlp -o json",
    ),
    short_help="List volumes",
)
@listing(VOLUMES, "no volumes")
def list_volumes(fl: Fairlead, project: Project = None) -> Iterable[models.VolumeResponse]:
    return fl.volumes.list(project=project)


@app.command(
    "show",
    help=help_text(
        "Show the state of a volume and its claim on the cluster.",
        "fairlead volume show training",
    ),
    short_help="Show a volume and its claim",
)
@showing
def show_volume(fl: Fairlead, name: Name, project: Project = None) -> BaseModel:
    return fl.volumes.get(name, project=project)


@verb(
    app,
    "create",
    "Claim a volume",
    "fairlead volume create training --size 500Gi --access ReadWriteMany",
    "fairlead volume create scratch --size 100Gi --class fast --no-retain",
    more="It has no cluster until the first job that mounts it is placed.",
)
def create(
    context: typer.Context,
    name: Name,
    size: Annotated[str, typer.Option("--size", metavar="SIZE", help="Such as 100Gi.")],
    storage_class: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="CLASS", help="Storage class. Default: the default of the cluster."
        ),
    ] = None,
    access: Annotated[
        str | None,
        typer.Option(
            "--access", metavar="ACCESS", help="ReadWriteOnce, ReadWriteMany or ReadOnlyMany."
        ),
    ] = None,
    retain: Annotated[
        bool,
        typer.Option("--retain/--no-retain", help="Retain the data when the volume is deleted."),
    ] = True,
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    wanted: dict[str, object] = {"size": size, "retain": retain}
    if storage_class is not None:
        wanted["storageClass"] = storage_class
    if access is not None:
        wanted["access"] = access
    with client(context) as fl:
        made = fl.volumes.put(name, wanted, project=project, validate_only=dry_run)
    say(f"volume {made.name} of {made.size} {'would be' if dry_run else 'is'} {made.state}")


@app.command(
    "delete",
    help=help_text(
        "Delete a volume that no job mounts. Its claim and its data remain on the cluster, and the "
        "list shows it, until it is deleted once more with --forget.",
        "fairlead volume delete training",
        "fairlead volume delete training --forget --yes",
    ),
    short_help="Delete a volume, but not its data on the cluster",
)
def delete(
    context: typer.Context,
    name: Name,
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget a deleted volume. Its claim remains.")
    ] = False,
    project: Project = None,
    yes: Yes = False,
) -> None:
    with client(context) as fl:
        found = fl.volumes.get(name, project=project)
        deleted = found.state in {"RETAINED", "RELEASED"}
        if forget and not deleted:
            raise typer.BadParameter(f"volume {name} is {found.state}. Delete it first")
        if not yes:
            bulk.confirmed(f"{'Forget' if forget else 'Delete'} volume {name} ({found.state})?")
        fl.volumes.delete(name, project=project, version=found.version if forget else None)
    left = f"; its claim {found.claim} remains on {found.cluster}" if found.claim else ""
    say(f"volume {name} is {'forgotten' if forget else 'deleted'}{left}")


@app.command(
    "transfers",
    help=help_text(
        "List copies of a volume and imports into it, the newest first, with their progress.",
        "fairlead volume transfers training",
    ),
    short_help="List copies and imports of a volume",
)
@listing(TRANSFERS, "no transfers", lambda t: t.id)
def list_transfers(
    fl: Fairlead, name: Name, project: Project = None
) -> Iterable[models.VolumeTransferResponse]:
    return fl.volumes.transfers(name, project=project)


@app.command(
    "hours",
    help=help_text(
        "Show for how long volumes of the tenant had claims, in GiB-hours.",
        "fairlead volume hours --since 2030-01-01T00:00:00Z --until 2030-02-01T00:00:00Z",
    ),
    short_help="Show GiB-hours of volumes",
)
@listing(HOURS, "no volumes", lambda line: line.volume)
def hours(
    fl: Fairlead,
    since: Annotated[
        str, typer.Option("--since", help="Start time, or a duration before now.")
    ] = "31d",
    until: Annotated[
        str | None, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = None,
) -> Iterable[models.VolumeHoursLine]:
    return fl.volume_hours(since, until).lines


@app.command(
    "copy",
    help=help_text(
        "Copy a volume to another cluster through the bucket configured by an operator. Jobs "
        "continue to mount the original until the cut-over.",
        "fairlead volume copy training --to training-us --cluster us-1",
    ),
    short_help="Copy a volume to another cluster",
)
def copy(
    context: typer.Context,
    name: Name,
    to: Annotated[str, typer.Option("--to", metavar="NAME", help="Name of the new volume.")],
    cluster: Annotated[
        str, typer.Option("--cluster", metavar="CLUSTER", help="Cluster of the new volume.")
    ],
    storage_class: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="CLASS",
            help="Storage class. Default: the default of the target cluster.",
        ),
    ] = None,
    queue: Annotated[
        str | None,
        typer.Option(
            "--queue",
            metavar="QUEUE",
            help="Queue of the copy job. Default: the project's default queue.",
        ),
    ] = None,
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    wanted = {"to": to, "cluster": cluster, "storageClass": storage_class, "queue": queue}
    begin(context, name, wanted, project, dry_run)


@app.command(
    "import",
    help=help_text(
        "Import the objects of a prefix of a bucket into a volume that is CLAIMED.",
        "fairlead volume import images s3://acme/images",
    ),
    short_help="Import a bucket prefix into a volume",
)
def import_prefix(
    context: typer.Context,
    name: Name,
    source: Annotated[str, typer.Argument(metavar="URI", help="Source as s3://BUCKET/PREFIX.")],
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="CLUSTER", help="Target cluster. Any by default."),
    ] = None,
    queue: Annotated[
        str | None,
        typer.Option(
            "--queue",
            metavar="QUEUE",
            help="Queue of the import job. Default: the project's default queue.",
        ),
    ] = None,
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    begin(context, name, {"from": source, "cluster": cluster, "queue": queue}, project, dry_run)


def begin(
    context: typer.Context,
    name: str,
    wanted: dict[str, str | None],
    project: str | None,
    dry_run: bool,
) -> None:
    given = {key: value for key, value in wanted.items() if value is not None}
    with client(context) as fl:
        made = fl.volumes.transfer(name, given, project=project, validate_only=dry_run)
    say(f"transfer {made.id} {'would be' if dry_run else 'is'} {made.phase}")


@app.command(
    "cutover",
    help=help_text(
        "Cut over to a READY copy: the copy takes the name of the original volume, and the "
        "original the name of the copy. No running job may mount either.",
        "fairlead volume cutover training",
    ),
    short_help="Cut over to a copy of a volume",
)
def cutover(
    context: typer.Context,
    name: Name,
    transfer: Transfer = None,
    project: Project = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        found = chosen(fl.volumes.transfers(name, project=project), name, transfer)
        if not yes and not dry_run:
            bulk.confirmed(f"Cut volume {name} over to {found.target} on {found.cluster}?")
        fl.volumes.cut_over(name, found.id, project=project, validate_only=dry_run)
    would = "would be" if dry_run else "is"
    say(f"volume {name} {would} on {found.cluster}; the original {would} {found.target}")


@app.command(
    "drop",
    help=help_text(
        "Abort a copy or an import: cancel its job and delete the staged objects from the bucket.",
        "fairlead volume drop training",
    ),
    short_help="Abort a copy or an import",
)
def drop(
    context: typer.Context,
    name: Name,
    transfer: Transfer = None,
    project: Project = None,
    force: Annotated[
        bool, typer.Option("--force", help="Abort even if the bucket may hold the only copy.")
    ] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        found = chosen(fl.volumes.transfers(name, project=project), name, transfer)
        if not yes and not dry_run:
            bulk.confirmed(f"Drop the transfer to {found.target} ({found.phase})?")
        fl.volumes.drop(name, found.id, project=project, force=force, validate_only=dry_run)
    say(f"transfer {found.id} {'would be' if dry_run else 'is being'} dropped")


@app.command(
    "resume",
    help=help_text(
        "Resume a FAILED copy or import. Data that was transferred already is not transferred "
        "again.",
        "fairlead volume resume training",
    ),
    short_help="Resume a failed copy or import",
)
def resume(
    context: typer.Context,
    name: Name,
    transfer: Transfer = None,
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        found = chosen(fl.volumes.transfers(name, project=project), name, transfer)
        now = fl.volumes.resume(name, found.id, project=project, validate_only=dry_run)
    say(f"transfer {found.id} {'would be' if dry_run else 'is'} {now.phase} again")


def chosen(
    found: Sequence[models.VolumeTransferResponse], name: str, wanted: str | None
) -> models.VolumeTransferResponse:
    """The transfer with that id. Without an id, returns the only open transfer, otherwise the newest."""
    open_ones = [each for each in found if each.ended_at is None]
    if wanted is None and len(open_ones) > 1:
        told = ", ".join(f"{each.id} to {each.target} ({each.phase})" for each in open_ones)
        raise typer.BadParameter(
            f"volume {name} has several transfers: {told}. Choose one with --transfer"
        )
    for each in open_ones or found:
        if wanted is None:
            return each
    for each in found:
        if wanted == each.id:
            return each
    raise typer.BadParameter(f"volume {name} has no transfer {wanted or ''}".rstrip())


@app.command(
    help=help_text(
        "List clusters with an open circuit breaker: more than 20 claims of volumes, and more "
        "than 5 percent of them, are missing there. None of these volumes is LOST until the "
        "claims reappear or their loss is confirmed. For operators.",
        "fairlead volume breakers",
    ),
    short_help="List open circuit breakers of volumes",
)
@listing(BREAKERS, "no open circuit breakers of volumes", lambda one: one.cluster)
def breakers(fl: Fairlead) -> Iterable[models.VolumeBreakerResponse]:
    return fl.volumes.breakers()


@app.command(
    help=help_text(
        "Confirm that the missing claims of a cluster are lost. Their volumes become LOST. "
        "Refused if the number of missing claims differs from --missing. For operators.",
        "fairlead volume confirm-loss eu-1 --missing 25",
        "fairlead volume confirm-loss eu-1 --missing 25 --dry-run",
    ),
    short_help="Confirm that missing claims are lost",
)
def confirm_loss(
    context: typer.Context,
    cluster: Annotated[str, typer.Argument(metavar="CLUSTER", help="Name or id of the cluster.")],
    missing: Annotated[
        int,
        typer.Option(
            min=1, help="Number of claims that fairlead volume breakers shows as missing."
        ),
    ],
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        done = fl.volumes.confirm_loss(cluster, missing, validate_only=dry_run)
    would = "would become" if dry_run else "become"
    say(f"{missing} volumes on {done.cluster} {would} LOST within minutes")
