"""Kinds of objects in a platform file, as data: paths, keys, fields and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from pydantic import BaseModel

from fairlead import models

Object = dict[str, Any]
EMPTY: tuple[Any, ...] = (None, {}, [])
# lists with an empty value that is not their default: a queue for no project, a budget without alerts
COUNTED = ("projects", "alerts")
# an observed state of a cluster that was not configured
OBSERVED = ("DEGRADED", "UNREACHABLE")
SECRETS = ("kubeconfig", "connection")
PREEMPTION = {
    "withinQueue": "NEVER",
    "reclaim": "NEVER",
    "fairShare": False,
    "whileBorrowing": "NEVER",
}
FALLBACK = {
    "whenCanBorrow": "BORROW",
    "whenCanPreempt": "TRY_NEXT_FLAVOR",
    "preference": "BORROWING",
}


@dataclass(frozen=True)
class Kind:
    """`path` is the path of the list. With `{scope}`, the tenant and each project have their own
    list. `make` and
    `change` are the request bodies. Without `make` the object always exists. `item` is the field that
    completes the path of one object. `sticky` fields only change when the file has them."""

    name: str
    one: str
    path: str
    key: tuple[str, ...]
    change: type[BaseModel] | None
    make: type[BaseModel] | None = None
    item: str = "name"
    defaults: Mapping[str, Any] = field(default_factory=dict)
    sticky: tuple[str, ...] = ()
    prunable: bool = True

    @property
    def scoped(self) -> bool:
        return "{scope}" in self.path

    @property
    def fields(self) -> set[str]:
        return set(self.key) | fields_of(self.make) | fields_of(self.change)

    @property
    def fixed(self) -> set[str]:
        """Fields that cannot change after the creation."""
        return set() if self.make is None else self.fields - fields_of(self.change)

    def key_of(self, one: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple("" if one.get(name) is None else str(one[name]) for name in self.key)

    def title(self, key: tuple[str, ...]) -> str:
        """Such as queue nlp, or member ana of project nlp."""
        if self.scoped:
            *named, project = key
            where = f"project {project}" if project else "the tenant"
            return f"{' '.join([self.one, *named])} of {where}"
        if self.item == "id":
            named = [f"{name}={part}" for name, part in zip(self.key, key, strict=True) if part]
            return " ".join([self.one, *(named or ["of all"])])
        return f"{self.one} {'/'.join(part or 'any' for part in key)}"


def fields_of(model: type[BaseModel] | None) -> set[str]:
    """Names of the API."""
    if model is None:
        return set()
    return {known.alias or name for name, known in model.model_fields.items()} - {*SECRETS}


QUOTA_DEFAULTS = {"weight": 1, "sharePolicy": "DOMINANT_SHARE", "preemption": PREEMPTION}
QUEUE_DEFAULTS = {
    "order": "BEST_EFFORT_FIFO",
    "fairByUser": False,
    "flavorFallback": FALLBACK,
}
CLUSTERS = Kind(
    "clusters", "cluster", "/clusters", ("name",),
    models.UpdateClusterRequest, models.RegisterClusterRequest,
    defaults={
        "kind": "KUBERNETES", "backend": {"kind": "FAIRLEAD"}, "capacityType": "RESERVED",
        "consolidation": "NEVER", "devices": {"kind": "EXTENDED_RESOURCE"},
        "nodeLabelsAndTaints": "NEVER", "pinning": "DIRECT", "scoring": "DEFAULT",
    },
    sticky=("state",),
)  # fmt: skip
POOLS = Kind(
    "pools", "pool", "/pools", ("name",), models.UpdatePoolRequest, models.CreatePoolRequest,
    defaults={"description": ""},
)  # fmt: skip
QUOTAS = Kind(
    "quotas", "quota", "/quotas", ("name",), models.PatchQuotaRequest, models.QuotaRequest,
    defaults=QUOTA_DEFAULTS,
)  # fmt: skip
PROJECTS = Kind(
    "projects", "project", "/projects", ("name",),
    models.UpdateProjectRequest, models.CreateProjectRequest,
    defaults={
        "defaultQueue": "default", "costCentre": "", "egress": {"mode": "OPEN"},
        "idlePolicy": {"mode": "OFF"},
    },
)  # fmt: skip
QUEUES = Kind(
    "queues", "queue", "/quotas", ("name",), models.PatchQuotaRequest, models.QuotaRequest,
    defaults={**QUOTA_DEFAULTS, "queue": QUEUE_DEFAULTS}, sticky=("queue.state",),
)  # fmt: skip
MEMBERS = Kind(
    "members", "member", "/{scope}/members", ("user", "project"), models.PutMemberRequest,
    models.PutMemberRequest, item="user",
)  # fmt: skip
BUDGETS = Kind(
    "budgets", "budget", "/budgets", ("name",),
    models.UpdateBudgetRequest, models.CreateBudgetRequest,
    defaults={
        "mode": "HARD", "onExhausted": "FINISH", "period": "MONTH", "alerts": [80, 100],
    },
)  # fmt: skip
PRICES = Kind(
    "prices", "price", "/prices",
    ("cluster", "pool", "model", "capacityType", "storageClass", "per"), None,
    models.CreatePriceRequest, item="id", prunable=False,
)  # fmt: skip
LIMITS = Kind(
    "limits", "limits", "/{scope}/limits", ("project",), models.Limits, prunable=False
)  # fmt: skip
CLOUD_IDENTITIES = Kind(
    "cloudIdentities", "cloud identity", "/cloud-identities", ("name",),
    models.PutCloudIdentityRequest, models.PutCloudIdentityRequest,
    defaults={"projects": []},
)  # fmt: skip
# an object follows the objects that it names
KINDS = {
    kind.name: kind
    for kind in (
        CLUSTERS, POOLS, QUOTAS, PROJECTS, QUEUES, MEMBERS, BUDGETS, PRICES, LIMITS,
        CLOUD_IDENTITIES,
    )
}  # fmt: skip
# set by the service or by the command, never in a file
HIDDEN = {"prices": {"from", "replaces", "per"}}
# no answer has them
UNSEEN = {"clusters": {"fleet"}}


def known_fields(kind: Kind) -> set[str]:
    return kind.fields - HIDDEN.get(kind.name, set())


def keyed(kind: Kind, one: Mapping[str, Any]) -> tuple[str, ...]:
    """The identity of an object in a file or a response."""
    if kind is PRICES:
        return kind.key_of({**one, "per": "" if one.get("pricePerGibMonth") is None else "GiB"})
    return kind.key_of(one)


def without_empty(value: Any) -> Any:
    """Removes nulls and empty fields of objects, except the lists in COUNTED."""
    if isinstance(value, Mapping):
        inner = {name: without_empty(one) for name, one in value.items()}
        return {k: v for k, v in inner.items() if v not in EMPTY or (v == [] and k in COUNTED)}
    if isinstance(value, list):
        return [without_empty(one) for one in value]
    return value


def configured(kind: Kind, answer: Mapping[str, Any]) -> Object:
    """The fields of a response that a file can set, with all defaults."""
    found = {name: answer.get(name) for name in known_fields(kind) if name in answer}
    if kind is CLUSTERS and found.get("state") in OBSERVED:
        found["state"] = "ACTIVE"
    if kind is PRICES and found.get("commitment"):
        found.pop("pricePerGpuHour", None)  # computed from the commitment
    return completed(kind, found)


def completed(kind: Kind, one: Mapping[str, Any]) -> Object:
    """Omitted fields and null mean the default."""
    filled: Object = _over(kind.defaults, without_empty(one))
    if kind is BUDGETS and filled.get("label") and one.get("mode") is None:
        filled["mode"] = "SOFT"
    if kind is PRICES and "to" in filled:
        filled["to"] = in_utc(str(filled["to"]))
    if kind is PROJECTS and filled["idlePolicy"].get("mode") == "OFF":
        filled["idlePolicy"] = {"mode": "OFF"}  # its other fields have no effect
    return filled


def in_utc(at: str) -> str:
    """The service refuses to replace a commitment with an equal one, so equal times must have the
    same text."""
    try:
        found = datetime.fromisoformat(at.replace("Z", "+00:00"))
    except ValueError:
        return at
    return found.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _over(defaults: Any, given: Any) -> Any:
    if not isinstance(defaults, Mapping) or not isinstance(given, Mapping):
        return given
    names = [*defaults, *(name for name in given if name not in defaults)]
    return {
        name: _over(defaults.get(name), given[name]) if name in given else defaults[name]
        for name in names
    }


def brief(kind: Kind, one: Mapping[str, Any]) -> Object:
    """The object for a file: without defaults, with the key first and the other fields by name."""
    found = _without(kind.defaults, one)
    for path in kind.sticky:
        *above, last = path.split(".")
        inner = found
        for name in above:
            inner = inner.get(name, {})
        if inner.get(last) == "ACTIVE":
            del inner[last]
    if kind is BUDGETS and "label" in found and found.get("mode") == "SOFT":
        del found["mode"]
    if kind is QUEUES:
        found.setdefault("queue", {})
    first = [name for name in kind.key if name in found]
    return {name: found[name] for name in [*first, *sorted(found.keys() - set(first))]}


def _without(defaults: Mapping[str, Any], one: Mapping[str, Any]) -> Object:
    found: Object = {}
    for name, value in one.items():
        default = defaults.get(name)
        if value == default:
            continue
        if isinstance(value, Mapping):
            value = _without(default if isinstance(default, Mapping) else {}, value)
            value = {key: value[key] for key in sorted(value)}
        found[name] = value
    return found


def patch(kind: Kind, now: Mapping[str, Any], wanted: Mapping[str, Any]) -> Object:
    """The merge patch from the complete object `now` to the complete object `wanted`."""
    changeable = fields_of(kind.change)
    # of a project, the service replaces egress and idlePolicy, and refuses null for their fields
    merge = _merge if kind is not PROJECTS else lambda _, new: new
    return {
        name: merge(now.get(name), wanted.get(name))
        for name in sorted(changeable & (now.keys() | wanted.keys()))
        if now.get(name) != wanted.get(name)
    }


def _merge(now: Any, wanted: Any) -> Any:
    if isinstance(now, Mapping) and isinstance(wanted, Mapping):
        gone = {name: _merge(value, None) for name, value in now.items() if name not in wanted}
        return {**gone, **{name: _merge(now.get(name), one) for name, one in wanted.items()}}
    return wanted


def stuck(kind: Kind, now: Mapping[str, Any], wanted: Mapping[str, Any]) -> Object:
    """Sticky fields that the file omits do not change."""
    found: Object = {k: dict(v) if isinstance(v, Mapping) else v for k, v in wanted.items()}
    for path in kind.sticky:
        *above, last = path.split(".")
        inner, have = found, dict(now)
        for name in above:
            inner, have = inner.setdefault(name, {}), have.get(name) or {}
        if last not in inner and last in have:
            inner[last] = have[last]
    return found
