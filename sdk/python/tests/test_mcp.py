"""The server for assistants: only reads, short answers, and no credentials."""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anyio
import httpx
import pytest
import respx
from conftest import URL
from documents import JOB_ID, operations
from mcp import Client, StdioServerParameters
from texts import printed

from fairlead import AsyncFairlead, _mcp
from fairlead.cli.assistants import checked
from fairlead.cli.main import main

TOKEN = "fl_0123456789abcdefghijABCDEFGHIJ-of/the+caller"
SECRETS = [TOKEN, "whsec_c2VjcmV0LW9mLXRoZS13ZWJob29r", "fla_abcdefghijklmnop0123456789"]


def asked(name: str, **arguments: Any) -> tuple[str, bool]:
    """The answer of a tool in a session of the official client."""

    async def session() -> tuple[str, bool]:
        async with AsyncFairlead(URL, TOKEN, max_retries=0) as fl:
            server = _mcp.Tools(fl, checked, tokens=[TOKEN]).server()
            async with Client(server) as client:
                answer = await client.call_tool(name, arguments)
                return "".join(getattr(one, "text", "") for one in answer.content), answer.is_error

    return anyio.run(session)


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        echo = {"name": "a", "seen": self.headers["Authorization"], "path": self.path}
        body = json.dumps({"items": [echo]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def echo() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def over_stdio(environment: dict[str, str], name: str, **arguments: Any) -> tuple[list[Any], str]:
    async def session() -> tuple[list[Any], str]:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "fairlead.cli.main", "mcp"],
            env={**os.environ, **environment},
        )
        async with Client(command) as client:
            tools = (await client.list_tools()).tools
            answer = await client.call_tool(name, arguments)
            return tools, "".join(getattr(one, "text", "") for one in answer.content)

    return anyio.run(session)


def test_the_command_speaks_on_stdio_with_the_token_of_the_caller(echo: str) -> None:
    tools, text = over_stdio({"FAIRLEAD_URL": echo, "FAIRLEAD_TOKEN": TOKEN}, "listQueues")
    assert {"listQueues", "whyJobWaits", "cliCommand", "getJobLogs"} <= {one.name for one in tools}
    assert json.loads(text)["items"][0]["seen"] == "(hidden)"
    assert TOKEN not in text


def test_tools_are_exactly_the_read_operations_of_the_api() -> None:
    gets = {one.id for one in operations() if one.method.upper() == "GET"}
    left_out = {"streamEvents", "exportStatement", "getJobSchema", "execJob", "forwardJobPort"}
    assert {one["name"] for one in _mcp.reads()} == gets - left_out
    assert not any("follow" in one["parameters"] for one in _mcp.reads())


def test_an_answer_has_the_fields_that_were_asked_for(api: respx.MockRouter) -> None:
    items = [{"name": "a", "pending": {"cause": "QUOTA", "message": "full"}, "spec": {}}]
    route = api.get("/projects/default/jobs").respond(200, json={"items": items})
    text, failed = asked(
        "listProjectJobs", state=["QUEUED"], pageSize=5, fields=["name", "pending.cause"]
    )
    assert not failed
    assert json.loads(text) == {"items": [{"name": "a", "pending": {"cause": "QUOTA"}}]}
    assert dict(route.calls.last.request.url.params) == {"state": "QUEUED", "pageSize": "5"}


def test_a_long_list_is_cut_and_all_its_items_can_be_read(api: respx.MockRouter) -> None:
    items = [{"name": f"job-{number}", "text": 'ä"\n' * 100} for number in range(200)]
    page = {"items": items, "nextPageToken": "next"}
    api.get("/projects/default/jobs").respond(200, json=page)
    seen: list[str] = []
    while len(seen) < len(items):
        text, _ = asked("listProjectJobs", skip=len(seen))
        assert len(json.dumps(text, ensure_ascii=False).encode()) < 16_000
        found = json.loads(text)
        assert found["nextPageToken"] == "next"
        seen += [one["name"] for one in found["items"]]
        assert (f"skip={len(seen)}" in found.get("cut", "")) == (len(seen) < len(items))
    assert seen == [one["name"] for one in items]


def test_a_long_log_is_cut_at_its_beginning(api: respx.MockRouter) -> None:
    lines = "".join(f"line {number}\n" for number in range(5_000))
    route = api.get(f"/jobs/{JOB_ID}/logs").mock(
        return_value=httpx.Response(200, text=lines, headers={"Content-Type": "text/plain"})
    )
    text, _ = asked("getJobLogs", job=JOB_ID)
    assert text.startswith("[cut: earlier lines")
    assert text.endswith("line 4999\n")
    assert route.calls.last.request.url.params["tail"] == "200"


def test_an_error_is_the_problem_of_the_service(api: respx.MockRouter) -> None:
    problem = {"code": "JOB_NOT_FOUND", "title": "No job", "detail": f"no job {TOKEN}"}
    api.get("/jobs/nothing").respond(404, json=problem)
    assert asked("getJob", job="nothing") == ("JOB_NOT_FOUND: no job (hidden)", True)
    api.get("/queues").mock(side_effect=ZeroDivisionError(TOKEN))
    assert asked("listQueues") == ("unexpected ZeroDivisionError in the MCP server", True)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("getJobb", {}, "Did you mean getJob"),
        ("getJob", {}, "getJob needs job"),
        ("getJob", {"job": ".."}, "names nothing"),
        ("getJob", {"job": {}}, "job is a text"),
        ("listJobs", {"states": "QUEUED"}, "listJobs has no states. It takes project, state"),
        ("listJobs", {"skip": -1}, "skip is a whole number"),
        ("listJobs", {"fields": "name"}, "fields is a list"),
    ],
)
def test_wrong_arguments_are_named(name: str, arguments: dict[str, Any], says: str) -> None:
    text, failed = asked(name, **arguments)
    assert failed
    assert says in text


def test_a_change_is_a_line_that_the_user_runs() -> None:
    """No request is sent, with or without respx."""
    text, _ = asked("cliCommand", command="fairlead cancel llama-sft")
    assert text.startswith("The user can run: fairlead cancel llama-sft\n")
    assert "Usage: fairlead cancel" in text
    assert asked("cliCommand", command="fairlead cancel --gently x")[0].startswith("Wrong: No such")
    assert asked("cliCommand", command="fairlead pause x")[0].startswith("Wrong: No such command")


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("fairlead why", "Wrong: Missing argument"),
        ("fairlead config whoami a b c", "Wrong: Got unexpected extra argument"),
        ("fairlead run --image x", "Wrong: "),
        ("fairlead --project x cancel y", "The user can run: fairlead --project x cancel y"),
        ("cancel -h", "The user can run: fairlead cancel -h"),
        ("fairlead --version", "The user can run: fairlead --version"),
        ("fairlead quota --help", "The user can run: fairlead quota --help"),
        ("fairlead 'a", "not a command line"),
    ],
)
def test_a_command_line_is_judged_as_the_cli_would(
    line: str, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(line).startswith(verdict)
    assert capsys.readouterr().out == ""


def test_a_secret_of_a_stored_spec_is_hidden(api: respx.MockRouter) -> None:
    job = json.dumps({"env": {"HF_TOKEN": "hf_plain", "EPOCHS": "3"}})
    changes = [
        {"path": "/job", "before": json.dumps(job), "after": json.dumps(job)},
        {"path": "/job/roles/0/env/HF_TOKEN", "before": None, "after": '"hf_plain"'},
    ]
    api.get("/config/history/2").respond(200, json={"after": {"job": job}, "changes": changes})
    text, failed = asked("getConfigVersion", version=2)
    assert not failed
    assert "hf_plain" not in text
    assert "EPOCHS" in text


def test_null_is_no_argument(api: respx.MockRouter) -> None:
    log = api.get(f"/jobs/{JOB_ID}/logs").respond(200, text="line")
    asked("getJobLogs", job=JOB_ID, tail=None)
    assert log.calls.last.request.url.params["tail"] == "200"
    queues = api.get("/projects/default/jobs").respond(200, json={"items": [{"name": "a"}]})
    asked("listProjectJobs", project=None)
    assert queues.called
    text, failed = asked("listProjectJobs", fields=["nmae"])
    assert failed
    assert text == "no field nmae. There are name"


def test_without_the_extra_the_command_names_the_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "fairlead._mcp")
    monkeypatch.delattr("fairlead._mcp")
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    assert main(["mcp"]) == 2
    assert "pip install 'fairlead[mcp]'" in capsys.readouterr().err


def test_an_unknown_area_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--area", "Cakes"]) == 2
    assert printed(capsys.readouterr().err, "mcp.area-cakes-areas-audit")


def test_no_answer_has_a_credential_or_is_too_long(
    api: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2,000 calls with random tools, arguments and answers, from one seed; 10,000 in the long form."""
    many = 10_000 if os.environ.get("FAIRLEAD_LONG") else 2_000
    chance = random.Random(2810)
    monkeypatch.setenv("FAIRLEAD_METRICS_TOKEN", "metrics-of-the-operator")
    hidden = [*SECRETS, "metrics-of-the-operator", "password-of-a-user", "hunter2-of-a-job"]

    def text() -> str:
        around = "".join(chance.choice('aä"\\\n\ud800 <{') for _ in range(chance.randrange(30)))
        return around + chance.choice(["", *hidden[:4], f"https://u:{hidden[4]}@x/"]) + around

    def value(depth: int) -> Any:
        kind = chance.randrange(6 if depth else 2)
        if kind < 2:
            return text() if kind else chance.choice([1, None, True, 2.5])
        if kind < 4:
            return [value(depth - 1) for _ in range(chance.randrange(6))]
        more: dict[str, Any] = {text(): value(depth - 1) for _ in range(chance.randrange(5))}
        env = {"HF_TOKEN": hidden[5]}
        stored = (
            json.dumps({"env": env}) if kind == 4 else {"path": "/job/env/A", "after": hidden[5]}
        )
        return {**more, "env": env, "token": hidden[5], "items": value(0), "job": stored}

    def body() -> Any:
        if chance.randrange(2):
            return value(3)
        return {"items": [value(2) for _ in range(chance.choice([1, 60]))], "nextPageToken": "n"}

    class Client:
        """The answers of the service, without its transport."""

        url, project = URL, "default"

        async def _answer(self, call: Any) -> Any:
            kind = chance.randrange(10)
            if kind == 0:
                raise RuntimeError(text())
            if kind == 1:
                problem = {"code": "X", "detail": text(), "errors": value(1)}
                return Answered(chance.choice([401, 404, 500]), problem)
            if kind == 2:
                return Answered(200, (text() + TOKEN) * chance.choice([1, 400]), "text/plain")
            return Answered(200, body())

    class Answered:
        def __init__(self, status: int, body: Any, kind: str = "application/json") -> None:
            self.status_code, self.body, self.text = status, body, str(body)
            self.headers, self.is_success = {"Content-Type": kind}, status == 200

        def json(self) -> Any:
            return self.body

    tools = _mcp.Tools(Client(), checked, tokens=[TOKEN])  # type: ignore[arg-type]
    names = sorted(tools.by_name.keys() - {"cliCommand"})
    failures = 0

    async def calls() -> None:
        nonlocal failures
        for _ in range(many):
            name = chance.choice([*names, text()])
            known = tools.by_name.get(name)
            given = (
                {one: chance.choice([text(), "a", 3]) for one in known.required} if known else {}
            )
            for more in ("skip", "fields", text()):
                if not chance.randrange(8):
                    given[more] = chance.choice([chance.randrange(2_000), [text()], text()])
            answer, failed = await tools.call(name, given)
            failures += failed
            wire = json.dumps(answer, ensure_ascii=False).encode()
            assert len(wire) < 16_000
            assert [one for one in hidden if one in answer] == []
            assert "Traceback" not in answer

    anyio.run(calls)
    assert many / 10 < failures < many * 9 / 10
