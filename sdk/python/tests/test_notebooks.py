"""Verbs of notebooks on a mocked service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
import respx
from documents import JOB_ID, ended, job, listing, page
from texts import printed

from fairlead import Fairlead, Job
from fairlead._session import OUTPUT
from fairlead.cli import notebooks
from fairlead.cli.main import main
from fairlead.cli.session import UsageProblem

Capture = pytest.CaptureFixture[str]


def notebook(state: str = "RUNNING", **changes: Any) -> dict[str, Any]:
    spec = job()["spec"] | {
        "maxRuntime": "12h",
        "progress": {"timeout": "2h", "onTimeout": "SUSPEND"},
    }
    return job(state=state, pending=None, name="eda", spec=spec) | changes


def report(seconds: int, **metrics: float) -> dict[str, Any]:
    at = datetime.now(timezone.utc) - timedelta(seconds=seconds)
    return {"reportedAt": at.isoformat(), "metrics": metrics}


@pytest.mark.usefixtures("feasible")
def test_a_start_submits_a_job_with_an_idle_time(api: respx.MockRouter, capsys: Capture) -> None:
    sent = api.post("/projects/default/jobs").respond(201, json=notebook("QUEUED"))
    words = ["notebook", "start", "-i", "lab:1", "-g", "H100:0.5", "--volume", "files:/files", "-d"]
    assert main([*words, "--idle", "30m"]) == 0
    body = json.loads(sent.calls.last.request.content)
    assert body["launcher"] == "jupyter"
    assert "run" not in body, "the launcher has the command"
    assert body["env"] == {"SESSION_FOLDER": "/files"}
    assert body["gpu"] == {"model": "H100", "fraction": 0.5}
    assert body["labels"] == {"session": "jupyter"}
    assert body["progress"] == {"timeout": "30m", "onTimeout": "SUSPEND"}
    assert body["maxRuntime"] == "12h"
    assert "fairlead notebook open eda" in capsys.readouterr().err
    assert main([*words, "--idle", "never"]) == 0
    assert "progress" not in json.loads(sent.calls.last.request.content)


@pytest.mark.usefixtures("feasible")
def test_a_type_is_the_name_of_its_launcher(api: respx.MockRouter, capsys: Capture) -> None:
    sent = api.post("/projects/default/jobs").respond(201, json=notebook("QUEUED"))
    assert main(["notebook", "start", "--type", "code-server", "-i", "code:1", "-d"]) == 0
    body = json.loads(sent.calls.last.request.content)
    assert (body["launcher"], body["labels"]) == ("code-server", {"session": "code-server"})
    assert main(["notebook", "start", "--type", "ssh", "-i", "code:1", "-d"]) == 0
    assert "fairlead job ssh eda" in capsys.readouterr().err


def test_session_without_a_page_names_the_command_to_enter_it(
    api: respx.MockRouter, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    api.get(f"/jobs/{JOB_ID}").respond(200, json=notebook())
    monkeypatch.setattr(notebooks, "read", lambda *_: b"{}")
    with Fairlead(project="default") as fl:
        notebooks.connect(fl, Job.model_validate(notebook()), 0, True)
    assert "fairlead job ssh eda" in capsys.readouterr().err


def test_list_shows_idle_times_and_unknown_values(api: respx.MockRouter, capsys: Capture) -> None:
    shown = api.get("/jobs").respond(
        200,
        json=page(
            notebook(name="idle", progress=report(0, idle_seconds=760)),
            notebook(name="silent", progress=report(150, idle_seconds=760)),
            notebook(name="blind", progress=report(0, gpu_seen=1)),
            notebook("SUSPENDED", name="stopped", progress=None),
            ended("CANCELLED", name="gone"),
        ),
    )
    assert main(["notebook", "list", "--columns", "NAME,IDLE"]) == 0
    out = capsys.readouterr().out
    assert "idle     12m40s of 2h" in out
    assert "silent   unknown, of 2h" in out
    assert "blind    unknown, of 2h" in out
    assert "stopped  -" in out
    assert "gone" not in out
    asked = [call.request.url.params["label"] for call in shown.calls]
    assert asked == ["session=jupyter", "session=code-server", "session=ssh"]


def test_a_part_of_a_gpu_is_short() -> None:
    assert notebooks.part("0.25") == {"fraction": 0.25}
    assert notebooks.part("H100:2") == "H100:2"
    assert notebooks.part("1") == 1
    assert notebooks.part(None) is None


def test_an_extension_moves_the_time_limit(api: respx.MockRouter) -> None:
    api.get("/jobs").mock(side_effect=listing(notebook()))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=notebook())
    sent = api.patch(f"/jobs/{JOB_ID}").respond(200, json=notebook())
    assert main(["notebook", "extend", "eda", "--by", "90m"]) == 0
    assert json.loads(sent.calls.last.request.content) == {"maxRuntime": "48600s"}


def test_an_open_resumes_a_suspended_notebook_and_waits_for_its_server(
    api: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = iter(["SUSPENDED", "QUEUED", "RUNNING", "RUNNING", "RUNNING"])
    api.get(f"/jobs/{JOB_ID}").mock(
        side_effect=lambda _: respx.MockResponse(200, json=notebook(next(states)))
    )
    resumed = api.post(f"/jobs/{JOB_ID}/resume").respond(200, json=notebook("QUEUED"))
    files: Iterator[bytes | None] = iter([None, None, b"{}"])
    monkeypatch.setattr(notebooks, "read", lambda *_: next(files))
    monkeypatch.setattr("fairlead.cli.notebooks.time.sleep", lambda _: None)
    with Fairlead(project="default") as fl:
        found = notebooks.running(fl, Job.model_validate(notebook("SUSPENDED")))
        assert resumed.call_count == 1
        assert notebooks.told_by(fl, found) == b"{}"


def test_an_open_on_the_web_prints_a_link_of_the_service(
    api: respx.MockRouter, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    api.get("/jobs").mock(side_effect=listing(notebook()))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=notebook())
    link = {"url": "https://job-1.sessions.example.com/.fairlead/enter?pass=x"}
    expires = {"expiresAt": datetime.now(timezone.utc).isoformat()}
    api.post(f"/jobs/{JOB_ID}/session-links").respond(201, json=link | expires)
    monkeypatch.setattr(notebooks, "read", lambda *_: b"{}")
    assert main(["notebook", "open", "eda", "--web", "--no-browser"]) == 0
    assert capsys.readouterr().out == link["url"] + "\n"
    assert main(["notebook", "open", "eda", "--web", "--port", "80"]) == 2
    assert "remove --port" in capsys.readouterr().err


def test_an_open_of_an_ended_notebook_is_refused(api: respx.MockRouter) -> None:
    api.get(f"/jobs/{JOB_ID}").respond(200, json=ended("FAILED", name="eda"))
    with Fairlead(project="default") as fl, pytest.raises(UsageProblem, match="eda is FAILED"):
        notebooks.running(fl, Job.model_validate(notebook()))


def test_a_session_file_has_a_port_and_a_path() -> None:
    eda = Job.model_validate(notebook())
    assert notebooks.place(b'{"port": 8888, "path": "/?token=a"}', eda) == (8888, "/?token=a")


@pytest.mark.parametrize(
    "told",
    [
        b'{"port": 8888, "path": "@example.com/"}',
        b'{"port": 8888, "path": "0.example.com/"}',
        b'{"port": 8888, "path": "/\\u001b[2J"}',
        b'{"port": 0, "path": "/"}',
        b'{"port": "8888", "path": "/"}',
        b'{"port": 8888}',
        b"[]",
        b"\xff",
        b"{",
    ],
)
def test_a_session_file_names_no_other_host(told: bytes) -> None:
    with pytest.raises(UsageProblem, match="eda has an invalid /tmp/fairlead-session"):
        notebooks.place(told, Job.model_validate(notebook()))


def test_a_session_file_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless:
        def frames(self) -> Iterator[tuple[int, bytes]]:
            for _ in range(1000):
                yield OUTPUT, b"0" * 4096
            raise AssertionError("it reads on")

        def close(self) -> None: ...

    monkeypatch.setattr(notebooks, "execute", lambda *_: Endless())
    with Fairlead(project="default") as fl:
        assert len(notebooks.read(fl, Job.model_validate(notebook())) or b"") < 100_000


def test_invalid_extension_duration_names_its_option(capsys: Capture) -> None:
    assert main(["notebook", "extend", "eda", "--by", "soon"]) == 2
    assert printed(capsys.readouterr().err, "notebooks.soon-duration-such", "soon", "90s")
