"""Conversion of InferenceServices, and the fields that are reported as unsupported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from texts import noted

from fairlead.cli.kserve import Converted, NotConvertible, convert
from fairlead.cli.main import main

SERVICE = """
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: chat}
spec:
  predictor: {predictor}
"""
MODEL: dict[str, Any] = {
    "modelFormat": {"name": "huggingface"},
    "storageUri": "hf://Qwen/Qwen3-8B",
}


def converted(predictor: dict[str, Any], **spec: Any) -> Converted:
    document = yaml.safe_load(SERVICE.replace("{predictor}", "null"))
    document["spec"] = {"predictor": predictor, **spec}
    return convert(yaml.safe_dump(document), "chat.example.com")


def of_model(**more: Any) -> Converted:
    return converted({"model": {**MODEL, **more}})


def notes(found: Converted) -> list[str]:
    return [str(note) for note in found.notes]


def test_a_model_with_its_scale_becomes_a_service_without_a_note() -> None:
    """Fails for each field that is dropped, changed, or called lost without being so."""
    found = converted(
        {
            "minReplicas": 2,
            "maxReplicas": 6,
            "scaleMetric": "concurrency",
            "scaleTarget": 8,
            "model": {
                **MODEL,
                "args": ["--max-model-len=8192"],
                "env": [
                    {"name": "A", "value": "b"},
                    {
                        "name": "HF_TOKEN",
                        "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}},
                    },
                ],
                "resources": {
                    "limits": {"nvidia.com/gpu": "1", "cpu": "8", "memory": "32Gi"},
                    "requests": {"nvidia.com/gpu": "1", "cpu": "8", "memory": "32Gi"},
                },
            },
        }
    )
    assert notes(found) == []
    assert found.spec == {
        "route": "chat.example.com",
        "minReplicas": 2,
        "maxReplicas": 6,
        "scale": {"metric": "CONCURRENCY", "target": 8},
        "runtime": "vllm",
        "model": {"uri": "hf://Qwen/Qwen3-8B"},
        "job": {
            "args": ["--max-model-len=8192"],
            "env": {"A": "b"},
            "secretEnv": {"HF_TOKEN": {"secret": "hub", "key": "token"}},
            "cpu": "8",
            "memory": "32Gi",
            "gpu": 1,
        },
    }


def test_a_custom_predictor_becomes_a_job_with_its_port_and_its_ready_path() -> None:
    found = converted(
        {
            "containers": [
                {
                    "name": "kserve-container",
                    "image": "registry.example.com/own:1",
                    "command": ["serve"],
                    "args": ["--fast"],
                    "ports": [{"containerPort": 9000, "protocol": "TCP"}],
                    "readinessProbe": {
                        "httpGet": {"path": "/ok", "port": 9000},
                        "periodSeconds": 5,
                    },
                }
            ]
        }
    )
    assert notes(found) == []
    assert found.spec == {
        "route": "chat.example.com",
        "port": 9000,
        "readyPath": "/ok",
        "job": {"image": "registry.example.com/own:1", "command": ["serve"], "args": ["--fast"]},
    }


@pytest.mark.parametrize(
    ("predictor", "note"),
    [
        ({"logger": {"mode": "all"}}, "spec.predictor.logger: requests are not logged"),
        ({"batcher": {"maxBatchSize": 8}}, "spec.predictor.batcher: requests are not batched"),
        (
            {"containerConcurrency": 4},
            "spec.predictor.containerConcurrency: requests of a replica",
        ),
        ({"timeout": 60}, "spec.predictor.timeout: the gateway has the time limit"),
        ({"minReplicas": 0}, "spec.predictor.minReplicas: 0: at least one replica always runs"),
        (
            {"scaleMetric": "cpu", "scaleTarget": 80},
            "spec.predictor.scaleMetric: cpu is not a supported metric",
        ),
        ({"scaleMetric": "rps"}, "spec.predictor.scaleTarget: is missing"),
        (
            {"canaryTrafficPercent": 10},
            "spec.predictor.canaryTrafficPercent: a new version begins with 10",
        ),
        ({"serviceAccountName": "sa"}, "spec.predictor.serviceAccountName: write the secrets"),
        ({"workerSpec": {"pipelineParallelSize": 2}}, "spec.predictor.workerSpec: write the roles"),
        ({"unheardOf": 1}, "spec.predictor.unheardOf: has no counterpart"),
        ({"minReplicas": "2"}, "spec.predictor.minReplicas: 2 is not a whole number"),
    ],
)
def test_a_field_of_the_predictor_without_a_counterpart_is_named(
    predictor: dict[str, Any], note: str
) -> None:
    found = converted({"model": MODEL, **predictor})
    assert [one for one in notes(found) if one.startswith(note)], notes(found)
    assert found.lost


@pytest.mark.parametrize(
    ("model", "note"),
    [
        (
            {"storageUri": "gs://b/x"},
            "storageUri: gs://b/x cannot be read: copy the model to a volume",
        ),
        ({"storageUri": None}, "storageUri: is missing: write model.uri"),
        ({"storageUri": "pvc://data/x"}, "storageUri: make claim data a volume of the project"),
        ({"modelFormat": {"name": "sklearn"}}, "storageUri: runtime mlserver reads volume, not hf"),
        ({"modelFormat": {"name": "pmml"}}, "modelFormat: pmml has no runtime here"),
        ({"runtimeVersion": "v0.9"}, "runtimeVersion: v0.9: write job.image"),
        ({"protocolVersion": "grpc-v2"}, "protocolVersion: grpc-v2 is not the protocol"),
        ({"storage": {"key": "s3"}}, "storage: has no counterpart"),
        ({"livenessProbe": {"tcpSocket": {"port": 1}}}, "livenessProbe: a replica that hangs"),
        ({"volumeMounts": [{"name": "x"}]}, "volumeMounts: has no counterpart"),
        ({"resources": {"limits": {"amd.com/gpu": 1}}}, "resources.limits.amd.com/gpu: has no"),
        (
            {"env": [{"name": "A", "valueFrom": {"fieldRef": {}, "x": 1}}]},
            "env[0].valueFrom.x: has no",
        ),
    ],
)
def test_a_field_of_the_model_without_a_counterpart_is_named(
    model: dict[str, Any], note: str
) -> None:
    found = of_model(**model)
    assert [one for one in notes(found) if one.startswith("spec.predictor.model." + note)], notes(
        found
    )
    assert found.lost


@pytest.mark.parametrize("component", ["transformer", "explainer"])
def test_a_component_next_to_the_predictor_is_named(component: str) -> None:
    found = converted({"model": MODEL}, **{component: {"containers": [{"image": "x"}]}})
    assert notes(found)[0].startswith(f"spec.{component}: a service has one component")
    assert found.lost


def test_one_replica_of_room_is_added_for_a_rollout() -> None:
    found = converted({"model": MODEL, "minReplicas": 3, "maxReplicas": 3})
    assert (found.spec["minReplicas"], found.spec["maxReplicas"]) == (3, 4)
    assert not found.lost


SCALED = """
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat}
spec:
  scaleTargetRef: {name: chat-predictor}
  minReplicaCount: 2
  maxReplicaCount: 8
  cooldownPeriod: 600
  triggers:
    - type: prometheus
      metadata:
        serverAddress: http://prometheus:9090
        query: sum(vllm:num_requests_running{model_name="chat"})
        threshold: "12"
"""


def scaled(old: str = "", new: str = "") -> Converted:
    service = SERVICE.replace(
        "{predictor}", "{model: {modelFormat: {name: vLLM}, storageUri: hf://a/b}}"
    )
    return convert(service + SCALED.replace(old, new))


def test_a_scaled_object_by_running_requests_becomes_the_scale() -> None:
    found = scaled()
    assert notes(found) == []
    assert found.spec["scale"] == {"metric": "CONCURRENCY", "target": 12, "downAfter": "600s"}
    assert (found.spec["minReplicas"], found.spec["maxReplicas"]) == (2, 8)


def cron(start: str, end: str) -> Converted:
    trigger = (
        f"    - type: cron\n      metadata: {{timezone: Europe/Berlin, start: {start},"
        f' end: {end}, desiredReplicas: "8"}}\n'
    )
    return scaled("  triggers:\n", "  triggers:\n" + trigger)


def test_a_cron_trigger_becomes_a_floor() -> None:
    found = cron("30 8 * * 1-5", "0 18 * * 1-5")
    assert notes(found) == [
        "spec.triggers[0].type: cron: maxReplicas is 9, because a rollout needs one spare replica"
    ]
    assert not found.lost
    assert found.spec["floors"] == [
        {"cron": "30 8 * * 1-5", "duration": "570m", "timezone": "Europe/Berlin", "replicas": 8}
    ]
    assert found.spec["maxReplicas"] == 9
    assert cron("0 22 * * *", "0 6 * * *").spec["floors"][0]["duration"] == "480m"


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("0 22 * * 5", "0 6 * * 1"),
        ("0 22 * * 1-5", "0 6 * * 1-5"),  # from Friday to Monday
        ("0 8 * * 1-5", "0 8 * * 1-5"),
    ],
)
def test_a_cron_trigger_that_ends_on_another_day_is_named(start: str, end: str) -> None:
    found = cron(start, end)
    assert "floors" not in found.spec
    assert [one for one in notes(found) if one.startswith("spec.triggers[0].type: cron")]
    assert found.lost


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("type: prometheus", "type: kafka", "spec.triggers[0].type: kafka: the load comes from"),
        ("sum(", "rate(", "spec.triggers[0].metadata.query: rate("),
        (
            '"12"',
            '"0.5"',
            "spec.triggers[0].metadata.threshold: 0.5: scale.target must be an integer of at least 1",
        ),
        (
            "minReplicaCount: 2",
            "minReplicaCount: 0",
            "spec.minReplicaCount: 0: at least one replica",
        ),
        (
            "cooldownPeriod: 600",
            "idleReplicaCount: 0",
            "spec.idleReplicaCount: at least minReplicas",
        ),
        ("cooldownPeriod: 600", "fallback: {replicas: 2}", "spec.fallback: has no counterpart"),
        ("chat-predictor", "other", "spec.scaleTargetRef: other is not the predictor of chat"),
    ],
)
def test_a_scaled_object_of_another_kind_is_named(old: str, new: str, note: str) -> None:
    found = scaled(old, new)
    assert [one for one in notes(found) if one.startswith(note)], notes(found)
    assert found.lost


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kind: Deployment", "has 0 objects of the kind InferenceService"),
        (SERVICE.replace("v1beta1", "v1alpha2"), "apiVersion serving.kserve.io/v1alpha2"),
        ("a: [", "is not valid YAML"),
    ],
)
def test_another_file_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotConvertible, match=why):
        convert(text.replace("{predictor}", "{}"))


@pytest.mark.parametrize(("logger", "code"), [("", 0), (", logger: {mode: all}", 3)])
def test_the_command_prints_a_service_file_and_exits_with_3_for_a_lost_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], logger: str, code: int
) -> None:
    file = tmp_path / "chat.yaml"
    predictor = f"{{model: {{modelFormat: {{name: vLLM}}, storageUri: hf://a/b}}{logger}}}"
    file.write_text(SERVICE.replace("{predictor}", predictor), encoding="utf-8")
    assert (
        main(["job", "convert", "inferenceservice", str(file), "--route", "chat.example.com"])
        == code
    )
    out, err = capsys.readouterr()
    assert yaml.safe_load(out) == {
        "route": "chat.example.com",
        "runtime": "vllm",
        "model": {"uri": "hf://a/b"},
        "job": {},
    }
    assert ("spec.predictor.logger" in err) == (code == 3)
    assert noted(err, "inferenceservice.next-fairlead-service-apply", "FILE")


def test_options_of_the_server_of_kserve_do_not_reach_vllm() -> None:
    found = of_model(args=["--model_name=chat", "--backend", "vllm", "--max-model-len=8192"])
    assert found.job["args"] == ["--max-model-len=8192"]
    assert notes(found) == [
        "spec.predictor.model.args: --model_name=chat: is not an option of vLLM",
        "spec.predictor.model.args: --backend vllm: is not an option of vLLM",
    ]


def test_annotations_that_request_scaling_are_lost_and_fields_of_the_server_are_not() -> None:
    document = yaml.safe_load(SERVICE.replace("{predictor}", "null"))
    document["metadata"] |= {
        "uid": "1",
        "resourceVersion": "2",
        "creationTimestamp": "2030-01-01T00:00:00Z",
        "annotations": {"serving.kserve.io/deploymentMode": "RawDeployment"},
    }
    document["spec"] = {"predictor": {"model": MODEL}}
    assert not convert(yaml.safe_dump(document)).lost

    document["metadata"]["annotations"]["autoscaling.knative.dev/target"] = "10"
    found = convert(yaml.safe_dump(document))
    assert found.lost
    assert any("annotations[autoscaling.knative.dev/target]" in note for note in notes(found))


def test_a_probe_at_another_port_and_a_canary_without_traffic_are_lost() -> None:
    found = converted(
        {
            "canaryTrafficPercent": 0,
            "model": {
                **MODEL,
                "ports": [{"containerPort": 8080}],
                "readinessProbe": {"httpGet": {"path": "/ok", "port": 9090}},
            },
        }
    )
    assert notes(found) == [
        "spec.predictor.canaryTrafficPercent: 0: apply the file when its version may receive traffic",
        "spec.predictor.model.readinessProbe.httpGet.port: 9090: readyPath is probed on port 8080",
    ]


@pytest.mark.parametrize(
    ("predictor", "note"),
    [
        ({"scaleMetric": []}, "spec.predictor.scaleMetric"),
        ({"annotations": 5}, "spec.predictor.annotations"),
        (
            {"model": {**MODEL, "resources": {"limits": {"nvidia.com/gpu": "two"}}}},
            "spec.predictor.model.resources.limits.nvidia.com/gpu: two is not a number of GPUs",
        ),
        (
            {"model": {**MODEL, "resources": {"limits": {"nvidia.com/gpu": float("inf")}}}},
            "spec.predictor.model.resources.limits.nvidia.com/gpu: inf is not a number of GPUs",
        ),
    ],
)
def test_a_field_of_another_kind_is_named(predictor: dict[str, Any], note: str) -> None:
    found = converted({"model": MODEL, **predictor})
    assert any(each.startswith(note) for each in notes(found)), notes(found)
    assert "gpu" not in found.job


def test_file_without_an_api_version_is_rejected_with_a_message() -> None:
    with pytest.raises(NotConvertible, match="has no apiVersion instead of serving"):
        convert("kind: InferenceService")
