"""A trigger that waits for a job in the triggerer, where many tasks share one process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from airflow.triggers.base import BaseTrigger, TriggerEvent
from fairlead import ApiError, FairleadError

from fairlead_airflow.hook import FairleadHook
from fairlead_airflow.jobs import PASSING, Patience, Story, TaskTry, why_refused


class FairleadJobTrigger(BaseTrigger):
    """Fires once, with `job` and `ended` when the job has ended, with `error` if it cannot be followed, and
    with `late` at `until`, seconds since 1970, None for never.

    `mine` contains the arguments of the TaskTry that owns the job. A job adopted by a later try is not
    cancelled when a user ends this one."""

    def __init__(
        self,
        job_id: str,
        fairlead_conn_id: str,
        mine: dict[str, Any],
        poll_interval: float,
        unreachable_after: float,
        until: float | None,
        cancel_on_kill: bool,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.job_id = job_id
        self.fairlead_conn_id = fairlead_conn_id
        self.mine = mine
        self.poll_interval = poll_interval
        self.unreachable_after = unreachable_after
        self.until = until
        self.cancel_on_kill = cancel_on_kill

    def serialize(self) -> tuple[str, dict[str, Any]]:
        names = (
            "job_id",
            "fairlead_conn_id",
            "mine",
            "poll_interval",
            "unreachable_after",
            "until",
            "cancel_on_kill",
        )
        return (
            f"{type(self).__module__}.{type(self).__qualname__}",
            {name: getattr(self, name) for name in names},
        )

    async def run(self) -> AsyncIterator[TriggerEvent]:
        try:
            yield TriggerEvent({"job": self.job_id, **await self._end()})
        except ApiError as refused:
            yield TriggerEvent({"job": self.job_id, "error": why_refused(refused)})
        except (FairleadError, ValueError) as broken:
            yield TriggerEvent({"job": self.job_id, "error": str(broken)})

    async def _end(self) -> dict[str, Any]:
        access = await FairleadHook(self.fairlead_conn_id).async_access()
        story, patience = Story(), Patience(self.unreachable_after)
        async with access.async_client() as fl:
            while True:
                try:
                    job = await fl.jobs.get(self.job_id)
                    patience.answered()
                    for line in story.lines(job, time.monotonic()):
                        self.log.info(line)
                    if job.ended:
                        return {"ended": True}
                except PASSING as passing:
                    said = patience.spend(passing, time.monotonic())
                    if said:
                        self.log.warning(said)
                if self.until is not None and time.time() >= self.until:
                    return {"late": True}
                await asyncio.sleep(self.poll_interval)

    async def on_kill(self) -> None:
        """Handles a task that a user marked or cleared while it waited."""
        if not self.cancel_on_kill:
            return
        access = await FairleadHook(self.fairlead_conn_id).async_access()
        async with access.async_client() as fl:
            job = await fl.jobs.get(self.job_id)
            if not job.ended and TaskTry(**self.mine).holds(job):
                await fl.jobs.cancel(self.job_id)
                self.log.info("job %s is cancelled, since its task was ended", self.job_id)
