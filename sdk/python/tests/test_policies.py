"""Policies: stored from files, and tried before they are enforced."""

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
        "name": "images",
        "project": None,
        "description": "",
        "owner": "platform",
        "enforced": False,
        "requiredLabels": ["team"],
        "images": [],
        "digest": False,
        "rules": [{"expression": "job.gpus <= 8", "message": "At most 8 GPUs."}],
        "version": 1,
    } | more


def test_get_output_can_be_applied_and_dry_run(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    api.get("/policies/images").respond(200, json=stored())
    puts = api.put("/policies/images").respond(200, json=stored(enforced=True))
    refused = {
        "job": "job_1",
        "name": "llama",
        "project": "nlp",
        "user": "ana",
        "createdAt": "2030-01-31T08:00:00Z",
        "violations": ["At most 8 GPUs."],
    }
    trials = api.post("/policy-trials").respond(
        200, json={"jobs": 1000, "partial": True, "refused": [refused]}
    )
    assert main(["job", "policy", "get", "images"]) == 0
    file = tmp_path / "images.yaml"
    file.write_text(capsys.readouterr().out)

    assert main(["job", "policy", "apply", "images", str(file)]) == 0
    assert printed(capsys.readouterr().err, "policies.policy-images-stored-refuses")
    sent = json.loads(puts.calls.last.request.content)
    assert sent["rules"] == stored()["rules"]
    assert not {"name", "project", "version"} & set(sent)

    assert main(["job", "policy", "try", str(file), "-p", "nlp"]) == 0
    assert trials.calls.last.request.url.params["project"] == "nlp"
    shown = capsys.readouterr()
    assert "At most 8 GPUs." in shown.out
    assert printed(shown.err, "policies.jobs-would-been-refused", 1, 1000)


@pytest.mark.parametrize("form", ["name", "table"])
def test_get_prints_the_name(api: respx.MockRouter, capsys: Capture, form: str) -> None:
    api.get("/policies/images").respond(200, json=stored())
    assert main(["job", "policy", "get", "images", "-o", form]) == 0
    assert capsys.readouterr().out == "images\n"


def test_policies_are_listed_and_deleted(api: respx.MockRouter, capsys: Capture) -> None:
    api.get("/policies").respond(200, json={"items": [stored()], "nextPageToken": None})
    deletes = api.delete("/policies/images").respond(204)
    assert main(["job", "policy", "list"]) == 0
    assert "platform" in capsys.readouterr().out
    assert main(["job", "policy", "delete", "images", "-y"]) == 0
    assert deletes.call_count == 1


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["job", "policy", "apply", "a"], "a policy"),
        (["job", "policy", "try"], "a policy"),
        (["job", "template", "apply", "a"], "a template"),
        (["job", "schedule", "create", "a"], "a schedule"),
        (["tenant", "cloud-identity", "apply", "a"], "a cloud identity"),
    ],
)
@pytest.mark.parametrize("text", ["- 1\n", "# nothing\n"])
def test_a_file_that_is_not_an_object_is_refused_by_its_kind(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path, words: list[str], kind: str, text: str
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    assert main([*words, str(file)]) == 2
    assert f"{file}: {kind} is an object with named fields" in capsys.readouterr().err
    assert not api.calls
