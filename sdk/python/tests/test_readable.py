"""Output for people: names before ids, times with a zone or relative, verbs of the command line."""

from __future__ import annotations

import json
import re
import time
from datetime import datetime, timezone
from typing import Any

import pytest
import respx
import yaml
from conftest import ROOT
from documents import JOB_ID, attempt, ended, explanation, job, listing, operations, page, problem
from texts import printed

from fairlead import Job, models
from fairlead.cli import text
from fairlead.cli.main import main
from fairlead.cli.report import efficiency, explained, failed_members, held_devices

Capture = pytest.CaptureFixture[str]
AT = "2026-01-01T00:00:00Z"


def not_evaluated(message: str) -> dict[str, Any]:
    why = {"reason": "NOT_EVALUATED", "class": "WAIT", "message": message, "since": AT}
    return job(pending=why)


@pytest.mark.parametrize("verb", [["ps"], ["get", "llama-sft"]])
def test_waiting_job_reports_that_planning_is_stopped(
    verb: list[str], api: respx.MockRouter, capsys: Capture
) -> None:
    """Fails if the message is not read: every NOT_EVALUATED was reported as evaluated next."""
    outage = "no job is planned, because the scheduler fails at each attempt: java.lang.Error: x"
    api.get("/jobs").mock(side_effect=listing(not_evaluated(outage)))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=not_evaluated(outage))
    assert main(verb) == 0
    told = capsys.readouterr().out
    assert "no job is planned" in told
    assert "evaluates it in the next cycle" not in told


def test_next_job_reports_that_the_scheduler_considers_it_next() -> None:
    sources = (
        "api/src/main/java/dev/fairlead/work/job/web/view/JobResponses.java",
        "scheduler/src/main/java/dev/fairlead/work/placement/blockers/Blockers.java",
    )
    for message, source in zip(text.ITS_TURN_COMES, sources, strict=True):
        # Fails when the service uses another text.
        assert f'"{message}"' in (ROOT / source).read_text(encoding="utf-8")
        waiting = models.JobResponse.model_validate(not_evaluated(message))
        assert text.waits(waiting) == "the scheduler evaluates it in the next cycle"


def test_events_name_jobs_attempts_and_clusters(api: respx.MockRouter, capsys: Capture) -> None:
    """Fails when ids are shown although the event has names, or names are requested from the service."""
    place = {"cluster": "eu-1", "nodes": ["gpu-0001"], "nodeCount": 1}
    event = {
        "id": "evt_1",
        "at": "2026-11-20T07:40:11.123456Z",
        "type": "AttemptRunning",
        "subject": {"type": "job", "id": JOB_ID, "version": 4},
        "actor": "system",
        "job": {"name": "llama-sft", "project": "nlp", "user": "ana", "place": place},
        "data": {"attempt": "att_1", "number": 2, "cluster": "clu_1", "element": 3},
    }
    api.get("/jobs").mock(side_effect=listing(job()))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    api.get(f"/jobs/{JOB_ID}/events").respond(200, json=page(event))
    api.get("/events").respond(200, json=page(event, event))
    assert main(["job", "events", "llama-sft"]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.endswith("07:40:11Z  AttemptRunning  system  attempt 2 on eu-1 element=3")
    assert main(["job", "events", "--since", "2h"]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.endswith("llama-sft  AttemptRunning  attempt 2 on eu-1 element=3")
    assert main(["job", "events", "llama-sft", "-o", "wide"]) == 0
    assert {"evt_1", "att_1", JOB_ID} <= set(capsys.readouterr().out.split())


def test_an_event_of_a_deleted_job_has_its_name(api: respx.MockRouter, capsys: Capture) -> None:
    event = {"id": "evt_1", "at": AT, "type": "JobDeleted", "actor": "ana", "data": {}}
    event["subject"] = {"type": "job", "id": JOB_ID, "version": 9}
    event["job"] = {"name": "llama-sft", "project": "nlp", "user": "ana", "place": None}
    api.get("/events").respond(200, json=page(event))
    assert main(["job", "events", "--since", "2h"]) == 0
    assert "llama-sft  JobDeleted" in capsys.readouterr().out


def cluster(identity: str, name: str) -> dict[str, Any]:
    operation = next(one for one in operations() if one.id == "listClusters")
    return {**operation.example["items"][0], "id": identity, "name": name}


def test_the_gpu_stack_of_a_cluster_shows_versions_by_nodes(
    api: respx.MockRouter, capsys: Capture
) -> None:
    """Fails when nodes with different drivers are not distinguished, or a missing right is not reported."""
    found = cluster("cl_1", "eu-1")
    driver = [{"version": "570.124.06", "nodes": 6}, {"version": "550.90.07", "nodes": 2}]
    found["capabilities"]["gpuStack"] = [
        {"part": "DRIVER", "state": "PRESENT", "versions": driver, "reason": None},
        {"part": "DCGM_EXPORTER", "state": "UNKNOWN", "versions": [], "reason": "may not list it"},
    ]
    api.get("/clusters/eu-1").respond(200, json=found)
    assert main(["cluster", "gpu-stack", "eu-1"]) == 0
    told = capsys.readouterr().out
    assert "570.124.06 on 6 nodes, 550.90.07 on 2 nodes" in told
    assert "may not list it" in told


@pytest.mark.parametrize(
    "words", [["ps", "-o", "wide"], ["job", "history"], ["job", "history", "-o", "csv"]]
)
def test_times_have_a_zone_and_no_microseconds(
    api: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    at = "2026-07-01T10:00:00.123456Z"
    api.get("/jobs").respond(200, json=page(ended("FAILED") | {"createdAt": at, "endedAt": at}))
    assert main(words) == 0
    told = capsys.readouterr().out
    monkeypatch.undo()
    time.tzset()
    assert "2026-07-01 12:00:00+02:00" in told
    assert "123456" not in told


def test_a_time_within_a_message_is_said_as_people_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when a message shows the microseconds of the service."""
    monkeypatch.setattr(text, "now", lambda: datetime(2026, 1, 1, 10, tzinfo=timezone.utc))
    assert text.times("retry at 2026-01-01T10:00:09.123456Z (attempt 2 of 3)") == (
        "retry in 9.0s (attempt 2 of 3)"
    )
    told = text.times("not to start before 2026-01-01T12:00:00Z")
    assert told.startswith("not to start before 2026-01-01 ")
    assert told.endswith(" (in 2h00m)")
    assert text.times("needs 64 H100") == "needs 64 H100"


def test_a_job_can_be_taken_out_and_submitted_again(api: respx.MockRouter, capsys: Capture) -> None:
    """Fails when the file has fields that submit does not take."""
    whole = next(one for one in operations() if one.id == "getJob").example
    api.get("/jobs").mock(side_effect=listing(whole))
    api.get(f"/jobs/{whole['id']}").respond(200, json=whole)
    assert main(["get", whole["name"], "-o", "yaml"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(
        f"# {whole['id']} of project {whole['project']}\nname: {whole['name']}\n"
    )
    again = models.SubmitJobRequest.model_validate(yaml.safe_load(told))
    assert (again.name, again.workers) == (whole["name"], whole["spec"]["workers"])
    assert main(["get", whole["name"], "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == whole["state"]


def test_job_that_never_started_reports_no_output(api: respx.MockRouter, capsys: Capture) -> None:
    gone = job(state="CANCELLED", pending=None, endedAt=AT)
    api.get("/jobs").mock(side_effect=listing(gone))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=gone)
    api.get(f"/jobs/{JOB_ID}/logs").respond(404, json=problem(404, "NOT_FOUND"))
    assert main(["logs", "llama-sft"]) == 3
    assert capsys.readouterr().err.startswith("llama-sft is CANCELLED. The job never started")


def test_deleted_output_links_to_the_platform_log_store(
    api: respx.MockRouter, capsys: Capture
) -> None:
    """Fails when the address is not shown, or is of another member."""
    of_job, of_member = "https://logs.example/job", "https://logs.example/member-"
    gone = ended("FAILED", logsUrl=of_job)
    members = [
        {**one, "logsUrl": f"{of_member}{one['index']}"} for one in attempt("FAILED")["members"]
    ]
    api.get("/jobs").mock(side_effect=listing(gone))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=gone)
    api.get(f"/jobs/{JOB_ID}/members").respond(200, json=page(*members))
    api.get(f"/jobs/{JOB_ID}/logs").respond(404, json=problem(404, "NOT_FOUND"))
    assert main(["logs", "llama-sft"]) == 3
    assert of_job in capsys.readouterr().err
    assert main(["logs", "llama-sft", "--member", "worker-1"]) == 3
    told = capsys.readouterr().err
    assert f"{of_member}1" in told
    assert of_job not in told
    assert main(["get", "llama-sft"]) == 0
    assert of_job in capsys.readouterr().out


def test_an_array_of_which_some_were_cancelled_is_not_called_done_alone() -> None:
    counts = {"elements": 4, "queued": 0, "running": 0, "succeeded": 1, "failed": 1, "cancelled": 2}
    of_four = models.JobResponse.model_validate(job(array=counts))
    assert text.place(of_four) == "4 of 4 done, 1 failed, 2 cancelled"


def test_the_progress_of_a_program_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when a number is missing, or a job without reports is shown like a job with reports."""
    at = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)
    monkeypatch.setattr(text, "now", lambda: at)
    report = {
        "step": 1200,
        "total": 5000,
        "metrics": {"loss": 0.31},
        "reportedAt": "2030-01-01T11:59:57Z",
        "expectedEnd": "2030-01-01T14:10:00Z",
    }
    where = {"cluster": "eu-1", "nodes": ["gpu-7"]}

    def told(**changes: Any) -> tuple[str, str]:
        one = models.JobResponse.model_validate(
            job(state="RUNNING", pending=None, placement=where, attempt=1, **changes)
        )
        return text.progress(one.progress), text.place(one)

    assert told(progress=report) == (
        "1,200 of 5,000 steps (24 %), loss 0.31, 3.0s ago, about 2h10m left",
        "eu-1, gpu-7, 24 % done",
    )
    short = {"step": 1200, "metrics": {}, "reportedAt": "2030-01-01T11:59:57Z"}
    assert told(progress=short) == ("step 1,200, 3.0s ago", "eu-1, gpu-7, step 1,200")
    over = report | {"step": 4999, "expectedEnd": "2030-01-01T11:00:00Z"}
    assert told(progress=over)[0].endswith("4,999 of 5,000 steps (99 %), loss 0.31, 3.0s ago")
    assert told(progress=None) == ("", "eu-1, gpu-7")


def test_a_report_of_an_array_names_failed_members_of_each_element() -> None:
    """Fails when only the failures of the last element are named."""
    bad = attempt("FAILED")
    bad["members"][0]["exitCode"] = 7
    found = [models.AttemptResponse.model_validate(bad | {"element": n}) for n in (3, 5)]
    assert [line.split(" on ")[0] for line in failed_members(found)] == [
        "element 3, worker-0",
        "element 5, worker-0",
    ]


def test_a_report_names_the_devices_of_the_newest_attempt_with_their_sources() -> None:
    """Fails when contradictory sources are shown as one source, or a shared device as a whole device."""
    gpu, other = (
        "GPU-5ca9e8b1-0000-4000-8000-000000000001",
        "GPU-5ca9e8b1-0000-4000-8000-000000000002",
    )
    body = attempt("RUNNING")
    both = {"gpu": gpu, "serial": "16539", "part": False, "sources": ["NODE_AGENT", "POD_STATUS"]}
    part = {"gpu": gpu, "part": True, "sources": ["NODE_AGENT"]}
    agent = {"gpu": other, "part": False, "sources": ["NODE_AGENT"]}
    pod = {"gpu": gpu, "part": False, "sources": ["POD_STATUS"]}

    def told(devices: list[dict[str, Any]]) -> list[str]:
        members = [body["members"][0] | {"devices": devices}, body["members"][1] | {"devices": []}]
        newest = models.AttemptResponse.model_validate(body | {"members": members})
        return [line.split(": ", 1)[1] for line in held_devices([newest])]

    assert told([both]) == ["GPU 16539 by node agent and pod status"]
    assert told([part]) == [f"a part of GPU {gpu} by node agent"]
    assert told([pod, agent]) == [
        f"GPU {gpu} by pod status, GPU {other} by node agent (sources disagree)"
    ]
    assert told([]) == []


def test_report_shows_gpu_use_by_purpose() -> None:
    """Fails when an unknown value counts as zero, or short attempts count as much as long."""
    measured = {
        "utilisation": 80.0,
        "lastUtilisation": 1.0,
        "memoryPeakMib": 40960,
        "energyJoules": 3_600_000,
        "samples": 30,
        "since": AT,
        "sampledAt": "2026-01-01T01:00:00Z",
        "idleSince": "2026-01-01T00:15:00Z",
    }
    gpu = {"serial": "GPU-1", "fraction": 1.0, "slices": None}
    member = attempt("RUNNING")["members"][0] | {"gpus": [gpu]}
    several = [
        models.AttemptResponse.model_validate(
            attempt("RUNNING") | {"members": [member], "efficiency": measured | more}
        )
        for more in ({}, {"utilisation": 40.0, "samples": 10, "sampledAt": AT, "idleSince": None})
    ]
    assert efficiency(several) == (
        "GPUs 70% used in 40 samples, at most 40.0 GiB on one, 2.00 kWh, idle for 45m00s"
    )
    unknown = models.AttemptResponse.model_validate(attempt("RUNNING") | {"members": [member]})
    assert efficiency([unknown]).startswith("not known")
    plain = models.AttemptResponse.model_validate(
        attempt("RUNNING") | {"members": [member | {"gpus": []}]}
    )
    assert efficiency([plain]) == ""


def test_user_requested_end_has_no_cause() -> None:
    assert text.cause("STOPPED", "suspended by its owner") == "suspended by its owner"
    assert text.cause("USER_ERROR", "exit code 1") == "USER_ERROR: exit code 1"


def test_preemption_names_its_rule_even_while_the_job_waits_again() -> None:
    """Fails when a queued job shows its present reason but not its preemption."""
    failure: dict[str, Any] = {"cause": "PREEMPTED", "message": "preempted", "right": "RECLAIM"}
    failure |= {"attempt": 1, "evidence": []}
    low = Job.model_validate(job(state="QUEUED", failure=failure))
    why = models.ExplanationResponse.model_validate(explanation(state="QUEUED"))
    assert "PREEMPTED (RECLAIM): preempted" in explained(low, why)


def test_verbs_are_called_as_the_command_line_has_them(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.get("/jobs").mock(side_effect=listing(job()))
    can = [{"name": "patch", "allowed": True, "reason": None}]
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job(actions=can))
    assert main(["get", "llama-sft"]) == 0
    assert re.search(r"Allowed +update\n", capsys.readouterr().out)
    detail = "Job llama-sft cannot be changed: it has ended."
    api.patch(f"/jobs/{JOB_ID}").respond(409, json=problem(409, "ILLEGAL_STATE", detail))
    assert main(["job", "update", "llama-sft", "--priority", "high"]) == 5
    assert printed(capsys.readouterr().err, "readable.cannot-changed-ended")


def test_message_names_the_command_and_not_the_api_request(
    api: respx.MockRouter, capsys: Capture
) -> None:
    detail = 'There is no budget "x". GET /api/v1/budgets lists them.'
    api.get("/budgets/x").respond(404, json=problem(404, "NOT_FOUND", detail))
    assert main(["budget", "get", "x"]) == 3
    assert printed(capsys.readouterr().err, "readable.there-budget-fairlead-budgets", "x")


def test_a_drain_with_a_wrong_timeout_does_not_begin(
    api: respx.MockRouter, capsys: Capture
) -> None:
    assert main(["cluster", "drain", "eu-1", "--wait", "--timeout", "soon"]) == 2
    assert printed(capsys.readouterr().err, "readable.timeout-soon-duration", "soon")
    assert not api.calls


def test_changes_that_let_a_job_start_have_a_matching_heading(
    api: respx.MockRouter, capsys: Capture
) -> None:
    """Fails when a list of changes has the heading of a list of places."""
    change = {"field": "workers", "from": "8", "to": "5"}
    why = explanation(nearMisses=[{"change": change, "effect": "starts now on eu-1"}])
    api.get("/jobs").mock(side_effect=listing(job()))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    api.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=why)
    assert main(["why", "llama-sft"]) == 0
    shown = capsys.readouterr().out
    assert printed(shown, "readable.would-start-workers-instead", 5, 8, "eu-1")
