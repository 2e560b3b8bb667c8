"""Converts an InferenceService of KServe, and a ScaledObject of KEDA next to it, into a service file.

Fields are those of serving.kserve.io/v1beta1 and keda.sh/v1alpha1. Every field is either converted or
named with its path."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from fairlead.cli.kserve_words import (
    KSERVE_OPTIONS,
    LEAST_DOWN,
    MAIN,
    METRICS,
    MINUTES_OF_DAY,
    MOST_DOWN,
    OLD_KEYS,
    READS,
    REQUESTS,
    RUNNING,
    RUNTIMES,
    SAME_HERE,
    SERVER_FIELDS,
    V1,
    WITHOUT,
)


class NotConvertible(Exception):
    """The file has no InferenceService."""


@dataclass(frozen=True)
class Note:
    """`lost` is set if the service lacks something that the field requested."""

    path: str
    why: str
    lost: bool = True

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


@dataclass
class Converted:
    name: str = ""
    spec: dict[str, Any] = field(default_factory=dict)
    job: dict[str, Any] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def note(self, path: str, why: str, *, lost: bool = True) -> None:
        self.notes.append(Note(path, why, lost))

    @property
    def lost(self) -> bool:
        return any(note.lost for note in self.notes)


class Fields:
    """Mapping that tracks which fields were read. The remaining fields are listed at the end."""

    def __init__(self, found: Any, path: str, into: Converted) -> None:
        self.left = dict(found) if isinstance(found, Mapping) else {}
        self.path = path
        self.into = into
        if found is not None and not isinstance(found, Mapping):
            into.note(path, "must be a mapping")

    def at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def take(self, name: str) -> Any:
        return self.left.pop(name, None)

    def below(self, name: str) -> Fields:
        return Fields(self.take(name), self.at(name), self.into)

    def number(self, name: str) -> int | None:
        value = self.take(name)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        self.lost(name, f"{value} is not a whole number")
        return None

    def lost(self, name: str, why: str) -> None:
        self.into.note(self.at(name), why)

    def same(self, name: str, why: str) -> None:
        self.into.note(self.at(name), why, lost=False)

    def done(self) -> None:
        for name, value in self.left.items():
            path = self.at(name)
            if value in (None, {}, []):
                continue
            if path in SAME_HERE:
                self.same(name, SAME_HERE[path])
            else:
                self.lost(name, WITHOUT.get(path, "has no counterpart"))
        self.left = {}


def convert(text: str, route: str | None = None) -> Converted:
    """The service in `spec`, the rest in `notes`. Without a route `spec` has none."""
    try:
        documents = [one for one in yaml.safe_load_all(text) if isinstance(one, Mapping)]
    except yaml.YAMLError as broken:
        raise NotConvertible(f"is not valid YAML: {broken}") from broken
    services = [one for one in documents if one.get("kind") == "InferenceService"]
    if len(services) != 1:
        raise NotConvertible(
            f"has {len(services)} objects of the kind InferenceService instead of one"
        )
    version = services[0].get("apiVersion")
    if version != "serving.kserve.io/v1beta1":
        found = "no apiVersion" if version is None else f"the apiVersion {version}"
        raise NotConvertible(f"has {found} instead of serving.kserve.io/v1beta1")
    into = Converted()
    if route:
        into.spec["route"] = route
    _service(Fields(services[0], "", into))
    for one in documents:
        if one.get("kind") == "ScaledObject":
            _scaled_object(Fields(one, "", into))
        elif one is not services[0]:
            into.note(str(one.get("kind")), "is another object: it is not converted")
    into.spec["job"] = into.job
    return into


def _service(top: Fields) -> None:
    for name in ("apiVersion", "kind", "status"):
        top.take(name)
    metadata = top.below("metadata")
    called = metadata.take("name")
    top.into.name = called if isinstance(called, str) else ""
    for name in SERVER_FIELDS:
        metadata.take(name)
    _annotations(metadata)
    metadata.done()
    spec = top.below("spec")
    predictor = spec.below("predictor")
    _replicas(predictor)
    _canary(predictor)
    _predictor(predictor)
    _annotations(predictor)
    predictor.done()
    spec.done()
    top.done()


def _annotations(of: Fields) -> None:
    found = of.left.get("annotations")
    for name in found if isinstance(found, Mapping) else ():
        if str(name).startswith(REQUESTS):
            of.lost(
                f"annotations[{name}]", "has no effect: write scale, or a filter of the gateway"
            )


def _replicas(predictor: Fields) -> None:
    spec = predictor.into.spec
    least = predictor.number("minReplicas")
    most = predictor.number("maxReplicas")
    _bounds(predictor, "minReplicas", least, "maxReplicas", most or None)
    metric = predictor.take("scaleMetric")
    target = predictor.number("scaleTarget")
    predictor.take("scaleMetricType")
    if metric is None and target is None:
        return
    if not isinstance(metric, str) or metric not in METRICS:
        predictor.lost(
            "scaleMetric",
            f"{metric or 'the default'} is not a supported metric: write scale with RPS or CONCURRENCY",
        )
    elif target is None or target < 1:
        predictor.lost("scaleTarget", "is missing: write scale.target, the load of one replica")
    else:
        spec["scale"] = {"metric": METRICS[metric], "target": target}


def _bounds(of: Fields, low: str, least: int | None, high: str, most: int | None) -> None:
    spec = of.into.spec
    if least is not None and least < 1:
        of.lost(
            low,
            f"{least}: at least one replica always runs. With a gate on the cluster, write "
            "minReplicas: 0 and idleAfter: 1",
        )
        least = 1
    if least is not None:
        spec["minReplicas"] = least
    floor = spec.get("minReplicas", 1)
    if most is not None:
        if most <= floor:
            of.same(high, f"{most}: a rollout needs one spare replica: {floor + 1}")
        spec["maxReplicas"] = max(most, floor + 1)


def _canary(predictor: Fields) -> None:
    percent = predictor.number("canaryTrafficPercent")
    if percent is None or percent == 100:
        return
    if percent == 0:
        predictor.lost(
            "canaryTrafficPercent", "0: apply the file when its version may receive traffic"
        )
        return
    predictor.into.spec["steps"] = [percent, 100]
    predictor.lost(
        "canaryTrafficPercent",
        f"a new version begins with {percent} percent and gets the rest automatically if its responses "
        "are good: fairlead service rollout",
    )


def _predictor(predictor: Fields) -> None:
    old = next((key for key in OLD_KEYS if key in predictor.left), None)
    if "model" in predictor.left:
        _model(predictor.below("model"), None)
    elif old is not None:
        _model(predictor.below(old), old)
    else:
        _custom(predictor)


def _model(model: Fields, framework: str | None) -> None:
    spec = model.into.spec
    kind = model.below("modelFormat")
    name = framework or str(kind.take("name") or "")
    kind.take("version")
    kind.done()
    wanted = str(model.take("runtime") or "")
    runtime = next(
        (mine for word, mine in RUNTIMES.items() if word in wanted.lower()),
        RUNTIMES.get(name.lower()),
    )
    if runtime is None:
        model.lost(
            "modelFormat",
            f"{wanted or name or 'none'} has no runtime here: fairlead service runtime list",
        )
    else:
        spec["runtime"] = runtime
        if wanted:
            model.same("runtime", f"{wanted} is runtime {runtime}")
    _address(model, runtime)
    if version := model.take("runtimeVersion"):
        model.lost("runtimeVersion", f"{version}: write job.image, or use the image of the runtime")
    protocol = str(model.take("protocolVersion") or "")
    if (
        "grpc" in protocol
        or (protocol == "v1" and runtime not in V1)
        or (protocol == "v2" and runtime in V1)
    ):
        model.lost("protocolVersion", f"{protocol} is not the protocol of runtime {runtime}")
    _container(model)
    if runtime == "vllm" and isinstance(model.into.job.get("args"), list):
        _options(model)
    model.done()


def _address(model: Fields, runtime: str | None) -> None:
    uri = model.take("storageUri")
    if uri is None:
        if "storage" not in model.left:
            model.lost("storageUri", "is missing: write model.uri")
        return
    scheme, _, rest = str(uri).partition("://")
    if scheme == "pvc":
        claim = rest.partition("/")[0]
        model.lost(
            "storageUri",
            f"make claim {claim} a volume of the project with this name: fairlead volume",
        )
        scheme, uri = "volume", f"volume://{rest}"
    elif scheme not in ("hf", "s3", "https"):
        model.lost(
            "storageUri", f"{uri} cannot be read: copy the model to a volume and write model.uri"
        )
        return
    if runtime and scheme not in READS[runtime].split():
        model.lost(
            "storageUri",
            f"runtime {runtime} reads {READS[runtime].replace(' ', ', ')}, not {scheme}: copy the model to a "
            "volume and write model.uri",
        )
        return
    model.into.spec["model"] = {"uri": str(uri)}


def _options(model: Fields) -> None:
    """Removes the options of KServe's server with their values, and adds a note for each."""
    words = iter(model.into.job["args"])
    rest = []
    word = next(words, None)
    while word is not None:
        after = next(words, None)
        if KSERVE_OPTIONS.fullmatch(str(word)):
            value = "=" not in str(word) and after is not None and not str(after).startswith("-")
            model.lost("args", f"{word}{f' {after}' if value else ''}: is not an option of vLLM")
            word = next(words, None) if value else after
        else:
            rest.append(word)
            word = after
    model.into.job.pop("args", None)
    if rest:
        model.into.job["args"] = rest


def _custom(predictor: Fields) -> None:
    containers = predictor.take("containers")
    if not isinstance(containers, list) or not containers:
        predictor.lost(
            "model", "is missing, and there are no containers: write runtime and model, or job"
        )
        return
    main = next(
        (
            at
            for at, one in enumerate(containers)
            if isinstance(one, Mapping) and one.get("name") == MAIN
        ),
        0,
    )
    for at, one in enumerate(containers):
        path = f"containers[{at}]"
        if at != main:
            predictor.lost(path, "is a further container: write job.sidecars")
            continue
        container = Fields(one, predictor.at(path), predictor.into)
        if command := container.take("command"):
            predictor.into.job["command"] = command
        _container(container)
        if predictor.into.job.get("env", {}).pop("STORAGE_URI", None):
            container.lost(
                "env", "STORAGE_URI: the model is not copied into the container: write job.volumes"
            )
        if "readyPath" not in predictor.into.spec:
            container.same("readinessProbe", "is missing: a replica is ready when its port is open")
        container.done()


def _container(container: Fields) -> None:
    """Image, arguments, variables, resources, port and readiness."""
    job, spec = container.into.job, container.into.spec
    container.take("name")
    for name in ("image", "args"):
        if value := container.take(name):
            job[name] = value
    _variables(container)
    _resources(container)
    ports = container.take("ports")
    if isinstance(ports, list) and ports and isinstance(ports[0], Mapping):
        spec["port"] = ports[0].get("containerPort")
        if len(ports) > 1:
            container.lost("ports", "a replica takes requests at one port, the first one")
    probe = container.below("readinessProbe")
    get = probe.below("httpGet")
    if path := get.take("path"):
        spec["readyPath"] = path
    asked = get.take("port")
    if isinstance(asked, int) and asked != spec.get("port", asked):
        get.lost("port", f"{asked}: readyPath is probed on port {spec['port']}")
    get.take("scheme")
    get.done()
    for name in [one for one in probe.left if one.endswith(("Seconds", "Threshold"))]:
        probe.take(name)
    probe.done()
    if container.take("livenessProbe"):
        container.lost(
            "livenessProbe", "a replica that hangs is not restarted, only removed from traffic"
        )
    if container.take("startupProbe"):
        container.same("startupProbe", "a replica gets traffic when readyPath answers")
    if container.take("imagePullPolicy"):
        container.same("imagePullPolicy", "the cluster determines it")


def _variables(container: Fields) -> None:
    job = container.into.job
    for at, one in enumerate(container.take("env") or []):
        entry = Fields(one, container.at(f"env[{at}]"), container.into)
        name, value = entry.take("name"), entry.take("value")
        source = entry.below("valueFrom")
        key = source.below("secretKeyRef")
        if key.left:
            secret = {"secret": key.take("name"), "key": key.take("key")}
            job.setdefault("secretEnv", {})[name] = secret
            key.take("optional")
        elif value is not None or not source.left:
            job.setdefault("env", {})[name] = str(value or "")
        key.done()
        source.done()
        entry.done()


def _resources(container: Fields) -> None:
    job = container.into.job
    resources = container.below("resources")
    limits, requests = resources.below("limits"), resources.below("requests")
    for name in ("cpu", "memory"):
        asked, limit = requests.take(name), limits.take(name)
        if (amount := asked if asked is not None else limit) is not None:
            job[name] = amount
        if asked is not None and limit is not None and str(asked) != str(limit):
            limits.same(name, f"{limit}: the request {asked} is reserved and is the limit")
    gpus = [one.take("nvidia.com/gpu") for one in (limits, requests)]
    if gpu := next((one for one in gpus if one is not None), None):
        if re.fullmatch(r"[0-9]{1,4}", str(gpu)):
            job["gpu"] = int(gpu)
        else:
            limits.lost("nvidia.com/gpu", f"{gpu} is not a number of GPUs")
    limits.done()
    requests.done()
    resources.done()


def _scaled_object(top: Fields) -> None:
    into = top.into
    for name in ("apiVersion", "kind", "status", "metadata"):
        top.take(name)
    spec = top.below("spec")
    target = spec.below("scaleTargetRef")
    aim = str(target.take("name") or "")
    target.left = {}
    if into.name not in aim:
        spec.lost(
            "scaleTargetRef", f"{aim} is not the predictor of {into.name}: it is not converted"
        )
        return
    least = spec.number("minReplicaCount")
    _bounds(
        spec,
        "minReplicaCount",
        0 if least is None else least,
        "maxReplicaCount",
        spec.number("maxReplicaCount"),
    )
    if spec.number("idleReplicaCount") is not None:
        spec.lost("idleReplicaCount", "at least minReplicas always run")
    triggers = spec.take("triggers") or []
    found = [
        _trigger(Fields(one, spec.at(f"triggers[{at}]"), into)) for at, one in enumerate(triggers)
    ]
    targets = [one for one in found if one]
    cooldown = spec.number("cooldownPeriod")
    if len(targets) > 1:
        spec.lost("triggers", "the load has one metric: the first trigger is converted")
    if targets:
        into.spec["scale"] = {"metric": "CONCURRENCY", "target": targets[0]}
        if cooldown is not None:
            seconds = min(max(cooldown, LEAST_DOWN), MOST_DOWN)
            into.spec["scale"]["downAfter"] = f"{seconds}s"
            if seconds != cooldown:
                spec.same("cooldownPeriod", f"{cooldown}: downAfter is from 2m to 1h: {seconds}s")
    spec.done()
    top.done()


def _floor(metadata: Fields) -> dict[str, Any] | None:
    """A daily window with a floor. None unless start and end are times on the same days."""
    start, end = (str(metadata.left.get(name) or "").split() for name in ("start", "end"))
    replicas, zone = (
        str(metadata.left.get(name) or "") for name in ("desiredReplicas", "timezone")
    )
    plain = [*start[:2], *end[:2], replicas]
    if (
        len(start) != 5
        or start[2:] != end[2:]
        or not all(one.isdecimal() for one in plain)
        or not zone
        or int(replicas) < 1
    ):
        return None
    begins, ends = (int(at[1]) * 60 + int(at[0]) for at in (start, end))
    if ends <= begins and start[2:] != ["*", "*", "*"]:
        return None  # KEDA continues to the end on the next of the days, such as over a weekend
    metadata.left = {}
    return {
        "cron": " ".join(start),
        "duration": f"{(ends - begins) % MINUTES_OF_DAY or MINUTES_OF_DAY}m",
        "timezone": zone,
        "replicas": int(replicas),
    }


def _trigger(trigger: Fields) -> int | None:
    """The requests in flight of one replica, or None with a floor or a note."""
    into = trigger.into
    kind = trigger.take("type")
    metadata = trigger.below("metadata")
    query, threshold = str(metadata.take("query") or ""), str(metadata.take("threshold") or "")
    for name in ("serverAddress", "metricName"):
        metadata.take(name)
    trigger.take("metricType")
    trigger.take("name")
    if kind == "cron" and (floor := _floor(metadata)):
        floors = into.spec.setdefault("floors", [])
        floors.append(floor)
        most = into.spec.get("maxReplicas", 2 * into.spec.get("minReplicas", 1))
        if most <= floor["replicas"]:
            trigger.same(
                "type",
                f"cron: maxReplicas is {floor['replicas'] + 1}, because a rollout needs one spare replica",
            )
        into.spec["maxReplicas"] = max(most, floor["replicas"] + 1)
        trigger.done()
        return None
    if kind != "prometheus":
        metadata.left = {}
        trigger.lost("type", f"{kind}: the load comes from the gateway: write scale")
        return None
    if not RUNNING.fullmatch(query.strip()):
        metadata.lost("query", f"{query}: is not the number of running requests: write scale")
        return None
    try:
        wanted = math.floor(float(threshold))
    except ValueError:
        wanted = 0
    if wanted < 1:
        metadata.lost(
            "threshold", f"{threshold or 'none'}: scale.target must be an integer of at least 1"
        )
        return None
    metadata.done()
    trigger.done()
    return wanted
