"""Verbs of maintenance campaigns."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.output import Column, Format, emit, say, show, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text, verb

app = typer.Typer()
campaign_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

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
Reason = Annotated[str, typer.Option("--reason", "-r", help="Why, for those who read it later.")]
ACampaign = Annotated[
    str, typer.Argument(metavar="CAMPAIGN", help="Its id, as fairlead campaigns shows it.")
]


@verb(
    app,
    "campaigns",
    "Show maintenance of many nodes: how far each campaign is, what it waits for",
    "fairlead campaigns",
    "fairlead campaigns cmp_01k...",
    "fairlead campaigns cmp_01k... --nodes",
)
def campaigns(
    context: typer.Context,
    campaign: Annotated[
        str | None, typer.Argument(metavar="[CAMPAIGN]", help="Id of one.", show_default=False)
    ] = None,
    nodes: Annotated[bool, typer.Option("--nodes", help="The nodes of one.")] = False,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    if nodes and campaign is None:
        raise UsageProblem("name the campaign whose nodes are shown")
    with client(context) as fl:
        if campaign is None:
            show_all(
                list(fl.campaigns.list()),
                CAMPAIGNS,
                output,
                columns,
                name=lambda c: c.id,
                empty="no campaigns",
            )
        elif nodes:
            found = list(fl.campaigns.nodes(campaign))
            show_all(found, NODES, output, columns, name=lambda n: n.name)
        else:
            one = fl.campaigns.get(campaign)
            show(one, output, lambda: story(one), one.id)


def story(one: models.CampaignResponse) -> str:
    counts = one.nodes
    within = (
        f" within {one.drain_within}, then {one.at_deadline.lower()}" if one.drain_within else ""
    )
    lines = [
        f"{one.name} ({one.id}): {one.state.lower()}, {one.reason}",
        f"  {text.count(one.total, 'node')}, {one.at_once} at once, drained{within}; soak {one.soak},"
        f" at most {one.most_unhealthy} unhealthy",
        f"  {counts.pending} pending, {counts.draining} draining, {counts.ready} ready,"
        f" {counts.soaking} soaking, {counts.unhealthy} unhealthy, {counts.done} done,"
        f" {counts.skipped} skipped",
    ]
    if one.message:
        lines.append(f"  waits: {one.message}")
    return "\n".join(lines) + "\n"


@campaign_app.callback(help="Begin, pause, resume and abort maintenance of many nodes.")
def group() -> None:
    return


@campaign_app.command(
    "create",
    help=help_text(
        "Begin a campaign: its nodes are drained, some at a time.",
        'fairlead campaign create kernel-6.12 --reason "kernel update" --cluster eu-1 --at-once 10%',
        'fairlead campaign create nic --reason "new cards" --node gpu-1 --node gpu-2 --at-once 1 '
        "--within 2h --at-deadline stop",
    ),
    short_help="Begin a campaign",
)
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What people call it.")],
    reason: Reason,
    at_once: Annotated[
        str, typer.Option(help="Nodes that may be out of use at a time: 5, or a share such as 10%.")
    ],
    cluster: Annotated[
        str | None, typer.Option("--cluster", "-c", help="Only nodes of this cluster.")
    ] = None,
    pool: Annotated[str | None, typer.Option(help="Only nodes of this pool.")] = None,
    node: Annotated[
        list[str] | None, typer.Option("--node", help="Only this node; may be repeated.")
    ] = None,
    within: Annotated[
        str | None, typer.Option(help="How long the drain of a node may take, such as 2h.")
    ] = None,
    at_deadline: Annotated[
        str | None,
        typer.Option(help="What then happens to the node: skip (the default), wait or stop."),
    ] = None,
    most_unhealthy: Annotated[
        int | None,
        typer.Option(help="Begin no more while more than so many came back out of order; 0."),
    ] = None,
    soak: Annotated[
        str | None, typer.Option(help="How long a node has to be in order afterwards; 10m.")
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    share = at_once.endswith("%")
    count = at_once.removesuffix("%")
    if not count.isdigit():
        raise UsageProblem("--at-once is a count such as 5, or a share such as 10%")
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
    say(f"Next: fairlead campaigns {made.id} --nodes, and for each READY one")
    say(f"      fairlead campaign done {made.id} NODE")


def ordered(context: typer.Context, campaign: str, order: str, reason: str) -> None:
    with client(context) as fl:
        emit(story(fl.campaigns.order(campaign, order, reason)))


@campaign_app.command(
    "pause",
    help=help_text(
        "Begin no more nodes; what is under way goes on.",
        'fairlead campaign pause cmp_01k... --reason "the first node does not boot"',
    ),
    short_help="Begin no more nodes; what is under way goes on",
)
def pause(context: typer.Context, campaign: ACampaign, reason: Reason) -> None:
    ordered(context, campaign, "PAUSE", reason)


@campaign_app.command(
    "resume",
    help=help_text(
        "Let it go on.", 'fairlead campaign resume cmp_01k... --reason "the image is corrected"'
    ),
    short_help="Let it go on",
)
def resume(context: typer.Context, campaign: ACampaign, reason: Reason) -> None:
    ordered(context, campaign, "RESUME", reason)


@campaign_app.command(
    "abort",
    help=help_text(
        "Give it up: its drains are cancelled and its nodes uncordoned, also those that are READY. A "
        "node that was cordoned before stays so.",
        'fairlead campaign abort cmp_01k... --reason "wrong cluster"',
    ),
    short_help="Give it up, and its nodes back",
)
def abort(context: typer.Context, campaign: ACampaign, reason: Reason) -> None:
    ordered(context, campaign, "ABORT", reason)


@campaign_app.command(
    "done",
    help=help_text(
        "Say that the work on a READY node is done: it comes back into use.",
        "fairlead campaign done cmp_01k... eu-1-gpu-0004",
    ),
    short_help="Say that the work on a node is done",
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
