"""The OpenAPI document, and response bodies of the service."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import yaml

DOCUMENT = Path(__file__).resolve().parents[3] / "openapi" / "openapi.yaml"
JOB_ID = "job_01k0000000000000000000000a"


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    status: int
    example: Any
    media_type: str


@cache
def document() -> dict[str, Any]:
    return read(DOCUMENT)


def read(path: Path) -> dict[str, Any]:
    whole: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=TextLoader)
    return whole


class TextLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Times stay text, as in JSON. The C parser, if present, reads the document in a fifth of the time."""


TextLoader.yaml_implicit_resolvers = {
    key: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for key, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def operations() -> Iterator[Operation]:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            status = next(code for code in operation["responses"] if code.startswith(("101", "2")))
            content: dict[str, Any] = operation["responses"][status].get("content", {})
            media_type = next(iter(content), "")
            body: dict[str, Any] = content.get(media_type, {})
            example = body.get(
                "example", "two\nlines\n" if media_type.startswith("text/") else None
            )
            yield Operation(
                operation["operationId"], method.upper(), path, int(status), example, media_type
            )


@cache
def queries() -> list[tuple[str, re.Pattern[str], dict[str, list[str] | None]]]:
    """Method, path and query parameters of each operation, with the values of closed sets."""
    found = []
    for path, methods in document()["paths"].items():
        pattern = re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)))
        for method, operation in methods.items():
            known = {
                one["name"]: one["schema"].get("items", one["schema"]).get("enum")
                for one in operation.get("parameters", [])
                if one["in"] == "query"
            }
            found.append((method.upper(), pattern, known))
    return found


def unknown_of(method: str, url: httpx.URL) -> list[str]:
    """The parts of a request that the document does not define: operation, parameters, or their values."""
    path = url.raw_path.decode().split("?")[0]
    known = [
        query for verb, pattern, query in queries() if verb == method and pattern.fullmatch(path)
    ]
    if not known:
        return [f"{method} {path}"]
    return [
        f"{method} {path}?{name}={word}"
        for name, word in url.params.multi_items()
        if not any(name in one and word in (one[name] or [word]) for one in known)
    ]


def job(**changes: Any) -> dict[str, Any]:
    """A queued job."""
    operation = next(one for one in operations() if one.id == "getJob")
    body: dict[str, Any] = copy.deepcopy(operation.example)
    body |= {
        "id": JOB_ID,
        "name": "llama-sft",
        "state": "QUEUED",
        "startedAt": None,
        "endedAt": None,
    }
    body |= {
        "placement": {"cluster": None, "nodes": []},
        "failure": None,
        "array": None,
        "attempt": 0,
    }
    body["gpus"] = {"requested": 64, "allocated": 0, "model": None}
    body["pending"] = {
        "reason": "CAPACITY",
        "class": "WAIT",
        "message": "needs 64 H100 in one block, largest free block 40",
        "since": body["createdAt"],
        "position": 4,
    }
    return body | changes


def plan(**changes: Any) -> dict[str, Any]:
    """Of a job that would start immediately."""
    operation = next(one for one in operations() if one.id == "planJob")
    body: dict[str, Any] = copy.deepcopy(operation.example)
    return body | changes


def explanation(**changes: Any) -> dict[str, Any]:
    operation = next(one for one in operations() if one.id == "getJobExplanation")
    body: dict[str, Any] = copy.deepcopy(operation.example)
    return body | changes


def ended(state: str, **changes: Any) -> dict[str, Any]:
    at = job()["createdAt"]
    return job(state=state, pending=None, startedAt=at, endedAt=at, attempt=1, **changes)


def attempt(state: str, **changes: Any) -> dict[str, Any]:
    """The second one, of two members: the first has ended, the other was last seen running."""
    operation = next(one for one in operations() if one.id == "listJobAttempts")
    body: dict[str, Any] = copy.deepcopy(operation.example["items"][0])
    first = body["members"][0] | {"role": "worker", "index": 0, "node": "gpu-7", "state": "FAILED"}
    second = first | {"index": 1, "node": "gpu-8", "state": "RUNNING", "exitCode": None}
    body |= {"id": "att_1", "number": 2, "cluster": "eu-1", "members": [first, second]}
    return body | {"state": state, "endedAt": None} | changes


def page(*items: Any, token: str | None = None) -> dict[str, Any]:
    return {"items": list(items), "nextPageToken": token}


def listing(*jobs: dict[str, Any]) -> Callable[[httpx.Request], httpx.Response]:
    """Answers GET /jobs with the jobs of the requested name, or with all."""

    def answer(request: httpx.Request) -> httpx.Response:
        name = httpx.URL(request.url).params.get("name")
        found = [one for one in jobs if name in (None, one["name"])]
        return httpx.Response(200, json=page(*found))

    return answer


def problem(status: int, code: str, detail: str = "It is so.", **more: Any) -> dict[str, Any]:
    return {
        "type": f"/docs/reasons/errors.html#{code.lower()}",
        "title": code.capitalize().replace("_", " "),
        "status": status,
        "detail": detail,
        "instance": "/api/v1/x",
        "code": code,
        "requestId": "01k0000000000000000000000r",
        "errors": [],
        "metadata": {},
    } | more
