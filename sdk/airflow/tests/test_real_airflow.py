"""DAGs in a real Airflow against the real service with its simulated clusters."""

from __future__ import annotations

import os
import re
import signal
import time
from typing import Any

from fairlead import Job

from conftest import ROOT, Airflow


def jobs_of(airflow: Airflow, name: str) -> list[Job]:
    """Newest first."""
    return [job for job in airflow.fl.jobs.list(project="default") if job.name.startswith(name)]


def test_a_dag_waits_for_a_fit_cluster_runs_jobs_and_takes_a_node_out_and_back(
    airflow: Airflow,
) -> None:
    told = airflow.test("journey")

    xcom = re.search(r"XCOM (\[.*\])", told)
    assert xcom is not None, told
    train, waits, crash = eval(xcom[1])
    assert [one["state"] for one in (train, waits, crash)] == ["SUCCEEDED"] * 3, told
    assert [one["attempts"] for one in (train, waits, crash)] == [1, 1, 1]
    job = airflow.fl.jobs.get(train["job"])
    assert job.labels["run"] == "manual"
    assert job.name.startswith("journey-train-")
    assert f"{job.name} ({job.id}) is RUNNING on us-2" in told
    # Fails when the second try of a task submits a second job after its process died.
    assert "the worker is gone" in told
    assert "taking up journey-crash-" in told
    taken = jobs_of(airflow, "journey-crash-")
    assert [one.labels["airflow-try"] for one in taken] == ["2"]
    # the node was out of use, and is no more
    assert "quarantine of node us-2-gpu-0001: [{" in told
    assert "release of node us-2-gpu-0001: [{" in told
    assert "release of node us-2-gpu-0001: nothing to do" in told
    assert airflow.fl.nodes.get("us-2-gpu-0001").state == "ACTIVE"


def test_a_job_that_fails_fails_its_task_with_its_own_words(airflow: Airflow) -> None:
    for dag in ("fails", "deferred_fails"):
        told = airflow.test(dag)
        job = jobs_of(airflow, dag.replace("_", "-"))[0]
        assert job.failure is not None
        assert f"ended FAILED: USER_ERROR: {job.failure.message}" in told, told


def test_a_spec_that_is_wrong_fails_with_each_field(airflow: Airflow) -> None:
    told = airflow.test("refused")
    assert "/gpuz" in told, told
    assert jobs_of(airflow, "refused") == []
    assert "job must be a mapping" in airflow.test("nothing")


def test_a_task_that_is_too_slow_cancels_its_job(airflow: Airflow) -> None:
    for dag in ("slow", "deferred_slow"):
        airflow.test(dag)
        job = jobs_of(airflow, dag.replace("_", "-"))[0]
        assert job.wait(60).state == "CANCELLED", dag


def test_an_order_to_a_repair_that_there_is_not_says_so(airflow: Airflow) -> None:
    assert "node us-2-gpu-0002 has 0 open repairs" in airflow.test("unknown_step")


def test_a_task_that_is_killed_cancels_its_job(airflow: Airflow) -> None:
    """The signal may arrive during a request."""
    process = airflow.start("killed")
    until = time.monotonic() + 120
    while not jobs_of(airflow, "killed-") and time.monotonic() < until:
        time.sleep(0.5)
    os.kill(process.pid, signal.SIGTERM)
    told = process.communicate(timeout=120)[0]

    (job,) = jobs_of(airflow, "killed-")
    assert job.wait(60).state == "CANCELLED", told
    assert "is cancelled, because its task was killed" in told


def test_the_dag_of_the_documentation_can_be_read() -> None:
    page = (ROOT / "docs/how-to/templates.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    made: dict[str, Any] = {}
    exec(source, made)
    assert made["train"].dag.task_ids == ["fit", "train", "report"]
