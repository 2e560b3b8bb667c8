"""Commands for pipelines: jobs with the same value of the label `pipeline`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from fairlead import Fairlead, models
from fairlead.cli import bulk
from fairlead.cli.actions import DryRun, Yes, listing, noun
from fairlead.cli.output import Column, Format, emit, say, show, table
from fairlead.cli.session import Output, client, help_text

app = noun("Show, retry and cancel pipelines: jobs with the same value of the label pipeline.")

ENDED = ("SUCCEEDED", "FAILED", "CANCELLED")


def counted(states: Mapping[Any, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in states.items())


def needs(one: models.PipelineJob) -> str:
    return ", ".join(
        (edge.name or edge.job)
        + ("" if edge.condition == "SUCCEEDED" else f" ({edge.condition.lower()})")
        + (" (per element)" if edge.per_element else "")
        for edge in one.depends_on
    )


PIPELINES: list[Column[models.PipelineSummary]] = [
    Column("NAME", lambda one: one.name),
    Column("JOBS", lambda one: counted(one.states)),
]
JOBS: list[Column[models.PipelineJob]] = [
    Column("NAME", lambda one: one.name),
    Column("STATE", lambda one: one.state),
    Column("CAUSE", lambda one: one.cause or "-"),
    Column("AFTER", lambda one: needs(one) or "-"),
    Column("EARLIER", lambda one: str(len(one.earlier))),
    Column("ID", lambda one: one.id),
]

Name = Annotated[str, typer.Argument(metavar="PIPELINE", help="Value of the label pipeline.")]
Project = Annotated[str | None, typer.Option("--project", "-p", help="Project of the pipeline.")]


@app.command(
    "list",
    help=help_text(
        "List pipelines of the project with the number of their jobs in each state, including "
        "earlier runs.",
        "fairlead job pipeline list -p nlp",
    ),
    short_help="List pipelines",
)
@listing(PIPELINES, "no pipelines")
def list_all(fl: Fairlead, project: Project = None) -> Iterable[models.PipelineSummary]:
    return fl.pipelines.list(project=project)


@app.command(
    "get",
    help=help_text(
        "Show the jobs of a pipeline in the order of their dependencies, and the job that blocks "
        "the others.",
        "fairlead job pipeline get night",
        "fairlead job pipeline get night -o json",
    ),
    short_help="Show the jobs of a pipeline",
)
def get(
    context: typer.Context, pipeline: Name, project: Project = None, output: Output = Format.TABLE
) -> None:
    with client(context) as fl:
        found = fl.pipelines.get(pipeline, project=project)
    show(found, output, lambda: lines(found), found.name)


def waiting(chain: int) -> str:
    if chain == 0:
        return ""
    if chain == 1:
        return ", 1 job waits for it"
    return f", {chain} jobs wait for it one after the other"


def lines(found: models.PipelineResponse) -> str:
    shown = f"{found.name}: {counted(found.states)}\n"
    one = found.critical
    if one is not None and one.state in ENDED:
        shown += f"{one.name} is {one.state}: fairlead job pipeline retry {found.name}\n"
    elif one is not None:
        shown += f"{one.name} is {one.state}{waiting(one.chain)}\n"
    return shown + "".join(f"{line.plain}\n" for line in table(found.jobs, JOBS, None))


@app.command(
    "retry",
    help=help_text(
        "Submit the jobs of a pipeline that failed or were cancelled, and the jobs that depend on "
        "them, again. Jobs that succeeded are not repeated, and their outputs are used.",
        "fairlead job pipeline retry night",
        "fairlead job pipeline retry night --dry-run",
    ),
    short_help="Submit the failed part again",
)
def retry(
    context: typer.Context, pipeline: Name, project: Project = None, dry_run: DryRun = False
) -> None:
    with client(context) as fl:
        done = fl.pipelines.retry(pipeline, project=project, validate_only=dry_run)
    for one in done:
        for warning in one.warnings:
            say(f"{one.name}: {warning}")
        emit(f"{one.name} would be submitted\n" if dry_run else f"{one.name} {one.id}\n")


@app.command(
    "cancel",
    help=help_text(
        "Cancel all jobs of a pipeline that have not ended.",
        "fairlead job pipeline cancel night",
        "fairlead job pipeline cancel night -y",
    ),
    short_help="Cancel the jobs of a pipeline",
)
def cancel(
    context: typer.Context,
    pipeline: Name,
    project: Project = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        chosen = bulk.picked_out(None, None, None, [f"pipeline={pipeline}"], project or fl.project)
        bulk.cancel_found(fl, chosen, yes, dry_run)
