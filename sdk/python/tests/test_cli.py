"""The command on a mocked service: its output on stdout and stderr, and its exit code."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import respx
import yaml
from documents import (
    JOB_ID,
    document,
    ended,
    explanation,
    job,
    listing,
    operations,
    page,
    plan,
    problem,
)
from rich.cells import cell_len
from texts import printed

from fairlead import models
from fairlead.cli import output, text, watching
from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def known(api: respx.MockRouter) -> respx.MockRouter:
    """One queued job."""
    api.get("/jobs").respond(200, json=page(job()))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    return api


def test_ps_explains_in_plain_words_why_a_job_waits(
    known: respx.MockRouter, capsys: Capture
) -> None:
    assert main(["ps"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["NAME", "USER", "STATE", "GPU", "TIME", "NODES", "PLACE/REASON"]
    assert line.startswith("llama-sft")
    assert line.endswith("needs 64 H100 in one block, largest free block 40")


def test_ps_asks_for_active_jobs_only(known: respx.MockRouter) -> None:
    assert main(["ps"]) == 0
    asked = httpx.URL(known.calls.last.request.url).params
    assert "FAILED" not in asked.get_list("state")
    assert "QUEUED" in asked.get_list("state")


@pytest.mark.parametrize("form", ["json", "jsonl", "yaml", "csv", "name"])
def test_every_format_can_be_read_back(known: respx.MockRouter, capsys: Capture, form: str) -> None:
    assert main(["ps", "-o", form]) == 0
    text = capsys.readouterr().out
    readers: dict[str, Any] = {
        "json": lambda: json.loads(text)[0]["name"],
        "jsonl": lambda: json.loads(text.splitlines()[0])["name"],
        "yaml": lambda: yaml.safe_load(text)[0]["name"],
        "csv": lambda: next(csv.DictReader(io.StringIO(text)))["NAME"],
        "name": lambda: text.strip(),
    }
    assert readers[form]() == "llama-sft"


def test_columns_are_chosen_and_a_wrong_one_is_named(
    known: respx.MockRouter, capsys: Capture
) -> None:
    assert main(["ps", "--columns", "state,NAME"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["QUEUED", "llama-sft"]
    assert main(["ps", "--columns", "COLOUR"]) == 2
    assert "no column 'COLOUR'; columns: NAME, ID" in capsys.readouterr().err


def test_empty_list_is_no_error_and_suggests_the_next_command(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.get("/jobs").respond(200, json=page())
    assert main(["ps"]) == 0
    told = capsys.readouterr()
    assert (told.out, "fairlead ps --all" in told.err) == ("", True)


@pytest.mark.parametrize(
    ("status", "code", "exit_code"),
    [
        (400, "INVALID_PARAMETER", 2),
        (401, "UNAUTHENTICATED", 4),
        (403, "FORBIDDEN", 4),
        (404, "NOT_FOUND", 3),
        (409, "ILLEGAL_STATE", 5),
        (412, "VERSION_MISMATCH", 5),
        (422, "INVALID_FIELD", 2),
        (422, "LIMIT_EXCEEDED", 6),
        (500, "INTERNAL", 1),
        (503, "UNAVAILABLE", 8),
    ],
)
def test_a_refusal_has_its_exit_code_and_one_plain_line(
    api: respx.MockRouter,
    naps: list[float],
    capsys: Capture,
    status: int,
    code: str,
    exit_code: int,
) -> None:
    api.get("/clusters").respond(status, json=problem(status, code))
    assert main(["cluster", "list"]) == exit_code
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("fairlead: It is so.")
    assert "Traceback" not in told.err


def test_a_spreadsheet_calculates_nothing_from_a_list(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.get("/jobs").respond(200, json=page(job(user="=HYPERLINK(1)"), job(user="-1+1")))
    assert main(["ps", "-o", "csv", "--columns", "USER,NODES"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["'=HYPERLINK(1),-", "'-1+1,-"]


def test_ps_counts_the_nodes_of_running_jobs(api: respx.MockRouter, capsys: Capture) -> None:
    """Neither the members of a past attempt, nor only the newest element of an array."""
    place = {"cluster": "eu-1", "nodes": ["n-1", "n-2"]}
    array = {"elements": 9, "running": 9, "queued": 0, "succeeded": 0, "failed": 0, "cancelled": 0}
    api.get("/jobs").respond(
        200,
        json=page(
            job(name="runs", state="RUNNING", placement=place),
            job(name="array", state="RUNNING", placement=place, array=array),
            job(name="requeued", state="QUEUED", placement=place),
        ),
    )
    assert main(["ps", "-o", "csv", "--columns", "NAME,NODES"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["runs,2", "array,-", "requeued,-"]


def test_bare_command_prints_its_help(capsys: Capture) -> None:
    assert main([]) == 2
    told = capsys.readouterr().err
    assert told.startswith("Usage: fairlead")
    assert re.search(r"\n  ps +List active jobs", told)


def test_suspended_job_reports_how_to_resume_it(api: respx.MockRouter, capsys: Capture) -> None:
    held = job(state="SUSPENDED")
    api.get("/jobs").respond(200, json=page(held))
    api.get(f"/jobs/{held['id']}").respond(200, json=held)
    why = explanation() | {"state": "SUSPENDED", "class": "USER_ACTION", "blockers": []}
    api.get(f"/jobs/{held['id']}/explanation").respond(200, json=why)
    assert main(["why", "llama-sft"]) == 0
    told = capsys.readouterr().out
    assert printed(told, "cli.does-wait-suspended", "SUSPENDED")
    assert "fairlead resume llama-sft" in told
    assert "has to change" not in told


def test_filtered_jobs_are_counted_and_cancelled_in_one_step(
    api: respx.MockRouter, capsys: Capture
) -> None:
    bulk = api.post("/jobs/bulk-cancel")
    bulk.side_effect = [
        httpx.Response(409, json=problem(409, "COUNT_MISMATCH") | {"metadata": {"actual": 3}}),
        httpx.Response(200, json={"cancelled": 3}),
    ]
    assert main(["cancel", "--user", "ana", "--label", "team=nlp", "-y"]) == 0
    assert capsys.readouterr().out == "3 of 3 jobs cancelled\n"
    sent = json.loads(bulk.calls[1].request.content)
    assert sent == {"filter": {"user": "ana", "labels": {"team": "nlp"}}, "expectedCount": 3}


def test_several_jobs_are_cancelled_one_by_one(api: respx.MockRouter, capsys: Capture) -> None:
    api.post("/jobs/bulk-cancel").respond(422, json=problem(422, "LIMIT_EXCEEDED"))
    api.get("/jobs").respond(200, json=page(job(), job(id="job_b")))
    api.post("/jobs/job_b/cancel").respond(409, json=problem(409, "ILLEGAL_STATE"))
    api.post(f"/jobs/{job()['id']}/cancel").respond(200, json=job(state="CANCELLED"))
    assert main(["cancel", "--state", "queued", "-y"]) == 0
    assert capsys.readouterr().out == "1 of 2 jobs cancelled\n"


def test_thousands_are_cancelled_in_a_few_requests(api: respx.MockRouter, capsys: Capture) -> None:
    """Fails when 2,500 jobs are 2,500 requests, or when a part has jobs of another part."""
    jobs = [
        job(id=f"job_{n}", createdAt=f"2026-03-01T12:{59 - n // 50:02}:00Z") for n in range(2_500)
    ]
    refused = httpx.Response(422, json=problem(422, "LIMIT_EXCEEDED"))
    cancelled = [httpx.Response(200, json={"cancelled": n}) for n in (1_000, 1_000, 500)]
    bulk = api.post("/jobs/bulk-cancel")
    bulk.side_effect = [refused, *cancelled]
    api.get("/jobs").respond(200, json=page(*jobs))
    assert main(["cancel", "--label", "sweep=a", "-y"]) == 0
    assert capsys.readouterr().out == "2,500 of 2,500 jobs cancelled\n"
    sent = [json.loads(call.request.content) for call in bulk.calls][1:]
    assert [one["expectedCount"] for one in sent] == [1_000, 1_000, 500]
    assert [one["filter"].get("createdAfter") for one in sent] == [
        "2026-03-01T12:39:00+00:00",
        "2026-03-01T12:19:00+00:00",
        None,
    ]
    assert [one["filter"]["createdBefore"] for one in sent] == [
        "2026-03-01T12:59:00.000001+00:00",
        "2026-03-01T12:39:00.000001+00:00",
        "2026-03-01T12:19:00.000001+00:00",
    ], "a job that is submitted meanwhile is not cancelled in the place of one that ended"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cancel"], "give jobs, or a filter"),
        (["cancel", "a", "--user", "ana"], "not both"),
        (["cancel", "--label", "team", "-y"], "not key=value"),
        (["cancel", "--user", "ana"], "not a terminal"),
    ],
)
def test_nothing_is_cancelled_by_mistake(
    api: respx.MockRouter, capsys: Capture, words: list[str], said: str
) -> None:
    api.post("/jobs/bulk-cancel").respond(
        409, json=problem(409, "COUNT_MISMATCH") | {"metadata": {"actual": 3}}
    )
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_unavailable_service_is_named(
    api: respx.MockRouter, naps: list[float], capsys: Capture
) -> None:
    api.get("/clusters").mock(side_effect=httpx2.ConnectError("Connection refused"))
    assert main(["cluster", "list"]) == 8
    assert "http://fairlead.test cannot be reached" in capsys.readouterr().err


def test_unexpected_error_prints_one_line(
    api: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no idea")

    monkeypatch.setattr("fairlead.cli.actions.client", broken)
    assert main(["cluster", "list"]) == 1
    assert "unexpected RuntimeError: no idea" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["pss"], "Did you mean fairlead ps?"),
        (["histroy"], "Did you mean fairlead job history"),
        (["squeue"], "use fairlead ps"),
        (["sacctmgr"], "use fairlead quota list"),
        (["sstat"], "use fairlead job report"),
        (["sview"], "use fairlead job top"),
        (["ps", "--stat", "x"], "--state"),
        (["ps", "--watsh"], "--watch"),
        (["ps", "-o", "xml"], "xml"),
        (["ps", "-l", "foo"], "'foo' is not key=value. Write the value too: --label foo=VALUE"),
        (["ps", "--watch"], "--watch needs a terminal, and the output is not one"),
        (["gpus", "--watch"], "--watch needs a terminal, and the output is not one"),
        (["ps", "--watch", "-o", "json"], "remove -o json or --watch"),
        (
            ["usage", "statement", "get", "2026-11"],
            "'get' is neither a month such as 2030-01 nor one of",
        ),
        (["usage", "statement", "2026/11"], "'2026/11' is neither a month such as 2030-01"),
        (["secret", "set", "hub", "k=1", "k=2"], "key 'k' is given twice"),
        (["get"], "JOB"),
        (["logs", "x", "--tail", "-1"], "--tail"),
        (["config", "api", "post", "/jobs"], "only get"),
        (["--url", "fairlead.test", "ps"], "not an address such as"),
        (["--url", "http://[::1", "ps"], "not an address such as"),
        (["--url", "http://a b", "ps"], "not an address such as"),
        (["config", "set", "url", "ftp://x"], "not an address such as"),
        (["login", "--url", "x"], "not an address such as"),
        (["job", "history", "--since", "soon"], "neither a duration such as 24h nor a time"),
        (["run", "--", "x"], "no image"),
        (["run", "-i", "x", "-e", "A", "--", "x"], "--env 'A' is not NAME=VALUE"),
        (["run", "-i", "x", "--max-cost", "30", "--", "x"], "--max-cost takes 30/USD, not 30"),
        (["submit", "nowhere.yaml"], "nowhere.yaml: No such file"),
        (["config", "set", "colour", "red"], "unknown setting 'colour'"),
        (["config", "set", "token", "x"], "seen by others"),
        (["config", "completion", "tcsh"], "no completion for 'tcsh'"),
    ],
)
def test_wrong_command_line_exits_2_with_a_suggestion(
    api: respx.MockRouter, capsys: Capture, arguments: list[str], hint: str
) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert (told.out, hint in told.err) == ("", True), told.err


def test_broken_yaml_is_reported_with_line_and_column(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    detail = "Line 2, column 4: this is not valid YAML: mapping values are not allowed here"
    api.post("/projects/default/jobs").respond(400, json=problem(400, "MALFORMED_BODY", detail))
    (tmp_path / "job.yaml").write_text("name: x\n  a: [")
    assert main(["submit", str(tmp_path / "job.yaml"), "-y"]) == 2
    assert capsys.readouterr().err == f"fairlead: {tmp_path}/job.yaml: {detail}\n"


def test_each_wrong_field_has_its_line(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    errors = [{"pointer": f"/{f}", "code": "X", "detail": f"{f} is wrong."} for f in ("gpu", "run")]
    api.post("/projects/default/jobs").respond(
        422, json=problem(422, "INVALID_FIELD", errors=errors)
    )
    (tmp_path / "job.yaml").write_text("name: x\n")
    assert main(["submit", str(tmp_path / "job.yaml"), "-y"]) == 2
    assert capsys.readouterr().err.splitlines()[1:] == [
        "  /gpu: gpu is wrong.",
        "  /run: run is wrong.",
    ]


def test_a_suggestion_of_the_service_is_shown(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    """Fails when the service suggests 16Gi and the command does not print it."""
    one = {"pointer": "/memory", "code": "X", "detail": "memory is wrong.", "suggestion": "16Gi"}
    two = {"pointer": "/gpus", "code": "X", "detail": "Did you mean gpu?", "suggestion": "gpu"}
    api.post("/projects/default/jobs").respond(
        422, json=problem(422, "INVALID_FIELD", errors=[one, two])
    )
    (tmp_path / "job.yaml").write_text("name: x\n")
    assert main(["submit", str(tmp_path / "job.yaml"), "-y"]) == 2
    assert capsys.readouterr().err.splitlines()[1:] == [
        "  /memory: memory is wrong. Did you mean 16Gi?",
        "  /gpus: Did you mean gpu?",
    ]


def test_nothing_is_submitted_unreachable(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    route = api.post("/projects/default/jobs").respond(201, json=job())
    api.post("/jobs/plan").respond(200, json=plan())
    (tmp_path / "job.yaml").write_text("image: x\n")
    assert main(["submit", str(tmp_path / "job.yaml")]) == 2
    assert "pass -y" in capsys.readouterr().err
    assert route.call_count == 0


def test_dry_run_of_an_infeasible_job_exits_6(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    why: dict[str, Any] = {
        "reason": "NEVER_FITS",
        "class": "USER_ACTION",
        "message": "no node has B200",
    }
    why |= {"blockers": [], "nearMisses": [], "clusters": [], "estimate": None}
    api.post("/jobs/plan").respond(
        200, json=plan(feasible=False, startsNow=False, candidates=[], explanation=why)
    )
    (tmp_path / "job.yaml").write_text("image: x\n")
    assert main(["submit", str(tmp_path / "job.yaml"), "--dry-run"]) == 6
    assert printed(capsys.readouterr().out, "cli.cannot-start-present-configuration", "B200")


def test_run_shows_the_plan_before_it_submits(
    api: respx.MockRouter, naps: list[float], capsys: Capture
) -> None:
    api.post("/jobs/plan").respond(200, json=plan())
    submits = api.post("/projects/default/jobs").respond(201, json=job())
    cap = ["--max-runtime", "8h", "--max-cost", "30/USD"]
    assert main(["run", "-i", "x", "-d", *cap, "--", "true"]) == 0
    sent = json.loads(submits.calls.last.request.content)
    assert sent["placement"] == {"maxCost": "30", "currency": "USD"}
    assert sent["name"] == plan()["spec"]["name"]
    told = capsys.readouterr().err
    assert "starts now on eu-1" in told
    assert printed(told, "cli.free-most-one-block", "eu-1", "H100/RESERVED", 104, 128, 64)
    assert "39.84 EUR an hour, 478.08 EUR by maxRuntime (sunk)" in told
    assert printed(told, "cli.quota-research-gpu-used", "H100/RESERVED", 24, 40, 64)
    assert printed(told, "cli.likely-run-learned-runs", "26m", "p50", "3h", "p90", 1200)


def test_plan_shows_the_start_estimate(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    start = {"p50": "2030-01-01T10:00:00Z", "p90": "2030-01-01T14:00:00Z"} | {
        "runs": 1200,
        "starts": 40,
        "level": "PROJECT",
        "computedAt": "2030-01-01T09:00:00Z",
    }
    api.post("/jobs/plan").respond(200, json=plan(expected={"run": None, "start": start}))
    (tmp_path / "job.yaml").write_text("image: x\n")
    assert main(["submit", str(tmp_path / "job.yaml"), "--dry-run"]) == 0
    told = capsys.readouterr().out
    half = text.moment(datetime(2030, 1, 1, 10, tzinfo=timezone.utc))
    assert f"starts likely by {half} (p50)" in told
    assert "likely to run" not in told


@pytest.mark.usefixtures("feasible")
@pytest.mark.parametrize(("state", "code"), [("SUCCEEDED", 0), ("FAILED", 20), ("CANCELLED", 21)])
def test_run_ends_as_its_job_does(
    api: respx.MockRouter, naps: list[float], capsys: Capture, state: str, code: int
) -> None:
    api.post("/projects/default/jobs").respond(201, json=job())
    route = api.get(f"/jobs/{JOB_ID}")
    route.side_effect = [httpx.Response(200, json=one) for one in (job(), ended(state))]
    api.get(f"/jobs/{JOB_ID}/logs").respond(200, text="hello\nworld\n")
    assert main(["run", "-y", "-i", "x", "--", "echo", "hello"]) == code
    told = capsys.readouterr()
    assert told.out == "hello\nworld\n"
    assert "number 4 in the queue" in told.err


@pytest.mark.usefixtures("feasible")
def test_a_wait_that_takes_too_long_is_7(
    api: respx.MockRouter, naps: list[float], capsys: Capture
) -> None:
    api.post("/projects/default/jobs").respond(201, json=job())
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    assert main(["run", "-y", "-i", "x", "--timeout", "0s", "--", "true"]) == 7
    assert "fairlead cancel llama-sft" in capsys.readouterr().err


def test_ctrl_c_detaches_and_prints_how_to_reattach(
    known: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(watching, "_followed", interrupted)
    assert main(["logs", "-f", "llama-sft"]) == 130
    told = capsys.readouterr().err
    assert all(f"fairlead {verb} llama-sft" in told for verb in ("logs -f", "why", "cancel"))


def test_why_names_the_fault_and_the_new_nodes(api: respx.MockRouter, capsys: Capture) -> None:
    broken = {
        "attempt": 2,
        "cause": "GPU_FAULT",
        "message": "XID 79 (GPU has fallen off the bus) on GPU 1653922, node gpu-0042;"
        " lost 14 GPU-minutes since its start",
        "member": "worker-3",
        "node": "gpu-0042",
        "gpuSerial": "1653922",
        "exitCode": None,
        "evidence": ["INCIDENT inc_1"],
        "right": None,
    }
    place = {"cluster": "eu-1", "nodes": ["gpu-0077"]}
    runs = job(state="RUNNING", failure=broken, attempt=3, placement=place, pending=None)
    api.get("/jobs").respond(200, json=page(runs))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=runs)
    why = explanation() | {"state": "RUNNING", "blockers": []}
    api.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=why)
    assert main(["why", "llama-sft"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == (
        "  attempt 2 failed: GPU_FAULT: XID 79 (GPU has fallen off the bus) on GPU 1653922,"
        " node gpu-0042; lost 14 GPU-minutes since its start; moved to eu-1, gpu-0077"
    )

    waits = job(failure=broken, attempt=2)
    api.get("/jobs").respond(200, json=page(waits))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=waits)
    api.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=EXPLANATION)
    assert main(["why", "llama-sft"]) == 0
    told = capsys.readouterr().out.splitlines()[1]
    assert told.startswith("  attempt 2 failed: GPU_FAULT: XID 79")
    assert "moved to" not in told


def test_why_shows_the_start_estimate(known: respx.MockRouter, capsys: Capture) -> None:
    expected = {
        "p50": "2030-01-01T10:00:00Z",
        "p90": "2030-01-01T14:00:00Z",
        "runs": 1200,
        "starts": 1,
        "level": "PROJECT",
        "computedAt": "2030-01-01T09:00:00Z",
    }
    known.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=EXPLANATION | {"expected": expected})
    assert main(["why", "llama-sft"]) == 0
    out = capsys.readouterr().out
    half = text.moment(datetime(2030, 1, 1, 10, tzinfo=timezone.utc))
    ninth = text.moment(datetime(2030, 1, 1, 14, tzinfo=timezone.utc))
    assert (
        f"Likely to start by {half} (p50), {ninth} (p90): learned from 1200 runs and 1 start" in out
    )
    known.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=EXPLANATION)
    assert main(["why", "llama-sft"]) == 0
    assert "Likely" not in capsys.readouterr().out


def test_why_leads_with_the_reason_and_what_would_help(
    known: respx.MockRouter, capsys: Capture
) -> None:
    known.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=EXPLANATION)
    assert main(["why", "llama-sft"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "llama-sft is QUEUED: needs 64 H100 in one block, largest free block 40"
    assert printed(lines, "cli.number-queue-default-gpus", 4, 19, "default", 112)
    assert printed(lines, "cli.workers-instead-starts-now", 5, 8, "eu-1")
    assert printed(
        lines, "cli.nodes-refused-health-without", "eu-1", "H100/RESERVED", 16, 2, 9, "b1", 5, 8
    )
    assert "Priority 812 = class 500 + age 312" in lines


def test_a_wish_to_drop_is_not_shown_with_an_empty_value() -> None:
    change = models.Change.model_validate({"field": "segment", "from": "2/rack", "to": ""})
    assert text.wish(change) == "no segment (now 2/rack)"


AT = "2026-01-01T00:00:00Z"
EXPLANATION = {
    "job": JOB_ID, "state": "QUEUED", "computedAt": AT, "reason": "CAPACITY", "class": "WAIT",
    "message": "needs 64 H100 in one block, largest free block 40",
    "position": {"rank": 4, "total": 19, "gpusAhead": 112}, "blockers": [],
    "nearMisses": [{"change": {"field": "workers", "from": "8", "to": "5"}, "effect": "starts now on eu-1"}],
    "clusters": [
        {
            "cluster": "eu-1", "flavor": "H100/RESERVED", "nodesEvaluated": 16,
            "filtered": {"MODEL": 0, "HEALTH": 2}, "exhausted": {"GPU": 9},
            "best": {"level": "block", "domain": "b1", "fits": 5, "needed": 8},
        }
    ],
    "priority": {"total": 812, "parts": [{"name": "class", "value": 500}, {"name": "age", "value": 312}]},
    "estimate": None,
}  # fmt: skip


@pytest.mark.parametrize("name", ["größe-模型", "a\u202eb", "a\x1b[31mb", "a\nb"])
def test_names_stay_within_their_line_and_column(
    api: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    api.get("/jobs").respond(200, json=page(job(name=name), job()))
    assert main(["ps", "--columns", "NAME,STATE"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "\x1b" not in lines[1]
    assert "\u202e" not in lines[1]
    assert {cell_len(line[: line.index("Q")]) for line in lines[1:]} == {
        cell_len(lines[0].split("STATE")[0])
    }


@pytest.mark.parametrize("cells", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(
    known: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    monkeypatch.setattr("fairlead.cli.jobs.width", lambda: cells)
    monkeypatch.setattr(output, "width", lambda: cells)
    assert main(["ps"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= cells
    first = [line for line in lines[1:] if line.strip().startswith("llama-sft")]
    assert first
    assert all("QUEUED" in line for line in first)


def test_a_narrow_terminal_shows_the_whole_reason() -> None:
    """Fails when the relevant column is truncated."""
    reason = "needs 64 H100 in one block, largest free block 40"
    columns = [output.Column("NAME", str), output.Column("REASON", lambda _: reason)]
    lines = [line.plain for line in output.table(["llama"], columns, 32)]
    assert lines[1:] == [
        "llama  needs 64 H100 in one",
        "       block, largest free block",
        "       40",
    ]


def test_colours_require_a_terminal_without_no_color(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = output.table(["RUNNING"], [output.Column("STATE", str), output.Column("NAME", str)], 80)
    output.paint(lines)
    monkeypatch.setattr(output, "terminal", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    output.paint(lines)
    monkeypatch.setenv("NO_COLOR", "1")
    output.paint(lines)
    row = "RUNNING  RUNNING"
    plain, coloured, without = capsys.readouterr().out.splitlines()[1::2]
    assert (plain, without) == (row, row)
    assert coloured == "\x1b[32mRUNNING\x1b[0m  RUNNING"


def test_login_stores_only_a_working_token(
    api: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    me = api.get("/me")
    me.side_effect = [
        httpx.Response(401, json=problem(401, "UNAUTHENTICATED")),
        httpx.Response(
            200, json={"user": "ana", "tenant": "acme", "administrator": False, "roles": []}
        ),
    ]
    for expected in (4, 0):
        monkeypatch.setattr("sys.stdin", io.StringIO("a-token\n"))
        assert main(["login", "--token-stdin"]) == expected
        assert (tmp_path / "config.json").exists() == (expected == 0)
    assert me.calls.last.request.headers["Authorization"] == "Bearer a-token"
    assert main(["config"]) == 0
    assert "a-token" not in capsys.readouterr().out


def test_only_the_token_text_is_written_to_standard_output(
    api: respx.MockRouter, capsys: Capture
) -> None:
    # fails when a pipe to `fairlead login --token-stdin` gets more than the token
    details = {
        "id": "tok_1", "name": "ci", "user": "sa:ci", "role": "project-member", "project": "nlp",
        "createdAt": "2026-03-01T12:00:00Z", "createdBy": "ana", "expiresAt": "2026-03-31T12:00:00Z",
        "revokedAt": None,
    }  # fmt: skip
    made = api.post("/tokens").respond(201, json={"token": "fl_text", "details": details})
    arguments = ["token", "create", "ci", "--user", "sa:ci", "--role", "project-member"]
    assert main([*arguments, "--project", "nlp", "--expires-in", "30d"]) == 0
    written = capsys.readouterr()
    assert written.out == "fl_text\n"
    assert "shown only once" in written.err
    assert made.calls.last.request.url.params["project"] == "nlp"
    assert json.loads(made.calls.last.request.content) == {
        "name": "ci", "role": "project-member", "user": "sa:ci", "expiresIn": "30d",
    }  # fmt: skip


def test_a_member_is_added_to_the_tenant_in_use_or_to_a_project(
    api: respx.MockRouter, capsys: Capture
) -> None:
    # fails when the header or the path does not name the requested tenant
    def answer(role: str) -> dict[str, Any]:
        return {
            "user": "ana", "role": role, "createdAt": "2026-03-01T12:00:00Z",
            "createdBy": "olga", "version": 0,
        }  # fmt: skip

    tenant = api.put("/tenants/acme/members/ana").respond(200, json=answer("tenant-owner"))
    project = api.put("/projects/nlp/members/ana").respond(200, json=answer("project-viewer"))
    gone = api.delete("/tenants/acme/members/sa%3Aci").respond(204)

    assert main(["--tenant", "acme", "tenant", "member", "add", "ana", "--role", "owner"]) == 0
    assert printed(capsys.readouterr().err, "cli.ana-tenant-owner-tenant")
    assert json.loads(tenant.calls.last.request.content) == {"role": "tenant-owner"}
    assert tenant.calls.last.request.headers["Fairlead-Tenant"] == "acme"
    assert main(["tenant", "member", "add", "ana", "--role", "viewer", "--project", "nlp"]) == 0
    assert "Fairlead-Tenant" not in project.calls.last.request.headers
    assert (
        main(["--tenant", "acme", "--reason", "left us", "tenant", "member", "remove", "sa:ci"])
        == 0
    )
    assert api.calls.last.request.url.params["reason"] == "left us"
    assert gone.called


def test_archiving_a_tenant_requires_confirmation(api: respx.MockRouter, capsys: Capture) -> None:
    # fails when a tenant can be ended by one slip
    archived = {
        "id": "ten_1",
        "name": "acme",
        "displayName": "",
        "state": "ARCHIVING",
        "version": 2,
    }
    route = api.post("/tenants/acme/archive").respond(200, json=archived)

    assert main(["tenant", "archive", "acme"]) != 0
    assert not route.called
    assert main(["tenant", "archive", "acme", "--yes"]) == 0
    assert "acme is ARCHIVING" in capsys.readouterr().err


def test_tokens_are_listed_with_their_state_and_revoked_by_id(
    api: respx.MockRouter, capsys: Capture
) -> None:
    base = {
        "name": "ci", "user": "sa:ci", "role": "tenant-viewer", "project": None,
        "createdAt": "2026-03-01T12:00:00Z", "createdBy": "ana",
    }  # fmt: skip
    ended = {**base, "id": "tok_1", "expiresAt": "2026-03-02T12:00:00Z", "revokedAt": None}
    revoked = {**base, "id": "tok_2", "expiresAt": "2099-03-02T12:00:00Z"}
    revoked["revokedAt"] = "2026-03-01T13:00:00Z"
    valid = {**base, "id": "tok_3", "expiresAt": "2099-03-02T12:00:00Z", "revokedAt": None}
    items = {"items": [valid, revoked, ended], "nextPageToken": None}
    api.get("/tokens").respond(200, json=items)
    gone = api.delete("/tokens/tok_3").respond(204)

    assert main(["token", "list"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [next(w for w in r.split() if w.isupper()) for r in rows] == [
        "VALID",
        "REVOKED",
        "EXPIRED",
    ]
    assert main(["token", "revoke", "tok_3"]) == 0
    assert gone.called


def test_settings_can_be_stored_read_and_deleted(capsys: Capture) -> None:
    assert main(["config", "set", "project", "nlp"]) == 0
    assert main(["config", "get", "project"]) == 0
    assert capsys.readouterr().out == "nlp\n"
    assert main(["config", "unset", "project"]) == 0
    assert main(["config", "get", "project"]) == 1


@pytest.mark.parametrize("token", ["a\nb", "\u00e9"])
def test_a_token_that_no_header_carries_is_not_repeated(
    api: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("FAIRLEAD_TOKEN", token)
    assert main(["ps"]) == 2
    assert token not in capsys.readouterr().err


def test_api_keeps_the_query_and_rejects_other_paths(
    api: respx.MockRouter, capsys: Capture
) -> None:
    route = api.get("/jobs", params={"state": "FAILED"}).respond(200, json=page())
    assert main(["config", "api", "get", "/jobs?state=FAILED"]) == 0
    assert route.called
    assert main(["config", "api", "get", "/../../v3/api-docs"]) == 1
    assert "leaves the API" in capsys.readouterr().err


def test_ended_jobs_are_deleted_after_a_confirmation(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.get("/jobs").respond(200, json=page(ended("FAILED")))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=ended("FAILED"))
    route = api.delete(f"/jobs/{JOB_ID}").respond(204)
    assert main(["job", "delete", "llama-sft"]) == 2
    assert "not a terminal" in capsys.readouterr().err
    assert route.call_count == 0
    assert main(["job", "delete", "llama-sft", "-y"]) == 0
    assert capsys.readouterr().out == "llama-sft is deleted\n"
    route.respond(409, json=problem(409, "ILLEGAL_STATE"))
    assert main(["job", "delete", "llama-sft", "-y"]) == 5


ACTS = [
    ["cancel", "--wait"],
    ["suspend"],
    ["resume"],
    ["job", "requeue"],
    ["job", "update", "--priority", "high"],
    ["job", "delete", "-y"],
]


def about(job: str, words: list[str]) -> list[str]:
    """The command with a job behind its name."""
    after = 2 if words[0] == "job" else 1
    return [*words[:after], job, *words[after:]]


@pytest.mark.parametrize("words", ACTS, ids=" ".join)
def test_commands_that_change_a_job_reject_a_name_prefix(
    api: respx.MockRouter, capsys: Capture, words: list[str]
) -> None:
    """Fails when a name prefix is sufficient: the only job with that prefix was deleted."""
    only = job(name="hello-gpu")
    api.get("/jobs").mock(side_effect=listing(only))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=only)
    for beginning in ("hello", JOB_ID[:12]):
        assert main(about(beginning, words)) == 3
        assert printed(capsys.readouterr().err, "cli.job-exactly-name")
    assert {call.request.method for call in api.calls} == {"GET"}


@pytest.mark.parametrize("words", ACTS, ids=" ".join)
def test_a_name_of_several_jobs_is_refused_with_all_of_them(
    api: respx.MockRouter, capsys: Capture, words: list[str]
) -> None:
    """Fails when the newest job of the name is chosen without a prompt."""
    older = ended("FAILED", name="hello", id=JOB_ID[:-1] + "b")
    newest = ended("SUCCEEDED", name="hello")
    api.get("/jobs").mock(side_effect=listing(newest, older))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=newest)
    assert main(about("hello", words)) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "fairlead: 'hello' is the name of 2 jobs; use its id"
    assert [line.split()[:4] for line in told[2:]] == [
        [one["id"], "hello", one["project"], one["state"]] for one in (newest, older)
    ]
    assert all(line.endswith(" ago") for line in told[2:])
    assert {call.request.method for call in api.calls} == {"GET"}


def test_commands_that_read_a_job_accept_a_unique_name_prefix(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.get("/jobs").mock(side_effect=listing(job(), job(name="other", id=JOB_ID[:-1] + "b")))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    assert main(["get", "lla", "-o", "name"]) == 0
    assert capsys.readouterr().out == "llama-sft\n"


def test_wait_shows_members_pulling_their_image(
    api: respx.MockRouter, naps: list[float], capsys: Capture
) -> None:
    pulling = {
        "type": "PodsReady", "status": "False", "reason": "Pulling",
        "message": "2 of 8 members run, 6 pull their image", "lastTransitionTime": AT,
    }  # fmt: skip
    starting = job(state="STARTING", pending=None, conditions=[pulling])
    api.get("/jobs").respond(200, json=page(starting))
    route = api.get(f"/jobs/{JOB_ID}")
    route.side_effect = [httpx.Response(200, json=j) for j in (starting, starting, ended("FAILED"))]
    api.get(f"/jobs/{JOB_ID}/logs").respond(200, text="")
    assert main(["logs", "-f", "llama-sft"]) == 0
    assert "llama-sft: starting" in (told := capsys.readouterr().err)
    assert printed(told, "cli.members-run-pull-their", 2, 8, 6)


class FakeKeyring:
    """In-memory backend of the package keyring."""

    def __init__(self, priority: float = 5) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.priority = priority

    def get_keyring(self) -> FakeKeyring:
        return self

    def set_password(self, service: str, name: str, password: str) -> None:
        self.kept[service, name] = password

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))


@pytest.mark.parametrize("priority", [5, -1])
def test_login_stores_the_token_in_an_available_keyring(
    api: respx.MockRouter,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    priority: float,
) -> None:
    keyring = FakeKeyring(priority)
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    me = api.get("/me").respond(
        200, json={"user": "ana", "tenant": "acme", "administrator": False, "roles": []}
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("a-token\n"))
    assert main(["login", "--token-stdin"]) == 0
    in_keyring = priority > 0
    assert ("token in the keyring" in capsys.readouterr().err) is in_keyring
    assert ("a-token" in (tmp_path / "config.json").read_text()) is not in_keyring
    assert main(["config", "set", "project", "nlp"]) == 0
    assert ("a-token" in (tmp_path / "config.json").read_text()) is not in_keyring
    assert main(["config", "api", "get", "/me"]) == 0
    assert me.calls.last.request.headers["Authorization"] == "Bearer a-token"


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "fairlead.cli.main", *arguments]


def test_a_closed_pipe_is_no_error() -> None:
    line = " ".join(command("config", "completion", "bash")) + " | true; echo ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_help_fits_a_terminal_of_40_cells_without_colour() -> None:
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "40", "NO_COLOR": "1"}
    with subprocess.Popen(command("--help"), stdout=follower, env=environment) as process:
        os.close(follower)
        text = b""
        while chunk := read(leader):
            text += chunk
    assert process.returncode == 0
    assert b"\x1b[" not in text
    assert b"Examples:" in text


def read(descriptor: int) -> bytes:
    """Reading a pty whose other end is closed is an error on Linux."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def test_verbs_are_completed() -> None:
    environment = {
        **os.environ,
        "_FAIRLEAD_COMPLETE": "complete_bash",
        "COMP_WORDS": "fairlead wh",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(command(), env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["why"]


def operation(**changes: Any) -> dict[str, Any]:
    """A drain under way."""
    return {
        "id": "opr_01m7vxn2c4e0mtrw2g5kqy8v3d",
        "kind": "DRAIN_NODE",
        "state": "RUNNING",
        "done": False,
        "subject": {"type": "node", "id": "nod_1", "name": "gpu-1"},
        "actor": "local",
        "metadata": {"percent": 50, "step": "1 of 2 attempts are left", "total": 2, "left": 1},
        "error": None,
        "response": None,
        "createdAt": "2026-11-20T07:40:11Z",
        "endedAt": None,
        **changes,
    }


def test_drain_shows_how_to_follow_it(api: respx.MockRouter, capsys: Capture) -> None:
    api.post("/nodes/gpu-1/drain").respond(202, json=operation())
    assert main(["node", "drain", "gpu-1"]) == 0
    told = capsys.readouterr()
    assert printed(told.out, "cli.drain-node-running-attempts", "gpu-1", 50, 1, 2)
    assert "Next: fairlead node operations opr_01m7vxn2c4e0mtrw2g5kqy8v3d" in told.err


def test_a_drain_has_a_deadline(api: respx.MockRouter, capsys: Capture) -> None:
    route = api.post("/nodes/gpu-1/drain", params={"deadline": "2h", "atDeadline": "STOP"})
    route.respond(202, json=operation())
    assert main(["node", "drain", "gpu-1", "--deadline", "2h", "--at-deadline", "stop"]) == 0
    assert route.called


def test_a_drain_is_waited_for(
    api: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    done = operation(state="SUCCEEDED", done=True, response={"moved": 2})
    api.post("/clusters/eu-1/drain").respond(202, json=operation())
    api.get("/operations/opr_01m7vxn2c4e0mtrw2g5kqy8v3d").mock(
        side_effect=[httpx.Response(200, json=one) for one in (operation(), operation(), done)]
    )
    assert main(["cluster", "drain", "eu-1", "--wait", "-o", "name"]) == 0
    told = capsys.readouterr()
    assert told.out == "opr_01m7vxn2c4e0mtrw2g5kqy8v3d\n"
    assert len(told.err.splitlines()) == 2


def test_doctor_prints_problems_with_steps_and_exits_by_severity(
    api: respx.MockRouter, capsys: Capture
) -> None:
    well = {"area": "roles", "subject": "all", "verdict": "OK", "found": "bound", "next": None}
    warning = {**well, "area": "clocks", "verdict": "WARNING", "found": "5 s", "next": "Set it."}
    problem = {
        **well,
        "area": "leases",
        "verdict": "PROBLEM",
        "found": "none",
        "next": "Start one.",
    }

    api.get("/checks").respond(200, json={"items": [well]})
    assert main(["doctor"]) == 0
    told = capsys.readouterr()
    assert "1 checks, all is well" in told.out + told.err

    api.get("/checks").respond(200, json={"items": [warning, well]})
    assert main(["doctor"]) == 30

    capsys.readouterr()
    api.get("/checks").respond(200, json={"items": [problem, warning, well]})
    assert main(["doctor"]) == 31
    told = capsys.readouterr()
    assert "roles" not in told.out
    assert "leases all: Start one." in told.out + told.err
    assert main(["doctor", "--all"]) == 31
    assert "roles" in capsys.readouterr().out


def test_incarnation_is_raised_from_the_displayed_one(
    api: respx.MockRouter, capsys: Capture
) -> None:
    known = {"id": "01m7vxn2c4e0mtrw2g5kqy8v3d", "incarnation": 1}
    api.get("/installation").respond(200, json=known)
    assert main(["config", "installation"]) == 0
    assert capsys.readouterr().out == "01m7vxn2c4e0mtrw2g5kqy8v3d  incarnation 1\n"
    order = api.post("/installation/raise-incarnation", headers={"If-Match": '"1"'})
    order.respond(200, json={**known, "incarnation": 2})
    assert main(["config", "installation", "--raise-incarnation-from", "1", "-o", "json"]) == 0
    assert '"incarnation": 2' in capsys.readouterr().out
    problem = {"status": 412, "code": "VERSION_MISMATCH", "detail": "The incarnation is 2 by now"}
    order.respond(412, json=problem)
    assert main(["config", "installation", "--raise-incarnation-from", "1"]) == 5
    assert "is 2 by now" in capsys.readouterr().err


def test_a_cluster_is_removed_after_its_plan_was_shown(
    api: respx.MockRouter, capsys: Capture
) -> None:
    plan = {"id": "clu_01m7vxn2c4e0mtrw2g5kqy8v3d", "name": "eu-1", "nodes": 2, "gpus": 16}
    plan["frontJobs"] = 3
    plan["modelServices"] = 2
    tried = api.delete("/clusters/eu-1", params={"validateOnly": "true"}, headers={"If-Match": "*"})
    tried.respond(200, json=plan)
    done = api.delete(f"/clusters/{plan['id']}").respond(200, json=plan)

    assert main(["cluster", "delete", "eu-1", "--dry-run"]) == 0
    assert capsys.readouterr().out == (
        "cluster eu-1 with 2 nodes and 16 GPUs, and 3 native Jobs that retain their finalizer,"
        " and 2 ModelServices that retain their finalizer while their services continue,"
        " would be removed\n"
    )
    assert main(["cluster", "delete", "eu-1"]) == 2  # nobody to ask
    assert not done.called
    assert main(["cluster", "delete", "eu-1", "-y"]) == 0
    assert done.called


def test_blockers_are_listed_when_a_cluster_cannot_be_removed(
    api: respx.MockRouter, capsys: Capture
) -> None:
    lives = {"pointer": "/jobs", "code": "IN_USE", "detail": "Jobs: waits.", "suggestion": None}
    refused = problem(409, "IN_USE", "Cluster eu-1 cannot be removed", errors=[lives])
    api.delete("/clusters/eu-1").respond(409, json=refused)
    assert main(["cluster", "delete", "eu-1", "-y"]) == 5
    assert "Jobs: waits." in capsys.readouterr().err


def test_supply_uses_either_a_webhook_or_the_autoscaler(
    api: respx.MockRouter, capsys: Capture
) -> None:
    asked = {"className": "atomic.example.com", "parameters": {"ValidUntilSeconds": "600"}}
    node = {"model": "H100", "gpus": 8, "capacity": "ON_DEMAND", "cpu": "96", "memory": "1000Gi"}
    stored = {
        "pool": "burst",
        "cluster": "us-2",
        "node": {**node, "gpuMemory": None, "labels": {}},
        "maxNodes": 8,
        "releaseAfter": "10m",
        "readyWithin": "30m",
        "webhook": None,
        "provisioningRequest": asked,
        "signingKey": None,
        "room": 8,
        "coming": 0,
        "stockOut": None,
        "requests": [],
        "version": 1,
    }
    put = api.put("/pools/burst/supply").respond(200, json=stored)
    words = "pool supply set burst --cluster us-2 --model H100 --gpus 8 --cpu 96 --memory 1000Gi"
    words += " --max 8"
    autoscaler = ["--provisioning-class", "atomic.example.com"]

    assert main(words.split()) == 2
    assert "either --url or --provisioning-class" in capsys.readouterr().err
    assert main([*words.split(), *autoscaler, "--url", "https://provisioner.example.com"]) == 2
    assert main([*words.split(), *autoscaler, "--parameter", "ValidUntilSeconds"]) == 2
    assert not put.called
    capsys.readouterr()
    assert main([*words.split(), *autoscaler, "--parameter", "ValidUntilSeconds=600"]) == 0
    sent = json.loads(put.calls.last.request.content)
    assert sent["provisioningRequest"] == asked
    assert "webhook" not in sent
    assert capsys.readouterr().out == "pool burst gets up to 8 nodes\n"


def test_forced_supply_removal_requires_a_reason_and_lists_remains(
    api: respx.MockRouter, capsys: Capture
) -> None:
    stays = problem(409, "ILLEGAL_STATE", detail="The cluster shows gpu-17, which is billed on.")
    api.delete("/pools/burst/supply", params={"validateOnly": "true"}).respond(409, json=stays)
    done = api.delete("/pools/burst/supply", params={"forceReason": "closed"}).respond(204)
    words = ["pool", "supply", "delete", "burst", "-y", "--force"]

    assert main(words) == 2
    assert "--force and --reason require each other" in capsys.readouterr().err
    assert main([*words, "--reason", "closed"]) == 0
    assert done.called
    assert "gpu-17, which is billed on" in "".join(capsys.readouterr())


def test_the_life_of_one_gpu_is_shown(api: respx.MockRouter, capsys: Capture) -> None:
    known = {
        "uuid": "GPU-1",
        "serial": "1653922",
        "cluster": "eu-1",
        "node": "gpu-1",
        "state": "UNKNOWN",
        "source": "INVENTORY",
        "firstSeen": "2030-01-01T00:00:00Z",
        "lastSeen": "2030-01-02T00:00:00Z",
        "missingSince": "2030-01-03T00:00:00Z",
    }
    change = {
        "at": "2030-01-02T00:00:00Z",
        "kind": "MOVED",
        "text": "from node gpu-0 to node gpu-1",
        "incident": None,
    }
    api.get("/gpus/1653922").respond(json=known)
    api.get("/gpus/1653922/history").respond(json={"items": [change], "nextPageToken": None})

    assert main(["gpus", "--serial", "1653922"]) == 0
    told = capsys.readouterr().out
    assert printed(
        told, "cli.gpu-unknown-since-utc", 1653922, "GPU-1", "2030-01-03 00:00 UTC", "gpu-1"
    )
    assert "2030-01-02 00:00:00 MOVED from node gpu-0 to node gpu-1" in told
    assert main(["gpus", "--serial", "1653922", "--node", "gpu-1"]) == 2
    held = api.get("/gpus").respond(json={"items": [], "nextPageToken": None})
    assert main(["gpus", "--each", "--serial", "1653922"]) == 0
    assert held.calls.last.request.url.params["serial"] == "1653922"


def test_the_output_of_a_sidecar_is_asked_for_by_its_name(
    api: respx.MockRouter, capsys: Capture
) -> None:
    # fails when -f follows the program instead of the container
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job(state="RUNNING", attempt=1))
    logs = api.get(f"/jobs/{JOB_ID}/logs").respond(200, text="ready\n")

    assert main(["logs", "-f", JOB_ID, "--container", "proxy"]) == 0
    assert capsys.readouterr().out == "ready\n"
    asked = logs.calls.last.request.url.params
    assert (asked["container"], asked["follow"]) == ("proxy", "true")
    assert main(["logs", JOB_ID, "--all", "--container", "proxy"]) == 2


def test_the_models_of_the_catalogue_are_listed(api: respx.MockRouter, capsys: Capture) -> None:
    model = {
        "name": "A30",
        "product": "NVIDIA-A30",
        "memory": "24Gi",
        "migProfiles": ["1g.6gb", "2g.12gb"],
        "keys": ["a30"],
        "machines": [],
    }
    api.get("/gpu-models").respond(json={"items": [model], "nextPageToken": None})

    assert main(["gpus", "--models"]) == 0
    shown = capsys.readouterr().out
    assert all(text in shown for text in ("A30", "24Gi", "1g.6gb, 2g.12gb"))
    assert main(["gpus", "--models", "--each"]) == 2


def test_use_is_shown_by_period_and_group(api: respx.MockRouter, capsys: Capture) -> None:
    row = {
        "from": "2030-01-01T00:00:00Z",
        "group": {"project": "nlp", "pool": ""},
        "gpuHours": 12.5,
        "milliGpuMillis": 45_000_000_000,
        "preliminary": True,
    }
    route = api.get("/usage").respond(json={"items": [row], "nextPageToken": None})

    assert main(["usage", "--by", "project,pool", "--period", "day"]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines()[1].split() == [
        "2030-01-01",
        "00:00",
        "nlp",
        "-",
        "12.500000",
        "yes",
    ]
    assert "close ten minutes after" in told.err
    assert route.calls.last.request.url.params.get_list("by") == ["project", "pool"]
    assert route.calls.last.request.url.params["period"] == "DAY"
    assert main(["usage", "--by", "project,pool", "-o", "csv"]) == 0
    assert "2030-01-01 00:00,nlp,-,12.500000,yes" in capsys.readouterr().out


def test_waits_are_shown_by_cause(api: respx.MockRouter, capsys: Capture) -> None:
    row = {
        "from": "2030-01-01T00:00:00Z",
        "group": {"cause": "QUOTA", "queue": "research"},
        "jobHours": 412.5,
        "jobMillis": 1_485_000_000,
        "preliminary": False,
    }
    route = api.get("/usage/waits").respond(json={"items": [row], "nextPageToken": None})

    assert main(["usage", "waits", "--by", "queue,cause", "--period", "day", "-o", "csv"]) == 0
    assert "2030-01-01 00:00,research,QUOTA,412.500000,-" in capsys.readouterr().out
    assert route.calls.last.request.url.params.get_list("by") == ["queue", "cause"]


def test_labels_of_use_are_named_and_shown(api: respx.MockRouter, capsys: Capture) -> None:
    named = {"from": "2030-01-31T15:00:00Z", "keys": ["grant", "paper"], "by": "ada"}
    put = api.put("/usage/labels").respond(json=named)
    api.get("/usage/labels").respond(json={"items": [named], "nextPageToken": None})

    assert main(["usage", "labels", "set", "grant", "paper"]) == 0
    assert printed(capsys.readouterr().out, "cli.added-up-grant-paper", "2030-01-31")
    assert json.loads(put.calls.last.request.content) == {"keys": ["grant", "paper"]}
    assert main(["usage", "labels"]) == 0
    assert "grant, paper" in capsys.readouterr().out
    assert main(["usage", "labels", "set"]) == 2
    assert main(["usage", "labels", "set", "--none", "grant"]) == 2


def test_spill_is_shown_by_cause(api: respx.MockRouter, capsys: Capture) -> None:
    cause = {"cause": "FULL", "servable": False, "gpuHours": 1.5, "milliGpuMillis": 5_400_000_000}
    spilled = {
        "tenant": "acme",
        "model": "H100",
        "capacity": "SPOT",
        "gpuHours": 1.5,
        "milliGpuMillis": 5_400_000_000,
        "servableGpuHours": 0,
        "servableMilliGpuMillis": 0,
        "causes": [cause],
    }
    bucket = {"bucket": "USED", "gpuHours": 8.0, "milliGpuMillis": 28_800_000_000}
    answer = {
        "from": "2030-01-01T00:00:00Z",
        "to": "2030-01-02T00:00:00Z",
        "preliminary": False,
        "reserved": [{"tenant": None, "model": "H100", "buckets": [bucket]}],
        "spill": [spilled],
    }
    route = api.get("/reports/spill").respond(json=answer)

    assert main(["usage", "savings", "--spill", "--every-tenant"]) == 0
    told = capsys.readouterr()
    row = told.out.splitlines()[1].split()
    assert row == ["acme", "H100", "SPOT", "1.500000", "no", "FULL"]
    assert "reserved H100, GPU-hours: 8.0 used" in told.err
    assert route.calls.last.request.url.params["everyTenant"] == "true"
    assert main(["usage", "savings", "--spill", "-o", "csv"]) == 0
    assert "acme,H100,SPOT,1.500000,no,FULL" in capsys.readouterr().out


def test_a_change_of_the_configuration_is_taken_back(
    api: respx.MockRouter, capsys: Capture
) -> None:
    # fails when a trial is sent as a change, or force unasked
    made = {
        "version": 48377, "action": "updateQuota", "kind": "QUEUE", "name": "research",
        "reverts": 48211, "before": {"weight": 2}, "after": {"weight": 1},
    }  # fmt: skip
    route = api.post("/config/history/48211/revert").respond(json=made)

    assert main(["--reason", "a mistake", "config", "revert", "48211"]) == 0
    assert printed(capsys.readouterr().out, "cli.before-version-version", 48211, 48377)
    assert dict(route.calls.last.request.url.params) == {"reason": "a mistake"}
    route.respond(json={**made, "version": None})
    assert main(["config", "revert", "48211", "--force", "--dry-run"]) == 0
    assert printed(capsys.readouterr().out, "cli.queue-research-would-before", "research", 48211)
    sent = dict(route.calls.last.request.url.params)
    assert sent == {"force": "true", "validateOnly": "true"}


def test_changes_of_the_configuration_are_listed(api: respx.MockRouter, capsys: Capture) -> None:
    change = {
        "version": 48211,
        "at": "2030-01-01T00:00:00Z",
        "actor": "ana",
        "action": "updateQuota",
        "kind": "QUEUE",
        "name": "research",
        "reason": "more of it",
        "changes": [{"path": "/weight", "before": "1", "after": "2"}],
    }
    route = api.get("/config/history").respond(json={"items": [change], "nextPageToken": None})
    documents = {"change": change, "before": {"weight": 1}, "after": {"weight": 2}}
    api.get("/config/history/48211").respond(json=documents)

    assert main(["config", "history", "--kind", "queue", "-o", "csv"]) == 0
    assert "ana,updateQuota,QUEUE,research,more of it,/weight 1 -> 2" in capsys.readouterr().out
    assert route.calls.last.request.url.params["kind"] == "QUEUE"
    assert main(["config", "history", "48211", "--kind", "queue"]) == 2
    assert main(["config", "history", "48211"]) == 0
    assert "1 -> 2" in capsys.readouterr().out


def test_help_of_the_history_names_every_kind_that_the_document_has(capsys: Capture) -> None:
    """Fails when kinds are listed by hand: later kinds were missing."""
    kinds = document()["components"]["schemas"]["ConfigVersionResponse"]["properties"]["kind"]
    assert main(["config", "history", "--help"]) == 0
    told = capsys.readouterr().out
    assert [word for word in kinds["enum"] if word.lower() not in told] == []


def test_savings_name_what_would_have_waited(api: respx.MockRouter, capsys: Capture) -> None:
    def used(hours: float) -> dict[str, object]:
        return {"gpuHours": hours, "milliGpuMillis": int(hours * 3_600_000_000)}

    line = {
        "model": "H100",
        "currency": "EUR",
        "used": used(5),
        "paid": 14.0,
        "allOnDemand": 20.0,
        "saved": 6.0,
        "reservedOnly": 2.0,
        "beyondReserved": 12.0,
        "parts": [{"capacity": "RESERVED", "used": used(2), "paid": 2.0, "onDemand": 8.0}],
    }
    wait = {
        "model": "H100",
        "waiting": used(3),
        "unserved": used(1),
        "meanWaitSeconds": 6000,
    }
    answer = {
        "from": "2030-01-01T00:00:00Z",
        "to": "2030-02-01T00:00:00Z",
        "preliminary": False,
        "lines": [line],
        "waits": [wait],
        "notCompared": used(7),
        "notComparedPaid": [],
    }
    route = api.get("/reports/savings").respond(json=answer)

    assert main(["usage", "savings", "--since", "7d"]) == 0
    told = capsys.readouterr()
    row = told.out.splitlines()[1].split()
    assert row == ["H100", "5.0", "EUR", "14.00", "20.00", "6.00", "2.00", "12.00"]
    assert printed(told.err, "cli.gpu-hours-would-waited", "3.0", "1.7")
    assert "1.0 would still wait" in told.err
    assert "7.0 GPU-hours are not compared" in told.err
    assert route.calls.last.request.url.params["from"] == "7d"
    assert main(["usage", "savings", "-o", "csv"]) == 0
    assert "H100,5.0,EUR,14.00,20.00,6.00,2.00,12.00" in capsys.readouterr().out


def statement_line(amount: float | None) -> dict[str, object]:
    price = {"price": "pri_1", "pricePerGpuHour": 2.49, "amount": amount, "currency": "EUR"}
    return {
        "from": "2030-01-01T00:00:00Z",
        "to": "2030-02-01T00:00:00Z",
        "project": {"id": "prj_1", "name": "nlp"},
        "queue": {"id": "que_1", "name": "research"},
        "cluster": {"id": "cl_1", "name": "eu"},
        "gpus": {"pool": "", "model": "H100", "capacity": "SPOT"},
        "used": {"gpuHours": 12.5, "milliGpuMillis": 45_000_000_000},
        "cost": None if amount is None else price,
    }


STATEMENT = {
    "month": "2030-01",
    "tenant": {"id": "ten_1", "name": "acme"},
    "from": "2030-01-01T00:00:00Z",
    "to": "2030-02-01T00:00:00Z",
    "preliminary": False,
    "signed": {"by": "ana", "at": "2030-02-01T09:00:00Z"},
    "totals": {
        "used": {"gpuHours": 25.0, "milliGpuMillis": 90_000_000_000},
        "withoutCost": {"gpuHours": 12.5, "milliGpuMillis": 45_000_000_000},
        "amounts": [{"amount": 31.125, "currency": "EUR"}],
    },
    "lines": [statement_line(31.125), statement_line(None)],
}


def test_a_month_is_shown_by_its_name_alone(api: respx.MockRouter, capsys: Capture) -> None:
    route = api.get("/statements/2030-01").respond(json=STATEMENT)
    api.get("/statements/2030-01/focus").respond(text="AvailabilityZone,BilledCost\n,31.125\n")

    assert main(["usage", "statement", "2030-01"]) == 0
    told = capsys.readouterr()
    assert "31.125000" in told.out.splitlines()[1]
    assert printed(told.err, "cli.signed-ana-gpu-hours", "25.000000", "31.125", "EUR", "12.500000")
    assert main(["usage", "statement", "-o", "csv", "2030-01"]) == 0
    row = capsys.readouterr().out.splitlines()[2]
    assert "nlp,research,eu,-,H100,SPOT,12.500000,-,-,-,-,45000000000,prj_1,que_1" in row
    assert main(["usage", "statement", "2030-01", "-o", "focus"]) == 0
    assert capsys.readouterr().out == "AvailabilityZone,BilledCost\n,31.125\n"
    assert route.call_count == 2


def volume_line(amount: float | None) -> dict[str, object]:
    price = {"price": "pri_2", "pricePerGibMonth": 0.08, "amount": amount, "currency": "EUR"}
    return {
        "from": "2030-01-01T00:00:00Z",
        "to": "2030-02-01T00:00:00Z",
        "volume": {"id": "vol_1", "name": "training"},
        "project": {"id": "prj_1", "name": "nlp"},
        "cluster": {"id": "clu_1", "name": "eu-1"},
        "storageClass": None,
        "sizeGib": 500,
        "held": {"gibHours": 372000.0, "gibMillis": 1_339_200_000_000},
        "cost": None if amount is None else price,
    }


def test_volumes_are_lines_of_a_statement(api: respx.MockRouter, capsys: Capture) -> None:
    held = {"gibHours": 744000.0, "gibMillis": 2_678_400_000_000}
    half = {"gibHours": 372000.0, "gibMillis": 1_339_200_000_000}
    totals = {**STATEMENT["totals"], "held": held, "heldWithoutCost": half}  # type: ignore[dict-item]
    volumes = [volume_line(40.0), volume_line(None)]
    found = {**STATEMENT, "totals": totals, "volumes": volumes}
    api.get("/statements/2030-01").respond(json=found)

    assert main(["usage", "statement", "2030-01", "-o", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["VOLUME"], row["GIB-HOURS"], row["AMOUNT"], row["CURRENCY"]) for row in rows] == [
        ("-", "-", "31.125000", "EUR"),
        ("-", "-", "-", "-"),
        ("training", "372000.000000", "40.000000", "EUR"),
        ("training", "372000.000000", "-", "-"),
    ]
    assert rows[2]["GPU-HOURS"] == rows[2]["QUEUE"] == "-"
    assert main(["usage", "statement", "2030-01"]) == 0
    told = capsys.readouterr().err
    assert "744000.000000 GiB-hours, 31.125 EUR" in told
    assert "372000.000000 GiB-hours have no price" in told


def tokens_line(key: str, included: object) -> dict[str, object]:
    return {
        "service": {"id": "svc_1", "name": "chat"},
        "project": {"id": "prj_1", "name": "nlp"},
        "key": key,
        "requests": 5,
        "promptTokens": 1900,
        "completionTokens": 100,
        "unmeteredRequests": 1,
        "included": included,
        "unknown": None if included else "NO_PRICE",
    }


def test_tokens_follow_the_lines_of_a_statement(api: respx.MockRouter, capsys: Capture) -> None:
    tokens = [
        tokens_line("app", {"amount": 2.0, "currency": "EUR"}),
        tokens_line("eval", None),
    ]
    api.get("/statements/2030-01").respond(json={**STATEMENT, "tokens": tokens})

    assert main(["usage", "statement", "2030-01"]) == 0
    told = capsys.readouterr()
    rows = [line.split() for line in told.out.splitlines()]
    assert ["nlp", "chat", "app", "5", "1900", "100", "1", "2.00", "EUR"] in rows
    assert ["nlp", "chat", "eval", "5", "1900", "100", "1", "no", "price"] in rows
    assert "whose cost the lines include" in told.err
    assert main(["usage", "statement", "2030-01", "-o", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(STATEMENT["lines"])  # type: ignore[arg-type]


def test_idle_cost_of_a_month_that_is_not_over_is_marked(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.get("/reports/idle-cost").respond(json=IDLE_COST | {"preliminary": True})

    assert main(["usage", "idle-cost", "2030-01", "-o", "csv"]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines()[0].endswith(",STILL COUNTED")
    assert all(row.endswith(",yes") for row in told.out.splitlines()[1:])
    assert "these figures are preliminary" in told.err


def test_exports_of_a_month_that_is_not_over_are_marked(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.get("/statements/2030-01").respond(json=STATEMENT | {"preliminary": True, "signed": None})
    api.get("/statements/2030-01/focus").respond(text="BilledCost,x_Preliminary\n31.125,true\n")

    assert main(["usage", "statement", "-o", "csv", "2030-01"]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines()[0].endswith(",STILL COUNTED")
    assert all(row.endswith(",yes") for row in told.out.splitlines()[1:])
    assert "these figures are preliminary" in told.err
    assert main(["usage", "statement", "-o", "focus", "2030-01"]) == 0
    told = capsys.readouterr()
    assert told.out == "BilledCost,x_Preliminary\n31.125,true\n"
    assert "these figures are preliminary" in told.err


IDLE_COST = {
    "month": "2030-01",
    "preliminary": False,
    "policy": {
        "from": "2030-01",
        "idle": "BY_USE",
        "outOfService": "APART",
        "weights": [],
        "by": "ops",
        "recordedAt": "2029-12-01T08:00:00Z",
    },
    "totals": [{"amount": 24, "distributed": 20, "apart": 4, "currency": "EUR"}],
    "lines": [
        {
            "owner": None,
            "model": "H100",
            "capacity": "RESERVED",
            "bucket": "FREE",
            "rule": "BY_USE",
            "unused": {"gpuHours": 10, "milliGpuMillis": 36000000000},
            "pricePerGpuHour": 2,
            "amount": 20,
            "currency": "EUR",
            "shares": [{"tenant": "vision", "amount": 20}],
        }
    ],
}


def test_idle_cost_is_shown_and_divided(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    report = api.get("/reports/idle-cost").respond(json=IDLE_COST)
    made = api.post("/idle-cost-policies").respond(201, json=IDLE_COST["policy"])

    assert main(["usage", "idle-cost", "2030-01"]) == 0
    shown = capsys.readouterr()
    assert report.calls.last.request.url.params["month"] == "2030-01"
    assert "vision 20.000000" in shown.out
    assert "charged to tenants: 20.00 EUR" in shown.out + shown.err
    assert main(["usage", "idle-cost", "set", "BY_USE", "--from", "2030-01"]) == 0
    assert json.loads(made.calls.last.request.content) == {
        "idle": "BY_USE",
        "outOfService": "APART",
        "from": "2030-01",
    }
    assert "from 2030-01 on" in capsys.readouterr().out


def test_a_month_is_signed_and_corrected(api: respx.MockRouter, capsys: Capture) -> None:
    signed = api.post("/statements/2030-01/sign-off").respond(json={**STATEMENT, "signed": None})
    corrections = {"month": "2030-01", "totals": STATEMENT["totals"], "lines": []}
    api.get("/statements/2030-01/corrections").respond(json=corrections)

    assert main(["usage", "statement", "sign", "2030-01", "--dry-run"]) == 0
    assert "would be signed: 25" in capsys.readouterr().out
    assert signed.calls.last.request.url.params["validateOnly"] == "true"
    assert main(["usage", "statement", "corrections", "2030-01"]) == 0
    assert "needs no correction" in capsys.readouterr().err
    used = {"gpuHours": -12.5, "milliGpuMillis": -45_000_000_000}
    less = {**statement_line(-31.125), "used": used}
    api.get("/statements/2030-01/corrections").respond(json={**corrections, "lines": [less]})
    assert main(["usage", "statement", "corrections", "2030-01", "-o", "csv"]) == 0
    row = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert (row["GPU-HOURS"], row["AMOUNT"], row["MILLI-GPU-MS"]) == (
        "-12.500000",
        "-31.125000",
        "-45000000000",
    )


def test_the_gpus_of_a_month_are_listed_by_uuid(api: respx.MockRouter, capsys: Capture) -> None:
    thing = {"id": "x", "name": "train"}
    held = {"gpuHours": 1.5, "milliGpuMillis": 5_400_000_000}
    known = {"gpu": "GPU-5ca9e8b1-0000-4000-8000-000000000001", "serial": "1653922", "held": held}
    others = {"model": "H100", "project": thing, "cluster": thing, "node": thing, "held": held}
    api.get("/statements/2030-01/devices").respond(
        json={"items": [{**others, **known}, {**others, "gpu": None, "serial": None}]}
    )

    assert main(["usage", "statement", "devices", "2030-01", "-o", "csv"]) == 0

    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["GPU"], row["SERIAL"], row["GPU-HOURS"]) for row in rows] == [
        ("GPU-5ca9e8b1-0000-4000-8000-000000000001", "1653922", "1.500000"),
        ("-", "-", "1.500000"),
    ]


def test_differing_hours_are_named_and_set_the_exit_code(
    api: respx.MockRouter, capsys: Capture
) -> None:
    item = {
        "from": "2030-01-01T00:00:00Z",
        "key": {"bucket": "FREE", "pool": ""},
        "storedMilliGpuMillis": 12,
        "reckonedMilliGpuMillis": 7,
    }
    answer = {"hours": 6, "differences": 1, "items": [item]}
    route = api.post("/usage/rebuild").respond(json=answer)
    span = ["--since", "2030-01-01T00:30:00Z", "--until", "2030-01-01T08:00:00Z"]

    assert main(["usage", "rebuild", "--verify", *span]) == 5
    told = capsys.readouterr()
    assert told.out.splitlines()[1].split() == [
        "2030-01-01",
        "00:00",
        "bucket=FREE",
        "pool=-",
        "12",
        "7",
    ]
    assert printed(told.err, "cli.closed-hours-compared-sums", 12, 2)
    asked = [call.request.url.params for call in route.calls]
    assert [one["to"] for one in asked] == [
        "2030-01-01T06:00:00+00:00",
        "2030-01-01T08:00:00+00:00",
    ]
    assert {one["validateOnly"] for one in asked} == {"true"}
    assert main(["usage", "rebuild", *span]) == 0
    assert "validateOnly" not in route.calls.last.request.url.params
    assert main(["usage", "rebuild", "--since", "1h", "--until", "2h"]) == 2


def test_a_fault_is_shown_held_and_released(api: respx.MockRouter, capsys: Capture) -> None:
    quarantine = {
        "id": "qua_1",
        "scope": "NODE",
        "gpu": None,
        "incident": "inc_1",
        "cause": "XID 79",
        "owner": None,
        "since": "2030-01-01T00:00:00Z",
        "until": "2030-01-02T00:00:00Z",
        "releasedAt": None,
        "released": None,
    }
    incident = {
        "id": "inc_1",
        "cluster": "eu-1",
        "node": "gpu-1",
        "nodes": ["gpu-1"],
        "gpu": "GPU-1",
        "serial": "1653922",
        "xid": 79,
        "cause": "XID 79 (GPU has fallen off the bus)",
        "scope": "NODE",
        "step": "POWER_CYCLE",
        "openedAt": "2030-01-01T00:00:00Z",
        "lastAt": "2030-01-01T00:00:00Z",
        "events": 3,
        "isolation": "node gpu-1 takes nothing new",
        "quarantine": quarantine,
        "endedAt": None,
    }
    listed = api.get("/incidents").respond(json={"items": [incident], "nextPageToken": None})
    api.get("/incidents/inc_1").respond(json=incident)
    held = {**quarantine, "owner": "olga", "until": None}
    for verb in ("quarantine", "release"):
        api.post(f"/nodes/gpu-1/{verb}").respond(json={"items": [held], "nextPageToken": None})

    assert main(["incident", "list"]) == 0
    assert "inc_1" in capsys.readouterr().out
    assert main(["incident", "get", "inc_1"]) == 0
    told = capsys.readouterr().out
    assert printed(told, "cli.xid-gpu-fallen-off", 79, 1653922, "gpu-1", "eu-1")
    assert printed(told, "cli.until-utc-unless-operator", "2030-01-02 00:00 UTC")
    asked = {
        "candidates": [{"job": "job_1", "name": "llama", "member": "worker-0"}],
        "until": "2030-01-01T00:30:00Z",
        "then": "STOP",
    }
    alone = {**quarantine, "scope": "GPU", "gpu": "GPU-1"}
    api.get("/incidents/inc_3").respond(
        json={**incident, "id": "inc_3", "quarantine": alone, "unknownHolder": asked}
    )
    assert main(["incident", "get", "inc_3"]) == 0
    told = capsys.readouterr().out
    assert "only this GPU, until 2030-01-02 00:00 UTC" in told
    assert printed(told, "cli.may-llama", "worker-0")
    assert "decide by 2030-01-01 00:30 UTC" in told
    assert printed(told, "cli.then-all-them-stopped")
    assert main(["incident", "list", "--open", "--node", "gpu-1"]) == 0
    assert listed.calls.last.request.url.params["open"] == "true"
    capsys.readouterr()
    hang = {
        **incident,
        "id": "inc_2",
        "nodes": ["gpu-1", "gpu-2", "gpu-3"],
        "gpu": None,
        "serial": None,
        "cause": "hang: no progress for 10m",
        "quarantine": None,
        "job": "job_1",
        "attempt": "att_1",
    }
    api.get("/incidents/inc_2").respond(json=hang)
    assert main(["incident", "get", "inc_2"]) == 0
    assert printed(
        capsys.readouterr().out, "cli.node-more-job-attempt", "gpu-1", 2, "eu-1", "job_1", "att_1"
    )
    assert main(["node", "quarantine", "gpu-1", "--reason", "part"]) == 0
    assert printed(capsys.readouterr().out, "cli.held-olga-until-released")
    assert main(["node", "release", "gpu-1", "-r", "exchanged"]) == 0
    assert "released from XID 79" in capsys.readouterr().out


def test_a_topology_domain_is_quarantined_and_released_as_a_whole(
    api: respx.MockRouter, capsys: Capture
) -> None:
    """Fails when it is requested without a message, twice, or by a dry run."""
    whole = next(one for one in operations() if one.id == "getDomainQuarantine").example
    path = "/clusters/eu-1/domain-quarantines"
    there = api.get(path).respond(json=page())
    made = api.post(path).respond(201, json=whole)
    domain = ["--cluster", "eu-1", "--domain", "rack=eu-1-r03", "--reason", "cooling fails"]

    assert main(["node", "quarantine", *domain, "--dry-run"]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == ["eu-1-gpu-0004", "eu-1-gpu-0005"]
    assert printed(told.err, "cli.pretrain-runs-node", 1)
    assert made.calls.last.request.url.params["validateOnly"] == "true"
    assert main(["node", "quarantine", *domain]) == 2
    assert made.calls.last.request.url.params["validateOnly"] == "true"
    assert main(["node", "quarantine", *domain, "--lasts", "2d", "--force", "-y"]) == 0
    assert "validateOnly" not in made.calls.last.request.url.params
    assert json.loads(made.calls.last.request.content) == {
        "reason": "cooling fails",
        "level": "rack",
        "domain": "eu-1-r03",
        "lasts": "2d",
        "force": True,
    }
    told = capsys.readouterr()
    assert printed(told.out, "cli.nodes-rack-out-use", 2, "eu-1-r03", "2026-03-03 12:00 UTC")
    assert "Next: fairlead node release --cluster eu-1 --domain rack=eu-1-r03" in told.err

    there.respond(json=page(whole))
    one = f"{path}/{whole['id']}"
    changed = api.patch(one).respond(json={**whole, "until": None, "version": 2})
    assert main(["node", "quarantine", *domain, "-y"]) == 0
    assert json.loads(changed.calls.last.request.content) == {
        "reason": "cooling fails",
        "until": None,
    }
    assert changed.calls.last.request.headers["If-Match"] == '"1"'
    assert printed(capsys.readouterr().out, "cli.ends-when-released")
    assert main(["node", "quarantines", "--cluster", "eu-1"]) == 0
    assert "eu-1-r03" in capsys.readouterr().out

    over = api.post(f"{one}/release").respond(json=whole)
    assert main(["node", "release", *domain]) == 2
    assert not over.calls
    assert main(["node", "release", *domain, "--dry-run"]) == 0
    assert over.calls.last.request.url.params["validateOnly"] == "true"
    assert main(["node", "release", *domain, "-y"]) == 0
    assert printed(capsys.readouterr().err, "cli.still-out-service-another", "eu-1-gpu-0004")


def test_a_domain_that_cannot_be_meant_is_refused(api: respx.MockRouter, capsys: Capture) -> None:
    """Fails when an older server is reported as a missing cluster."""
    domain = ["--domain", "rack=r3", "--reason", "cooling fails"]
    there = api.get("/clusters/eu-1/domain-quarantines").respond(json=page())
    assert main(["node", "release", "--cluster", "eu-1", *domain, "-y"]) == 2
    assert "rack=r3 of eu-1 is not quarantined" in capsys.readouterr().err
    assert (
        main(["node", "quarantine", "--cluster", "eu-1", "--domain", "rack", "-r", "x", "-y"]) == 2
    )
    assert "is not LEVEL=NAME" in capsys.readouterr().err
    assert main(["node", "quarantine", "gpu-1", "--cluster", "eu-1", *domain]) == 2
    assert main(["node", "quarantine", *domain]) == 2
    there.respond(
        404, json={"code": "NOT_FOUND", "status": 404, "detail": "There is no such path."}
    )
    cluster = next(one for one in operations() if one.id == "getCluster").example
    known = api.get("/clusters/eu-1").respond(json=cluster)
    assert main(["node", "quarantine", "--cluster", "eu-1", *domain, "-y"]) == 2
    assert "this server does not support" in capsys.readouterr().err
    known.respond(404, json={"code": "NOT_FOUND", "status": 404, "detail": "There is no cluster."})
    assert main(["node", "quarantine", "--cluster", "eu-1", *domain, "-y"]) == 3


def test_a_repairer_is_set_shown_and_removed(api: respx.MockRouter, capsys: Capture) -> None:
    """Fails when the requests to an operator's endpoint are not visible, or it has no key to verify calls."""
    task = {
        "id": "rpt_1",
        "repair": "rep_1",
        "node": "gpu-1",
        "step": "REBOOT",
        "state": "ORDERED",
        "orderedAt": "2026-03-01T12:00:00Z",
        "deadline": "2026-03-01T12:30:00Z",
        "reference": "INC-7",
        "unanswered": 0,
        "message": "it boots",
    }
    repairer = {
        "cluster": "eu-1",
        "steps": ["REBOOT"],
        "tests": True,
        "webhook": {"url": "https://machines.example.com/repair", "caData": None},
        "annotations": False,
        "signingKey": "abcd",
        "tasks": [task],
        "version": 1,
    }
    put = api.put("/clusters/eu-1/repairer")
    put.respond(json=repairer)
    api.get("/clusters/eu-1/repairer").respond(json=repairer)
    api.delete("/clusters/eu-1/repairer").respond(204)

    url = "https://machines.example.com/repair"
    assert main(["cluster", "repairer", "set", "eu-1", "--step", "reboot", "--url", url]) == 0
    assert json.loads(put.calls[0].request.content) == {
        "steps": ["REBOOT"],
        "tests": False,
        "webhook": {"url": url},
    }
    assert "signed with\nabcd" in capsys.readouterr().out
    assert main(["cluster", "repairer", "set", "eu-1", "--url", url, "--dry-run"]) == 0
    assert main(["cluster", "repairer", "get", "eu-1"]) == 0
    shown = capsys.readouterr().out
    assert "INC-7" in shown
    assert "it boots" in shown
    assert main(["cluster", "repairer", "get", "eu-1", "-o", "json"]) == 0
    assert main(["cluster", "repairer", "delete", "eu-1", "-y"]) == 0
    assert "eu-1 has no repairer" in capsys.readouterr().out

    janitor = {**repairer, "webhook": None, "annotations": True}
    put.respond(json=janitor)
    api.get("/clusters/eu-1/repairer").respond(json=janitor)
    assert main(["cluster", "repairer", "set", "eu-1", "--step", "reboot", "--annotations"]) == 0
    assert json.loads(put.calls[-1].request.content) == {
        "steps": ["REBOOT"],
        "tests": False,
        "annotations": True,
    }
    assert main(["cluster", "repairer", "get", "eu-1"]) == 0
    assert "annotations of the nodes" in capsys.readouterr().out
    assert main(["cluster", "repairer", "set", "eu-1", "--annotations", "--url", url]) == 2
    assert main(["cluster", "repairer", "set", "eu-1"]) == 2


def test_a_repair_is_shown_and_ordered(api: respx.MockRouter, capsys: Capture) -> None:
    repair = {
        "id": "rep_1",
        "cluster": "eu-1",
        "node": "gpu-1",
        "incident": "inc_1",
        "cause": "XID 79 (GPU has fallen off the bus)",
        "step": "SERVICE",
        "state": "ASKED",
        "message": "",
        "heldBy": None,
        "openedAt": "2030-01-01T00:00:00Z",
        "askedAt": "2030-01-01T00:01:00Z",
        "overdue": True,
        "steps": [
            {
                "step": "POWER_CYCLE",
                "askedAt": None,
                "at": "2030-01-01T00:01:00Z",
                "done": False,
                "by": "olga",
            }
        ],
        "endedAt": None,
    }
    listed = api.get("/repairs")
    listed.respond(json={"items": [repair], "nextPageToken": None})
    api.get("/repairs/rep_1").respond(json=repair)
    route = api.post("/repairs/rep_1/orders")
    route.respond(json={**repair, "state": "WAITING", "message": "held by olga"})

    assert main(["node", "repair", "list"]) == 0
    assert "ASKED, overdue" in capsys.readouterr().out
    assert listed.calls.last.request.url.params["open"] == "true"
    assert main(["node", "repair", "list", "--all"]) == 0
    assert "open" not in listed.calls.last.request.url.params
    capsys.readouterr()
    assert main(["node", "repair", "get", "rep_1"]) == 0
    assert "POWER_CYCLE: left out" in capsys.readouterr().out
    for verb in ("hold", "resume", "skip", "force", "done"):
        assert main(["node", "repair", verb, "rep_1", "service", "--reason", "logs first"]) == 0
        assert "held by olga" in capsys.readouterr().out
        sent = json.loads(route.calls.last.request.content)
        assert sent == {"order": verb.upper(), "step": "SERVICE", "reason": "logs first"}


def test_timeline_shows_all_events_on_one_axis(api: respx.MockRouter, capsys: Capture) -> None:
    entry = {
        "at": "2026-11-20T07:40:11Z",
        "source": "QUARANTINE",
        "type": "NodeQuarantined",
        "job": None,
        "node": "gpu-1",
        "actor": None,
        "text": "XID 79",
    }
    route = api.get("/nodes/gpu-1/timeline")
    route.respond(json={"items": [entry], "nextPageToken": None})
    api.get("/clusters/eu-1/timeline").respond(json={"items": [], "nextPageToken": None})

    assert main(["node", "timeline", "gpu-1", "--since", "2h"]) == 0
    assert "NodeQuarantined" in capsys.readouterr().out
    assert route.calls.last.request.url.params["sinceTime"] == "2h"
    assert main(["cluster", "timeline", "eu-1"]) == 0
    assert "no events since then" in "".join(capsys.readouterr())


def test_a_rule_is_tried_and_a_refused_one_fails(api: respx.MockRouter, capsys: Capture) -> None:
    found = {
        "from": "2026-11-13T07:40:11Z",
        "events": 2,
        "quarantines": 2,
        "nodes": 2,
        "currentQuarantines": 0,
        "allowed": False,
        "refusals": ["it would quarantine 2 nodes of cluster eu-1 at once"],
        "hits": [
            {
                "at": "2026-11-20T07:40:11Z",
                "cluster": "eu-1",
                "node": "gpu-1",
                "gpu": "GPU-1",
                "incident": None,
            }
        ],
    }
    route = api.post("/health-rules/replay")
    route.respond(json=found)

    assert main(["incident", "rule", "replay", "--xid", "31", "--quarantine", "node"]) == 6
    out = capsys.readouterr().out
    assert printed(out, "cli.quarantines-nodes-present-rule", 2, 2, 0)
    assert printed(out, "cli.gpu-action-taken-then", "gpu-1", "GPU-1")
    assert printed(out, "cli.refused-would-quarantine-nodes", 2)
    assert json.loads(route.calls.last.request.content)["quarantine"] == "NODE"
    route.respond(json={**found, "allowed": True, "refusals": []})
    assert main(["incident", "rule", "replay", "--xid", "31", "--quarantine", "NODE"]) == 0
    assert json.loads(route.calls.last.request.content)["xid"] == 31
    assert (
        main(["incident", "rule", "replay", "--code", "DCGM_FR_NVLINK_DOWN", "--quarantine", "GPU"])
        == 0
    )
    assert json.loads(route.calls.last.request.content) == {
        "code": "DCGM_FR_NVLINK_DOWN",
        "quarantine": "GPU",
        "back": "7d",
    }


def test_rules_are_listed_changed_and_set_back(api: respx.MockRouter, capsys: Capture) -> None:
    rule = {
        "code": "31",
        "xid": 31,
        "name": "MMU fault",
        "bucket": "RESTART_APP",
        "severity": "NONFATAL",
        "quarantine": "NONE",
        "step": "RESTART_JOB",
        "counted": True,
        "advice": "correlate",
        "changed": [],
        "version": 4,
    }
    api.get("/health-rules").respond(json={"version": "1.4", "items": [rule]})
    api.get("/health-rules/31").respond(json=rule)
    patch = api.patch("/health-rules/31")
    patch.respond(json={**rule, "quarantine": "GPU", "changed": ["quarantine"], "version": 5})

    assert main(["incident", "rule", "list"]) == 0
    assert "31    MMU fault  NONFATAL  NONE" in capsys.readouterr().out
    assert main(["incident", "rule", "list", "--acting"]) == 0
    assert "MMU" not in capsys.readouterr().out
    assert main(["incident", "rule", "get", "31"]) == 0
    assert "repaired by RESTART_JOB, as shipped" in capsys.readouterr().out
    assert main(["incident", "rule", "set", "31"]) == 2
    assert main(["incident", "rule", "set", "31", "--quarantine", "gpu", "--force"]) == 0
    assert "quarantine GPU" in capsys.readouterr().err
    assert patch.calls.last.request.headers["If-Match"] == '"4"'
    assert patch.calls.last.request.url.params["force"] == "true"
    assert json.loads(patch.calls.last.request.content) == {"quarantine": "GPU"}
    assert main(["incident", "rule", "reset", "31", "--dry-run"]) == 0
    assert patch.calls.last.request.url.params["validateOnly"] == "true"
    assert json.loads(patch.calls.last.request.content)["quarantine"] is None
    name = "DCGM_FR_PCIE_WIDTH"
    api.get(f"/health-rules/{name}").respond(json={**rule, "code": name, "xid": 0})
    assert main(["incident", "rule", "get", name]) == 0
    assert capsys.readouterr().out.startswith(f"{name} (MMU fault): NONFATAL")


def test_operations_are_listed_and_cancelled(api: respx.MockRouter, capsys: Capture) -> None:
    api.get("/operations").respond(200, json=page(operation()))
    assert main(["node", "operations"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("1 of 2 attempts are left")
    route = api.post("/operations/opr_01m7vxn2c4e0mtrw2g5kqy8v3d/cancel")
    route.respond(200, json=operation(state="CANCELLED", done=True))
    assert main(["node", "operations", "opr_01m7vxn2c4e0mtrw2g5kqy8v3d", "--cancel"]) == 0
    assert "cancelled" in capsys.readouterr().out
    assert main(["node", "operations", "--cancel"]) == 2


def test_events_are_followed_one_a_line(api: respx.MockRouter, capsys: Capture) -> None:
    event = {
        "id": "evt_01m7vxn2c4e0mtrw2g5kqy8v3d",
        "at": "2026-11-20T07:40:11Z",
        "type": "JobSubmitted",
        "subject": {"type": "job", "id": JOB_ID, "version": 1},
        "actor": "ana",
        "job": {"name": "llama-sft", "project": "nlp", "user": "ana", "place": None},
        "data": {"name": "llama-sft"},
    }
    block = f"id: {event['id']}\ndata: {json.dumps(event)}\n\n"
    route = api.get("/events/stream")

    answers = iter([block, None, block, None])

    def once_and_interrupted(request: httpx.Request) -> httpx.Response:
        text = next(answers)
        if text is None:
            raise KeyboardInterrupt
        return httpx.Response(200, text=text)

    route.side_effect = once_and_interrupted
    assert main(["job", "events", "-f", "--since", "evt_x"]) == 130
    assert "07:40:11Z  llama-sft  JobSubmitted  name=llama-sft" in capsys.readouterr().out
    assert route.calls[0].request.headers["Last-Event-ID"] == "evt_x"
    assert main(["job", "events", "-f", "-o", "jsonl"]) == 130
    assert json.loads(capsys.readouterr().out)["type"] == "JobSubmitted"
    assert main(["job", "events"]) == 2
    api.get("/events", params={"since": "2h"}).respond(200, json=page(event))
    assert main(["job", "events", "--since", "2h"]) == 0
    assert "JobSubmitted" in capsys.readouterr().out


def test_events_of_the_fleet_are_picked_by_node_and_named_by_it(
    api: respx.MockRouter, capsys: Capture
) -> None:
    event = {
        "id": "evt_1",
        "at": "2026-03-01T12:00:00Z",
        "type": "NodeNotice",
        "subject": {"type": "node", "id": "nod_1", "version": 3},
        "actor": "supervisor",
        "job": None,
        "data": {"cluster": "eu-1", "nodes": ["gpu-0042"], "notice": "SPOT"},
    }
    asked = {"since": "2h", "node": "gpu-0042", "type": "NodeNotice"}
    api.get("/events", params=asked).respond(200, json=page(event))
    words = ["job", "events", "--since", "2h", "--node", "gpu-0042", "--type", "NodeNotice"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "gpu-0042" in shown
    assert "notice=SPOT" in shown
    assert "nod_1" not in shown


def test_jobs_are_listed_by_a_part_of_their_name(api: respx.MockRouter, capsys: Capture) -> None:
    route = api.get("/jobs").respond(200, json=page(job()))
    assert main(["ps", "--all", "--name", "sft"]) == 0
    assert route.calls.last.request.url.params["nameContains"] == "sft"
    assert main(["job", "history", "--name", "sft"]) == 0
    assert route.calls.last.request.url.params["nameContains"] == "sft"


def test_each_gpu_shows_its_holder(api: respx.MockRouter, capsys: Capture) -> None:
    device = {
        "serial": "GPU-1",
        "index": 0,
        "node": "gpu-1",
        "cluster": "eu-1",
        "model": "H100",
        "memory": "81559Mi",
        "state": "HEALTHY",
        "nodeState": "ACTIVE",
        "allocated": 1,
        "others": 0.5,
        "holders": [
            {"job": JOB_ID, "name": "a", "attempt": "att_1", "member": "worker-0", "fraction": 0.5}
        ],
    }
    route = api.get("/gpus").respond(200, json=page(device))
    assert main(["gpus", "--each", "--node", "gpu-1"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("a worker-0, others")
    assert httpx.URL(route.calls.last.request.url).params["node"] == "gpu-1"


def test_placement_obstacles_of_nodes_are_shown(api: respx.MockRouter, capsys: Capture) -> None:
    one = {
        "nodeId": "nod_1",
        "node": "gpu-1",
        "cluster": "eu-1",
        "points": 11,
        "flaky_node": True,
        "parts": [
            {"kind": "FAULT", "times": 4, "points": 8},
            {"kind": "TEST", "times": 1, "points": 3},
        ],
        "gpus": [{"gpu": "GPU-a", "serial": "1653922", "points": 8}],
    }
    api.get("/flaky-nodes").respond(200, json=page(one))
    assert main(["node", "list", "--flaky-nodes"]) == 0
    assert "4 fault, 1 test" in capsys.readouterr().out
    assert main(["node", "list", "--flaky-nodes", "--cluster", "us-1"]) == 0
    assert "gpu-1" not in capsys.readouterr().out


def test_a_health_test_is_set_run_and_shown(
    api: respx.MockRouter, capsys: Capture, tmp_path: Path
) -> None:
    one: dict[str, Any] = {
        "name": "dcgm",
        "project": "fleet",
        "queue": None,
        "image": "dcgm",
        "command": [],
        "maxRuntime": "10m",
        "every": "7d",
        "idleFor": "10m",
        "atOnce": 4,
        "step": "SERVICE",
        "actor": "olga",
        "changedAt": "2026-11-20T07:40:11Z",
        "nodes": 0,
        "tested": 0,
        "underWay": 0,
        "message": "no node of the fleet matches the test",
    }
    run = {
        "id": "htr_1",
        "test": "dcgm",
        "nodeId": "nod_1",
        "node": "gpu-1",
        "cluster": "eu-1",
        "actor": None,
        "startedAt": "2026-11-20T07:40:11Z",
        "job": "job_1",
        "outcome": "HUNG",
        "message": "ran longer than its maxRuntime",
        "endedAt": "2026-11-20T07:50:11Z",
    }
    file = tmp_path / "dcgm.yaml"
    file.write_text("{project: fleet, job: {image: dcgm}}")
    put = api.put("/health-tests/dcgm").respond(200, json=one)
    assert main(["node", "test", "set", "dcgm", str(file)]) == 0
    assert b"image: dcgm" in put.calls.last.request.content
    assert printed(capsys.readouterr().err, "cli.node-fleet")
    assert main(["node", "test", "set", "dcgm", str(tmp_path / "none")]) == 2
    api.get("/health-tests").respond(200, json=page(one))
    assert main(["node", "test", "list"]) == 0
    assert "0/0" in capsys.readouterr().out
    api.post("/health-tests/dcgm/runs").respond(201, json=run)
    assert main(["node", "test", "run", "dcgm", "gpu-1"]) == 0
    assert printed(capsys.readouterr().out, "cli.node-tested-dcgm", "gpu-1")
    listed = api.get("/health-test-runs").respond(200, json=page(run))
    assert main(["node", "test", "runs", "--test", "dcgm"]) == 0
    assert listed.calls.last.request.url.params["healthTest"] == "dcgm"
    said = capsys.readouterr().out
    assert "HUNG" in said
    assert "clock" in said
    # Fails when a test for a waiting job is shown like a scheduled test.
    api.get("/health-test-runs").respond(200, json=page({**run, "preflightOf": "job_2"}))
    assert main(["node", "test", "runs"]) == 0
    said = capsys.readouterr().out
    assert "job_2" in said
    assert "clock" not in said
    api.delete("/health-tests/dcgm").respond(204)
    assert main(["node", "test", "delete", "dcgm"]) == 0


def campaign(**fields: Any) -> dict[str, Any]:
    """A campaign under way."""
    return {
        "id": "cmp_01m7vxn2c4e0mtrw2g5kqy8v3f",
        "name": "kernel",
        "reason": "new kernel",
        "actor": "olga",
        "state": "RUNNING",
        "message": "",
        "atOnce": 2,
        "drainWithin": "2h",
        "atDeadline": "SKIP",
        "mostUnhealthy": 0,
        "soak": "10m",
        "total": 9,
        "nodes": {
            "pending": 5,
            "draining": 1,
            "ready": 1,
            "soaking": 0,
            "unhealthy": 0,
            "done": 1,
            "skipped": 1,
        },
        "createdAt": "2026-11-20T07:40:11Z",
        "endedAt": None,
        **fields,
    }


def test_a_campaign_is_begun_paused_and_shown(api: respx.MockRouter, capsys: Capture) -> None:
    made = api.post("/campaigns").respond(201, json=campaign())
    begin = ["node", "campaign", "create", "kernel", "--reason", "new kernel", "--cluster", "eu-1"]
    assert main([*begin, "--at-once", "10%", "--within", "2h"]) == 0
    assert json.loads(made.calls.last.request.content) == {
        "name": "kernel",
        "reason": "new kernel",
        "cluster": "eu-1",
        "percentAtOnce": 10,
        "drainWithin": "2h",
    }
    assert (
        "fairlead node campaign done cmp_01m7vxn2c4e0mtrw2g5kqy8v3f NODE" in capsys.readouterr().err
    )
    assert main([*begin, "--at-once", "many"]) == 2
    api.get("/campaigns").respond(200, json=page(campaign(message="waits")))
    assert main(["node", "campaign", "list"]) == 0
    assert "2/9" in capsys.readouterr().out
    route = api.post("/campaigns/cmp_1/orders").respond(200, json=campaign(state="PAUSED"))
    assert main(["node", "campaign", "pause", "cmp_1", "--reason", "later"]) == 0
    assert json.loads(route.calls.last.request.content) == {"order": "PAUSE", "reason": "later"}
    assert "kernel (cmp_01m7vxn2c4e0mtrw2g5kqy8v3f): paused" in capsys.readouterr().out


def reservation(**fields: Any) -> dict[str, Any]:
    """One planned window, of two nodes."""
    return {
        "id": "rsv_01m7vxn2c4e0mtrw2g5kqy8v3f",
        "name": "demo",
        "purpose": "PROJECT",
        "tenant": "default",
        "project": "vision",
        "start": "2030-01-31T14:00:00Z",
        "end": "2030-01-31T18:00:00Z",
        "state": "UPCOMING",
        "leftoverPolicy": "FINISH",
        "reason": "for customers",
        "actor": "root",
        "createdAt": "2030-01-30T14:00:00Z",
        "nodesMissing": 1,
        "nodes": [
            {"id": "nod_1", "name": "gpu-1", "cluster": "eu-1", "state": "ACTIVE"},
            {"id": "nod_2", "name": "gpu-2", "cluster": "eu-1", "state": None},
        ],
    } | fields


def test_nodes_are_booked_shown_and_free_again(api: respx.MockRouter, capsys: Capture) -> None:
    made = api.post("/advance-reservations").respond(201, json=reservation())
    book = ["node", "reservation", "create", "demo", "--start", "2030-01-31T14:00Z", "--for", "4h"]
    where = ["--cluster", "eu-1", "--count", "2", "--leftover", "evict"]
    assert main([*book, "--project", "vision", *where]) == 0
    assert json.loads(made.calls.last.request.content) == {
        "name": "demo",
        "purpose": "PROJECT",
        "project": "vision",
        "start": "2030-01-31T14:00:00+00:00",
        "duration": "4h",
        "cluster": "eu-1",
        "count": 2,
        "leftoverPolicy": "EVICT",
    }
    shown = capsys.readouterr().out
    assert "demo (rsv_01m7vxn2c4e0mtrw2g5kqy8v3f): upcoming, for default/vision" in shown
    assert "2 nodes, 1 missing" in shown
    assert "eu-1/gpu-2 gone" in shown
    assert main([*book, "--maintenance", "--node", "gpu-1"]) == 0
    assert json.loads(made.calls.last.request.content)["purpose"] == "MAINTENANCE"
    assert main([*book, "--node", "gpu-1"]) == 2
    assert main([*book, "--maintenance", "--node", "gpu-1", "--start", "tomorrow"]) == 2
    assert main([*book, "--project", "vision", "--maintenance"]) == 2
    capsys.readouterr()
    api.get("/advance-reservations").respond(200, json=page(reservation()))
    assert main(["node", "reservation", "list"]) == 0
    assert "2, 1 missing" in capsys.readouterr().out
    api.get("/advance-reservations/demo").respond(200, json=reservation())
    gone = api.delete("/advance-reservations/rsv_01m7vxn2c4e0mtrw2g5kqy8v3f").respond(204)
    assert main(["node", "reservation", "show", "demo"]) == 0
    assert main(["node", "reservation", "cancel", "demo", "-y"]) == 0
    assert gone.called
    assert printed(capsys.readouterr().out, "cli.advance-reservation-demo-cancelled")
