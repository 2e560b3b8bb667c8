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
    Column("NAME", lambda one: one.name),
    Column("SIZE", lambda one: one.size),
    Column("CLASS", lambda one: one.storage_class or "default"),
    Column("ACCESS", lambda one: one.access),
    Column("CHANGED", lambda one: text.moment(one.updated_at)),
    Column("BY", lambda one: one.updated_by, rank=5),
    Column("VERSION", lambda one: str(one.version), rank=6),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A DNS label.")]
Project = Annotated[
    str | None, typer.Option("--project", "-p", help="The project in use when absent.")
]


@app.callback(help="Ask for storage of a project before a cluster has it. Jobs cannot name it yet.")
def group() -> None:
    return


@app.command(
    "list",
    help=help_text(
        "List volumes with what they ask for.",
        "fairlead volumes list",
        "fairlead volumes list --project nlp -o json",
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
    show_all(found, VOLUMES, output, columns, name=lambda one: one.name, empty="no volumes")


@app.command(
    "get",
    help=help_text("Show a volume.", "fairlead volumes get training"),
    short_help="Show a volume",
)
def get(
    context: typer.Context, name: Name, project: Project = None, output: Output = Format.YAML
) -> None:
    with client(context) as fl:
        found = fl.volumes.get(name, project=project)
    show(found, output, lambda: found.name)


@app.command(
    "set",
    help=help_text(
        "Make a volume, or replace what it asks for. What is not given goes back to its default.",
        "fairlead volumes set training 100Gi",
        "fairlead volumes set training 2Ti --class fast --access READ_WRITE_MANY",
    ),
    short_help="Make a volume, or replace what it asks for",
)
def put(
    context: typer.Context,
    name: Name,
    size: Annotated[str, typer.Argument(metavar="SIZE", help="4Mi to 1Pi, such as 100Gi.")],
    storage_class: Annotated[
        str | None, typer.Option("--class", help="The default one of the cluster when absent.")
    ] = None,
    access: Annotated[
        str | None,
        typer.Option(help="READ_WRITE_ONCE (one node at a time) when absent, or READ_WRITE_MANY."),
    ] = None,
    project: Project = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check it.")] = False,
) -> None:
    with client(context) as fl:
        kept = fl.volumes.put(
            name,
            size,
            storage_class=storage_class,
            access=access,
            project=project,
            validate_only=dry_run,
        )
    say(f"volume {kept.name} {'would ask' if dry_run else 'asks'} for {kept.size}")


@app.command(
    "delete",
    help=help_text(
        "Delete a volume. No cluster has it, so no data goes.",
        "fairlead volumes delete training",
        "fairlead volumes delete training --yes",
    ),
    short_help="Delete a volume",
)
def delete(
    context: typer.Context,
    name: Name,
    project: Project = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    if not yes:
        bulk.confirmed(f"Delete volume {name}?")
    with client(context) as fl:
        fl.volumes.delete(name, project=project)
    say(f"volume {name} is deleted")
