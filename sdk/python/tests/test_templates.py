"""Templates: stored from files, and filled by the options of a submit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import respx
from documents import job, problem
from texts import printed

from fairlead.cli.main import main
from fairlead.cli.templates import typed

pytestmark = pytest.mark.usefixtures("feasible")

Capture = pytest.CaptureFixture[str]


def parameter(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "description": "",
        "required": "defaultValue" not in more,
        "defaultValue": None,
        "minimum": None,
        "maximum": None,
        "maxLength": None,
        "pattern": None,
        "values": [],
    } | more


def stored() -> dict[str, Any]:
    return {
        "name": "finetune",
        "project": "default",
        "description": "Fine-tunes a model",
        "parameters": [
            parameter("model", "STRING"),
            parameter("lr", "NUMBER", defaultValue=1e-4, minimum=0, maximum=1),
            parameter("gpus", "INTEGER", defaultValue=1),
            parameter("spot", "BOOLEAN", defaultValue=False),
        ],
        "locked": ["/image"],
        "job": {"image": "x", "run": ["train", "${parameters.model}"]},
        "version": 3,
    }


@pytest.fixture
def template(api: respx.MockRouter) -> respx.Route:
    return api.get("/templates/finetune").respond(200, json=stored())


@pytest.fixture
def submits(api: respx.MockRouter) -> respx.Route:
    return api.post("/projects/default/jobs").respond(201, json=job())


def sent(route: respx.Route) -> Any:
    return json.loads(route.calls.last.request.content)


def test_a_submit_sends_typed_values_and_its_own_fields(
    template: respx.Route, submits: respx.Route
) -> None:
    """Fails when a text parameter that looks like a number is sent as a number, or a number as text."""
    values = ["-P", "model=1e3", "-P", "lr=1e-4", "-P", "gpus=4", "-P", "spot=true"]
    assert main(["submit", "--template", "finetune", *values, "-n", "mine", "-y"]) == 0
    assert sent(submits) == {
        "name": "mine",
        "template": {
            "name": "finetune",
            "parameters": {"model": "1e3", "lr": 1e-4, "gpus": 4, "spot": True},
        },
    }
    assert template.calls.last.request.url.params["project"] == "default"


def test_a_version_and_a_file_are_sent(submits: respx.Route, tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("env: {A: b}\n")
    assert main(["submit", str(file), "--template", "finetune@2", "-y"]) == 0
    assert sent(submits) == {"env": {"A": "b"}, "template": {"name": "finetune", "version": 2}}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-P", "a=b", "FILE"], "--param needs --template"),
        ([], "give a FILE or --template"),
        (["--template", "finetune@x"], "is not NAME or NAME@VERSION"),
        (["--template", "finetune", "-P", "model"], "is not NAME=VALUE"),
        (["--template", "finetune", "-P", "model=a", "-P", "model=b"], "is given twice"),
    ],
)
def test_wrong_options_are_refused(
    template: respx.Route, submits: respx.Route, capsys: Capture, words: list[str], said: str
) -> None:
    assert main(["submit", *words, "-y"]) == 2
    assert said in capsys.readouterr().err
    assert submits.call_count == 0


def test_a_refused_value_names_its_parameter(
    api: respx.MockRouter, template: respx.Route, capsys: Capture
) -> None:
    refusal = problem(
        422,
        "INVALID_FIELD",
        errors=[
            {
                "pointer": "/template/parameters/lr",
                "code": "INVALID_FIELD",
                "detail": "lr must be from 0 to 1.",
                "suggestion": None,
            }
        ],
    )
    api.post("/projects/default/jobs").respond(422, json=refusal)
    assert main(["submit", "--template", "finetune", "-P", "lr=2", "-y"]) != 0
    assert printed(capsys.readouterr().err, "templates.lr-must", 0, 1)


def test_get_output_can_be_applied(
    api: respx.MockRouter, template: respx.Route, capsys: Capture, tmp_path: Path
) -> None:
    puts = api.put("/templates/finetune").respond(200, json=stored())
    assert main(["job", "template", "get", "finetune", "-p", "default"]) == 0
    file = tmp_path / "finetune.yaml"
    file.write_text(capsys.readouterr().out)
    assert main(["job", "template", "apply", "finetune", str(file), "-p", "nlp"]) == 0
    assert puts.calls.last.request.url.params["project"] == "nlp"
    body = sent(puts)
    assert body["job"] == stored()["job"]
    assert body["locked"] == ["/image"]
    assert not {"name", "version", "project"} & set(body)
    assert "required" not in body["parameters"][0]
    assert body["parameters"][1]["defaultValue"] == 1e-4
    assert printed(capsys.readouterr().err, "templates.version-template-finetune-stored", 3)


def test_templates_are_listed_and_deleted(api: respx.MockRouter, capsys: Capture) -> None:
    page = {"items": [stored()], "nextPageToken": None}
    api.get("/templates").respond(200, json=page)
    deletes = api.delete("/templates/finetune").respond(204)
    assert main(["job", "template", "list"]) == 0
    assert "model*, lr, gpus, spot" in capsys.readouterr().out
    assert main(["job", "template", "delete", "finetune", "--dry-run"]) == 0
    assert deletes.calls.last.request.url.params["validateOnly"] == "true"
    assert main(["job", "template", "delete", "finetune", "-y"]) == 0
    assert deletes.call_count == 2


@pytest.mark.parametrize(
    ("kind", "value", "sent_as"),
    [
        ("NUMBER", "4", 4),
        ("NUMBER", "nan", "nan"),
        ("NUMBER", "1e999999", "1e999999"),
        ("INTEGER", "4.0", "4.0"),
        ("INTEGER", "-4", -4),
        ("BOOLEAN", "yes", "yes"),
        ("STRING", "null", "null"),
        ("ENUM", "1", "1"),
    ],
)
def test_a_value_that_is_not_of_the_type_is_sent_as_text(
    kind: str, value: str, sent_as: Any
) -> None:
    assert typed(kind, value) == sent_as
    assert type(typed(kind, value)) is type(sent_as)
