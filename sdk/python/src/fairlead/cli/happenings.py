"""Renders events with names instead of ids."""

from __future__ import annotations

import json

from fairlead import models
from fairlead.cli import text
from fairlead.cli.output import Column


def subject(event: models.EventResponse) -> str:
    """The name of the job, node or cluster. The id of the object if the event has no name."""
    if event.job is not None:
        return event.job.name
    nodes = event.data.get("nodes")
    if isinstance(nodes, list) and len(nodes) == 1:
        return str(nodes[0])
    is_cluster = event.subject.type == "cluster"
    return str(event.data["cluster"]) if is_cluster else event.subject.id


def columns(*, of_one_job: bool) -> list[Column[models.EventResponse]]:
    return [
        Column("AT", lambda e: text.moment(e.at)),
        *([] if of_one_job else [Column("SUBJECT", subject)]),
        Column("TYPE", lambda e: e.type),
        *([Column("BY", lambda e: e.actor, rank=1)] if of_one_job else []),
        Column("ID", lambda e: e.id, wide=True),
        Column("SUBJECT_ID", lambda e: e.subject.id, wide=True),
        Column("ATTEMPT", lambda e: e.data.get("attempt", "-"), wide=True),
        Column("WHAT", what),
    ]


def what(event: models.EventResponse) -> str:
    """attempt 1 on eu-1 cause=USER_ERROR"""
    rest, words = dict(event.data), []
    if "attempt" in rest and "number" in rest:
        words.append(f"attempt {rest.pop('number')}")
        del rest["attempt"]
    if "cluster" in rest and event.job is not None and event.job.place is not None:
        del rest["cluster"]
        words.append(f"on {event.job.place.cluster}")
    words += [f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in rest.items()]
    return " ".join(words)
