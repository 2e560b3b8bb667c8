"""Commands for cloud identities: cloud provider accounts that jobs use without a static key."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fairlead import models
from fairlead.cli import bulk, text
from fairlead.cli.files import Changes, Document, changed, text_of
from fairlead.cli.output import Column, Format, say, show, show_all
from fairlead.cli.session import Columns, Output, client, help_text

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

# fields of a response that a request does not have
SHOWN_ONLY = ("name", "serviceAccount", "version")

IDENTITIES: list[Column[models.CloudIdentityResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("SERVICE ACCOUNT", lambda one: one.service_account),
    Column("PROJECTS", lambda one: ", ".join(one.projects) or "(none)"),
    Column("ACCOUNT", lambda one: text.safe(" ".join(one.annotations.values()))),
    Column("AUDIENCE", lambda one: text.safe(one.audience or ""), rank=5),
]
Name = Annotated[str, typer.Argument(metavar="IDENTITY", help="A DNS label.")]
File = Annotated[str, typer.Argument(metavar="FILE", help="YAML or JSON, or - for stdin.")]
Project = Annotated[
    str | None,
    typer.Option("--project", "-p", help="Project with jobs that may name it. All by default."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only check it.")]


@app.callback(help="Let projects use cloud provider accounts, so that jobs need no static key.")
def group() -> None:
    return


@app.command(
    "list",
    help=help_text(
        "List cloud identities. With a project, those that its jobs may name.",
        "fairlead tenant cloud-identity list",
        "fairlead tenant cloud-identity list -p nlp",
    ),
    short_help="List cloud identities",
)
def list_all(
    context: typer.Context,
    project: Project = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = list(fl.cloud_identities.list(project=project))
    empty = "no cloud identities"
    show_all(found, IDENTITIES, output, columns, name=lambda one: one.name, empty=empty)


@app.command(
    "get",
    help=help_text(
        "Show a cloud identity. For owners.", "fairlead tenant cloud-identity get checkpoints"
    ),
    short_help="Show a cloud identity",
)
def get(context: typer.Context, identity: Name, output: Output = Format.YAML) -> None:
    with client(context) as fl:
        found = fl.cloud_identities.get(identity)
    show(found, output, lambda: found.name)


@app.command(
    "apply",
    help=help_text(
        "Add a cloud identity, or change it, from a file: projects, annotations and audience. "
        "Takes the output of `fairlead tenant cloud-identity get`. For owners of the tenant.",
        "fairlead tenant cloud-identity apply checkpoints identity.yaml",
    ),
    short_help="Add a cloud identity, or change it",
)
def apply(context: typer.Context, identity: Name, file: File, dry_run: DryRun = False) -> None:
    with client(context) as fl:
        done = fl.cloud_identities.set(identity, body(file), validate_only=dry_run)
    say(
        f"cloud identity {identity} {'would be' if dry_run else 'is'} stored. "
        f"Its pods {'would have' if dry_run else 'have'} service account {done.service_account}"
    )


def body(file: str) -> dict[str, Any]:
    given = changed(Document(file, text_of(file)), Changes())
    return {name: value for name, value in given.items() if name not in SHOWN_ONLY}


@app.command(
    "delete",
    help=help_text(
        "Delete a cloud identity. Jobs that name it fail at their next start. For owners of the "
        "tenant.",
        "fairlead tenant cloud-identity delete checkpoints",
    ),
    short_help="Delete a cloud identity",
)
def delete(
    context: typer.Context,
    identity: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: DryRun = False,
) -> None:
    if not yes and not dry_run:
        bulk.confirmed(f"Delete cloud identity {identity}?")
    with client(context) as fl:
        fl.cloud_identities.delete(identity, validate_only=dry_run)
    say(f"cloud identity {identity} {'would be' if dry_run else 'is'} deleted")
