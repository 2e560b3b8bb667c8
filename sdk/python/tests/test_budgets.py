"""Budgets on the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest
import respx
from documents import page

from fairlead.cli.main import main

BUDGET: dict[str, Any] = {
    "id": "bud_01m7vxn2c4e0mtrw2g5kqy8v3d",
    "name": "nlp",
    "project": "nlp",
    "queue": None,
    "user": "ana",
    "gpuHours": 1000,
    "period": "MONTH",
    "mode": "HARD",
    "alerts": [80, 100],
    "grants": [],
    "current": {
        "from": "2030-01-01T00:00:00Z",
        "to": "2030-02-01T00:00:00Z",
        "limit": 1000,
        "spent": 412.25,
        "reserved": 96,
        "left": 491.75,
        "overdrawn": 0,
        "runsOutAt": None,
    },
    "version": 3,
}


def test_budgets_say_what_is_left(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/budgets").respond(200, json=page(BUDGET))
    assert main(["budgets", "--columns", "name,covers,limit,spent,reserved,left"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == [
        "nlp",
        "project=nlp",
        "user=ana",
        "1,000",
        "412.25",
        "96",
        "491.75",
    ]


def test_a_budget_is_sent_as_it_was_written(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    made = api.post("/budgets").respond(201, json=BUDGET)
    command = ["budget", "create", "nlp", "1000.5", "--of-project", "nlp", "--alert", "80"]
    assert main(command) == 0
    assert json.loads(made.calls.last.request.content) == {
        "name": "nlp",
        "project": "nlp",
        "gpuHours": "1000.5",
        "alerts": [80],
    }
    assert "has 491.75 of 1,000 GPU-hours left" in capsys.readouterr().out


def test_a_grant_names_the_version_that_was_read(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/budgets/nlp").respond(200, json=BUDGET)
    over = BUDGET | {"current": BUDGET["current"] | {"overdrawn": 2.5}}
    granted = api.post("/budgets/nlp/grants").respond(200, json=over)
    assert main(["budget", "grant", "nlp", "200", "--reason", "rebuttal"]) == 0
    request = granted.calls.last.request
    assert request.headers["If-Match"] == '"3"'
    assert json.loads(request.content) == {"gpuHours": "200", "reason": "rebuttal"}
    assert "overdrawn by 2.5 GPU-hours" in capsys.readouterr().err
