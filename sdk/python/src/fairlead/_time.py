"""Words and clocks that both clients need."""

from __future__ import annotations

import re
import time

ENDED = frozenset({"SUCCEEDED", "FAILED", "CANCELLED"})
JOB_ID = re.compile(r"job_[0-9a-hjkmnp-tv-z]{26}")


class Deadline:
    """Seconds from now, None = never."""

    def __init__(self, seconds: float | None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds

    def passed(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until

    def at_most(self, seconds: float) -> float:
        if self._until is None:
            return seconds
        return max(0.0, min(seconds, self._until - time.monotonic()))
