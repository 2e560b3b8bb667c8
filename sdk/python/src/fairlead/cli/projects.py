"""Verbs of projects."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import bulk, text
from fairlead.cli.actions import DryRun, Yes, listing, noun
from fairlead.cli.output import Column, emit, say
from fairlead.cli.session import client, help_text

app = noun("Create, show, change and delete projects.")


class Egress(str, Enum):
    OPEN = "open"
    STRICT = "strict"


def reached(egress: models.EgressResponse) -> str:
    """The mode of egress and its allowed ranges."""
    return " ".join([egress.mode.lower(), *egress.cidrs])


PROJECTS: list[Column[models.ProjectResponse]] = [
    Column("NAME", lambda p: p.name),
    Column("QUEUE", lambda p: p.default_queue),
    Column("EGRESS", lambda p: reached(p.egress)),
    Column("COST CENTRE", lambda p: text.safe(p.cost_centre) if p.cost_centre else "-", wide=True),
    Column("IDLE", lambda p: idle_policy(p.idle_policy), wide=True),
    Column("NAMESPACE", lambda p: p.namespace, rank=5),
]


def idle_policy(policy: models.IdlePolicyResponse) -> str:
    """The idle policy: off, or the times until a warning and until a suspension."""
    if policy.mode == "OFF":
        return "off"
    parts = [f"below {policy.utilisation_below}% warn after {policy.warn_after}"]
    if policy.reclaim_after:
        parts.append(f"suspend after {policy.reclaim_after}")
    if policy.exempt:
        parts.append("but " + " or ".join(f"{k}={v}" for k, v in policy.exempt.items()))
    return ", ".join(parts)


@app.command(
    "list",
    help=help_text("List the projects in which you have a role.", "fairlead project list"),
    short_help="List projects",
)
@listing(PROJECTS, "no projects")
def list_projects(fl: Fairlead) -> Iterable[models.ProjectResponse]:
    return fl.projects.list()


@app.command(
    "create",
    help=help_text(
        "Create a project. Its jobs go to the default queue unless they name another one. "
        "For owners of the tenant.",
        "fairlead project create nlp",
        "fairlead project create nlp --default-queue research",
    ),
    short_help="Create a project",
)
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A DNS label.")],
    default_queue: Annotated[
        str | None,
        typer.Option(help="Default queue of the project's jobs.", show_default="default"),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    body = {"name": name} | ({"defaultQueue": default_queue} if default_queue else {})
    with client(context) as fl:
        done = fl.projects.create(body, validate_only=dry_run)
    verb = "would be" if dry_run else "is"
    emit(f"project {text.safe(done.name)} {verb} created\n")
    say(f"Next: fairlead tenant member add USER --project {text.safe(done.name)}")


@app.command(
    "delete",
    help=help_text(
        "Delete a project without jobs. Asks for confirmation, and needs -y without a terminal. "
        "For owners of the tenant.",
        "fairlead project delete nlp -y",
    ),
    short_help="Delete a project",
)
def delete(
    context: typer.Context,
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Its name.")],
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        found = fl.projects.get(project)
        if not yes and not dry_run:
            bulk.confirmed(f"Delete project {text.safe(found.name)}?")
        fl.projects.delete(found.name, version=found.version, validate_only=dry_run)
    emit(f"project {text.safe(found.name)} {'would be' if dry_run else 'is'} deleted\n")


@app.command(
    "egress",
    help=help_text(
        "Set the egress policy for pods of a project on Kubernetes. With strict, a pod reaches "
        "DNS, its gang and the ranges of --allow. The policy also applies to running pods.",
        "fairlead project egress nlp strict --allow 10.0.0.0/8 --allow 2001:db8::/32",
        "fairlead project egress nlp open",
    ),
    short_help="Set the egress of pods",
)
def egress(
    context: typer.Context,
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Its name.")],
    mode: Annotated[Egress, typer.Argument(metavar="MODE", help="open or strict.")],
    allow: Annotated[
        list[str] | None, typer.Option(help="An allowed range of strict. Can be repeated.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    change = {"egress": {"mode": mode.name, "cidrs": allow or []}}
    with client(context) as fl:
        done = fl.projects.update(project, change, validate_only=dry_run)
    verb = "would be" if dry_run else "is"
    say(f"egress of project {done.name} {verb} {reached(done.egress)}")


@app.command(
    "cost-centre",
    help=help_text(
        "Set the account that pays for a project. Statements and FOCUS exports contain its value "
        "at the time of computation or signature. Pass an empty value for no account. For owners "
        "of the tenant.",
        "fairlead project cost-centre nlp CC-4711",
        'fairlead project cost-centre nlp ""',
    ),
    short_help="Set the account that pays",
)
def cost_centre(
    context: typer.Context,
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Its name.")],
    centre: Annotated[str, typer.Argument(metavar="COST-CENTRE", help="Empty for none.")],
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        done = fl.projects.update(project, {"costCentre": centre}, validate_only=dry_run)
    verb = "would be" if dry_run else "is"
    say(f"cost centre of project {done.name} {verb} {text.safe(done.cost_centre or 'none')}")


@app.command(
    "idle",
    help=help_text(
        "Set the policy for jobs of a project that do not use their GPUs by the metrics of their "
        "cluster. Their owner gets a warning. With --reclaim-after they are suspended later, and wait "
        "for GPUs again after a resume. Without times the policy is off.",
        "fairlead project idle nlp --warn-after 30m",
        "fairlead project idle nlp --warn-after 30m --reclaim-after 2h --exempt kind=notebook",
        "fairlead project idle nlp",
    ),
    short_help="Set the policy for idle jobs",
)
def idle(
    context: typer.Context,
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Its name.")],
    warn_after: Annotated[
        str | None, typer.Option(help="Idle time before the owner is warned.")
    ] = None,
    reclaim_after: Annotated[
        str | None, typer.Option(help="Idle time before the job is suspended.")
    ] = None,
    below: Annotated[
        int,
        typer.Option(min=1, max=100, help="GPU utilization in percent below which a job is idle."),
    ] = 5,
    exempt: Annotated[
        list[str] | None,
        typer.Option(help="Exempt jobs with this label KEY=VALUE. Can be repeated."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    policy: dict[str, object] = {"mode": "OFF"}
    if warn_after or reclaim_after:
        labels = dict(label.partition("=")[::2] for label in exempt or [])
        policy = {"mode": "WARN", "utilisationBelow": below, "exempt": labels}
        if warn_after:
            policy["warnAfter"] = warn_after
        if reclaim_after:
            policy |= {"mode": "RECLAIM", "reclaimAfter": reclaim_after}
    with client(context) as fl:
        done = fl.projects.update(project, {"idlePolicy": policy}, validate_only=dry_run)
    verb = "would be" if dry_run else "is"
    say(f"idle policy of project {done.name} {verb} {idle_policy(done.idle_policy)}")
