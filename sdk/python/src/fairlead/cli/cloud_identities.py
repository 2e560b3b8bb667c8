"""Commands for cloud identities: cloud provider accounts that jobs use without a static key."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import BaseModel

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, noun, showing
from fairlead.cli.files import request_of
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, client, help_text, verb

app = noun("Let projects use cloud provider accounts, so that jobs need no static credentials.")

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


@verb(
    app,
    "list",
    "List cloud identities",
    "fairlead tenant cloud-identity list",
    "fairlead tenant cloud-identity list -p nlp",
    more="With a project, only the identities that its jobs may use.",
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


@verb(
    app,
    "get",
    "Show a cloud identity",
    "fairlead tenant cloud-identity get checkpoints",
    more="For owners.",
)
@showing
def get(fl: Fairlead, identity: Name) -> BaseModel:
    return fl.cloud_identities.get(identity)


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
        done = fl.cloud_identities.set(
            identity, request_of(file, "a cloud identity", SHOWN_ONLY), validate_only=dry_run
        )
    say(
        f"cloud identity {identity} {'would be' if dry_run else 'is'} stored. "
        f"Its pods {'would have' if dry_run else 'have'} service account {done.service_account}"
    )


@verb(
    app,
    "delete",
    "Delete a cloud identity",
    "fairlead tenant cloud-identity delete checkpoints",
    more="Jobs that name it fail at their next start. For owners of the tenant.",
)
@changing("cloud identity", "deleted", ask="Delete {}")
def delete(fl: Fairlead, identity: Name, *, validate_only: bool) -> None:
    fl.cloud_identities.delete(identity, validate_only=validate_only)
