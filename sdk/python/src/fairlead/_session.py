"""Sessions in members: one WebSocket each, in the protocol v5.channel.k8s.io."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx2
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from fairlead._call import path, unreachable
from fairlead._errors import Unreachable, api_error
from fairlead._sync_client import Fairlead
from fairlead._tls import trusted

INPUT, OUTPUT, ERRORS, RESULT, RESIZE, END = 0, 1, 2, 3, 4, 255
PROTOCOL = Subprotocol("v5.channel.k8s.io")
# the largest frame of the service: one of the cluster, which reads 32 KiB
LARGEST = 4 * 1024 * 1024
PIECE = 32 * 1024


class Session:
    """An open session. Sending and reading can happen in two threads."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Channel and data of each frame until the service closes the session."""
        try:
            while True:
                frame = self._socket.recv()
                if isinstance(frame, bytes) and frame:
                    yield frame[0], frame[1:]
        except ConnectionClosed:
            return

    def send(self, channel: int, data: bytes) -> bool:
        """Returns False if the session has ended."""
        try:
            for at in range(0, len(data), PIECE):
                self._socket.send(bytes([channel]) + data[at : at + PIECE])
        except ConnectionClosed:
            return False
        return True

    def end_input(self) -> bool:
        return self.send(END, bytes([INPUT]))

    def resize(self, columns: int, rows: int) -> bool:
        return self.send(RESIZE, json.dumps({"Width": columns, "Height": rows}).encode())

    @property
    def reason(self) -> str:
        """Reason why the service or the connection ended the session, empty after a normal end."""
        code, why = self._socket.close_code, self._socket.close_reason
        return "" if code == 1000 else why or "the connection to the service broke"

    def close(self) -> None:
        self._socket.close()


def exit_code(result: bytes) -> tuple[int | None, str]:
    """Exit code of the command, or None if it did not run, and the message of the cluster."""
    try:
        status = json.loads(result)
        if status.get("status") == "Success":
            return 0, ""
        for cause in (status.get("details") or {}).get("causes") or []:
            if cause.get("reason") == "ExitCode":
                return int(cause["message"]), ""
        return None, str(status.get("message", "the command did not run"))
    except (ValueError, AttributeError, TypeError, KeyError):
        return None, "the cluster gave no result"


def execute(fl: Fairlead, job: str, command: Sequence[str], params: Mapping[str, Any]) -> Session:
    """Starts a command. Raises ApiError for a refusal."""
    words = base64.urlsafe_b64encode(json.dumps(list(command)).encode()).decode()
    return _open(fl, path("/jobs/{job}/exec", job=job), params, {"Fairlead-Command": words})


def forward(fl: Fairlead, job: str, params: Mapping[str, Any]) -> Session:
    """Opens one connection to a port. Raises ApiError for a refusal."""
    return _open(fl, path("/jobs/{job}/port-forward", job=job), params, {})


def _open(
    fl: Fairlead, where: str, params: Mapping[str, Any], headers: Mapping[str, str]
) -> Session:
    given = {name: value for name, value in params.items() if value is not None}
    request = fl._http.build_request("GET", where, params=given, headers=dict(headers))
    flow = fl._http.auth.sync_auth_flow(request) if fl._http.auth else iter([request])
    request = next(flow)
    while True:
        try:
            return Session(_connect(request))
        except InvalidStatus as refused:
            answer = httpx2.Response(
                refused.response.status_code,
                headers=list(refused.response.headers.raw_items()),
                content=bytes(refused.response.body or b""),
                request=request,
            )
            again = _renewed(flow, answer)
            if again is None:
                raise _refusal(answer) from refused
            request = again
        except (OSError, InvalidHandshake) as cause:
            raise unreachable(fl.url, cause) from cause


def _renewed(flow: Any, answer: httpx2.Response) -> httpx2.Request | None:
    """The request with a renewed token, if the response asks for a new token."""
    try:
        renewed: httpx2.Request = flow.send(answer)
        return renewed
    except (StopIteration, AttributeError):
        return None


def _connect(request: httpx2.Request) -> ClientConnection:
    secure = request.url.scheme == "https"
    names = {"authorization", "fairlead-tenant", "fairlead-command"}
    return connect(
        "ws" + str(request.url)[4:],
        ssl=trusted() if secure else None,
        subprotocols=[PROTOCOL],
        additional_headers=[(k, v) for k, v in request.headers.items() if k.lower() in names],
        user_agent_header=request.headers.get("User-Agent"),
        compression=None,
        open_timeout=30,
        # a slow reader delays the answer to a ping, so only TCP decides that the service is gone
        ping_timeout=None,
        max_size=LARGEST,
        max_queue=4,
        legacy=True,  # the session outlives this call
    )


def _refusal(answer: httpx2.Response) -> Exception:
    try:
        body = answer.json()
    except ValueError:
        body = None
    if body is None and answer.status_code == 200:
        return Unreachable("a proxy between here and the service does not pass WebSockets")
    return api_error(answer.status_code, body, answer.headers.get("X-Request-Id"))
