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
    "label": {},
    "gpuHours": 1000,
    "amount": None,
    "currency": None,
    "period": "MONTH",
    "mode": "HARD",
    "onExhausted": "FINISH",
    "alerts": [80, 100],
    "grants": [],
    "current": {
        "from": "2030-01-01T00:00:00Z",
        "to": "2030-02-01T00:00:00Z",
        "limit": 1000,
        "spent": 412.25,
        "reserved": 96,
        "left": 491.75,
        "withoutPrice": None,
        "overdrawn": 0,
        "runsOutAt": None,
    },
    "version": 3,
}


def test_budgets_show_the_remainder(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/budgets").respond(200, json=page(BUDGET))
    assert main(["budget", "list", "--columns", "name,covers,limit,spent,reserved,left"]) == 0
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


def test_a_budget_by_label_is_sent_and_shown(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    made = api.post("/budgets").respond(201, json=BUDGET)
    assert main(["budget", "create", "grant-17", "500", "--label", "grant=17"]) == 0
    assert json.loads(made.calls.last.request.content) == {
        "name": "grant-17",
        "gpuHours": "500",
        "label": {"grant": "17"},
    }
    api.get("/budgets").respond(
        200, json=page(BUDGET | {"project": None, "label": {"grant": "17"}})
    )
    assert main(["budget", "list", "--columns", "name,covers"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == [
        "nlp",
        "user=ana",
        "label",
        "grant=17",
    ]
    assert main(["budget", "create", "grant-17", "500", "--label", "grant"]) == 2


def test_action_at_the_limit_is_sent(api: respx.MockRouter) -> None:
    api.get("/budgets/nlp").respond(200, json=BUDGET)
    changed = api.patch("/budgets/nlp").respond(200, json=BUDGET | {"onExhausted": "PREEMPT"})
    assert main(["budget", "change", "nlp", "--on-exhausted", "preempt"]) == 0
    assert json.loads(changed.calls.last.request.content) == {"onExhausted": "PREEMPT"}


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


MONEY = BUDGET | {
    "gpuHours": None,
    "amount": 5000,
    "currency": "EUR",
    "current": BUDGET["current"] | {"withoutPrice": 7.5},
}


def test_a_budget_of_money_is_sent_and_shown_in_its_currency(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    made = api.post("/budgets").respond(201, json=MONEY)
    assert main(["budget", "create", "nlp", "5000", "EUR"]) == 0
    assert json.loads(made.calls.last.request.content) == {
        "name": "nlp",
        "amount": "5000",
        "currency": "EUR",
    }
    told = capsys.readouterr()
    assert "has 491.75 of 1,000 EUR left" in told.out
    assert "7.5 GPU-hours had no price in EUR" in told.err


def test_more_money_is_granted_under_the_name_of_the_amount(api: respx.MockRouter) -> None:
    api.get("/budgets/nlp").respond(200, json=MONEY)
    granted = api.post("/budgets/nlp/grants").respond(200, json=MONEY)
    changed = api.patch("/budgets/nlp").respond(200, json=MONEY)
    assert main(["budget", "grant", "nlp", "200.5", "--reason", "rebuttal"]) == 0
    assert main(["budget", "change", "nlp", "--amount", "6000"]) == 0
    assert json.loads(granted.calls.last.request.content) == {
        "amount": "200.5",
        "reason": "rebuttal",
    }
    assert json.loads(changed.calls.last.request.content) == {"amount": "6000"}
