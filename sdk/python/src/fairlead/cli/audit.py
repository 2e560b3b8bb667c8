"""The audit log: changes and denied requests."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.actions import noun
from fairlead.cli.output import Column, Format, machine, say, show, show_all
from fairlead.cli.session import Columns, Output, client, help_text, since_time

app = noun("Show changes and denied requests.")

EXIT_DIFFERS = 5
DIGITS = 64

ROWS: list[Column[models.AuditResponse]] = [
    Column("AT", lambda r: text.moment(r.at)),
    Column("ACTOR", lambda r: r.actor),
    Column("ACTION", lambda r: r.action),
    Column("OBJECT", lambda r: r.object),
    Column("OUTCOME", lambda r: r.outcome),
    Column("REASON", lambda r: text.safe(str(r.detail.get("reason", "-"))), rank=7),
    Column("COUNT", lambda r: str(r.count), rank=4),
    Column("ADDRESS", lambda r: r.address or "-", rank=5),
    Column("REQUEST", lambda r: r.request_id or "-", rank=6),
    Column("BEFORE", lambda r: r.before or "-", wide=True),
    Column("AFTER", lambda r: r.after or "-", wide=True),
]


@app.command(
    "list",
    help=help_text(
        "List changes and denied requests of the tenant, newest first. For tenant owners, "
        "administrators and auditors.",
        "fairlead audit list --since 24h",
        "fairlead audit list --actor ana --outcome denied",
        "fairlead audit list --since 30d --limit 100000 -o csv > audit.csv",
    ),
    short_help="List changes and denials",
)
def list_audit(
    context: typer.Context,
    actor: Annotated[
        str | None, typer.Option(help="Only entries of this person or service account.")
    ] = None,
    action: Annotated[str | None, typer.Option(help="Such as createToken.")] = None,
    about: Annotated[
        str | None, typer.Option("--object", help="Only entries about this id or name.")
    ] = None,
    outcome: Annotated[str | None, typer.Option(help="allowed or denied.")] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="Start time, or a duration before now; 31 days by default."),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of rows.")] = 100,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        rows = fl.audit.list(
            actor=actor,
            action=action,
            object=about,
            outcome=outcome.upper() if outcome else None,
            since=since_time(since),
            until=since_time(until),
        )
        found = list(islice(rows, limit + 1))
    show_all(
        found[:limit], ROWS, output, columns, name=lambda r: r.request_id or "-", empty="nothing"
    )
    if len(found) > limit:
        say(f"more rows exist: --limit {10 * limit}")


@app.command(
    "verify",
    help=help_text(
        "Verify the audit log of all tenants against its seals, and report the first row that "
        "was changed, removed, added or moved. Exits with 5 if there is one. Only --head detects "
        "a chain that was truncated together with its head: store the head printed by each run "
        "elsewhere, and pass it to a later run. For administrators and auditors.",
        "fairlead audit verify",
        "fairlead audit verify --after 1204",
        "fairlead audit verify --head 48211:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ),
    short_help="Verify the audit log against its seals",
)
def verify(
    context: typer.Context,
    head: Annotated[
        str | None,
        typer.Option(metavar="SEQUENCE:SIGNATURE", help="The head printed by an earlier run."),
    ] = None,
    after: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="SEQUENCE",
            help="Only verify after this link, such as the link of a reported break.",
        ),
    ] = 0,
    output: Output = Format.TABLE,
) -> None:
    known = kept(head)
    if known and known[0] <= after:
        raise typer.BadParameter(
            "--after must be a link before that of --head", param_hint="--after"
        )
    checked = 0
    lost = known
    with client(context) as fl:
        for page in fl.audit.verify(after=after, stop_at=known[0] if known else None):
            checked += page.checked
            if known and (page.sequence, page.signature) == known:
                lost = None
    result = {
        "intact": page.broken is None and lost is None,
        "checked": checked,
        "head": f"{page.sequence}:{page.signature}" if page.signature else None,
        "headKept": None if known is None else lost is None,
        "broken": machine(page.broken) if page.broken else None,
        "waiting": page.waiting,
        "oldestWaiting": page.oldest_waiting.isoformat() if page.oldest_waiting else None,
    }
    show(result, output, lambda: verdict(page, checked, lost), name=str(result["head"]))
    if not result["intact"]:
        raise typer.Exit(EXIT_DIFFERS)


def kept(head: str | None) -> tuple[int, str] | None:
    if head is None:
        return None
    sequence, _, signature = head.partition(":")
    if not sequence.isdecimal() or int(sequence) < 1 or len(signature) != DIGITS:
        raise typer.BadParameter(
            "give SEQUENCE:SIGNATURE as fairlead audit verify prints it", param_hint="--head"
        )
    return int(sequence), signature.lower()


def verdict(
    page: models.AuditVerificationResponse, checked: int, lost: tuple[int, str] | None
) -> str:
    lines = []
    if page.broken:
        broken = page.broken
        row = f", row {broken.row} of {text.moment(broken.at)}" if broken.at else ""
        lines.append(f"BROKEN at link {broken.sequence}{row}: {broken.message} ({broken.kind})")
    elif lost:
        lines.append(f"BROKEN: the chain no longer has link {lost[0]} with the signature of --head")
    else:
        lines.append(f"{text.count(checked, 'row')} as sealed")
    if page.waiting:
        since = (
            f", the oldest since {text.moment(page.oldest_waiting)}" if page.oldest_waiting else ""
        )
        lines.append(f"not sealed yet: {page.waiting}{since}")
    if page.signature and not page.broken:
        lines.append(f"head {page.sequence}:{page.signature}")
    return "\n".join(lines) + "\n"
