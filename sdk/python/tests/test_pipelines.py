"""Verbs of pipelines on a mocked service."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx
from documents import page, problem
from texts import printed

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
PIPELINES = "/projects/default/pipelines"


def job(name: str, state: str, *needs: str, cause: str | None = None) -> dict[str, Any]:
    return {
        "id": f"job_{name}",
        "name": name,
        "state": state,
        "cause": cause,
        "startedAt": None,
        "endedAt": None,
        "dependsOn": [
            {"job": f"job_{one}", "name": one, "condition": "ENDED", "perElement": one == "each"}
            for one in needs
        ],
        "earlier": [],
    }


def pipeline(critical: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "night",
        "states": {"FAILED": 1, "QUEUED": 1},
        "jobs": [job("prep", "FAILED", cause="USER_ERROR"), job("clean", "QUEUED", "prep")],
        "critical": {"id": "job_x", **critical},
    }


def test_pipeline_shows_its_edges_and_the_blocking_job(
    api: respx.MockRouter, capsys: Capture
) -> None:
    shown = api.get(f"{PIPELINES}/night")
    shown.respond(200, json=pipeline({"name": "prep", "state": "RUNNING", "chain": 2}))
    assert main(["job", "pipeline", "get", "night"]) == 0
    out = capsys.readouterr().out
    assert "night: 1 FAILED, 1 QUEUED" in out
    assert printed(out, "pipelines.prep-running-jobs-wait", "RUNNING", 2)
    assert "prep (ended)" in out
    for chain, line in ((1, "prep is RUNNING, 1 job waits for it\n"), (0, "prep is RUNNING\n")):
        shown.respond(200, json=pipeline({"name": "prep", "state": "RUNNING", "chain": chain}))
        assert main(["job", "pipeline", "get", "night"]) == 0
        assert line in capsys.readouterr().out
    shown.respond(200, json=pipeline({"name": "prep", "state": "FAILED", "chain": 0}))
    assert main(["job", "pipeline", "get", "night"]) == 0
    assert printed(capsys.readouterr().out, "pipelines.prep-failed-fairlead-pipeline", "FAILED")


def test_a_retry_prints_the_new_jobs(api: respx.MockRouter, capsys: Capture) -> None:
    again = page({"id": "job_2", "name": "prep", "warnings": ["no H100"]})
    sent = api.post(f"{PIPELINES}/night/retry").respond(201, json=again)
    assert main(["job", "pipeline", "retry", "night"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "prep job_2\n"
    assert "prep: no H100" in shown.err
    assert sent.calls.last.request.headers["Idempotency-Key"]
    assert main(["job", "pipeline", "retry", "night", "--dry-run"]) == 0
    assert capsys.readouterr().out == "prep would be submitted\n"
    assert sent.calls.last.request.url.params["validateOnly"] == "true"


def test_a_list_counts_jobs_by_state(api: respx.MockRouter, capsys: Capture) -> None:
    one = {"name": "night", "states": {"QUEUED": 2, "SUCCEEDED": 1}}
    api.get(PIPELINES).respond(200, json=page(one))
    assert main(["job", "pipeline", "list"]) == 0
    assert "2 QUEUED, 1 SUCCEEDED" in capsys.readouterr().out


def test_a_cancel_names_the_label(api: respx.MockRouter, capsys: Capture) -> None:
    mismatch = problem(409, "COUNT_MISMATCH") | {"metadata": {"actual": 1}}
    bulk = api.post("/jobs/bulk-cancel")
    bulk.side_effect = [
        httpx.Response(409, json=mismatch),
        httpx.Response(200, json={"cancelled": 1}),
    ]
    assert main(["job", "pipeline", "cancel", "night", "-y"]) == 0
    sent = json.loads(bulk.calls.last.request.content)
    assert sent["filter"] == {"labels": {"pipeline": "night"}, "project": "default"}
    assert printed(
        capsys.readouterr().out, "pipelines.job-project-default-cancelled", 1, 1, "default"
    )
