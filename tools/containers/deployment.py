"""Starts docker-compose.yml with a separate name, ports and secrets, next to any running deployment."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "tools/containers/engine.sh"
BEGIN = time.monotonic()


class Failed(Exception):
    """A failed step, with its name and cause as text."""


def program() -> str:
    return Path(sys.argv[0]).name


def say(text: str) -> None:
    print(f"{program()}: {time.monotonic() - BEGIN:5.1f} s  {text}", flush=True)


def engine(*arguments: str) -> str:
    result = subprocess.run([ENGINE, *arguments], check=False, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"{program()}: engine.sh {' '.join(arguments)} failed")
    return result.stdout.strip()


def free_port() -> int:
    """Returns a port below the ephemeral range, because the port is published only half a minute later."""
    while True:
        port = secrets.randbelow(4_000) + 28_000
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Deployment:
    """One run of the compose file under a separate name."""

    def __init__(self, postgres_image: str) -> None:
        self.project = f"fairlead-{program()}-{os.getpid()}"
        self.token = secrets.token_urlsafe(32)
        self.port = free_port()
        self.management = free_port()
        self.environment = os.environ | {
            "FAIRLEAD_POSTGRES_IMAGE": postgres_image,
            "FAIRLEAD_DB_PASSWORD": secrets.token_urlsafe(24),
            "FAIRLEAD_BOOTSTRAP_TOKEN": self.token,
            "FAIRLEAD_PORT": str(self.port),
            "FAIRLEAD_MANAGEMENT_PORT": str(self.management),
        }

    def compose(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [ENGINE, "compose", "-f", str(ROOT / "docker-compose.yml"), "-p", self.project, *arguments]
        return subprocess.run(
            command, check=False, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def up(self) -> None:
        result = self.compose("up", "-d", "--no-build")
        if result.returncode != 0:
            raise Failed(f"compose up ended with {result.returncode}:\n{result.stdout}")

    def down(self) -> None:
        result = self.compose("down", "-v", "-t", "3")
        say("removed" if result.returncode == 0 else f"compose down failed:\n{result.stdout}")

    def logs(self) -> str:
        return self.compose("logs").stdout[-8000:]

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, Any]:
        """Returns the status and the decoded body. Raises OSError for connection problems."""
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.port}/api/v1{path}"
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode(errors="replace")

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        status, answer = self.call(method, path, body, self.token)
        if status >= 300:
            raise Failed(f"{method} {path} answered {status}: {answer}")
        return answer
