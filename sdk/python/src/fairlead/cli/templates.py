"""Commands for templates: job specs with parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, listing, noun, showing
from fairlead.cli.files import request_of
from fairlead.cli.output import Column, say
from fairlead.cli.session import UsageProblem, client, help_text

app = noun("Store job specs with parameters. `fairlead submit --template` fills one.")

# fields of a response that a request does not have
SHOWN_ONLY = ("name", "project", "version")
WHOLE = re.compile(r"[-+]?[0-9]{1,40}")
FRACTION = re.compile(r"[-+]?[0-9]{1,40}(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,3})?")


def parameters(one: models.TemplateResponse) -> str:
    return ", ".join(each.name + ("*" if each.required else "") for each in one.parameters)


TEMPLATES: list[Column[models.TemplateResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("VERSION", lambda one: str(one.version)),
    Column("PROJECT", lambda one: one.project or "(tenant)"),
    Column("PARAMETERS", parameters),
    Column("DESCRIPTION", lambda one: one.description, rank=5),
]
Name = Annotated[str, typer.Argument(metavar="TEMPLATE", help="A DNS label.")]
Project = Annotated[
    str | None,
    typer.Option("--project", "-p", help="Project. Without it, the tenant."),
]


@app.command(
    "list",
    help=help_text(
        "List templates. With a project, also templates of the tenant. A required parameter has a *.",
        "fairlead job template list",
        "fairlead job template list -p nlp",
    ),
    short_help="List templates",
)
@listing(TEMPLATES, "no templates")
def list_all(fl: Fairlead, project: Project = None) -> Iterable[models.TemplateResponse]:
    return fl.templates.list(project=project)


@app.command(
    "get",
    help=help_text(
        "Show a template of the project, or of the tenant when the project has none.",
        "fairlead job template get finetune -p nlp",
        "fairlead job template get finetune -p nlp --version 2",
    ),
    short_help="Show a template",
)
@showing
def get(
    fl: Fairlead,
    template: Name,
    project: Project = None,
    version: Annotated[int | None, typer.Option(min=1, help="An earlier version.")] = None,
) -> BaseModel:
    return fl.templates.get(template, project=project, version=version)


@app.command(
    "apply",
    help=help_text(
        "Add a template, or store its next version, from a file: description, parameters, locked "
        "and job. Takes the output of `fairlead job template get`. For owners.",
        "fairlead job template apply finetune finetune.yaml -p nlp",
        "fairlead job template apply finetune finetune.yaml --dry-run",
    ),
    short_help="Add a template, or its next version",
)
def apply(
    context: typer.Context,
    template: Name,
    file: Annotated[str, typer.Argument(metavar="FILE", help="YAML or JSON, or - for stdin.")],
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    body = request_of(file, "a template", SHOWN_ONLY)
    given = body.get("parameters")
    if isinstance(given, list):
        body["parameters"] = [
            {name: value for name, value in each.items() if name != "required"}
            if isinstance(each, Mapping)
            else each
            for each in given
        ]
    with client(context) as fl:
        done = fl.templates.set(template, body, project=project, validate_only=dry_run)
    say(f"version {done.version} of template {template} {'would be' if dry_run else 'is'} stored")


@app.command(
    "delete",
    help=help_text(
        "Delete a template. Its jobs do not change. For owners.",
        "fairlead job template delete finetune -p nlp",
    ),
    short_help="Delete a template",
)
@changing("template", "deleted", ask="Delete {}")
def delete(fl: Fairlead, template: Name, project: Project = None, *, validate_only: bool) -> None:
    fl.templates.delete(template, project=project, validate_only=validate_only)


def filling(
    fl: Fairlead, named: str, pairs: Sequence[str] | None, project: str | None
) -> dict[str, Any]:
    """The field template of a job. Reads the parameters and converts the values to their types."""
    name, at, version = named.partition("@")
    if at and not version.isdecimal():
        raise UsageProblem(f"--template {text.safe(named)} is not NAME or NAME@VERSION")
    found: dict[str, Any] = {"name": name, **({"version": int(version)} if at else {})}
    if not pairs:
        return found
    stored = fl.templates.get(
        name, project=project or fl.project, version=int(version) if at else None
    )
    types = {each.name: each.type for each in stored.parameters}
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageProblem(f"--param {text.safe(pair)} is not NAME=VALUE")
        if key in values:
            raise UsageProblem(f"--param {key} is given twice")
        values[key] = typed(types.get(key, "STRING"), value)
    return {**found, "parameters": values}


def typed(kind: str, value: str) -> Any:
    """The value of a parameter. A string that is not a value of the type is sent unchanged, and the
    service refuses it."""
    if kind == "BOOLEAN":
        return {"true": True, "false": False}.get(value.lower(), value)
    if kind in ("INTEGER", "NUMBER") and WHOLE.fullmatch(value):
        return int(value)
    return float(value) if kind == "NUMBER" and FRACTION.fullmatch(value) else value
