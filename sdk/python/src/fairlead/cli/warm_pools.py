"""Commands for warm pools: sessions that run without a user, for a fast start."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, listing, noun
from fairlead.cli.notebooks import TYPES, idle_after, image_of, part
from fairlead.cli.output import Column, say
from fairlead.cli.session import client, help_text
from fairlead.cli.submit import EnvOption, GpuOption, Project, QueueOption, mapping, present

app = noun("Set the sessions that `fairlead notebook start` takes within seconds.")

WARM_POOLS: list[Column[models.WarmPoolResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("TYPE", lambda one: text.safe(str(one.job.get("launcher", "-")))),
    Column("READY", lambda one: f"{one.ready} of {one.members}"),
    Column("STATE", lambda one: "deleting" if one.deleting else "active"),
    Column("REASON", lambda one: text.safe(one.reason or "-"), rank=4),
    Column("IMAGE", lambda one: text.safe(str(one.job.get("image", "-"))), rank=5),
]
Name = Annotated[str, typer.Argument(metavar="POOL", help="A DNS label.")]


@app.command(
    "list",
    help=help_text(
        "List warm pools with the number of sessions that can be taken.",
        "fairlead project warm-pool list -p nlp",
    ),
    short_help="List warm pools",
)
@listing(WARM_POOLS, "no warm pools")
def list_all(fl: Fairlead, project: Project = None) -> Iterable[models.WarmPoolResponse]:
    return [one for one in fl.warm_pools.list(project=project) if not one.ray]


@app.command(
    "set",
    help=help_text(
        "Add a warm pool, or change it. `fairlead notebook start` with the same options takes one "
        "of its sessions. Sessions with other options are replaced. For owners of the project.",
        "fairlead project warm-pool set h100 --members 2 -i example.com/lab:7 -g H100:1",
        "fairlead project warm-pool set h100 --members 0 -i example.com/lab:7 -g H100:1",
    ),
    short_help="Add a warm pool, or change it",
)
def set_pool(
    context: typer.Context,
    pool: Name,
    members: Annotated[int, typer.Option(min=0, max=32, help="Number of sessions without a user.")],
    image: Annotated[
        str | None,
        typer.Option(
            "--image", "-i", help="With the server and python3. Or: fairlead config set image."
        ),
    ] = None,
    kind: Annotated[
        str, typer.Option("--type", help="jupyter, code-server, ssh, or a launcher of your own.")
    ] = TYPES[0],
    gpu: GpuOption = None,
    cpu: Annotated[str | None, typer.Option(help="Such as 16.")] = None,
    memory: Annotated[str | None, typer.Option(help="Such as 64Gi.")] = None,
    queue: QueueOption = None,
    env: EnvOption = None,
    idle: Annotated[
        str, typer.Option(help="Idle time after which a taken session is suspended, or never.")
    ] = "2h",
    max_runtime: Annotated[
        str | None,
        typer.Option(help="For projects with a limit. Each taken session has its own."),
    ] = None,
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    job = present(
        image=image_of(context, image),
        launcher=kind,
        gpu=part(gpu),
        cpu=cpu,
        memory=memory,
        queue=queue,
        maxRuntime=max_runtime,
        env=mapping("--env", env),
        progress=idle_after(idle),
    )
    body = {"members": members, "job": job}
    with client(context) as fl:
        done = fl.warm_pools.set(pool, body, project=project, validate_only=dry_run)
    say(
        f"warm pool {done.name} {'would have' if dry_run else 'has'} "
        f"{text.count(done.members, 'session')}"
    )


@app.command(
    "delete",
    help=help_text(
        "Delete a warm pool and cancel its sessions. Sessions that users have taken continue. For "
        "owners of the project.",
        "fairlead project warm-pool delete h100 -y",
    ),
    short_help="Delete a warm pool",
)
@changing("warm pool", "deleted", ask="Delete {} and cancel its sessions")
def delete(fl: Fairlead, pool: Name, project: Project = None, *, validate_only: bool) -> None:
    fl.warm_pools.delete(pool, project=project, validate_only=validate_only)
