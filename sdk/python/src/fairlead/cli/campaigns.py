"""Commands for maintenance campaigns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import listing, noun
from fairlead.cli.output import Column, Format, emit, say, show, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text, verb

campaign_app = noun("Begin, pause, resume and abort maintenance of many nodes.")

CAMPAIGNS: list[Column[models.CampaignResponse]] = [
    Column("ID", lambda c: c.id),
    Column("NAME", lambda c: c.name),
    Column("STATE", lambda c: c.state),
    Column("OUT", lambda c: str(c.nodes.draining + c.nodes.ready + c.nodes.soaking)),
    Column("UNHEALTHY", lambda c: str(c.nodes.unhealthy), rank=5),
    Column("THROUGH", lambda c: f"{c.nodes.done + c.nodes.skipped}/{c.total}"),
    Column("BY", lambda c: c.actor, rank=6),
    Column("AGE", lambda c: text.ago(c.created_at), rank=7),
    Column("WAITS FOR", lambda c: c.message or "-", rank=8),
]
NODES: list[Column[models.CampaignNodeResponse]] = [
    Column("NODE", lambda n: n.name),
    Column("CLUSTER", lambda n: n.cluster, rank=5),
    Column("STATE", lambda n: n.state),
    Column("SINCE", lambda n: text.ago(n.since)),
    Column("DRAIN", lambda n: n.drain or "-", rank=7),
    Column("WHY", lambda n: n.message or "-", rank=6),
]
Reason = Annotated[str, typer.Option("--reason", "-r", help="Reason, recorded with the action.")]
ACampaign = Annotated[
    str, typer.Argument(metavar="CAMPAIGN", help="Id from fairlead node campaign list.")
]


@verb(
    campaign_app,
    "list",
    "List maintenance campaigns with their progress and current wait",
    "fairlead node campaign list",
)
@listing(CAMPAIGNS, "no campaigns", lambda c: c.id)
def campaigns(fl: Fairlead) -> Iterable[models.CampaignResponse]:
    return fl.campaigns.list()


@verb(
    campaign_app,
    "get",
    "Show a campaign, or with --nodes its nodes",
    "fairlead node campaign get cmp_01k...",
    "fairlead node campaign get cmp_01k... --nodes",
)
def get(
    context: typer.Context,
    campaign: ACampaign,
    nodes: Annotated[bool, typer.Option("--nodes", help="List its nodes.")] = False,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        if nodes:
            found = list(fl.campaigns.nodes(campaign))
            show_all(found, NODES, output, columns, name=lambda n: n.name)
            return
        one = fl.campaigns.get(campaign)
    show(one, output, lambda: story(one), one.id)


def story(one: models.CampaignResponse) -> str:
    counts = one.nodes
    within = (
        f" within {one.drain_within}, then {one.at_deadline.lower()}" if one.drain_within else ""
    )
    lines = [
        f"{one.name} ({one.id}): {one.state.lower()}, {one.reason}",
        f"  {text.count(one.total, 'node')}, {one.at_once} at a time, drained{within}; soak "
        f"{one.soak}, at most {one.most_unhealthy} unhealthy",
        f"  {counts.pending} pending, {counts.draining} draining, {counts.ready} ready,"
        f" {counts.soaking} soaking, {counts.unhealthy} unhealthy, {counts.done} done,"
        f" {counts.skipped} skipped",
    ]
    if one.message:
        lines.append(f"  waits: {one.message}")
    return "\n".join(lines) + "\n"


@campaign_app.command(
    "create",
    help=help_text(
        "Begin a campaign, which drains its nodes a few at a time.",
        'fairlead node campaign create kernel-6.12 --reason "kernel update" --cluster eu-1 --at-once 10%',
        'fairlead node campaign create nic --reason "new cards" --node gpu-1 --node gpu-2 --at-once 1 '
        "--within 2h --at-deadline stop",
    ),
    short_help="Begin a campaign",
)
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A name for people.")],
    reason: Reason,
    at_once: Annotated[
        str,
        typer.Option(
            help="Maximum number of nodes out of service at the same time, such as 5 or 10%."
        ),
    ],
    cluster: Annotated[
        str | None, typer.Option("--cluster", "-c", help="Only nodes of this cluster.")
    ] = None,
    pool: Annotated[str | None, typer.Option(help="Only nodes of this pool.")] = None,
    node: Annotated[
        list[str] | None, typer.Option("--node", help="Only this node. Repeatable.")
    ] = None,
    within: Annotated[
        str | None, typer.Option(help="Time limit for the drain of a node, such as 2h.")
    ] = None,
    at_deadline: Annotated[
        str | None,
        typer.Option(help="Action on a node at the deadline: skip (default), wait or stop."),
    ] = None,
    most_unhealthy: Annotated[
        int | None,
        typer.Option(
            help="Start no more nodes while more than this many are unhealthy after maintenance. "
            "Default 0."
        ),
    ] = None,
    soak: Annotated[
        str | None,
        typer.Option(help="Time that a node must stay healthy after maintenance. Default 10m."),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    share = at_once.endswith("%")
    count = at_once.removesuffix("%")
    if not count.isdigit():
        raise UsageProblem("--at-once takes a count such as 5 or a share such as 10%")
    body: dict[str, Any] = {
        "name": name,
        "reason": reason,
        "cluster": cluster,
        "pool": pool,
        "nodes": node or None,
        "percentAtOnce" if share else "atOnce": int(count),
        "drainWithin": within,
        "atDeadline": at_deadline.upper() if at_deadline else None,
        "mostUnhealthy": most_unhealthy,
        "soak": soak,
    }
    with client(context) as fl:
        made = fl.campaigns.create({key: each for key, each in body.items() if each is not None})
        show(made, output, lambda: story(made), made.id)
    say(f"Next: fairlead node campaign get {made.id} --nodes, and for each READY one")
    say(f"      fairlead node campaign done {made.id} NODE")


def ordered(context: typer.Context, campaign: str, order: str, reason: str) -> None:
    with client(context) as fl:
        emit(story(fl.campaigns.order(campaign, order, reason)))


@campaign_app.command(
    "pause",
    help=help_text(
        "Start no more nodes. Nodes in progress continue.",
        'fairlead node campaign pause cmp_01k... --reason "the first node does not boot"',
    ),
    short_help="Start no more nodes; nodes in progress continue",
)
def pause(context: typer.Context, campaign: ACampaign, reason: Reason) -> None:
    ordered(context, campaign, "PAUSE", reason)


@campaign_app.command(
    "resume",
    help=help_text(
        "Resume a paused campaign.",
        'fairlead node campaign resume cmp_01k... --reason "the image is corrected"',
    ),
    short_help="Resume a paused campaign",
)
def resume(context: typer.Context, campaign: ACampaign, reason: Reason) -> None:
    ordered(context, campaign, "RESUME", reason)


@campaign_app.command(
    "abort",
    help=help_text(
        "Abort a campaign: cancel its drains and uncordon its nodes, including READY nodes. Nodes "
        "that were cordoned before stay cordoned.",
        'fairlead node campaign abort cmp_01k... --reason "wrong cluster"',
    ),
    short_help="Abort a campaign and return its nodes to service",
)
def abort(context: typer.Context, campaign: ACampaign, reason: Reason) -> None:
    ordered(context, campaign, "ABORT", reason)


@campaign_app.command(
    "done",
    help=help_text(
        "Mark the work on a READY node as done. The node returns to service.",
        "fairlead node campaign done cmp_01k... eu-1-gpu-0004",
    ),
    short_help="Report that the work on a node is done",
)
def done(
    context: typer.Context,
    campaign: ACampaign,
    node: Annotated[str, typer.Argument(metavar="NODE", help="Name or id of the node.")],
) -> None:
    with client(context) as fl:
        one = fl.campaigns.done(campaign, node)
    why = f", {one.message}" if one.message else ""
    emit(f"node {one.name} of {one.cluster}: {one.state.lower()}{why}\n")
