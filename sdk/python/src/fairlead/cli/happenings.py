"""Events as people read them: names in place of ids."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

from fairlead import Fairlead, NotFound, models
from fairlead.cli import text
from fairlead.cli.output import Column

# more unknown jobs than this are looked up in the list of the newest ones
FEW = 8
NEWEST = 2_000


class Names:
    """Of jobs and clusters, by id; each is asked for once."""

    def __init__(self, fl: Fairlead) -> None:
        self._fl = fl
        self._jobs: dict[str, str] = {}
        self._clusters: dict[str, str] | None = None

    def learn(self, events: Sequence[models.EventResponse]) -> None:
        """Names that the events tell, and those of many jobs in few requests."""
        for event in events:
            if event.type == "JobSubmitted" and "name" in event.data:
                self._jobs[event.subject.id] = str(event.data["name"])
        unknown = {e.subject.id for e in events if e.subject.type == "job"} - self._jobs.keys()
        if len(unknown) > FEW:
            for job in itertools.islice(self._fl.jobs.list(page_size=500), NEWEST):
                self._jobs.setdefault(job.id, job.name)

    def subject(self, event: models.EventResponse) -> str:
        identity = event.subject.id
        if event.subject.type == "job" and identity not in self._jobs:
            try:
                self._jobs[identity] = self._fl.jobs.get(identity).name
            except NotFound:
                self._jobs[identity] = identity  # it was deleted
        return self._jobs.get(identity, identity)

    def cluster(self, identity: str) -> str:
        if self._clusters is None:
            self._clusters = {one.id: one.name for one in self._fl.clusters.list()}
        return self._clusters.get(identity, identity)


def columns(names: Names, *, of_one_job: bool) -> list[Column[models.EventResponse]]:
    subject: Column[models.EventResponse] = Column("JOB", names.subject)
    return [
        Column("AT", lambda e: text.moment(e.at)),
        *([] if of_one_job else [subject]),
        Column("TYPE", lambda e: e.type),
        *([Column("BY", lambda e: e.actor, rank=1)] if of_one_job else []),
        Column("ID", lambda e: e.id, wide=True),
        Column("SUBJECT", lambda e: e.subject.id, wide=True),
        Column("ATTEMPT", lambda e: e.data.get("attempt", "-"), wide=True),
        Column("WHAT", lambda e: what(e.data, names)),
    ]


def what(data: dict[str, Any], names: Names) -> str:
    """attempt 1 on eu-1 cause=USER_ERROR"""
    rest, words = dict(data), []
    if "attempt" in rest and "number" in rest:
        words.append(f"attempt {rest.pop('number')}")
        del rest["attempt"]
    if isinstance(rest.get("cluster"), str):
        words.append(f"on {names.cluster(rest.pop('cluster'))}")
    words += [f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in rest.items()]
    return " ".join(words)
