"""Commands for front clusters, which have native Jobs that Fairlead runs."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, client, help_text

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

FRONTS: list[Column[models.FrontNamespaceResponse]] = [
    Column("CLUSTER", lambda one: one.cluster),
    Column("NAMESPACE", lambda one: one.namespace),
    Column("TENANT", lambda one: one.tenant, rank=6),
    Column("PROJECT", lambda one: one.project),
    Column("JOBS", lambda one: str(one.jobs)),
    Column("MAPPED", lambda one: text.ago(one.mapped_at), rank=7),
    Column("BY", lambda one: one.mapped_by, rank=8),
    Column("WHY NOT", lambda one: one.message or "-", rank=5),
]

BREAKERS: list[Column[models.FrontBreakerResponse]] = [
    Column("CLUSTER", lambda one: one.cluster),
    Column("MISSING", lambda one: str(one.missing)),
    Column("TAKEN UP", lambda one: str(one.taken)),
    Column("SINCE", lambda one: text.ago(one.since)),
]

Cluster = Annotated[str, typer.Argument(metavar="CLUSTER", help="Name or id of the cluster.")]
Namespace = Annotated[
    str, typer.Argument(metavar="NAMESPACE", help="Namespace of the cluster, a DNS label.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only check it.")]


@app.callback(
    help="Map namespaces of front clusters, where users create native Jobs that Fairlead runs."
)
def group() -> None:
    return


@app.command(
    "list",
    help=help_text(
        "List namespaces of front clusters, their projects, and the number of their adopted Jobs. "
        "Operators see all, owners the namespaces of their projects.",
        "fairlead cluster front list",
    ),
    short_help="List namespaces of front clusters",
)
def list_all(
    context: typer.Context, output: Output = Format.TABLE, columns: Columns = None
) -> None:
    with client(context) as fl:
        found = list(fl.fronts.list())
    show_all(
        found,
        FRONTS,
        output,
        columns,
        name=lambda one: f"{one.cluster}/{one.namespace}",
        empty="no namespaces of front clusters",
    )


@app.command(
    "add",
    help=help_text(
        "Run Jobs of a namespace with spec.managedBy fairlead.dev/job for a project, on any "
        "cluster of the pool. Each account that may create Jobs there submits as a member of the "
        "project. After a change of project, adopted Jobs remain in the old project. For operators.",
        "fairlead cluster front add eu-1 team-a --project vision",
        "fairlead cluster front add eu-1 team-a --project vision --tenant acme --dry-run",
    ),
    short_help="Run Jobs of a namespace for a project",
)
def add(
    context: typer.Context,
    cluster: Cluster,
    namespace: Namespace,
    project: Annotated[str, typer.Option(help="Name of the project.")],
    tenant: Annotated[
        str | None, typer.Option(help="Name of its tenant. The current tenant by default.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        done = fl.fronts.set(cluster, namespace, project, tenant=tenant, validate_only=dry_run)
    runs = "would be run" if dry_run else "are run"
    say(f"Jobs of {done.cluster}/{done.namespace} {runs} for project {done.project}")
    if done.message:
        say(done.message)


@app.command(
    "remove",
    help=help_text(
        "Stop adopting Jobs of a namespace. Adopted Jobs continue and report their end. To stop "
        "one, delete it on the cluster. For operators and owners of the project.",
        "fairlead cluster front remove eu-1 team-a",
    ),
    short_help="Stop adopting Jobs of a namespace",
)
def remove(
    context: typer.Context, cluster: Cluster, namespace: Namespace, dry_run: DryRun = False
) -> None:
    with client(context) as fl:
        fl.fronts.delete(cluster, namespace, validate_only=dry_run)
    are = "would be" if dry_run else "are"
    say(f"Jobs of {cluster}/{namespace} {are} no longer adopted")


@app.command(
    help=help_text(
        "List front clusters with an open circuit breaker: more than 20 adopted Jobs, and more "
        "than 5 percent of them, are missing there. None of them is cancelled until the Jobs "
        "reappear or their loss is confirmed. For operators.",
        "fairlead cluster front breakers",
    ),
    short_help="List open circuit breakers of front clusters",
)
def breakers(
    context: typer.Context, output: Output = Format.TABLE, columns: Columns = None
) -> None:
    with client(context) as fl:
        found = list(fl.fronts.breakers())
    show_all(
        found,
        BREAKERS,
        output,
        columns,
        name=lambda one: one.cluster,
        empty="no open circuit breakers of front clusters",
    )


@app.command(
    help=help_text(
        "Confirm that the missing Jobs of a front cluster are lost. Their jobs are cancelled. "
        "Refused if the number of missing Jobs differs from --missing. For operators.",
        "fairlead cluster front confirm-loss eu-1 --missing 60",
        "fairlead cluster front confirm-loss eu-1 --missing 60 --dry-run",
    ),
    short_help="Confirm that missing Jobs are lost",
)
def confirm_loss(
    context: typer.Context,
    cluster: Cluster,
    missing: Annotated[
        int,
        typer.Option(
            min=1, help="Number of Jobs that fairlead cluster front breakers shows as missing."
        ),
    ],
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        done = fl.fronts.confirm_loss(cluster, missing, validate_only=dry_run)
    are = "would be" if dry_run else "are being"
    say(f"The jobs of {missing} missing Jobs of {done.cluster} {are} cancelled")
