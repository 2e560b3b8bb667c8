"""Commands for policies: rules for new jobs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer
from pydantic import BaseModel

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, listing, noun, showing
from fairlead.cli.files import request_of
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, client, help_text

app = noun("Set rules for new jobs, and try them on past jobs.")

# fields of a response that a request does not have
SHOWN_ONLY = ("name", "project", "version")

POLICIES: list[Column[models.PolicyResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("PROJECT", lambda one: one.project or "(tenant)"),
    Column("ENFORCED", lambda one: "yes" if one.enforced else "no"),
    Column("OWNER", lambda one: one.owner),
    Column("DESCRIPTION", lambda one: one.description, rank=5),
]
REFUSED: list[Column[models.PolicyTrialJobResponse]] = [
    Column("JOB", lambda one: one.job),
    Column("NAME", lambda one: one.name),
    Column("PROJECT", lambda one: one.project),
    Column("USER", lambda one: one.user),
    Column("CREATED", lambda one: text.ago(one.created_at)),
    Column("WHY", lambda one: " ".join(one.violations)),
]
Name = Annotated[str, typer.Argument(metavar="POLICY", help="A DNS label.")]
File = Annotated[str, typer.Argument(metavar="FILE", help="YAML or JSON, or - for stdin.")]
Project = Annotated[
    str | None,
    typer.Option("--project", "-p", help="Project. Without it, the tenant."),
]


@app.command(
    "list",
    help=help_text(
        "List policies. With a project, also those of the tenant.",
        "fairlead job policy list",
        "fairlead job policy list -p nlp",
    ),
    short_help="List policies",
)
@listing(POLICIES, "no policies")
def list_all(fl: Fairlead, project: Project = None) -> Iterable[models.PolicyResponse]:
    return fl.policies.list(project=project)


@app.command(
    "get",
    help=help_text("Show a policy.", "fairlead job policy get images -p nlp"),
    short_help="Show a policy",
)
@showing
def get(fl: Fairlead, policy: Name, project: Project = None) -> BaseModel:
    return fl.policies.get(policy, project=project)


@app.command(
    "apply",
    help=help_text(
        "Add a policy, or change it, from a file: description, owner, enforced, requiredLabels, "
        "images, digest and rules. Takes the output of `fairlead job policy get`. For owners.",
        "fairlead job policy apply images images.yaml -p nlp",
    ),
    short_help="Add a policy, or change it",
)
def apply(
    context: typer.Context,
    policy: Name,
    file: File,
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        done = fl.policies.set(
            policy, request_of(file, "a policy", SHOWN_ONLY), project=project, validate_only=dry_run
        )
    effect = "refuses jobs" if done.enforced else "has no effect, because it is not enforced"
    say(f"policy {policy} {'would be' if dry_run else 'is'} stored and {effect}")


@app.command(
    "try",
    help=help_text(
        "List the jobs among the 1,000 newest that a policy would have refused. Stores nothing. "
        "For owners.",
        "fairlead job policy try images.yaml -p nlp",
    ),
    short_help="Try a policy on the newest jobs",
)
def trial(
    context: typer.Context,
    file: File,
    project: Project = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.policies.trial(request_of(file, "a policy", SHOWN_ONLY), project=project)
    show_all(found.refused, REFUSED, output, columns, name=lambda one: one.job, empty="no jobs")
    cut = ", because its time was over" if found.partial else ""
    say(f"{len(found.refused)} of {found.jobs} jobs would have been refused{cut}")


@app.command(
    "delete",
    help=help_text("Delete a policy. For owners.", "fairlead job policy delete images -p nlp"),
    short_help="Delete a policy",
)
@changing("policy", "deleted", ask="Delete {}")
def delete(fl: Fairlead, policy: Name, project: Project = None, *, validate_only: bool) -> None:
    fl.policies.delete(policy, project=project, validate_only=validate_only)
