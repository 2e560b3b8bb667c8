"""Unreachable jobs: reported, and ended only after an operator's confirmation."""

from __future__ import annotations

import json
from typing import Any

import pytest
import respx
from documents import JOB_ID, attempt, explanation, job, listing, page
from texts import printed

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
AT = "2026-01-01T00:00:00Z"
WHY = "the node gpu-7 of eu-1 cannot be seen"
HIDDEN = {"type": "Healthy", "status": "Unknown", "reason": "NodeUnreachable", "message": WHY}
HIDDEN |= {"lastTransitionTime": AT}


ASKED = {
    "type": "Checkpointing",
    "status": "True",
    "reason": "PREEMPTION",
    "lastTransitionTime": AT,
}
ASKED |= {
    "message": "it may save its work until 2030-01-31T12:31:00Z, then it is stopped (asked by preemption)"
}


@pytest.mark.parametrize("verb", ["get", "why"])
def test_checkpointing_job_shows_its_deadline(
    verb: str, api: respx.MockRouter, capsys: Capture
) -> None:
    saves = job(state="RUNNING", pending=None, startedAt=AT, conditions=[ASKED])
    api.get("/jobs").mock(side_effect=listing(saves))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=saves)
    api.get(f"/jobs/{JOB_ID}/explanation").respond(
        200, json=explanation(state="RUNNING", blockers=[], nearMisses=[], clusters=[])
    )
    assert main([verb, "llama-sft"]) == 0
    told = capsys.readouterr().out
    assert printed(told, "unseen.checkpointing-may-save-work")
    assert "asked by preemption" in told


def unknown(**changes: Any) -> dict[str, Any]:
    """A job whose attempt is UNKNOWN: the API still reports RUNNING."""
    where = {"cluster": "eu-1", "nodes": ["gpu-7", "gpu-8"]}
    return job(
        state="RUNNING", pending=None, startedAt=AT, placement=where, conditions=[HIDDEN], **changes
    )


@pytest.fixture
def hidden(api: respx.MockRouter) -> respx.MockRouter:
    api.get("/jobs").mock(side_effect=listing(unknown()))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=unknown())
    api.get(f"/jobs/{JOB_ID}/explanation").respond(
        200, json=explanation(state="RUNNING", blockers=[], nearMisses=[], clusters=[])
    )
    api.get(f"/jobs/{JOB_ID}/attempts").respond(200, json=page(attempt("UNKNOWN")))
    return api


@pytest.mark.parametrize("verb", [["ps"], ["get", "llama-sft"], ["why", "llama-sft"]])
def test_unseen_job_is_unknown_and_not_running(
    hidden: respx.MockRouter, capsys: Capture, verb: list[str]
) -> None:
    """Fails when only the state of the API is shown."""
    assert main(verb) == 0
    told = capsys.readouterr().out
    assert "UNKNOWN" in told
    assert WHY in told
    assert "does not wait" not in told


def test_why_shows_the_last_report_the_missing_evidence_and_the_next_step(
    hidden: respx.MockRouter, capsys: Capture
) -> None:
    assert main(["why", "llama-sft"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  worker-1 on gpu-8: RUNNING" in lines
    assert not any("worker-0" in line for line in lines)  # it has ended
    assert any("out-of-service" in line for line in lines)
    assert any("onUnreachable: WAIT" in line for line in lines)
    assert (
        "  after you have checked: fairlead job confirm-dead llama-sft --all --reason TEXT" in lines
    )


def test_why_shows_the_last_report_of_a_job_that_does_not_stop(
    hidden: respx.MockRouter, capsys: Capture
) -> None:
    """Fails when members of attempts in state UNKNOWN alone are shown."""
    hidden.get(f"/jobs/{JOB_ID}/attempts").respond(200, json=page(attempt("STOPPING")))
    assert main(["why", "llama-sft"]) == 0
    assert "  worker-1 on gpu-8: RUNNING" in capsys.readouterr().out.splitlines()


def test_confirmation_covers_members_without_evidence_of_their_end(
    hidden: respx.MockRouter, capsys: Capture
) -> None:
    route = hidden.post("/attempts/att_1/confirm-dead").respond(
        200, json={"attempt": "att_1", "job": JOB_ID, "members": [], "state": "LOST"}
    )
    words = ["job", "confirm-dead", "llama-sft", "--all", "--reason", "scrapped"]
    assert main(words) == 2
    assert "not a terminal" in capsys.readouterr().err
    assert not route.called
    assert main([*words, "-y"]) == 0
    assert json.loads(route.calls.last.request.content) == {
        "members": ["worker-1"],
        "reason": "scrapped",
    }
    assert capsys.readouterr().out == "llama-sft: attempt 2 is LOST\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["llama-sft", "--reason", "x"], "name members with --member, or give --all"),
        (["llama-sft", "--all", "-m", "worker-0", "--reason", "x"], "or give --all"),
        (["llama-sft", "--all"], "--reason"),
        (["llama", "--all", "--reason", "x", "-y"], "no job with exactly the name"),
    ],
)
def test_a_word_needs_a_reason_members_and_a_whole_name(
    hidden: respx.MockRouter, capsys: Capture, words: list[str], said: str
) -> None:
    assert main(["job", "confirm-dead", *words]) in (2, 3)
    assert said in capsys.readouterr().err
    assert {call.request.method for call in hidden.calls} <= {"GET"}


def test_visible_job_is_cancelled_and_needs_no_confirmation(
    hidden: respx.MockRouter, capsys: Capture
) -> None:
    hidden.get(f"/jobs/{JOB_ID}/attempts").respond(200, json=page(attempt("RUNNING")))
    assert main(["job", "confirm-dead", "llama-sft", "--all", "--reason", "x", "-y"]) == 2
    assert "use fairlead cancel llama-sft" in capsys.readouterr().err


def test_of_an_array_the_element_is_named(hidden: respx.MockRouter, capsys: Capture) -> None:
    several = [attempt("UNKNOWN", element=3), attempt("STOPPING", element=5)]
    hidden.get(f"/jobs/{JOB_ID}/attempts").respond(200, json=page(*several))
    assert main(["job", "confirm-dead", "llama-sft", "--all", "--reason", "x", "-y"]) == 2
    assert "elements 3, 5 of llama-sft are open" in capsys.readouterr().err
