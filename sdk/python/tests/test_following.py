"""A job that is followed to its end: its time, and its output."""

from __future__ import annotations

import json
import select
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any, ClassVar

import httpx
import httpx2
import pytest
import respx
from documents import JOB_ID, ended, job, listing

import fairlead
from fairlead import Fairlead
from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
RUN = ["run", "-y", "--anyway", "-i", "x", "--timeout", "1s", "--", "train"]
AT = job()["createdAt"]


class Clock:
    """The clock that deadlines read and pauses advance."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("fairlead._time.time", SimpleNamespace(monotonic=lambda: made.now))
    monkeypatch.setattr("fairlead._sync_client.time.sleep", made.sleep)
    return made


class Output(httpx.SyncByteStream):
    """A response that is written while it is read."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[bytes]:
        return (f"{line}\n".encode() for line in self._lines)


def running(**changes: Any) -> dict[str, Any]:
    return job(state="RUNNING", pending=None, startedAt=AT, attempt=1, **changes)


def answers(*bodies: dict[str, Any]) -> Callable[[httpx.Request], httpx.Response]:
    """These in turn, then the last one forever."""
    left = list(bodies)
    return lambda _: httpx.Response(200, json=left.pop(0) if len(left) > 1 else left[0])


def test_output_without_an_end_does_not_outlast_the_timeout(
    api: respx.MockRouter, clock: Clock, capsys: Capture
) -> None:
    """Fails when the time is checked only after the output, which never ends here."""

    def endless() -> Iterator[str]:
        while clock.now < 60:
            clock.sleep(0.3)
            yield f"at {clock.now:.1f}"

    api.post("/projects/default/jobs").respond(201, json=job())
    api.get(f"/jobs/{JOB_ID}").respond(200, json=running())
    api.get(f"/jobs/{JOB_ID}/logs").respond(200, stream=Output(endless()))
    assert main(RUN) == 7
    assert clock.now < 2
    told = capsys.readouterr()
    assert told.out.splitlines() == ["at 0.3", "at 0.6", "at 0.9", "at 1.2"]
    assert "fairlead cancel" in told.err


def test_followed_array_prints_once_how_to_read_element_output(
    api: respx.MockRouter, clock: Clock, capsys: Capture
) -> None:
    """Fails without the line: the output was empty, without a reason."""
    counts = {"queued": 0, "running": 1, "succeeded": 0, "failed": 0, "cancelled": 0, "elements": 2}
    more = [running(array={**counts, "succeeded": one}, version=one + 3) for one in (0, 1)]
    done = ended("SUCCEEDED", array={**counts, "running": 0, "succeeded": 2}, version=9)
    api.get("/jobs").mock(side_effect=listing(more[0]))
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(*more, done))
    assert main(["logs", "-f", "llama-sft"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("fairlead logs -f llama-sft --element N") == 1


class LateLine(BaseHTTPRequestHandler):
    """A running job that writes one line after 1 s and then stays silent."""

    protocol_version = "HTTP/1.1"
    silent: ClassVar[list[float]] = []

    def do_POST(self) -> None:
        self.answer(job())

    def do_GET(self) -> None:
        if not self.path.split("?")[0].endswith("/logs"):
            self.answer(running())
            return
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        select.select([self.connection], [], [], 6)
        self.wfile.write(b"5\r\nlate\n\r\n")
        since = time.monotonic()
        select.select([self.connection], [], [], 30)  # until the client goes
        LateLine.silent.append(time.monotonic() - since)
        self.close_connection = True

    def answer(self, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(201 if self.command == "POST" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def test_a_late_line_does_not_lengthen_the_timeout(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Fails when each piece of output restarts the time, or when a thread remains."""
    LateLine.silent.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), LateLine) as server:
        server.daemon_threads = False  # they are waited for
        threading.Thread(target=server.serve_forever).start()
        try:
            monkeypatch.setenv("FAIRLEAD_URL", f"http://127.0.0.1:{server.server_port}")
            assert (
                main(["run", "-y", "--anyway", "-i", "x", "--timeout", "12s", "--", "train"]) == 7
            )
            assert not [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
        finally:
            server.shutdown()
    assert capsys.readouterr().out == "late\n"
    assert len(LateLine.silent) == 1
    assert LateLine.silent[0] < 10.5


def test_silent_output_does_not_outlast_the_timeout(
    api: respx.MockRouter, clock: Clock, capsys: Capture
) -> None:
    """Fails when the wait for the next line has no end, or when that end passes for a broken connection."""

    def silent(request: httpx.Request) -> httpx.Response:
        assert request.extensions["timeout"]["read"] is not None, "waits for ever"
        clock.sleep(request.extensions["timeout"]["read"])
        raise httpx2.ReadTimeout("silent")

    api.post("/projects/default/jobs").respond(201, json=job())
    api.get(f"/jobs/{JOB_ID}").respond(200, json=running())
    api.get(f"/jobs/{JOB_ID}/logs").mock(side_effect=silent)
    assert main(RUN) == 7
    assert clock.now < 2
    assert "cannot be reached" not in capsys.readouterr().err


@pytest.mark.parametrize(("state", "code"), [("SUCCEEDED", 0), ("FAILED", 20)])
def test_job_ending_during_a_copy_past_the_timeout_sets_the_exit_code(
    api: respx.MockRouter, clock: Clock, capsys: Capture, state: str, code: int
) -> None:
    """Fails when it is not read again: it was reported as RUNNING, with exit code 7."""

    def slow() -> Iterator[str]:
        clock.sleep(2)
        yield "done"

    api.post("/projects/default/jobs").respond(201, json=job())
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(running(), ended(state, version=5)))
    api.get(f"/jobs/{JOB_ID}/logs").respond(200, stream=Output(slow()))
    assert main(RUN) == code
    assert capsys.readouterr().out.startswith("done\n")


def test_job_is_read_once_more_at_the_timeout(api: respx.MockRouter, clock: Clock) -> None:
    """Fails when a check before the end of the time is the last one."""
    route = api.get(f"/jobs/{JOB_ID}")
    route.side_effect = answers(running(), ended("SUCCEEDED", version=5))
    seen = []
    for one in Fairlead().jobs.watch(JOB_ID, timeout=5):
        seen.append(one.state)
        clock.sleep(60)
    assert seen == ["RUNNING", "SUCCEEDED"]
    route.side_effect = answers(running())
    with pytest.raises(fairlead.WaitTimeout, match="llama-sft is RUNNING after 5 s"):
        Fairlead().jobs.wait(JOB_ID, timeout=5)
