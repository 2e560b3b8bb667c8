"""Commands for the price book."""

from __future__ import annotations

from datetime import datetime
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.output import Column, Format, emit, show, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text, verb

app = typer.Typer()
price_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def of_gpus(price: models.PriceResponse) -> str:
    each = price.price_per_gpu_hour
    return "-" if each is None else text.money(each, price.currency)


def of_storage(price: models.PriceResponse) -> str:
    each = price.price_per_gib_month
    return "-" if each is None else text.money(each, price.currency)


def scope(price: models.PriceResponse, of_storage: bool, named: str | None) -> str:
    """A GPU price has no storage class. A storage price has no GPU fields."""
    return (named or "any") if of_storage == (price.price_per_gpu_hour is None) else "-"


def when(at: str | None) -> datetime | None:
    if at is None or at == "now":
        return None if at is None else text.now()
    try:
        return text.instant(at)
    except ValueError as wrong:
        raise typer.BadParameter(f"--at: {wrong}") from wrong


def known_model(fl: Fairlead, model: str) -> None:
    """Raises UsageProblem for a model of no cluster that the catalogue lacks, since no GPU has it."""
    known = {one.name for one in fl.gpu_models()} | {one.model for one in fl.capacity()}
    if model in known:
        return
    near = get_close_matches(model, known, 1)
    hint = f"Did you mean {near[0]}?" if near else "Known models: fairlead gpus --models"
    raise UsageProblem(f"--model {text.safe(model)} is no known GPU model. {hint}")


PRICES: list[Column[models.PriceResponse]] = [
    Column("ID", lambda p: p.id),
    Column("CLUSTER", lambda p: p.cluster or "any"),
    Column("POOL", lambda p: scope(p, False, p.pool)),
    Column("MODEL", lambda p: scope(p, False, p.model)),
    Column("CAPACITY", lambda p: scope(p, False, p.capacity_type)),
    Column("GPU-HOUR", of_gpus),
    Column("CLASS", lambda p: scope(p, True, p.storage_class), rank=4),
    Column("GIB-MONTH", of_storage, rank=3),
    Column("FROM", lambda p: text.moment(p.from_)),
    Column("TO", lambda p: text.moment(p.effective_to)),
    Column("REPLACES", lambda p: p.replaces or "-", wide=True),
    Column("REPLACED BY", lambda p: p.replaced_by or "-", wide=True),
]


@verb(
    app,
    "prices",
    "List prices per GPU-hour and GiB-month with their scope and validity",
    "fairlead prices",
    "fairlead prices --at now",
    "fairlead prices --at 2030-01-31T08:00:00Z -o csv",
)
def prices(
    context: typer.Context,
    at: Annotated[
        str | None,
        typer.Option(help="Only prices in effect at this time: now, or a time with its offset."),
    ] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    then = when(at)
    with client(context) as fl:
        found = list(fl.prices.list(at=then))
    show_all(found, PRICES, output, columns, name=lambda p: p.id, empty="no prices")


COMMITMENTS: list[Column[models.CommitmentReport]] = [
    Column("PRICE", lambda line: line.price),
    Column("POOL", lambda line: text.safe(line.pool or "any")),
    Column("MODEL", lambda line: text.safe(line.model or "any")),
    Column("GPUS", lambda line: str(line.gpus)),
    Column("UNTIL", lambda line: text.moment(line.ends)),
    Column("GPU-HOURS", lambda line: f"{line.committed_gpu_hours:.1f}"),
    Column("USED", lambda line: f"{line.used_gpu_hours:.1f}"),
    Column("UNUSED", lambda line: f"{line.unused_gpu_hours:.1f}"),
    Column("BEYOND", lambda line: f"{line.beyond_gpu_hours:.1f}"),
    Column("COST", lambda line: text.money(line.cost, line.currency)),
    Column("OF UNUSED", lambda line: text.money(line.unused_cost, line.currency)),
]


@verb(
    app,
    "commitments",
    "Show the cost and the utilization of commitments",
    "fairlead commitments",
    "fairlead commitments --since 2030-01-01T00:00:00Z --until 2030-02-01T00:00:00Z",
)
def commitments(
    context: typer.Context,
    since: Annotated[
        str, typer.Option("--since", help="Start time, or a duration before now.")
    ] = "31d",
    until: Annotated[
        str | None, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.commitments(since, until)
    show_all(
        found.lines,
        COMMITMENTS,
        output,
        columns,
        name=lambda line: line.price,
        empty="no commitment in that time",
    )


@price_app.callback(help="Add and show prices. Prices are append-only.")
def group() -> None:
    return


@price_app.command(
    "add",
    help=help_text(
        "Add a price per GPU-hour or, with --storage, per GiB of a volume and calendar month, "
        "valid from now or a later time. An omitted option matches all values. Of the matching "
        "prices the most specific applies: pool before cluster, model and capacity type; for "
        "storage, cluster before class. --replaces names the price of the same scope that ends "
        "when the new one begins. With --gpus the price is a commitment: AMOUNT is the total for "
        "that many GPUs until --to, used or not. For operators.",
        "fairlead price add 2.49 EUR --cluster eu-1 --model H100 --capacity ON_DEMAND",
        "fairlead price add 2.29 EUR --model H100 --from 2030-01-01T00:00:00Z --replaces pri_01m7...",
        "fairlead price add 0.08 EUR --storage --cluster eu-1 --class fast",
        "fairlead price add 1121280 EUR --gpus 64 --model H100 --to 2031-01-01T00:00:00Z",
    ),
    short_help="Add a price",
)
def add(
    context: typer.Context,
    amount: Annotated[str, typer.Argument(metavar="AMOUNT", help="Units of the currency.")],
    currency: Annotated[str, typer.Argument(metavar="CURRENCY", help="ISO 4217, such as EUR.")],
    cluster: Annotated[str | None, typer.Option(help="Id or name.")] = None,
    pool: Annotated[str | None, typer.Option(help="Name of a pool.")] = None,
    model: Annotated[str | None, typer.Option(help="GPU model.")] = None,
    capacity: Annotated[str | None, typer.Option(help="RESERVED, ON_DEMAND or SPOT.")] = None,
    storage: Annotated[
        bool, typer.Option("--storage", help="Price of volume storage instead of GPUs.")
    ] = False,
    storage_class: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="CLASS", help="Storage class, with --storage. All by default."
        ),
    ] = None,
    begin: Annotated[str | None, typer.Option("--from", help="Start of validity.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="End of validity (exclusive).")] = None,
    replaces: Annotated[str | None, typer.Option(help="Id of the price that ends.")] = None,
    gpus: Annotated[
        int | None, typer.Option(help="GPUs that are paid for until --to, used or not.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check it.")] = False,
) -> None:
    if storage and gpus is not None:
        raise typer.BadParameter("--gpus applies to GPUs, not to storage: remove one of the two")
    paid = {"pricePerGibMonth" if storage else "pricePerGpuHour": amount}
    given: dict[str, Any] = {
        "cluster": cluster,
        "pool": pool,
        "model": model,
        "capacityType": capacity,
        "storageClass": storage_class,
        **(paid if gpus is None else {"commitment": {"gpus": gpus, "amount": amount}}),
        "currency": currency,
        "from": begin,
        "to": end,
        "replaces": replaces,
    }
    body = {key: value for key, value in given.items() if value is not None}
    with client(context) as fl:
        if model is not None:
            known_model(fl, model)
        made = fl.prices.create(body, validate_only=dry_run)
    emit(
        f"price {made.id} {'would apply' if dry_run else 'applies'} "
        f"from {text.moment(made.from_)}: "
        + (f"{of_gpus(made)} a GPU-hour\n" if not storage else f"{of_storage(made)} a GiB-month\n")
    )


@price_app.command(
    "get",
    help=help_text("Show one price.", "fairlead price get pri_01m7... -o yaml"),
    short_help="Show one price",
)
def get(
    context: typer.Context,
    price: Annotated[str, typer.Argument(metavar="PRICE", help="Id.")],
    output: Output = Format.TABLE,
) -> None:
    with client(context) as fl:
        found = fl.prices.get(price)
    if output == Format.TABLE:
        show_all([found], PRICES, output, None, name=lambda p: p.id, empty="")
    else:
        show(found, output, lambda: "", found.id)
