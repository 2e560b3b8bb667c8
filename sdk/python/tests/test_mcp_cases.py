"""Checks the reason and numbers that an assistant reads for 50 prepared waiting jobs."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import httpx2
import pytest
from conftest import Service
from mcp import Client, StdioServerParameters
from mcp_cases import CANCELLED, CASES, CLUSTERS, PROJECT, PUT, RUNNING, SETUP, Case, Json

SECONDS = 60
ENDS = ("SUCCEEDED", "FAILED", "CANCELLED")


class Platform:
    """The API of the service, and all that a test made there."""

    def __init__(self, service: Service) -> None:
        headers = {"Authorization": f"Bearer {service.token}"}
        self.http = httpx2.Client(
            base_url=f"{service.url}/api/v1/", headers=headers, timeout=SECONDS
        )

    def ask(self, method: str, path: str, body: Json | None = None) -> Any:
        answer = self.http.request(method, path.removeprefix("/"), json=body)
        assert answer.is_success, f"{method} {path}: {answer.text}"
        return answer.json() if answer.content else None

    def submit(self, name: str, job: Json) -> None:
        plain = {"image": "x", "annotations": {"sim.fairlead.dev/run-for": "1h"}}
        self.ask("POST", f"/projects/{PROJECT}/jobs", {"name": name, **plain, **job})

    def jobs(self) -> dict[str, Json]:
        page = self.ask("GET", f"/projects/{PROJECT}/jobs?pageSize=200")
        return {one["name"]: one for one in page["items"]}

    def states(self, *names: str) -> set[str]:
        found = self.jobs()
        return {found[name]["state"] for name in names}

    def removed(self, path: str) -> bool:
        """Whether the object is deleted, which may require the end of its jobs and pods."""
        found = self.http.get(path.removeprefix("/"))
        if found.status_code == 404:
            return True
        tag = found.headers.get("ETag")
        headers = {"If-Match": tag} if tag else {}
        code = self.http.delete(path.removeprefix("/"), headers=headers).status_code
        return code in (200, 202, 204, 404)


def until(done: Callable[[], bool], what: str | Callable[[], str]) -> None:
    deadline = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < deadline, what if isinstance(what, str) else what()
        time.sleep(0.2)


@pytest.fixture
def platform(service: Service) -> Iterator[Platform]:
    """Separate clusters, queues and running jobs, removed at the end."""
    made = Platform(service)
    try:
        for path, body in CLUSTERS:
            made.ask("POST", path, body)
        names = [body["name"] for _, body in CLUSTERS]
        until(
            lambda: all(made.ask("GET", f"/clusters/{name}")["nodes"] for name in names),
            "the clusters have nodes",
        )
        for path, body in SETUP:
            made.ask("POST", path, body)
        for path, put in PUT:
            made.ask("PUT", path, put)
        for name, job in {**RUNNING, **CANCELLED}.items():
            made.submit(name, job)
        for name in CANCELLED:
            made.ask("POST", f"/jobs/{made.jobs()[name]['id']}/cancel")
        until(lambda: made.states(*RUNNING) == {"RUNNING"}, "jobs run")
        yield made
    finally:
        try:
            remove(made)
        finally:
            made.http.close()


def remove(made: Platform) -> None:
    def jobs(state: Callable[[str], bool]) -> list[str]:
        found = made.http.get(f"projects/{PROJECT}/jobs?pageSize=200").json().get("items", [])
        return [one["id"] for one in found if state(one["state"])]

    for path, _ in PUT:
        made.removed(path)
    for job in jobs(lambda state: state not in ENDS):
        made.ask("POST", f"/jobs/{job}/cancel")
    until(lambda: not jobs(lambda state: state not in ENDS), "all jobs have ended")
    until(
        lambda: all(made.removed(f"/jobs/{job}") for job in jobs(lambda state: True)),
        "all jobs are removed",
    )
    for one in made.ask("GET", "/advance-reservations")["items"]:
        if one["name"].startswith("mcp-"):
            made.removed(f"/advance-reservations/{one['id']}")
    kinds = ("/quotas", "/projects", "/budgets", "/pools")
    for path, body in reversed([(path, body) for path, body in SETUP if path in kinds]):
        until(lambda at=f"{path}/{body['name']}": made.removed(at), f"{path} is removed")  # type: ignore[misc]
    for _, body in CLUSTERS:
        at = f"clusters/{body['name']}"
        tag = made.http.get(at).headers.get("ETag", "")
        made.http.patch(at, json={"state": "DISABLED"}, headers={"If-Match": tag})
        until(lambda at=at: made.removed(at), f"{at} is removed")  # type: ignore[misc]


def unknown(made: Platform) -> list[str]:
    """Cases that the scheduler has not evaluated yet."""
    found = made.jobs()
    reasons = {one.name: (found[one.job_name].get("pending") or {}).get("reason") for one in CASES}
    return [
        f"{name}: {found[f'mcp-{name}']['state']}"
        for name, reason in reasons.items()
        if reason in (None, "NOT_EVALUATED")
    ]


def answers(service: Service, names: list[str]) -> list[str]:
    """Answers of `fairlead mcp` to the official client in one session."""

    async def session() -> list[str]:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "fairlead.cli.main", "mcp"],
            env={**os.environ, **service.environment},
        )
        told = []
        async with Client(command) as client:
            for name in names:
                asked = {"job": name, "project": PROJECT}
                answer = await client.call_tool("whyJobWaits", asked)
                told.append("".join(getattr(one, "text", "") for one in answer.content))
        return told

    return anyio.run(session)


def differences(case: Case, text: str) -> list[str]:
    """A suspended job has a reason and no blocker."""
    found = json.loads(text)["explanation"]
    first: Json = found["blockers"][0] if found["blockers"] else {"message": "", "scope": {}}
    where = f"{first['message']} {first['scope'].get('name')}"
    numbers = first.get("numbers", {})
    wrong = [
        f"{name} is {numbers.get(name)}"
        for name in case.numbers
        if numbers.get(name) != case.numbers[name]
    ]
    wrong += [f"no {name}" for name in case.names if name not in where]
    if (found["reason"], first.get("reason", case.reason)) != (case.reason, case.reason):
        wrong.append(f"reason {found['reason']}")
    return [f"{case.name}: {one} ({where})" for one in wrong]


def test_an_assistant_reads_why_each_of_50_jobs_waits(service: Service, platform: Platform) -> None:
    for case in CASES:
        platform.submit(case.job_name, case.job)
    until(lambda: not unknown(platform), lambda: f"not evaluated: {unknown(platform)}")
    platform.ask("POST", f"/jobs/{platform.jobs()['mcp-suspended']['id']}/suspend")
    refused = platform.jobs()["mcp-refused-check"]
    refusal = {
        "state": "RETRY",
        "request": refused["checks"][0]["request"],
        "message": "no ticket",
        "retryAfter": "1h",
    }
    platform.ask("PUT", f"/jobs/{refused['id']}/checks/mcp-audit", refusal)
    until(
        lambda: "no ticket" in platform.jobs()["mcp-refused-check"]["pending"]["message"],
        "the refusal is shown",
    )
    told = answers(service, [case.job_name for case in CASES])
    wrong = [differences(case, text) for case, text in zip(CASES, told, strict=True)]
    assert [one for one in wrong if one] == []
    assert len(told) == 50
    assert max(len(json.dumps(text, ensure_ascii=False).encode()) for text in told) < 16_000
    assert [text for text in told if service.token in text] == []
