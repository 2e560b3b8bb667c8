"""Sessions against a server of this process that speaks the protocol of the service."""

from __future__ import annotations

import base64
import http
import json
import os
import signal
import socket
import sys
import termios
import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest
from documents import JOB_ID
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

from fairlead import Conflict, Fairlead
from fairlead._session import Session, execute, exit_code
from fairlead.cli.output import ClosedPipe
from fairlead.cli.session import UsageProblem
from fairlead.cli.sessions import connected, numbers, pass_output, raw_terminal, written


class Service:
    """Records handshakes, echoes input and ends with 3 at its end. Refuses a job named refused."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.server = serve(
            self.answer,
            "127.0.0.1",
            0,
            subprotocols=[Subprotocol("v5.channel.k8s.io")],
            process_request=self.request,
            compression=None,
        )
        self.url = f"http://127.0.0.1:{self.server.socket.getsockname()[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def request(self, _: ServerConnection, request: Request) -> Response | None:
        self.requests.append(request)
        if "/refused/" not in request.path:
            return None
        problem = {"code": "ILLEGAL_STATE", "status": 409, "detail": "worker-0 is PULLING."}
        headers = Headers({"Content-Type": "application/problem+json"})
        return Response(http.HTTPStatus.CONFLICT, "Conflict", headers, json.dumps(problem).encode())

    def answer(self, connection: ServerConnection) -> None:
        for frame in connection:
            assert isinstance(frame, bytes)
            if frame[0] == 0:
                connection.send(b"\x01" + frame[1:])
            elif frame[0] == 255:
                break
        status: dict[str, Any] = {"status": "Failure", "reason": "NonZeroExitCode"}
        status["details"] = {"causes": [{"reason": "ExitCode", "message": "3"}]}
        connection.send(b"\x03" + json.dumps(status).encode())
        connection.close(1000)


@pytest.fixture
def service() -> Iterator[Service]:
    running = Service()
    yield running
    running.server.shutdown()


def test_command_has_its_arguments_token_input_and_exit_code(
    service: Service, capfd: pytest.CaptureFixture[str]
) -> None:
    with Fairlead(service.url, "secret-token", tenant="acme") as fl:
        session = execute(fl, JOB_ID, ["echo", "a b", ""], {"member": "worker-1", "element": None})
        assert session.send(0, b"x" * 100_000)
        assert session.end_input()
        assert pass_output(session) == 3
        assert session.reason == ""
    asked = service.requests[0]
    assert asked.path == f"/api/v1/jobs/{JOB_ID}/exec?member=worker-1"
    assert asked.headers["Authorization"] == "Bearer secret-token"
    assert asked.headers["Fairlead-Tenant"] == "acme"
    words = json.loads(base64.urlsafe_b64decode(asked.headers["Fairlead-Command"]))
    assert words == ["echo", "a b", ""]
    assert "Origin" not in asked.headers
    assert capfd.readouterr().out == "x" * 100_000


def test_a_refusal_is_the_problem_of_the_service(service: Service) -> None:
    with Fairlead(service.url, "t") as fl, pytest.raises(Conflict, match="worker-0 is PULLING"):
        execute(fl, "refused", ["true"], {})


def test_a_connection_is_passed_in_both_directions(service: Service) -> None:
    here, there = socket.socketpair()
    with Fairlead(service.url, "t") as fl, here:
        copying = threading.Thread(target=connected, args=(fl, JOB_ID, {"port": 80}, there))
        copying.start()
        here.sendall(b"hello")
        assert here.recv(5) == b"hello"
        here.shutdown(socket.SHUT_WR)
        copying.join(10)
        assert not copying.is_alive()
    assert service.requests[0].path.endswith("/port-forward?port=80")


def test_paused_reader_retains_its_session(service: Service) -> None:
    with Fairlead(service.url, "t") as fl:
        session = execute(fl, JOB_ID, ["cat"], {})
        assert session._socket.ping_interval is not None  # proxies see traffic
        assert session._socket.ping_timeout is None
        session.close()


def test_an_error_of_the_cluster_moves_no_cursor(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Refused:
        def frames(self) -> Iterator[tuple[int, bytes]]:
            yield 3, b'{"status": "Failure", "message": "no \\u001b]0;x\\u0007 program"}'

    assert pass_output(cast(Session, Refused())) == 126
    shown = capsys.readouterr().err
    assert "program" in shown
    assert "\x1b" not in shown


def test_a_closed_pipe_is_no_error_of_the_cli() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with pytest.raises(ClosedPipe):
        written(writer, b"x")
    os.close(writer)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_terminal_is_restored(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[tuple[int, int]] = []

    class Opened:
        def resize(self, columns: int, rows: int) -> bool:
            sizes.append((columns, rows))
            return True

    monkeypatch.setenv("COLUMNS", "97")
    monkeypatch.setenv("LINES", "31")
    _, device = os.openpty()
    with os.fdopen(device) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before = termios.tcgetattr(device)

        def typed() -> None:
            with raw_terminal(cast(Session, Opened())):
                assert termios.tcgetattr(device) != before
                signal.raise_signal(signal.SIGWINCH)
                signal.raise_signal(number)

        with pytest.raises(SystemExit) as ended:
            typed()
        assert ended.value.code == 128 + number
        assert termios.tcgetattr(device) == before
    assert sizes == [(97, 31), (97, 31)]


@pytest.mark.parametrize(
    ("given", "meant"), [("8888", (8888, 8888)), ("9000:80", (9000, 80)), ("0:80", (0, 80))]
)
def test_ports(given: str, meant: tuple[int, int]) -> None:
    assert numbers(given) == meant


@pytest.mark.parametrize("given", ["", "x", "80:", "80:0", "70000", "-1:80", "1:2:3"])
def test_wrong_ports(given: str) -> None:
    with pytest.raises(UsageProblem):
        numbers(given)


@pytest.mark.parametrize(
    ("result", "code", "message"),
    [
        (b'{"status": "Success"}', 0, ""),
        (b'{"status": "Failure", "message": "no such file"}', None, "no such file"),
        (b"[]", None, "the cluster gave no result"),
        (b"{", None, "the cluster gave no result"),
    ],
)
def test_results(result: bytes, code: int | None, message: str) -> None:
    assert exit_code(result) == (code, message)
