"""Renders the preemption risks of a job."""

from __future__ import annotations

from collections.abc import Iterator

from fairlead import models
from fairlead.cli import text


def lines(risk: models.PreemptionRisk) -> Iterator[str]:
    """One line per queue and right, protections first."""
    if not risk.allowed:
        yield "is never preempted"
        return
    if not risk.by:
        yield "no queue has jobs that may preempt it"
        return
    if risk.min_runtime != "0s":
        yield f"each attempt runs for {risk.min_runtime} before it can be preempted"
    for one in risk.by:
        yield f"can be preempted by {_jobs(one)} [{one.right}]{_when(one)}"
    for past in risk.past:
        evicted = [f"{times} preempted [{right}]" for right, times in past.preempted.items()]
        told = ", ".join([text.count(past.starts, "start"), *(evicted or ["none preempted"])])
        yield f"of its queue and priority, in {risk.days} days: {past.flavor} {told}"


def _jobs(one: models.QueueRisk) -> str:
    earlier = ", at that priority only older ones" if one.earlier_only else ""
    return f"jobs of queue {one.queue} from priority {one.from_priority} on{earlier}"


def _when(one: models.QueueRisk) -> str:
    return ", once its own queue borrows" if one.now is False else ""
