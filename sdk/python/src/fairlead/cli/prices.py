"""Commands for the price book."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, noun
from fairlead.cli.output import Column, Format, emit, show, show_all
from fairlead.cli.session import Columns, Output, client, help_text, verb

app = typer.Typer()
price_app = noun("Add and show prices. Prices are append-only.")


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
    price_app,
    "list",
    "List prices per GPU-hour and GiB-month with their scope and validity",
    "fairlead price list",
    "fairlead price list --at now",
    "fairlead price list --at 2030-01-31T08:00:00Z -o csv",
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
    replaces: Annotated[str | None, typer.Option(help="Id of the price to end.")] = None,
    gpus: Annotated[
        int | None, typer.Option(help="Number of GPUs paid for until --to, whether used or not.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    if storage and gpus is not None:
        raise typer.BadParameter("--gpus and --storage exclude each other")
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
