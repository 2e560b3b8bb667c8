"""Idle cost: cost of unused capacity, and its distribution to tenants."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, listing
from fairlead.cli.output import Column, Format, emit, say, show, show_all
from fairlead.cli.session import Columns, Output, client, help_text
from fairlead.cli.statements import PRELIMINARY, ShowsMonths

idle_cost_app = typer.Typer(cls=ShowsMonths, rich_markup_mode=None)


class Rule(str, Enum):
    """Rule that distributes the cost of idle capacity."""

    APART = "APART"
    BY_USE = "BY_USE"
    BY_QUOTA = "BY_QUOTA"


def amount(line: models.IdleCostLine) -> str:
    if line.amount is None or line.currency is None:
        return "-"
    return text.money(line.amount, line.currency)


def payers(line: models.IdleCostLine) -> str:
    paid = (f"{text.safe(share.tenant)} {share.amount:.6f}" for share in line.shares)
    return ", ".join(paid) or "stands apart"


LINES: list[Column[models.IdleCostLine]] = [
    Column("OWNER", lambda line: text.safe(line.owner) if line.owner else "-"),
    Column("MODEL", lambda line: text.safe(line.model)),
    Column("CAPACITY", lambda line: line.capacity),
    Column("BUCKET", lambda line: line.bucket),
    Column("GPU-HOURS", lambda line: f"{line.unused.gpu_hours:.6f}"),
    Column("AMOUNT", amount),
    Column("RULE", lambda line: line.rule),
    Column("PAID BY", payers),
]
POLICIES: list[Column[models.IdleCostPolicyResponse]] = [
    Column("FROM", lambda policy: policy.from_),
    Column("IDLE", lambda policy: policy.idle),
    Column("OUT OF SERVICE", lambda policy: policy.out_of_service),
    Column("BY", lambda policy: text.safe(policy.by)),
    Column("WRITTEN", lambda policy: text.moment(policy.recorded_at)),
]


@idle_cost_app.callback(
    help=help_text(
        "Show the cost of unused capacity in a month, and set how tenants are charged.",
        "fairlead usage idle-cost",
        "fairlead usage idle-cost 2030-01 -o csv",
        "fairlead usage idle-cost set BY_USE --out-of-service APART --from 2030-02",
    )
)
def group() -> None:
    return


@idle_cost_app.command(
    "show",
    help=help_text(
        "Show the cost of capacity that no job used in a month. The current month by default. "
        "The shares of tenants add up to the amount of the line. For platform roles.",
        "fairlead usage idle-cost 2030-01",
    ),
    short_help="Show the idle cost of a month",
)
def report(
    context: typer.Context,
    month: Annotated[
        str | None, typer.Argument(metavar="MONTH", help="In UTC, such as 2030-01.")
    ] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.idle_costs.report(month)
    if output in (Format.JSON, Format.JSONL, Format.YAML):
        show(found, output, str)
        return
    counted: Column[models.IdleCostLine] = Column(
        "STILL COUNTED", lambda _: "yes" if found.preliminary else "-", wide=True
    )
    show_all(
        found.lines,
        [*LINES, counted],
        output,
        columns,
        name=lambda line: line.model,
        empty="nothing was idle",
    )
    if output is Format.CSV and found.preliminary:
        say(PRELIMINARY.format(found.month))
    if output in (Format.TABLE, Format.WIDE):
        for total in found.totals:
            say(
                f"{found.month}{', still counted' if found.preliminary else ''}: "
                f"{text.money(total.amount, total.currency)}, charged to tenants: "
                f"{text.money(total.distributed, total.currency)}"
            )


@idle_cost_app.command(
    "policies",
    help=help_text(
        "Show the policies that charge idle cost to tenants, with their first month. The latest "
        "started policy applies; of two with the same month, the one written last.",
        "fairlead usage idle-cost policies",
    ),
    short_help="Show idle-cost policies by month",
)
@listing(POLICIES, "no policy: idle cost is not charged to tenants", lambda policy: policy.from_)
def policies(fl: Fairlead) -> Iterable[models.IdleCostPolicyResponse]:
    return fl.idle_costs.policies()


@idle_cost_app.command(
    "set",
    help=help_text(
        "Set the policy that charges idle cost to tenants, from a future month. BY_USE splits "
        "by each tenant's usage of the model, BY_QUOTA by the current weights of tenants. Idle "
        "cost in a tenant's pool is charged to that tenant. For operators.",
        "fairlead usage idle-cost set BY_USE",
        "fairlead usage idle-cost set BY_QUOTA --out-of-service BY_USE --from 2030-02",
        "fairlead usage idle-cost set APART",
    ),
    short_help="Set how tenants are charged for idle cost",
)
def set_policy(
    context: typer.Context,
    idle: Annotated[
        Rule, typer.Argument(metavar="RULE", help="Rule for free, reserved and stranded capacity.")
    ],
    out_of_service: Annotated[
        Rule, typer.Option(help="Rule for unhealthy capacity and capacity in maintenance.")
    ] = Rule.APART,
    begin: Annotated[
        str | None,
        typer.Option("--from", help="First month, such as 2030-02. The next month by default."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    body = {"idle": idle.value, "outOfService": out_of_service.value}
    if begin is not None:
        body["from"] = begin
    with client(context) as fl:
        made = fl.idle_costs.create_policy(body, validate_only=dry_run)
    emit(
        f"idle cost {'would be' if dry_run else 'is'} {made.idle}, out-of-service cost "
        f"{made.out_of_service}, from {made.from_} on\n"
    )
