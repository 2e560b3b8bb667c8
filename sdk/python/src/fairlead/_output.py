"""Outputs that a program in a job reports."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request

from fairlead._errors import OutputRefused

_TIMEOUT_SECONDS = 10.0
_PATIENCE_SECONDS = 120.0
_PAUSE_SECONDS = 2.0
_LONGEST_DETAIL = 2000
# the service or a proxy may accept the same request later
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})


def output(name: str, value: str) -> bool:
    """Report a small value of an attempt of a job that declares it in `outputs: [model]`.

        fairlead.output("model", "s3://bucket/llama-sft/final")

    Other jobs and scripts can read the value with `fairlead job output JOB model`. The last value of a
    repeated name is stored, and all outputs of a job have at most 64 KiB. Call it in one process of the job.
    Every reader of the job can see its outputs, so never report a secret.

    Returns True after Fairlead stored the value, and False outside of a job with outputs. Waits up to 2
    minutes for an unresponsive service. Raises OutputRefused if the value is not stored."""
    url = os.environ.get("FAIRLEAD_OUTPUTS_URL", "")
    token = os.environ.get("FAIRLEAD_CHECKPOINT_TOKEN", "")
    if not url.startswith(("https://", "http://")) or not token:
        return False
    request = urllib.request.Request(url, method="POST", data=json.dumps({name: value}).encode())
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "application/json")
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS):
                return True
        except urllib.error.HTTPError as refused:
            if refused.code not in _LATER or time.monotonic() > end:
                raise OutputRefused(f"output {name}: {_detail(refused)}") from refused
        except (OSError, http.client.HTTPException) as away:
            if time.monotonic() > end:
                raise OutputRefused(f"output {name}: Fairlead does not answer: {away}") from away
        time.sleep(_PAUSE_SECONDS)


def _detail(refused: urllib.error.HTTPError) -> str:
    """The message of a problem document, or the status."""
    try:
        told = json.loads(refused.read(_LONGEST_DETAIL * 4))
        fields = "; ".join(one["detail"] for one in told.get("errors") or ())
        return str(fields or told["detail"])[:_LONGEST_DETAIL]
    except (ValueError, KeyError, TypeError, AttributeError, OSError, http.client.HTTPException):
        return f"status {refused.code}"
