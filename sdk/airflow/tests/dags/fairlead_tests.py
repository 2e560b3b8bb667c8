"""DAGs of the tests. Run times are of the simulated clusters."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import DAG, task

from fairlead_airflow.operators import FairleadJobOperator, FairleadRemediateOperator
from fairlead_airflow.sensors import FairleadHealthSensor


def simulated(seconds: int, **more: str) -> dict[str, str]:
    told = {"run-for": f"{seconds}s", **more}
    return {f"sim.fairlead.dev/{name}": value for name, value in told.items()}


def spec(seconds: int, **more: str) -> dict[str, Any]:
    return {
        "image": "train",
        "gpu": 1,
        "placement": {"clusters": ["us-2"]},
        "annotations": simulated(seconds, **more),
    }


class Crashes(FairleadJobOperator):
    """The process of its first try dies while its job runs."""

    def _ended(self, fl: Any, job: str, output: Any) -> Any:
        if self._mine is not None and self._mine.number == 1:
            raise OSError("the worker is gone")
        return super()._ended(fl, job, output)


@task
def tell(of: Any) -> None:
    print(f"XCOM {of}")


with DAG("journey", render_template_as_native_obj=True):
    fit = FairleadHealthSensor(
        task_id="fit", cluster="us-2", nodes=1, gpus=1, quarantined=0, poke_interval=1
    )
    train = FairleadJobOperator(
        task_id="train",
        job={**spec(3), "labels": {"run": "{{ dag_run.run_type }}"}},
        poll_interval=1,
    )
    waits = FairleadJobOperator(task_id="waits", job=spec(2), poll_interval=1, deferrable=True)
    crash = Crashes(
        task_id="crash", job=spec(6), poll_interval=1, retries=1, retry_delay=timedelta(0)
    )
    quarantine = FairleadRemediateOperator(
        task_id="quarantine",
        action="quarantine",
        node="us-2-gpu-0001",
        reason="test of {{ dag.dag_id }}",
        lasts="1h",
    )
    release = FairleadRemediateOperator(
        task_id="release", action="release", node="us-2-gpu-0001", reason="test is over"
    )
    again = FairleadRemediateOperator(
        task_id="again", action="release", node="us-2-gpu-0001", reason="the answer was lost"
    )
    fit >> train >> waits >> crash >> quarantine >> release >> again
    again >> tell.override(task_id="tell")([train.output, waits.output, crash.output])

for name, job in {
    "fails": spec(2, outcome="fail"),
    "refused": {**spec(1), "gpuz": 1},
    "nothing": "[1, 2]",
}.items():
    with DAG(name):
        FairleadJobOperator(task_id=name, job=job, poll_interval=1, retries=0)

with DAG("deferred_fails"):
    FairleadJobOperator(
        task_id="deferred_fails", job=spec(2, outcome="fail"), poll_interval=1, deferrable=True
    )

with DAG("slow"):
    FairleadJobOperator(
        task_id="slow",
        job=spec(3600),
        poll_interval=1,
        execution_timeout=timedelta(seconds=8),
    )

with DAG("deferred_slow"):
    FairleadJobOperator(
        task_id="deferred_slow",
        job=spec(3600),
        poll_interval=1,
        execution_timeout=timedelta(seconds=8),
        deferrable=True,
    )

with DAG("killed"):
    FairleadJobOperator(task_id="killed", job=spec(3600), poll_interval=1)

with DAG("unknown_step"):
    FairleadRemediateOperator(
        task_id="done", action="done", node="us-2-gpu-0002", reason="it is repaired", step="REBOOT"
    )
