"""Commands for policies: rules for new jobs."""

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
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only check it.")]


@app.callback(help="Set rules for new jobs, and try them on past jobs.")
def group() -> None:
    return


@app.command(
    "list",
    help=help_text(
        "List policies. With a project, also those of the tenant.",
        "fairlead job policy list",
        "fairlead job policy list -p nlp",
    ),
    short_help="List policies",
)
def list_all(
    context: typer.Context,
    project: Project = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = list(fl.policies.list(project=project))
    show_all(found, POLICIES, output, columns, name=lambda one: one.name, empty="no policies")


@app.command(
    "get",
    help=help_text("Show a policy.", "fairlead job policy get images -p nlp"),
    short_help="Show a policy",
)
def get(
    context: typer.Context, policy: Name, project: Project = None, output: Output = Format.YAML
) -> None:
    with client(context) as fl:
        found = fl.policies.get(policy, project=project)
    show(found, output, lambda: found.name)


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
        done = fl.policies.set(policy, body(file), project=project, validate_only=dry_run)
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
        found = fl.policies.trial(body(file), project=project)
    show_all(found.refused, REFUSED, output, columns, name=lambda one: one.job, empty="no jobs")
    cut = ", because its time was over" if found.partial else ""
    say(f"{len(found.refused)} of {found.jobs} jobs would have been refused{cut}")


def body(file: str) -> dict[str, Any]:
    given = changed(Document(file, text_of(file)), Changes())
    return {name: value for name, value in given.items() if name not in SHOWN_ONLY}


@app.command(
    "delete",
    help=help_text("Delete a policy. For owners.", "fairlead job policy delete images -p nlp"),
    short_help="Delete a policy",
)
def delete(
    context: typer.Context,
    policy: Name,
    project: Project = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: DryRun = False,
) -> None:
    if not yes and not dry_run:
        bulk.confirmed(f"Delete policy {policy}?")
    with client(context) as fl:
        fl.policies.delete(policy, project=project, validate_only=dry_run)
    say(f"policy {policy} {'would be' if dry_run else 'is'} deleted")
