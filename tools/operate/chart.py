"""Installs the chart on a real node, upgrades it and rolls it back under load, and uninstalls it."""

from __future__ import annotations

import base64
import http.client
import json
import os
import random
import secrets
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from report import Failed, Row, Skipped, verdict
from scrape import program, until
from suites import LOGS, ROOT, older

NAME = "fairlead"
NODE = {"fairlead.dev/real-node": "true"}
READY_SECONDS = 600
JOBS_SECONDS = 300
CLIENTS = 4
LATER = (429, 503)
JOBS_BESIDE = 20  # of each version, before and after its change
DATABASE = """
apiVersion: v1
kind: Service
metadata: {name: db, namespace: database}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432}]}
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: database, labels: {app: db}}
spec:
  nodeSelector: {fairlead.dev/real-node: "true"}
  containers:
  - name: postgres
    image: localhost/fairlead-operate/postgres:17
    env: [{name: POSTGRES_USER, value: fairlead}, {name: POSTGRES_PASSWORD, value: "@password"}]
    readinessProbe: {tcpSocket: {port: 5432}, periodSeconds: 1}
"""


def call(*command: str | Path, text: str = "", **environment: str) -> str:
    """Returns the output of the command. Its errors are written to chart-install.log."""
    with (LOGS / "chart-install.log").open("a") as log:
        log.write(f"$ {' '.join(map(str, command))[:300]}\n")
        log.flush()
        done = subprocess.run(
            command, input=text, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT, env={**os.environ, **environment}, check=False
        )
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))[:120]}: exit code {done.returncode}, see build/operate/chart-install.log")
    return done.stdout


@dataclass
class Cluster:
    """A control plane at an address that pods can reach, a real node, and simulated nodes for the load."""

    name: str
    helm: str
    kubeconfig: str = ""

    def kubectl(self, *arguments: str, text: str = "") -> str:
        return call(ROOT / "tools/k8s/cluster.sh", "kubectl", self.name, *arguments, text=text)

    def json(self, *arguments: str) -> Any:
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))["items"]

    def chart(self, *arguments: str | Path) -> None:
        call(self.helm, "--kubeconfig", self.kubeconfig, "--namespace", NAME, *arguments)

    def addresses(self) -> list[str]:
        """Returns the addresses of the ready pods. A client outside the cluster acts as kube-proxy."""
        slices = self.json("endpointslices", "-n", NAME, "-l", f"kubernetes.io/service-name={NAME}")
        return [e["addresses"][0] for s in slices for e in s["endpoints"] or [] if e["conditions"].get("ready")]

    def objects(self) -> set[str]:
        """All objects in the release's namespace, and cluster-scoped objects with its label, without events."""
        found = set()
        for scope, where in (("true", ["-n", NAME]), ("false", ["-l", f"app.kubernetes.io/instance={NAME}"])):
            kinds = self.kubectl("api-resources", "--verbs=list", f"--namespaced={scope}", "-o", "name").split()
            wanted = ",".join(kind for kind in kinds if not kind.startswith("events"))
            found.update(self.kubectl("get", wanted, *where, "-o", "name", "--ignore-not-found").split())
        return found


@contextmanager
def cluster(helm: str, archives: list[Path]) -> Iterator[Cluster]:
    name = f"operate-{os.getpid()}"
    planes, nodes = ROOT / "tools/k8s/cluster.sh", ROOT / "tools/realnode/node.sh"
    call(planes, "build")
    call(nodes, "build")
    call(nodes, "image", "job")
    try:
        address = call(nodes, "address", name).strip()
        made = Cluster(name, helm)
        simulated = ("--nodes", "4", "--gpus", "8", "--gpu-model", "A100")
        call(planes, "up", name, "--scheduler", "--address", address, "--owner-pid", str(os.getpid()), *simulated)
        made.kubeconfig = call(planes, "kubeconfig", name).strip()
        call(nodes, "up", name, "real-0", "--gpus", "2")
        for archive in archives:
            call(nodes, "load", name, "real-0", archive)
        yield made
    finally:
        call(nodes, "down", name)
        call(planes, "down", name)


def images(tree: Path, scratch: Path) -> list[Path]:
    """Returns image archives of the database, of the older version and of this version."""
    engine = ROOT / "tools/containers/engine.sh"
    base = call(engine, "jdk").strip()
    call(engine, "cli", "tag", call(engine, "postgres").strip(), "localhost/fairlead-operate/postgres:17")
    for source, tag in ((tree, "older"), (ROOT, "newer")):
        call(source / "tools/containers/image", FAIRLEAD_IMAGE=f"localhost/fairlead-operate/fairlead:{tag}", FAIRLEAD_BASE_IMAGE=base)
    archives = []
    for image in ("postgres:17", "fairlead:older", "fairlead:newer"):
        archives.append(scratch / f"{image.replace(':', '-')}.tar")
        call(engine, "cli", "save", "-o", str(archives[-1]), f"localhost/fairlead-operate/{image}")
    return archives


@dataclass
class Installation:
    """A release of the chart, and the responses to its client."""

    cluster: Cluster
    older: Path
    scratch: Path
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    before: set[str] = field(default_factory=set)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Calls any process that is ready. An OSError may be retried."""
        addresses = self.cluster.addresses()
        if not addresses:
            raise ConnectionError("no process is ready")
        try:
            return self.to(random.choice(addresses), method, path, body, **headers)
        except urllib.error.HTTPError as refused:
            if refused.code in LATER:
                raise ConnectionError(f"{method} {path}: {refused.code}") from None
            raise Failed(f"{method} {path}: {refused.code} {refused.read().decode(errors='replace')[:300]}") from None
        except http.client.HTTPException as cut:
            raise ConnectionError(f"{method} {path}: {cut!r}") from None

    def post(self, path: str, body: Any) -> Any:
        """Sends the request with one idempotency key until it is answered."""
        key = {"Idempotency-Key": secrets.token_hex(8)}
        return until(f"POST {path} is answered", lambda: self.send("POST", path, body, **key), READY_SECONDS)

    def to(self, address: str, method: str, path: str, body: Any, **headers: str) -> Any:
        headers |= {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{address}:8080/api/v1{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def values(self, tag: str) -> Path:
        server = self.cluster.kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")
        file = self.scratch / f"{tag}.json"
        file.write_text(
            json.dumps(
                {
                    "image": {"repository": "localhost/fairlead-operate/fairlead", "tag": tag, "pullPolicy": "Never"},
                    "database": {"host": "db.database.svc.cluster.local", "sslMode": "disable"},
                    "resources": {"requests": {"cpu": "100m", "memory": "512Mi"}, "limits": {"memory": "1Gi"}},
                    "nodeSelector": NODE,
                    "config": {"fairlead": {"egress": {"allow": [f"{server.split('/')[2].split(':')[0]}/32"]}}},
                }
            )
        )
        return file

    def install(self) -> str:
        began = time.monotonic()
        password = secrets.token_hex(16)
        self.cluster.kubectl("create", "namespace", "database")
        self.cluster.kubectl("create", "namespace", NAME)
        self.cluster.kubectl("label", "namespace", NAME, "pod-security.kubernetes.io/enforce=restricted")
        self.cluster.kubectl("apply", "-f", "-", text=DATABASE.replace("@password", password))
        for secret, values in {
            "database": {"username": NAME, "password": password},
            "bootstrap": {"token": self.token},
            "key": {"key": base64.b64encode(secrets.token_bytes(48)).decode()},
        }.items():
            literals = [f"--from-literal={key}={value}" for key, value in values.items()]
            self.cluster.kubectl("-n", NAME, "create", "secret", "generic", f"fairlead-{secret}", *literals)
        self.cluster.kubectl("wait", "--for=condition=Ready", "pod/db", "-n", "database", f"--timeout={READY_SECONDS}s")
        until("the account's objects", lambda: any("/kube-root-ca" in found for found in self.cluster.objects()), READY_SECONDS)
        self.before = self.cluster.objects()
        self.cluster.chart("install", NAME, self.older / "deploy/chart", "-f", self.values("older"), "--wait", "--timeout", "15m")
        serving = time.monotonic() - began
        self.register()
        self.first_job()
        return f"serving after {serving:.0f} s, job RUNNING after {time.monotonic() - began:.0f} s"

    def register(self) -> None:
        self.cluster.kubectl("apply", "-f", str(self.older / "deploy/cluster.yaml"))
        of = json.loads(self.cluster.kubectl("config", "view", "--raw", "-o", "json"))["clusters"][0]["cluster"]
        token = self.cluster.kubectl("create", "token", "fairlead", "-n", "fairlead-system", "--duration", "1h").strip()
        connection = {"server": of["server"], "caData": of["certificate-authority-data"], "token": token}
        self.post("/clusters", {"name": "own", "connection": connection})

    def first_job(self) -> None:
        """Checks that a process on the real node is independent of the service that started it."""
        program = "import time; print('at work', flush=True); time.sleep(5)"
        job = {"name": "first", "image": "localhost/job:1", "gpu": "H100:1", "cpu": "50m", "memory": "128Mi", "shm": "16Mi"}
        job |= {"command": ["python3", "-c", program]}
        made = self.post("/projects/default/jobs", job)
        path = f"/jobs/{made['id']}"
        until("the first job runs", lambda: self.send("GET", path)["state"] in ("RUNNING", "SUCCEEDED"), JOBS_SECONDS)

    def changed(self, load: Load, tag: str, *arguments: str | Path) -> str:
        """Upgrades the release while clients submit jobs. No acknowledged job is missing afterwards."""
        with load:
            load.await_more()
            began = time.monotonic()
            self.cluster.chart(*arguments, "--wait", "--timeout", "15m")
            seconds = time.monotonic() - began
            until("the last pods go", lambda: self.tags() == {tag}, READY_SECONDS)
            load.await_more()
        return f"{load.verdict()}; {seconds:.0f} s"

    def tags(self) -> set[str]:
        pods = self.cluster.json("pods", "-n", NAME)
        return {pod["spec"]["containers"][0]["image"].rpartition(":")[2] for pod in pods}

    def upgrade(self) -> str:
        self.cluster.kubectl("apply", "-f", str(ROOT / "deploy/cluster.yaml"))
        return self.changed(Load(self, "up"), "newer", "upgrade", NAME, ROOT / "deploy/chart", "-f", self.values("newer"))

    def rollback(self) -> str:
        return self.changed(Load(self, "back"), "older", "rollback", NAME, "1")

    def uninstall(self) -> str:
        began = time.monotonic()
        self.cluster.chart("uninstall", NAME, "--wait", "--timeout", "5m")
        left: set[str] = set()

        def gone() -> bool:
            left.clear()
            left.update(self.cluster.objects() ^ self.before)
            return not left

        try:
            until("nothing is left", gone, READY_SECONDS)
        except Failed:
            raise Failed(f"differs from before the installation: {', '.join(sorted(left))}") from None
        return f"{len(self.before)} objects as before, {time.monotonic() - began:.0f} s"


class Load:
    """Clients that submit one job after the other to any ready process. Each client repeats a submit until it is answered."""

    def __init__(self, installation: Installation, label: str) -> None:
        self.installation, self.label = installation, label
        self.ids: dict[int, str] = {}
        self.wrong: list[str] = []
        self.repeats = self.begun = 0
        self.addresses = installation.cluster.addresses()
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.look), *(threading.Thread(target=self.submit) for _ in range(CLIENTS))]

    def __enter__(self) -> None:
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()

    def look(self) -> None:
        while not self.over.wait(0.5):
            with suppress(Failed):  # asked again
                self.addresses = self.installation.cluster.addresses() or self.addresses

    def submit(self) -> None:
        while not self.over.wait(0.2):
            with self.lock:
                number, self.begun = self.begun, self.begun + 1
            end = time.monotonic() + JOBS_SECONDS
            while time.monotonic() < end and not self.answered(number):
                with self.lock:
                    self.repeats += 1
                time.sleep(0.3)

    def answered(self, number: int) -> bool:
        """Whether the answer is final. A lost member or "later" is not."""
        job = {"name": f"{self.label}-{number}", "image": "x", "gpu": "A100:1", "labels": {"load": self.label}}
        job["annotations"] = {"sim.fairlead.dev/run-for": "1s"}
        key = {"Idempotency-Key": f"{self.label}-{number}"}
        try:
            made = self.installation.to(random.choice(self.addresses), "POST", "/projects/default/jobs", job, **key)
            self.ids[number] = made["id"]
        except urllib.error.HTTPError as refused:
            said = refused.read().decode(errors="replace")
            if refused.code in LATER or "IDEMPOTENCY_IN_FLIGHT" in said:
                return False
            self.wrong.append(f"submit {number}: {refused.code} {said[:300]}")
        except (OSError, http.client.HTTPException):
            return False
        return True

    def await_more(self) -> None:
        enough = len(self.ids) + JOBS_BESIDE
        until("submits are answered", lambda: len(self.ids) >= enough or self.wrong, JOBS_SECONDS)

    def verdict(self) -> str:
        if self.wrong or len(self.ids) < self.begun:
            raise Failed(f"{self.begun} submits, {len(self.ids)} taken: {'; '.join(self.wrong[:3])}")
        states: dict[str, int] = {}

        def ended() -> bool:
            groups = self.installation.send("GET", f"/jobs/summary?groupBy=state&label=load%3D{self.label}")["items"]
            states.clear()
            states.update({group["group"]["state"]: group["jobs"] for group in groups})
            return not states.keys() & {"QUEUED", "ADMITTED", "STARTING", "RUNNING", "CANCELLING"}

        until("every job ends", ended, JOBS_SECONDS)
        if states != {"SUCCEEDED": self.begun} or len(set(self.ids.values())) != self.begun:
            raise Failed(f"{self.begun} submits were taken, stored are {states}")
        return f"{self.begun} submits, all SUCCEEDED, {self.repeats} sent again"


def needed() -> tuple[str, Path]:
    """Helm, and the tree of the older version."""
    if os.geteuid():
        raise Skipped("needs root: real nodes are mounts, namespaces and control groups")
    lacking = call(ROOT / "tools/realnode/node.sh", "missing").splitlines()
    if call(ROOT / "tools/containers/engine.sh", "kind").strip() == "none":
        lacking.append("no container engine")
    if lacking:
        raise Skipped("; ".join(lacking))
    return program("tools/chart/helm.sh"), older()


def checks() -> Iterator[Row]:
    (LOGS / "chart-install.log").unlink(missing_ok=True)
    with ExitStack() as open_things:
        made: list[Installation] = []

        def install() -> str:
            helm, tree = needed()
            scratch = Path(open_things.enter_context(tempfile.TemporaryDirectory()))
            plane = open_things.enter_context(cluster(helm, images(tree, scratch)))
            made.append(Installation(plane, tree, scratch))
            return made[0].install()

        first = verdict("chart", "older version installed on a real node", install)
        yield first
        if first.status != "passed":
            return
        for check, act in (
            ("upgraded under load", made[0].upgrade),
            ("rolled back under load", made[0].rollback),
            ("uninstalled, leaves nothing", made[0].uninstall),
        ):
            yield verdict("chart", check, act)
