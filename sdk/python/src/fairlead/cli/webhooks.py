"""Commands for webhooks, addresses that receive events."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, listing, noun, showing
from fairlead.cli.output import Column, emit, say
from fairlead.cli.session import client, help_text

app = noun("Send events to HTTPS addresses, signed as Standard Webhooks defines it.")

WEBHOOKS: list[Column[models.WebhookResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("STATUS", lambda one: one.status),
    Column("URL", lambda one: one.url),
    Column("TYPES", lambda one: ", ".join(one.types) or "all"),
    Column("DELIVERED", lambda one: str(one.delivered)),
    Column("FAILING SINCE", lambda one: text.moment(one.failing_since)),
    Column("REASON", lambda one: one.reason, rank=5),
]
DELIVERIES: list[Column[models.WebhookDeliveryResponse]] = [
    Column("EVENT", lambda one: one.event),
    Column("TYPE", lambda one: one.type),
    Column("OBJECT", lambda one: one.subject),
    Column("STATE", lambda one: "given up" if one.dead else "retried"),
    Column("ATTEMPTS", lambda one: str(one.attempts)),
    Column("NEXT", lambda one: "" if one.dead else text.moment(one.next_at)),
    Column("HTTP", lambda one: "" if one.status is None else str(one.status)),
    Column("RESPONSE", lambda one: one.response),
]

Name = Annotated[str, typer.Argument(metavar="WEBHOOK", help="A DNS label.")]
Project = Annotated[
    str | None,
    typer.Option("--project", "-p", help="Project. The tenant by default."),
]


@app.command(
    "add",
    help=help_text(
        "Add a webhook, or change its address and filter. The secret of a new webhook is printed "
        "once, on stdout. For owners.",
        "fairlead project webhook add portal https://portal.example.com/fairlead",
        "fairlead project webhook add ends https://ci.example.com/hook -p nlp --type JobSucceeded "
        "--type JobFailed",
    ),
    short_help="Add a webhook",
)
def add(
    context: typer.Context,
    webhook: Name,
    url: Annotated[str, typer.Argument(metavar="URL", help="https:// and a public host.")],
    project: Project = None,
    types: Annotated[
        list[str] | None, typer.Option("--type", help="Only this event type. Repeatable.")
    ] = None,
    ca_file: Annotated[
        Path | None,
        typer.Option(help="PEM certificates of the receiver's private CA.", exists=True),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    ca_data = None if ca_file is None else base64.b64encode(ca_file.read_bytes()).decode()
    with client(context) as fl:
        done = fl.webhooks.set(
            webhook, url, types=types or (), ca_data=ca_data, project=project, validate_only=dry_run
        )
    say(f"webhook {webhook} {'would be' if dry_run else 'is'} set")
    secret(done)


def secret(done: models.WebhookResponse) -> None:
    """Prints only the secret on stdout, to pipe it into a secret store."""
    if done.secret:
        say("its secret, shown only once:")
        emit(done.secret + "\n")


@app.command(
    "list",
    help=help_text(
        "List webhooks.", "fairlead project webhook list", "fairlead project webhook list -p nlp"
    ),
    short_help="List webhooks",
)
@listing(WEBHOOKS, "no webhooks")
def list_all(fl: Fairlead, project: Project = None) -> Iterable[models.WebhookResponse]:
    return fl.webhooks.list(project=project)


@app.command(
    "get",
    help=help_text("Show a webhook without its secret.", "fairlead project webhook get portal"),
    short_help="Show a webhook",
)
@showing
def get(fl: Fairlead, webhook: Name, project: Project = None) -> BaseModel:
    return fl.webhooks.get(webhook, project=project)


@app.command(
    "pause",
    help=help_text(
        "Stop the calls. Events wait for seven days.", "fairlead project webhook pause portal"
    ),
    short_help="Pause the calls",
)
@changing("webhook", "paused")
def pause(fl: Fairlead, webhook: Name, project: Project = None, *, validate_only: bool) -> None:
    fl.webhooks.pause(webhook, project=project, validate_only=validate_only)


@app.command(
    "resume",
    help=help_text(
        "Send waiting events now, and retry failed events for three more days.",
        "fairlead project webhook resume portal",
    ),
    short_help="Continue after a pause or a failure",
)
@changing("webhook", "resumed")
def resume(fl: Fairlead, webhook: Name, project: Project = None, *, validate_only: bool) -> None:
    fl.webhooks.resume(webhook, project=project, validate_only=validate_only)


@app.command(
    "test",
    help=help_text(
        "Send one event of type WebhookTest. The exit code is 1 if it is not accepted.",
        "fairlead project webhook test portal",
    ),
    short_help="Send a test event",
)
def send_test(context: typer.Context, webhook: Name, project: Project = None) -> None:
    with client(context) as fl:
        done = fl.webhooks.test(webhook, project=project)
    answer = "no response" if done.status is None else f"HTTP {done.status}"
    say(f"{answer} after {done.milliseconds} ms{': ' if done.response else ''}{done.response}")
    if not done.accepted:
        raise typer.Exit(1)


@app.command(
    "rotate",
    help=help_text(
        "Replace the secret. The new secret is printed once, on stdout. The previous one signs as "
        "well for the overlap.",
        "fairlead project webhook rotate portal",
        "fairlead project webhook rotate portal --overlap 0s",
    ),
    short_help="Replace the secret",
)
def rotate(
    context: typer.Context,
    webhook: Name,
    project: Project = None,
    overlap: Annotated[str, typer.Option(help="0s to 7d.")] = "24h",
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        done = fl.webhooks.rotate(webhook, overlap=overlap, project=project, validate_only=dry_run)
    say(f"the secret of webhook {webhook} {'would be' if dry_run else 'is'} replaced")
    secret(done)


@app.command(
    "deliveries",
    help=help_text(
        "List events that the webhook did not accept, the newest first.",
        "fairlead project webhook deliveries portal",
    ),
    short_help="List failed deliveries",
)
@listing(DELIVERIES, "none failed", lambda one: one.event)
def deliveries(
    fl: Fairlead, webhook: Name, project: Project = None
) -> Iterable[models.WebhookDeliveryResponse]:
    return fl.webhooks.deliveries(webhook, project=project)


@app.command(
    "replay",
    help=help_text(
        "Send events again: all since an event, a time or a duration, or one failed event.",
        "fairlead project webhook replay portal --since 2h",
        "fairlead project webhook replay portal --event evt_0000g0000000b0000000000001",
    ),
    short_help="Send events again",
)
def replay(
    context: typer.Context,
    webhook: Name,
    project: Project = None,
    since: Annotated[
        str | None, typer.Option(help="Event id, time, or a duration ago such as 2h.")
    ] = None,
    event: Annotated[str | None, typer.Option(help="Id of a failed event.")] = None,
    dry_run: DryRun = False,
) -> None:
    if (since is None) == (event is None):
        raise typer.BadParameter("give --since or --event")
    with client(context) as fl:
        fl.webhooks.replay(
            webhook, since=since, event=event, project=project, validate_only=dry_run
        )
    say(f"events {'would be' if dry_run else 'are'} sent again to webhook {webhook}")


@app.command(
    "remove",
    help=help_text(
        "Remove a webhook with its failed deliveries.", "fairlead project webhook remove portal"
    ),
    short_help="Remove a webhook",
)
@changing("webhook", "removed", ask="Remove {}")
def remove(fl: Fairlead, webhook: Name, project: Project = None, *, validate_only: bool) -> None:
    fl.webhooks.delete(webhook, project=project, validate_only=validate_only)
