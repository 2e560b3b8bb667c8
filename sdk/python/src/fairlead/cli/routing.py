"""Commands for routing policies: the capacity tiers of a queue."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, noun
from fairlead.cli.output import Column, Format, emit, show_all
from fairlead.cli.session import Columns, Output, client, help_text

app = noun("Show and set the capacity tiers of a queue.")

LISTS = {"capacity": "capacityTypes", "pool": "pools", "cluster": "clusters"}
FORM = "capacity=, pool= and cluster= (several with +), after=, max=AMOUNT/CURRENCY, order="


def capped(tier: models.RoutingTierResponse) -> str:
    if tier.max_price_per_gpu_hour is None:
        return "any price"
    return text.money(tier.max_price_per_gpu_hour, tier.currency or "")


def all_or(names: list[str] | None) -> str:
    return text.safe("+".join(names)) if names else "any"


ROWS: list[Column[tuple[int, models.RoutingTierResponse]]] = [
    Column("TIER", lambda r: r[0]),
    Column("CAPACITY", lambda r: all_or([str(each) for each in r[1].capacity_types])),
    Column("POOLS", lambda r: all_or(r[1].pools)),
    Column("CLUSTERS", lambda r: all_or(r[1].clusters)),
    Column("AFTER", lambda r: r[1].after),
    Column("UP TO", lambda r: capped(r[1])),
    Column("ORDER", lambda r: r[1].order),
]


@app.command(
    "get",
    help=help_text(
        "Show the capacity tiers of a queue, with the wait before each tier opens.",
        "fairlead queue routing get research",
    ),
    short_help="Show the tiers of a queue",
)
def get(
    context: typer.Context,
    queue: Annotated[str, typer.Argument(metavar="QUEUE", help="Name or id.")],
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.quotas.queue(queue)
    routing = found.queue.routing if found.queue else None
    tiers = list(enumerate(routing.tiers, 1)) if routing else []
    if output in (Format.JSON, Format.JSONL, Format.YAML):
        none: list[Column[Any]] = []
        show_all([tier for _, tier in tiers], none, output, name=lambda t: t.after)
        return
    show_all(
        tiers,
        ROWS,
        output,
        columns,
        name=lambda r: str(r[0]),
        empty=f"queue {text.safe(found.name)} uses all nodes without tiers",
    )


def tier(given: str) -> dict[str, Any]:
    """capacity=ON_DEMAND+SPOT,after=10m,max=3.20/USD as a tier."""
    made: dict[str, Any] = {}
    for part in given.split(","):
        word, equals, value = part.partition("=")
        amount, slash, currency = value.partition("/")
        if equals and word in LISTS:
            made[LISTS[word]] = value.split("+")
        elif equals and word in ("after", "order"):
            made[word] = value
        elif equals and word == "max" and slash:
            made.update(maxPricePerGpuHour=amount, currency=currency)
        else:
            raise typer.BadParameter(f"--tier takes {FORM}, not {text.safe(part)}")
    return made


MOVES = {"per-hour": "perHour", "rest": "rest"}


def moves_back(given: str) -> dict[str, Any]:
    """per-hour=6,rest=10m as a rule."""
    made: dict[str, Any] = {}
    for part in given.split(","):
        word, equals, value = part.partition("=")
        if not equals or word not in MOVES or (word == "per-hour" and not value.isdecimal()):
            raise typer.BadParameter(
                f"--move-back takes per-hour=NUMBER and rest=TIME, with a comma, not {text.safe(part)}"
            )
        made[MOVES[word]] = int(value) if word == "per-hour" else value
    return made


@app.command(
    "set",
    help=help_text(
        "Set the tiers of a queue in order. They replace the existing ones. A job uses a node by "
        "the first tier that selects it with a price limit that it meets. Omitted options match "
        "all nodes. A tier opens when the job has waited for the tier's delay. Running jobs "
        "continue, unless --move-back returns them. For administrators.",
        "fairlead queue routing set research --tier capacity=RESERVED "
        "--tier capacity=ON_DEMAND,after=10m,max=3.20/USD,order=CHEAPEST",
        "fairlead queue routing set research --tier capacity=RESERVED --tier capacity=ON_DEMAND,after=10m "
        "--move-back per-hour=6,rest=10m",
        "fairlead queue routing set research --none",
    ),
    short_help="Set the tiers of a queue",
)
def change(
    context: typer.Context,
    queue: Annotated[str, typer.Argument(metavar="QUEUE", help="Name or id.")],
    tiers: Annotated[
        list[str] | None, typer.Option("--tier", help=f"One tier: {FORM}, with commas.")
    ] = None,
    move_back: Annotated[
        str | None,
        typer.Option(
            "--move-back",
            help="Move jobs back to free reserved capacity, within limits: per-hour=6,rest=10m.",
        ),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Use all nodes without tiers.")] = False,
    dry_run: DryRun = False,
) -> None:
    if bool(tiers) == none:
        raise typer.BadParameter("give --tier or --none")
    if none and move_back:
        raise typer.BadParameter("--move-back needs --tier")
    routing: dict[str, Any] | None = None
    if not none:
        routing = {"tiers": [tier(given) for given in tiers or []]}
        if move_back:
            routing["moveBack"] = moves_back(move_back)
    with client(context) as fl:
        found = fl.quotas.queue(queue)
        patch = {"queue": {"routing": routing}}
        fl.quotas.update_queue(queue, patch, version=found.version, validate_only=dry_run)
    emit(f"routing of queue {text.safe(found.name)} {'would be set' if dry_run else 'is set'}\n")
