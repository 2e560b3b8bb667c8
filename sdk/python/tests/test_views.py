"""Lists, output of several members, job files and plans, as people read them."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import respx
import yaml
from documents import JOB_ID, attempt, ended, job, listing, page, plan
from texts import printed

from fairlead import models
from fairlead.cli import plans
from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]


def running(name: str) -> dict[str, Any]:
    return job(name=name, state="RUNNING", pending=None, attempt=1, startedAt=job()["createdAt"])


def test_running_jobs_come_first_and_all_are_counted(
    api: respx.MockRouter, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when 500 waiting jobs hide the running ones."""

    def answer(request: httpx.Request) -> httpx.Response:
        states = httpx.URL(request.url).params.get_list("state")
        found = [running("runs")] if states == ["RUNNING", *states[1:]] else [job()] * 3
        return httpx.Response(200, json=page(*found))

    api.get("/jobs").mock(side_effect=answer)
    api.get("/me").respond(200, json={"user": "ana", "tenant": "t", "administrator": False})
    counts = [{"group": {"state": "QUEUED"}, "jobs": 1988, "gpus": 8}]
    counts += [{"group": {"state": "RUNNING"}, "jobs": 12, "gpus": 8}]
    summary = api.get("/jobs/summary").respond(200, json=page(*counts))
    monkeypatch.setattr("fairlead.cli.jobs.COUNTED", 2)
    assert main(["ps", "--me", "-n", "2"]) == 0
    told = capsys.readouterr()
    assert [line.split()[0] for line in told.out.splitlines()] == ["NAME", "runs", "llama-sft"]
    assert told.err == "12 running, 1,988 queued. 2 of 2,000 shown: --limit\n"
    assert httpx.URL(summary.calls.last.request.url).params["user"] == "ana"
    assert main(["ps", "--me", "--user", "bo"]) == 2


@pytest.mark.parametrize("following", [[], ["-f"]])
def test_all_members_are_shown_with_their_names(
    api: respx.MockRouter, capsys: Capture, following: list[str]
) -> None:
    """Fails when only the output of one member can be read."""
    api.get("/jobs").mock(side_effect=listing(ended("SUCCEEDED")))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=ended("SUCCEEDED"))
    last = attempt("SUCCEEDED")
    api.get(f"/jobs/{JOB_ID}/attempts").respond(200, json=page(last))
    api.get(f"/jobs/{JOB_ID}/members").respond(200, json=page(*last["members"]))

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text=f"of {httpx.URL(request.url).params['member']}\n")

    api.get(f"/jobs/{JOB_ID}/logs").mock(side_effect=answer)
    assert main(["logs", *following, "llama-sft", "--all"]) == 0
    lines = sorted(capsys.readouterr().out.splitlines())
    assert lines == ["worker-0 | of worker-0", "worker-1 | of worker-1"]


def test_logs_say_which_member_they_show(api: respx.MockRouter, capsys: Capture) -> None:
    api.get("/jobs").mock(side_effect=listing(ended("SUCCEEDED")))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=ended("SUCCEEDED"))
    api.get(f"/jobs/{JOB_ID}/logs").respond(200, text="hello\n")
    assert main(["logs", "llama-sft"]) == 0
    assert printed(capsys.readouterr().err, "views.output-other-members-member", "worker-0")


def test_a_job_file_has_the_fields_that_were_written(
    api: respx.MockRouter, capsys: Capture
) -> None:
    """Fails when six written lines are printed as fifty."""
    api.get("/jobs").mock(side_effect=listing(job()))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    assert main(["get", "llama-sft", "-o", "yaml"]) == 0
    found = yaml.safe_load(capsys.readouterr().out)
    assert found["gpu"] == "H100:8"
    assert found["run"] == "train.py --config cfg.yaml"
    assert not {"retry", "placement", "preemption", "queue", "numa", "volumes"} & set(found)
    assert main(["get", "llama-sft", "-o", "yaml", "--full"]) == 0
    assert yaml.safe_load(capsys.readouterr().out)["retry"]["maxAttempts"] == 3


def test_a_job_file_has_the_secrets_of_a_job_as_submit_reads_them(
    api: respx.MockRouter, capsys: Capture
) -> None:
    """Fails when an exported job is refused because env contains an object."""
    wanted = {"HF_TOKEN": {"secret": "hub", "key": "token"}}
    stored = job(spec=job()["spec"] | {"secretEnv": wanted, "env": {"LR": "1"}})
    api.get("/jobs").mock(side_effect=listing(stored))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=stored)
    assert main(["get", "llama-sft", "-o", "yaml"]) == 0
    found = yaml.safe_load(capsys.readouterr().out)
    assert (found["env"], found["secretEnv"]) == ({"LR": "1"}, wanted)


def text_of(**changes: Any) -> str:
    return plans.text_of(models.PlanResponse.model_validate(plan(**changes)))


def test_the_plan_is_silent_where_nothing_is_known() -> None:
    """Fails when each cluster has a line about a price that is not set."""
    run = {"runs": 34, "level": "ALL", "p50": "1s", "p90": "145s"}
    told = text_of(expected={"run": run, "start": None})
    assert "cost not known" not in told
    assert "likely to run" not in told
    assert "likely to run" in text_of(expected={"run": run | {"level": "PROJECT"}, "start": None})


def test_the_first_line_of_a_plan_counts_elements_and_roles() -> None:
    spec = plan()["spec"]
    assert "array of 20 elements, each " in text_of(spec=spec | {"array": "0-19%4"}).splitlines()[0]
    role = {"name": "ps", "count": 2, "cpu": "1", "env": {}, "image": "x", "memory": "1Gi"}
    role |= {
        "minCount": 2,
        "rdma": False,
        "shm": "1Gi",
        "secretEnv": {},
        "volumes": [],
        "numa": "NONE",
    }
    first = text_of(spec=spec | {"workers": None, "roles": [role]}, gpus=8).splitlines()[0]
    assert "2 ps, 8 GPUs in all" in first
