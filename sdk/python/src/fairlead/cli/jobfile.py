"""The job file of a job, with the fields that its author wrote."""

from __future__ import annotations

from typing import Any

from fairlead import Job, models
from fairlead.cli.output import document, machine

# defaults of omitted fields; defaults that depend on other fields are in written()
DEFAULTS: dict[str, Any] = {
    "launcher": "none",
    "numa": "NONE",
    "onUnreachable": "WAIT",
    "priorityClass": "normal",
    "queue": "default",
    "rdma": False,
    "workers": 1,
    "placement.capacity": ["RESERVED", "ON_DEMAND"],
    "preemption.gracePeriod": "30s",
    "preemption.minRuntime": "0s",
    "retry.maxAttempts": 3,
    "retry.on": [
        "NODE_FAILURE",
        "GPU_FAULT",
        "CLUSTER_LOST",
        "NETWORK",
        "START_TIMEOUT",
        "PLACEMENT_CONFLICT",
    ],
}
PREEMPTIBLE = frozenset(("low", "normal"))
EMPTY: tuple[Any, ...] = (None, {}, [])


def job_file(job: Job, *, full: bool) -> str:
    """`full` includes the defaults that the service filled in."""
    spec = machine(job.spec) if job.spec else {}
    known = {field.alias or name for name, field in models.SubmitJobRequest.model_fields.items()}
    asked = {k: v for k, v in spec.items() if k in known and v not in EMPTY}
    if not full:
        asked = written(asked)
    return document({"name": job.name, **asked}, f"{job.id} of project {job.project}")


def written(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec without empty fields and defaults, in the short forms of a job file."""
    found = {name: _without_defaults(name, value) for name, value in spec.items()}
    preemption = found.get("preemption") or {}
    if preemption.get("allowed") is (spec.get("priorityClass") in PREEMPTIBLE):
        preemption.pop("allowed")
    if found.get("minWorkers") == spec.get("workers"):
        found.pop("minWorkers", None)
    if found.get("command") and not found.get("args"):
        found["run"] = found.pop("command")
    if isinstance(found.get("gpu"), dict):
        found["gpu"] = _gpu(found["gpu"])
    topology = found.get("topology") or {}
    if set(topology) == {"level", "mode"}:
        prefer = "prefer " if topology["mode"] == "PREFERRED" else ""
        found["topology"] = prefer + topology["level"]
    return {name: value for name, value in found.items() if value not in EMPTY}


def _without_defaults(path: str, value: Any) -> Any:
    if path in DEFAULTS and value == DEFAULTS[path]:
        return None
    if isinstance(value, dict) and path not in ("env", "labels", "annotations"):
        inner = {name: _without_defaults(f"{path}.{name}", one) for name, one in value.items()}
        return {name: one for name, one in inner.items() if one not in EMPTY}
    if isinstance(value, list):
        return [_without_defaults("", one) for one in value]
    return value


def _gpu(gpu: dict[str, Any]) -> Any:
    models_ = gpu.get("model") or []
    if set(gpu) <= {"count", "model"} and "count" in gpu and len(models_) <= 1:
        return f"{models_[0]}:{gpu['count']}" if models_ else gpu["count"]
    return gpu
