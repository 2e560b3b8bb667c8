"""Collect diagnostics in one archive, without secrets, people or addresses."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import tarfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import httpx2
import typer

from fairlead import Fairlead, FairleadError, Unreachable, __version__
from fairlead._settings import checked_token
from fairlead._tls import trusted
from fairlead.cli import text
from fairlead.cli.jobs import ACTIVE
from fairlead.cli.output import say
from fairlead.cli.session import UsageProblem, client, verb

MOST_ITEMS = 2_000
MOST_PAGES = 100
MOST_BYTES = 20_000_000
METRICS_TIMEOUT = 10.0
METRICS_TOKEN = "FAIRLEAD_METRICS_TOKEN"
READS = {
    "version": "/version",
    "installation": "/installation",
    "checks": "/checks",
    "me": "/me",
    "clusters": "/clusters",
    "capacity": "/capacity",
    "nodes": "/nodes?pageSize=500",
    "pools": "/pools",
    "queues": "/queues",
    "quotas": "/quotas",
    "fleet-quotas": "/fleet-quotas",
    "prices": "/prices?pageSize=500",
    "incidents": "/incidents?pageSize=500",
    "operations": "/operations?pageSize=500",
    "jobs-summary": "/jobs/summary",
    "jobs-active": "/jobs?" + "".join(f"state={one}&" for one in ACTIVE) + "pageSize=500",
    "jobs-failed": "/jobs?state=FAILED&pageSize=200",
    "events": "/events?since=2h&pageSize=500",
}
OF_A_JOB = ("", "/explanation", "/attempts", "/events?pageSize=500")
HIDDEN = frozenset(
    (
        "env",
        "command",
        "args",
        "annotations",
        "image",
        "description",
        "kubeconfig",
        "token",
        "secret",
    )
)
PEOPLE = frozenset(("user", "users", "owner", "actor", "createdBy", "madeBy", "reporter", "email"))
CREDENTIALS = re.compile(
    r"-----BEGIN [^-]+-----.*?(?:-----END [^-]+-----|\Z)"
    r"|\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?"
    r"|\bfl_[\w-]{8,}|\bAKIA[0-9A-Z]{12,}|\bgh[pousr]_\w{16,}|\bhf_\w{16,}"
    r"|(?i:\b(?:bearer|basic)\s+[\w.~+/=-]{8,})",
    re.DOTALL,
)
ASSIGNED = re.compile(
    r"(?i)([\w-]*(?:passw(?:or)?d|secret|token|api[_-]?key|access[_-]?key|credential)[\w-]*"
    r"[\"']?\s*[=:]\s*)(\"[^\"]*\"|'[^']*'|[^\s,;}\]]+)"
)
ADDRESS = re.compile(r"(\w+://)(?:[^\s/@\"']+@)?([^\s/:?#\"',;)\]}]+)")
IP = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])")
MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
README = """Output of `fairlead config support-bundle` for one installation of Fairlead at one time.

Removed: environment, commands, images, annotations and descriptions of jobs, and strings that look like
credentials. People, addresses and URL hosts are replaced by pseudonyms, consistent within this bundle.
Included: names of tenants, projects, queues, jobs, clusters and nodes, ids, and failure messages. Read the
bundle before you share it.

MANIFEST.json lists each read, truncations, and failed reads with the reason."""
app = typer.Typer()


class Redaction:
    """Redacts values not needed for diagnosis. A person has the same pseudonym throughout one bundle."""

    def __init__(self, salt: bytes) -> None:
        self.salt = salt

    def named(self, kind: str, value: str) -> str:
        return f"{kind}-{hashlib.sha256(self.salt + value.lower().encode()).hexdigest()[:8]}"

    def text(self, value: str) -> str:
        value = CREDENTIALS.sub("(credential)", value)
        value = ASSIGNED.sub(lambda m: m[1] + "(credential)", value)
        value = ADDRESS.sub(lambda m: m[1] + self.named("host", m[2]), value)
        value = MAIL.sub(lambda m: self.named("user", m[0]), value)
        return IP.sub(lambda m: self.named("ip", m[0]), value)

    def value(self, value: Any, key: str = "") -> Any:
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if key in HIDDEN:
            return "(left out)"
        if isinstance(value, dict):
            return {self.text(name): self.value(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [self.value(one, key) for one in value]
        return self.named("user", str(value)) if key in PEOPLE else self.text(str(value))


@dataclass
class Bundle:
    """Files by name, and the result of each read."""

    redaction: Redaction
    files: dict[str, bytes] = field(default_factory=dict)
    manifest: list[dict[str, Any]] = field(default_factory=list)

    def json(self, name: str, source: str, value: Any, **more: Any) -> None:
        body = json.dumps(self.redaction.value(value), indent=1, ensure_ascii=False, sort_keys=True)
        self._add(f"{name}.json", source, body + "\n", more)

    def plain(self, name: str, source: str, body: str, **more: Any) -> None:
        self._add(name, source, self.redaction.text(body), more)

    def missing(self, name: str, source: str, why: str) -> None:
        found = {"file": name, "source": self.redaction.text(source)}
        self.manifest.append({**found, "missing": self.redaction.text(why)})

    def failures(self) -> int:
        return sum("missing" in one for one in self.manifest)

    def _add(self, name: str, source: str, body: str, more: dict[str, Any]) -> None:
        self.files[name] = body.encode(errors="replace")
        found = {"file": name, "source": self.redaction.text(source)}
        self.manifest.append({**found, "bytes": len(self.files[name]), **more})

    def write(self, target: Path, created: str) -> None:
        """Writes a new file that only its owner may read. Raises UsageProblem if the file exists."""
        head = {"created": created, "cli": __version__, "files": self.manifest}
        everything = {
            "README.txt": README.encode(),
            "MANIFEST.json": (json.dumps(head, indent=1) + "\n").encode(),
            **self.files,
        }
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name, body in everything.items():
                entry = tarfile.TarInfo(f"{target.name.removesuffix('.tar.gz')}/{name}")
                entry.size, entry.mode, entry.mtime = len(body), 0o600, int(time.time())
                archive.addfile(entry, io.BytesIO(body))
        try:
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as wrong:
            raise UsageProblem(
                f"{target}: {wrong.strerror}. Choose another path with --file"
            ) from wrong
        with os.fdopen(handle, "wb") as out:
            out.write(packed.getbuffer())


def read(fl: Fairlead, path: str) -> tuple[Any, bool]:
    """The last MOST_ITEMS of the first MOST_PAGES pages, and whether more items exist. For other responses,
    the response itself."""
    answer = fl.raw(path)
    if not isinstance(answer, dict) or "items" not in answer:
        return answer, False
    items, token, pages = deque(answer["items"], MOST_ITEMS), answer.get("nextPageToken"), 1
    seen = len(answer["items"])
    while token and pages < MOST_PAGES:
        page = fl.raw(f"{path}{'&' if '?' in path else '?'}pageToken={quote(token, safe='')}")
        items.extend(page["items"])
        seen, token, pages = seen + len(page["items"]), page.get("nextPageToken"), pages + 1
    return list(items), bool(token) or seen > len(items)


def of_jobs(fl: Fairlead, bundle: Bundle, jobs: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in jobs:
        try:
            found = fl.jobs.find(name)
        except FairleadError as wrong:
            bundle.missing(f"job-{name}", f"job {name}", str(wrong))
            continue
        for part in OF_A_JOB:
            kind = part.split("?")[0].replace("/", "-")
            yield f"job-{found.id}{kind}", f"/jobs/{found.id}{part}"


def from_service(fl: Fairlead, bundle: Bundle, jobs: Sequence[str]) -> bool:
    """Returns False if the service cannot be reached, because further reads would only time out."""
    try:
        for name, path in (*READS.items(), *of_jobs(fl, bundle, jobs)):
            try:
                found, cut = read(fl, path)
            except Unreachable:
                raise
            except FairleadError as wrong:
                bundle.missing(name, path, str(wrong))
            else:
                bundle.json(name, path, found, **({"cut": True} if cut else {}))
    except Unreachable as away:
        bundle.missing("service", "the service", str(away))
        return False
    return True


def for_metrics() -> dict[str, str]:
    """Without a separate token, no header is sent. The API token is only sent to the API's address."""
    given = os.environ.get(METRICS_TOKEN)
    try:
        return {"Authorization": f"Bearer {checked_token(given)}"} if given else {}
    except ValueError as wrong:
        raise UsageProblem(f"{METRICS_TOKEN}: {wrong}") from wrong


def metrics(bundle: Bundle, addresses: Sequence[str], headers: Mapping[str, str]) -> None:
    """The scrape of each process, at most MOST_BYTES. Redirects and proxies from the environment
    are ignored,
    because they would receive the token."""
    options: dict[str, Any] = {"headers": headers, "verify": trusted(), "trust_env": False}
    for number, address in enumerate(addresses, 1):
        name = f"metrics-{number}.txt"
        try:
            with httpx2.stream("GET", address, timeout=METRICS_TIMEOUT, **options) as answer:
                if answer.status_code == 401:
                    bundle.missing(
                        name, address, f"401: set {METRICS_TOKEN} to a token for metrics"
                    )
                    continue
                answer.raise_for_status()
                body, cut = b"", False
                for part in answer.iter_bytes():
                    body += part
                    if len(body) > MOST_BYTES:
                        body, cut = body[:MOST_BYTES], True
                        break
        except (httpx2.HTTPError, httpx2.InvalidURL) as wrong:
            bundle.missing(name, address, str(wrong) or type(wrong).__name__)
        else:
            bundle.plain(
                name, address, body.decode(errors="replace"), **({"cut": True} if cut else {})
            )


def added(bundle: Bundle, paths: Sequence[Path]) -> None:
    """The newest MOST_BYTES of each file."""
    for number, path in enumerate(paths, 1):
        name = f"added-{number}-{path.name}"
        try:
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - MOST_BYTES))
                body = file.read(MOST_BYTES).decode(errors="replace")
        except OSError as wrong:
            bundle.missing(name, path.name, wrong.strerror or str(wrong))
        else:
            bundle.plain(name, path.name, body, **({"cut": True} if size > MOST_BYTES else {}))


@verb(
    app,
    "config support-bundle",
    "Write a redacted archive of diagnostics for support",
    "fairlead config support-bundle",
    "fairlead config support-bundle --job llama-sft --metrics http://127.0.0.1:8081/actuator/prometheus",
    "kubectl -n fairlead logs -l app.kubernetes.io/name=fairlead --since 2h --tail=-1 --prefix"
    " > service.log",
    "fairlead config support-bundle --add service.log",
    more="Contains the answers of doctor, clusters, nodes, pools, quota, incidents, operations, jobs "
    "that wait, run or failed, and two hours of events, at most 2,000 items each. Environment, "
    "commands, images and credentials are removed, people and addresses replaced. MANIFEST.json "
    "lists failed reads. If the service does not answer, writes a partial bundle and exits with "
    "8.",
)
def support_bundle(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", "-f", help="New .tar.gz file. Default: a file in the current folder."
        ),
    ] = None,
    job: Annotated[
        list[str] | None, typer.Option("--job", "-j", help="Add all data of this job. Repeatable.")
    ] = None,
    scrape: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            help="Address of a process's metrics endpoint. Repeatable. FAIRLEAD_METRICS_TOKEN, a "
            "token of an administrator, operator or auditor, is sent only to these "
            "addresses.",
        ),
    ] = None,
    add: Annotated[
        list[Path] | None,
        typer.Option("--add", help="A log or other text file to add. Repeatable."),
    ] = None,
) -> None:
    created = text.now().strftime("%Y%m%dT%H%M%SZ")
    target = file or Path(f"fairlead-support-{created}.tar.gz")
    if target.exists():
        raise UsageProblem(f"{target}: already exists. Choose another path with --file")
    headers = for_metrics()
    bundle = Bundle(Redaction(secrets.token_bytes(16)))
    with client(context) as fl:
        reached = from_service(fl, bundle, job or [])
    metrics(bundle, scrape or [], headers)
    added(bundle, add or [])
    bundle.write(target, created)
    say(f"{target}: {len(bundle.files)} files, {bundle.failures()} could not be read")
    say("Read it before you share it: it contains names of tenants, jobs and nodes.")
    if not reached:
        raise typer.Exit(8)
