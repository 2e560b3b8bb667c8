"""Verbs of Ray pools on a mocked service."""

from __future__ import annotations

import json
from typing import Any

import pytest
import respx
from documents import job

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
PATH = "/projects/default/warm-pools"


def pool(**changes: Any) -> dict[str, Any]:
    sharing = {"min": 0, "jobs": 8, "idleAfter": "10m", "active": 3}
    shown = {"name": "small", "project": "default", "members": 4, "ready": 1, "deleting": False}
    cluster = {"image": "ray:1", "launcher": "ray"}
    return shown | {"ray": sharing, "job": cluster, "version": 1} | changes


def test_a_pool_has_clusters_that_wait_for_drivers(api: respx.MockRouter, capsys: Capture) -> None:
    sent = api.put(f"{PATH}/small").respond(200, json=pool())
    words = ["project", "ray-pool", "set", "small", "--max", "4", "--jobs", "8", "-i", "ray:1"]
    assert main([*words, "-g", "1"]) == 0
    assert json.loads(sent.calls.last.request.content) == {
        "members": 4,
        "ray": {"min": 0, "jobs": 8, "idleAfter": "10m"},
        "job": {
            "image": "ray:1",
            "launcher": "ray",
            "run": ["sleep", "infinity"],
            "workers": 2,
            "gpu": 1,
        },
    }
    assert "Ray pool small has at most 4 clusters" in capsys.readouterr().err


def test_each_list_shows_only_its_kind_of_pools(api: respx.MockRouter, capsys: Capture) -> None:
    session = pool(name="h100", ray=None)
    api.get(PATH).respond(200, json={"items": [pool(), session], "nextPageToken": None})
    assert main(["project", "ray-pool", "list"]) == 0
    shown = capsys.readouterr().out
    assert "1 of 4" in shown
    assert "h100" not in shown
    assert main(["project", "warm-pool", "list"]) == 0
    assert "small" not in capsys.readouterr().out


def test_a_pool_is_deleted(api: respx.MockRouter) -> None:
    gone = api.delete(f"{PATH}/small").respond(204)
    assert main(["project", "ray-pool", "delete", "small", "-y"]) == 0
    assert gone.called


@pytest.mark.usefixtures("feasible")
def test_a_run_names_its_pool(api: respx.MockRouter) -> None:
    sent = api.post("/projects/default/jobs").respond(201, json=job())
    words = ["run", "--ray-pool", "small", "-i", "ray:1", "-d", "-y", "--", "python", "train.py"]
    assert main(words) == 0
    assert json.loads(sent.calls.last.request.content)["rayPool"] == "small"
