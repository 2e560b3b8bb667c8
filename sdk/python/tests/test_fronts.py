"""The verbs of front clusters."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx
from documents import page
from texts import printed

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]


def mapped(**fields: Any) -> dict[str, Any]:
    return {
        "cluster": "eu-1",
        "namespace": "team-a",
        "tenant": "acme",
        "project": "vision",
        "jobs": 3,
        "message": None,
        "mappedBy": "ada",
        "mappedAt": "2026-11-20T07:40:11Z",
    } | fields


def test_a_namespace_is_mapped_shown_and_removed(api: respx.MockRouter, capsys: Capture) -> None:
    path = "/clusters/eu-1/front-namespaces/team-a"
    put = api.put(path).respond(200, json=mapped(message="a cluster of kind SIMULATED has none"))
    assert main(["cluster", "front", "add", "eu-1", "team-a", "--project", "vision"]) == 0
    assert json.loads(put.calls.last.request.content) == {"project": "vision"}
    told = capsys.readouterr().err
    assert printed(told, "fronts.jobs-run-project-vision", "eu-1/team-a", "vision")
    assert "SIMULATED" in told

    tenant = ["--tenant", "acme", "--dry-run"]
    assert main(["cluster", "front", "add", "eu-1", "team-a", "--project", "vision", *tenant]) == 0
    assert json.loads(put.calls.last.request.content) == {"project": "vision", "tenant": "acme"}
    assert httpx.URL(put.calls.last.request.url).params["validateOnly"] == "true"
    assert "would be run" in capsys.readouterr().err

    api.get("/front-namespaces").respond(200, json=page(mapped()))
    assert main(["cluster", "front", "list"]) == 0
    assert "team-a" in capsys.readouterr().out

    api.delete(path).respond(204)
    assert main(["cluster", "front", "remove", "eu-1", "team-a"]) == 0
    assert "no longer adopted" in capsys.readouterr().err


def test_a_loss_is_confirmed_with_the_number_that_the_operator_saw(
    api: respx.MockRouter, capsys: Capture
) -> None:
    breaker = {"cluster": "eu-1", "missing": 60, "taken": 64, "since": "2026-11-20T07:40:11Z"}
    api.get("/front-breakers").respond(200, json=page(breaker))
    assert main(["cluster", "front", "breakers"]) == 0
    assert "60" in capsys.readouterr().out

    post = api.post("/clusters/eu-1/confirm-front-loss").respond(200, json=breaker)
    assert main(["cluster", "front", "confirm-loss", "eu-1", "--missing", "60", "--dry-run"]) == 0
    assert httpx.URL(post.calls.last.request.url).params["validateOnly"] == "true"
    assert "would be cancelled" in capsys.readouterr().err
    assert main(["cluster", "front", "confirm-loss", "eu-1", "--missing", "60"]) == 0
    assert json.loads(post.calls.last.request.content) == {"missing": 60}
