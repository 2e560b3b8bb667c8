"""Cloud identities: stored from files and from platform files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import respx
from texts import printed

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]


def stored(**more: Any) -> dict[str, Any]:
    return {
        "name": "checkpoints",
        "projects": ["nlp"],
        "annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::123456789012:role/train"},
        "audience": None,
        "serviceAccount": "cloud-checkpoints",
        "version": 1,
    } | more


def test_the_output_of_get_can_be_applied(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    api.get("/cloud-identities/checkpoints").respond(200, json=stored())
    puts = api.put("/cloud-identities/checkpoints").respond(200, json=stored())
    assert main(["tenant", "cloud-identity", "get", "checkpoints"]) == 0
    file = tmp_path / "identity.yaml"
    file.write_text(capsys.readouterr().out)

    assert main(["tenant", "cloud-identity", "apply", "checkpoints", str(file)]) == 0
    assert printed(capsys.readouterr().err, "identities.identity-stored-account")
    sent = json.loads(puts.calls.last.request.content)
    assert sent["annotations"] == stored()["annotations"]
    assert not {"name", "serviceAccount", "version"} & set(sent)


def test_identities_are_listed_and_deleted(api: respx.MockRouter, capsys: Capture) -> None:
    lists = api.get("/cloud-identities").respond(
        200, json={"items": [stored()], "nextPageToken": None}
    )
    deletes = api.delete("/cloud-identities/checkpoints").respond(204)
    assert main(["tenant", "cloud-identity", "list", "-p", "nlp"]) == 0
    assert "role/train" in capsys.readouterr().out
    assert lists.calls.last.request.url.params["project"] == "nlp"
    assert main(["tenant", "cloud-identity", "delete", "checkpoints", "-y"]) == 0
    assert deletes.call_count == 1


def test_a_platform_file_adds_an_identity(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    api.get("/cloud-identities").respond(200, json={"items": [], "nextPageToken": None})
    puts = api.put("/cloud-identities/checkpoints").respond(200, json=stored())
    file = tmp_path / "platform.yaml"
    file.write_text("cloudIdentities:\n- {name: checkpoints, projects: [nlp]}\n")

    assert main(["apply", "-f", str(file)]) == 0, capsys.readouterr().err
    first, last = (json.loads(call.request.content) for call in puts.calls)
    assert first == last == {"projects": ["nlp"]}
    assert puts.calls[0].request.url.params["validateOnly"] == "true"
    assert "validateOnly" not in puts.calls[1].request.url.params


def test_applied_platform_file_has_no_further_changes(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    live = stored(projects=[], annotations={})
    api.get("/cloud-identities").respond(200, json={"items": [live], "nextPageToken": None})
    puts = api.put("/cloud-identities/checkpoints").respond(200, json=live)
    file = tmp_path / "platform.yaml"
    file.write_text("cloudIdentities:\n- {name: checkpoints}\n")

    assert main(["apply", "-f", str(file)]) == 0, capsys.readouterr().err
    assert puts.call_count == 0
