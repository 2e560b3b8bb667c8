"""Job files, overrides on the command line, and jobs that can never start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx
from documents import JOB_ID, ended, job, plan, problem

from fairlead.cli import watching
from fairlead.cli.main import main

pytestmark = pytest.mark.usefixtures("feasible")

Capture = pytest.CaptureFixture[str]
WHY: dict[str, Any] = {
    "reason": "NEVER_FITS",
    "class": "USER_ACTION",
    "message": "no node has B200",
    "blockers": [],
    "nearMisses": [],
    "clusters": [],
    "estimate": None,
}


def hopeless() -> dict[str, Any]:
    return plan(feasible=False, startsNow=False, candidates=[], explanation=WHY)


def sent(route: respx.Route) -> list[Any]:
    return [json.loads(call.request.content) for call in route.calls]


@pytest.fixture
def submits(api: respx.MockRouter) -> respx.Route:
    return api.post("/projects/default/jobs").respond(201, json=job())


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "job.yaml"
    path.write_text(
        "image: x\nenv: {A: old, B: '2'}\nnotBefore: 2030-01-01T00:00:00Z\nrun: train\n"
    )
    return str(path)


@pytest.mark.parametrize("words", [["run", "-i", "x", "--", "a"], ["submit", "FILE", "--wait"]])
@pytest.mark.parametrize("asked", [[], ["-y"]])
def test_a_job_that_can_never_start_is_not_waited_for(
    api: respx.MockRouter,
    submits: respx.Route,
    capsys: Capture,
    file: str,
    words: list[str],
    asked: list[str],
) -> None:
    """Fails when a pipeline waits without end for a GPU that no cluster has."""
    api.post("/jobs/plan").respond(200, json=hopeless())
    verb, *others = [file if word == "FILE" else word for word in words]
    assert main([verb, *asked, *others]) == 6
    assert submits.call_count == 0
    assert "no node has B200" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["run", "-d", "-i", "x", "--", "a"], ["submit", "FILE", "-y"]])
def test_anyway_submits_a_job_that_can_never_start(
    api: respx.MockRouter, submits: respx.Route, file: str, words: list[str]
) -> None:
    api.post("/jobs/plan").respond(200, json=hopeless())
    verb, *others = [file if word == "FILE" else word for word in words]
    assert main([verb, "--anyway", *others]) == 0
    assert submits.call_count == 1


def test_waiting_in_vain_is_said_again_each_minute(
    api: respx.MockRouter, submits: respx.Route, naps: list[float], capsys: Capture,
    monkeypatch: pytest.MonkeyPatch, file: str,
) -> None:  # fmt: skip
    """Fails when the first line is the last until the time-out of the pipeline."""
    monkeypatch.setattr(watching, "REMIND", 0.0)
    pending = job()["pending"] | {"class": "USER_ACTION", "reason": "MISCONFIGURED"}
    failure = {"cause": "CONFIGURATION", "message": "job 'prep' failed", "evidence": []}
    over = ended("FAILED", failure=job()["failure"] or {"attempt": 0, "right": None} | failure)
    looks = [job(pending=pending), job(pending=pending), over]
    api.get(f"/jobs/{JOB_ID}").side_effect = [httpx.Response(200, json=one) for one in looks]
    assert main(["submit", file, "-y", "--wait"]) == 20
    said = capsys.readouterr().err
    assert said.count("Waiting alone does not help: change the job") == 2
    assert "failed after" in said
    assert "CONFIGURATION: job 'prep' failed" in said


def test_a_dependent_of_a_failed_job_ends_the_wait(
    api: respx.MockRouter, submits: respx.Route, capsys: Capture, file: str
) -> None:
    """Fails when --wait continues for a job that can never start."""
    message = "it depends on job 'prep', which ended as FAILED"
    failure = {"cause": "DEPENDENCY_FAILED", "message": message, "evidence": []}
    over = ended("FAILED", failure={"attempt": 0, "right": None} | failure)
    api.get(f"/jobs/{JOB_ID}").respond(200, json=over)
    assert main(["submit", file, "-y", "--wait"]) == 20
    assert f"DEPENDENCY_FAILED: {message}" in capsys.readouterr().err


def test_options_change_the_file(api: respx.MockRouter, submits: respx.Route, file: str) -> None:
    """Fails when a different name or learning rate needs a separate file."""
    words = ["-n", "lr-3", "-e", "A=1", "--gpu", "2", "-q", "research", "--array", "0-9%2"]
    words += [
        "--set",
        "retry.maxAttempts=3",
        "--set",
        "env.C=07",
        "--set",
        "placement.clusters=[eu-1]",
    ]
    assert main(["submit", file, "-y", *words, "--", "--lr", "a b"]) == 0
    assert sent(submits) == [
        {
            "image": "x",
            "env": {"A": "1", "B": "2", "C": "07"},
            "notBefore": "2030-01-01T00:00:00Z",
            "run": ["/bin/sh", "-c", "train", "lr-3", "--lr", "a b"],
            "name": "lr-3",
            "gpu": 2,
            "queue": "research",
            "array": "0-9%2",
            "retry": {"maxAttempts": 3},
            "placement": {"clusters": ["eu-1"]},
        }
    ]


@pytest.mark.parametrize(
    ("spec", "run"),
    [
        ("run: [python, x.py]", ["python", "x.py", "--a", "b c"]),
        ("run: [/bin/bash, -c, 'x $1']", ["/bin/bash", "-c", "x $1", "job", "--a", "b c"]),
        ("launcher: torchrun\nrun: x.py", "x.py --a 'b c'"),
    ],
)
def test_words_behind_the_dashes_become_arguments(
    submits: respx.Route, tmp_path: Path, spec: str, run: object
) -> None:
    (tmp_path / "a.yaml").write_text(spec)
    assert main(["submit", str(tmp_path / "a.yaml"), "-y", "--", "--a", "b c"]) == 0
    assert sent(submits)[0]["run"] == run


def test_several_files_and_documents_are_submitted_in_order(
    submits: respx.Route, tmp_path: Path, file: str, capsys: Capture
) -> None:
    """Fails when the second document is lost, or its line numbers differ from those of the file."""
    (tmp_path / "two.yaml").write_text("---\n# first\nname: a\n---\nname: b\n---\n# nothing\n")
    assert main(["submit", file, str(tmp_path / "two.yaml"), "-y", "-o", "name"]) == 0
    texts = [call.request.content.decode() for call in submits.calls]
    assert [text.strip().splitlines()[-1] for text in texts] == ["run: train", "name: a", "name: b"]
    assert texts[2].splitlines().index("name: b") == 4
    assert main(["submit", file, str(tmp_path / "two.yaml"), "-y", "-n", "x"]) == 2


@pytest.mark.parametrize("interrupted", [False, True])
def test_submit_that_fails_early_names_both_parts(
    submits: respx.Route, file: str, tmp_path: Path, capsys: Capture, interrupted: bool
) -> None:
    """Fails when some files are submitted and the output does not name them."""

    def second(_: httpx.Request) -> httpx.Response:
        if submits.call_count == 0:
            return httpx.Response(201, json=job())
        if interrupted:
            raise KeyboardInterrupt
        return httpx.Response(422, json=problem(422, "INVALID_FIELD"))

    (tmp_path / "two.yaml").write_text("name: a\n---\nname: b\n")
    two = str(tmp_path / "two.yaml")
    submits.side_effect = second
    assert main(["submit", file, two, "-y"]) == (130 if interrupted else 2)
    said = capsys.readouterr().err
    assert f"{job()['name']} is submitted ({JOB_ID})" in said
    assert f"not submitted: {two}, document 1, {two}, document 2" in said


def test_scalars_are_those_of_yaml_1_2(submits: respx.Route, tmp_path: Path) -> None:
    """Fails when `on` becomes true, or a version or a time becomes a number."""
    path = tmp_path / "job.yaml"
    path.write_text(
        "labels: {on: yes, off: No, y: n}\n"
        "annotations: {octal: 012, time: 12:30:00, thousands: 1_000, day: 2030-01-31}\n"
        "workers: 2\nrdma: true\nqueue: ~\nmaxCost: 1.5\nrun: train\n"
    )
    assert main(["submit", str(path), "-y", "--set", "labels.v=off"]) == 0
    assert sent(submits) == [
        {
            "labels": {"on": "yes", "off": "No", "y": "n", "v": "off"},
            "annotations": {
                "octal": "012",
                "time": "12:30:00",
                "thousands": "1_000",
                "day": "2030-01-31",
            },
            "workers": 2,
            "rdma": True,
            "queue": None,
            "maxCost": 1.5,
            "run": "train",
        }
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("#!/bin/bash\n#SBATCH -N 2\nsrun x\n", "fairlead job convert sbatch"),
        ("apiVersion: batch/v1\nkind: Job\nspec: {}\n", "is a Kubernetes manifest"),
        ("resources:\n  accelerators: A100:8\nrun: x\n", "is a SkyPilot task"),
        ("num_nodes: 2\nsetup: pip install .\nrun: x\n", "and setup and run stay"),
        ("type: task\ncommands: [x]\nresources: {gpu: 24GB}\n", "is a dstack configuration"),
        ("a: 1\na: 2\n", "line 1: duplicate key 'a'"),
        ("- 1\n", "a job is an object with named fields"),
        ("# nothing\n", "a job is an object with named fields"),
    ],
)
def test_a_file_of_another_program_gets_a_hint(
    submits: respx.Route, tmp_path: Path, capsys: Capture, text: str, hint: str
) -> None:
    """Fails when the answer is a list of all fields of a job."""
    (tmp_path / "x.file").write_text(text)
    assert main(["submit", str(tmp_path / "x.file"), "-y", "-q", "a"]) == 2
    assert hint in capsys.readouterr().err
    assert submits.call_count == 0


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["run", "-i", "x", "--gpus", "2", "--", "a"], "Did you mean --gpu?"),
        (["run", "-i", "x", "--nodes", "2", "--", "a"], "Did you mean --workers?"),
        (["run", "-i", "x", "python", "--epochs", "2"], "put -- before the command"),
        (["submit", "x.yaml", "--epochs", "2"], "put -- before arguments of the program"),
        (["submit", "x.yaml", "--set", "a"], "x.yaml: No such file"),
        (["run", "-i", "x", "--secret", "A=b", "--", "a"], "is not NAME=SECRET.KEY"),
        (["run", "-i", "x", "--volume", "a:b", "--", "a"], "is not VOLUME:/PATH"),
    ],
)
def test_wrong_option_suggests_the_right_one(
    api: respx.MockRouter, capsys: Capture, words: list[str], hint: str
) -> None:
    assert main(words) == 2
    assert hint in capsys.readouterr().err


def test_run_takes_the_options_of_a_file(submits: respx.Route) -> None:
    words = ["--array", "0-9", "-w", "4", "--min-workers", "2", "--begin", "2030-01-01T00:00:00Z"]
    words += ["--secret", "TOKEN=hub.token", "--volume", "data:/data:ro", "--retry", "5"]
    words += ["--depends-on", "prep", "--depends-on", "b:ended"]
    words += ["--depends-on", "c:per-element", "--depends-on", "d:failed:per-element"]
    assert main(["run", "-d", "-i", "x", *words, "--", "a"]) == 0
    body = sent(submits)[0]
    assert body["retry"]["maxAttempts"] == 5
    assert "USER_ERROR" in body.pop("retry")["on"]
    assert body.pop("name") == plan()["spec"]["name"]
    assert body == {
        "image": "x",
        "run": ["a"],
        "workers": 4,
        "minWorkers": 2,
        "array": "0-9",
        "notBefore": "2030-01-01T00:00:00Z",
        "secretEnv": {"TOKEN": {"secret": "hub", "key": "token"}},
        "volumes": [{"volume": "data", "mountPath": "/data", "readOnly": True}],
        "dependsOn": [
            {"job": "prep", "condition": "SUCCEEDED"},
            {"job": "b", "condition": "ENDED"},
            {"job": "c", "condition": "SUCCEEDED", "perElement": True},
            {"job": "d", "condition": "FAILED", "perElement": True},
        ],
    }
