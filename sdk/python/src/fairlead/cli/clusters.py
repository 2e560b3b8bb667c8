"""Commands for one cluster."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Annotated, Any

import typer

from fairlead import models
from fairlead.cli import bulk, text
from fairlead.cli.actions import DryRun, Yes, noun
from fairlead.cli.files import SETTINGS_HELP, settings, text_of
from fairlead.cli.output import Column, Format, emit, say, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text

app = noun("Register, change and remove clusters.")

Cluster = Annotated[str, typer.Argument(metavar="CLUSTER", help="Name or id.")]
Fields = Annotated[
    list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help=SETTINGS_HELP)
]


@app.command(
    "add",
    help=help_text(
        "Register a cluster after its manifest is applied. Pass credentials as a kubeconfig, or "
        "as address, certificate authority and token of the API server. The service does not "
        "read files that a kubeconfig refers to; inline them with kubectl config view --raw "
        "--minify --flatten. --slurm registers a Slurm cluster by the address of slurmrestd. For "
        "administrators.",
        "fairlead cluster add prod-1 --kubeconfig prod-1.kubeconfig",
        "kubectl create token fairlead -n fairlead-system --duration 1h |\n"
        "    fairlead cluster add prod-1 --server https://203.0.113.10:6443 --ca ca.crt --token -",
        "fairlead cluster add prod-1 --kubeconfig c.yaml --set pricePerGpuHour.H100=2.5",
        "scontrol token lifespan=2592000 | cut -d= -f2 |\n"
        "    fairlead cluster add hall-1 --slurm https://slurm.example.com:6820 --ca ca.crt --token -",
    ),
    short_help="Register a cluster",
)
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A DNS label.")],
    kubeconfig: Annotated[
        str | None, typer.Option(help="File with a kubeconfig, or - for standard input.")
    ] = None,
    server: Annotated[str | None, typer.Option(help="Address of the API server.")] = None,
    slurm: Annotated[
        str | None, typer.Option(help="Address of slurmrestd, for a Slurm cluster.")
    ] = None,
    ca: Annotated[Path | None, typer.Option(help="PEM file with the CA of its server.")] = None,
    token: Annotated[
        str | None, typer.Option(help="File with the token, or - for standard input.")
    ] = None,
    fields: Fields = None,
    dry_run: DryRun = False,
) -> None:
    body: dict[str, Any] = {"name": name, **settings(fields)}
    if slurm is not None and (server is not None or kubeconfig is not None):
        raise UsageProblem("give --slurm with --ca and --token, without --server and --kubeconfig")
    address = server if slurm is None else slurm
    connection = (address, ca, token)
    if kubeconfig is not None and any(connection):
        raise UsageProblem("give --kubeconfig, or --server with --ca and --token, not both")
    if kubeconfig is not None:
        body["kubeconfig"] = text_of(kubeconfig)
    elif any(connection):
        if address is None or ca is None or token is None:
            raise UsageProblem("--server or --slurm, --ca and --token belong together")
        if slurm is not None:
            body["kind"] = "SLURM"
        body["connection"] = {
            "server": address,
            "caData": base64.b64encode(ca.read_bytes()).decode(),
            "token": text_of(token).strip(),
        }
    elif "fleet" not in body:
        raise UsageProblem("give --kubeconfig, or --server with --ca and --token")
    with client(context) as fl:
        fl.clusters.register(body, validate_only=dry_run)
    emit(f"cluster {text.safe(name)} {'would be' if dry_run else 'is'} registered\n")
    say(f"Next: fairlead node list --cluster {text.safe(name)}")


@app.command(
    "set",
    help=help_text(
        "Change the registration or the state of a cluster. For administrators.",
        "fairlead cluster set prod-1 --set pricePerGpuHour.H100=2.5",
        "fairlead cluster set prod-1 --set state=DISABLED",
        'fairlead cluster set prod-1 --set "topologyLabels=[topology.kubernetes.io/zone, example.com/rack]"',
    ),
    short_help="Change a cluster",
)
def change(
    context: typer.Context,
    cluster: Cluster,
    fields: Fields = None,
    force: Annotated[
        bool, typer.Option("--force", help="Change it even while node requests are open.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    patch = settings(fields)
    if not patch:
        raise UsageProblem("give at least one change: --set PATH=VALUE")
    with client(context) as fl:
        done = fl.clusters.update(cluster, patch, force=force, validate_only=dry_run)
    emit(f"cluster {text.safe(done.name)} {'would be' if dry_run else 'is'} changed\n")


@app.command(
    "delete",
    help=help_text(
        "Remove a cluster without live objects, with its nodes and credentials. Ended jobs still show its "
        "name, and the cluster itself does not change. While objects are live, the command "
        "fails and lists them. Asks for confirmation, and needs -y without a terminal.",
        "fairlead cluster delete eu-1 --dry-run",
        "fairlead cluster delete eu-1 -y",
    ),
    short_help="Remove a cluster without live objects",
)
def delete_cluster(
    context: typer.Context,
    cluster: Annotated[str, typer.Argument(metavar="CLUSTER", help="Name or id.")],
    yes: Yes = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print the objects that would be removed, without removing them."
        ),
    ] = False,
) -> None:
    with client(context) as fl:
        plan = fl.clusters.delete(cluster, validate_only=True)
        goes = f"cluster {text.safe(plan.name)} with {plan.nodes} nodes and {plan.gpus} GPUs"
        if plan.front_jobs:
            goes += f", and {plan.front_jobs} native Jobs that retain their finalizer,"
        if plan.model_services:
            goes = goes.removesuffix(",")
            goes += (
                f", and {plan.model_services} ModelServices that retain their finalizer while "
                "their services continue,"
            )
        if not yes and not dry_run:
            bulk.confirmed(f"Remove {goes}?")
        if not dry_run:
            fl.clusters.delete(plan.id)
        emit(f"{goes} {'would be' if dry_run else 'is'} removed\n")


LOSSES: list[Column[models.FailoverTestItem]] = [
    Column("JOB", lambda i: i.name if i.element is None else f"{i.name}[{i.element}]"),
    Column("QUEUE", lambda i: i.queue, rank=4),
    Column("USER", lambda i: i.user, rank=6),
    Column("GPUS", lambda i: text.amount(i.gpus)),
    Column("LOSES", lambda i: f"{text.amount(i.lost_gpu_hours)} GPU-h", rank=5),
    Column("OUTCOME", lambda i: i.outcome),
    Column("TO", lambda i: f"{i.to}/{i.pool}" if i.pool else i.to or "-"),
    Column("WITHOUT PROOF", lambda i: i.on_unreachable, wide=True),
    Column("WHY", lambda i: i.message or "-", rank=7),
]


@app.command(
    "failover-test",
    help=help_text(
        "Simulate the loss of a cluster: moved jobs, waiting jobs, cost. Nothing changes.",
        "fairlead cluster failover-test eu-1",
        "fairlead cluster failover-test eu-1 -o json",
    ),
    short_help="Simulate the loss of a cluster",
)
def failover_test(
    context: typer.Context,
    cluster: Cluster,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.clusters.failover_test(cluster)
    if output is Format.TABLE:
        emit(losses(found))
    if output is not Format.TABLE or found.items:
        show_all(found.items, LOSSES, output, columns, name=lambda i: i.attempt)


def losses(found: models.FailoverTestResponse) -> str:
    def of(count: models.FailoverTestCount) -> str:
        return f"{text.count(count.attempts, 'attempt')}, {text.amount(count.gpus)} GPUs"

    lines = [
        f"If {found.cluster} failed now and its processes were proven to have ended:",
        f"  lost       {of(found.lost)}, {text.amount(found.lost_gpu_hours)} GPU-hours since checkpoints",
        f"  move       {of(found.moving)}",
        f"  evict      {of(found.evicting)}; {text.count(found.evicted.jobs, 'job')} evicted "
        "elsewhere to free capacity",
        f"  wait       {of(found.waiting)}",
    ]
    if found.not_planned.attempts:
        lines.append(
            f"  unknown    {of(found.not_planned)}: one planning cycle does not reach them"
        )
    if found.delayed:
        lines.append(f"  delayed    {text.count(found.delayed, 'job')} that would start now")
    for cost in found.cost:
        lines.append(
            f"  an hour    {text.amount(cost.now)} {cost.currency} now, {text.amount(cost.then)} "
            f"{cost.currency} for moved jobs"
        )
    if found.until_proof.attempts:
        lines.append(
            f"Without proof {of(found.until_proof)} stay where they are (onUnreachable: WAIT)."
        )
    return "\n".join(lines) + "\n"
