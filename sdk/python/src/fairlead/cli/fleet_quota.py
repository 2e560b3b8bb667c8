"""Commands for tenant quotas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, noun
from fairlead.cli.output import Column, Format, emit, show_all
from fairlead.cli.session import Columns, Output, client, help_text

app = noun("Show and set the platform's limits for its tenants.")


@dataclass(frozen=True)
class Row:
    """One limit or usage of one tenant."""

    quota: models.FleetQuotaResponse
    flavor: str = "-"
    resource: str = "-"
    limit: models.LimitResponse | None = None
    usage: models.FleetUsage | None = None

    def limited(self, name: str) -> str:
        return "-" if self.limit is None else text.amount(getattr(self.limit, name))

    def used(self, name: str) -> str:
        return "-" if self.usage is None else text.amount(getattr(self.usage, name))


ROWS: list[Column[Row]] = [
    Column("TENANT", lambda r: r.quota.tenant or "all tenants"),
    Column("WEIGHT", lambda r: text.amount(r.quota.weight) if r.quota.tenant else "-", rank=5),
    Column("FLAVOR", lambda r: r.flavor),
    Column("RESOURCE", lambda r: r.resource),
    Column("NOMINAL", lambda r: r.limited("nominal")),
    Column("BORROWS", lambda r: r.limited("borrowing_limit"), rank=3),
    Column("LENDS", lambda r: r.limited("lending_limit"), rank=4),
    Column("USED", lambda r: r.used("used")),
    Column("BORROWED", lambda r: r.used("borrowed"), rank=2),
]


def rows(quota: models.FleetQuotaResponse) -> Iterator[Row]:
    limits = {(limit.flavor, limit.resource): limit for limit in quota.limits}
    usage = {(one.flavor, one.resource): one for one in quota.usage}
    for key in dict.fromkeys([*limits, *usage]):
        yield Row(quota, *key, limits.get(key), usage.get(key))
    if not limits and not usage:
        yield Row(quota)


@app.command(
    "list",
    help=help_text(
        "Show the quota of all tenants together and of each tenant, with usage. For platform "
        "roles.",
        "fairlead tenant quota list",
        "fairlead tenant quota list -o yaml",
    ),
    short_help="Show quota between tenants",
)
def list_all(
    context: typer.Context, output: Output = Format.TABLE, columns: Columns = None
) -> None:
    with client(context) as fl:
        found = fl.quotas.fleet()
    if output in (Format.JSON, Format.JSONL, Format.YAML, Format.NAME):
        none: list[Column[Any]] = []
        show_all(found, none, output, name=lambda q: q.tenant or "-")
        return
    every = [row for quota in found for row in rows(quota)]
    show_all(every, ROWS, output, columns, name=lambda r: r.quota.tenant or "-")


def limit(given: str) -> dict[str, Any]:
    """FLAVOR/RESOURCE=NOMINAL[,borrow=AMOUNT][,lend=AMOUNT] as a limit."""
    cell, equals, amounts = given.partition("=")
    flavor, slash, resource = cell.rpartition("/")
    nominal, *more = amounts.split(",")
    words = {"borrow": "borrowingLimit", "lend": "lendingLimit"}
    if not equals or not slash or any(part.partition("=")[0] not in words for part in more):
        raise typer.BadParameter(
            f"--limit takes FLAVOR/RESOURCE=AMOUNT, then ,borrow=AMOUNT or ,lend=AMOUNT, not {given}"
        )
    made: dict[str, Any] = {"flavor": flavor, "resource": resource, "nominal": nominal}
    made.update({words[part.partition("=")[0]]: part.partition("=")[2] for part in more})
    return made


@app.command(
    "set",
    help=help_text(
        "Set the limits of one tenant, or of all tenants together. The given limits replace all "
        "existing ones; a flavor without a limit becomes unlimited. Running jobs continue. For "
        "administrators.",
        "fairlead tenant quota set --limit H100/RESERVED/gpu=64",
        "fairlead tenant quota set acme --weight 2 --limit H100/RESERVED/gpu=16,borrow=8,lend=0",
        "fairlead tenant quota set acme --unlimited",
    ),
    short_help="Set quota between tenants",
)
def change(
    context: typer.Context,
    tenant: Annotated[
        str | None, typer.Argument(metavar="TENANT", help="Tenant name. All tenants by default.")
    ] = None,
    limits: Annotated[
        list[str] | None,
        typer.Option("--limit", help="FLAVOR/RESOURCE=NOMINAL[,borrow=AMOUNT][,lend=AMOUNT]."),
    ] = None,
    weight: Annotated[float | None, typer.Option(help="Share among tenants, 0 to 1000.")] = None,
    unlimited: Annotated[bool, typer.Option("--unlimited", help="Without limits.")] = False,
    dry_run: DryRun = False,
) -> None:
    if bool(limits) == unlimited and weight is None:
        raise typer.BadParameter("give --limit, --unlimited or --weight")
    patch: dict[str, Any] = {}
    if limits or unlimited:
        patch["limits"] = [limit(given) for given in limits or []]
    if weight is not None:
        patch["weight"] = weight
    with client(context) as fl:
        if tenant is None:
            found = next(q for q in fl.quotas.fleet() if q.tenant is None)
            fl.quotas.update_fleet(patch, version=found.version, validate_only=dry_run)
        else:
            version = fl.quotas.of_tenant(tenant).version
            fl.quotas.update_tenant(tenant, patch, version=version, validate_only=dry_run)
    done = "would be set" if dry_run else "is set"
    emit(f"quota of {text.safe(tenant) if tenant else 'all tenants'} {done}\n")
