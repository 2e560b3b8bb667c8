"""Values formatted for people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone

from fairlead import models
from fairlead._time import ENDED

# C0 and C1 controls, and bidirectional marks: they could overwrite other columns.
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
NODES_NAMED = 2
POINT = re.compile(r"\b(at )?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)")
DURATION = re.compile(r"(\d+)\s*([smhd])")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def safe(text: object) -> str:
    """One line without control characters that move the cursor."""
    line = re.sub(r"\s+", " ", str(text))
    return UNPRINTABLE.sub("\ufffd", unicodedata.normalize("NFC", line))


def safe_line(text: object) -> str:
    """Like `safe`, with the line's indent preserved."""
    line = str(text)
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + safe(line[indent:])


def now() -> datetime:
    return datetime.now(timezone.utc)


def took(span: timedelta) -> str:
    """4.2s, 3m20s, 2h05m, 3d04h."""
    seconds = max(0.0, span.total_seconds())
    if seconds < 10:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 86400}d{whole % 86400 // 3600:02}h"


def ago(at: datetime | None) -> str:
    return "-" if at is None else took(now() - at)


def moment(at: datetime | None) -> str:
    """Local time to the second, with its zone."""
    if at is None:
        return "-"
    return at.astimezone().isoformat(" ", "seconds").replace("+00:00", "Z")


def instant(text: str) -> datetime:
    """Parses a time with offset. Python 3.10's fromisoformat does not accept Z."""
    try:
        at = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
    except ValueError:
        at = datetime.min
    if at.tzinfo is None:
        raise ValueError(f'"{text}" is not a time with offset, such as 2030-01-31T08:00:00Z')
    return at


def away(at: datetime) -> str:
    """in 9s, or 3m20s ago."""
    return f"in {took(at - now())}" if at > now() else f"{ago(at)} ago"


def times(message: str) -> str:
    """A message of the service with relative times: retry in 9s."""

    def said(found: re.Match[str]) -> str:
        at = datetime.fromisoformat(found[2].partition(".")[0].rstrip("Z") + "+00:00")
        return away(at) if found[1] else f"{moment(at)} ({away(at)})"

    return POINT.sub(said, message)


def amount(value: float | str | None) -> str:
    """At most two decimal places, without trailing zeros."""
    if value is None:
        return "-"
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def money(value: float, currency: str) -> str:
    """The amount to the millionth, with at least two decimal places."""
    whole, _, rest = f"{value:.6f}".partition(".")
    return f"{whole}.{rest.rstrip('0').ljust(2, '0')} {currency}"


def cost(of: models.CostResponse) -> str:
    """40.00 EUR an hour, 60.00 EUR by maxRuntime."""
    spent = ""
    if of.so_far is not None and of.currency is not None:
        spent = f"{money(of.so_far, of.currency)} so far"
    if of.per_hour is None or of.currency is None:
        return spent or "cost not known"
    total = (
        ""
        if of.by_max_runtime is None
        else f", {money(of.by_max_runtime, of.currency)} by maxRuntime"
    )
    more = f"{total}, {spent}" if spent else total
    return f"{money(of.per_hour, of.currency)} an hour{more}{' (sunk)' if of.sunk else ''}"


def count(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "-"


def gpus(job: models.JobResponse) -> str:
    asked = amount(job.gpus.requested)
    return f"{asked} {job.gpus.model}" if job.gpus.model else asked


def job_time(job: models.JobResponse) -> str:
    """The time since the submit of a waiting job, or from the start of another job until its end."""
    return took((job.ended_at or now()) - (job.started_at or job.created_at))


def unreachable(job: models.JobResponse) -> models.Condition | None:
    """For an unreachable job: since when, and the missing information."""
    return next((c for c in job.conditions if c.type == "Healthy" and c.status == "Unknown"), None)


def checkpointing(job: models.JobResponse) -> str:
    """For a job in its checkpoint grace period: its end and reason. Empty otherwise."""
    asked = next(
        (c for c in job.conditions if c.type == "Checkpointing" and c.status == "True"), None
    )
    return times(asked.message) if asked else ""


def idle(job: models.JobResponse) -> str:
    """For a job with idle GPUs or suspended for idleness: since when. Empty otherwise."""
    told = next((c for c in job.conditions if c.type == "Idle" and c.status == "True"), None)
    return f"{times(told.message)} ({ago(told.last_transition_time)})" if told else ""


def state(job: models.JobResponse) -> str:
    """UNKNOWN instead of the last seen state if the job is unreachable."""
    return "UNKNOWN" if unreachable(job) else job.state


# The service's text for NOT_EVALUATED in normal operation; other texts state why no plan is made.
ITS_TURN_COMES = (
    "not evaluated by the scheduler yet",
    "the cycle's work budget was spent before this job. It is first in the next cycle",
)


def waits(job: models.JobResponse) -> str:
    if job.pending is None:
        return ""
    if job.pending.reason == "NOT_EVALUATED" and job.pending.message in ITS_TURN_COMES:
        return "the scheduler evaluates it in the next cycle"
    return times(job.pending.message)


def expected(start: models.ExpectedStart | models.DecisionExpected | None) -> str:
    """Likely latest start, learned from past waits."""
    return f"likely by {moment(start.p50)} (p50), {moment(start.p90)} (p90)" if start else ""


def place(job: models.JobResponse) -> str:
    """Its placement, its wait reason, or its end reason."""
    if job.array is not None:
        done = job.array.succeeded + job.array.failed + job.array.cancelled
        lost = f", {job.array.failed} failed" if job.array.failed else ""
        lost += f", {job.array.cancelled} cancelled" if job.array.cancelled else ""
        rest = f", {job.array.running} running, {job.array.queued} waiting"
        over = done == job.array.elements
        return f"{done} of {job.array.elements} done{lost}{'' if over else rest}"
    hidden = unreachable(job)
    if hidden is not None:
        return f"for {ago(hidden.last_transition_time)}: {hidden.message}"
    reason = waits(job)
    if reason:
        return reason
    if job.failure is not None and job.state in ENDED:
        return failed(job.failure)
    where = site(job.placement)
    where = f"{where} (attempt {job.attempt})" if job.attempt > 1 and where else where
    return f"{where}, {steps(job.progress)}" if where and steps(job.progress) else where


def steps(report: models.ProgressReportResponse | None) -> str:
    """24 % done, or step 1,200 without a total. Empty without a step."""
    if report is None or report.step is None:
        return ""
    return f"{percent(report)} % done" if report.total else f"step {report.step:,}"


def percent(report: models.ProgressReportResponse) -> int:
    """Percentage rounded down, so 100 means all steps."""
    return 100 * (report.step or 0) // report.total if report.total else 0


def progress(report: models.ProgressReportResponse | None) -> str:
    """1,200 of 5,000 steps (24 %), loss 0.31, 3.1s ago, about 2h10m left."""
    if report is None:
        return ""
    said = [] if report.step is None else [f"step {report.step:,}"]
    if report.step is not None and report.total:
        said = [f"{report.step:,} of {report.total:,} steps ({percent(report)} %)"]
    said += [f"{name} {value:.6g}" for name, value in report.metrics.items()]
    said.append(f"{ago(report.reported_at)} ago")
    if report.expected_end is not None and report.expected_end > now():
        said.append(f"about {took(report.expected_end - now())} left")
    return ", ".join(said)


def cause(word: str, message: str | None, right: str | None = None) -> str:
    """The end reason. A stop requested by the owner or an administrator needs no cause."""
    told = times(message or "")
    if right:
        word = f"{word} ({right})"
    return told if word in ("PLATFORM", "STOPPED") and told else f"{word}: {told}"


def failed(failure: models.Failure) -> str:
    return cause(failure.cause, failure.message, failure.right)


def by_incident(failure: models.Failure | None) -> bool:
    """Whether a machine fault explains the end, so that the job is not at fault."""
    return failure is not None and any(e.startswith("INCIDENT ") for e in failure.evidence)


def moved(job: models.JobResponse, failure: models.Failure) -> str:
    """The effect of a machine fault on a job, and where the job moved."""
    again = site(job.placement) if job.attempt > failure.attempt else ""
    where = f"; moved to {again}" if again else ""
    return f"attempt {failure.attempt} failed: {failed(failure)}{where}"


def site(at: models.Place) -> str:
    if not at.cluster or not at.nodes:
        return at.cluster or ""
    if len(at.nodes) > NODES_NAMED:
        return f"{at.cluster}, {len(at.nodes)} nodes"
    return f"{at.cluster}, {' and '.join(at.nodes)}"


def duration(text: str) -> timedelta:
    """90s, 30m, 1h30m, 7d; raises ValueError."""
    parts = DURATION.findall(text)
    if not parts or DURATION.sub("", text).strip():
        raise ValueError(f"{text!r} is not a duration such as 90s, 30m, 48h or 7d")
    return timedelta(seconds=sum(int(number) * SECONDS[unit] for number, unit in parts))


def wish(change: models.Change) -> str:
    """The suggested change. A removed request has no new value."""
    if not change.to:
        return f"no {change.field} (now {change.from_})"
    return f"{change.field} {change.to} instead of {change.from_}"
