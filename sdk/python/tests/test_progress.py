"""A program in a job reports progress."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

import fairlead
from fairlead import _progress


class Heard(BaseHTTPRequestHandler):
    calls: ClassVar[list[tuple[str, str]]] = []
    bodies: ClassVar[list[bytes]] = []
    statuses: ClassVar[list[int]] = []

    def do_POST(self) -> None:
        Heard.calls.append((self.path, self.headers["Authorization"]))
        Heard.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(Heard.statuses.pop(0) if Heard.statuses else 200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    Heard.calls.clear()
    Heard.bodies.clear()
    Heard.statuses.clear()
    _progress._last.clear()
    _progress._warned.clear()
    server = HTTPServer(("127.0.0.1", 0), Heard)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/api/v1/attempts/att_1/progress"
    server.shutdown()
    server.server_close()


def test_it_calls_once_in_a_while_with_the_credential_of_the_attempt(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when each step is a request, or the token is another."""
    monkeypatch.setenv("FAIRLEAD_PROGRESS_URL", address)
    monkeypatch.setenv("FAIRLEAD_CHECKPOINT_TOKEN", "fla_1")
    monkeypatch.setattr(_progress, "_TIMEOUT_SECONDS", 60)
    monkeypatch.setattr(_progress, "_EVERY_SECONDS", 600)
    assert fairlead.progress()
    assert not fairlead.progress()
    assert Heard.calls == [("/api/v1/attempts/att_1/progress", "Bearer fla_1")]


def test_program_continues_without_a_progress_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when a program ends because it runs outside a job or cannot reach Fairlead."""
    _progress._last.clear()
    monkeypatch.delenv("FAIRLEAD_PROGRESS_URL", raising=False)
    assert not fairlead.progress()
    monkeypatch.setenv("FAIRLEAD_PROGRESS_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("FAIRLEAD_CHECKPOINT_TOKEN", "fla_1")
    assert not fairlead.progress()


class Tensor:
    """A number as numpy and torch have it: json does not know it."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __float__(self) -> float:
        return self.value

    def __index__(self) -> int:
        return int(self.value)


def test_a_report_has_steps_and_finite_metrics(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when a number is lost, or one that JSON has no word for is sent or raised."""
    monkeypatch.setenv("FAIRLEAD_PROGRESS_URL", address)
    monkeypatch.setenv("FAIRLEAD_CHECKPOINT_TOKEN", "fla_1")
    monkeypatch.setattr(_progress, "_EVERY_SECONDS", 0)
    assert fairlead.progress(Tensor(7), total=5000, metrics={"loss": Tensor(0.5), "nan": math.nan})  # type: ignore[arg-type, dict-item]
    assert fairlead.progress(0, metrics={"loss": math.inf})
    assert fairlead.progress()
    assert [json.loads(body or b"null") for body in Heard.bodies] == [
        {"step": 7, "total": 5000, "metrics": {"loss": 0.5}},
        {"step": 0},
        None,
    ]


def test_wrong_numbers_do_not_end_the_calls(
    address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Fails when an invalid number stops all later calls and a working job ends as hung."""
    monkeypatch.setenv("FAIRLEAD_PROGRESS_URL", address)
    monkeypatch.setenv("FAIRLEAD_CHECKPOINT_TOKEN", "fla_1")
    monkeypatch.setattr(_progress, "_EVERY_SECONDS", 0)
    assert not fairlead.progress("seven")  # type: ignore[arg-type]
    assert not fairlead.progress(1, metrics={"loss": "low"})  # type: ignore[dict-item]
    assert Heard.bodies == [b"", b""]
    Heard.statuses.extend([400, 200, 404])
    assert not fairlead.progress(9, total=8)
    assert [json.loads(body or b"null") for body in Heard.bodies[2:]] == [
        {"step": 9, "total": 8},
        None,
    ]
    assert not fairlead.progress(9), "its attempt has ended"
    assert len(Heard.bodies) == 5
    assert len(caplog.messages) == 1
