"""Interrupted output is resumed, each line once."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import httpx
import httpx2
import pytest
import respx
from documents import JOB_ID, attempt, ended, job, page, problem
from test_following import Output, answers, running
from texts import printed

from fairlead.cli.main import main

pytestmark = pytest.mark.usefixtures("feasible")

Capture = pytest.CaptureFixture[str]
RUN = ["run", "-y", "-i", "x", "--", "train"]
LINES = ["one", "two", "same", "same", "five"]
SUCCEEDED = ended("SUCCEEDED", version=5)


def lines(*written: str) -> httpx.Response:
    return httpx.Response(200, stream=Output(iter(written)))


def cut(*written: str) -> httpx.Response:
    """Its connection breaks after these lines."""

    def broken() -> Iterator[str]:
        yield from written
        raise httpx2.ReadError("peer closed connection")

    return httpx.Response(200, stream=Output(broken()))


def busy() -> httpx.Response:
    return httpx.Response(503, json=problem(503, "UNAVAILABLE", "It stops."))


def member(state: str) -> dict[str, Any]:
    return page(attempt("RUNNING")["members"][1] | {"index": 0, "state": state})


@pytest.fixture
def logs(api: respx.MockRouter, naps: list[float]) -> respx.Route:
    """The output of a job that is submitted, runs, and has succeeded at the next poll."""
    api.post("/projects/default/jobs").respond(201, json=job())
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(running(), SUCCEEDED))
    api.get(f"/jobs/{JOB_ID}/members").respond(200, json=member("RUNNING"))
    return api.get(f"/jobs/{JOB_ID}/logs")


@pytest.mark.parametrize("first", [cut(*LINES[:3]), busy()], ids=["cut", "503"])
def test_interrupted_output_is_read_to_its_end_and_the_job_sets_the_exit_code(
    logs: respx.Route, capsys: Capture, naps: list[float], first: httpx.Response
) -> None:
    """Fails when one broken reading ends the command, with 8, or when lines are printed twice."""
    logs.side_effect = [first, lines(*LINES)]
    assert main(RUN) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == LINES
    assert told.err.count("the output broke off and is read again") == 1
    assert [call.request.url.params.get("follow") for call in logs.calls] == ["true", None]
    assert naps[0] >= 0.5


def test_output_is_followed_on_while_the_job_runs(
    api: respx.MockRouter, logs: respx.Route, capsys: Capture, naps: list[float]
) -> None:
    """Fails when lines after an interruption are lost, each one is reported, or readings have no pause."""
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(*[running()] * 6, SUCCEEDED))
    logs.side_effect = [cut("one"), busy(), busy(), cut("one", "two"), lines(*LINES)]
    api.get(f"/jobs/{JOB_ID}/members").mock(
        side_effect=answers(*[member("RUNNING")] * 4, member("SUCCEEDED"))
    )
    assert main(RUN) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == LINES
    assert told.err.count("broke off") == 1
    assert all(call.request.url.params["follow"] == "true" for call in logs.calls)
    assert naps[0] == 0.5 <= naps[1] < naps[2]


def test_a_clean_end_counts_when_the_member_has_ended(
    api: respx.MockRouter, logs: respx.Route, capsys: Capture
) -> None:
    """Fails when a stopping process of the service ends the output of a running member, or when
    the output of an ended member is read again while others run."""
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(*[running()] * 5, SUCCEEDED))
    logs.side_effect = [lines("one"), lines(*LINES)]
    api.get(f"/jobs/{JOB_ID}/members").mock(
        side_effect=answers(*[member("RUNNING")] * 2, member("SUCCEEDED"))
    )
    assert main(RUN) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == LINES
    assert "broke off" not in told.err
    assert logs.call_count == 2


def test_service_remark_on_missing_lines_is_not_counted(logs: respx.Route, capsys: Capture) -> None:
    """Fails when a line that is missing in the next reading counts as one of the program."""
    missing = "[fairlead: the last output is missing: the cluster did not answer]"
    logs.side_effect = [cut("one", "two", missing), lines("one", "two", "three")]
    assert main(RUN) == 0
    assert capsys.readouterr().out.splitlines() == ["one", "two", missing, "three"]


AWAY = "[fairlead: 2 lines cannot be read now: the store is away]"
GONE = "[fairlead: 2 lines are missing: the log store no longer has them]"
FOLLOWS = "[fairlead: further output is missing. The cluster of this attempt is not connected.]"
HOLE = "[fairlead: lines from 09:00 to 09:01 are missing: the cluster had thrown them away]"


@pytest.mark.parametrize(
    ("first", "second", "printed"),
    [
        ("1 2 3 4 5", f"1 {AWAY} 4 5 6 7", "1 2 3 4 5 6 7"),
        (f"1 {GONE} 4", f"1 {GONE} 4 5", f"1 {GONE} 4 5"),
        (f"{AWAY} 3", "1 2 3 4", f"{AWAY} 3 4"),
        (f"{GONE} {GONE} 5", f"{GONE} {GONE} 5 6", f"{GONE} {GONE} 5 6"),
        ("1 2", f"1 {AWAY} 4", f"1 2 {AWAY} 4"),
    ],
)
def test_service_remark_replacing_lines_counts_as_those_lines(
    logs: respx.Route, capsys: Capture, first: str, second: str, printed: str
) -> None:
    """Fails when such a line is counted wrongly: lines after it are lost or repeated."""
    logs.side_effect = [cut(*split(first)), lines(*split(second))]
    assert main(RUN) == 0
    assert capsys.readouterr().out.splitlines() == split(printed)


def test_uncounted_gap_loses_no_later_line(logs: respx.Route, capsys: Capture) -> None:
    """Fails when later lines count as the missing ones. The missing lines are repeated once."""
    logs.side_effect = [cut("1", "2", "3", "4"), cut("1", HOLE, "4", "5"), lines("1", HOLE, *"456")]
    assert main(RUN) == 0
    assert capsys.readouterr().out.splitlines() == ["1", "2", "3", "4", HOLE, "4", "5", "6"]


def test_service_remark_at_one_position_is_printed_once(logs: respx.Route, capsys: Capture) -> None:
    """Fails when each reading reports again that the rest is unavailable."""
    logs.side_effect = [cut("1", FOLLOWS), cut("1", FOLLOWS), cut("1", "2", FOLLOWS), lines(*"123")]
    assert main(RUN) == 0
    assert capsys.readouterr().out.splitlines() == ["1", FOLLOWS, "2", FOLLOWS, "3"]


def split(text: str) -> list[str]:
    return re.findall(r"\[.*?\]|\S+", text)


def test_rest_of_a_rotated_log_is_printed_in_full(logs: respx.Route, capsys: Capture) -> None:
    """Fails when lines are skipped that were never printed."""
    logs.side_effect = [cut("one", "two", "three"), lines("three", "four")]
    assert main(RUN) == 0
    assert capsys.readouterr().out.splitlines() == ["one", "two", "three", "three", "four"]


def test_output_that_cannot_be_read_at_all_leaves_the_exit_code_to_the_job(
    logs: respx.Route, capsys: Capture, naps: list[float]
) -> None:
    """Fails when the output of an ended job is read without a bound."""
    logs.side_effect = [cut("one"), *[busy()] * 4]
    assert main(RUN) == 0
    assert printed(capsys.readouterr().err, "copying.rest-output-cannot-read", "UNAVAILABLE")
    assert [nap for nap in naps if nap < 0.5] == naps[4:]


def test_tries_of_an_ended_member_count_from_its_end(
    api: respx.MockRouter, logs: respx.Route, capsys: Capture
) -> None:
    """Fails when breaks from before the end count: then the readings have no bound, or are too few."""
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(*[running()] * 8, SUCCEEDED))
    logs.side_effect = [busy() for _ in range(20)]
    assert main(RUN) == 0
    assert capsys.readouterr().err.count("the rest of the output cannot be read") == 1
    followed = [call.request.url.params.get("follow") for call in logs.calls]
    assert followed[-4:] == [None] * 4
    assert followed[:-4] == ["true"] * (len(followed) - 4)
    assert len(followed) > 8


def test_pauses_between_readings_without_a_new_line_grow_to_a_minute(
    api: respx.MockRouter, logs: respx.Route, naps: list[float]
) -> None:
    """Fails when the whole output of a silent member is fetched every few seconds, when a new line
    is delayed by a long pause although lines arrive, or when the end of the member is delayed."""
    at: list[float] = []

    def reading(_: httpx.Request) -> httpx.Response:
        at.append(sum(naps))
        return lines("one", *["two"] * (len(at) > 9))

    def look(_: httpx.Request) -> httpx.Response:
        over = len(at) > 18 and sum(naps) > at[-1]
        return httpx.Response(200, json=SUCCEEDED if over else running())

    logs.side_effect = reading
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=look)
    assert main(RUN) == 0
    pauses = [round(after - before, 3) for before, after in pairwise(at)]
    assert pauses[0] == pauses[9] == 0.5
    assert all(30 <= long <= 60 for long in [*pauses[7:9], pauses[17]])
    assert len(pauses) == 19
    assert pauses[18] <= 8


def test_output_of_one_attempt_is_followed_on_too(
    api: respx.MockRouter, logs: respx.Route, capsys: Capture
) -> None:
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(running(), running(), SUCCEEDED))
    logs.side_effect = [cut("one"), lines(*LINES)]
    assert main(["logs", "-f", JOB_ID, "--attempt", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES
    assert [call.request.url.params["attempt"] for call in logs.calls] == ["1", "1"]


def test_tail_prints_the_last_lines_and_all_that_follow(
    api: respx.MockRouter, logs: respx.Route, capsys: Capture
) -> None:
    """Fails when the whole output is printed, as `--tail` without `--attempt` was passed over."""
    logs.side_effect = [lines(*LINES[:3]), lines(*LINES)]
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(*[running()] * 3, SUCCEEDED))
    assert main(["logs", "-f", JOB_ID, "--tail", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES[1:]
    assert [call.request.url.params.get("follow") for call in logs.calls] == [None, "true"]


def test_output_between_the_tail_and_the_end_is_printed(
    api: respx.MockRouter, logs: respx.Route, capsys: Capture
) -> None:
    """Fails when the first reading, which is not followed, counts as one to the end."""
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(running(), running(), SUCCEEDED))
    logs.side_effect = [lines(*LINES[:3]), lines(*LINES)]
    assert main(["logs", "-f", JOB_ID, "--tail", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES[1:]


def test_a_job_that_starts_meanwhile_is_printed_from_its_first_line_on(
    api: respx.MockRouter, logs: respx.Route, capsys: Capture
) -> None:
    """Fails when the last lines are from an attempt that was not running at the request."""
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(job(), running(), running(), SUCCEEDED))
    logs.side_effect = lambda request: lines(*LINES)
    assert main(["logs", "-f", JOB_ID, "--tail", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES


def test_last_lines_are_printed_when_the_output_disappears(
    logs: respx.Route, capsys: Capture
) -> None:
    """Fails when they are held back for a reading that is refused."""
    logs.side_effect = [cut(*LINES[:3]), httpx.Response(404, json=problem(404, "NOT_FOUND", "-"))]
    assert main(["logs", "-f", JOB_ID, "--tail", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES[1:3]


@pytest.mark.parametrize("first", [cut(*LINES[:2]), busy()], ids=["cut", "503"])
def test_a_break_leaves_the_last_lines_the_same(
    logs: respx.Route, capsys: Capture, first: httpx.Response
) -> None:
    """Fails when the end of an interrupted reading counts as the last lines."""
    logs.side_effect = [first, lines(*LINES)]
    assert main(["logs", "-f", JOB_ID, "--tail", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES[3:]


def test_last_lines_of_readable_output_are_printed(logs: respx.Route, capsys: Capture) -> None:
    """Fails when they are delayed by a read that never ends."""
    logs.side_effect = [cut(*LINES[:3]), *[busy()] * 5]
    assert main(["logs", "-f", JOB_ID, "--tail", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES[1:3]


def test_next_attempt_is_printed_in_full_after_the_tail_of_the_previous_one(
    api: respx.MockRouter, logs: respx.Route, capsys: Capture
) -> None:
    """Fails when its first lines are skipped, too: they had not been shown."""
    second = running(version=5) | {"attempt": 2}
    done = ended("SUCCEEDED", version=6) | {"attempt": 2}
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(running(), running(), second, second, done))
    logs.side_effect = lambda request: lines(f"of {request.url.params['attempt']}", "end")
    assert main(["logs", "-f", JOB_ID, "--tail", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == ["end", "of 2", "end"]


@pytest.fixture
def gang(api: respx.MockRouter, logs: respx.Route) -> respx.Route:
    """Two members. The second is silent until the test ends."""
    one = attempt("RUNNING")["members"][1] | {"state": "RUNNING"}
    two = page(one | {"index": 0}) | {"items": [one | {"index": 0}, one | {"index": 1}]}
    api.get(f"/jobs/{JOB_ID}/members").respond(200, json=two)
    api.get(f"/jobs/{JOB_ID}/attempts").respond(200, json=page(attempt("RUNNING")))
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=lambda _: httpx.Response(200, json=running()))
    return logs


def test_ctrl_c_ends_the_following_of_all_members(
    gang: respx.Route, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when Ctrl-C waits for a silent member, or prints no message about the job."""
    over = threading.Event()
    read = threading.Event()

    def silent() -> Iterator[str]:
        over.wait(60)
        yield from ()

    def of_member(request: httpx.Request) -> httpx.Response:
        if request.url.params["member"] == "worker-1":
            return httpx.Response(200, stream=Output(silent()))
        return lines("one")

    def nap(_: float) -> None:
        if threading.current_thread() is threading.main_thread():
            assert read.wait(60)
            raise KeyboardInterrupt
        read.set()  # the first member has printed its line and pauses
        over.wait(60)

    gang.side_effect = of_member
    monkeypatch.setattr("fairlead.cli.copying.time.sleep", nap)
    before = set(threading.enumerate())
    assert main(["logs", "-f", JOB_ID, "--all"]) == 130
    left = set(threading.enumerate()) - before
    assert len(left) == 2
    assert all(thread.daemon for thread in left), "the program would wait for them"
    over.set()
    for thread in left:
        thread.join(60)
    told = capsys.readouterr()
    assert told.out.splitlines() == ["worker-0 | one"]
    assert "continues" in told.err


def test_a_member_that_fails_ends_the_following_of_all(
    gang: respx.Route, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when a failure ends only its thread, and the command waits without a message."""
    over = threading.Event()
    waited: list[str] = []

    def silent() -> Iterator[str]:
        over.wait(5)
        waited.append("worker-0")
        yield "late"
        raise KeyboardInterrupt

    def of_member(request: httpx.Request) -> httpx.Response:
        if request.url.params["member"] == "worker-0":
            return httpx.Response(200, stream=Output(silent()))
        return httpx.Response(403, json=problem(403, "FORBIDDEN", "You may not."))

    gang.side_effect = of_member
    before = set(threading.enumerate())
    assert main(["logs", "-f", JOB_ID, "--all"]) == 4
    assert waited == []
    over.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert "You may not." in capsys.readouterr().err


def test_followed_output_starts_at_the_requested_time(logs: respx.Route) -> None:
    """Fails when `--since` without `--attempt` is passed over."""
    logs.return_value = lines(*LINES)
    assert main(["logs", "-f", JOB_ID, "--since", "2030-01-31T08:00:00Z"]) == 0
    asked = {call.request.url.params["sinceTime"] for call in logs.calls}
    assert asked == {"2030-01-31T08:00:00+00:00"}
