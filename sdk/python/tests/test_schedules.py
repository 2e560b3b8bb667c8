"""Verbs of schedules on a mocked service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import respx
from documents import page, problem

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
SCHEDULES = "/projects/default/schedules"
INSTANT = {
    "instant": "2030-01-07T01:30:00Z",
    "localTime": "2030-01-07T02:30:00+01:00",
    "startsAt": "2030-01-07T01:33:32Z",
}
REFUSED = {
    "instant": "2030-01-04T01:30:00Z",
    "outcome": "REFUSED",
    "job": None,
    "owner": "noor",
    "reason": "FORBIDDEN: noor has none here",
    "instants": 1,
    "decidedAt": "2030-01-04T01:33:32Z",
}


def schedule(**changes: Any) -> dict[str, Any]:
    nightly: dict[str, Any] = {
        "id": "sch_1",
        "name": "nightly",
        "project": "default",
        "owner": "mia",
        "cron": "30 2 * * *",
        "timeZone": "Europe/Berlin",
        "repeatedTime": "ONCE",
        "skippedTime": "SHIFT",
        "jitter": "10m",
        "delay": "3m32s",
        "catchUp": "LAST",
        "catchUpMost": 10,
        "overlap": "SKIP",
        "suspended": False,
        "job": {"image": "x"},
        "lastRun": REFUSED,
        "upcoming": [INSTANT],
        "version": 3,
    }
    return {**nightly, **changes}


def test_a_schedule_is_stored_from_a_file_or_from_the_output_of_get(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    api.get(f"{SCHEDULES}/nightly").respond(200, json=schedule())
    assert main(["job", "schedule", "get", "nightly"]) == 0
    file = tmp_path / "nightly.yaml"
    file.write_text(capsys.readouterr().out)
    put = api.put(f"{SCHEDULES}/nightly").respond(200, json=schedule())
    assert main(["job", "schedule", "create", "nightly", str(file)]) == 0
    assert "its first instant is 2030-01-07T02:30:00+01:00" in capsys.readouterr().err
    sent = put.calls.last.request.content
    assert b"30 2 * * *" in sent
    assert b"upcoming" not in sent
    assert b"owner" not in sent
    assert main(["job", "schedule", "create", "nightly", str(file), "--dry-run"]) == 0
    assert put.calls.last.request.url.params["validateOnly"] == "true"


def test_a_list_shows_the_next_instant_or_that_it_is_suspended(
    api: respx.MockRouter, capsys: Capture
) -> None:
    other = schedule(name="weekly", suspended=True, lastRun=None)
    api.get(SCHEDULES).respond(200, json=page(schedule(), other))
    assert main(["job", "schedule", "list"]) == 0
    _, first, second = capsys.readouterr().out.splitlines()
    assert "2030-01-07T02:30:00+01:00" in first
    assert "REFUSED" in first
    assert "suspended" in second


def test_runs_show_the_reason_and_the_number_of_missed_instants(
    api: respx.MockRouter, capsys: Capture
) -> None:
    missed = {**REFUSED, "outcome": "MISSED", "instants": 7, "reason": "it passed"}
    api.get(f"{SCHEDULES}/nightly/runs").respond(200, json=page(REFUSED, missed))
    assert main(["job", "schedule", "runs", "nightly"]) == 0
    out = capsys.readouterr().out
    assert "FORBIDDEN: noor has none here" in out
    assert "MISSED (7)" in out


def test_a_preview_begins_at_any_time(api: respx.MockRouter, capsys: Capture) -> None:
    shown = api.get(f"{SCHEDULES}/nightly/preview").respond(200, json=page(INSTANT))
    assert main(["job", "schedule", "preview", "nightly", "--begin", "2030-01-07T00:00:00Z"]) == 0
    assert shown.calls.last.request.url.params["begin"] == "2030-01-07T00:00:00+00:00"
    assert "2030-01-07T01:33:32Z" in capsys.readouterr().out
    assert main(["job", "schedule", "preview", "nightly", "--begin", "soon"]) == 2


def test_orders_name_the_schedule(api: respx.MockRouter, capsys: Capture) -> None:
    api.post(f"{SCHEDULES}/nightly/suspend").respond(200, json=schedule(suspended=True))
    api.post(f"{SCHEDULES}/nightly/resume").respond(403, json=problem(403, "FORBIDDEN", "Ask mia."))
    delete = api.delete(f"{SCHEDULES}/nightly").respond(204)
    assert main(["job", "schedule", "suspend", "nightly"]) == 0
    assert "is suspended" in capsys.readouterr().err
    assert main(["job", "schedule", "resume", "nightly"]) != 0
    assert main(["job", "schedule", "delete", "nightly", "--yes"]) == 0
    assert delete.called
