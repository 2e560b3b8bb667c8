"""Local HTTP endpoint for the redirect of the identity provider."""

from __future__ import annotations

import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer
from urllib.parse import parse_qsl, urlsplit

PATH = "/callback"
# a browser opens connections that it does not use
SILENCE_SECONDS = 5.0
DONE = b"<!doctype html><title>Fairlead</title><p>Done. Return to the terminal. You can close this page.\n"
STRANGE = (
    b"<!doctype html><title>Fairlead</title><p>This callback matches no sign-in started here.\n"
)


class Callback(TCPServer):
    """Listens on a free port of 127.0.0.1 until a request `fits`. Refuses other requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Page)
        self.answer: dict[str, str] | None = None
        self.fits: Callable[[dict[str, str]], bool] = lambda answer: False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{PATH}"

    def await_answer(
        self, fits: Callable[[dict[str, str]], bool], seconds: float
    ) -> dict[str, str] | None:
        """Waits for the answer. Returns None if no answer arrived in that time."""
        self.fits = fits
        until = time.monotonic() + seconds
        while self.answer is None and time.monotonic() < until:
            self.timeout = max(until - time.monotonic(), 0.01)
            self.handle_request()
        return self.answer


class _Page(BaseHTTPRequestHandler):
    server: Callback
    timeout = SILENCE_SECONDS

    def do_GET(self) -> None:
        target = urlsplit(self.path)
        answer = dict(parse_qsl(target.query))
        fine = target.path == PATH and self.server.fits(answer)
        if fine:
            self.server.answer = answer
        body = DONE if fine else STRANGE
        self.send_response(200 if fine else 400)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing, because the line would contain the code."""
