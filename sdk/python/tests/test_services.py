"""Verbs of model services on a mocked service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import respx
from documents import page, problem
from texts import printed

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
SERVICES = "/projects/default/services"


def service(**changes: Any) -> dict[str, Any]:
    chat: dict[str, Any] = {
        "id": "svc_1",
        "name": "chat",
        "project": "default",
        "route": "chat.example",
        "minReplicas": 2,
        "maxReplicas": 4,
        "steps": [1, 5, 25, 100],
        "stepFor": "30s",
        "slowerThan": "1s",
        "scale": {
            "metric": "RPS",
            "target": 40,
            "downAfter": "5m",
            "load": 118.2,
            "reason": "118.2 requests per second want 3; 1 not ready: it waits for quota",
        },
        "access": "OPEN",
        "wantedReplicas": 3,
        "readyReplicas": 2,
        "stableVersion": 1,
        "latestVersion": 2,
        "floors": [
            {
                "cron": "0 8 * * 1-5",
                "duration": "10h",
                "timezone": "Europe/Berlin",
                "replicas": 3,
                "open": True,
            }
        ],
        "rollout": {
            "target": 2,
            "judged": True,
            "step": 1,
            "share": 5,
            "phase": "ROLLED_BACK",
            "since": "2030-01-01T09:00:00Z",
            "reason": "version 2 at 5 %: 9 of 80 requests bad",
            "requests": 80,
            "bad": 9,
            "pausedSince": None,
        },
        "guards": [],
        "backends": [
            {"version": 1, "weight": 100, "ready": 2, "replicas": 2, "requests": 900, "bad": 1}
        ],
        "clusters": [{"name": "eu-1", "share": 100}],
        "replicas": [],
        "deleting": False,
        "version": 2,
    }
    return {**chat, **changes}


def test_a_service_is_applied_from_a_file(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    file = tmp_path / "chat.yaml"
    file.write_text("route: chat.example\njob: {image: server}\n")
    put = api.put(f"{SERVICES}/chat").respond(200, json=service())
    assert main(["service", "apply", "chat", str(file)]) == 0
    assert printed(capsys.readouterr().err, "services.version-newest", 2)
    assert b"image: server" in put.calls.last.request.content
    assert main(["service", "apply", "chat", str(tmp_path / "none")]) == 2


def test_a_list_says_where_the_traffic_is(api: respx.MockRouter, capsys: Capture) -> None:
    api.get(SERVICES).respond(200, json=page(service()))
    assert main(["service", "list"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert "TRAFFIC" in head
    assert "v1 100 %" in line
    assert "ROLLED_BACK (2)" in line
    assert "2/3" in line


def test_a_scale_changes_only_the_numbers_that_are_given(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.get(f"{SERVICES}/chat").respond(200, json=service())
    assert main(["service", "scale", "chat"]) == 0
    told = capsys.readouterr().err
    assert printed(told, "services.wanted-replicas-ready-allowed", 2, 3, 2, 4)
    assert printed(told, "services.least-now", 3, "10h", 0, 8, "1-5", "Europe/Berlin")
    assert printed(told, "services.ready-waits-quota", 1)
    patch = api.patch(f"{SERVICES}/chat").respond(200, json=service(scale=None, maxReplicas=8))
    assert main(["service", "scale", "chat", "--max", "8"]) == 0
    assert json.loads(patch.calls.last.request.content) == {"maxReplicas": 8}
    assert "2 to 8 are allowed" in capsys.readouterr().err


def test_a_rollout_says_why_it_ended(api: respx.MockRouter, capsys: Capture) -> None:
    api.get(f"{SERVICES}/chat").respond(200, json=service())
    assert main(["service", "rollout", "chat"]) == 0
    assert "ROLLED_BACK, version 2 at 5 %" in capsys.readouterr().err
    abort = api.post(f"{SERVICES}/chat/abort").respond(
        409, json=problem(409, "ILLEGAL_STATE", "There is no open rollout.")
    )
    assert main(["service", "rollout", "chat", "--abort"]) == 5
    assert json.loads(abort.calls.last.request.content) == {"version": 2}
    assert main(["service", "rollout", "chat", "--abort", "--promote"]) == 2
    assert main(["service", "rollout", "chat", "--version", "2"]) == 2


def test_a_promotion_names_the_version_that_the_user_saw(
    api: respx.MockRouter, capsys: Capture
) -> None:
    get = api.get(f"{SERVICES}/chat").respond(200, json=service())
    promote = api.post(f"{SERVICES}/chat/promote").respond(200, json=service())
    assert main(["service", "rollout", "chat", "--promote", "--version", "7"]) == 0
    assert json.loads(promote.calls.last.request.content) == {"version": 7}
    assert main(["service", "rollout", "chat", "--promote", "--version", "0"]) == 2
    assert not get.called
    capsys.readouterr()
    assert main(["service", "rollout", "chat", "--promote"]) == 0
    assert json.loads(promote.calls.last.request.content) == {"version": 2}
    assert capsys.readouterr().err.count("ROLLED_BACK") == 2


def test_a_rollback_names_the_version(api: respx.MockRouter) -> None:
    back = api.post(f"{SERVICES}/chat/rollback").respond(200, json=service())
    assert main(["service", "rollback", "chat", "1"]) == 0
    assert json.loads(back.calls.last.request.content) == {"version": 1}


def test_a_wake_says_how_long_a_start_takes(api: respx.MockRouter, capsys: Capture) -> None:
    asleep = {
        "after": "15m",
        "phase": "WAKING",
        "since": "2030-01-01T09:00:00Z",
        "reason": "woken by mia; 1 not ready: it waits for quota",
        "lastWake": "2030-01-01T09:00:00Z",
        "startBudget": "91s",
    }
    wake = api.post(f"{SERVICES}/chat/wake").respond(200, json=service(minReplicas=0, idle=asleep))
    assert main(["service", "wake", "chat"]) == 0
    assert wake.called
    told = capsys.readouterr().err
    assert printed(told, "services.service-chat-waking-woken", "WAKING", 1)
    assert printed(told, "services.start-takes-up", "91s")
    api.get(SERVICES).respond(200, json=page(service(idle={**asleep, "phase": "SLEEPING"})))
    assert main(["service", "list", "--columns", "NAME,IDLE"]) == 0
    assert "SLEEPING" in capsys.readouterr().out
    api.post(f"{SERVICES}/chat/wake").respond(200, json=service())
    assert main(["service", "wake", "chat"]) == 0
    assert "never sleeps, because minReplicas is 2" in capsys.readouterr().err


def test_a_service_is_deleted_when_asked_for(api: respx.MockRouter, capsys: Capture) -> None:
    delete = api.delete(f"{SERVICES}/chat").respond(204)
    assert main(["service", "delete", "chat", "--yes"]) == 0
    assert delete.called
    assert "is deleted" in capsys.readouterr().err
