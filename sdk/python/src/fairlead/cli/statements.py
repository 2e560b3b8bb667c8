"""What a month costs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import Annotated

import typer
from typer._click import Context
from typer.core import TyperGroup

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, listing
from fairlead.cli.output import Column, Format, emit, say, show, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text, verb

SHOW = "show"
MONTH = re.compile(r"\d{4}-\d{2}")


class Form(str, Enum):
    """Formats of -o, including those for accounting."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    JSONL = "jsonl"
    YAML = "yaml"
    CSV = "csv"
    NAME = "name"
    FOCUS = "focus"


class FocusVersion(str, Enum):
    """Of the export."""

    V1_0 = "1.0"
    V1_2 = "1.2"


class ShowsMonths(TyperGroup):
    """Accepts a month instead of a command and shows it."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        words = [one for one in args[:1] if not one.startswith("-")]
        if words and words[0] not in self.commands and not MONTH.fullmatch(words[0]):
            raise UsageProblem(
                f"{words[0]!r} is neither a month such as 2030-01 nor one of "
                f"{', '.join(sorted(self.commands))}. Show a month with fairlead usage statement 2030-01"
            )
        if not args or args[0] not in (*self.commands, "-h", "--help"):
            args = [SHOW, *args]
        return super().parse_args(ctx, args)


statement_app = typer.Typer(cls=ShowsMonths, rich_markup_mode=None)
Line = models.StatementLineResponse
Held = models.StatementVolumeResponse


def of_gpus(cell: Callable[[Line], str]) -> Callable[[Line | Held], str]:
    """Returns the cell of a GPU line, "-" for a volume."""
    return lambda line: cell(line) if isinstance(line, Line) else "-"


def of_volume(cell: Callable[[Held], str]) -> Callable[[Line | Held], str]:
    """Returns the cell of a volume, "-" for a GPU line."""
    return lambda line: "-" if isinstance(line, Line) else cell(line)


LINES: list[Column[Line | Held]] = [
    Column("FROM", lambda line: line.from_.strftime("%Y-%m-%d %H:%M")),
    Column("TO", lambda line: line.to.strftime("%Y-%m-%d %H:%M"), rank=4),
    Column("PROJECT", lambda line: text.safe(line.project.name)),
    Column("QUEUE", of_gpus(lambda line: text.safe(line.queue.name))),
    Column("CLUSTER", lambda line: text.safe(line.cluster.name), rank=5),
    Column("POOL", of_gpus(lambda line: text.safe(line.gpus.pool) or "-"), rank=6),
    Column("MODEL", of_gpus(lambda line: text.safe(line.gpus.model))),
    Column("CAPACITY", of_gpus(lambda line: line.gpus.capacity), rank=3),
    Column("GPU-HOURS", of_gpus(lambda line: f"{line.used.gpu_hours:.6f}")),
    Column(
        "GPU-HOUR",
        of_gpus(lambda line: f"{line.cost.price_per_gpu_hour:.6f}" if line.cost else "-"),
    ),
    Column("AMOUNT", lambda line: f"{line.cost.amount:.6f}" if line.cost else "-"),
    Column("CURRENCY", lambda line: line.cost.currency if line.cost else "-"),
    Column("PRICE", lambda line: line.cost.price if line.cost else "-", wide=True),
    Column("MILLI-GPU-MS", of_gpus(lambda line: str(line.used.milli_gpu_millis)), wide=True),
    Column("PROJECT ID", lambda line: line.project.id, wide=True),
    Column("QUEUE ID", of_gpus(lambda line: line.queue.id), wide=True),
    Column(
        "COST CENTRE",
        lambda line: text.safe(line.cost_centre) if line.cost_centre else "-",
        wide=True,
    ),
]
VOLUMES: list[Column[Line | Held]] = [
    Column("VOLUME", of_volume(lambda line: line.volume.name)),
    Column("GIB-HOURS", of_volume(lambda line: f"{line.held.gib_hours:.6f}")),
    Column("CLASS", of_volume(lambda line: line.storage_class or "-"), wide=True),
    Column("SIZE GIB", of_volume(lambda line: str(line.size_gib)), wide=True),
    Column(
        "GIB-MONTH",
        of_volume(lambda line: f"{line.cost.price_per_gib_month:.6f}" if line.cost else "-"),
        wide=True,
    ),
    Column("GIB-MS", of_volume(lambda line: str(line.held.gib_millis)), wide=True),
    Column("VOLUME ID", of_volume(lambda line: line.volume.id), wide=True),
]


Tokens = models.StatementTokensResponse
TOKENS: list[Column[Tokens]] = [
    Column("PROJECT", lambda line: text.safe(line.project.name)),
    Column("SERVICE", lambda line: text.safe(line.service.name)),
    Column("KEY", lambda line: line.key),
    Column("REQUESTS", lambda line: str(line.requests), rank=3),
    Column("PROMPT", lambda line: str(line.prompt_tokens)),
    Column("COMPLETION", lambda line: str(line.completion_tokens)),
    Column("UNMETERED", lambda line: str(line.unmetered_requests), rank=4),
    Column("INCLUDED", lambda line: included(line)),
    Column(
        "COST CENTRE",
        lambda line: text.safe(line.cost_centre) if line.cost_centre else "-",
        wide=True,
    ),
]


def included(line: Tokens) -> str:
    """The cost, or the reason why it is unknown."""
    cost = line.included
    if cost is None:
        return (line.unknown or "-").lower().replace("_", " ")
    return text.money(cost.amount, cost.currency)


def state(preliminary: bool, signed: models.StatementSignature | None) -> str:
    if signed is not None:
        return f"signed by {text.safe(signed.by)}"
    return "still counted" if preliminary else "not signed"


def amounts(totals: models.StatementTotalsResponse) -> str:
    return ", ".join(text.money(a.amount, a.currency) for a in totals.amounts) or "-"


STATEMENTS: list[Column[models.StatementSummary]] = [
    Column("MONTH", lambda one: one.month),
    Column("GPU-HOURS", lambda one: f"{one.totals.used.gpu_hours:.6f}"),
    Column(
        "GIB-HOURS",
        lambda one: f"{one.totals.held.gib_hours:.6f}" if one.totals.held else "-",
        rank=4,
    ),
    Column("WITHOUT COST", lambda one: f"{one.totals.without_cost.gpu_hours:.6f}", rank=5),
    Column("AMOUNT", lambda one: amounts(one.totals)),
    Column("STATE", lambda one: state(one.preliminary, one.signed)),
]

DEVICES: list[Column[models.StatementDeviceResponse]] = [
    Column("GPU", lambda one: one.gpu or "-"),
    Column("SERIAL", lambda one: one.serial or "-", rank=3),
    Column("MODEL", lambda one: text.safe(one.model), rank=4),
    Column("PROJECT", lambda one: text.safe(one.project.name)),
    Column("CLUSTER", lambda one: text.safe(one.cluster.name), rank=5),
    Column("NODE", lambda one: text.safe(one.node.name)),
    Column("GPU-HOURS", lambda one: f"{one.held.gpu_hours:.6f}"),
    Column("MILLI-GPU-MS", lambda one: str(one.held.milli_gpu_millis), wide=True),
]

PRELIMINARY = "{} is not over, or its last hour is not closed: these figures are preliminary"
Month = Annotated[str, typer.Argument(metavar="MONTH", help="In UTC, such as 2030-01.")]


def last_month() -> str:
    """The last ended month, in UTC."""
    today = text.now().astimezone(timezone.utc)
    return (today.replace(day=1) - timedelta(days=1)).strftime("%Y-%m")


def sums(totals: models.StatementTotalsResponse) -> str:
    held = totals.held
    stored = f"{held.gib_hours:.6f} GiB-hours, " if held and held.gib_millis else ""
    told = f"{totals.used.gpu_hours:.6f} GPU-hours, {stored}{amounts(totals)}"
    if totals.without_cost.milli_gpu_millis:
        told += f"; {totals.without_cost.gpu_hours:.6f} of the GPU-hours have no price"
    if totals.held_without_cost and totals.held_without_cost.gib_millis:
        told += f"; {totals.held_without_cost.gib_hours:.6f} GiB-hours have no price"
    return told


@verb(
    statement_app,
    "list",
    "List the usage and cost of the tenant by month",
    "fairlead usage statement list",
    "fairlead usage statement list --from 2030-01 --to 2030-12 -o csv",
)
@listing(STATEMENTS, "no months", lambda one: one.month)
def statements(
    fl: Fairlead,
    first: Annotated[
        str | None,
        typer.Option("--from", help="First month. Default: eleven months before the last month."),
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", help="Last month. The current month by default.")
    ] = None,
) -> Iterable[models.StatementSummary]:
    return fl.statements.list(first, last)


@verb(
    statement_app,
    "devices",
    "List the GPUs of a month by UUID and serial number",
    "fairlead usage statement devices 2030-01",
    "fairlead usage statement devices 2030-01 -o csv > gpus.csv",
)
@listing(DEVICES, "no GPU was used", lambda one: one.gpu or "-")
def devices(fl: Fairlead, month: Month) -> Iterable[models.StatementDeviceResponse]:
    return fl.statements.devices(month)


@statement_app.callback(
    help=help_text(
        "Show and sign the usage and cost of a month.",
        "fairlead usage statement",
        "fairlead usage statement 2030-01 -o csv > 2030-01.csv",
        "fairlead usage statement 2030-01 -o focus > focus.csv",
        "fairlead usage statement sign 2030-01",
    )
)
def group() -> None:
    return


@statement_app.command(
    SHOW,
    help=help_text(
        "Show the statement of a month, by default the last ended month. It has one line per use "
        "or volume and price period, and the tokens of each key of a model service. A signed "
        "statement is shown as signed. -o focus prints the columns of FOCUS 1.0, or 1.2 with "
        "--focus-version 1.2.",
        "fairlead usage statement 2030-01",
        "fairlead usage statement 2030-01 -o focus > focus.csv",
    ),
    short_help="Show the statement of a month",
)
def statement(
    context: typer.Context,
    month: Annotated[
        str | None, typer.Argument(metavar="MONTH", help="In UTC, such as 2030-01.")
    ] = None,
    output: Annotated[Form, typer.Option("--output", "-o", help="How to print it.")] = Form.TABLE,
    columns: Columns = None,
    focus_version: Annotated[
        FocusVersion, typer.Option("--focus-version", help="Of FOCUS, with -o focus.")
    ] = FocusVersion.V1_0,
) -> None:
    which = month or last_month()
    with client(context) as fl:
        if output is Form.FOCUS:
            focus = fl.statements.focus(which, version=focus_version.value)
            if any(
                row.get("x_Preliminary") == "true" for row in csv.DictReader(io.StringIO(focus))
            ):
                say(PRELIMINARY.format(which))
            emit(focus)
            return
        found = fl.statements.get(which)
    form = Format(output.value)
    if form in (Format.JSON, Format.JSONL, Format.YAML):
        show(found, form, str)
        return
    lines(rows(found), form, columns, found.preliminary)
    if form is Format.CSV and found.preliminary:
        say(PRELIMINARY.format(which))
    if form in (Format.TABLE, Format.WIDE):
        if found.tokens:
            say("tokens of model services, whose cost the lines include:")
            show_all(found.tokens, TOKENS, form, None, name=lambda line: line.key, empty="")
        say(f"{found.month}, {state(found.preliminary, found.signed)}: {sums(found.totals)}")


def rows(
    found: models.StatementResponse | models.StatementCorrectionsResponse,
) -> list[Line | Held]:
    return [*found.lines, *(found.volumes or []), *idle(found.month, found.idle)]


def idle(month: str, shares: list[models.IdleShareResponse] | None) -> list[Line]:
    """Include charges for idle capacity, as lines without a project."""
    begin = datetime.strptime(f"{month}-01+0000", "%Y-%m-%d%z")
    end = (begin + timedelta(days=31)).replace(day=1)
    return [
        Line(
            from_=begin,
            to=end,
            project=models.StatementThing(id="-", name="-"),
            queue=models.StatementThing(id="-", name=f"{share.bucket} {share.rule}"),
            cluster=models.StatementThing(id="-", name="-"),
            gpus=models.StatementGpus(pool="", model=share.model, capacity=share.capacity),
            used=share.unused,
            cost=models.StatementCost(
                price="-",
                price_per_gpu_hour=share.price_per_gpu_hour,
                amount=share.amount,
                currency=share.currency,
            ),
        )
        for share in shares or []
    ]


def lines(
    found: list[Line | Held], form: Format, columns: str | None, preliminary: bool = False
) -> None:
    """Marks the file itself as preliminary."""
    stored = form is Format.CSV or columns or any(isinstance(line, Held) for line in found)
    counted: Column[Line | Held] = Column(
        "STILL COUNTED", lambda _: "yes" if preliminary else "-", wide=True
    )
    show_all(
        found,
        [*LINES, *(VOLUMES if stored else []), counted],
        form,
        columns,
        name=lambda line: line.project.name,
        empty="nothing was used",
    )


@statement_app.command(
    "sign",
    help=help_text(
        "Sign the statement of a month, at the earliest ten minutes after the month's end. A "
        "signed statement is final. Later differences appear as corrections. For tenant owners.",
        "fairlead usage statement sign 2030-01",
    ),
    short_help="Sign a statement",
)
def sign(
    context: typer.Context,
    month: Month,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        signed = fl.statements.sign(month, validate_only=dry_run)
    by = f" by {text.safe(signed.signed.by)}" if signed.signed else ""
    emit(
        f"statement of {signed.month} {'would be' if dry_run else 'is'} signed{by}: "
        f"{sums(signed.totals)}\n"
    )


@statement_app.command(
    "corrections",
    help=help_text(
        "Show the corrections: lines that differ between the signed statement and a statement "
        "computed now. Empty if no hour of the month has changed.",
        "fairlead usage statement corrections 2030-01",
    ),
    short_help="Show the difference to a statement computed now",
)
def corrections(
    context: typer.Context,
    month: Month,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.statements.corrections(month)
    if output in (Format.JSON, Format.JSONL, Format.YAML):
        show(found, output, str)
    elif (
        not found.lines
        and not found.volumes
        and not found.idle
        and output in (Format.TABLE, Format.WIDE)
    ):
        say(f"the signed statement of {found.month} needs no correction")
    else:
        lines(rows(found), output, columns)
