"""Commands for front clusters, which have native Jobs that Fairlead runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, listing, noun
from fairlead.cli.output import Column, say
from fairlead.cli.session import client, help_text, verb

app = noun("Map namespaces of front clusters, where users create native Jobs that Fairlead runs.")

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


@app.command(
    "list",
    help=help_text(
        "List namespaces of front clusters, their projects, and the number of their adopted Jobs. "
        "Operators see all, owners the namespaces of their projects.",
        "fairlead cluster front list",
    ),
    short_help="List namespaces of front clusters",
)
@listing(FRONTS, "no namespaces of front clusters", lambda one: f"{one.cluster}/{one.namespace}")
def list_all(fl: Fairlead) -> Iterable[models.FrontNamespaceResponse]:
    return fl.fronts.list()


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


@verb(
    app,
    "remove",
    "Stop adopting Jobs of a namespace",
    "fairlead cluster front remove eu-1 team-a",
    more="Adopted Jobs continue and report their end. To stop one, delete it on the cluster. For "
    "operators and owners of the project.",
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
@listing(BREAKERS, "no open circuit breakers of front clusters", lambda one: one.cluster)
def breakers(fl: Fairlead) -> Iterable[models.FrontBreakerResponse]:
    return fl.fronts.breakers()


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
