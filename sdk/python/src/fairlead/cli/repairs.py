"""Commands for the repair of nodes."""

from __future__ import annotations

import base64
from typing import Annotated, Any

import typer

from fairlead import models
from fairlead.cli import bulk, text
from fairlead.cli.actions import Yes, noun
from fairlead.cli.output import Column, Format, emit, say, show, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text, verb

repair_app = noun("Report and control the repair of nodes.")

REPAIRS: list[Column[models.RepairResponse]] = [
    Column("ID", lambda r: r.id),
    Column("NODE", lambda r: r.node),
    Column("CLUSTER", lambda r: r.cluster, rank=5),
    Column("CAUSE", lambda r: r.cause, rank=4),
    Column("STEP", lambda r: r.step),
    Column("STATE", lambda r: f"{r.state}, overdue" if r.overdue else r.state),
    Column("AGE", lambda r: text.ago(r.opened_at), rank=6),
    Column("WAITS FOR", lambda r: r.message or "-", rank=7),
]
TASKS: list[Column[models.RepairTaskResponse]] = [
    Column("TASK", lambda t: t.id),
    Column("NODE", lambda t: t.node),
    Column("STEP", lambda t: t.step),
    Column("STATE", lambda t: t.state),
    Column("AGE", lambda t: text.ago(t.ordered_at), rank=6),
    Column("REFERENCE", lambda t: t.reference or "-", rank=5),
    Column("SAYS", lambda t: t.message or "-", rank=7),
]
Reason = Annotated[str, typer.Option("--reason", "-r", help="Reason, recorded with the action.")]
ARepair = Annotated[
    str, typer.Argument(metavar="REPAIR", help="Id from fairlead node repair list.")
]
AStep = Annotated[
    str, typer.Argument(metavar="STEP", help="Current step from fairlead node repair list.")
]


@verb(
    repair_app,
    "list",
    "Show repairs of nodes with the current step and wait",
    "fairlead node repair list",
    "fairlead node repair list --node eu-1-gpu-0004 --all",
)
def repairs(
    context: typer.Context,
    node: Annotated[str | None, typer.Option("--node", help="Only this node.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Include ended repairs of the last two years.")
    ] = False,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = list(fl.repairs.list(node=node, open=not every))
    show_all(
        found,
        REPAIRS,
        output,
        columns,
        name=lambda r: r.id,
        empty="no repairs" if every else "no open repairs. For ended repairs, use --all",
    )


@verb(
    repair_app,
    "get",
    "Show a repair with its steps",
    "fairlead node repair get rep_01k...",
)
def get(context: typer.Context, repair: ARepair, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        one = fl.repairs.get(repair)
    show(one, output, lambda: story(one), one.id)


def story(one: models.RepairResponse) -> str:
    lines = [f"{one.cause} on node {one.node} of {one.cluster}"]
    for step in one.steps:
        what = "done" if step.done else "left out"
        began = f", asked for {text.ago(step.asked_at)} ago" if step.asked_at else ""
        lines.append(f"  {step.step}: {what} {text.ago(step.at)} ago by {step.by}{began}")
    since = f" since {text.ago(one.asked_at)}" if one.asked_at else ""
    late = ", overdue" if one.overdue else ""
    lines.append(f"  now {one.step}: {one.state}{since}{late}")
    if one.message:
        lines.append(f"  {one.message}")
    return "\n".join(lines) + "\n"


def ordered(context: typer.Context, repair: str, order: str, step: str, reason: str) -> None:
    with client(context) as fl:
        emit(story(fl.repairs.order(repair, order, step.upper(), reason)))


@repair_app.command(
    "hold",
    help=help_text(
        "Hold a repair: request no step until it is resumed.",
        'fairlead node repair hold rep_01k... SERVICE --reason "looking at the logs first"',
    ),
    short_help="Hold a repair until it is resumed",
)
def hold(context: typer.Context, repair: ARepair, step: AStep, reason: Reason) -> None:
    ordered(context, repair, "HOLD", step, reason)


@repair_app.command(
    "resume",
    help=help_text(
        "End a hold.", 'fairlead node repair resume rep_01k... SERVICE --reason "logs are saved"'
    ),
    short_help="End a hold",
)
def resume(context: typer.Context, repair: ARepair, step: AStep, reason: Reason) -> None:
    ordered(context, repair, "RESUME", step, reason)


@repair_app.command(
    "skip",
    help=help_text(
        "Skip a step and continue with the next stronger step.",
        'fairlead node repair skip rep_01k... RESET_GPU --reason "a reset hangs with this driver"',
    ),
    short_help="Skip a step and continue with the next stronger step",
)
def skip(context: typer.Context, repair: ARepair, step: AStep, reason: Reason) -> None:
    ordered(context, repair, "SKIP", step, reason)


@repair_app.command(
    "force",
    help=help_text(
        "Request a step immediately, without its conditions. For a repaired node, request the "
        "next step.",
        'fairlead node repair force rep_01k... RESET_GPU --reason "the reset did not help"',
    ),
    short_help="Request a step immediately. Start the next step for a repaired node",
)
def force(context: typer.Context, repair: ARepair, step: AStep, reason: Reason) -> None:
    ordered(context, repair, "FORCE", step, reason)


@repair_app.command(
    "done",
    help=help_text(
        "Confirm that the requested step is done. The node stays quarantined.",
        'fairlead node repair done rep_01k... POWER_CYCLE --reason "power was off for a minute"',
    ),
    short_help="Confirm that the requested step is done",
)
def done(context: typer.Context, repair: ARepair, step: AStep, reason: Reason) -> None:
    ordered(context, repair, "DONE", step, reason)
    say("Next: check that the fault has cleared, and fairlead node release NODE --reason ...")


repairer_app = noun("Configure the repair service of a cluster.")
ACluster = Annotated[str, typer.Argument(metavar="CLUSTER", help="Name or id.")]


@repairer_app.command(
    "get",
    help=help_text(
        "Show the repair service of a cluster and its tasks. For platform roles.",
        "fairlead cluster repairer get eu-1",
        "fairlead cluster repairer get eu-1 -o yaml",
    ),
    short_help="Show the repair service of a cluster and its tasks",
)
def repairer(context: typer.Context, cluster: ACluster, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        found = fl.repairs.repairer(cluster)
    if output not in (Format.TABLE, Format.WIDE):
        show(found, output, lambda: "", found.cluster)
        return
    tests = ", tests" if found.tests else ""
    asked = text.safe(found.webhook.url) if found.webhook else "annotations of the nodes"
    emit(f"{found.cluster}  {taken(found)}{tests}  {asked}\n")
    show_all(found.tasks, TASKS, output, None, name=lambda t: t.id, empty="it has no task")


def taken(found: models.RepairerResponse) -> str:
    return ", ".join(found.steps) or "no steps"


@repairer_app.command(
    "set",
    help=help_text(
        "Set the repair service of a cluster. With --url, Fairlead calls the service over HTTPS and "
        "prints the key that signs the calls. With --annotations, a repair controller in the "
        "cluster acts on annotations of the nodes. Steps that are not listed wait for operators. "
        "For operators.",
        "fairlead cluster repairer set eu-1 --step RESET_GPU --step REBOOT --step POWER_CYCLE "
        "--url https://machines.example.com/repair",
        "fairlead cluster repairer set eu-1 --step REBOOT --step REPLACE --annotations",
        "fairlead cluster repairer set eu-1 --url https://machines.example.com/repair  # requests no steps",
    ),
    short_help="Set the repair service of a cluster",
)
def set_repairer(
    context: typer.Context,
    cluster: ACluster,
    url: Annotated[str | None, typer.Option(help="HTTPS address of the repair service.")] = None,
    annotations: Annotated[
        bool,
        typer.Option(
            "--annotations",
            help="Use a repair controller in the cluster, driven by node annotations.",
        ),
    ] = False,
    step: Annotated[
        list[str] | None,
        typer.Option("--step", help="A step that the service performs. Repeatable."),
    ] = None,
    tests: Annotated[
        bool,
        typer.Option(
            "--tests",
            help="The service tests machines. Health test after a repair. Nodes that "
            "pass return to service.",
        ),
    ] = False,
    ca: Annotated[
        typer.FileText | None,
        typer.Option(help="PEM certificates of the repair service's private CA."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print the resulting configuration.")
    ] = False,
) -> None:
    if (url is None) != annotations:
        raise UsageProblem("give --url, or --annotations for a janitor of the cluster")
    body: dict[str, Any] = {"steps": [one.upper() for one in step or []], "tests": tests}
    if url is None:
        body["annotations"] = True
    else:
        webhook: dict[str, Any] = {"url": url}
        if ca is not None:
            webhook["caData"] = base64.b64encode(ca.read().encode()).decode()
        body["webhook"] = webhook
    with client(context) as fl:
        made = fl.repairs.set_repairer(cluster, body, validate_only=dry_run)
    if dry_run:
        emit(f"the repair service of {made.cluster} would perform {taken(made)}\n")
        return
    if annotations:
        emit(
            f"the repair controller of {made.cluster} performs {taken(made)}, requested by node "
            "annotations\n"
        )
        return
    emit(
        f"the repair service of {made.cluster} performs {taken(made)}; calls are signed "
        f"with\n{made.signing_key}\n"
    )


@repairer_app.command(
    "delete",
    help=help_text(
        "Remove the repair service of a cluster. Refused while it may be working on a machine.",
        "fairlead cluster repairer delete eu-1 -y",
    ),
    short_help="Remove the repairer of a cluster",
)
def remove_repairer(
    context: typer.Context,
    cluster: ACluster,
    yes: Yes = False,
) -> None:
    with client(context) as fl:
        if not yes:
            bulk.confirmed(f"Remove the repairer of cluster {text.safe(cluster)}?")
        fl.repairs.remove_repairer(cluster)
    emit(f"cluster {text.safe(cluster)} has no repairer\n")
