"""The owners of jobs, and the messages of a task about them; needs no Airflow."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fairlead import Unreachable, models

from fairlead_airflow.jobs import (
    LONGEST_NAME,
    REPEAT_REASON_SECONDS,
    Patience,
    Story,
    TaskTry,
    result,
    spec_of,
    why_ended,
)


def task_try(
    number: int = 1,
    *,
    user: str = "sa:airflow",
    dag: str = "train",
    run: str = "scheduled__1",
    started: str = "2030-01-01T00:00:00",
    most: int = 2,
    index: int = -1,
) -> TaskTry:
    ti = SimpleNamespace(
        dag_id=dag, run_id=run, task_id="fit", map_index=index, try_number=number, max_tries=most
    )
    return TaskTry.of(user, ti, started)


def job(state: str, **more: Any) -> Any:
    told = {
        "id": "job_1",
        "name": "train",
        "project": "nlp",
        "attempt": 1,
        "labels": {},
        "pending": None,
        "failure": None,
        "unreachable": None,
        "started_at": None,
        "ended_at": None,
        "placement": models.Place(nodes=[]),
        **more,
    }
    return SimpleNamespace(state=state, **told)


def test_tries_of_a_task_are_one_task_and_all_else_is_another() -> None:
    first = task_try()
    assert task_try(2).task == first.task
    assert task_try(4, most=5).task == first.task
    others = [
        task_try(user="sa:staging"),
        task_try(dag="eval"),
        task_try(run="scheduled__2"),
        task_try(index=3),
    ]
    assert len({first.task, *(other.task for other in others)}) == 5


def test_each_try_submits_under_a_key_of_its_own_and_a_process_of_it_under_the_same() -> None:
    assert task_try().key == task_try().key
    keys = {task_try(n).key for n in (1, 2, 3)} | {task_try(started="2030-01-02").key}
    assert len(keys) == 4


def test_a_later_try_takes_up_what_goes_on_or_succeeded_and_nothing_that_failed() -> None:
    first, second = task_try(), task_try(2)
    assert second.resumes(job("RUNNING", labels=first.labels), ended=False)
    assert second.resumes(job("SUCCEEDED", labels=first.labels), ended=True)
    assert not second.resumes(job("FAILED", labels=first.labels), ended=True)
    assert not second.resumes(job("CANCELLED", labels=first.labels), ended=True)
    assert not second.resumes(job("CANCELLING", labels=first.labels), ended=False)
    assert first.resumes(job("FAILED", labels=first.labels), ended=True)


def test_what_ended_before_a_clear_or_in_a_run_that_was_made_again_does_not_count() -> None:
    """Fails when a task that is cleared after its success submits no job."""
    first = task_try()
    for later in (task_try(2, most=4), task_try(started="2030-01-02")):
        assert not later.resumes(job("SUCCEEDED", labels=first.labels), ended=True)
        assert later.resumes(job("RUNNING", labels=first.labels), ended=False)


def test_a_try_does_not_hold_a_job_that_a_later_one_has_taken_up() -> None:
    first, second = task_try(), task_try(2)
    assert first.holds(job("RUNNING", labels=first.labels))
    assert not first.holds(job("RUNNING", labels={**first.labels, **second.labels}))


def test_a_spec_gets_a_name_and_labels_and_keeps_its_own() -> None:
    mine = task_try(dag="Nightly_Train." + "x" * 80)
    spec = spec_of("image: train\nlabels: {team: nlp}", mine)
    assert spec["labels"] == {"team": "nlp", **mine.labels}
    assert spec["name"].startswith("nightly-train-x")
    assert spec_of({"name": "own"}, mine)["name"] == "own"
    assert task_try(dag="日本").name.startswith("fit-")


def test_a_task_of_any_name_gets_one_that_the_service_takes_and_shares_it_with_no_other() -> None:
    """Fails without the bound of the API: with names of up to 63 characters a long DAG gets 422 for good."""
    dags = (
        "a",
        "nightly_training_of_the_model_in_eu",
        "nightly_training_of_the_model_in_us",
        "x" * 250,
    )
    made = [spec_of({"image": "train"}, task_try(dag=dag)) for dag in dags]
    names = [models.SubmitJobRequest.model_validate(one).name for one in made]
    assert len(set(names)) == len(dags)
    assert max(len(str(name)) for name in names) == LONGEST_NAME == 40


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("[1]", "must be a mapping"),
        ("{", "is no YAML"),
        ({"labels": [1]}, "job.labels must be a mapping"),
        ({"labels": {"airflow-try": "7"}}, "airflow-try are set by the operator"),
    ],
)
def test_a_spec_that_is_none_says_what_it_has_to_be(given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        spec_of(given, task_try())


def test_a_reason_is_told_when_it_changes_and_its_numbers_once_a_minute() -> None:
    def waits(reason: str, message: str) -> Any:
        return job("QUEUED", pending=SimpleNamespace(reason=reason, message=message))

    story = Story()
    assert story.lines(waits("CAPACITY", "needs 8, 2 free"), 0) == [
        "train (job_1) is QUEUED, attempt 1",
        "train waits: CAPACITY: needs 8, 2 free",
    ]
    assert story.lines(waits("CAPACITY", "needs 8, 3 free"), 5) == []
    assert story.lines(waits("QUOTA", "quota is used"), 6) == ["train waits: QUOTA: quota is used"]
    assert story.lines(waits("QUOTA", "less is used"), 6 + REPEAT_REASON_SECONDS) == [
        "train waits: QUOTA: less is used"
    ]


def test_a_fault_that_the_job_survives_is_told_once() -> None:
    fault = SimpleNamespace(attempt=1, cause="GPU_FAULT", message="XID 79 on GPU 1653, node gpu-7")
    story = Story()
    told = "train: attempt 1 failed: GPU_FAULT: XID 79 on GPU 1653, node gpu-7"
    assert told in story.lines(job("QUEUED", failure=fault), 0)
    assert story.lines(job("RUNNING", failure=fault, attempt=2), 1) == [
        "train (job_1) is RUNNING, attempt 2"
    ]


def test_a_task_fails_with_the_words_of_its_job() -> None:
    fault = SimpleNamespace(attempt=2, cause="USER_ERROR", message="exit code 3")
    ended = job("FAILED", attempt=2, failure=fault)
    told = "job train (job_1) ended FAILED after 2 attempts: USER_ERROR: exit code 3"
    assert why_ended(ended) == told
    assert result(ended)["attempts"] == 2


def test_a_service_that_is_away_is_asked_until_patience_ends() -> None:
    patience, away = Patience(10), Unreachable("nothing listens there")
    assert "asking again for 10 s" in str(patience.spend(away, 100))
    assert patience.spend(away, 109) is None
    patience.answered()
    assert patience.spend(away, 111) is not None
    with pytest.raises(Unreachable):
        patience.spend(away, 121)


def test_the_documentation_sets_what_it_uses_and_repairs_with_the_token_of_an_operator() -> None:
    """Fails without the assignments of tokens: a connection has no password. Fails without fairlead_conn_id
    of the task that takes a node out of service, because a member's token has no right to do so."""
    page = (Path(__file__).resolve().parents[3] / "docs/how-to/templates.md").read_text(
        encoding="utf-8"
    )
    made = re.findall(r"^(\w+)=\$\(fairlead token create .* --role (\S+)", page, re.MULTILINE)
    added = re.findall(r'connections add (\w+) [^$]*--conn-password "\$(\w+)"', page)
    roles = {connection: dict(made).get(token) for connection, token in added}
    assert roles == {"fairlead_default": "project-member", "fairlead_operator": "operator"}

    (source,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    calls = [one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Call)]
    (repair,) = [one for one in calls if ast.unparse(one.func) == "FairleadRemediateOperator"]
    given = {one.arg: ast.unparse(one.value) for one in repair.keywords}
    assert given.get("fairlead_conn_id") == "'fairlead_operator'"
