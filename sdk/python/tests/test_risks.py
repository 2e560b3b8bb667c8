"""Preemption risks of a job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import respx
from documents import JOB_ID, explanation, job, listing, plan
from texts import printed

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
BY: dict[str, Any] = {
    "queue": "vision",
    "right": "RECLAIM",
    "fromPriority": 100,
    "earlierOnly": False,
    "now": False,
}


def risk(**changes: Any) -> dict[str, Any]:
    return {"allowed": True, "minRuntime": "0s", "by": [BY], "days": 28, "past": []} | changes


def why(api: respx.MockRouter, **changes: Any) -> None:
    runs = job(state="RUNNING", pending=None, startedAt=job()["createdAt"])
    api.get("/jobs").mock(side_effect=listing(runs))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=runs)
    known = explanation(state="RUNNING", blockers=[], nearMisses=[], clusters=[])
    api.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=known | changes)


def test_why_names_possible_preemptors_of_a_running_job(
    api: respx.MockRouter, capsys: Capture
) -> None:
    older = BY | {"queue": "nlp", "right": "WITHIN_QUEUE", "fromPriority": 500, "now": True}
    past = {"flavor": "H100/RESERVED", "starts": 340, "preempted": {"WITHIN_QUEUE": 12}}
    told = risk(
        past=[past, past | {"starts": 1, "preempted": {}}],
        minRuntime="10m",
        by=[older | {"earlierOnly": True}, BY],
    )
    why(api, preemptionRisk=told)
    assert main(["why", "llama-sft"]) == 0
    out = capsys.readouterr().out
    assert printed(out, "risks.each-attempt-runs-before", "10m")
    mine = "jobs of queue nlp from priority 500 on, at that priority only older ones"
    assert f"  can be preempted by {mine} [WITHIN_QUEUE]\n" in out
    counted = "  of its queue and priority, in 28 days: H100/RESERVED"
    assert f"{counted} 340 starts, 12 preempted [WITHIN_QUEUE]\n" in out
    assert f"{counted} 1 start, none preempted\n" in out
    theirs = "jobs of queue vision from priority 100 on [RECLAIM], once its own queue borrows"
    assert f"  can be preempted by {theirs}\n" in out


def test_why_of_an_ended_job_omits_preemption(api: respx.MockRouter, capsys: Capture) -> None:
    """Fails when `why` fails for a service that does not report the risk, or for a job without one."""
    why(api, preemptionRisk=None)
    assert main(["why", "llama-sft"]) == 0
    assert "reemption" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (risk(allowed=False, by=[]), "  is never preempted"),
        (risk(), "  can be preempted by jobs of queue vision from priority 100 on [RECLAIM], once"),
    ],
)
def test_dry_run_names_possible_preemptors(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path, told: dict[str, Any], line: str
) -> None:
    api.post("/jobs/plan").respond(200, json=plan(preemptionRisk=told))
    (tmp_path / "job.yaml").write_text(json.dumps({"image": "x"}))
    assert main(["submit", str(tmp_path / "job.yaml"), "--dry-run"]) == 0
    assert line in capsys.readouterr().out
