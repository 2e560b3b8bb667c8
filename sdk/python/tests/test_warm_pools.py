"""Verbs of warm pools on a mocked service."""

from __future__ import annotations

import json
from typing import Any

import pytest
import respx
from documents import JOB_ID, job

from fairlead import Fairlead, Job
from fairlead.cli import notebooks
from fairlead.cli.jobs import warm_start
from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
PATH = "/projects/default/warm-pools"


def pool(**changes: Any) -> dict[str, Any]:
    session = {"image": "lab:1", "launcher": "jupyter"}
    shown = {"name": "h100", "project": "default", "members": 2, "ready": 1, "deleting": False}
    why = "h100-warm-2 is QUEUED: needs 1 H100, 0 are free"
    return shown | {"reason": why, "job": session, "version": 1} | changes


def test_a_pool_has_the_session_that_a_start_submits(
    api: respx.MockRouter, capsys: Capture
) -> None:
    sent = api.put(f"{PATH}/h100").respond(200, json=pool())
    words = ["project", "warm-pool", "set", "h100", "--members", "2", "-i", "lab:1", "-g", "1"]
    assert main([*words, "--max-runtime", "8h"]) == 0
    assert json.loads(sent.calls.last.request.content) == {
        "members": 2,
        "job": {
            "image": "lab:1",
            "launcher": "jupyter",
            "gpu": 1,
            "maxRuntime": "8h",
            "progress": {"timeout": "2h", "onTimeout": "SUSPEND"},
        },
    }
    assert "warm pool h100 has 2 sessions" in capsys.readouterr().err


def test_a_list_shows_how_many_sessions_are_ready(api: respx.MockRouter, capsys: Capture) -> None:
    api.get(PATH).respond(200, json={"items": [pool()], "nextPageToken": None})
    assert main(["project", "warm-pool", "list"]) == 0
    shown = capsys.readouterr().out
    assert "1 of 2" in shown
    assert "needs 1 H100, 0 are free" in shown


def test_a_pool_is_deleted(api: respx.MockRouter) -> None:
    gone = api.delete(f"{PATH}/h100").respond(204)
    assert main(["project", "warm-pool", "delete", "h100", "-y"]) == 0
    assert gone.called


@pytest.mark.usefixtures("feasible")
def test_a_start_shows_the_pool_and_the_time(
    api: respx.MockRouter, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    taken = job(state="RUNNING", pending=None, name="eda")
    api.post("/projects/default/jobs").respond(201, json=taken)
    api.get(f"/jobs/{JOB_ID}").respond(200, json=taken)
    monkeypatch.setattr(notebooks, "read", lambda *_: b"{}")
    assert main(["notebook", "start", "-i", "lab:1", "-n", "eda"]) == 0
    shown = capsys.readouterr().err
    assert "eda is taken from a warm pool" in shown
    assert "eda is ready after " in shown


@pytest.mark.parametrize(
    ("event", "data", "shown"),
    [
        ("JobTaken", {"warmPool": "h100"}, "It was taken from warm pool h100.\n"),
        ("JobSubmitted", {"noWarmPool": "no member of h100 is free"}, "no member of h100 is free"),
        ("JobSubmitted", {}, ""),
    ],
)
def test_why_names_the_pool_or_the_reason(
    api: respx.MockRouter, event: str, data: dict[str, str], shown: str
) -> None:
    stored = {
        "id": "evt_1",
        "type": event,
        "at": "2030-01-31T08:00:00Z",
        "actor": "ana",
        "subject": {"type": "job", "id": JOB_ID, "version": 1},
        "data": data,
    }
    api.get(f"/jobs/{JOB_ID}/events").respond(200, json={"items": [stored], "nextPageToken": None})
    document = job()
    document["spec"]["labels"] = {"session": "jupyter"}
    with Fairlead(project="default") as fl:
        said = warm_start(fl, Job.model_validate(document))
        assert shown in said
        assert bool(said) == bool(shown)
        assert warm_start(fl, Job.model_validate(job())) == ""
