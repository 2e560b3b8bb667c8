"""Verbs of budgets."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Annotated, Any

import typer

from fairlead import Fairlead, models
from fairlead.cli import bulk, text
from fairlead.cli.actions import DryRun, Yes, listing, noun
from fairlead.cli.output import Column, Format, emit, say, show, show_all
from fairlead.cli.session import Output, UsageProblem, client, help_text, verb

budget_app = noun("Set budgets and grant extra amounts.")


def covers(budget: models.BudgetResponse) -> str:
    """The scope of the budget in one line."""
    parts = [
        f"{kind}={name}"
        for kind, name in (
            ("project", budget.project),
            ("queue", budget.queue),
            ("user", budget.user),
        )
        if name
    ]
    parts += [f"label {key}={value}" for key, value in (budget.label or {}).items()]
    return text.safe(" ".join(parts)) or "tenant"


def hours(amount: float) -> str:
    return f"{amount:,.2f}".rstrip("0").rstrip(".")


def pair(label: str) -> dict[str, str]:
    """A label in the form of the API."""
    key, equals, value = label.partition("=")
    if not equals:
        raise UsageProblem(f"--label {label!r} is not key=value")
    return {key: value}


def unit(budget: models.BudgetResponse) -> str:
    """The unit of its amounts."""
    return budget.currency or "GPU-hours"


def amounts(budget: models.BudgetResponse, amount: str) -> dict[str, Any]:
    """An amount under the field name for the budget's unit."""
    return {"amount" if budget.currency else "gpuHours": amount}


def runs_out(budget: models.BudgetResponse) -> str:
    return text.moment(budget.current.runs_out_at)


BUDGETS: list[Column[models.BudgetResponse]] = [
    Column("NAME", lambda b: b.name),
    Column("COVERS", covers),
    Column("MODE", lambda b: b.mode),
    Column("UNIT", unit),
    Column("LIMIT", lambda b: hours(b.current.limit)),
    Column("SPENT", lambda b: hours(b.current.spent)),
    Column("RESERVED", lambda b: hours(b.current.reserved)),
    Column("LEFT", lambda b: hours(b.current.left)),
    Column("OVERDRAWN", lambda b: hours(b.current.overdrawn), rank=5),
    Column("NO PRICE", lambda b: hours(b.current.without_price or 0), wide=True),
    Column("RENEWS", lambda b: text.moment(b.current.to), rank=4),
    Column("RUNS OUT", runs_out, rank=6),
    Column("ON EXHAUSTED", lambda b: b.on_exhausted, wide=True),
    Column("PERIOD", lambda b: b.period, wide=True),
    Column("ALERTS", lambda b: text.listed([f"{a}%" for a in b.alerts]), wide=True),
    Column("ID", lambda b: b.id, wide=True),
]

Name = Annotated[str, typer.Argument(metavar="BUDGET", help="Name or id.")]
Soft = Annotated[
    bool | None,
    typer.Option("--soft/--hard", help="Only alert. By default no job starts beyond the limit."),
]


class OnExhausted(str, Enum):
    """Action on running jobs when the budget is exhausted."""

    FINISH = "finish"
    PREEMPT = "preempt"
    SUSPEND = "suspend"


OnExhaustedOption = Annotated[
    OnExhausted | None,
    typer.Option(
        "--on-exhausted",
        help="Action on running jobs when a hard budget is exhausted.",
    ),
]
Alerts = Annotated[
    list[int] | None, typer.Option("--alert", help="Threshold in percent. Repeatable.")
]


@verb(
    budget_app,
    "list",
    "List budgets: GPU-hours or money per period, and the remainder",
    "fairlead budget list",
    "fairlead budget list -o json",
)
@listing(BUDGETS, "no budgets")
def budgets(fl: Fairlead) -> Iterable[models.BudgetResponse]:
    return fl.budgets.list()


def told(budget: models.BudgetResponse, dry_run: bool) -> None:
    emit(
        f"budget {budget.name} {'would have' if dry_run else 'has'} "
        f"{hours(budget.current.left)} of {hours(budget.current.limit)} {unit(budget)} left "
        f"until {text.moment(budget.current.to)}\n"
    )
    if budget.current.overdrawn:
        say(f"warning: overdrawn by {hours(budget.current.overdrawn)} {unit(budget)}")
    if budget.current.without_price:
        say(
            f"warning: {hours(budget.current.without_price)} GPU-hours had no price in "
            f"{unit(budget)} and are not counted"
        )


def given(
    soft: bool | None, on_exhausted: OnExhausted | None, alert: list[int] | None
) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if soft is not None:
        body["mode"] = "SOFT" if soft else "HARD"
    if on_exhausted is not None:
        body["onExhausted"] = on_exhausted.value.upper()
    if alert:
        body["alerts"] = alert
    return body


@budget_app.command(
    "create",
    help=help_text(
        "Create a monthly budget, in GPU-hours or in money by the price book, for the jobs that "
        "match every option. Without options it covers the whole tenant. Usage earlier in the "
        "open period counts. For tenant owners.",
        "fairlead budget create nlp 1000 --of-project nlp --alert 80 --alert 100",
        "fairlead budget create nlp-money 5000 EUR --of-project nlp",
        "fairlead budget create ana 50 --of-project nlp --user ana --soft --weekly",
        "fairlead budget create grant-17 500 --label grant=17",
    ),
    short_help="Create a budget",
)
def create(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A DNS label. Cannot be changed later.")
    ],
    amount: Annotated[
        str,
        typer.Argument(
            metavar="AMOUNT", help="Amount of each period: GPU-hours, or money with a currency."
        ),
    ],
    currency: Annotated[
        str | None,
        typer.Argument(
            metavar="CURRENCY", help="Currency as a three-letter ISO 4217 code. Omit for GPU-hours."
        ),
    ] = None,
    of_project: Annotated[str | None, typer.Option(help="Jobs of this project.")] = None,
    queue: Annotated[str | None, typer.Option(help="Jobs of this queue.")] = None,
    user: Annotated[str | None, typer.Option(help="Jobs of this user.")] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Count only jobs with this label at their start. A budget with a label is "
            "always soft.",
        ),
    ] = None,
    weekly: Annotated[bool, typer.Option("--weekly", help="Weekly period from Monday.")] = False,
    soft: Soft = None,
    on_exhausted: OnExhaustedOption = None,
    alert: Alerts = None,
    dry_run: DryRun = False,
) -> None:
    body = {"name": name} | given(soft, on_exhausted, alert)
    body |= {"gpuHours": amount} if currency is None else {"amount": amount, "currency": currency}
    scope = {"project": of_project, "queue": queue, "user": user}
    body |= {key: value for key, value in scope.items() if value is not None}
    if label is not None:
        body["label"] = pair(label)
    if weekly:
        body["period"] = "WEEK"
    with client(context) as fl:
        told(fl.budgets.create(body, validate_only=dry_run), dry_run)


@budget_app.command(
    "change",
    help=help_text(
        "Change a budget: its amount, whether it is hard, the policy when it is exhausted, or "
        "its alerts. Running jobs use the time already reserved for them.",
        "fairlead budget change nlp --amount 1200",
        "fairlead budget change nlp --soft --alert 90",
        "fairlead budget change nlp --on-exhausted preempt",
    ),
    short_help="Change a budget",
)
def change(
    context: typer.Context,
    name: Name,
    amount: Annotated[
        str | None,
        typer.Option(
            "--amount", "--gpu-hours", help="Amount of each period, in GPU-hours or its currency."
        ),
    ] = None,
    soft: Soft = None,
    on_exhausted: OnExhaustedOption = None,
    alert: Alerts = None,
    dry_run: DryRun = False,
) -> None:
    patch = given(soft, on_exhausted, alert)
    with client(context) as fl:
        found = fl.budgets.get(name)
        if amount is not None:
            patch |= amounts(found, amount)
        changed = fl.budgets.update(name, patch, version=found.version, validate_only=dry_run)
    told(changed, dry_run)


@budget_app.command(
    "grant",
    help=help_text(
        "Add GPU-hours or money to the open period of a budget, until the given time or the end "
        "of the period.",
        "fairlead budget grant nlp 200 --reason 'rebuttal of the paper'",
        "fairlead budget grant nlp 50 --reason demo --until 2030-01-31T18:00:00Z",
    ),
    short_help="Add to the open period",
)
def grant(
    context: typer.Context,
    name: Name,
    amount: Annotated[
        str,
        typer.Argument(
            metavar="AMOUNT", help="Extra amount, in GPU-hours or the currency of the budget."
        ),
    ],
    reason: Annotated[
        str, typer.Option(help="Reason, shown to users and recorded in the audit log.")
    ],
    until: Annotated[str | None, typer.Option(help="End time of the extra amount.")] = None,
    dry_run: DryRun = False,
) -> None:
    body: dict[str, Any] = {"reason": reason}
    if until is not None:
        body["until"] = until
    with client(context) as fl:
        found = fl.budgets.get(name)
        body |= amounts(found, amount)
        granted = fl.budgets.grant(name, body, version=found.version, validate_only=dry_run)
    told(granted, dry_run)


@budget_app.command(
    "delete",
    help=help_text(
        "Delete a budget with its spent and reserved amounts.", "fairlead budget delete nlp -y"
    ),
    short_help="Delete a budget",
)
def delete(
    context: typer.Context,
    name: Name,
    yes: Yes = False,
) -> None:
    with client(context) as fl:
        found = fl.budgets.get(name)
        if not yes:
            bulk.confirmed(f"Delete budget {found.name} ({covers(found)})?")
        fl.budgets.delete(name, version=found.version)
    emit(f"budget {found.name} is deleted\n")


@verb(budget_app, "get", "Show one budget", "fairlead budget get nlp -o yaml")
def get(context: typer.Context, name: Name, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        found = fl.budgets.get(name)
    if output == Format.TABLE:
        show_all([found], BUDGETS, output, None, name=lambda b: b.name, empty="")
    else:
        show(found, output, lambda: "", found.name)
