"""Commands for advance reservations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from fairlead import Fairlead, models
from fairlead.cli import bulk, text
from fairlead.cli.actions import Yes, listing, noun
from fairlead.cli.output import Column, Format, emit, show
from fairlead.cli.session import Output, UsageProblem, client, help_text, verb

reservation_app = noun("Reserve nodes for a project or for maintenance during a time window.")


def whose(reservation: models.AdvanceReservationResponse) -> str:
    if reservation.project is None:
        return "maintenance"
    return f"{reservation.tenant}/{reservation.project}"


def nodes(reservation: models.AdvanceReservationResponse) -> str:
    all_of_them = str(len(reservation.nodes))
    return (
        f"{all_of_them}, {reservation.nodes_missing} missing"
        if reservation.nodes_missing
        else all_of_them
    )


RESERVATIONS: list[Column[models.AdvanceReservationResponse]] = [
    Column("NAME", lambda b: b.name),
    Column("FOR", whose),
    Column("STATE", lambda b: b.state),
    Column("START", lambda b: text.moment(b.start)),
    Column("END", lambda b: text.moment(b.end)),
    Column("NODES", nodes),
    Column("LEFTOVER", lambda b: b.leftover_policy, rank=6),
    Column("BY", lambda b: b.actor, rank=7),
    Column("ID", lambda b: b.id, rank=8),
]
Name = Annotated[str, typer.Argument(metavar="RESERVATION", help="Its name or id.")]


@verb(
    reservation_app,
    "list",
    "List advance reservations: nodes reserved for a project, or for maintenance",
    "fairlead node reservation list",
)
@listing(RESERVATIONS, "no advance reservations")
def reservations(fl: Fairlead) -> Iterable[models.AdvanceReservationResponse]:
    return fl.advance_reservations.list()


def story(one: models.AdvanceReservationResponse) -> str:
    lines = [
        f"{one.name} ({one.id}): {one.state.lower()}, for {whose(one)}",
        f"  {text.moment(one.start)} to {text.moment(one.end)}; at the start: "
        f"{one.leftover_policy.lower()}",
    ]
    if one.reason:
        lines.append(f"  {one.reason}")
    lines.append(f"  {text.count(len(one.nodes), 'node')}, {one.nodes_missing} missing")
    lines.extend(f"    {node.cluster}/{node.name} {node.state or 'gone'}" for node in one.nodes)
    return text.safe("\n".join(lines)) + "\n"


def moment(value: str | None) -> str | None:
    """A time, or a duration from now."""
    if value is None:
        return None
    try:
        if re.fullmatch(r"([0-9]+[smhd])+", value):
            return (text.now() + text.duration(value)).isoformat()
        return text.instant(value).isoformat()
    except ValueError as unread:
        raise UsageProblem(str(unread)) from None


@reservation_app.command(
    "create",
    help=help_text(
        "Reserve nodes for a period. Before the start, other jobs start there only if they end "
        "in time. From the start to the end only jobs of the project start there, or none.",
        "fairlead node reservation create demo --project vision --start 2030-01-31T14:00Z --for 4h "
        "--cluster eu-1 --model H100 --count 8",
        "fairlead node reservation create firmware --maintenance --start 2d --for 2h --node eu-1-gpu-0004 "
        "--leftover evict",
    ),
    short_help="Book nodes",
)
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A name for people.")],
    project: Annotated[
        str | None,
        typer.Option("--project", "-p", help="Start only jobs of this project on the nodes."),
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(help="Tenant of the project, if it is not the current one.")
    ] = None,
    maintenance: Annotated[
        bool, typer.Option("--maintenance", help="No job starts there.")
    ] = False,
    start: Annotated[
        str | None, typer.Option(help="A time, or a duration from now. Now by default.")
    ] = None,
    end: Annotated[str | None, typer.Option(help="A time, or a duration from now.")] = None,
    duration: Annotated[
        str | None, typer.Option("--for", help="Length, such as 4h. Alternative to --end.")
    ] = None,
    node: Annotated[
        list[str] | None, typer.Option("--node", help="Only this node. Repeatable.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(help="Number of nodes that match --cluster, --pool and --model.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", "-c", help="Only nodes of this cluster.")
    ] = None,
    pool: Annotated[str | None, typer.Option(help="Only nodes of this pool.")] = None,
    model: Annotated[str | None, typer.Option(help="Only nodes with such GPUs.")] = None,
    leftover: Annotated[
        str | None,
        typer.Option(help="Action on other jobs that run at the start: finish (default) or evict."),
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", "-r", help="Reason, recorded with the action.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print the nodes that would be reserved, without reserving them."
        ),
    ] = False,
    output: Output = Format.TABLE,
) -> None:
    if maintenance == (project is not None):
        raise UsageProblem("give a purpose: --project NAME or --maintenance")
    body: dict[str, Any] = {
        "name": name,
        "purpose": "MAINTENANCE" if maintenance else "PROJECT",
        "project": project,
        "tenant": tenant,
        "start": moment(start),
        "end": moment(end),
        "duration": duration,
        "nodes": node or None,
        "count": count,
        "cluster": cluster,
        "pool": pool,
        "model": model,
        "leftoverPolicy": leftover.upper() if leftover else None,
        "reason": reason,
    }
    with client(context) as fl:
        made = fl.advance_reservations.create(
            {key: each for key, each in body.items() if each is not None}, validate_only=dry_run
        )
    show(made, output, lambda: story(made), made.name)


@reservation_app.command(
    "show",
    help=help_text(
        "Show an advance reservation and its nodes.", "fairlead node reservation show demo"
    ),
    short_help="Show an advance reservation and its nodes",
)
def one(context: typer.Context, name: Name, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        found = fl.advance_reservations.get(name)
    show(found, output, lambda: story(found), found.name)


@reservation_app.command(
    "cancel",
    help=help_text(
        "Cancel an advance reservation. Its nodes accept all jobs from now on; jobs that run "
        "there continue.",
        "fairlead node reservation cancel demo -y",
    ),
    short_help="Cancel an advance reservation",
)
def cancel(
    context: typer.Context,
    name: Name,
    yes: Yes = False,
) -> None:
    with client(context) as fl:
        found = fl.advance_reservations.get(name)
        if not yes:
            bulk.confirmed(f"Cancel advance reservation {found.name} of {len(found.nodes)} nodes?")
        fl.advance_reservations.cancel(found.id)
    emit(f"advance reservation {found.name} is cancelled\n")
