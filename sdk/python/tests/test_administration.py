"""Verbs of clusters, projects, quotas and queues: their requests, and input rejected before a request."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx
from documents import operations, page, problem

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]


def example(operation: str, **changes: Any) -> dict[str, Any]:
    found = next(one for one in operations() if one.id == operation).example
    return {**found, **changes}


def sent(route: respx.Route) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(route.calls.last.request.content)
    return body


def test_a_cluster_is_registered_by_a_kubeconfig_or_by_a_token(
    api: respx.MockRouter, tmp_path: Path, capsys: Capture
) -> None:
    """Fails when the credentials do not match the files, or the service would have to open a file."""
    kubeconfig, ca, token = (tmp_path / name for name in ("kubeconfig", "ca.crt", "token"))
    kubeconfig.write_text("apiVersion: v1\n")
    ca.write_text("PEM\n")
    token.write_text("abc\n")
    route = api.post("/clusters").respond(201, json=example("getCluster"))

    assert main(["cluster", "add", "prod-1", "--kubeconfig", str(kubeconfig)]) == 0
    assert sent(route) == {"name": "prod-1", "kubeconfig": "apiVersion: v1\n"}
    assert capsys.readouterr().out == "cluster prod-1 is registered\n"

    by_token = ["--server", "https://203.0.113.10:6443", "--ca", str(ca), "--token", str(token)]
    assert main(["cluster", "add", "prod-1", *by_token, "--set", "pricePerGpuHour.H100=2.5"]) == 0
    assert sent(route) == {
        "name": "prod-1",
        "pricePerGpuHour": {"H100": 2.5},
        "connection": {
            "server": "https://203.0.113.10:6443",
            "caData": base64.b64encode(b"PEM\n").decode(),
            "token": "abc",
        },
    }
    calls = route.call_count
    assert main(["cluster", "add", "prod-1"]) == 2
    assert main(["cluster", "add", "prod-1", "--server", "https://203.0.113.10"]) == 2
    assert main(["cluster", "add", "prod-1", "--kubeconfig", str(kubeconfig), *by_token]) == 2
    assert route.call_count == calls


def test_a_slurm_cluster_is_registered_by_the_address_of_slurmrestd(
    api: respx.MockRouter, tmp_path: Path
) -> None:
    ca, token = tmp_path / "ca.crt", tmp_path / "token"
    ca.write_text("PEM\n")
    token.write_text("abc\n")
    route = api.post("/clusters").respond(201, json=example("getCluster"))
    by_token = ["--slurm", "https://slurm.example.com:6820", "--ca", str(ca), "--token", str(token)]

    assert main(["cluster", "add", "hall-1", *by_token]) == 0
    assert sent(route) == {
        "name": "hall-1",
        "kind": "SLURM",
        "connection": {
            "server": "https://slurm.example.com:6820",
            "caData": base64.b64encode(b"PEM\n").decode(),
            "token": "abc",
        },
    }
    calls = route.call_count
    assert main(["cluster", "add", "hall-1", *by_token, "--server", "https://203.0.113.10"]) == 2
    assert main(["cluster", "add", "hall-1", "--slurm", "https://slurm.example.com:6820"]) == 2
    assert route.call_count == calls


def test_a_cluster_is_changed_by_the_fields_that_are_given(
    api: respx.MockRouter, capsys: Capture
) -> None:
    cluster = example("getCluster", name="eu-1")
    route = api.patch("/clusters/eu-1", headers={"If-Match": "*"}).respond(200, json=cluster)

    assert main(["cluster", "set", "eu-1", "--set", "state=DRAINING"]) == 0
    assert sent(route) == {"state": "DRAINING"}
    assert capsys.readouterr().out == "cluster eu-1 is changed\n"
    assert main(["cluster", "set", "eu-1"]) == 2


def test_a_project_is_created_and_deleted(api: respx.MockRouter, capsys: Capture) -> None:
    project = example("getProject", name="nlp", version=3)
    route = api.post("/projects").respond(201, json=project)
    assert main(["project", "create", "nlp", "--default-queue", "research"]) == 0
    assert sent(route) == {"name": "nlp", "defaultQueue": "research"}

    api.get("/projects/nlp").respond(200, json=project)
    gone = api.delete("/projects/nlp", headers={"If-Match": '"3"'}).respond(204)
    assert main(["project", "delete", "nlp"]) == 2  # not a terminal
    assert not gone.called
    assert main(["project", "delete", "nlp", "-y"]) == 0
    assert "project nlp is deleted" in capsys.readouterr().out


def test_quota_is_shown_created_changed_and_deleted(api: respx.MockRouter, capsys: Capture) -> None:
    """Fails when limits are added to existing ones, or no longer shown without a verb."""
    quota = example("getQuota", name="research", version=2)
    api.get("/quotas").respond(200, json=page(quota))
    assert main(["quota", "list"]) == 0
    assert "research" in capsys.readouterr().out

    made = api.post("/quotas").respond(201, json=quota)
    limit = ["--limit", "H100/RESERVED/gpu=64,borrow=16"]
    limits = [
        {"flavor": "H100/RESERVED", "resource": "gpu", "nominal": "64", "borrowingLimit": "16"}
    ]
    assert main(["quota", "create", "research", "--parent", "root", *limit]) == 0
    assert sent(made) == {"name": "research", "limits": limits, "parent": "root"}

    api.get("/quotas/research").respond(200, json=quota)
    patched = api.patch("/quotas/research", headers={"If-Match": '"2"'}).respond(200, json=quota)
    assert main(["quota", "set", "research", *limit, "--weight", "3"]) == 0
    assert sent(patched) == {"limits": limits, "weight": 3.0}
    assert main(["quota", "set", "research", "--unlimited"]) == 0
    assert sent(patched) == {"limits": []}
    assert main(["quota", "set", "research"]) == 2
    assert main(["quota", "set", "research", "--unlimited", *limit]) == 2

    gone = api.delete("/quotas/research", headers={"If-Match": '"2"'}).respond(204)
    assert main(["quota", "delete", "research", "-y"]) == 0
    assert gone.called


def test_a_queue_is_created_and_changed(api: respx.MockRouter, capsys: Capture) -> None:
    queue = example("getQueue", name="nlp", version=4)
    api.get("/queues").respond(200, json=page(queue))
    assert main(["queue", "list"]) == 0
    assert "nlp" in capsys.readouterr().out

    made = api.post("/quotas").respond(201, json=queue)
    assert main(["queue", "create", "nlp", "--max-runtime", "8h"]) == 0
    assert sent(made) == {"name": "nlp", "queue": {"defaultMaxRuntime": "8h"}}

    api.get("/queues/nlp").respond(200, json=queue)
    patched = api.patch("/queues/nlp", headers={"If-Match": '"4"'}).respond(200, json=queue)
    more = ["--set", "preemption.reclaim=LOWER_PRIORITY", "--set", "queue.fairByUser=true"]
    assert main(["queue", "set", "nlp", "--state", "held", *more]) == 0
    assert sent(patched) == {
        "preemption": {"reclaim": "LOWER_PRIORITY"},
        "queue": {"fairByUser": True, "state": "HELD"},
    }
    assert main(["queue", "set", "nlp"]) == 2


def test_the_schema_of_a_job_file_is_printed(api: respx.MockRouter, capsys: Capture) -> None:
    api.get("/schemas/job.json").mock(
        return_value=httpx.Response(200, json={"title": "Fairlead job"})
    )
    assert main(["job", "schema", "job"]) == 0
    assert json.loads(capsys.readouterr().out) == {"title": "Fairlead job"}
    assert main(["job", "schema", "cluster"]) == 2


@pytest.mark.parametrize("verb", ["cordon", "uncordon", "drain"])
def test_the_name_of_a_cluster_instead_of_a_node_has_its_command(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    api.post(f"/nodes/eu-1/{verb}").respond(404, json=problem(404, "NOT_FOUND"))
    api.post(f"/nodes/eu-9/{verb}").respond(404, json=problem(404, "NOT_FOUND"))
    api.get("/clusters").respond(200, json=page(example("getCluster", name="eu-1")))
    assert main(["node", verb, "eu-1"]) == 2
    told = f"eu-1 is a cluster, not a node: fairlead cluster {verb} eu-1"
    assert told in capsys.readouterr().err
    assert main(["node", verb, "eu-9"]) == 3
