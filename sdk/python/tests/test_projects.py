"""Projects on the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest
import respx
from texts import printed

from fairlead.cli.main import main

PROJECT: dict[str, Any] = {
    "id": "prj_1", "name": "nlp", "namespace": "fairlead-acme-nlp-1", "defaultQueue": "default",
    "egress": {"mode": "STRICT", "cidrs": ["10.0.0.0/8"]}, "version": 2,
    "idlePolicy": {"mode": "OFF"},
}  # fmt: skip


def test_egress_of_a_project_is_set_and_said(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = api.patch("/projects/nlp").respond(200, json=PROJECT)
    assert main(["project", "egress", "nlp", "strict", "--allow", "10.0.0.0/8"]) == 0
    assert json.loads(sent.calls.last.request.content) == {
        "egress": {"mode": "STRICT", "cidrs": ["10.0.0.0/8"]}
    }
    assert "is strict 10.0.0.0/8" in "".join(capsys.readouterr())


def test_projects_are_listed_with_their_egress(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/projects").respond(200, json={"items": [PROJECT], "nextCursor": None})
    assert main(["project", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:4] == [
        "nlp", "default", "strict", "10.0.0.0/8",
    ]  # fmt: skip


def test_idle_jobs_are_listed_with_what_was_got_back(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {
        "job": "job_1", "name": "llama", "project": "nlp", "user": "ana", "element": 0, "number": 1,
        "cluster": "eu-1", "gpus": 8.0, "idleSince": "2030-01-31T08:00:00Z", "idleGpuHours": 6.0,
        "sampledAt": "2030-01-31T08:45:00Z", "warnedAt": None,
    }  # fmt: skip
    back = {"attempts": 3, "idleGpuHours": 48.5, "returnedGpuHours": 210.0}
    api.get("/reports/idle").respond(200, json={"attempts": [row], "reclaimed": back})
    assert main(["usage", "idle"]) == 0
    shown = "".join(capsys.readouterr())
    assert "llama  nlp      ana   eu-1     8     45m00s  6.00       -" in shown
    assert printed(shown, "projects.attempts-suspended-within-year", 3, "48.50")


def test_the_idle_policy_of_a_project_is_set_and_said(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fails when a project with a warning also reclaims, or missing times do not turn the policy off."""
    policy = {
        "mode": "RECLAIM",
        "utilisationBelow": 5,
        "exempt": {"kind": "notebook"},
        "warnAfter": "30m",
        "reclaimAfter": "2h",
    }
    sent = api.patch("/projects/nlp").respond(200, json=PROJECT | {"idlePolicy": policy})
    command = ["project", "idle", "nlp", "--warn-after", "30m"]
    assert main([*command, "--reclaim-after", "2h", "--exempt", "kind=notebook"]) == 0
    assert json.loads(sent.calls.last.request.content) == {"idlePolicy": policy}
    assert printed(
        "".join(capsys.readouterr()),
        "projects.below-warn-after-suspend",
        "5%",
        "30m",
        "2h",
        "kind=notebook",
    )
    assert main(command) == 0
    assert json.loads(sent.calls.last.request.content)["idlePolicy"]["mode"] == "WARN"
    assert main(["project", "idle", "nlp"]) == 0
    assert json.loads(sent.calls.last.request.content) == {"idlePolicy": {"mode": "OFF"}}
