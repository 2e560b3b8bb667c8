"""A program reports values, and people and scripts read them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import pytest
import respx
from documents import JOB_ID, job, listing
from texts import printed

import fairlead
from fairlead import _output
from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]


class Heard(BaseHTTPRequestHandler):
    statuses: ClassVar[list[int]] = []
    bodies: ClassVar[list[Any]] = []
    problem: ClassVar[dict[str, Any]] = {"detail": "no", "errors": [{"detail": "no output x"}]}

    def do_POST(self) -> None:
        assert self.headers["Authorization"] == "Bearer fla_1"
        Heard.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(Heard.statuses.pop(0))
        self.end_headers()
        self.wfile.write(json.dumps(Heard.problem).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    Heard.statuses.clear()
    Heard.bodies.clear()
    server = HTTPServer(("127.0.0.1", 0), Heard)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/api/v1/attempts/att_1/outputs"
    monkeypatch.setenv("FAIRLEAD_OUTPUTS_URL", url)
    monkeypatch.setenv("FAIRLEAD_CHECKPOINT_TOKEN", "fla_1")
    monkeypatch.setattr(_output, "_PAUSE_SECONDS", 0)
    yield url
    server.shutdown()
    server.server_close()


def test_an_output_is_stored_although_the_service_was_away(address: str) -> None:
    """Fails when one temporary refusal loses a value."""
    Heard.statuses.extend([503, 429, 200])
    assert fairlead.output("model", "s3://bucket/x")
    assert Heard.bodies == [{"model": "s3://bucket/x"}] * 3


def test_an_output_that_is_refused_is_an_error_with_the_cause(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when a program succeeds although its dependent jobs will lack the value."""
    Heard.statuses.extend([400, 503])
    with pytest.raises(fairlead.OutputRefused, match="output x: no output x"):
        fairlead.output("x", "1")
    monkeypatch.setattr(_output, "_PATIENCE_SECONDS", -1)
    with pytest.raises(fairlead.OutputRefused):
        fairlead.output("x", "1")
    assert len(Heard.bodies) == 2


def test_outside_of_a_job_nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRLEAD_OUTPUTS_URL", raising=False)
    assert not fairlead.output("model", "x")


def test_a_script_gets_the_bare_value(api: respx.MockRouter, capsys: Capture) -> None:
    """Fails when the value has an added word, or a missing value counts as an empty one."""
    ended = job(state="SUCCEEDED", pending=None, outputs={"model": "s3://b/x y", "rows": "7"})
    api.get("/jobs").mock(side_effect=listing(ended))
    found = api.get(f"/jobs/{JOB_ID}").respond(200, json=ended)
    assert main(["job", "output", "llama-sft", "model"]) == 0
    assert capsys.readouterr() == ("s3://b/x y\n", "")
    assert main(["job", "output", "llama-sft"]) == 0
    assert capsys.readouterr().out == "model  s3://b/x y\nrows   7\n"
    assert main(["job", "output", "llama-sft", "rows", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"rows": "7"}
    assert main(["job", "output", "llama-sft", "loss"]) == 3
    assert printed(capsys.readouterr().err, "outputs.output-loss-outputs-model")
    assert main(["get", "llama-sft"]) == 0
    assert "Outputs" in capsys.readouterr().out

    found.respond(200, json=ended | {"outputs": {"model": "-", "rows": ""}})
    assert main(["job", "output", "llama-sft"]) == 0
    assert capsys.readouterr().out == "model  -\nrows\n", "a value that looks like none"

    found.respond(200, json=ended | {"state": "RUNNING"})
    assert main(["job", "output", "llama-sft", "model"]) == 0
    out, err = capsys.readouterr()
    assert (out, "not final" in err) == ("s3://b/x y\n", True)
