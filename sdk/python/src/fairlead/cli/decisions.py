"""Recorded decisions for a job, with the explanation of that time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from fairlead import Fairlead, FairleadError, Job, models
from fairlead.cli import report, text
from fairlead.cli.output import (
    Column,
    Format,
    csv_text,
    emit,
    machine,
    say,
    show,
    show_all,
)
from fairlead.cli.session import (
    Columns,
    JobName,
    Output,
    UsageProblem,
    client,
    session,
    since_time,
    verb,
)

KINDS = ("PLACED", "WAITED", "EVICTED", "MOVED", "UNREACHABLE", "REACHABLE")
if TYPE_CHECKING:
    Decision = models.DecisionResponse
AT_ONCE = 500
app = typer.Typer()


def lasted(one: Decision) -> str:
    return text.took((one.until or text.now()) - one.at)


def attempt(one: Decision) -> int | str:
    of = one.placed or one.evicted or one.unreachable
    return of.attempt if of else "-"


def cause(one: Decision) -> str:
    if one.waited:
        return one.waited.reason
    if one.evicted:
        return one.evicted.right or one.evicted.cause
    return "-"


DECISIONS: list[Column[Decision]] = [
    Column("AT", lambda d: text.moment(d.at)),
    Column("KIND", lambda d: d.kind),
    Column("FOR", lasted, rank=6),
    Column("ATTEMPT", attempt, rank=5),
    Column("CAUSE", cause, rank=7),
    Column("MESSAGE", lambda d: text.safe(text.times(d.message))),
    Column("UNTIL", lambda d: text.moment(d.until), wide=True),
    Column("EXPECTED", lambda d: text.expected(d.expected) or "-", wide=True),
    Column("BY", lambda d: (d.evicted and d.evicted.by) or "-", wide=True),
]


@verb(
    app,
    "job decisions",
    "List the decisions for a job: placements, waits, evictions",
    "fairlead job decisions llama-sft",
    "fairlead job decisions llama-sft --kind evicted",
    "fairlead job decisions llama-sft -o csv > decisions.csv",
    more="In order of time, with the explanation recorded at that time. Decisions are retained for a "
    "year, or for the tenant's retention period, and survive the end of the job.",
)
def decisions(
    context: typer.Context,
    job: JobName,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Only one kind: placed, waited, evicted, moved, unreachable or reachable."
        ),
    ] = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    only = kind.upper() if kind else None
    if only is not None and only not in KINDS:
        raise UsageProblem(f"--kind is one of {', '.join(KINDS).lower()}, not {kind!r}")
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
        decided = fl.jobs.decisions(found.id, kind=only)
    show_all(
        decided,
        DECISIONS,
        output,
        columns,
        name=lambda d: d.at.isoformat(),
        empty="no recorded decisions for this job",
    )


EXPORTED: list[Column[models.ExportedDecisionResponse]] = [
    Column("AT", lambda d: d.decision.at.isoformat()),
    Column("JOB", lambda d: d.job),
    Column("NAME", lambda d: text.safe(d.name)),
    Column("PROJECT", lambda d: text.safe(d.project)),
    Column("KIND", lambda d: d.decision.kind),
    Column("ATTEMPT", lambda d: attempt(d.decision)),
    Column("CAUSE", lambda d: cause(d.decision)),
    Column("MESSAGE", lambda d: text.safe(text.times(d.decision.message))),
]


@verb(
    app,
    "job export-decisions",
    "Export the decisions for all jobs of the tenant or of a project, in order of time",
    "fairlead job export-decisions --since 30d > decisions.jsonl",
    "fairlead job export-decisions --of nlp --since 2030-01-01T00:00:00Z --until 2030-02-01T00:00:00Z -o csv",
    more="One line per decision, with the explanation recorded at that time, including ended jobs. "
    "Lines are streamed.",
)
def export(
    context: typer.Context,
    project: Annotated[str | None, typer.Option("--of", help="Only this project.")] = None,
    since: Annotated[
        str, typer.Option("--since", help="Start time, or a duration before now.")
    ] = "24h",
    until: Annotated[
        str | None, typer.Option(help="End time (exclusive), or a duration before now.")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="jsonl or csv.")] = "jsonl",
) -> None:
    if output not in (Format.JSONL.value, Format.CSV.value):
        raise UsageProblem(f"-o is jsonl or csv, not {output!r}")
    with client(context) as fl:
        found = fl.export_decisions(project, since=since_time(since), until=since_time(until))
        begun = False
        for part in iter(lambda: list(islice(found, AT_ONCE)), []):
            lines = csv_text(part, EXPORTED) if output == Format.CSV.value else jsonl(part)
            emit(lines.split("\n", 1)[1] if begun and output == Format.CSV.value else lines)
            begun = True
    if not begun:
        say("no recorded decisions")


def jsonl(part: Sequence[models.ExportedDecisionResponse]) -> str:
    return "".join(f"{json.dumps(machine(one))}\n" for one in part)


def held(job: Job, decided: Sequence[Decision], at: datetime, output: Format) -> None:
    """The decision in effect at a time."""
    if not decided and output in (Format.TABLE, Format.WIDE):
        say(
            f"No decision recorded for {job.name} at {text.moment(at)}: the job was not submitted "
            "yet, had ended, was suspended, had waited for less than a minute, or the decision "
            f"has expired. All recorded decisions: fairlead job decisions {job.name}"
        )
        return
    if not decided:
        show(None, output, lambda: "", job.name)
        return
    show(decided[0], output, lambda: "".join(_told(job, decided[0], at)), job.name)


def _told(job: Job, one: Decision, at: datetime) -> Iterator[str]:
    since = f"since {text.moment(one.at)}, for {lasted(one)}"
    yield f"At {text.moment(at)} {job.name} was {one.kind} {since}: {text.safe(text.times(one.message))}\n"
    if one.waited:
        for blocker in one.waited.blockers:
            scope = blocker.scope.name or blocker.scope.type.lower()
            yield f"  {scope}: {text.safe(text.times(blocker.message))} [{blocker.reason}]\n"
        for cluster in one.waited.clusters:
            yield f"  {report.finding(cluster)}\n"
    if one.placed:
        yield from _placed(one.placed)
    if one.expected:
        yield f"  predicted start: {text.expected(one.expected)}\n"
    if one.unreachable:
        nodes = ", ".join(one.unreachable.node_names)
        yield f"  attempt {one.unreachable.attempt} on {text.safe(nodes)}\n"
        for proof in one.unreachable.proofs or ():
            yield f"  proof of its end: when {text.safe(proof)}\n"
    if one.evicted:
        by = f" for {one.evicted.by}" if one.evicted.by else ""
        members = text.count(one.evicted.members, "member")
        elements = one.evicted.elements
        of = f" of {elements} elements" if elements > 1 else ""
        yield f"  attempt {one.evicted.attempt}, {members}{of}{by} [{cause(one)}]\n"


def _placed(placed: models.PlacedDecision) -> Iterator[str]:
    more = ", ..." if placed.nodes > len(placed.node_names) else ""
    nodes = ", ".join(placed.node_names) + more
    yield f"  attempt {placed.attempt} on {text.safe(nodes)}, {', '.join(placed.flavors)}\n"
    if placed.tier is not None:
        yield f"  tier {placed.tier.number}: {tier(placed.tier)}\n"
    for quota in placed.quota:
        owned = "unlimited" if quota.owned is None else text.amount(quota.owned)
        yield (
            f"  quota of '{text.safe(quota.queue)}': {text.amount(quota.used)} of {owned} {quota.flavor},"
            f" {text.amount(quota.borrowed)} borrowed\n"
        )
    for right, victims in placed.victims.items():
        yield f"  {text.count(victims, 'attempt')} evicted for it [{right}]\n"


def tier(used: models.DecisionTier) -> str:
    if used.cause == "WAIT_OVER":
        return f"its wait of {used.after} was over and earlier tiers had no free capacity"
    if used.cause == "UNAVAILABLE":
        return "earlier tiers were out of service or closed to it"
    if used.cause == "NO_ROOM":
        return "earlier tiers had no free capacity"
    return "earlier tiers have no capacity that the job could use"


def of_ended(fl: Fairlead, job: Job) -> Sequence[Decision]:
    """Decisions of an ended job. Empty if they cannot be read, so that the end reason is shown anyway."""
    try:
        return fl.jobs.decisions(job.id) if job.ended else ()
    except (FairleadError, ValueError):
        return ()


def past(decided: Sequence[Decision]) -> str:
    """Decisions of an ended job. Empty if none were retained."""
    lines = (
        f"  {text.moment(one.at)} {one.kind} for {lasted(one)}: {text.safe(text.times(one.message))}\n"
        for one in decided
    )
    return "\nWhat was decided\n" + "".join(lines) if decided else ""
