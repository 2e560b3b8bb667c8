"""Output that breaks off is taken up again, each line once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import httpx2
import pytest
import respx
from documents import JOB_ID, attempt, ended, job, page, problem
from test_following import Output, answers, running

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
RUN = ["run", "-y", "-i", "x", "--", "train"]
LINES = ["one", "two", "same", "same", "five"]
SUCCEEDED = ended("SUCCEEDED", version=5)


def lines(*written: str) -> httpx.Response:
    return httpx.Response(200, stream=Output(iter(written)))


def cut(*written: str) -> httpx.Response:
    """Of which the connection breaks behind these lines."""

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
    """The output of a job that is submitted, runs, and at its next look has succeeded."""
    api.post("/projects/default/jobs").respond(201, json=job())
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(running(), SUCCEEDED))
    api.get(f"/jobs/{JOB_ID}/members").respond(200, json=member("RUNNING"))
    return api.get(f"/jobs/{JOB_ID}/logs")


@pytest.mark.parametrize("first", [cut(*LINES[:3]), busy()], ids=["cut", "503"])
def test_output_that_broke_off_is_read_to_its_end_and_the_job_gives_the_exit_code(
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
    """Fails when what follows the first break is lost, each break is told of, or readings have no pause."""
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
    """Fails when a process of the service that stops ends the output of a member that runs, or when that of
    one that has ended is read again while others run."""
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


def test_what_the_service_says_of_missing_lines_does_not_count_as_one(
    logs: respx.Route, capsys: Capture
) -> None:
    """Fails when a line that is not there in the next reading stands for one of the program."""
    missing = "[fairlead: the last output is missing: the cluster did not answer]"
    logs.side_effect = [cut("one", "two", missing), lines("one", "two", "three")]
    assert main(RUN) == 0
    assert capsys.readouterr().out.splitlines() == ["one", "two", missing, "three"]


def test_what_is_left_of_a_rotated_log_is_printed_whole(logs: respx.Route, capsys: Capture) -> None:
    """Fails when lines are passed over that were never printed."""
    logs.side_effect = [cut("one", "two", "three"), lines("three", "four")]
    assert main(RUN) == 0
    assert capsys.readouterr().out.splitlines() == ["one", "two", "three", "three", "four"]


def test_output_that_cannot_be_read_at_all_leaves_the_exit_code_to_the_job(
    logs: respx.Route, capsys: Capture, naps: list[float]
) -> None:
    """Fails when an ended job is asked for its output without a bound."""
    logs.side_effect = [cut("one"), *[busy()] * 4]
    assert main(RUN) == 0
    assert (
        "the rest of the output cannot be read: UNAVAILABLE: It stops." in capsys.readouterr().err
    )
    assert [nap for nap in naps if nap < 0.5] == naps[4:]


def test_output_of_one_attempt_is_followed_on_too(
    api: respx.MockRouter, logs: respx.Route, capsys: Capture
) -> None:
    api.get(f"/jobs/{JOB_ID}").mock(side_effect=answers(running(), running(), SUCCEEDED))
    logs.side_effect = [cut("one"), lines(*LINES)]
    assert main(["logs", "-f", JOB_ID, "--attempt", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES
    assert [call.request.url.params["attempt"] for call in logs.calls] == ["1", "1"]
