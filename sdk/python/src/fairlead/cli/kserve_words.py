"""Terms of KServe and KEDA, and their equivalents."""

from __future__ import annotations

import re

RUNTIMES = {
    "huggingface": "vllm",
    "vllm": "vllm",
    "sglang": "sglang",
    "gguf": "llama-cpp",
    "triton": "triton",
    "onnx": "triton",
    "tensorrt": "triton",
    "pytorch": "triton",
    "tensorflow": "tensorflow-serving",
    "sklearn": "mlserver",
    "xgboost": "mlserver",
    "lightgbm": "mlserver",
    "catboost": "mlserver",
    "mlflow": "mlserver",
}
# schemes that the shipped runtimes read
READS = {
    "vllm": "hf s3 volume",
    "sglang": "hf volume",
    "llama-cpp": "hf https volume",
    "tensorrt-llm": "hf volume",
    "triton": "s3 volume",
    "tensorflow-serving": "volume",
    "mlserver": "volume",
}
V1 = {"tensorflow-serving"}
OLD_KEYS = (
    "sklearn",
    "xgboost",
    "tensorflow",
    "pytorch",
    "triton",
    "onnx",
    "huggingface",
    "lightgbm",
)
# annotations that request behaviour, not only a KServe mode
REQUESTS = (
    "autoscaling.knative.dev/",
    "serving.kserve.io/autoscalerClass",
    "serving.kserve.io/metric",
    "serving.kserve.io/targetUtilizationPercentage",
    "serving.kserve.io/enable-auth",
    "security.opendatahub.io/enable-auth",
)
SERVER_FIELDS = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields")
# options of the KServe server, which vLLM does not have
KSERVE_OPTIONS = re.compile(
    r"--(model[-_](?:name|id|dir|revision)|tokenizer[-_]revision|backend|task|predictor[-_]\w+)(?:=.*)?"
)
METRICS = {"concurrency": "CONCURRENCY", "rps": "RPS"}
RUNNING = re.compile(
    r"(?:sum|avg)?\(?\s*(?:vllm:num_requests_running|sglang:num_running_reqs"
    r"|llamacpp:requests_processing)(?:\{[^{}]*\})?\s*\)?"
)
MAIN = "kserve-container"
LEAST_DOWN, MOST_DOWN = 120, 3600
MINUTES_OF_DAY = 24 * 60
WITHOUT = {
    "spec.transformer": "a service has one component: serve it as a service that calls this one",
    "spec.explainer": "a service has one component: serve it as a second service",
    "spec.canary": "apply the changed file: a new version gets traffic step by step",
    "spec.predictor.logger": "requests are not logged: log them in the server",
    "spec.predictor.batcher": "requests are not batched: use the batching of the runtime",
    "spec.predictor.containerConcurrency": "requests of a replica are not limited: set an option in job.args",
    "spec.predictor.timeout": "the gateway has the time limit of requests",
    "spec.predictor.deploymentStrategy": "a rollout needs maxReplicas above minReplicas",
    "spec.predictor.autoScaling": "the load comes from the gateway: write scale with RPS or CONCURRENCY",
    "spec.predictor.workerSpec": "write the roles of the gang into job, without runtime",
    "spec.predictor.serviceAccountName": "write the secrets of the account into job.secretEnv",
    "spec.predictor.nodeSelector": "Fairlead chooses nodes: write job.placement",
    "spec.predictor.affinity": "Fairlead chooses nodes: write job.placement",
    "spec.predictor.tolerations": "Fairlead chooses nodes: write job.placement",
    "spec.predictor.volumes": "write job.volumes with volumes of the project",
}
SAME_HERE = {
    "metadata.namespace": "the project of the service determines the namespace",
    "metadata.labels": "write job.labels to find the jobs of replicas",
    "metadata.annotations": "KServe annotations have no effect",
    "spec.predictor.labels": "write job.labels to find the jobs of replicas",
    "spec.predictor.annotations": "KServe annotations have no effect",
    "spec.pollingInterval": "the load is measured every 10 to 15 seconds",
}
