"""Prepared cases of waiting jobs. The expected answers follow from the figures below, not from the API.

A simulated node has 128 cores, 2 TiB and, of this model, GPUs with 183,359 MiB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

Json = dict[str, Any]
NOW = datetime.now(timezone.utc).replace(microsecond=0)
PROJECT = "mcp-cases"
MODEL = "B200"
# a GPU-hour in the unit of a budget
HOUR = 3_600_000 * 1_000
OPENS = (NOW + timedelta(days=40)).replace(hour=3, minute=0, second=0)
YEARLY = {"cron": f"0 3 {OPENS.day} {OPENS.month} *", "duration": "2h", "timezone": "UTC"}
BOOKED_FROM, BOOKED_TO = NOW + timedelta(hours=1), NOW + timedelta(hours=3)
LATER = datetime(2050, 1, 1, tzinfo=timezone.utc)
CLOSES = NOW + timedelta(hours=2)


@dataclass(frozen=True)
class Case:
    """`names` are in the blocker's message or scope, `numbers` among its numbers."""

    name: str
    reason: str
    job: Json
    numbers: Mapping[str, int] = field(default_factory=dict)
    names: Sequence[str] = ()

    @property
    def job_name(self) -> str:
        return f"mcp-{self.name}"


def at(time: datetime) -> int:
    return int(time.timestamp())


def text(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def on(cluster: str, gpus: int = 1, **more: Any) -> Json:
    """A job of one member on one cluster."""
    place = {"clusters": [cluster], **more.pop("placement", {})}
    return {"gpu": f"{MODEL}:{gpus}", "placement": place, **more}


def cluster(name: str, nodes: int, blocks: int = 1, **more: Any) -> tuple[str, Json]:
    """Nodes with 8 GPUs each, in blocks of one rack."""
    fleet = [{"nodes": nodes, "gpusPerNode": 8, "model": MODEL, "blocks": blocks}]
    return "/clusters", {"name": name, "kind": "SIMULATED", "fleet": fleet, **more}


def queue(name: str, parent: str = "mcp", gpu: Any = None, **more: Any) -> tuple[str, Json]:
    """`gpu` is the quota of GPUs, which the queue cannot exceed."""
    given = {} if gpu is None else {"limits": [limit(gpu)]}
    limits = {"limits": more.pop("limits")} if "limits" in more else given
    return "/quotas", {"name": name, "parent": parent, **limits, "queue": more}


def limit(nominal: Any, resource: str = "gpu", **more: Any) -> Json:
    cell = {"flavor": f"{MODEL}/RESERVED", "resource": resource, "nominal": nominal}
    return {**cell, "borrowingLimit": 0, **more}


CLUSTERS = [
    cluster("mcp-idle", 4, blocks=2),
    cluster("mcp-full", 2),
    cluster("mcp-blocks", 4, blocks=2),
    cluster("mcp-service", 1),
    cluster("mcp-course", 1),
    cluster("mcp-racks", 4, blocks=2),
    cluster("mcp-cordoned", 1),
    cluster("mcp-later", 1, window={"from": text(LATER)}),
    cluster("mcp-short", 1, window={"until": text(CLOSES)}),
    cluster("mcp-night", 1),
    cluster("mcp-spot", 1, capacityType="SPOT"),
]

SETUP: list[tuple[str, Json]] = [
    # without limits, so that each refusal must name a limit below it
    ("/quotas", {"name": "mcp"}),
    queue("mcp-open"),
    ("/projects", {"name": PROJECT, "defaultQueue": "mcp-open"}),
    ("/projects", {"name": "mcp-course", "defaultQueue": "mcp-open"}),
    queue("mcp-held", state="HELD"),
    queue("mcp-strict", order="STRICT_FIFO"),
    queue("mcp-checked", checks=["mcp-review"]),
    queue("mcp-audited", checks=["mcp-audit"]),
    queue("mcp-small", gpu=8),
    ("/quotas", {"name": "mcp-group", "parent": "mcp", "limits": [limit(8)]}),
    queue("mcp-left", "mcp-group"),
    queue("mcp-right", "mcp-group"),
    queue("mcp-memory", limits=[limit("64Gi", "memory")]),
    queue("mcp-firm", limits=[limit(4, borrowingLimit=4)]),
    queue("mcp-evening", limits=[limit(1, windows=[{**YEARLY, "nominal": 6}])]),
    queue("mcp-user-jobs", userLimits={"running": 1}),
    queue("mcp-user-gpus", userLimits={"gpus": 4}),
    queue("mcp-project-jobs", projectLimits={"running": 1}),
    queue("mcp-queue-gpus", queueLimits={"gpus": 2}),
    queue("mcp-minutes", queueLimits={"gpuMinutes": 60}),
    queue("mcp-hours"),
    queue(
        "mcp-tiers",
        routing={
            "tiers": [{"clusters": ["mcp-cordoned"]}, {"clusters": ["mcp-idle"], "after": "2h"}]
        },
    ),
    ("/budgets", {"name": "mcp-hours", "queue": "mcp-hours", "gpuHours": 0.1}),
    (
        "/pools",
        {"name": "mcp-night", "selector": {"clusters": ["mcp-night"]}, "windows": [YEARLY]},
    ),
    (
        "/advance-reservations",
        {
            "name": "mcp-service",
            "purpose": "MAINTENANCE",
            "cluster": "mcp-service",
            "count": 1,
            "start": text(BOOKED_FROM),
            "end": text(BOOKED_TO),
        },
    ),
    (
        "/advance-reservations",
        {
            "name": "mcp-course",
            "purpose": "PROJECT",
            "project": "mcp-course",
            "cluster": "mcp-course",
            "count": 1,
            "start": text(BOOKED_FROM),
            "end": text(BOOKED_TO),
        },
    ),
    (
        "/clusters/mcp-racks/domain-quarantines",
        {"level": "rack", "domain": "mcp-racks-r00", "reason": "pump", "force": True},
    ),
    ("/clusters/mcp-cordoned/cordon", {}),
]

PUT: list[tuple[str, Json]] = [
    ("/licences/mcp-solver", {"count": 3}),
    ("/licences/mcp-rare", {"count": 1}),
    (
        "/health-tests/mcp-burn",
        {
            "project": PROJECT,
            "job": {
                "image": "x",
                "maxRuntime": "1h",
                "annotations": {"sim.fairlead.dev/run-for": "1h"},
            },
        },
    ),
]

# one in each block
APART: Json = {
    "labels": {"mcp": "apart"},
    "placement": {"away": [{"jobs": {"mcp": "apart"}, "within": "block"}]},
}
# jobs that run while the others wait
RUNNING: dict[str, Json] = {
    "mcp-runs-node": on("mcp-full", 8, cpu=32, memory="128Gi"),
    "mcp-runs-half": on("mcp-full", 4, cpu=100, memory="1Ti"),
    "mcp-runs-block-0": on("mcp-blocks", 8, **APART),
    "mcp-runs-block-1": on("mcp-blocks", 8, **APART),
    "mcp-runs-six": on("mcp-idle", 6, queue="mcp-small"),
    "mcp-runs-five": on("mcp-idle", 5, queue="mcp-left"),
    "mcp-runs-memory": on("mcp-idle", 1, queue="mcp-memory", memory="48Gi"),
    "mcp-runs-firm": on("mcp-idle", 3, queue="mcp-firm", priorityClass="high"),
    "mcp-runs-user-job": on("mcp-idle", 1, queue="mcp-user-jobs"),
    "mcp-runs-user-gpus": on("mcp-idle", 3, queue="mcp-user-gpus"),
    "mcp-runs-project-job": on("mcp-idle", 1, queue="mcp-project-jobs"),
    "mcp-runs-queue-gpus": on("mcp-idle", 1, queue="mcp-queue-gpus"),
    "mcp-runs-licensed": on("mcp-idle", 1, licences={"mcp-solver": 2, "mcp-rare": 1}),
}

# a job that is cancelled before the others are submitted
CANCELLED: dict[str, Json] = {"mcp-breaks": on("mcp-idle", queue="mcp-held")}

CASES: list[Case] = [
    Case(
        "model",
        "NEVER_FITS",
        {"gpu": "GB300:1", "placement": {"clusters": ["mcp-idle"]}},
        names=["GB300", MODEL],
    ),
    Case("count", "NEVER_FITS", on("mcp-idle", 16), {"needed": 16, "largest": 8}),
    Case("cores", "NEVER_FITS", on("mcp-idle", cpu=200), {"needed": 200_000, "largest": 128_000}),
    Case(
        "memory",
        "NEVER_FITS",
        on("mcp-idle", memory="3Ti"),
        {"needed": 3 << 20, "largest": 2 << 20},
    ),
    Case("gang", "NEVER_FITS", on("mcp-idle", 8, workers=5), {"needed": 40, "largest": 32}),
    Case(
        "gang-block",
        "NEVER_FITS",
        on("mcp-idle", 8, workers=3, topology="block"),
        {"needed": 24, "largest": 16},
        ["block"],
    ),
    Case(
        "gpu-memory",
        "NEVER_FITS",
        {**on("mcp-idle"), "gpu": {"count": 1, "minMemory": "200Gi"}},
        {"needed": 200 << 10, "largest": 183_359},
    ),
    Case("slices", "NEVER_FITS", {**on("mcp-idle"), "gpu": {"mig": "1g.5gb"}}, names=["1g.5gb"]),
    Case("fabric", "NEVER_FITS", on("mcp-idle", rdma=True), names=["rdma"]),
    Case("cluster", "NEVER_FITS", on("mcp-nowhere"), names=["mcp-nowhere", "mcp-idle"]),
    Case(
        "queue-most",
        "NEVER_FITS",
        on("mcp-idle", 8, workers=2, queue="mcp-small"),
        {"neededMilli": 16_000, "mostMilli": 8_000},
        ["mcp-small"],
    ),
    Case(
        "no-price",
        "NEVER_FITS",
        on(
            "mcp-spot", placement={"capacity": ["SPOT"], "maxPricePerGpuHour": 1, "currency": "EUR"}
        ),
        names=["mcp-spot", "1.00 EUR"],
    ),
    Case("one-node", "CAPACITY", on("mcp-full", 8), {"needed": 8, "largestFree": 4}, ["mcp-full"]),
    Case("free-cores", "CAPACITY", on("mcp-full", 1, cpu=100), names=["100 cpu", "mcp-full"]),
    Case(
        "role",
        "CAPACITY",
        {
            "placement": {"clusters": ["mcp-full"]},
            "roles": [
                {"name": "trainer", "gpu": f"{MODEL}:8"},
                {"name": "eval", "gpu": f"{MODEL}:1"},
            ],
        },
        {"needed": 8, "largestFree": 4},
        ["trainer"],
    ),
    Case(
        "roles",
        "CAPACITY",
        {
            "placement": {"clusters": ["mcp-full"]},
            "roles": [
                {"name": "left", "gpu": f"{MODEL}:3"},
                {"name": "right", "gpu": f"{MODEL}:2"},
            ],
        },
        {"left.needed": 3, "left.largestFree": 3, "right.needed": 2, "right.largestFree": 4},
    ),
    Case(
        "near",
        "CAPACITY",
        on("mcp-idle", placement={"near": [{"jobs": {"mcp": "absent"}}]}),
        names=["mcp=absent", "mcp-idle"],
    ),
    Case(
        "quota",
        "QUOTA",
        on("mcp-idle", 4, queue="mcp-small"),
        {"neededMilli": 4_000, "availableMilli": 2_000, "usedMilli": 6_000, "quotaMilli": 8_000},
        ["mcp-small"],
    ),
    Case(
        "group-quota",
        "QUOTA",
        on("mcp-idle", 4, queue="mcp-right"),
        {"neededMilli": 4_000, "availableMilli": 3_000, "usedMilli": 5_000, "quotaMilli": 8_000},
        ["mcp-group"],
    ),
    Case(
        "memory-quota",
        "QUOTA",
        on("mcp-idle", queue="mcp-memory", memory="32Gi"),
        {
            "neededMiB": 32 << 10,
            "availableMiB": 16 << 10,
            "usedMiB": 48 << 10,
            "quotaMiB": 64 << 10,
        },
        ["mcp-memory", "memory"],
    ),
    Case(
        "firm-quota",
        "QUOTA",
        on("mcp-idle", 2, queue="mcp-firm", priorityClass="high"),
        {"neededMilli": 2_000, "availableMilli": 1_000, "usedMilli": 3_000, "quotaMilli": 4_000},
        ["mcp-firm"],
    ),
    Case(
        "window-quota",
        "QUOTA",
        on("mcp-idle", 2, queue="mcp-evening"),
        {"neededMilli": 2_000, "quotaMilli": 1_000, "opensAtEpochSeconds": at(OPENS)},
        ["mcp-evening"],
    ),
    Case("held-queue", "QUEUE_STOPPED", on("mcp-idle", queue="mcp-held"), names=["mcp-held"]),
    Case(
        "not-before",
        "NOT_BEFORE",
        on("mcp-idle", notBefore="2049-05-17T08:30:00Z"),
        names=["2049-05-17T08:30:00Z"],
    ),
    Case(
        "dependency",
        "DEPENDENCY",
        on("mcp-idle", dependsOn=["mcp-runs-node"]),
        names=["mcp-runs-node"],
    ),
    Case(
        "dead-dependency",
        "MISCONFIGURED",
        on("mcp-idle", dependsOn=["mcp-breaks"], onDependencyFailure="WAIT"),
        names=["mcp-breaks"],
    ),
    Case(
        "requested-check",
        "ADMISSION_CHECK",
        on("mcp-idle", queue="mcp-checked"),
        names=["mcp-review"],
    ),
    Case(
        "hours",
        "BUDGET_SPENT",
        on("mcp-idle", 8, queue="mcp-hours", maxRuntime="3m"),
        {
            "neededMilliGpuMillis": 4 * HOUR // 10,
            "limitMilliGpuMillis": HOUR // 10,
            "missingMilliGpuMillis": 3 * HOUR // 10,
        },
        ["mcp-hours"],
    ),
    Case(
        "user-jobs",
        "USER_LIMIT",
        on("mcp-idle", queue="mcp-user-jobs"),
        {"running": 1, "runningLimit": 1},
        ["mcp-user-jobs"],
    ),
    Case(
        "user-gpus",
        "USER_LIMIT",
        on("mcp-idle", 2, queue="mcp-user-gpus"),
        {"neededMilli": 2_000, "usedMilli": 3_000, "limitMilli": 4_000},
        ["mcp-user-gpus"],
    ),
    Case(
        "project-jobs",
        "QUEUE_LIMIT",
        on("mcp-idle", queue="mcp-project-jobs"),
        {"running": 1, "runningLimit": 1},
        ["mcp-project-jobs"],
    ),
    Case(
        "queue-gpus",
        "QUEUE_LIMIT",
        on("mcp-idle", 2, queue="mcp-queue-gpus"),
        {"neededMilli": 2_000, "usedMilli": 1_000, "limitMilli": 2_000},
        ["mcp-queue-gpus"],
    ),
    Case(
        "minutes",
        "QUEUE_LIMIT",
        on("mcp-idle", 2, queue="mcp-minutes", maxRuntime="1h"),
        {"gpuMinutesLimit": 60, "gpuMinutesAsked": 120},
        ["mcp-minutes"],
    ),
    Case(
        "licence",
        "LICENCE",
        on("mcp-idle", licences={"mcp-solver": 2}),
        {"asked": 2, "free": 1, "there": 3, "held": 2, "jobs": 1},
        ["mcp-solver"],
    ),
    Case(
        "rare-licence",
        "LICENCE",
        on("mcp-idle", licences={"mcp-rare": 1}),
        {"asked": 1, "free": 0, "there": 1, "held": 1, "jobs": 1},
        ["mcp-rare"],
    ),
    Case(
        "strict", "CAPACITY", on("mcp-full", 8, queue="mcp-strict"), {"needed": 8, "largestFree": 4}
    ),
    Case(
        "behind", "RESERVATION_CONFLICT", on("mcp-idle", queue="mcp-strict"), names=["mcp-strict"]
    ),
    Case(
        "block",
        "TOPOLOGY",
        on("mcp-blocks", 8, workers=2, topology="block"),
        {"needed": 16, "largestFree": 8},
        ["mcp-blocks"],
    ),
    Case(
        "maintenance",
        "BOOKED",
        on("mcp-service"),
        {"nodes": 1, "startsAtEpochSeconds": at(BOOKED_FROM), "endsAtEpochSeconds": at(BOOKED_TO)},
        ["maintenance"],
    ),
    Case(
        "course",
        "BOOKED",
        on("mcp-course"),
        {"nodes": 1, "startsAtEpochSeconds": at(BOOKED_FROM), "endsAtEpochSeconds": at(BOOKED_TO)},
        ["mcp-course"],
    ),
    Case(
        "rack",
        "QUARANTINED",
        on("mcp-racks", 8, workers=4),
        {"domains": 1, "nodes": 2},
        ["mcp-racks-r00"],
    ),
    Case(
        "pool-window",
        "WINDOW_CLOSED",
        on("mcp-night"),
        {"opensAtEpochSeconds": at(OPENS)},
        ["mcp-night"],
    ),
    Case(
        "cluster-window",
        "WINDOW_CLOSED",
        on("mcp-later"),
        {"opensAtEpochSeconds": at(LATER)},
        ["mcp-later"],
    ),
    Case(
        "short-window",
        "WINDOW_CLOSED",
        on("mcp-short", maxRuntime="3h"),
        {"closesAtEpochSeconds": at(CLOSES)},
        ["mcp-short"],
    ),
    Case(
        "tier",
        "ROUTING",
        {"gpu": f"{MODEL}:1", "queue": "mcp-tiers"},
        {"tier": 2, "afterSeconds": 7_200},
        ["mcp-idle"],
    ),
    Case(
        "price",
        "ROUTING",
        {
            "gpu": f"{MODEL}:1",
            "placement": {
                "clusters": ["mcp-cordoned", "mcp-spot"],
                "capacity": ["RESERVED", "SPOT"],
                "maxPricePerGpuHour": 1,
                "currency": "EUR",
            },
        },
        names=["mcp-spot"],
    ),
    Case("cordoned", "CLUSTER_UNAVAILABLE", on("mcp-cordoned"), names=["mcp-cordoned"]),
    Case(
        "preflight",
        "PREFLIGHT",
        on("mcp-idle", 1, preflight={"test": "mcp-burn", "onUntested": "WAIT"}),
        {"nodes": 1, "passed": 0, "untested": 0},
        ["mcp-burn"],
    ),
    Case("suspended", "HELD", on("mcp-idle", notBefore="2049-05-17T08:30:00Z")),
    Case(
        "refused-check",
        "ADMISSION_CHECK",
        on("mcp-idle", queue="mcp-audited"),
        names=["mcp-audit", "no ticket"],
    ),
]
