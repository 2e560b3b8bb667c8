"""Verbs of the volumes of a project."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead import models
from fairlead.cli import bulk, text
from fairlead.cli.output import Column, Format, say, show, show_all
from fairlead.cli.session import Columns, Output, client, help_text

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

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
Name = Annotated[str, typer.Argument(metavar="NAME", help="A DNS label of at most 40 characters.")]
Project = Annotated[
    str | None, typer.Option("--project", "-p", help="The project in use when absent.")
]


@app.callback(help="Claim storage that jobs mount. It is where the first of them was placed.")
def group() -> None:
    return


@app.command(
    "list",
    help=help_text(
        "List volumes with their clusters, deleted ones whose claim is left on a cluster included.",
        "fairlead volume list",
        "fairlead volume list --project nlp -o json",
    ),
    short_help="List volumes",
)
def list_volumes(
    context: typer.Context,
    project: Project = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.volumes.list(project=project)
    show_all(found, VOLUMES, output, columns, name=lambda v: v.name, empty="no volumes")


@app.command(
    "show",
    help=help_text(
        "Show how far a volume has come, and the claim that it has on its cluster.",
        "fairlead volume show training",
    ),
    short_help="Show a volume and its claim",
)
def show_volume(
    context: typer.Context, name: Name, project: Project = None, output: Output = Format.YAML
) -> None:
    with client(context) as fl:
        found = fl.volumes.get(name, project=project)
    show(found, output, lambda: found.name)


@app.command(
    "create",
    help=help_text(
        "Claim a volume. It is on no cluster until the first job that mounts it is placed.",
        "fairlead volume create training --size 500Gi --access ReadWriteMany",
        "fairlead volume create scratch --size 100Gi --class fast --no-retain",
    ),
    short_help="Claim a volume",
)
def create(
    context: typer.Context,
    name: Name,
    size: Annotated[str, typer.Option("--size", metavar="SIZE", help="Such as 100Gi.")],
    storage_class: Annotated[
        str | None,
        typer.Option("--class", metavar="CLASS", help="The default of its cluster when absent."),
    ] = None,
    access: Annotated[
        str | None,
        typer.Option(
            "--access", metavar="ACCESS", help="ReadWriteOnce, ReadWriteMany or ReadOnlyMany."
        ),
    ] = None,
    retain: Annotated[
        bool, typer.Option("--retain/--no-retain", help="Keep its data when it is deleted.")
    ] = True,
    project: Project = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check it.")] = False,
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
        "Delete a volume that no job mounts. Its claim and its data stay on the cluster, and the "
        "list shows it, until it is deleted once more with --forget.",
        "fairlead volume delete training",
        "fairlead volume delete training --forget --yes",
    ),
    short_help="Delete a volume; its data stay on the cluster",
)
def delete(
    context: typer.Context,
    name: Name,
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget one that was deleted; its claim stays.")
    ] = False,
    project: Project = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    with client(context) as fl:
        found = fl.volumes.get(name, project=project)
        deleted = found.state in {"RETAINED", "RELEASED"}
        if forget and not deleted:
            raise typer.BadParameter(f"volume {name} is {found.state}; delete it first")
        if not yes:
            bulk.confirmed(f"{'Forget' if forget else 'Delete'} volume {name} ({found.state})?")
        fl.volumes.delete(name, project=project, version=found.version if forget else None)
    left = f"; its claim {found.claim} stays on {found.cluster}" if found.claim else ""
    say(f"volume {name} is {'forgotten' if forget else 'deleted'}{left}")
