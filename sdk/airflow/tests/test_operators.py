"""Operators of Airflow on a mocked service."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from fairlead import models

from fairlead_airflow.hook import FairleadHook
from fairlead_airflow.operators import FairleadJobOperator


@pytest.mark.parametrize("cancels", [True, False])
def test_a_kill_before_the_submit_cancels_only_where_it_is_to(
    monkeypatch: pytest.MonkeyPatch, cancels: bool
) -> None:
    """Fails when a job that should outlive its task is cancelled with the task."""
    job: Any = SimpleNamespace(
        id="job_1",
        name="train",
        project="nlp",
        state="SUCCEEDED",
        attempt=1,
        ended=True,
        array=None,
        started_at=None,
        ended_at=None,
        placement=models.Place(nodes=[]),
    )
    cancelled: list[str] = []

    def submitted(operator: FairleadJobOperator, *_: object) -> Any:
        operator.on_kill()
        return job

    access = SimpleNamespace(client=nullcontext)
    monkeypatch.setattr(FairleadHook, "access", lambda _: access)
    monkeypatch.setattr(FairleadJobOperator, "_own", submitted)
    monkeypatch.setattr(FairleadJobOperator, "_ended", lambda *_: job)
    monkeypatch.setattr(FairleadJobOperator, "_cancel", lambda *_: cancelled.append(job.id))
    operator = FairleadJobOperator(task_id="train", job={}, log_lines=0, cancel_on_kill=cancels)

    operator.execute({"ti": SimpleNamespace(xcom_push=lambda **_: None)})

    assert cancelled == (["job_1"] if cancels else [])
