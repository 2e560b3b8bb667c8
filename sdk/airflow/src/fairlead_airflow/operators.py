"""Operators that run jobs, and operators that quarantine, release and repair nodes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from airflow.sdk import BaseOperator
from airflow.sdk.configuration import conf
from airflow.sdk.exceptions import AirflowException, AirflowFailException
from fairlead import (
    ApiError,
    BadRequest,
    Conflict,
    Fairlead,
    FairleadError,
    Forbidden,
    InvalidRequest,
    Job,
    NotFound,
    Unauthenticated,
)

from fairlead_airflow.hook import Access, FairleadHook
from fairlead_airflow.jobs import (
    PASSING,
    TASK_LABEL,
    Patience,
    Story,
    TaskTry,
    result,
    spec_of,
    why_ended,
    why_refused,
)
from fairlead_airflow.output import OutputCopy, copy_tail
from fairlead_airflow.triggers import FairleadJobTrigger

# The same request is refused the same way again.
FINAL = (BadRequest, Forbidden, InvalidRequest, NotFound, Unauthenticated)


class FairleadJobOperator(BaseOperator):
    """Submits a job, waits for its end, and fails with the reason of the job.

    If the process dies, the job continues, and the next try of the task adopts it instead of submitting a
    second one. XCom: `job_id` after the submission. XCom at the end: job, name, project, state,
    attempts, cluster, started_at and ended_at.

    :param job: spec of the job, a mapping or YAML text, as for `fairlead submit`. Templated.
    :param project: default: the connection's project, or `default`. Templated.
    :param fairlead_conn_id: connection of type `fairlead`.
    :param deferrable: wait in the triggerer. The output is then copied when the job has ended.
    :param poll_interval: seconds between two polls of the job, at least 1.
    :param log_lines: maximum number of output lines in the task's log, 0 for none.
    :param log_member: member whose output is copied, such as `worker-3`. Default: the first member.
    :param unreachable_after: seconds without a response from the service before the task fails.
    :param cancel_on_kill: whether a task that is killed, cleared, or timed out cancels its job.
    """

    template_fields: Sequence[str] = ("job", "project", "fairlead_conn_id")
    template_fields_renderers = {"job": "yaml"}  # noqa: RUF012
    ui_color = "#dbe9f6"

    def __init__(
        self,
        *,
        job: Mapping[str, Any] | str,
        project: str | None = None,
        fairlead_conn_id: str = FairleadHook.default_conn_name,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        poll_interval: float = 5.0,
        log_lines: int = 2_000,
        log_member: str | None = None,
        unreachable_after: float = 3_600.0,
        cancel_on_kill: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if poll_interval < 1:
            raise ValueError(f"poll_interval must be 1 second or more, not {poll_interval:g}")
        if log_lines < 0:
            raise ValueError(f"log_lines must be 0 or more, not {log_lines}")
        if unreachable_after < 0:
            raise ValueError(
                f"unreachable_after must be 0 seconds or more, not {unreachable_after:g}"
            )
        self.job = job
        self.project = project
        self.fairlead_conn_id = fairlead_conn_id
        self.deferrable = deferrable
        self.poll_interval = poll_interval
        self.log_lines = log_lines
        self.log_member = log_member
        self.unreachable_after = unreachable_after
        self.cancel_on_kill = cancel_on_kill
        self._access: Access | None = None
        self._mine: TaskTry | None = None
        self._killed = False

    def execute(self, context: Any) -> dict[str, Any]:
        access = self._access = FairleadHook(self.fairlead_conn_id).access()
        began = time.time()
        with access.client() as fl:
            try:
                job = self._own(fl, context)
            except FINAL as refused:
                raise AirflowFailException(why_refused(refused)) from refused
            except ApiError as refused:
                raise AirflowException(why_refused(refused)) from refused
            context["ti"].xcom_push(key="job_id", value=job.id)
            if self._killed and self.cancel_on_kill:
                self._cancel(fl)
            if self.deferrable and not job.ended:
                self._wait_elsewhere(job, began)
            output = OutputCopy(access, self.log, self.log_member, self.log_lines)
            job = self._ended(fl, job.id, output)
            output.end(job)
        return self._outcome(job)

    def execute_complete(self, context: Any, event: Mapping[str, Any]) -> dict[str, Any]:
        """Continues the task after the triggerer has waited."""
        if "error" in event:
            raise AirflowException(f"job {event['job']} cannot be followed: {event['error']}")
        with FairleadHook(self.fairlead_conn_id).get_conn() as fl:
            if "late" in event:
                if self.cancel_on_kill:
                    fl.jobs.cancel(event["job"])
                raise AirflowException(
                    f"job {event['job']} took longer than execution_timeout, {self.execution_timeout}"
                )
            job = fl.jobs.get(event["job"])
            copy_tail(fl, job, self.log, self.log_member, self.log_lines)
        return self._outcome(job)

    def on_kill(self) -> None:
        """Runs in a signal handler, so it does not query Airflow, and uses no client that may be in the
        middle of a request."""
        self._killed = True
        if self.cancel_on_kill and self._access is not None and self._mine is not None:
            try:
                with self._access.client() as fl:
                    self._cancel(fl)
            except FairleadError as broken:
                self.log.warning("the job continues, it could not be cancelled: %s", broken)

    def _own(self, fl: Fairlead, context: Any) -> Job:
        """The job of this try: adopted from an earlier process, or new."""
        mine = self._mine = TaskTry.of(fl.me().user, context["ti"], context["dag_run"].start_date)
        project = self.project or fl.project
        left = self._newest(fl, project)
        if left is not None and left.state == "CANCELLING":
            self.log.info("waiting for the end of %s, which an earlier try has cancelled", left.id)
            left = self._ended(fl, left.id, None)
        if left is not None and mine.resumes(left, left.ended):
            self.log.info("taking up %s (%s), which an earlier process left", left.name, left.id)
            if not left.ended and not mine.holds(left):
                left = fl.jobs.patch(left.id, {"labels": mine.labels})
            return left
        spec = spec_of(self.job, mine)
        job = fl.jobs.submit(spec, project=project, idempotency_key=mine.key)
        for warning in job.warnings:
            self.log.warning("%s: %s", job.name, warning)
        return job

    def _newest(self, fl: Fairlead, project: str) -> Job | None:
        mine = self._mine
        assert mine is not None
        found = fl.jobs.list(project=project, label=f"{TASK_LABEL}={mine.task}", page_size=1)
        newest = next(iter(found), None)
        return None if newest is None else fl.jobs.get(newest.id)

    def _ended(self, fl: Fairlead, job: str, output: OutputCopy | None) -> Job:
        story, patience = Story(), Patience(self.unreachable_after)
        while True:
            try:
                now = fl.jobs.get(job)
                patience.answered()
                for line in story.lines(now, time.monotonic()):
                    self.log.info(line)
                if now.ended:
                    return now
                if output is not None:
                    output.look(now)
            except PASSING as passing:
                said = patience.spend(passing, time.monotonic())
                if said:
                    self.log.warning(said)
            time.sleep(self.poll_interval)

    def _wait_elsewhere(self, job: Job, began: float) -> None:
        assert self._mine is not None
        limit = self.execution_timeout
        self.defer(
            trigger=FairleadJobTrigger(
                job_id=job.id,
                fairlead_conn_id=self.fairlead_conn_id,
                mine=asdict(self._mine),
                poll_interval=self.poll_interval,
                unreachable_after=self.unreachable_after,
                until=None if limit is None else began + limit.total_seconds(),
                cancel_on_kill=self.cancel_on_kill,
            ),
            method_name="execute_complete",
        )

    def _cancel(self, fl: Fairlead) -> None:
        job = self._newest(fl, self.project or fl.project)
        if job is not None and not job.ended and self._mine is not None and self._mine.holds(job):
            fl.jobs.cancel(job.id)
            self.log.info("job %s is cancelled, because its task was killed", job.id)

    def _outcome(self, job: Job) -> dict[str, Any]:
        if job.state == "SUCCEEDED":
            return result(job)
        if job.state == "CANCELLED" and not self._killed:
            # A person requested this, so no try may start it again.
            raise AirflowFailException(why_ended(job))
        raise AirflowException(why_ended(job))


class FairleadRemediateOperator(BaseOperator):
    """Quarantines a node, releases it, or controls its repair. Fairlead records each action in its
    audit log.

    XCom: a list of quarantines, or the repair. Repeating a quarantine, or releasing a node that is not
    quarantined, changes nothing.

    :param action: `quarantine`, `release`, or an action on the repair of the node: `hold`, `resume`,
        `skip`, `force`, `done`.
    :param node: name or id. Templated.
    :param reason: reason, recorded with the action. Templated.
    :param lasts: duration of a quarantine, such as `2d`. Default: until it is released. Templated.
    :param step: expected current step of the repair, for a repair action. The action is refused if the
        repair is at another step. Templated.
    :param fairlead_conn_id: connection of type `fairlead`, with the token of an operator.
    """

    ORDERS = ("hold", "resume", "skip", "force", "done")
    template_fields: Sequence[str] = ("node", "reason", "lasts", "step", "fairlead_conn_id")
    ui_color = "#f6e5db"

    def __init__(
        self,
        *,
        action: str,
        node: str,
        reason: str,
        lasts: str | None = None,
        step: str | None = None,
        fairlead_conn_id: str = FairleadHook.default_conn_name,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        known = ("quarantine", "release", *self.ORDERS)
        if action not in known:
            raise ValueError(f"action must be one of {', '.join(known)}, not {action!r}")
        if lasts is not None and action != "quarantine":
            raise ValueError(f"lasts is of a quarantine, and action is {action}")
        if (step is not None) != (action in self.ORDERS):
            raise ValueError(
                f"step goes with {', '.join(self.ORDERS)}, which need it, and action is {action}"
            )
        self.action = action
        self.node = node
        self.reason = reason
        self.lasts = lasts
        self.step = step
        self.fairlead_conn_id = fairlead_conn_id

    def execute(self, context: Any) -> Any:
        for name in ("node", "reason"):
            if not str(getattr(self, name) or "").strip():
                raise AirflowFailException(f"{name} is empty")
        try:
            with FairleadHook(self.fairlead_conn_id).get_conn() as fl:
                done = self._act(fl)
        except FINAL as refused:
            raise AirflowFailException(why_refused(refused)) from refused
        except ApiError as refused:
            raise AirflowException(why_refused(refused)) from refused
        self.log.info("%s of node %s: %s", self.action, self.node, done or "nothing to do")
        return done

    def _act(self, fl: Fairlead) -> Any:
        if self.action == "quarantine":
            held = fl.nodes.quarantine(self.node, self.reason, lasts=self.lasts)
            return [one.model_dump(mode="json", by_alias=True) for one in held]
        if self.action == "release":
            try:
                released = fl.nodes.release(self.node, self.reason)
            except Conflict:
                # The action of an earlier try is complete, although its response was lost.
                if fl.nodes.get(self.node).state == "QUARANTINED":
                    raise
                return []
            return [one.model_dump(mode="json", by_alias=True) for one in released]
        open_ones = list(fl.repairs.list(node=self.node, open=True))
        if len(open_ones) != 1:
            raise AirflowFailException(
                f"node {self.node} has {len(open_ones)} open repairs, and {self.action} is for one:"
                f" fairlead node repair list --node {self.node}"
            )
        repair = fl.repairs.order(
            open_ones[0].id, self.action.upper(), str(self.step).upper(), self.reason
        )
        return repair.model_dump(mode="json", by_alias=True)
