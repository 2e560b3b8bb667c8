"""Every operation of the document is reachable in both clients, and both have the same methods."""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import respx
from documents import JOB_ID, Operation, operations

from fairlead import AsyncFairlead, AsyncJob, Fairlead, Job

SPEC = {"image": "x", "gpu": 1}
# operation -> method of the client, its arguments
CALLS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "getCapacity": ("capacity", (), {}),
    "listGpuModels": ("gpu_models", (), {}),
    "listLaunchers": ("launchers", (), {}),
    "listRuntimes": ("runtimes", (), {}),
    "listClusters": ("clusters.list", (), {}),
    "registerCluster": ("clusters.register", ({"name": "eu-1", "kind": "SIMULATED"},), {}),
    "getCluster": ("clusters.get", ("eu-1",), {}),
    "listJobs": ("jobs.list", (), {"state": ["RUNNING", "QUEUED"]}),
    "getJob": ("jobs.get", (JOB_ID,), {}),
    "getJobByName": ("jobs.latest", ("llama-sft",), {"project": "nlp"}),
    "listJobAttempts": ("jobs.attempts", (JOB_ID,), {}),
    "confirmDead": (
        "jobs.confirm_dead",
        ("att_01m7vxn2c4e0mtrw2g5kqy8v3d", ["worker-0"], "the machine was scrapped"),
        {},
    ),
    "cancelJob": ("jobs.cancel", (JOB_ID,), {}),
    "listJobElements": ("jobs.elements", (JOB_ID,), {}),
    "listJobEvents": ("jobs.events", (JOB_ID,), {}),
    "exportDecisions": ("export_decisions", ("nlp",), {"since": "7d"}),
    "listJobDecisions": ("jobs.decisions", (JOB_ID,), {"at": "2030-01-31T08:00:00Z"}),
    "getJobExplanation": ("jobs.explain", (JOB_ID,), {}),
    "getJobLogs": ("jobs.logs", (JOB_ID,), {"follow": True}),
    "getMe": ("me", (), {}),
    "updateCluster": ("clusters.update", ("eu-1", {"state": "DRAINING"}), {"version": 3}),
    "cordonCluster": ("clusters.cordon", ("eu-1",), {}),
    "uncordonCluster": ("clusters.uncordon", ("eu-1",), {}),
    "deleteCluster": ("clusters.delete", ("eu-1",), {"version": 3}),
    "getFailoverTest": ("clusters.failover_test", ("eu-1",), {}),
    "drainCluster": ("clusters.drain", ("eu-1",), {}),
    "listNodes": ("nodes", (), {"cluster": "eu-1"}),
    "getNode": ("nodes.get", ("gpu-1",), {}),
    "quarantineNode": ("nodes.quarantine", ("gpu-1", "waits for a part"), {"lasts": "2d"}),
    "releaseNode": ("nodes.release", ("gpu-1", "exchanged"), {}),
    "listDomainQuarantines": ("domain_quarantines.list", ("eu-1",), {"standing": True}),
    "getDomainQuarantine": ("domain_quarantines.get", ("eu-1", "dqu_1"), {}),
    "createDomainQuarantine": (
        "domain_quarantines.create",
        ("eu-1", {"level": "rack", "domain": "eu-1-r03", "reason": "cooling fails"}),
        {},
    ),
    "updateDomainQuarantine": (
        "domain_quarantines.update",
        ("eu-1", "dqu_1", {"lasts": "2d"}),
        {"version": 1},
    ),
    "releaseDomainQuarantine": ("domain_quarantines.release", ("eu-1", "dqu_1", "cooled"), {}),
    "listIncidents": ("incidents.list", (), {"node": "gpu-1"}),
    "getGpu": ("gpu", ("1653922",), {}),
    "getGpuHistory": ("gpu_history", ("1653922",), {}),
    "getIncident": ("incidents.get", ("inc_1",), {}),
    "listAdvanceReservations": ("advance_reservations.list", (), {}),
    "getAdvanceReservation": ("advance_reservations.get", ("demo",), {}),
    "createAdvanceReservation": (
        "advance_reservations.create",
        ({"name": "demo", "purpose": "MAINTENANCE"},),
        {},
    ),
    "cancelAdvanceReservation": ("advance_reservations.cancel", ("demo",), {}),
    "listCampaigns": ("campaigns.list", (), {}),
    "getCampaign": ("campaigns.get", ("cmp_1",), {}),
    "listCampaignNodes": ("campaigns.nodes", ("cmp_1",), {}),
    "createCampaign": ("campaigns.create", ({"name": "k", "reason": "k", "cluster": "eu-1"},), {}),
    "orderCampaign": ("campaigns.order", ("cmp_1", "PAUSE", "later"), {}),
    "finishCampaignNode": ("campaigns.done", ("cmp_1", "gpu-1"), {}),
    "listRepairs": ("repairs.list", (), {"node": "gpu-1"}),
    "getRepair": ("repairs.get", ("rep_1",), {}),
    "listHealthRules": ("health_rules.table", (), {}),
    "getHealthRule": ("health_rules.get", (31,), {}),
    "updateHealthRule": ("health_rules.update", (31, {"step": "REBOOT"}), {"version": 1}),
    "replayHealthRule": ("replay_rule", (31, "NODE"), {}),
    "getJobTimeline": ("timeline", (), {"job": JOB_ID}),
    "getNodeTimeline": ("timeline", (), {"node": "gpu-1"}),
    "getClusterTimeline": ("timeline", (), {"cluster": "eu-1"}),
    "getRepairer": ("repairs.repairer", ("eu-1",), {}),
    "putRepairer": ("repairs.set_repairer", ("eu-1", {"steps": ["REBOOT"]}), {"version": 1}),
    "deleteRepairer": ("repairs.remove_repairer", ("eu-1",), {"version": 1}),
    "orderRepair": ("repairs.order", ("rep_1", "SKIP", "SERVICE", "no switch"), {}),
    "reportHealthEvents": ("incidents.report", ("eu-1", [{"id": "1"}]), {}),
    "reportNotice": ("nodes.report_notice", ("eu-1", {"id": "1", "withdrawn": True}), {}),
    "cordonNode": ("nodes.cordon", ("gpu-1",), {}),
    "uncordonNode": ("nodes.uncordon", ("gpu-1",), {}),
    "drainNode": ("nodes.drain", ("gpu-1",), {"deadline": "2h", "at_deadline": "STOP"}),
    "listOperations": ("operations.list", (), {}),
    "getOperation": ("operations.get", ("opr_01m7vxn2c4e0mtrw2g5kqy8v3d",), {}),
    "cancelOperation": ("operations.cancel", ("opr_01m7vxn2c4e0mtrw2g5kqy8v3d",), {}),
    "listProjects": ("projects.list", (), {}),
    "listPools": ("pools.list", (), {}),
    "createPool": ("pools.create", ({"name": "h100"},), {}),
    "getPool": ("pools.get", ("h100",), {}),
    "listPoolWindows": ("pools.windows", ("h100",), {"next": 3}),
    "getPoolSupply": ("pools.supply", ("h100",), {}),
    "putPoolSupply": ("pools.set_supply", ("h100", {"cluster": "eu-1"}), {"version": 1}),
    "deletePoolSupply": (
        "pools.remove_supply",
        ("h100",),
        {"force_reason": "the account was closed", "version": 1},
    ),
    "updatePool": ("pools.update", ("h100", {"description": "for training"}), {"version": 1}),
    "listFlakyNodes": ("flaky_nodes", (), {}),
    "listHealthTests": ("health_tests.list", (), {}),
    "putHealthTest": ("health_tests.set", ("dcgm", {"project": "p", "job": {"image": "i"}}), {}),
    "deleteHealthTest": ("health_tests.delete", ("dcgm",), {}),
    "runHealthTest": ("health_tests.run", ("dcgm", "gpu-1"), {}),
    "listHealthTestRuns": ("health_tests.runs", (), {"node": "gpu-1"}),
    "listFrontBreakers": ("fronts.breakers", (), {}),
    "confirmFrontLoss": ("fronts.confirm_loss", ("eu-1", 60), {}),
    "listFrontNamespaces": ("fronts.list", (), {}),
    "putFrontNamespace": ("fronts.set", ("eu-1", "team-a", "vision"), {}),
    "deleteFrontNamespace": ("fronts.delete", ("eu-1", "team-a"), {}),
    "listLegalHolds": ("legal_holds.list", (), {}),
    "getLegalHold": ("legal_holds.get", ("case-7",), {}),
    "putLegalHold": ("legal_holds.set", ("case-7", "a court asks"), {}),
    "deleteLegalHold": ("legal_holds.delete", ("case-7",), {}),
    "listPipelines": ("pipelines.list", (), {}),
    "getPipeline": ("pipelines.get", ("night",), {}),
    "retryPipeline": ("pipelines.retry", ("night",), {}),
    "listLicences": ("licences.list", (), {}),
    "putLicence": ("licences.set", ("ansys", 20), {}),
    "deleteLicence": ("licences.delete", ("ansys",), {}),
    "listModelServices": ("services.list", (), {}),
    "getModelService": ("services.get", ("chat",), {"project": "nlp"}),
    "putModelService": (
        "services.apply",
        ("chat", {"route": "chat.example", "job": {"image": "i"}}),
        {},
    ),
    "updateModelService": (
        "services.update",
        ("chat", {"maxReplicas": 8}),
        {"version": 1},
    ),
    "deleteModelService": ("services.delete", ("chat",), {}),
    "promoteModelService": ("services.promote", ("chat", 2), {}),
    "abortModelService": ("services.abort", ("chat", 2), {}),
    "pauseModelService": ("services.pause", ("chat", 2), {}),
    "resumeModelService": ("services.resume", ("chat", 2), {}),
    "skipModelServiceStep": ("services.skip", ("chat", 2, 5), {}),
    "rollbackModelService": ("services.rollback", ("chat", 1), {}),
    "wakeModelService": ("services.wake", ("chat",), {}),
    "listModelServiceVersions": ("services.versions", ("chat",), {}),
    "deleteModelServiceVersion": ("services.delete_version", ("chat", 1), {}),
    "listCloudIdentities": ("cloud_identities.list", (), {"project": "nlp"}),
    "getCloudIdentity": ("cloud_identities.get", ("checkpoints",), {}),
    "putCloudIdentity": ("cloud_identities.set", ("checkpoints", {"projects": ["nlp"]}), {}),
    "deleteCloudIdentity": ("cloud_identities.delete", ("checkpoints",), {}),
    "listServiceKeys": ("services.keys", ("chat",), {}),
    "createServiceKey": ("services.create_key", ("chat", "app"), {"requests_per_minute": 60}),
    "revokeServiceKey": ("services.revoke_key", ("chat", "app"), {}),
    "reportServiceUsage": ("services.usage", ("chat",), {"period": "HOUR"}),
    "listPolicies": ("policies.list", (), {}),
    "getPolicy": ("policies.get", ("images",), {"project": "nlp"}),
    "putPolicy": ("policies.set", ("images", {"owner": "platform"}), {}),
    "deletePolicy": ("policies.delete", ("images",), {}),
    "tryPolicy": ("policies.trial", ({"owner": "platform"},), {"project": "nlp"}),
    "listTemplates": ("templates.list", (), {}),
    "getTemplate": ("templates.get", ("finetune",), {"project": "nlp"}),
    "listSchedules": ("schedules.list", (), {}),
    "getSchedule": ("schedules.get", ("nightly",), {"project": "nlp"}),
    "putSchedule": (
        "schedules.set",
        ("nightly", {"cron": "0 2 * * *", "job": {"image": "x"}}),
        {},
    ),
    "deleteSchedule": ("schedules.delete", ("nightly",), {}),
    "listWarmPools": ("warm_pools.list", (), {}),
    "putWarmPool": (
        "warm_pools.set",
        ("h100", {"members": 1, "job": {"image": "x", "launcher": "jupyter"}}),
        {"project": "nlp"},
    ),
    "deleteWarmPool": ("warm_pools.delete", ("h100",), {}),
    "suspendSchedule": ("schedules.suspend", ("nightly",), {}),
    "resumeSchedule": ("schedules.resume", ("nightly",), {}),
    "previewSchedule": ("schedules.preview", ("nightly",), {}),
    "listScheduleRuns": ("schedules.runs", ("nightly",), {}),
    "putTemplate": ("templates.set", ("finetune", {"job": {"image": "x"}}), {}),
    "deleteTemplate": ("templates.delete", ("finetune",), {}),
    "listWebhooks": ("webhooks.list", (), {}),
    "getWebhook": ("webhooks.get", ("portal",), {"project": "nlp"}),
    "putWebhook": ("webhooks.set", ("portal", "https://portal.example"), {"types": ["JobFailed"]}),
    "deleteWebhook": ("webhooks.delete", ("portal",), {}),
    "pauseWebhook": ("webhooks.pause", ("portal",), {}),
    "resumeWebhook": ("webhooks.resume", ("portal",), {}),
    "rotateWebhookSecret": ("webhooks.rotate", ("portal",), {"overlap": "1h"}),
    "testWebhook": ("webhooks.test", ("portal",), {}),
    "replayWebhook": ("webhooks.replay", ("portal",), {"since": "2h"}),
    "listWebhookDeliveries": ("webhooks.deliveries", ("portal",), {}),
    "listPrices": ("prices.list", (), {}),
    "createPrice": ("prices.create", ({"pricePerGpuHour": 2.5, "currency": "EUR"},), {}),
    "getPrice": ("prices.get", ("pri_01m7vxn2c4e0mtrw2g5kqy8v3d",), {}),
    "listConfigHistory": ("config.history", (), {"kind": "QUEUE", "name": "research"}),
    "getConfigVersion": ("config.version", (48211,), {}),
    "revertConfigVersion": ("config.revert", (48211,), {"force": True}),
    "listAudit": ("audit.list", (), {"actor": "ana", "outcome": "DENIED"}),
    "verifyAudit": ("audit.verify", (), {}),
    "listBudgets": ("budgets.list", (), {}),
    "createBudget": ("budgets.create", ({"name": "train", "gpuHours": 8},), {}),
    "getBudget": ("budgets.get", ("train",), {}),
    "updateBudget": ("budgets.update", ("train", {"gpuHours": 9}), {"version": 1}),
    "grantBudget": (
        "budgets.grant",
        ("train", {"gpuHours": 2, "reason": "a deadline"}),
        {"version": 1},
    ),
    "deleteBudget": ("budgets.delete", ("train",), {"version": 1}),
    "deletePool": ("pools.delete", ("h100",), {"version": 1}),
    "listTenants": ("tenants.list", (), {}),
    "createTenant": ("tenants.create", ({"name": "acme"},), {}),
    "getTenant": ("tenants.get", ("acme",), {}),
    "updateTenant": ("tenants.update", ("acme", {"displayName": "Acme"}), {"version": 1}),
    "archiveTenant": ("tenants.archive", ("acme",), {}),
    "listTenantMembers": ("members.list", (), {"tenant": "acme"}),
    "getTenantMember": ("members.get", ("ana",), {"tenant": "acme"}),
    "putTenantMember": ("members.put", ("ana", "tenant-member"), {"tenant": "acme"}),
    "removeTenantMember": ("members.remove", ("ana",), {"tenant": "acme"}),
    "listSecrets": ("secrets.list", (), {}),
    "getSecret": ("secrets.get", ("hub",), {"project": "nlp"}),
    "putSecret": ("secrets.put", ("hub", {"token": "x"}), {}),
    "deleteSecret": ("secrets.delete", ("hub",), {"version": 3}),
    "listVolumes": ("volumes.list", (), {}),
    "getVolume": ("volumes.get", ("training",), {"project": "nlp"}),
    "putVolume": ("volumes.put", ("training", {"size": "100Gi"}), {}),
    "deleteVolume": ("volumes.delete", ("training",), {"version": 3}),
    "listVolumeBreakers": ("volumes.breakers", (), {}),
    "confirmVolumeLoss": ("volumes.confirm_loss", ("eu-1", 25), {}),
    "listVolumeTransfers": ("volumes.transfers", ("training",), {}),
    "createVolumeTransfer": (
        "volumes.transfer",
        ("training", {"to": "training-us", "cluster": "us-1"}),
        {},
    ),
    "cutOverVolumeTransfer": ("volumes.cut_over", ("training", "trf_1"), {}),
    "dropVolumeTransfer": ("volumes.drop", ("training", "trf_1"), {"force": True}),
    "resumeVolumeTransfer": ("volumes.resume", ("training", "trf_1"), {}),
    "listProjectMembers": ("members.list", (), {"project": "nlp"}),
    "getProjectMember": ("members.get", ("ana",), {"project": "nlp"}),
    "putProjectMember": ("members.put", ("ana", "project-member"), {"project": "nlp"}),
    "removeProjectMember": ("members.remove", ("ana",), {"project": "nlp"}),
    "listTokens": ("tokens.list", (), {}),
    "createToken": ("tokens.create", ("ci", "tenant-member"), {"user": "sa:ci"}),
    "getToken": ("tokens.get", ("tok_01m7vxn2c4e0mtrw2g5kqy8v3d",), {}),
    "revokeToken": ("tokens.revoke", ("tok_01m7vxn2c4e0mtrw2g5kqy8v3d",), {}),
    "createProject": ("projects.create", ({"name": "nlp"},), {}),
    "getProject": ("projects.get", ("nlp",), {}),
    "listProjectJobs": ("jobs.list", (), {"project": "nlp"}),
    "submitJob": ("jobs.submit", (SPEC,), {"project": "nlp"}),
    "submitJobs": ("jobs.submit_batch", ([SPEC, SPEC],), {"atomic": True}),
    "getJobSchema": ("jobs.schema", (), {}),
    "listJobMembers": ("jobs.members", (JOB_ID,), {"attempt": 1}),
    "deleteJob": ("jobs.delete", (JOB_ID,), {}),
    "updateProject": ("projects.update", ("nlp", {"defaultQueue": "research"}), {"version": 1}),
    "deleteProject": ("projects.delete", ("nlp",), {}),
    "createSessionLink": ("jobs.session_link", (JOB_ID,), {"validate_only": True}),
    "suspendJob": ("jobs.suspend", (JOB_ID,), {}),
    "reportJobCheck": ("jobs.report_check", (JOB_ID, "budget", "READY", 7), {}),
    "checkpointJob": ("jobs.checkpoint", (JOB_ID,), {}),
    "resumeJob": ("jobs.resume", (JOB_ID,), {}),
    "requeueJob": ("jobs.requeue", (JOB_ID,), {}),
    "patchJob": ("jobs.patch", (JOB_ID, {"maxRuntime": "2h"}), {"version": 3}),
    "summarizeJobs": ("jobs.summary", (["state", "queue"],), {}),
    "reportUsage": ("usage", (["project", "user"],), {"period": "DAY", "since": "7d"}),
    "reportVolumeHours": ("volume_hours", ("7d", "1h"), {}),
    "reportSavings": ("savings", ("7d", "1h"), {}),
    "reportIdle": ("idle", (), {}),
    "reportCommitments": ("commitments", ("7d", "1h"), {}),
    "reportIdleCost": ("idle_costs.report", ("2030-01",), {}),
    "listIdleCostPolicies": ("idle_costs.policies", (), {}),
    "createIdleCostPolicy": (
        "idle_costs.create_policy",
        ({"from": "2030-02", "idle": "BY_USE"},),
        {"validate_only": True},
    ),
    "reportSpill": ("spill", ("7d", "1h"), {"every_tenant": True}),
    "listStatements": ("statements.list", ("2030-01", "2030-12"), {}),
    "getStatement": ("statements.get", ("2030-01",), {}),
    "signStatement": ("statements.sign", ("2030-01",), {}),
    "listStatementDevices": ("statements.devices", ("2030-01",), {}),
    "getStatementCorrections": ("statements.corrections", ("2030-01",), {}),
    "exportStatement": ("statements.focus", ("2030-01",), {"version": "1.2"}),
    "reportWaits": ("waits", (["queue", "cause"],), {"period": "DAY", "since": "7d"}),
    "listUsageLabels": ("usage_labels", (), {}),
    "nameUsageLabels": ("name_usage_labels", (["grant", "paper"],), {"validate_only": True}),
    "rebuildUsage": ("rebuild_usage", ("7h", "1h"), {"validate_only": True}),
    "bulkCancelJobs": ("jobs.bulk_cancel", ({"labels": {"team": "nlp"}}, 3), {}),
    "planJob": ("jobs.plan", (SPEC,), {"project": "nlp"}),
    "listFleetQuotas": ("quotas.fleet", (), {}),
    "updateFleetLimits": ("quotas.update_fleet", ({"limits": []},), {"version": 3}),
    "getFleetQuota": ("quotas.of_tenant", ("acme",), {}),
    "getTenantLimits": ("tenants.limits", ("acme",), {}),
    "updateTenantLimits": ("tenants.update_limits", ("acme", {"activeJobs": 5000}), {"version": 3}),
    "getProjectLimits": ("projects.limits", ("nlp",), {}),
    "updateProjectLimits": ("projects.update_limits", ("nlp", {"activeJobs": 500}), {}),
    "updateFleetQuota": ("quotas.update_tenant", ("acme", {"weight": 2}), {"version": 3}),
    "listQueues": ("quotas.queues", (), {}),
    "listQuotas": ("quotas.list", (), {}),
    "createQuota": ("quotas.create", ({"name": "research"},), {}),
    "deleteQuota": ("quotas.delete", ("research",), {"version": 3}),
    "getQueue": ("quotas.queue", ("research",), {}),
    "updateQueue": ("quotas.update_queue", ("research", {"weight": 2}), {"version": 3}),
    "listQuotaWindows": ("quotas.windows", ("research",), {"next": 3}),
    "getQuota": ("quotas.get", ("research",), {}),
    "updateQuota": ("quotas.update", ("research", {"weight": 2}), {"version": 3}),
    "listGpus": ("gpus", (), {"cluster": "eu-1", "state": "HEALTHY"}),
    "listEvents": ("events.list", (), {"project": "nlp", "type": ["JobFailed"]}),
    "getVersion": ("version", (), {}),
    "listChecks": ("checks", (), {}),
    "getInstallation": ("installation", (), {}),
    "raiseIncarnation": ("raise_incarnation", (1,), {}),
}


# without an end: separate tests
ENDLESS = {"streamEvents", "getWorkdir", "putWorkdir", "execJob", "forwardJobPort"}
ENDING = [operation for operation in operations() if operation.id not in ENDLESS]


def expect(api: respx.MockRouter, operation: Operation) -> respx.Route:
    """The example once, and then an end of its pages."""
    pattern = (
        "^http://fairlead.test"
        + re.sub(r"\\{\w+\\}", "[^/?]+", re.escape(operation.path))
        + r"(\?.*)?$"
    )
    first = operation.example
    if isinstance(first, dict) and first.get("nextPageToken"):
        first = {**first, "nextPageToken": None}
    body: dict[str, Any] = {"text": first} if isinstance(first, str) else {"json": first}
    answer = httpx.Response(operation.status, **({} if operation.status == 204 else body))
    return api.route(method=operation.method, url__regex=pattern).mock(return_value=answer)


def test_the_table_names_every_operation_of_the_document() -> None:
    assert {operation.id for operation in operations()} == {*CALLS, *ENDLESS}


@pytest.mark.parametrize("operation", ENDING, ids=lambda operation: operation.id)
def test_the_sync_client_reaches_it_and_reads_its_example(
    api: respx.MockRouter, operation: Operation
) -> None:
    route = expect(api, operation)
    method, arguments, options = CALLS[operation.id]
    with Fairlead() as fl:
        answer = attrgetter(method)(fl)(*arguments, **options)
        if inspect.isgenerator(answer):
            answer = list(answer)
    assert route.call_count == 1
    assert answer is not None or operation.status == 204


@pytest.mark.parametrize("operation", ENDING, ids=lambda operation: operation.id)
def test_the_async_client_reaches_it_and_reads_its_example(
    api: respx.MockRouter, operation: Operation
) -> None:
    route = expect(api, operation)
    method, arguments, options = CALLS[operation.id]

    async def call() -> None:
        async with AsyncFairlead() as fl:
            answer = attrgetter(method)(fl)(*arguments, **options)
            if inspect.isasyncgen(answer):
                [_ async for _ in answer]
            else:
                await answer

    anyio.run(call)
    assert route.call_count == 1


@pytest.mark.parametrize(("sync", "other"), [(Fairlead, AsyncFairlead), (Job, AsyncJob)])
def test_both_clients_have_the_same_methods(sync: type, other: type) -> None:
    def methods(kind: type) -> dict[str, list[str]]:
        found = inspect.getmembers(kind, inspect.isfunction)
        return {n: list(inspect.signature(f).parameters) for n, f in found if not n.startswith("_")}

    assert methods(sync) == {n.replace("aclose", "close"): p for n, p in methods(other).items()}


def generated_from_these() -> Path:
    """Records that exactly these files have passed, because they determine the result."""
    sdk = Path(__file__).resolve().parent.parent
    root = sdk.parent.parent
    files = [
        *(sdk / "src").rglob("*.py"),
        *(sdk / "src").rglob("*.json"),
        *(sdk / "tools").glob("*.py"),
        sdk / "pyproject.toml",
        root / "openapi" / "openapi.yaml",
        root / "docs/reference/cli.md",
        root / "docs/reference/api.md",
    ]
    digest = hashlib.sha256(sys.version.encode())
    for file in sorted(files):
        digest.update(f"\0{file.relative_to(root)}\0".encode() + file.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "fairlead-python" / f"generated-{digest.hexdigest()[:32]}"


def test_generated_files_are_those_that_the_document_and_the_help_make() -> None:
    passed = generated_from_these()
    if passed.exists():
        return
    tool = Path(__file__).resolve().parent.parent / "tools" / "generate.py"
    done = subprocess.run(
        [sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed.parent.mkdir(parents=True, exist_ok=True)
    passed.touch()
