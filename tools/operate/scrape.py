"""Scrapes one running service with a real Prometheus and traces it with a real Zipkin."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from report import Failed, Row, Skipped, verdict
from suites import LOGS, ROOT, jdk

START_SECONDS = 300
ANSWER_SECONDS = 60
MOST_SERIES = 20_000
CLUSTERS, QUEUES, USERS, JOBS_OF_A_USER = 50, 100, 1_000, 10
ATTEMPT = "01m85ra1rmepes9nc5t6x76mvg"  # its GPUs are exported beside the service
# The DCGM exporter's series for two GPUs of a pod, one of them idle, and for an unused GPU.
GPUS = "".join(
    f'{series}{{gpu="{gpu}",Hostname="node-0",modelName="NVIDIA H100"{pod}}} {value}\n'
    for gpu, pod, use in (
        (0, f',namespace="fl-jobs",pod="fl-{ATTEMPT}-worker-0-0"', 80),
        (1, f',namespace="fl-jobs",pod="fl-{ATTEMPT}-worker-0-0"', 1),
        (2, "", 0),
    )
    for series, value in (
        ("DCGM_FI_DEV_GPU_UTIL", use), ("DCGM_FI_DEV_FB_USED", 40_000), ("DCGM_FI_DEV_FB_FREE", 41_000),
        ("DCGM_FI_DEV_POWER_USAGE", 350.5), ("DCGM_FI_DEV_GPU_TEMP", 61), ("DCGM_FI_DEV_XID_ERRORS", 31),
    )
)  # fmt: skip
OWNERS = 4  # each caller makes at most 500 tokens a day
# A healthy service has none of these, and simulated clusters have no API server and front no Jobs; partitions are
# checked in the tenth minute of retention. Their panels are empty until then.
ABSENT = {
    "ALERTS", "fairlead_api_refused_total", "fairlead_attempts_oldest_seconds", "fairlead_audit_broken",
    "fairlead_audit_seal_refused", "fairlead_campaign_nodes", "fairlead_checkpoints_total", "fairlead_cluster_calls_seconds_count",
    "fairlead_cluster_calls_seconds_sum", "fairlead_cluster_certificate_left_seconds", "fairlead_cluster_quota_removals_total", "fairlead_cluster_repairs_total",
    "fairlead_cluster_token_left_seconds", "fairlead_cluster_token_renewals_total", "fairlead_evictions_total",
    "fairlead_efficiency_series_total", "fairlead_idle_jobs_total", "fairlead_efficiency_unread_total",
    "fairlead_forecast_refused_total", "fairlead_front_jobs_total", "fairlead_front_missing", "fairlead_front_unread_seconds",
    "fairlead_health_tests_doubted", "fairlead_launches_refused_total", "fairlead_log_store_failures_total",
    "fairlead_partitions_horizon_seconds", "fairlead_plan_dropped_total", "fairlead_plan_failed_total",
    "fairlead_repair_between_seconds_count", "fairlead_repair_between_seconds_sum",
    "fairlead_repair_step_seconds_count", "fairlead_repair_step_seconds_sum",
    "fairlead_retention_failures_total", "fairlead_supply_ready_seconds_bucket", "fairlead_supply_ready_seconds_count",
    "fairlead_supply_ready_seconds_sum", "fairlead_supply_requests_total", "fairlead_supply_unanswered_total",
    "resilience4j_circuitbreaker_state",
}  # fmt: skip
# Values of labels that only a fault makes.
FAULTY = ('outcome="SERVER_ERROR"', 'outcome=~"throttled', 'state="UNREACHABLE"')


@dataclass(frozen=True)
class Service:
    url: str
    management: str
    token: str

    def send(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> Any:
        headers |= {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/api/v1{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            raise Failed(f"{method} {path}: {refused.code} {refused.read().decode()[:300]}") from None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fetch(url: str, **headers: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=ANSWER_SECONDS) as answer:
        return bytes(answer.read())


def until(what: str, found: Callable[[], Any], seconds: float = ANSWER_SECONDS) -> Any:
    """Polls until the result is true."""
    end = time.monotonic() + seconds
    while True:
        try:
            answer = found()
        except OSError:
            answer = None
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.5)


@contextmanager
def running(name: str, command: list[str], more: dict[str, str] | None = None) -> Iterator[Path]:
    """The program, with its output in the given file."""
    log = LOGS / f"{name}.log"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FAIRLEAD_")} | (more or {})
    with log.open("w") as output:
        process = subprocess.Popen(command, env=environment, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        yield log
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def program(script: str, *arguments: str) -> str:
    """Returns the output of the script, which is the path of a program. Skips the test if the program is not available."""
    environment = {**os.environ, "FAIRLEAD_BUILD_PROMTOOL": "1"}
    found = subprocess.run([ROOT / script, *arguments], env=environment, capture_output=True, text=True, check=False)
    if found.returncode:
        raise Skipped((found.stderr.strip().splitlines() or [f"{script} ended with {found.returncode}"])[-1])
    return found.stdout.strip()


def java() -> list[str]:
    return [f"{jdk()}/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]


def classes(module: str) -> str:
    return f"{ROOT / module}/target/classes:{(ROOT / module / 'target/classpath.txt').read_text().strip()}"


@contextmanager
def demo(scratch: Path, zipkin: str) -> Iterator[Service]:
    """Database, service, three simulated clusters and the example jobs, as make demo starts them."""
    shutil.copytree(ROOT / "examples", scratch / "examples", dirs_exist_ok=True)
    token, port = secrets.token_hex(16), free_port()
    command = [
        *java(), "-Dslf4j.internal.verbosity=ERROR", "-cp", classes("tools/launcher"), f"-Dfairlead.root={scratch}",
        f"-Dfairlead.service.classpath={classes('api')}", "dev.fairlead.launcher.demo.DemoLauncher",
    ]  # fmt: skip
    settings = {
        "FAIRLEAD_PORT": str(port),
        "FAIRLEAD_MANAGEMENT_PORT": str(free_port()),
        "FAIRLEAD_BOOTSTRAP_TOKEN": token,
        "FAIRLEAD_TRACES_ZIPKIN": zipkin,
    }
    with running("demo", command, settings) as log:
        api = until("the service is ready", partial(said, log, r"Service at (http\S+?),"), START_SECONDS)
        until("the examples have ended", partial(said, log, r"(Serving) until"), START_SECONDS)
        health = said(log, r"Health +(http\S+?)/actuator")
        yield Service(api, health, token)


def said(log: Path, pattern: str) -> str:
    found = re.search(pattern, log.read_text())
    return found[1] if found else ""


class Gpus(BaseHTTPRequestHandler):
    """Replaces the DCGM exporter."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(GPUS.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def exporter() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Gpus) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def prometheus(scratch: Path, service: Service, gpus: str) -> Iterator[str]:
    """Scrapes the service and the GPUs every second, with the rules of deploy/prometheus."""
    binary, address = program("tools/prometheus/program.sh", "prometheus"), f"127.0.0.1:{free_port()}"
    target = urllib.parse.urlparse(service.management).netloc
    settings = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(ROOT / "deploy/prometheus/rules.yaml")],
        "scrape_configs": [
            {
                "job_name": "fairlead",
                "metrics_path": "/actuator/prometheus",
                "authorization": {"credentials": service.token},
                "static_configs": [{"targets": [target]}],
            },
            {"job_name": "dcgm", "honor_labels": True, "static_configs": [{"targets": [gpus]}]},
        ],
    }
    (scratch / "prometheus.yaml").write_text(json.dumps(settings))
    command = [
        binary, f"--config.file={scratch}/prometheus.yaml", f"--storage.tsdb.path={scratch}/tsdb",
        f"--web.listen-address={address}",
    ]  # fmt: skip
    with running("prometheus", command):
        until("Prometheus is ready", lambda: fetch(f"http://{address}/-/ready"))
        yield f"http://{address}/api/v1"


def asked(prometheus: str, what: str, query: str) -> Any:
    url = f"{prometheus}/{what}?{urllib.parse.urlencode({'query': query})}"
    try:
        return json.loads(fetch(url))["data"]
    except urllib.error.HTTPError as refused:
        raise Failed(f"{query}: {refused.read().decode()}") from None


def selectors(tree: Any) -> Iterator[str]:
    """Each series that a parsed query reads, as a separate query, except in absent()."""
    if isinstance(tree, list):
        for part in tree:
            yield from selectors(part)
    elif isinstance(tree, dict) and tree.get("type") in ("vectorSelector", "matrixSelector"):
        matchers = ",".join(f"{m['name']}{m['type']}{json.dumps(m['value'])}" for m in tree["matchers"])
        yield f"{{{matchers}}}"
    elif isinstance(tree, dict):
        for part in tree.values():
            yield from selectors(part)


def panels() -> list[str]:
    boards = [json.loads(path.read_text()) for path in sorted((ROOT / "deploy/grafana").glob("*.json"))]
    queries = [target["expr"] for board in boards for panel in board["panels"] for target in panel["targets"]]
    return [query.replace("$__rate_interval", "1m").replace("$attempt", ATTEMPT) for query in queries]


def with_data(prometheus: str, queries: list[str]) -> str:
    """Waits until every query has a result. Only queries for events that did not happen may be empty."""

    def empty() -> list[str]:
        return [query for query in queries if not asked(prometheus, "query", query)["result"]]

    wrong: list[str] = []

    def answered() -> bool:
        wrong[:] = [query for query in empty() if not ABSENT & set(re.findall(r"[A-Za-z][A-Za-z0-9_:]+", query))]
        return not wrong

    try:
        until("queries", answered)
    except Failed:
        raise Failed(f"{len(wrong)} of {len(queries)} without data: {'; '.join(wrong)}") from None
    return f"{len(queries) - len(empty())} of {len(queries)} with data, the others count what did not happen"


def rules(prometheus: str) -> str:
    """Every rule is evaluated, and each of its series exists."""
    groups = json.loads(fetch(f"{prometheus}/rules"))["data"]["groups"]
    every = [rule for group in groups for rule in group["rules"]]
    until(
        "rules are evaluated",
        lambda: all(
            rule["health"] == "ok"
            for group in json.loads(fetch(f"{prometheus}/rules"))["data"]["groups"]
            for rule in group["rules"]
        ),
    )
    read = {s for rule in every for s in selectors(asked(prometheus, "parse_query", rule["query"]))}
    quiet = [s for s in sorted(read) if not any(label in s for label in FAULTY)]
    return f"{len(every)} rules evaluated; series: {with_data(prometheus, quiet)}"


def trace(zipkin: str, service: Service) -> str:
    """The trace of one job in Zipkin, from its request to RUNNING and to its end."""
    number = secrets.token_hex(16)
    job = {"image": "x", "gpu": 1, "annotations": {"sim.fairlead.dev/run-for": "1s"}}
    parent = f"00-{number}-{secrets.token_hex(8)}-01"
    service.send("POST", "/projects/default/jobs", job, traceparent=parent)
    wanted = {"job", "queue", "launch", "start", "run", "post /api/v1/projects/{project}/jobs"}

    def spans() -> dict[str, dict[str, Any]]:
        found = json.loads(fetch(f"{zipkin}/api/v2/trace/{number}"))
        named = {span["name"].lower(): span for span in found}
        return named if wanted <= named.keys() else {}

    found = until("the trace in Zipkin", spans)
    root = found["job"]["id"]
    strays = [name for name in ("queue", "launch", "start", "run") if found[name].get("parentId") != root]
    if strays:
        raise Failed(f"not below the span of the job: {', '.join(strays)}")
    return f"{len(found)} spans, submit to RUNNING {found['job']['duration'] / 1000:.0f} ms"


def series(service: Service) -> str:
    """Series of a scrape with 50 clusters, 100 queues, and 10,000 jobs of 1,000 users."""
    for i in range(CLUSTERS - 3):  # the demo has three
        fleet = [{"nodes": 1, "gpusPerNode": 8, "model": ("H100", "H200", "L4")[i % 3]}]
        service.send("POST", "/clusters", {"name": f"operate-{i}", "kind": "SIMULATED", "fleet": fleet})
    for i in range(QUEUES):
        service.send("POST", "/quotas", {"name": f"operate-{i}", "parent": "root", "queue": {}})
    owners = [token(service, f"owner-{i}", "tenant-owner", "") for i in range(OWNERS)]
    with ThreadPoolExecutor(4) as clients:
        jobs = sum(clients.map(lambda i: submitted(service, owners[i % OWNERS], i), range(USERS)))
    until("the scheduler sees every queue", lambda: exported(service).count("fairlead_queue_pending{") >= QUEUES)
    lines = [line for line in exported(service).splitlines() if line and not line.startswith("#")]
    if len(lines) >= MOST_SERIES:
        raise Failed(f"{len(lines)} series, {MOST_SERIES} are allowed")
    return f"{len(lines)} series, {jobs} jobs, {USERS} users, {QUEUES} queues, {CLUSTERS} clusters"


def token(service: Service, user: str, role: str, by: str) -> str:
    wanted = {"name": "operate", "role": role, "user": f"sa:{user}"}
    return str(service.send("POST", "/tokens", wanted, by)["token"])


def submitted(service: Service, owner: str, user: int) -> int:
    job = {"image": "x", "gpu": 1, "queue": f"operate-{user % QUEUES}", "notBefore": "2099-01-01T00:00:00Z"}
    mine = token(service, f"user-{user}", "tenant-member", owner)
    answer = service.send("POST", "/projects/default/jobs/batch", {"items": [job] * JOBS_OF_A_USER}, mine)
    taken = sum("job" in item for item in answer["items"])
    if taken != JOBS_OF_A_USER:
        raise Failed(f"jobs of a batch were refused: {answer['items'][0]}")
    return taken


def exported(service: Service) -> str:
    return fetch(f"{service.management}/actuator/prometheus", Authorization=f"Bearer {service.token}").decode()


def checks() -> Iterator[Row]:
    """Runs all checks on one service, so a failed start also fails every later check."""
    with ExitStack() as open_things, tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        port = free_port()
        zipkin = f"http://127.0.0.1:{port}"
        try:
            service = open_things.enter_context(demo(scratch, f"{zipkin}/api/v2/spans"))
        except Failed as away:
            yield Row("scrape", "a running service", "failed", "", str(away))
            return
        yield from scraped(scratch, service)
        yield verdict("traces", "submit to RUNNING in Zipkin", lambda: traced(zipkin, port, service))
        yield verdict("series", "a large installation", lambda: series(service))


def traced(zipkin: str, port: int, service: Service) -> str:
    server = [*java(), "-Xmx512m", "-jar", program("tools/zipkin/server.sh")]
    with running("zipkin", server, {"QUERY_PORT": str(port)}):
        until("Zipkin is ready", lambda: fetch(f"{zipkin}/health"), START_SECONDS)
        return trace(zipkin, service)


def scraped(scratch: Path, service: Service) -> Iterator[Row]:
    with ExitStack() as open_things:
        started: list[str] = []

        def start() -> str:
            job = {"image": "x", "gpu": 1, "annotations": {"sim.fairlead.dev/run-for": "1h"}}
            service.send("POST", "/projects/default/jobs", job)
            gpus = open_things.enter_context(exporter())
            started.append(open_things.enter_context(prometheus(scratch, service, gpus)))
            return f"{exported(service).count(chr(10))} lines a scrape"

        yield verdict("scrape", "a real Prometheus scrapes it", start)
        if started:
            yield verdict("scrape", "every panel of deploy/grafana", lambda: with_data(started[0], panels()))
            yield verdict("scrape", "every rule of deploy/prometheus", lambda: rules(started[0]))
