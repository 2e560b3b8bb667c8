"""Progress reports from a program in a job."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import math
import operator
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping

_EVERY_SECONDS = 10.0
_TIMEOUT_SECONDS = 5.0
_LONGEST_TEXT = 2000
_AWAY = (OSError, http.client.HTTPException, ValueError)
_lock = threading.Lock()
_last: list[float] = []
_warned: list[str] = []


def progress(
    step: int | None = None,
    total: int | None = None,
    metrics: Mapping[str, float] | None = None,
) -> bool:
    """Report progress for an attempt of a job that sets `progress: {timeout: 10m}`.

        fairlead.progress(step, total=5000, metrics={"loss": 0.31})

    Call it after each step, in one process of the job. It calls Fairlead at most once every 10 seconds
    and waits at most 5 seconds. `step` is the number of completed steps, and `total` the number of
    all steps.
    `fairlead get` shows them with up to 16 metrics. NaN and infinite numbers are omitted, so a
    diverged loss does not stop the reports. Returns True if Fairlead accepted the report.
    Returns False
    for a call within 10 seconds, outside of a job with a progress timeout, or if Fairlead refuses the
    report or does not answer; the program can ignore it. Refused numbers are logged once as a warning,
    and the call without them still counts for hang detection."""
    url = os.environ.get("FAIRLEAD_PROGRESS_URL", "")
    token = os.environ.get("FAIRLEAD_CHECKPOINT_TOKEN", "")
    if not url.startswith(("https://", "http://")) or not token or not _due():
        return False
    try:
        body = _body(step, total, metrics or {})
    except (TypeError, ValueError, AttributeError, OverflowError) as wrong:
        return _without_numbers(url, token, str(wrong))
    try:
        return _call(url, token, body)
    except urllib.error.HTTPError as refused:
        # an older service refuses all numbers
        if body and refused.code in (400, 422):
            return _without_numbers(url, token, f"status {refused.code} {_text(refused)}")
        return False
    except _AWAY:
        return False


def _without_numbers(url: str, token: str, why: str) -> bool:
    """Reports without the numbers, because an invalid number must not end a working job as a hang."""
    with _lock:
        if not _warned:
            _warned.append(why)
            logging.getLogger("fairlead").warning(
                "numbers of fairlead.progress are not stored: %s", why
            )
    with contextlib.suppress(*_AWAY):
        _call(url, token, b"")
    return False


def _call(url: str, token: str, body: bytes) -> bool:
    request = urllib.request.Request(url, method="POST", data=body)
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
        return int(answer.status) == 200


def _text(refused: urllib.error.HTTPError) -> str:
    try:
        return refused.read(_LONGEST_TEXT).decode("utf-8", "replace")
    except _AWAY:
        return ""


def _body(step: int | None, total: int | None, metrics: Mapping[str, float]) -> bytes:
    """Numbers of numpy and torch have `__index__` or `__float__`, and json cannot encode them."""
    numbers = {name: float(value) for name, value in metrics.items()}
    said: dict[str, object] = {
        "step": None if step is None else operator.index(step),
        "total": None if total is None else operator.index(total),
        "metrics": {name: value for name, value in numbers.items() if math.isfinite(value)},
    }
    given = {name: value for name, value in said.items() if value not in (None, {})}
    return json.dumps(given).encode() if given else b""


def _due() -> bool:
    now = time.monotonic()
    with _lock:
        if _last and now - _last[0] < _EVERY_SECONDS:
            return False
        _last[:] = [now]
        return True
