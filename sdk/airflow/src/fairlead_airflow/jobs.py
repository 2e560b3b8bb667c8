"""The owner of a job, and its log lines for a task. Without clock or connection."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from fairlead import ApiError, FairleadError, RateLimited, ServerError, Unreachable, models

TASK_LABEL = "airflow-task"
ROUND_LABEL = "airflow-round"
TRY_LABEL = "airflow-try"

# Limit of the API for a job: a longer value is refused.
LONGEST_NAME: int = max(
    getattr(bound, "max_length", 0)
    for bound in models.SubmitJobRequest.model_fields["name"].metadata
)
# The numbers in a reason to wait change with each decision of the scheduler.
REPEAT_REASON_SECONDS = 60.0
PASSING = (Unreachable, RateLimited, ServerError)


@dataclass(frozen=True)
class TaskTry:
    """One try of one task of one run.

    `task` is the same in each try of the task, even after a clear. `round` changes when the task is
    cleared, and when its run is created again under the same id."""

    task: str
    round: str
    number: int
    name: str

    @staticmethod
    def of(user: str, ti: Any, run_started_at: Any) -> TaskTry:
        """`user` separates Airflow installations with the same DAGs, each with its own token."""
        task = _hash(user, ti.dag_id, ti.run_id, ti.task_id, ti.map_index)
        # A clear gives a task more tries, a retry does not.
        since = _hash(str(run_started_at), ti.max_tries)
        words = re.sub(r"[^a-z0-9]+", "-", f"{ti.dag_id}-{ti.task_id}".lower()).strip("-")
        tail = task[:8]
        name = words[: LONGEST_NAME - len(tail) - 1].strip("-")
        return TaskTry(
            task, since[:16], ti.try_number, f"{name}-{tail}" if name else f"airflow-{tail}"
        )

    @property
    def key(self) -> str:
        """Idempotency key of the submit, so that a lost response or a second process creates no second
        job."""
        return f"airflow-{self.task}-{self.round}-{self.number}"

    @property
    def labels(self) -> dict[str, str]:
        return {TASK_LABEL: self.task, ROUND_LABEL: self.round, TRY_LABEL: str(self.number)}

    def holds(self, job: models.JobResponse) -> bool:
        """Whether the job belongs to this try. A job adopted by a later try does not."""
        return all(job.labels.get(name) == value for name, value in self.labels.items())

    def resumes(self, job: models.JobResponse, ended: bool) -> bool:
        """Whether this try adopts the job of an earlier process: an active job, a job that succeeded, or a
        job of this try. After a clear, ended jobs do not count."""
        if not ended:
            return job.state != "CANCELLING"
        same_round = job.labels.get(ROUND_LABEL) == self.round
        return same_round and (job.state == "SUCCEEDED" or self.holds(job))


def spec_of(job: Mapping[str, Any] | str, mine: TaskTry) -> dict[str, Any]:
    """The spec with the labels by which a later try finds it, and a default name.

    Raises ValueError if it is not a mapping, or has reserved labels."""
    if isinstance(job, str):
        try:
            job = yaml.safe_load(job)
        except yaml.YAMLError as broken:
            raise ValueError(f"job is no YAML: {broken}") from broken
    if not isinstance(job, Mapping):
        raise ValueError(
            "job must be a mapping such as {'image': ..., 'gpu': 1}, or YAML of one,"
            f" not {type(job).__name__}"
        )
    labels = job.get("labels") or {}
    if not isinstance(labels, Mapping):
        raise ValueError(f"job.labels must be a mapping, not {type(labels).__name__}")
    taken = sorted(set(labels) & set(mine.labels))
    if taken:
        raise ValueError(f"job.labels: {', '.join(taken)} are set by the operator")
    return {"name": mine.name, **job, "labels": {**labels, **mine.labels}}


class Story:
    """Job changes for the task's log. Each change once."""

    def __init__(self) -> None:
        self._state: Any = None
        self._reason: Any = None
        self._message: Any = None
        self._reason_at = 0.0
        self._failed = 0
        self._unreachable: Any = None

    def lines(self, job: models.JobResponse, now: float) -> list[str]:
        """`now` is in seconds of a monotonic clock."""
        found = [*self._failure(job), *self._change(job), *self._waiting(job, now)]
        since = job.unreachable.since if job.unreachable else None
        if job.unreachable and since != self._unreachable:
            found.append(f"{job.name} cannot be observed: {job.unreachable.message}")
        self._unreachable = since
        return found

    def _failure(self, job: models.JobResponse) -> list[str]:
        failure = job.failure
        if failure is None or failure.attempt <= self._failed:
            return []
        self._failed = failure.attempt
        return [f"{job.name}: attempt {failure.attempt} failed: {failure.cause}: {failure.message}"]

    def _change(self, job: models.JobResponse) -> list[str]:
        state = (job.state, job.attempt, job.placement.cluster)
        if state == self._state:
            return []
        self._state = state
        nodes = job.placement.nodes
        where = f" on {job.placement.cluster}" if job.placement.cluster else ""
        if nodes:
            where += f", {nodes[0]}" + (
                f" and {len(nodes) - 1} more nodes" if len(nodes) > 1 else ""
            )
        attempt = f", attempt {job.attempt}" if job.attempt else ""
        return [f"{job.name} ({job.id}) is {job.state}{where}{attempt}"]

    def _waiting(self, job: models.JobResponse, now: float) -> list[str]:
        if job.pending is None:
            self._reason = None
            return []
        reason, message = job.pending.reason, job.pending.message
        soon = reason == self._reason and now - self._reason_at < REPEAT_REASON_SECONDS
        if soon or (reason, message) == (self._reason, self._message):
            return []
        self._reason, self._message, self._reason_at = reason, message, now
        return [f"{job.name} waits: {reason}: {message}"]


class Patience:
    """How long the service may be unreachable before a task fails. The job continues without it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since: float | None = None

    def answered(self) -> None:
        self._since = None

    def spend(self, error: FairleadError, now: float) -> str | None:
        """Returns a log line for the first of several errors. Raises the error after the time limit."""
        if self._since is None:
            self._since = now
            return f"Fairlead gives no answer, asking again for {self._seconds:g} s: {error}"
        if now - self._since >= self._seconds:
            raise error
        return None


def result(job: models.JobResponse) -> dict[str, Any]:
    """The XCom values of a task."""
    return {
        "job": job.id,
        "name": job.name,
        "project": job.project,
        "state": str(job.state),
        "attempts": job.attempt,
        "cluster": job.placement.cluster,
        "started_at": job.started_at.isoformat() if job.started_at else None,
        "ended_at": job.ended_at.isoformat() if job.ended_at else None,
    }


def why_ended(job: models.JobResponse) -> str:
    """The last failure of the job, with its cause."""
    attempts = f" after {job.attempt} attempts" if job.attempt > 1 else ""
    failure = job.failure
    why = f": {failure.cause}: {failure.message}" if failure else ""
    return f"job {job.name} ({job.id}) ended {job.state}{attempts}{why}"


def why_refused(error: ApiError) -> str:
    """All fields of the problem, each on its own line."""
    lines = [f"Fairlead refused: {error.code}: {error.detail}"]
    for field in error.errors:
        meant = f"; did you mean {field.suggestion}?" if field.suggestion else ""
        lines.append(f"  {field.pointer or '/'}: {field.detail}{meant}")
    if error.request_id:
        lines.append(f"  request {error.request_id}")
    return "\n".join(lines)


def _hash(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
