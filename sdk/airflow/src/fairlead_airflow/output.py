"""A job's output in the log of its task, bounded."""

from __future__ import annotations

import threading
from datetime import datetime, timezone
from typing import Any

from fairlead import Fairlead, FairleadError, NotFound, models

from fairlead_airflow.hook import Access

LONGEST_LINE = 4_000
LAST_LINES = 50
END_SECONDS = 15.0


class OutputCopy:
    """Follows one member of each attempt in a thread, so that the job's state is polled at the same time.

    Copies at most `most` lines over all attempts, each of up to 4,000 characters. Also copies the last
    50 lines of a failed job with more output. 0 copies nothing."""

    def __init__(self, access: Access, log: Any, member: str | None, most: int) -> None:
        self._access = access
        self._log = log
        self._member = member
        self._left = most
        self._full = most == 0
        self._attempt = 0
        self._since: datetime | None = None
        self._thread: threading.Thread | None = None

    def look(self, job: models.JobResponse) -> None:
        """Copies an attempt that runs or has ended after its predecessor has been copied."""
        started = job.state == "RUNNING" or (
            job.ended_at is not None and job.started_at is not None
        )
        busy = self._thread is not None and self._thread.is_alive()
        if self._full or busy or not started or job.array is not None:
            return
        broken = self._since is not None and job.attempt == self._attempt
        if job.attempt <= self._attempt and not broken:
            return
        if not broken:
            self._since = None
        self._attempt = job.attempt
        follow = job.ended_at is None
        self._thread = threading.Thread(
            target=self._copy,
            args=(job.id, job.attempt, follow),
            name="fairlead-output",
            daemon=True,
        )
        self._thread.start()

    def end(self, job: models.JobResponse) -> None:
        """Waits at most 15 seconds until all output is copied."""
        self._join()
        self.look(job)
        self._join()
        if self._full and self._left == 0 and job.state == "FAILED" and self._attempt:
            self._log.info("the last lines of %s:", job.name)
            self._last(job)

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join(END_SECONDS)

    def _copy(self, job: str, attempt: int, follow: bool) -> None:
        since, self._since = self._since, None
        last = datetime.now(timezone.utc)
        try:
            with self._access.client() as fl:
                tail = None if follow else self._left
                lines = fl.jobs.logs(
                    job,
                    follow=follow,
                    member=self._member,
                    attempt=attempt,
                    tail=tail,
                    since_time=since,
                )
                for line in lines:
                    last = datetime.now(timezone.utc)
                    if not self._take(line, job):
                        return
        except NotFound as gone:
            self._log.info("no output: %s", gone.detail)
        except FairleadError as broken:
            self._since = last
            self._log.warning(
                "the output broke off, lines may be missing or come twice: %s", broken
            )

    def _take(self, line: str, job: str) -> bool:
        if self._left == 0:
            self._full = True
            self._log.info("no more lines are copied: fairlead logs %s", job)
            return False
        self._left -= 1
        self._log.info("%s", cut(line))
        return True

    def _last(self, job: models.JobResponse) -> None:
        try:
            with self._access.client() as fl:
                copy_tail(fl, job, self._log, self._member, LAST_LINES)
        except FairleadError as broken:
            self._log.warning("no output: %s", broken)


def copy_tail(
    fl: Fairlead, job: models.JobResponse, log: Any, member: str | None, most: int
) -> None:
    """The last lines of the newest attempt after the end of the job. Clusters retain them for minutes."""
    if most == 0 or job.array is not None or job.started_at is None:
        return
    try:
        for line in fl.jobs.logs(job.id, member=member, attempt=job.attempt, tail=most):
            log.info("%s", cut(line))
    except FairleadError as broken:
        log.info("no output: %s", broken)


def cut(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return line if more <= 0 else f"{line[:LONGEST_LINE]} ... {more} more characters"
