"""Commands for quotas and queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from fairlead import models
from fairlead.cli import bulk, text
from fairlead.cli.actions import DryRun, Yes, noun
from fairlead.cli.files import SETTINGS_HELP, settings
from fairlead.cli.fleet_quota import limit
from fairlead.cli.output import Column, Format, emit, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text, verb

quota_app = noun("Show, create, change and delete quota.")
queue_app = noun("List, create, change and delete queues.")


@dataclass(frozen=True)
class Share:
    """One limit or usage of one node of the quota tree."""

    quota: models.QuotaResponse
    depth: int
    flavor: str = "-"
    resource: str = "-"
    nominal: str = "no limit"
    usage: models.UsageResponse | None = None

    def used(self, name: str) -> str:
        return "-" if self.usage is None else text.amount(getattr(self.usage, name))


QUOTA: list[Column[Share]] = [
    Column("QUOTA", lambda s: ". " * s.depth + s.quota.name),
    Column("KIND", lambda s: f"queue {s.quota.queue.state}" if s.quota.queue else "group", rank=5),
    Column("WEIGHT", lambda s: text.amount(s.quota.weight), rank=7),
    Column("FLAVOR", lambda s: s.flavor, rank=1),
    Column("RESOURCE", lambda s: s.resource),
    Column("NOMINAL", lambda s: s.nominal),
    Column("USED", lambda s: s.used("used")),
    Column("BORROWED", lambda s: s.used("borrowed"), rank=3),
    Column("LENT", lambda s: s.used("lent"), rank=4),
    Column("PENDING", lambda s: s.used("pending"), rank=2),
    Column("SHARE", lambda s: s.used("share"), rank=6),
]


def shares(quotas: Sequence[models.QuotaResponse]) -> Iterator[Share]:
    """The quota tree in depth-first order from its roots."""
    known = {quota.name for quota in quotas}

    def below(parent: str | None, depth: int) -> Iterator[Share]:
        for quota in quotas:
            above = quota.parent if quota.parent in known else None
            if above == parent:
                yield from rows(quota, depth)
                yield from below(quota.name, depth + 1)

    yield from below(None, 0)


def rows(quota: models.QuotaResponse, depth: int) -> Iterator[Share]:
    limits = {(limit.flavor, limit.resource): limit for limit in quota.limits}
    usage = {(one.flavor, one.resource): one for one in quota.usage}
    for key in dict.fromkeys([*limits, *usage]):
        limit = limits.get(key)
        nominal = (
            "no limit" if limit is None or limit.nominal is None else text.amount(limit.nominal)
        )
        if limit is not None and limit.windows:
            nominal += " (windows)"
        yield Share(quota, depth, *key, nominal, usage.get(key))
    if not limits and not usage:
        yield Share(quota, depth)


Quota = Annotated[str, typer.Argument(metavar="QUOTA", help="Name or id.")]
Queue = Annotated[str, typer.Argument(metavar="QUEUE", help="Name or id.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="DNS label, unique in the tenant.")]
Parent = Annotated[
    str | None, typer.Option(help="Parent quota. None for a root.", show_default=False)
]
Limits = Annotated[
    list[str] | None,
    typer.Option("--limit", help="FLAVOR/RESOURCE=NOMINAL[,borrow=AMOUNT][,lend=AMOUNT]."),
]
Unlimited = Annotated[bool, typer.Option("--unlimited", help="Without limits.")]
Weight = Annotated[
    float | None, typer.Option(help="Share among the quotas of the same parent, 0 to 1000.")
]
MaxRuntime = Annotated[str | None, typer.Option(help="Default maxRuntime of jobs, such as 24h.")]
State = Annotated[
    str | None,
    typer.Option(
        help="ACTIVE, HELD (starts no jobs) or DRAINING (takes no jobs).", metavar="STATE"
    ),
]
Fields = Annotated[
    list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help=SETTINGS_HELP)
]


@quota_app.command(
    "list",
    help=help_text(
        "Show the quota tree: limits and use.",
        "fairlead quota list",
        "fairlead quota list -o json",
    ),
    short_help="Show the quota tree",
)
def quota(context: typer.Context, output: Output = Format.TABLE, columns: Columns = None) -> None:
    with client(context) as fl:
        found = fl.quotas.list()
    listed(found, output, columns)


def listed(found: Sequence[models.QuotaResponse], output: Format, columns: str | None) -> None:
    if output in (Format.JSON, Format.JSONL, Format.YAML, Format.NAME):
        none: list[Column[Any]] = []
        show_all(found, none, output, name=lambda q: q.name)
        return
    show_all(list(shares(found)), QUOTA, output, columns, name=lambda s: s.quota.name)


def fields_of(
    limits: Sequence[str] | None, unlimited: bool, weight: float | None, given: Sequence[str] | None
) -> dict[str, Any]:
    """The common fields of quota and queues. Limits replace all previous limits."""
    if limits and unlimited:
        raise UsageProblem("give --limit or --unlimited, not both")
    found = settings(given)
    if limits or unlimited:
        found["limits"] = [limit(one) for one in limits or []]
    if weight is not None:
        found["weight"] = weight
    return found


def queue_fields(max_runtime: str | None, state: str | None) -> dict[str, Any]:
    found = {"defaultMaxRuntime": max_runtime, "state": state.upper() if state else None}
    return {name: value for name, value in found.items() if value is not None}


def create(
    context: typer.Context, kind: str, body: dict[str, Any], parent: str | None, dry_run: bool
) -> None:
    if parent is not None:
        body["parent"] = parent
    with client(context) as fl:
        fl.quotas.create(body, validate_only=dry_run)
    emit(f"{kind} {text.safe(body['name'])} {'would be' if dry_run else 'is'} created\n")


def delete(context: typer.Context, kind: str, name: str, yes: bool, dry_run: bool) -> None:
    with client(context) as fl:
        found = fl.quotas.get(name)
        if not yes and not dry_run:
            bulk.confirmed(f"Delete {kind} {text.safe(found.name)}?")
        fl.quotas.delete(name, version=found.version, validate_only=dry_run)
    emit(f"{kind} {text.safe(found.name)} {'would be' if dry_run else 'is'} deleted\n")


@quota_app.command(
    "create",
    help=help_text(
        "Create a quota as a parent of queues and other quotas. For owners of the tenant.",
        "fairlead quota create research --limit H100/RESERVED/gpu=64",
        "fairlead quota create nlp --parent research --weight 2",
    ),
    short_help="Create a quota",
)
def create_quota(
    context: typer.Context,
    name: Name,
    parent: Parent = None,
    limits: Limits = None,
    weight: Weight = None,
    fields: Fields = None,
    dry_run: DryRun = False,
) -> None:
    body = {"name": name, **fields_of(limits, False, weight, fields)}
    create(context, "quota", body, parent, dry_run)


@quota_app.command(
    "set",
    help=help_text(
        "Change the limits or the weight of a quota or queue. The given limits replace all "
        "previous limits; a flavor without a new limit is unlimited. Running jobs are not "
        "stopped. For owners of the tenant.",
        "fairlead quota set research --limit H100/RESERVED/gpu=64,borrow=16 --limit H100/RESERVED/cpu=2000",
        "fairlead quota set research --weight 3 --set preemption.reclaim=LOWER_PRIORITY",
        "fairlead quota set research --unlimited",
    ),
    short_help="Change a quota",
)
def set_quota(
    context: typer.Context,
    quota: Quota,
    limits: Limits = None,
    weight: Weight = None,
    unlimited: Unlimited = False,
    fields: Fields = None,
    dry_run: DryRun = False,
) -> None:
    patch = fields_of(limits, unlimited, weight, fields)
    if not patch:
        raise UsageProblem("give at least one of --limit, --unlimited, --weight and --set")
    with client(context) as fl:
        version = fl.quotas.get(quota).version
        fl.quotas.update(quota, patch, version=version, validate_only=dry_run)
    emit(f"quota {text.safe(quota)} {'would be' if dry_run else 'is'} set\n")


@quota_app.command(
    "delete",
    help=help_text(
        "Delete a quota without children. Asks for confirmation, and needs -y without a terminal. "
        "For owners of the tenant.",
        "fairlead quota delete research -y",
    ),
    short_help="Delete a quota",
)
def delete_quota(
    context: typer.Context, quota: Quota, yes: Yes = False, dry_run: DryRun = False
) -> None:
    delete(context, "quota", quota, yes, dry_run)


@queue_app.command(
    "list",
    help=help_text("List queues with their limits and use.", "fairlead queue list"),
    short_help="List queues",
)
def list_queues(
    context: typer.Context, output: Output = Format.TABLE, columns: Columns = None
) -> None:
    with client(context) as fl:
        found = fl.quotas.queues()
    listed(found, output, columns)


@verb(
    queue_app,
    "create",
    "Create a queue",
    "fairlead queue create nlp --parent research --limit H100/RESERVED/gpu=16,borrow=8",
    "fairlead queue create nightly --max-runtime 8h --set queue.projects=[nlp]",
    more="Without --limit only the limits of its parents apply. For owners of the tenant.",
)
def create_queue(
    context: typer.Context,
    name: Name,
    parent: Parent = None,
    limits: Limits = None,
    weight: Weight = None,
    max_runtime: MaxRuntime = None,
    fields: Fields = None,
    dry_run: DryRun = False,
) -> None:
    body = {"name": name, **fields_of(limits, False, weight, fields)}
    body["queue"] = {**body.get("queue", {}), **queue_fields(max_runtime, None)}
    create(context, "queue", body, parent, dry_run)


@verb(
    queue_app,
    "set",
    "Change a queue",
    "fairlead queue set nlp --state HELD",
    "fairlead queue set nlp --weight 2 --max-runtime 48h",
    "fairlead queue set nlp --set preemption.reclaim=LOWER_PRIORITY",
    more="The given limits replace all previous limits. Other settings do not change. For owners "
    "of the tenant.",
)
def set_queue(
    context: typer.Context,
    queue: Queue,
    limits: Limits = None,
    weight: Weight = None,
    unlimited: Unlimited = False,
    max_runtime: MaxRuntime = None,
    state: State = None,
    fields: Fields = None,
    dry_run: DryRun = False,
) -> None:
    patch = fields_of(limits, unlimited, weight, fields)
    changed = queue_fields(max_runtime, state)
    if changed:
        patch["queue"] = {**patch.get("queue", {}), **changed}
    if not patch:
        raise UsageProblem("give at least one setting, such as --limit, --weight, --state or --set")
    with client(context) as fl:
        version = fl.quotas.queue(queue).version
        fl.quotas.update_queue(queue, patch, version=version, validate_only=dry_run)
    emit(f"queue {text.safe(queue)} {'would be' if dry_run else 'is'} set\n")


@queue_app.command(
    "delete",
    help=help_text(
        "Delete a queue without jobs. Asks for confirmation, and needs -y without a terminal. "
        "For owners of the tenant.",
        "fairlead queue delete nlp -y",
    ),
    short_help="Delete a queue",
)
def delete_queue(
    context: typer.Context, queue: Queue, yes: Yes = False, dry_run: DryRun = False
) -> None:
    delete(context, "queue", queue, yes, dry_run)
