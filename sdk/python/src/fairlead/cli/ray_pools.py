"""Verbs of Ray pools: Ray clusters that jobs of a project share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, listing, noun
from fairlead.cli.notebooks import image_of, part
from fairlead.cli.output import Column, say
from fairlead.cli.session import client, help_text
from fairlead.cli.submit import EnvOption, GpuOption, Project, QueueOption, mapping, present

app = noun("Set the Ray clusters that `fairlead run --ray-pool` uses.")
HOLD = ["sleep", "infinity"]  # a cluster runs until the pool cancels it


def drivers(pool: models.WarmPoolResponse) -> str:
    return f"{pool.ray.active} (at most {pool.ray.jobs} a cluster)" if pool.ray else "-"


RAY_POOLS: list[Column[models.WarmPoolResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("CLUSTERS", lambda one: f"{one.ready} of {one.members}"),
    Column("JOBS", drivers),
    Column("STATE", lambda one: "deleting" if one.deleting else "active"),
    Column("REASON", lambda one: text.safe(one.reason or "-"), rank=4),
    Column("IMAGE", lambda one: text.safe(str(one.job.get("image", "-"))), rank=5),
]
Name = Annotated[str, typer.Argument(metavar="POOL", help="A DNS label.")]


@app.command(
    "list",
    help=help_text(
        "List Ray pools with their clusters that run and their active jobs.",
        "fairlead project ray-pool list -p nlp",
    ),
    short_help="List Ray pools",
)
@listing(RAY_POOLS, "no Ray pools")
def list_all(fl: Fairlead, project: Project = None) -> Iterable[models.WarmPoolResponse]:
    return [one for one in fl.warm_pools.list(project=project) if one.ray]


@app.command(
    "set",
    help=help_text(
        "Add a Ray pool, or change it. Its Ray clusters are jobs of the project, and start and end "
        "with the number of its jobs. Clusters with other options end after their last job. For "
        "owners of the project.",
        "fairlead project ray-pool set small --max 4 --jobs 8 -i rayproject/ray:2.50.0 -w 2 --cpu 8",
    ),
    short_help="Add a Ray pool, or change it",
)
def set_pool(
    context: typer.Context,
    pool: Name,
    most: Annotated[int, typer.Option("--max", min=0, max=32, help="Most Ray clusters.")],
    jobs: Annotated[int, typer.Option(min=1, max=100, help="Most jobs in one Ray cluster.")],
    least: Annotated[
        int, typer.Option("--min", min=0, max=32, help="Ray clusters that remain without jobs.")
    ] = 0,
    idle: Annotated[
        str, typer.Option(help="Time without jobs after which a Ray cluster ends.")
    ] = "10m",
    image: Annotated[
        str | None,
        typer.Option("--image", "-i", help="With ray[client]. Or: fairlead config set image."),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", "-w", min=2, max=10_000, help="Members of each Ray cluster.")
    ] = 2,
    gpu: GpuOption = None,
    cpu: Annotated[str | None, typer.Option(help="Per member, such as 16.")] = None,
    memory: Annotated[str | None, typer.Option(help="Per member, such as 64Gi.")] = None,
    queue: QueueOption = None,
    env: EnvOption = None,
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    job = present(
        image=image_of(context, image),
        launcher="ray",
        run=HOLD,
        workers=workers,
        gpu=part(gpu),
        cpu=cpu,
        memory=memory,
        queue=queue,
        env=mapping("--env", env),
    )
    ray = {"min": least, "jobs": jobs, "idleAfter": idle}
    with client(context) as fl:
        done = fl.warm_pools.set(
            pool, {"members": most, "ray": ray, "job": job}, project=project, validate_only=dry_run
        )
    say(
        f"Ray pool {done.name} {'would have' if dry_run else 'has'} at most "
        f"{text.count(done.members, 'cluster')}"
    )


@app.command(
    "delete",
    help=help_text(
        "Delete a Ray pool without active jobs and cancel its clusters. For owners of the project.",
        "fairlead project ray-pool delete small -y",
    ),
    short_help="Delete a Ray pool",
)
@changing("Ray pool", "deleted", ask="Delete {} and cancel its clusters")
def delete(fl: Fairlead, pool: Name, project: Project = None, *, validate_only: bool) -> None:
    fl.warm_pools.delete(pool, project=project, validate_only=validate_only)
