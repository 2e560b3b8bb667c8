"""Decisions about a job, current and past, on a terminal and as a file."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx
from documents import JOB_ID, explanation, job, listing, operations, page, problem
from texts import printed

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).resolve().parents[3] / "api/src/main/resources/openapi-examples"
WAITED, PLACED, EVICTED = json.loads((EXAMPLES / "listJobDecisions.response.json").read_text())[
    "items"
]


@pytest.mark.parametrize("operation", ["listJobDecisions", "exportDecisions"])
def test_example_figures_match_the_service_field_names(
    operation: str,
) -> None:
    """Fails when the numbers `asked` and `available` are expected, which the service does not send."""
    (example,) = (one.example for one in operations() if one.id == operation)
    decision = example["items"][0].get("decision", example["items"][0])
    (blocker,) = decision["waited"]["blockers"]
    needed, left, used, quota = (int(one) for one in re.findall(r"\b(\d+)\b", blocker["message"]))
    told = {"neededMilli": needed, "availableMilli": left, "usedMilli": used, "quotaMilli": quota}
    figures = {name: number // 1000 for name, number in blocker["numbers"].items()}
    assert figures == told | {"mostMilli": figures.get("mostMilli")}
    assert blocker["message"] == decision["message"]


@pytest.fixture
def ended(api: respx.MockRouter) -> respx.MockRouter:
    done: dict[str, Any] = job(state="FAILED", pending=None, endedAt="2026-11-20T10:00:00Z")
    api.get("/jobs").mock(side_effect=listing(done))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=done)
    why = explanation(state="FAILED", blockers=[], nearMisses=[], clusters=[])
    api.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=why)
    return api


UNREACHABLE = {
    "kind": "UNREACHABLE",
    "at": "2030-01-31T08:00:00Z",
    "message": "2 members on eu-1 cannot be seen",
    "unreachable": {
        "element": 0,
        "elements": 1,
        "attempt": 2,
        "cluster": "eu-1",
        "members": 2,
        "nodeNames": ["gpu-7"],
        "proofs": ["the cluster reports its pods as ended"],
    },
}


def test_unobserved_attempt_names_the_evidence_of_its_end(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.get("/jobs").mock(side_effect=listing(job()))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    api.get(f"/jobs/{JOB_ID}/decisions").respond(200, json=page(UNREACHABLE))
    assert main(["why", "--at", "2030-01-31T08:10:00Z", "llama-sft"]) == 0
    told = capsys.readouterr().out
    assert "  attempt 2 on gpu-7\n" in told
    assert printed(told, "decisions.proof-end-when-pods")


def test_why_of_an_ended_job_shows_its_decisions(ended: respx.MockRouter, capsys: Capture) -> None:
    ended.get(f"/jobs/{JOB_ID}/decisions").respond(200, json=page(WAITED, PLACED, EVICTED))
    assert main(["why", "llama-sft"]) == 0
    told = capsys.readouterr().out
    assert "WAITED for 13m44s: needs 16 gpu of H100/RESERVED" in told
    assert "PLACED for 1h21m: 16 GPUs of 2 nodes of eu-1" in told
    assert printed(told, "decisions.queue-had-borrowed-what")


def test_why_of_an_ended_job_works_without_stored_decisions(
    ended: respx.MockRouter, capsys: Capture
) -> None:
    """Fails when a newer command line needs a newer service."""
    ended.get(f"/jobs/{JOB_ID}/decisions").respond(404, json=problem(404, "NOT_FOUND"))
    assert main(["why", "llama-sft"]) == 0
    assert "What was decided" not in capsys.readouterr().out


@pytest.mark.parametrize("status", [400, 403])
def test_why_of_an_ended_job_works_without_decisions(
    ended: respx.MockRouter, capsys: Capture, status: int
) -> None:
    """Fails when an unreadable history also suppresses the explanation."""
    ended.get(f"/jobs/{JOB_ID}/decisions").respond(status, json=problem(status, "INTERNAL"))
    assert main(["why", "llama-sft"]) == 0
    assert "What was decided" not in capsys.readouterr().out


def test_why_at_a_time_shows_the_reason_at_that_time(
    ended: respx.MockRouter, capsys: Capture
) -> None:
    asked = ended.get(f"/jobs/{JOB_ID}/decisions").respond(200, json=page(PLACED))
    assert main(["why", "--at", "2026-11-20T08:00:00Z", "llama-sft"]) == 0
    told = capsys.readouterr().out
    assert "attempt 1 on eu-1-gpu-0003, eu-1-gpu-0004, H100/RESERVED" in told
    assert printed(
        told, "decisions.quota-research-borrowed", "research", 72, 64, "H100/RESERVED", 8
    )
    assert asked.calls.last.request.url.params["at"].startswith("2026-11-20T08:00:00")


def test_why_at_a_time_without_a_decision_reports_it(
    ended: respx.MockRouter, capsys: Capture
) -> None:
    ended.get(f"/jobs/{JOB_ID}/decisions").respond(200, json=page())
    assert main(["why", "--at", "1h", "llama-sft"]) == 0
    assert printed(capsys.readouterr().err, "decisions.decision-recorded-llama-sft")


@pytest.mark.parametrize("at", ["", "yesterday", "2026-02-30T00:00", "-1h"])
def test_a_time_that_is_none_is_refused(ended: respx.MockRouter, capsys: Capture, at: str) -> None:
    assert main(["why", "--at", at, "llama-sft"]) == 2
    assert "neither a duration" in capsys.readouterr().err


def test_decisions_are_exported(ended: respx.MockRouter, capsys: Capture) -> None:
    ended.get(f"/jobs/{JOB_ID}/decisions").respond(200, json=page(WAITED, PLACED, EVICTED))
    assert main(["job", "decisions", "llama-sft", "-o", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["KIND"] for row in rows] == ["WAITED", "PLACED", "EVICTED"]
    assert [row["CAUSE"] for row in rows] == ["QUOTA", "-", "RECLAIM"]
    assert main(["job", "decisions", "llama-sft", "--kind", "sold"]) == 2


@pytest.mark.parametrize(
    ("output", "lines"),
    [("jsonl", 3), ("csv", 4)],
)
def test_export_contains_each_decision_once_and_one_header(
    output: str, lines: int, api: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairlead.cli.decisions.AT_ONCE", 2)
    one = {"job": JOB_ID, "name": "sft", "project": "nlp", "decision": UNREACHABLE}
    first = {"items": [one, one], "nextPageToken": "more"}
    asked = api.get("/decisions").mock(
        side_effect=[httpx.Response(200, json=first), httpx.Response(200, json=page(one))]
    )
    assert main(["job", "export-decisions", "--of", "nlp", "--since", "7d", "-o", output]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == lines
    assert sum("JOB" in line.split(",") for line in told) == lines - 3
    assert dict(asked.calls[0].request.url.params)["project"] == "nlp"
