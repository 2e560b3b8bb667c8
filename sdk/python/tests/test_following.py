"""A job that is followed to its end: its time, and its output."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import httpx2
import pytest
import respx
from documents import JOB_ID, ended, job

import fairlead
from fairlead import Fairlead
from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
RUN = ["run", "-y", "-i", "x", "--timeout", "1s", "--", "train"]
AT = job()["createdAt"]


class Clock:
    """What deadlines read and pauses advance."""

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
    """An answer that is written while it is read."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[bytes]:
        return (f"{line}\n".encode() for line in self._lines)


def running(**changes: Any) -> dict[str, Any]:
    return job(state="RUNNING", pending=None, startedAt=AT, attempt=1, **changes)


def answers(*bodies: dict[str, Any]) -> Callable[[httpx.Request], httpx.Response]:
    """These by turns, the last one for ever."""
    left = list(bodies)
    return lambda _: httpx.Response(200, json=left.pop(0) if len(left) > 1 else left[0])


def test_output_without_an_end_does_not_outlast_the_timeout(
    api: respx.MockRouter, clock: Clock, capsys: Capture
) -> None:
    """Fails when the time is looked at only behind the output: this one never ends."""

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
def test_a_job_that_ends_while_its_output_is_copied_past_the_timeout_gives_its_exit_code(
    api: respx.MockRouter, clock: Clock, capsys: Capture, state: str, code: int
) -> None:
    """Fails when it is not looked at again: it was called RUNNING, with exit code 7."""

    def slow() -> Iterator[str]:
        clock.sleep(2)
        yield "done"

    api.post("/projects/default/jobs").respond(201, json=job())
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(running(), ended(state, version=5)))
    api.get(f"/jobs/{JOB_ID}/logs").respond(200, stream=Output(slow()))
    assert main(RUN) == code
    assert capsys.readouterr().out.startswith("done\n")


def test_a_job_is_looked_at_once_more_when_the_time_is_over(
    api: respx.MockRouter, clock: Clock
) -> None:
    """Fails when a look from before the end of the time is the last one."""
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
