"""SDK and command against the real service of this tree, with the jobs of examples/."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import httpx2
import pytest
from conftest import ROOT, Service

import fairlead
from fairlead import AsyncFairlead, Fairlead

SHORT = {"sim.fairlead.dev/run-for": "2s"}
DOCS = [
    "tutorials/tutorial.md",
    "tutorials/coming-from-slurm.md",
    "how-to/why-is-my-job-waiting.md",
]
if os.environ.get("FAIRLEAD_LONG"):  # needs a control plane
    DOCS.append("how-to/connect-a-cluster.md")


@pytest.fixture
def fl(service: Service) -> Iterator[Fairlead]:
    with Fairlead(service.url, service.token) as client:
        yield client


@pytest.fixture
def command(service: Service, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "fairlead.cli.main", *arguments],
            env={**os.environ, **service.environment, **changes},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
        )

    return run


def spec(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "image": "x", "gpu": "H200:1", "annotations": SHORT, **more}


def test_a_job_is_submitted_waited_for_and_read(fl: Fairlead) -> None:
    job = fl.jobs.submit(spec("sdk-sync"))
    assert job.explain().job == job.id
    assert any("FAIRLEAD_JOB_NAME=sdk-sync" in line for line in job.logs(follow=True))
    done = job.wait(60)
    assert done.state == "SUCCEEDED"
    assert [attempt.state for attempt in done.list_attempts()] == ["SUCCEEDED"]
    # an event is not listed while an older transaction runs
    until = time.monotonic() + 60
    while "JobSucceeded" not in (types := [event.type for event in done.list_events()]):
        assert time.monotonic() < until, types
        time.sleep(0.1)
    assert types[0] == "JobSubmitted"


def test_the_async_client_does_the_same(service: Service) -> None:
    async def journey() -> str:
        async with AsyncFairlead(service.url, service.token) as fl:
            job = await fl.jobs.submit(spec("sdk-async"))
            lines = [line async for line in job.logs(follow=True)]
            assert any("FAIRLEAD_JOB_NAME=sdk-async" in line for line in lines)
            return (await job.wait(60)).state

    assert anyio.run(journey) == "SUCCEEDED"


def test_logs_are_followed_to_the_end_of_the_job(fl: Fairlead) -> None:
    job = fl.jobs.submit(spec("sdk-follow"))
    assert list(job.logs(follow=True))[-1].endswith("(Completed)")


def test_the_same_key_submits_once(fl: Fairlead) -> None:
    first = fl.jobs.submit(spec("sdk-once"), idempotency_key="sdk-once-1")
    assert fl.jobs.submit(spec("sdk-once"), idempotency_key="sdk-once-1").id == first.id
    with pytest.raises(fairlead.ApiError, match="IDEMPOTENCY_KEY_REUSED"):
        fl.jobs.submit(spec("sdk-other"), idempotency_key="sdk-once-1")


def test_batch_reports_the_result_of_each_item(fl: Fairlead) -> None:
    items = fl.jobs.submit_batch([spec("sdk-batch"), {"name": "NO"}])
    assert [item.status for item in items] == [201, 422]
    problem = items[1].problem
    assert problem is not None
    assert problem.errors[0].pointer.endswith("/name")


def test_json_log_is_written_on_request_and_contains_the_request_id(service: Service) -> None:
    """Fails when a line cannot be parsed, or a change cannot be found by the id of its request."""
    headers = {"Authorization": f"Bearer {service.token}", "X-Request-Id": "req-of-the-test"}
    url = f"{service.url}/api/v1/projects/default/jobs"
    assert httpx2.post(url, json=spec("json-log"), headers=headers).status_code == 201
    lines = [json.loads(line) for line in service.log.read_text().splitlines()]
    found = [line for line in lines if line.get("requestId") == "req-of-the-test"]
    assert found
    assert found[0]["log"]["level"] == "INFO"
    assert "JobSubmitted" in found[0]["message"]


def test_lists_go_over_pages(fl: Fairlead) -> None:
    names = [f"sdk-page-{number}" for number in range(7)]
    fl.jobs.submit_batch([spec(name, labels={"page": "yes"}) for name in names], atomic=True)
    found = [job.name for job in fl.jobs.list(label="page=yes", page_size=3)]
    assert sorted(found) == names


def test_a_stale_version_is_a_conflict(fl: Fairlead) -> None:
    quota = fl.quotas.create({"name": "sdk-quota", "parent": "root"})
    assert fl.quotas.update("sdk-quota", {"weight": 2}, version=quota.version).weight == 2
    with pytest.raises(fairlead.Conflict):
        fl.quotas.delete("sdk-quota", version=quota.version)
    fl.quotas.delete("sdk-quota", version=fl.quotas.get("sdk-quota").version)
    with pytest.raises(fairlead.NotFound):
        fl.quotas.get("sdk-quota")


def test_a_wrong_token_is_refused(service: Service) -> None:
    with pytest.raises(fairlead.Unauthenticated), Fairlead(service.url, "wrong") as fl:
        fl.me()


def test_wrong_fields_are_reported_with_a_suggestion(fl: Fairlead) -> None:
    with pytest.raises(fairlead.InvalidRequest) as refused:
        fl.jobs.submit({"image": "x", "nmae": "y", "gpu": -1})
    assert {error.pointer: error.code for error in refused.value.errors} == {
        "/nmae": "UNKNOWN_FIELD",
        "/gpu": "INVALID_FIELD",
    }


Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("changes", "arguments", "code", "told"),
    [
        ({"FAIRLEAD_TOKEN": "wrong"}, ["ps"], 4, "fairlead login"),
        ({"FAIRLEAD_URL": "http://127.0.0.1:9"}, ["ps"], 8, "cannot be reached"),
        ({}, ["--project", "nowhere", "run", "-i", "x", "--", "true"], 3, "nowhere"),
        ({}, ["ps", "--state", "RUNING"], 2, "RUNNING"),
        ({}, ["get", "no-such-job"], 3, "no job with the name or id"),
        ({}, ["cancel", "fails"], 5, "ended"),
        ({}, ["config", "api", "get", "/nowhere"], 3, ""),
        ({}, ["run", "-i", "x", "-g", "H100:-8", "--", "true"], 2, "/gpu"),
    ],
)
def test_errors_have_an_exit_code_and_no_stack_trace(
    fl: Fairlead,
    command: Command,
    changes: dict[str, str],
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    if "fails" in arguments:
        fl.jobs.find("fails").wait(60)
    done = command(*arguments, **changes)
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_broken_yaml_has_its_line_and_column(command: Command, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("name: x\n  image: y: z\n")
    done = command("submit", "job.yaml", "-y")
    assert done.returncode == 2
    assert re.match(r"fairlead: job\.yaml: Line 2, column \d+", done.stderr)


def test_a_failed_job_is_found_with_its_cause(fl: Fairlead, command: Command) -> None:
    fl.jobs.find("fails").wait(60)
    listed = command(
        "job", "history", "--state", "FAILED", "-o", "csv", "--columns", "NAME,STATE,PLACE/CAUSE"
    )
    assert re.search(r"^fails,FAILED,USER_ERROR: .* exit code 1$", listed.stdout, re.MULTILINE)
    report = command("job", "report", "fails")
    assert "worker-0" in report.stdout
    assert "exit code 1" in report.stdout


def test_run_prints_the_output_and_ends_as_the_job(command: Command) -> None:
    arguments = [
        "run",
        "-i",
        "x",
        "-g",
        "H200:1",
        "-n",
        "cli-run",
        "--annotation",
        "sim.fairlead.dev/run-for=2s",
    ]
    done = command(*arguments, "--", "true")
    assert done.returncode == 0, done.stderr
    assert "FAIRLEAD_JOB_NAME=cli-run" in done.stdout
    failing = command(*arguments, "--annotation", "sim.fairlead.dev/outcome=fail", "--", "true")
    assert failing.returncode == 20


def test_ctrl_c_leaves_the_job_running(fl: Fairlead, service: Service) -> None:
    arguments = ["run", "-i", "x", "-g", "H200:1", "-n", "cli-detach", "--", "sleep"]
    process = subprocess.Popen(
        [sys.executable, "-m", "fairlead.cli.main", *arguments],
        env={**os.environ, **service.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # if the suite runs in the background, it and its child processes ignore the signal
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    process.stdout.readline()  # the first line of its output: it runs
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=90)
    assert process.returncode == 130, told
    assert "fairlead cancel cli-detach" in told
    job = fl.jobs.find("cli-detach")
    assert job.state == "RUNNING"
    job.cancel()


def test_a_reader_that_has_seen_enough_is_no_error(service: Service) -> None:
    line = f"{sys.executable} -m fairlead.cli.main node list -o json | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line],
        env={**os.environ, **service.environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("[\n0\n", "")


@pytest.mark.parametrize("no_color", [False, True])
def test_on_a_terminal_of_40_cells_every_job_has_one_line(service: Service, no_color: bool) -> None:
    environment = {**os.environ, **service.environment, "COLUMNS": "40", "TERM": "xterm-256color"}
    if no_color:
        environment["NO_COLOR"] = "1"
    text = on_terminal(["ps", "--all", "--limit", "5"], environment)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    assert max(map(len, lines)) <= 40
    assert ("\x1b[3" in text) is not no_color


def on_terminal(arguments: list[str], environment: dict[str, str]) -> str:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "fairlead.cli.main", *arguments], stdout=follower, env=environment
    )
    os.close(follower)
    text = b""
    try:
        while chunk := os.read(leader, 65536):
            text += chunk
    except OSError:  # its other end is closed
        pass
    assert process.wait(90) == 0
    return text.decode()


@pytest.mark.parametrize("page", DOCS)
def test_documented_commands_behave_as_documented(
    service: Service, tmp_path: Path, page: str, request: pytest.FixtureRequest
) -> None:
    """Lines with `$ ` in blocks of kind console are run in order; `# exit N` behind one is its exit code.
    Writes blocks of another kind with `# file NAME` as first line to that file."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "fairlead").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m fairlead.cli.main "$@"\n'
    )
    (bin_ / "fairlead").chmod(0o755)
    environment = {**os.environ, **service.environment, "PATH": f"{bin_}:{os.environ['PATH']}"}
    if page == "how-to/connect-a-cluster.md":
        kubernetes = request.getfixturevalue("kubernetes")
        environment |= {"KUBECONFIG": kubernetes.config}
        environment["PATH"] = f"{kubernetes.programs}:{environment['PATH']}"
        (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    commands = 0
    for kind, block in blocks((ROOT / "docs" / page).read_text(encoding="utf-8")):
        named = re.match(r"#!?.*?file (\S+)\n", block)
        if named and kind != "console":
            (tmp_path / named[1]).write_text(block.split("\n", 1)[1])
        for line in re.findall(r"^\$ (.*)$", block, re.MULTILINE) if kind == "console" else []:
            commands += 1
            expected = re.search(r"# exit (\d+)$", line)
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=tmp_path,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=90,
                check=False,
            )
            assert done.returncode == (int(expected[1]) if expected else 0), (
                f"{line}\n{done.stderr}"
            )
    assert commands > 3


def blocks(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_json_output_is_the_api_response(command: Command, fl: Fairlead) -> None:
    until = time.monotonic() + 90
    while not list(fl.jobs.list(name="hello-gpu")):
        assert time.monotonic() < until
    shown = json.loads(command("get", "hello-gpu", "-o", "json").stdout)
    raw = json.loads(command("config", "api", "get", f"/jobs/{shown['id']}").stdout)
    assert shown["spec"]["priorityClass"] == raw["spec"]["priorityClass"] == "normal"


def test_a_node_is_drained_and_taken_back(fl: Fairlead, command: Command) -> None:
    job = fl.jobs.submit(spec("drained", annotations={"sim.fairlead.dev/run-for": "10m"}))
    node = fl.jobs.started(job.id, 60).placement.nodes[0]
    done = command("node", "drain", node, "--wait", "--timeout", "60s")
    assert done.returncode == 0, done.stderr
    assert "nothing is left" in done.stdout
    assert fl.nodes.get(node).state == "CORDONED"
    assert fl.jobs.started(job.id, 60).placement.nodes != [node]
    assert command("node", "uncordon", node).returncode == 0
    deadline = time.monotonic() + 60
    while fl.nodes.get(node).state != "ACTIVE" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert fl.nodes.get(node).state == "ACTIVE"
    fl.jobs.cancel(job.id)
