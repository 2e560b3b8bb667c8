"""Commands for limits of tenants and projects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli.actions import DryRun, noun
from fairlead.cli.output import Column, Format, say, show, show_all
from fairlead.cli.session import Columns, Output, client, help_text, session

app = noun("Show and set limits of a tenant or a project.")

NAMES = {
    "activeJobs": "active_jobs",
    "projects": "projects",
    "requestsPerMinute": "requests_per_minute",
    "specBytes": "spec_bytes",
    "arrayElements": "array_elements",
    "maxRuntimeSeconds": "max_runtime_seconds",
    "decisionDays": "decision_days",
}
Project = Annotated[str | None, typer.Option("--project", help="Project. The tenant by default.")]


@dataclass(frozen=True)
class Row:
    """One limit."""

    name: str
    given: int | None
    effective: int | None


ROWS: list[Column[Row]] = [
    Column("LIMIT", lambda r: r.name),
    Column("SET", lambda r: "-" if r.given is None else str(r.given)),
    Column("EFFECTIVE", lambda r: "none" if r.effective is None else str(r.effective)),
]


def tenant_of(context: typer.Context, fl: Fairlead) -> str:
    return session(context).settings().tenant or fl.me().tenant


def rows(limits: models.LimitsResponse) -> list[Row]:
    return [
        Row(name, getattr(limits.set, field), getattr(limits.effective, field))
        for name, field in NAMES.items()
        if limits.project is None or name not in ("projects", "decisionDays")
    ]


@app.command(
    "get",
    help=help_text(
        "Show the configured and effective limits of your tenant, or of a project. A project "
        "never has more than its tenant.",
        "fairlead quota limits get",
        "fairlead quota limits get --project nlp",
        "fairlead --tenant acme quota limits get -o yaml",
    ),
    short_help="Show limits",
)
def get(
    context: typer.Context,
    project: Project = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = (
            fl.tenants.limits(tenant_of(context, fl))
            if project is None
            else fl.projects.limits(project)
        )
    if output in (Format.JSON, Format.JSONL, Format.YAML):
        show(found, output, str)
        return
    show_all(rows(found), ROWS, output, columns, name=lambda r: r.name)


def change(given: list[str]) -> dict[str, int | None]:
    """NAME=NUMBER, or NAME=default, as a merge patch."""
    patch: dict[str, int | None] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if name not in NAMES or not equals or not (value == "default" or value.isdigit()):
            raise typer.BadParameter(
                f"{one!r} is not LIMIT=NUMBER or LIMIT=default; limits: {', '.join(NAMES)}"
            )
        patch[name] = None if value == "default" else int(value)
    return patch


@app.command(
    "set",
    help=help_text(
        "Set limits of your tenant, for operators, or of a project, for owners of the tenant. "
        "Objects over a lowered limit remain, but new ones are refused.",
        "fairlead --tenant acme quota limits set activeJobs=5000 requestsPerMinute=60000",
        "fairlead quota limits set --project nlp activeJobs=500",
        "fairlead quota limits set --project nlp activeJobs=default",
    ),
    short_help="Set limits",
)
def put(
    context: typer.Context,
    given: Annotated[
        list[str], typer.Argument(metavar="LIMIT=NUMBER...", help="Or LIMIT=default.")
    ],
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    patch = change(given)
    with client(context) as fl:
        if project is None:
            done = fl.tenants.update_limits(tenant_of(context, fl), patch, validate_only=dry_run)
        else:
            done = fl.projects.update_limits(project, patch, validate_only=dry_run)
    whose = f"project {done.project}" if done.project else f"tenant {done.tenant}"
    say(f"limits of {whose} {'would be set' if dry_run else 'are set'}")
