"""Projects on the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest
import respx

from fairlead.cli.main import main

PROJECT: dict[str, Any] = {
    "id": "prj_1", "name": "nlp", "namespace": "fairlead-acme-nlp-1", "defaultQueue": "default",
    "egress": {"mode": "STRICT", "cidrs": ["10.0.0.0/8"]}, "version": 2,
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


def test_projects_are_listed_with_what_they_reach(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/projects").respond(200, json={"items": [PROJECT], "nextCursor": None})
    assert main(["project", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:4] == [
        "nlp", "default", "strict", "10.0.0.0/8",
    ]  # fmt: skip
