"""Text and time functions of both clients."""

from __future__ import annotations

import re
import time
from datetime import datetime

ENDED = frozenset({"SUCCEEDED", "FAILED", "CANCELLED"})
JOB_ID = re.compile(r"job_[0-9a-hjkmnp-tv-z]{26}")


def iso(at: str | datetime | None) -> str | None:
    """A time in the format of the API. A string is returned unchanged, because it can be a duration."""
    return at.isoformat() if isinstance(at, datetime) else at


class Deadline:
    """Seconds from now, or None for never."""

    def __init__(self, seconds: float | None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds

    def passed(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until

    def left(self) -> float | None:
        """Seconds until then, None for never."""
        return None if self._until is None else max(0.0, self._until - time.monotonic())

    def at_most(self, seconds: float) -> float:
        left = self.left()
        return seconds if left is None else min(seconds, left)
