"""A mocked service by respx, and the real one of this tree."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpcore2
import httpx
import pytest
import respx
from documents import plan, unknown_of
from respx.mocks import HTTPCoreMocker

ROOT = Path(__file__).resolve().parents[3]
URL = "http://fairlead.test"
START_SECONDS = 360


class HTTPCore2Mocker(HTTPCoreMocker):
    """respx supports httpx; the SDK uses its successor, whose transports have the same interface."""

    name = "httpcore2"
    targets = [target.replace("httpcore.", "httpcore2.") for target in HTTPCoreMocker.targets]  # noqa: RUF012

    @classmethod
    def from_sync_httpx_response(
        cls, httpx_response: httpx.Response, target: Any, **kwargs: Any
    ) -> httpcore2.Response:
        return httpcore2.Response(
            status=httpx_response.status_code,
            headers=httpx_response.headers.raw,
            content=httpx_response.stream,
            extensions=httpx_response.extensions,
        )


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tests neither read nor write files of their user."""
    for name in (
        "FAIRLEAD_URL",
        "FAIRLEAD_TOKEN",
        "FAIRLEAD_METRICS_TOKEN",
        "FAIRLEAD_PROJECT",
        "FAIRLEAD_TENANT",
        "FAIRLEAD_IMAGE",
        "NO_COLOR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FAIRLEAD_CONFIG", str(tmp_path / "config.json"))
    monkeypatch.setitem(sys.modules, "keyring", None)


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[respx.MockRouter]:
    """A mock accepts requests that the service refuses, so all are checked against the document."""
    monkeypatch.setenv("FAIRLEAD_URL", URL)
    with respx.mock(base_url=f"{URL}/api/v1", using="httpcore2", assert_all_called=False) as router:
        yield router
        asked = [(one.request.method, httpx.URL(one.request.url)) for one in router.calls]
        assert [strange for one in asked for strange in unknown_of(*one)] == []


@pytest.fixture
def feasible(api: respx.MockRouter) -> None:
    """Each job could start now."""
    api.post("/jobs/plan").respond(200, json=plan())


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that the client would have slept."""
    slept: list[float] = []
    monkeypatch.setattr("fairlead._sync_client.time.sleep", slept.append)
    return slept


@dataclass(frozen=True)
class Service:
    """`log` is the log of the service, one JSON object per line."""

    url: str
    token: str
    log: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"FAIRLEAD_URL": self.url, "FAIRLEAD_TOKEN": self.token}


def unavailable(reason: str) -> None:
    """CI prepares the build, so there it is a failure."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Database, service, simulated clusters and the example jobs, as make demo starts them."""
    paths = [ROOT / "api/target/classpath.txt", ROOT / "tools/launcher/target/classpath.txt"]
    missing = [str(path.relative_to(ROOT)) for path in paths if not path.exists()]
    if missing:
        unavailable(f"{', '.join(missing)} is missing: make build")
    home = subprocess.run([ROOT / "tools/jdk25"], capture_output=True, text=True, check=False)
    if home.returncode != 0:
        unavailable(f"no JDK 25: {home.stderr.strip()}")
    scratch = tmp_path_factory.mktemp("service")
    shutil.copytree(ROOT / "examples", scratch / "examples")
    classes = [path.parent / "classes" for path in paths]
    service_classes, launcher_classes = (
        f"{directory}:{path.read_text().strip()}"
        for directory, path in zip(classes, paths, strict=True)
    )
    if prepared := os.environ.get("PREPARED_BEANS"):
        service_classes += f":{prepared}"
    command = [
        f"{home.stdout.strip()}/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-Dslf4j.internal.verbosity=ERROR", "-cp", launcher_classes,
        f"-Dfairlead.root={scratch}", f"-Dfairlead.service.classpath={service_classes}",
        "dev.fairlead.launcher.demo.DemoLauncher",
    ]  # fmt: skip
    token, port = secrets.token_hex(16), free_ports()
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("FAIRLEAD_")},
        "FAIRLEAD_PORT": str(port),
        "FAIRLEAD_MANAGEMENT_PORT": str(port + 1),
        "FAIRLEAD_BOOTSTRAP_TOKEN": token,
        "LOGGING_STRUCTURED_FORMAT_CONSOLE": "ecs",
    }
    log = scratch / "launcher.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield Service(ready(process, log), token, scratch / "build/demo/service.log")
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@dataclass(frozen=True)
class Kubernetes:
    """`config` is the administrator's kubeconfig, `programs` the folder with kubectl."""

    config: str
    programs: str


@pytest.fixture(scope="session")
def kubernetes() -> Iterator[Kubernetes]:
    """A real control plane with two simulated nodes."""
    script, name = str(ROOT / "tools/k8s/cluster.sh"), f"docs-{os.getpid()}"

    def run(*arguments: str) -> str:
        done = subprocess.run([script, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            unavailable(f"no Kubernetes control plane: {done.stderr.strip()}")
        return done.stdout.strip()

    run("build")
    config = run("up", name, "--owner-pid", str(os.getpid()), "--nodes", "2")
    try:
        yield Kubernetes(config, run("bin"))
    finally:
        subprocess.run([script, "down", name], capture_output=True, check=False)


def ready(process: subprocess.Popen[bytes], log: Path) -> str:
    """Address of the service once its clusters are seen and the last of the examples is submitted."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        text = log.read_text()
        found = re.search(r"Service at (http\S+?),", text)
        if found and "waits-then-runs" in text:
            return found[1]
        time.sleep(0.1)
    pytest.fail(f"the service did not start:\n{log.read_text()}", pytrace=False)


def free_ports() -> int:
    """The first of two that follow one another, as services choose them (`LoopbackPorts`)."""
    while True:
        port = secrets.randbelow(3_999) + 28_000
        try:
            with socket.socket() as api, socket.socket() as management:
                api.bind(("127.0.0.1", port))
                management.bind(("127.0.0.1", port + 1))
                return port
        except OSError:
            continue
