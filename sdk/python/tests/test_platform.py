"""`fairlead apply` and `fairlead export`: the configuration of the platform as files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import respx
import yaml
from conftest import ROOT, Service
from documents import page, problem
from texts import planned

from fairlead.cli.main import main
from fairlead.cli.output import ClosedPipe
from fairlead.cli.platform_files import read
from fairlead.cli.platform_kinds import KINDS, Kind, fields_of
from fairlead.cli.session import UsageProblem

Run = Callable[..., int]
POOL: dict[str, Any] = {
    "id": "pool_1", "name": "big", "description": "", "tenant": None, "spares": None, "windows": [],
    "selector": {"clusters": [], "models": ["H200"], "matchLabels": {}, "matchExpressions": []},
    "nodes": 8, "gpus": 64, "nodesElsewhere": 0, "spareNodes": 0, "warnings": [], "version": 3,
}  # fmt: skip
QUOTA: dict[str, Any] = {
    "id": "quo_1", "name": "research", "parent": None, "weight": 1, "limits": [], "usage": [],
    "sharePolicy": "DOMINANT_SHARE", "queue": None, "version": 7,
    "preemption": {
        "withinQueue": "NEVER", "reclaim": "NEVER", "fairShare": False, "whileBorrowing": "NEVER",
    },
}  # fmt: skip
QUEUE: dict[str, Any] = QUOTA | {
    "name": "nlp", "parent": "research", "version": 4,
    "queue": {
        "order": "BEST_EFFORT_FIFO", "state": "ACTIVE", "fairByUser": False, "userLimits": {},
        "flavorFallback": {
            "whenCanBorrow": "BORROW", "whenCanPreempt": "TRY_NEXT_FLAVOR",
            "preference": "BORROWING",
        },
    },
}  # fmt: skip
PRICE: dict[str, Any] = {
    "id": "pri_1", "model": "H100", "currency": "EUR", "pricePerGpuHour": 2.5,
    "from": "2020-01-01T00:00:00Z", "recordedAt": "2020-01-01T00:00:00Z",
}  # fmt: skip
PROJECT: dict[str, Any] = {
    "id": "prj_1", "name": "nlp", "namespace": "n", "defaultQueue": "default", "version": 1,
    "egress": {"mode": "OPEN", "cidrs": []}, "idlePolicy": {"mode": "OFF"},
}  # fmt: skip

ME: dict[str, Any] = {"user": "me", "tenant": "acme", "roles": [], "administrator": False}
BUDGET: dict[str, Any] = {
    "id": "bud_1", "name": "nlp", "gpuHours": 5, "period": "MONTH", "mode": "HARD",
    "onExhausted": "FINISH", "alerts": [80, 100], "version": 2,
}  # fmt: skip


@pytest.fixture
def platform(tmp_path: Path) -> Run:
    """Applies a text as a platform file."""

    def run(text: str, *options: str) -> int:
        (tmp_path / "platform.yaml").write_text(text)
        return main(["apply", "-f", str(tmp_path / "platform.yaml"), *options])

    return run


def served(api: respx.MockRouter, path: str, one: dict[str, Any], item: str) -> None:
    """The object in the list and as a single object, with its ETag."""
    api.get(path).respond(200, json=page(one))
    tag = {"ETag": f'"{one["version"]}"'}
    api.get(f"{path}/{item}").respond(200, json=one, headers=tag)


def merged(one: dict[str, Any]) -> Callable[[httpx.Request], httpx.Response]:
    """Answers a merge patch as the service does."""

    def answer(request: httpx.Request) -> httpx.Response:
        changes = json.loads(request.content)
        return httpx.Response(200, json=one | changes, headers={"ETag": '"9"'})

    return answer


def written(route: respx.Route) -> list[tuple[Any, str | None]]:
    """Body and If-Match of the requests that were not dry runs."""
    return [
        (json.loads(one.request.content or b"null"), one.request.headers.get("If-Match"))
        for one in route.calls
        if "validateOnly" not in httpx.URL(one.request.url).params
    ]


def test_the_output_of_export_has_neither_ids_nor_defaults(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/quotas").respond(200, json=page(QUOTA | {"weight": 3}, QUEUE, QUOTA | {"name": "a"}))
    assert main(["export", "--kind", "quotas", "--kind", "queues"]) == 0
    assert capsys.readouterr().out == (
        "quotas:\n- name: a\n- name: research\n  weight: 3\n"
        "queues:\n- name: nlp\n  parent: research\n  queue: {}\n"
    )


def test_a_kind_that_the_caller_may_not_read_is_skipped(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/clusters").respond(403, json=problem(403, "FORBIDDEN", "Not yours."))
    assert main(["export", "--kind", "clusters"]) == 0
    assert capsys.readouterr() == ("", "clusters are skipped: Not yours.\n")


def test_an_unchanged_object_is_not_written(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fails when omitted fields are written, or differ from their default."""
    served(api, "/quotas", QUEUE, "nlp")
    changed = api.patch("/quotas/nlp")
    assert platform("queues: [{name: nlp, parent: research}]", "--dry-run") == 0
    assert not changed.called
    assert capsys.readouterr().err == "no changes\n"


def test_values_that_the_service_reads_as_equal_are_no_change(
    api: respx.MockRouter, platform: Run
) -> None:
    """24h is 1d. Only the service knows."""
    queue = QUEUE | {"queue": QUEUE["queue"] | {"defaultMaxRuntime": "1d"}}
    served(api, "/quotas", queue, "nlp")
    api.patch("/quotas/nlp", params={"validateOnly": "true"}).respond(200, json=queue)
    text = "queues: [{name: nlp, parent: research, queue: {defaultMaxRuntime: 24h}}]"
    assert platform(text, "--dry-run") == 0
    assert platform(text) == 0


def test_a_dry_run_prints_a_diff_and_changes_nothing(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    served(api, "/quotas", QUOTA | {"weight": 2}, "research")
    changed = api.patch("/quotas/research").mock(side_effect=merged(QUOTA))
    made = api.post("/quotas").respond(201, json=QUOTA)
    text = "quotas: [{name: research, weight: 3}, {name: lab, parent: research}]"
    assert platform(text, "--dry-run") == 10
    assert (written(changed), written(made)) == ([], [])
    shown = capsys.readouterr()
    assert "--- quota research\n+++ quota research\n" in shown.out
    assert "-weight: 2\n+weight: 3\n" in shown.out
    assert planned(shown.out, "platform.quota-lab-absent-quota")
    assert shown.err == "1 object would be created, 1 object would be changed\n"


def test_a_write_names_the_version_that_was_read(api: respx.MockRouter, platform: Run) -> None:
    """Fails when a concurrent change would be overwritten. An omitted field has its default again."""
    served(api, "/pools", POOL | {"spares": "1 per 8", "description": "old"}, "big")
    changed = api.patch("/pools/big").mock(side_effect=merged(POOL))
    text = (
        "pools: [{name: big, selector: {models: [H200], matchLabels: {zone: a}}, spares: 1 per 16}]"
    )
    assert platform(text) == 0
    selector = {"models": ["H200"], "matchLabels": {"zone": "a"}}
    body = {"selector": selector, "spares": "1 per 16", "description": ""}
    assert written(changed) == [(body, '"3"')]


def test_a_concurrent_change_stops_with_the_rest_named(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    served(api, "/quotas", QUOTA, "research")

    def answer(request: httpx.Request) -> httpx.Response:
        if "validateOnly" in httpx.URL(request.url).params:
            return merged(QUOTA)(request)
        return httpx.Response(412, json=problem(412, "VERSION_MISMATCH"))

    api.patch("/quotas/research").mock(side_effect=answer)
    made = api.post("/quotas").respond(201, json=QUOTA)
    text = "quotas: [{name: first}, {name: research, weight: 5}, {name: last}]"
    assert platform(text) == 5
    shown = capsys.readouterr()
    assert shown.out == "quota first created\n"
    assert planned(shown.err, "platform.done-change-quota-research")
    assert planned(shown.err, "platform.quota-research-changed-after", "platform.yaml:1")
    assert [body["name"] for body, _ in written(made)] == ["first"]


def test_objects_are_written_after_those_that_they_name(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """A queue names projects and a project names its queue, so the project changes last."""
    project = PROJECT
    api.get("/quotas").respond(200, json=page())
    api.get("/projects").respond(200, json=page())
    api.get("/budgets").respond(200, json=page())
    refused = httpx.Response(422, json=problem(422, "INVALID_FIELD"))

    def made(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        check = "validateOnly" in httpx.URL(request.url).params
        if check and "parent" in body:
            return refused
        return httpx.Response(201, json=project | QUOTA | body, headers={"ETag": '"1"'})

    for path in ("/quotas", "/projects", "/budgets"):
        api.post(path).mock(side_effect=made)
    changed = api.patch("/projects/nlp").mock(side_effect=merged(project))
    text = """
budgets: [{name: nlp, project: nlp, gpuHours: 5}]
projects: [{name: nlp, defaultQueue: nlp, costCentre: CC-1}]
queues: [{name: nlp, parent: b, queue: {projects: [nlp]}}]
quotas: [{name: b, parent: a}, {name: a}]
"""
    assert platform(text, "--dry-run") == 10
    assert planned(capsys.readouterr().err, "platform.quota-checked-because-may")
    assert platform(text) == 0
    assert capsys.readouterr().out.splitlines() == [
        "quota a created", "quota b created", "project nlp created", "queue nlp created",
        "budget nlp created",
    ]  # fmt: skip
    assert written(changed) == [({"costCentre": "CC-1", "defaultQueue": "nlp"}, '"1"')]


def test_a_project_leaves_its_queue_before_the_queue_is_deleted(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """A project changes after the creation of its new queue, and is deleted before its old queue."""
    lab = PROJECT | {"name": "lab", "defaultQueue": "lab"}
    queue = QUEUE | {"name": "lab"}
    api.get("/projects").respond(200, json=page(PROJECT, lab))
    api.get("/quotas").respond(200, json=page(queue))
    for path, one in (("/projects/nlp", PROJECT), ("/projects/lab", lab), ("/quotas/lab", queue)):
        api.get(path).respond(200, json=one, headers={"ETag": '"1"'})
        api.delete(path).respond(204)
    api.patch("/projects/nlp").mock(side_effect=merged(PROJECT))
    api.post("/quotas").respond(201, json=QUEUE)
    text = "projects: [{name: nlp, defaultQueue: new}]\nqueues: [{name: new, parent: research}]\n"
    assert platform(text, "--prune", "-y") == 0
    assert capsys.readouterr().out.splitlines() == [
        "queue new created", "project nlp changed", "project lab deleted", "queue lab deleted",
    ]  # fmt: skip


def test_a_changed_price_replaces_the_price_in_effect(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/prices").respond(200, json=page(PRICE))
    made = api.post("/prices").respond(201, json=PRICE | {"pricePerGpuHour": 3})
    assert platform("prices: [{model: H100, currency: EUR, pricePerGpuHour: 2.50}]") == 0
    assert not made.called
    assert platform("prices: [{model: H100, currency: EUR, pricePerGpuHour: 3}]") == 0
    [(body, _)] = written(made)
    assert body == {"model": "H100", "currency": "EUR", "pricePerGpuHour": 3, "replaces": "pri_1"}
    assert "price model=H100 changed" in capsys.readouterr().out


def test_prune_deletes_only_objects_of_the_kinds_in_the_file(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fails when a kind that the file does not name is read, or no confirmation is requested."""
    api.get("/quotas").respond(200, json=page(QUOTA, QUOTA | {"name": "b", "parent": "a"}, QUEUE))
    tag = {"ETag": '"7"'}
    api.get("/quotas/research").respond(200, json=QUOTA, headers=tag)
    api.get("/quotas/b").respond(200, json=QUOTA | {"name": "b"}, headers=tag)
    gone = [api.delete(f"/quotas/{one}").respond(204) for one in ("b", "research")]
    api.get("/me").respond(200, json=ME)
    kept = "quotas: [{name: research}]"
    assert platform("quotas: []", "--dry-run") == 0
    assert platform(kept, "--prune", "--dry-run") == 10
    assert platform(kept, "--prune") == 2
    told = "--prune deletes at http://fairlead.test, tenant acme:\n  quota b\n"
    assert told in capsys.readouterr().err
    assert not any(one.called for one in gone)
    assert platform(kept, "--prune", "-y") == 0
    assert written(gone[0]) == [(None, '"7"')]
    assert not gone[1].called
    assert capsys.readouterr().out == "quota b deleted\n"


def test_prune_removes_members_only_of_named_scopes_and_never_the_caller(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    def member(user: str) -> dict[str, Any]:
        by = {"createdAt": "2030-01-31T08:00:00Z", "createdBy": "olga", "version": 2}
        return {"user": user, "role": "project-member", **by}

    api.get("/me").respond(200, json=ME)
    people = page(member("ana"), member("bo"), member("me"))
    api.get("/projects/nlp/members").respond(200, json=people)
    api.get("/projects/nlp/members/bo").respond(200, json=member("bo"), headers={"ETag": '"2"'})
    gone = api.delete("/projects/nlp/members/bo").respond(204)
    text = "members: [{user: ana, project: nlp, role: project-member}]"
    assert platform(text, "--prune", "-y") == 0
    assert written(gone) == [(None, '"2"')]
    assert capsys.readouterr().out == "member bo of project nlp deleted\n"


def test_limits_of_a_project_are_set_and_reset(api: respx.MockRouter, platform: Run) -> None:
    limits = {"tenant": "acme", "project": "nlp", "effective": {}, "version": 4}
    answer = limits | {"set": {"activeJobs": 5, "specBytes": 2048}}
    api.get("/projects/nlp/limits").respond(200, json=answer, headers={"ETag": '"4"'})
    done = limits | {"set": {"activeJobs": 9}}
    changed = api.patch("/projects/nlp/limits").respond(200, json=done)
    assert platform("limits: [{project: nlp, activeJobs: 9}]") == 0
    assert written(changed) == [({"activeJobs": 9, "specBytes": None}, '"4"')]


def test_the_state_of_a_queue_only_changes_when_it_is_given(
    api: respx.MockRouter, platform: Run
) -> None:
    """An operator's hold of a queue does not conflict with the file."""
    served(api, "/quotas", QUEUE | {"queue": QUEUE["queue"] | {"state": "HELD"}}, "nlp")
    changed = api.patch("/quotas/nlp").mock(side_effect=merged(QUEUE))
    assert platform("queues: [{name: nlp, parent: research}]") == 0
    assert not changed.called
    text = "queues: [{name: nlp, parent: research, queue: {state: ACTIVE}}]"
    assert platform(text) == 0
    assert written(changed)[0][0]["queue"]["state"] == "ACTIVE"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pool: []", "platform.yaml:1: unknown kind 'pool'. Did you mean pools?"),
        ("quotas:\n- name: a\n  wieght: 2\n", ":3: quota has no field 'wieght'. Did you mean weight?"),
        ("quotas:\n- weight: 2\n", "platform.yaml:2: quota needs name"),
        ("quotas: {name: a}", "platform.yaml:1: quotas is a list"),
        ("quotas:\n- name: a\n- name: a\n", "platform.yaml:3: quota a is also in "),
        ("pools:\n- name: a\n  selector:\n    model: [x]\n", ":4: pool has no field 'selector.model'"),
        ("quotas:\n- name: a\n  weight: many\n", "weight of quota must be a number, not many"),
        ("quotas:\n- name: a\n  limits: {a: 1}\n", ":3: limits of quota must be a list"),
        ("quotas:\n- name: a\n  preemption: x\n", ":3: preemption of quota must be an object, not x"),
        ("quotas:\n- name: a b\n", ":2: name of quota must match pattern "),
        ("clusters:\n- {name: a, kubeconfig: x}\n", ":2: kubeconfig has credentials"),
        ("prices:\n- {currency: EUR, from: x}\n", ":2: from is not a field of a platform file"),
        ("quotas:\n- {name: a, queue: {}}\n", "platform.yaml:2: quota has no field 'queue'"),
        ("quotas: [", "platform.yaml: "),
        ("quotas: []\0", "platform.yaml: unacceptable character #x0000"),
        ("# nothing\n", "platform.yaml: no kind in it. Known: clusters, pools"),
        ("limits:\n- {project: '', activeJobs: 1}\n", ":2: project of limits is a name"),
        ("members:\n- {user: a, project: 1, role: b}\n", ":2: project of member is a name"),
    ],
)  # fmt: skip
def test_error_in_a_file_is_reported_with_its_line(
    platform: Run, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    assert platform(text) == 2
    assert told in capsys.readouterr().err


def test_fields_that_cannot_change_are_refused_before_anything_is_written(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    served(api, "/quotas", QUEUE, "nlp")
    assert platform("queues: [{name: nlp, parent: other}]") == 2
    told = "platform.yaml:1: parent of queue nlp is research and cannot change to other. "
    assert told in capsys.readouterr().err


def test_a_cluster_needs_its_registration(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/clusters").respond(200, json=page())
    assert platform("clusters: [{name: eu-1}]") == 2
    assert "Use fairlead cluster add eu-1" in capsys.readouterr().err


def test_new_cluster_state_is_set_with_its_new_version(
    api: respx.MockRouter, platform: Run
) -> None:
    """The answer of a registration has no ETag."""
    cluster = {"id": "cl_1", "name": "sim", "kind": "SIMULATED", "state": "ACTIVE"}
    api.get("/clusters").respond(200, json=page())
    made = api.post("/clusters").respond(201, json=cluster)
    api.get("/clusters/sim").respond(200, json=cluster, headers={"ETag": '"6"'})
    changed = api.patch("/clusters/sim").respond(200, json=cluster)
    fleet = [{"nodes": 2, "gpusPerNode": 4}]
    text = (
        f"clusters: [{{name: sim, kind: SIMULATED, state: DRAINING, fleet: {json.dumps(fleet)}}}]"
    )
    assert platform(text) == 0
    assert written(made) == [({"name": "sim", "kind": "SIMULATED", "fleet": fleet}, None)]
    assert written(changed) == [({"state": "DRAINING"}, '"6"')]


def test_a_commitment_is_no_price_of_a_gpu_hour(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service computes one, but does not take both."""
    commitment = {"gpus": 8, "amount": 90000}
    api.get("/prices").respond(200, json=page(PRICE | {"commitment": commitment}))
    assert main(["export", "--kind", "prices"]) == 0
    [price] = yaml.safe_load(capsys.readouterr().out)["prices"]
    assert price == {"model": "H100", "currency": "EUR", "commitment": commitment}


@pytest.mark.parametrize(("name", "missing"), [("demo", {"pools"}), ("platform", {"clusters"})])
def test_the_examples_have_almost_all_kinds(name: str, missing: set[str]) -> None:
    found = read([str(ROOT / f"examples/platform/{name}.yaml")])
    assert set(KINDS) - {kind.name for kind in found.named} == missing


def test_a_folder_is_the_union_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "teams").mkdir()
    (tmp_path / "a.yaml").write_text("quotas: [{name: a}]")
    (tmp_path / "teams" / "b.yaml").write_text("quotas: [{name: b}]\n---\npools: []\n")
    found = read([str(tmp_path)])
    assert [one.key for one in found.entries] == [("a",), ("b",)]
    assert [kind.name for kind in found.named] == ["pools", "quotas"]


def test_no_file_of_a_folder_is_silently_left_out(tmp_path: Path) -> None:
    """Fails when --prune would delete objects of a file that was not read. Hidden files, such as
    the ..data of a mounted ConfigMap, are ignored."""
    top = tmp_path / "top"
    (top / ".git").mkdir(parents=True)
    (top / ".git" / "config.yaml").write_text("not: a kind")
    (top / ".#a.yaml").symlink_to("user@host")
    (top / "a.yml").write_text("quotas: [{name: a}]")
    (top / "b.yaml").symlink_to(top / "a.yml")
    with pytest.raises(UsageProblem, match="quota a is also in"):
        read([str(top)])
    (top / "a.yml").unlink()
    with pytest.raises(UsageProblem, match=r"b\.yaml: No such file"):
        read([str(top)])
    (top / "b.yaml").unlink()
    (top / "teams").symlink_to(tmp_path)
    with pytest.raises(UsageProblem, match="teams is a link to a folder"):
        read([str(top)])


def test_a_folder_with_an_unreadable_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions are not enough, because root ignores them."""
    (tmp_path / "a.yaml").write_text("quotas: []")
    (tmp_path / "teams").mkdir()
    scan = os.scandir

    def refusing(path: str) -> Any:
        if str(path).endswith("teams"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(UsageProblem, match="teams: Permission denied"):
        read([str(tmp_path)])


@pytest.mark.parametrize("centre", ["1e3", "12E4", "yes", "0o7", "null", "7"])
def test_a_text_that_looks_like_a_number_is_exported_as_text(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str], centre: str
) -> None:
    """YAML 1.1, for writing, and YAML 1.2, for reading, have different number formats."""
    api.get("/projects").respond(200, json=page(PROJECT | {"costCentre": centre}))
    assert main(["export", "--kind", "projects"]) == 0
    assert platform(capsys.readouterr().out) == 0


def test_a_budget_without_alerts_is_no_budget_with_default_alerts(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    served(api, "/budgets", BUDGET, "nlp")
    changed = api.patch("/budgets/nlp").mock(side_effect=merged(BUDGET))
    assert platform("budgets: [{name: nlp, gpuHours: 5, alerts: []}]") == 0
    assert written(changed) == [({"alerts": []}, '"2"')]
    api.get("/budgets").respond(200, json=page(BUDGET | {"alerts": []}))
    capsys.readouterr()
    assert main(["export", "--kind", "budgets"]) == 0
    assert "alerts: []" in capsys.readouterr().out


def test_a_project_can_change_to_a_queue_that_the_file_creates(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service refuses a queue that does not exist, also in a check."""
    served(api, "/projects", PROJECT, "nlp")
    api.get("/quotas").respond(200, json=page())
    made = api.post("/quotas").respond(201, json=QUEUE)

    def answer(request: httpx.Request) -> httpx.Response:
        if not written(made):
            return httpx.Response(422, json=problem(422, "INVALID_FIELD", "no queue"))
        return merged(PROJECT)(request)

    changed = api.patch("/projects/nlp").mock(side_effect=answer)
    text = "projects: [{name: nlp, defaultQueue: new}]\n"
    assert platform(text) == 2
    text += "queues: [{name: new, parent: research}]\n"
    assert platform(text, "--dry-run") == 10
    assert "project nlp: not checked" in capsys.readouterr().err
    assert platform(text) == 0
    assert written(changed) == [({"defaultQueue": "new"}, '"1"')]


def test_the_idle_policy_of_a_project_is_replaced(api: respx.MockRouter, platform: Run) -> None:
    """Fails when null removes a field: the service replaces the policy, and OFF has no other field."""
    idle = {"mode": "RECLAIM", "utilisationBelow": 5, "warnAfter": "30m", "reclaimAfter": "2h"}
    project = PROJECT | {"idlePolicy": idle | {"exempt": {"tier": "gold", "kind": "debug"}}}
    served(api, "/projects", project, "nlp")
    changed = api.patch("/projects/nlp").mock(side_effect=merged(project))
    assert platform("projects: [{name: nlp}]") == 0
    less = json.dumps(idle | {"exempt": {"tier": "gold"}})
    assert platform(f"projects: [{{name: nlp, idlePolicy: {less}}}]") == 0
    assert [body["idlePolicy"] for body, _ in written(changed)] == [
        {"mode": "OFF"}, idle | {"exempt": {"tier": "gold"}},
    ]  # fmt: skip


def test_marks_that_turn_text_do_not_reach_the_terminal(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    served(api, "/pools", POOL | {"description": "big\u202e\x1b[2J"}, "big")
    api.patch("/pools/big").mock(side_effect=merged(POOL))
    assert platform("pools: [{name: big, selector: {models: [H200]}}]", "--dry-run") == 10
    shown = capsys.readouterr().out
    assert "\u202e" not in shown
    assert "\x1b" not in shown
    assert "-description:" in shown


def test_a_closed_pipe_does_not_stop_an_apply(
    api: respx.MockRouter, platform: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when `fairlead apply | head -1` writes half of the file and exits with 0."""

    def closed(_: str) -> None:
        raise ClosedPipe

    monkeypatch.setattr("fairlead.cli.platform.emit", closed)
    api.get("/quotas").respond(200, json=page())
    made = api.post("/quotas").respond(201, json=QUOTA)
    text = "quotas: [{name: a}, {name: b}]"
    assert platform(text, "--dry-run") == 10
    assert platform(text) == 0
    assert [body["name"] for body, _ in written(made)] == ["a", "b"]


def test_an_unanswered_write_may_have_been_done(
    api: respx.MockRouter, platform: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """A deletion is not repeated blindly. It is deleted once the object no longer exists."""
    served(api, "/quotas", QUOTA, "research")
    gone = api.delete("/quotas/research").mock(side_effect=httpx2.ReadTimeout("late"))
    assert platform("quotas: []", "--prune", "-y") == 8
    assert planned(capsys.readouterr().err, "platform.done-delete-quota-research")
    gone.mock(side_effect=None, return_value=httpx.Response(404, json=problem(404, "NOT_FOUND")))
    assert platform("quotas: []", "--prune", "-y") == 0

    def interrupted(request: httpx.Request) -> httpx.Response:
        raise KeyboardInterrupt

    gone.mock(side_effect=interrupted)
    assert platform("quotas: []", "--prune", "-y") == 130
    assert planned(capsys.readouterr().err, "platform.done-delete-quota-research-2")


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_defaults_of_a_kind_are_fields_of_its_requests(kind: Kind) -> None:
    known = fields_of(kind.make) | fields_of(kind.change)
    assert set(kind.defaults) <= known
    assert {path.split(".")[0] for path in kind.sticky} <= known


def test_export_apply_change_and_prune_on_the_real_service(
    service: Service, tmp_path: Path
) -> None:
    """Fails when export and apply disagree about a default, or a change is not the last one."""

    def run(*arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "fairlead.cli.main", *arguments],
            env={**os.environ, **service.environment},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    before = yaml.safe_load(run("export"))
    example = ("apply", "-f", str(ROOT / "examples/platform/platform.yaml"))
    run(*example)
    assert run(*example) == "no changes\n"
    exported = run("export")
    whole = yaml.safe_load(exported)
    assert set(whole) == set(KINDS)
    (tmp_path / "platform.yaml").write_text(exported)
    apply = ("apply", "-f", "platform.yaml", "--prune")
    assert run(*apply, "--dry-run") == "no changes\n"

    quota = next(one for one in whole["quotas"] if one["name"] == "research")
    quota["limits"][0]["nominal"] = 48
    price = next(one for one in whole["prices"] if one.get("model") == "H100")
    price["pricePerGpuHour"] = 2.75
    (tmp_path / "platform.yaml").write_text(yaml.safe_dump(whole))
    shown = run(*apply, "--dry-run", code=10)
    assert "-  nominal: 64\n+  nominal: 48\n" in shown
    assert "-pricePerGpuHour: 2.5\n+pricePerGpuHour: 2.75\n" in shown
    run(*apply)
    assert run(*apply, "--dry-run") == "no changes\n"
    assert yaml.safe_load(run("export")) == whole

    kinds = [name for name, kind in KINDS.items() if kind.prunable]
    old = yaml.safe_dump({name: before.get(name, []) for name in kinds})
    (tmp_path / "platform.yaml").write_text(old + "limits: [{project: null}]\n")
    assert "+++ queue vision (absent)\n" in run(*apply, "--dry-run", code=10)
    run(*apply, "-y")
    assert run(*apply, "--dry-run") == "no changes\n"
    run("tenant", "member", "remove", "olga")  # an empty list names no tenant
    left = yaml.safe_load(run("export"))
    assert {k: v for k, v in left.items() if k != "prices"} == before
