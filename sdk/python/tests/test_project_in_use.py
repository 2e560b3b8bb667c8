"""The project of a name or filter, for verbs that change something."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx
from documents import JOB_ID, attempt, ended, job, page, problem
from texts import printed

from fairlead.cli.main import main

pytestmark = pytest.mark.usefixtures("feasible")

Capture = pytest.CaptureFixture[str]
VERBS = [
    ["cancel", "--dry-run"],
    ["suspend"],
    ["resume"],
    ["job", "requeue"],
    ["job", "update", "--priority", "high"],
    ["job", "delete", "-y"],
    ["job", "confirm-dead", "--all", "--reason", "scrapped", "-y"],
]


def about(job: str, words: list[str]) -> list[str]:
    """The command with a job behind its name."""
    after = 2 if words[0] == "job" else 1
    return [*words[:after], job, *words[after:]]


@pytest.fixture(params=["environment", "file"])
def nlp(
    request: pytest.FixtureRequest, api: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> respx.MockRouter:
    """The current project is nlp. Another project has a job of every name."""
    if request.param == "environment":
        monkeypatch.setenv("FAIRLEAD_PROJECT", "nlp")
    else:
        assert main(["config", "set", "project", "nlp"]) == 0
    api.get("/jobs").respond(200, json=page(job(project="vision")))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    return api


def changed(api: respx.MockRouter) -> dict[str, Any]:
    """Responds to all requests that change the job, by verb."""
    acts = {one: api.post(f"/jobs/{JOB_ID}/{one}") for one in ("cancel", "suspend", "resume")}
    acts |= {"requeue": api.post(f"/jobs/{JOB_ID}/requeue")}
    acts |= {"update": api.patch(f"/jobs/{JOB_ID}")}
    for route in acts.values():
        route.respond(200, json=job())
    api.get(f"/jobs/{JOB_ID}/attempts").respond(200, json=page(attempt("UNKNOWN")))
    word = api.post("/attempts/att_1/confirm-dead")
    word.respond(200, json={"attempt": "att_1", "job": JOB_ID, "members": [], "state": "LOST"})
    return acts | {"confirm-dead": word, "delete": api.delete(f"/jobs/{JOB_ID}").respond(204)}


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_commands_on_a_job_look_up_its_name_in_the_current_project(
    nlp: respx.MockRouter, words: list[str]
) -> None:
    """Fails when only the option before the verb counts: the job of that name in vision is ended."""
    routes = changed(nlp)
    listed = nlp.get("/projects/nlp/jobs").respond(200, json=page(job()))
    assert main(about("llama-sft", words)) == 0
    assert listed.calls.last.request.url.params["name"] == "llama-sft"
    assert routes[words[1] if words[0] == "job" else words[0]].call_count == 1


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_name_of_another_project_is_not_found_and_the_project_is_named(
    nlp: respx.MockRouter, capsys: Capture, words: list[str]
) -> None:
    nlp.get("/projects/nlp/jobs").respond(200, json=page())
    assert main(about("llama-sft", words)) == 3
    assert printed(capsys.readouterr().err, "project-in-use.name-id-llama-sft", "llama-sft")
    assert {call.request.method for call in nlp.calls} == {"GET"}


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_id_selects_its_job_in_any_project(nlp: respx.MockRouter, words: list[str]) -> None:
    """Fails when an id is looked up in the project."""
    nlp.get(f"/jobs/{JOB_ID}").respond(200, json=job(project="vision"))
    routes = changed(nlp)
    assert main(about(JOB_ID, words)) == 0
    assert routes[words[1] if words[0] == "job" else words[0]].call_count == 1


def test_the_option_before_a_verb_is_stronger_than_the_project_in_use(
    nlp: respx.MockRouter,
) -> None:
    routes = changed(nlp)
    nlp.get("/projects/vision/jobs").respond(200, json=page(job(project="vision")))
    assert main(["--project", "vision", "job", "requeue", "llama-sft"]) == 0
    assert routes["requeue"].call_count == 1


def test_a_filter_cancels_in_the_project_in_use_alone(
    nlp: respx.MockRouter, capsys: Capture
) -> None:
    """Fails when the jobs of all projects are counted and cancelled."""
    bulk = nlp.post("/jobs/bulk-cancel")
    counted = problem(409, "COUNT_MISMATCH") | {"metadata": {"actual": 3}}
    bulk.side_effect = [
        httpx.Response(409, json=counted),
        httpx.Response(200, json={"cancelled": 3}),
    ]
    assert main(["cancel", "--user", "ana", "-y"]) == 0
    sent = [json.loads(call.request.content)["filter"] for call in bulk.calls]
    assert sent == [{"user": "ana", "project": "nlp"}] * 2
    assert capsys.readouterr().out == "3 of 3 jobs in project nlp cancelled\n"


def test_without_a_project_in_use_a_name_is_looked_for_in_all(api: respx.MockRouter) -> None:
    routes = changed(api)
    api.get("/jobs").respond(200, json=page(job()))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    assert main(["cancel", "llama-sft"]) == 0
    assert routes["cancel"].call_count == 1


@pytest.mark.parametrize(("of", "called"), [("nlp", "llama-sft"), ("vision", JOB_ID)])
def test_suggested_commands_use_an_unambiguous_job_name(
    nlp: respx.MockRouter, capsys: Capture, of: str, called: str
) -> None:
    """Fails when the hint names a job that `fairlead cancel` looks up in another project."""
    nlp.post(f"/projects/{of}/jobs").respond(201, json=job(project=of))
    assert main(["run", "-y", "-d", "-i", "x", "-p", of, "--", "true"]) == 0
    assert f"  fairlead cancel {called}\n" in capsys.readouterr().err


def test_verbs_that_read_look_through_all_projects(nlp: respx.MockRouter) -> None:
    nlp.get("/jobs").respond(200, json=page(ended("FAILED", project="vision")))
    assert main(["get", "llama-sft", "-o", "name"]) == 0
