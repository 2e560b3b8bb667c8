"""The receiver of docs/reference/events.md#webhooks against the example of Standard Webhooks."""

from __future__ import annotations

import importlib.util
from pathlib import Path

RECEIVER = Path(__file__).resolve().parents[3] / "examples" / "webhooks" / "receiver.py"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
SENT = 1614265330
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(SENT),
    "webhook-signature": "v1,other v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


def test_a_signature_counts_for_its_body_secret_and_time_only() -> None:
    # Fails when a forged, changed or old event passes, or a genuine one does not.
    spec = importlib.util.spec_from_file_location("receiver", RECEIVER)
    assert spec
    assert spec.loader
    receiver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(receiver)
    assert receiver.verified(HEADERS, BODY, SECRET, SENT + 10)
    assert receiver.verified(HEADERS, BODY, "whsec_AAAA " + SECRET, SENT)
    assert not receiver.verified(HEADERS, BODY + b" ", SECRET, SENT)
    assert not receiver.verified(HEADERS, BODY, "whsec_AAAA", SENT)
    assert not receiver.verified(HEADERS, BODY, SECRET, SENT + 301)
    assert not receiver.verified({}, BODY, SECRET, SENT)
