"""Commands for model services: versions, rollouts and replicas."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, listing, noun, showing
from fairlead.cli.output import Column, emit, say
from fairlead.cli.session import UsageProblem, client, help_text

app = noun("Serve models: apply versions, follow rollouts and roll back.")


def phase(one: models.ModelServiceResponse) -> str:
    return "-" if one.rollout is None else f"{one.rollout.phase} ({one.rollout.target})"


def traffic(one: models.ModelServiceResponse) -> str:
    shares = [f"v{each.version} {each.weight} %" for each in one.backends if each.weight > 0]
    return ", ".join(shares) or "none"


def load(one: models.ModelServiceResponse) -> str:
    if one.scale is None:
        return "-"
    measured = "unknown" if one.scale.load is None else f"{one.scale.load:.1f}"
    return f"{measured} of {one.scale.target} {one.scale.metric}"


def idle(one: models.ModelServiceResponse) -> str:
    return "-" if one.idle is None else one.idle.phase


SERVICES: list[Column[models.ModelServiceResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("ROUTE", lambda one: one.route, rank=6),
    Column("STABLE", lambda one: str(one.stable_version)),
    Column("TRAFFIC", traffic),
    Column("READY", lambda one: f"{one.ready_replicas}/{one.wanted_replicas}"),
    Column("IDLE", idle, rank=5),
    Column("LOAD", load, rank=7),
    Column("ROLLOUT", phase),
    Column("REASON", lambda one: "-" if one.rollout is None else one.rollout.reason, rank=8),
]
VERSIONS: list[Column[models.ServiceVersionResponse]] = [
    Column("VERSION", lambda one: str(one.number)),
    Column("IMAGE", lambda one: ", ".join(one.images)),
    Column("COMMAND", lambda one: " ".join(one.command) or "of the image", rank=6),
    Column("BY", lambda one: one.created_by, rank=7),
    Column("APPLIED", lambda one: text.ago(one.created_at)),
]

KEYS: list[Column[models.ServiceKeyResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("STATE", lambda one: one.state),
    Column("REQUESTS/MIN", lambda one: limit(one.requests_per_minute), rank=5),
    Column("TOKENS/MIN", lambda one: limit(one.tokens_per_minute), rank=5),
    Column("LAST USED", lambda one: used(one)),
    Column("EXPIRES", lambda one: text.moment(one.expires_at), rank=4),
    Column("BY", lambda one: one.created_by, rank=6),
]
USES: list[Column[models.ServiceUseResponse]] = [
    Column("BEGIN", lambda one: text.moment(one.begin)),
    Column("KEY", lambda one: one.key),
    Column("REQUESTS", lambda one: str(one.requests)),
    Column("PROMPT", lambda one: str(one.prompt_tokens)),
    Column("COMPLETION", lambda one: str(one.completion_tokens)),
    Column("UNMETERED", lambda one: str(one.unmetered_requests)),
    Column("COST", lambda one: cost(one, one.cost)),
    Column("COST/1000", lambda one: cost(one, one.cost_per_thousand_tokens)),
]
UNKNOWN = {
    "NO_GPU_TIME": "no GPU time",
    "NO_PRICE": "no price",
    "CURRENCIES": "several currencies",
    "NO_TOKENS": "no tokens",
}

Name = Annotated[str, typer.Argument(metavar="SERVICE", help="Name of the service, a DNS label.")]

key_app = noun("Serve models: apply versions, follow rollouts and roll back.")
app.add_typer(key_app, name="key", short_help="API keys of a service")


def limit(number: int | None) -> str:
    return "-" if number is None else str(number)


def cost(one: models.ServiceUseResponse, amount: float | None) -> str:
    if amount is None or one.currency is None:
        return UNKNOWN.get(str(one.cost_unknown), "-")
    return text.money(amount, one.currency)


def used(one: models.ServiceKeyResponse) -> str:
    return "never" if one.last_used_at is None else text.ago(one.last_used_at)


@app.command(
    "apply",
    help=help_text(
        "Add a service, or change it, from a file: route, access, minReplicas, maxReplicas, idleAfter, "
        "scale, floors, steps, stepFor, slowerThan, guards, mirror, timeout, retries and job (as for "
        "fairlead submit). A changed job is a new version, and its rollout begins.",
        "fairlead service apply chat chat.yaml",
        "fairlead service apply chat chat.yaml --dry-run",
    ),
    short_help="Add a service, or apply a version",
)
def apply(
    context: typer.Context,
    service: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="YAML or JSON; - for stdin.")],
    dry_run: DryRun = False,
) -> None:
    try:
        body = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageProblem(f"{file} cannot be read: {problem}") from problem
    with client(context) as fl:
        done = fl.services.apply(service, body, validate_only=dry_run)
    would = "would be" if dry_run else "is"
    say(f"service {done.name} {would} applied, with version {done.latest_version} as its newest")


@app.command(
    "list",
    help=help_text("List services of the project.", "fairlead service list"),
    short_help="List services",
)
@listing(SERVICES, "no services")
def list_all(fl: Fairlead) -> Iterable[models.ModelServiceResponse]:
    return fl.services.list()


@app.command(
    "get",
    help=help_text(
        "Show a service with its rollout and each replica.", "fairlead service get chat"
    ),
    short_help="Show a service",
)
@showing
def get(fl: Fairlead, service: Name) -> BaseModel:
    return fl.services.get(service)


@app.command(
    "scale",
    help=help_text(
        "Change the replica limits of a service, or show its replicas and the reason for their number.",
        "fairlead service scale chat",
        "fairlead service scale chat --min 2 --max 8",
    ),
    short_help="Show or change the number of replicas",
)
def scale(
    context: typer.Context,
    service: Name,
    least: Annotated[
        int | None, typer.Option("--min", metavar="N", help="Replicas that always run.")
    ] = None,
    most: Annotated[
        int | None,
        typer.Option("--max", metavar="N", help="Maximum number of replicas of all versions."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    numbers = {"minReplicas": least, "maxReplicas": most}
    change = {name: number for name, number in numbers.items() if number is not None}
    with client(context) as fl:
        if change:
            found = fl.services.update(service, change, validate_only=dry_run)
        else:
            found = fl.services.get(service)
    say(
        f"{found.ready_replicas} of {found.wanted_replicas} wanted replicas are ready, "
        f"{found.min_replicas} to {found.max_replicas} are allowed"
    )
    if found.idle is not None:
        told_idle(found)
    for floor in found.floors:
        opens = "now" if floor.open else "later"
        say(
            f"at least {floor.replicas} for {floor.duration} from {floor.cron} {floor.timezone}: {opens}"
        )
    if found.scale is not None:
        say(found.scale.reason)


@app.command(
    "rollout",
    help=help_text(
        "Show the rollout of a service and the reason of its phase, or change it. Without --version "
        "the rollout is printed before it changes. A rollout to another version never changes.",
        "fairlead service rollout chat",
        "fairlead service rollout chat --pause",
        "fairlead service rollout chat --promote --version 7",
        "fairlead service rollout chat --skip 5 --version 7",
        "fairlead service rollout chat --abort",
    ),
    short_help="Show, promote, abort, pause or resume a rollout, or skip a step",
)
def rollout(
    context: typer.Context,
    service: Name,
    promote: Annotated[
        bool, typer.Option("--promote", help="Move all traffic to the new version.")
    ] = False,
    abort: Annotated[
        bool, typer.Option("--abort", help="Return all traffic to the stable version.")
    ] = False,
    pause: Annotated[
        bool, typer.Option("--pause", help="Stop its steps. A bad version is still rolled back.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue after a pause.")] = False,
    skip: Annotated[
        int | None,
        typer.Option(
            "--skip",
            metavar="PERCENT",
            min=0,
            max=99,
            help="End the step of this share without a verdict, and begin the next one.",
        ),
    ] = None,
    version: Annotated[
        int | None,
        typer.Option("--version", metavar="N", min=1, help="Version of the rollout to change."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    options = {
        "promote": promote,
        "abort": abort,
        "pause": pause,
        "resume": resume,
        "skip": skip is not None,
    }
    orders = [name for name, given in options.items() if given]
    if len(orders) > 1:
        raise typer.BadParameter("give one of --promote, --abort, --pause, --resume and --skip")
    if version is not None and not orders:
        raise typer.BadParameter("--version needs --promote, --abort, --pause, --resume or --skip")
    with client(context) as fl:
        if orders:
            order = getattr(fl.services, orders[0])
            target = seen(fl.services.get(service)) if version is None else version
            step = [] if skip is None else [skip]
            found = order(service, target, *step, validate_only=dry_run)
        else:
            found = fl.services.get(service)
    told(found)


def seen(found: models.ModelServiceResponse) -> int:
    """Prints the rollout and returns its version."""
    if found.rollout is None:
        raise UsageProblem(f"service {found.name} has had no rollout")
    told(found)
    return found.rollout.target


def told(found: models.ModelServiceResponse) -> None:
    say(f"stable version {found.stable_version}, traffic {traffic(found)}")
    if found.rollout is not None:
        one = found.rollout
        say(f"version {one.target} at {one.share} %: {one.phase}, {one.reason}")


@app.command(
    "rollback",
    help=help_text(
        "Move all traffic to a version as soon as its replicas are ready.",
        "fairlead service rollback chat 3",
    ),
    short_help="Return to a version",
)
def rollback(
    context: typer.Context,
    service: Name,
    version: Annotated[int, typer.Argument(metavar="VERSION", help="Its number.")],
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        found = fl.services.rollback(service, version, validate_only=dry_run)
    told(found)


@app.command(
    "wake",
    help=help_text(
        "Start a replica of a service that sleeps. A service that is awake stays awake for its whole "
        "idleAfter.",
        "fairlead service wake chat",
    ),
    short_help="Wake a service that sleeps",
)
def wake(context: typer.Context, service: Name, dry_run: DryRun = False) -> None:
    with client(context) as fl:
        found = fl.services.wake(service, validate_only=dry_run)
    told_idle(found)


def told_idle(found: models.ModelServiceResponse) -> None:
    one = found.idle
    if one is None:
        say(f"service {found.name} never sleeps, because minReplicas is {found.min_replicas}")
        return
    woken = "" if one.last_wake is None else f", last wake {text.ago(one.last_wake)}"
    budget = "" if one.start_budget is None else f", a start takes up to {one.start_budget}"
    say(f"service {found.name} is {one.phase}: {one.reason}{woken}{budget}")


@app.command(
    "versions",
    help=help_text(
        "List versions of a service, the newest first.", "fairlead service versions chat"
    ),
    short_help="List versions",
)
@listing(VERSIONS, "none", lambda one: str(one.number))
def versions(fl: Fairlead, service: Name) -> Iterable[models.ServiceVersionResponse]:
    return fl.services.versions(service)


@app.command(
    "delete",
    help=help_text("Stop all replicas of a service and remove it.", "fairlead service delete chat"),
    short_help="Delete a service",
)
@changing("service", "deleted", ask="Delete {}")
def delete(fl: Fairlead, service: Name, *, validate_only: bool) -> None:
    fl.services.delete(service, validate_only=validate_only)


@app.command(
    "usage",
    help=help_text(
        "Show requests, tokens and their cost of a service by key, as gates counted them. Unmetered "
        "requests have no usage object in their response, so their tokens are unknown. COST is the "
        "part of the key in the cost of the replicas, by its tokens, and COST/1000 is their cost for "
        "1,000 tokens of all keys.",
        "fairlead service usage chat",
        "fairlead service usage chat --period HOUR --from 24h",
    ),
    short_help="Show requests, tokens and their cost by key",
)
@listing(USES, "no requests with a key", lambda one: one.key)
def usage(
    fl: Fairlead,
    service: Name,
    period: Annotated[str, typer.Option("--period", help="HOUR, DAY or MONTH, in UTC.")] = "DAY",
    from_: Annotated[
        str | None, typer.Option("--from", help="A time, or a duration before now. Default: 30d.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="A time like --from. Default: now.")
    ] = None,
) -> Iterable[models.ServiceUseResponse]:
    return fl.services.usage(service, period=period, from_=from_, to=to)


@key_app.callback(help="Create, list and revoke API keys of a service.")
def keys() -> None:
    return


@key_app.command(
    "create",
    help=help_text(
        "Create an API key. Its text goes to standard output and is shown only once.",
        "fairlead service key create chat app",
        "fairlead service key create chat app --requests-per-minute 600 --tokens-per-minute 100000 "
        "--expires-in 365d",
    ),
    short_help="Create an API key, shown once",
)
def create_key(
    context: typer.Context,
    service: Name,
    key: Annotated[str, typer.Argument(metavar="KEY", help="Its name, a DNS label.")],
    requests: Annotated[
        int | None,
        typer.Option("--requests-per-minute", metavar="N", min=1, help="Limit; none without."),
    ] = None,
    tokens: Annotated[
        int | None,
        typer.Option("--tokens-per-minute", metavar="N", min=1, help="Limit; none without."),
    ] = None,
    expires_in: Annotated[
        str | None, typer.Option("--expires-in", help="Such as 30d; 90d without.")
    ] = None,
) -> None:
    with client(context) as fl:
        made = fl.services.create_key(
            service,
            key,
            expires_in=expires_in,
            requests_per_minute=requests,
            tokens_per_minute=tokens,
        )
        access = fl.services.get(service).access
    emit(f"{made.key}\n")
    say(f"key {key} of service {service}, until {text.moment(made.details.expires_at)}")
    say("It is shown only once, and accepted within five seconds")
    if access == "OPEN":
        say(f"Service {service} needs no key yet: apply it with access: KEYS")


@key_app.command(
    "list",
    help=help_text(
        "List API keys of a service, with expired and revoked ones.",
        "fairlead service key list chat",
    ),
    short_help="List API keys",
)
@listing(KEYS, "no keys")
def list_keys(fl: Fairlead, service: Name) -> Iterable[models.ServiceKeyResponse]:
    return fl.services.keys(service)


@key_app.command(
    "revoke",
    help=help_text(
        "Revoke an API key. Gates refuse it within five seconds.",
        "fairlead service key revoke chat app",
    ),
    short_help="Revoke an API key",
)
def revoke_key(
    context: typer.Context,
    service: Name,
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="Name of the key, from fairlead service key list.")
    ],
) -> None:
    with client(context) as fl:
        fl.services.revoke_key(service, key)
    say(f"key {key} of service {service} is revoked")
