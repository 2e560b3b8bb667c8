"""Runs the Workflow of examples/argo with the real controller and executor of Argo Workflows on a real API server.

The API server has no nodes. This module runs the executor of each step's pod in a separate mount namespace, with the rights of
examples/argo. It writes the exit code as the status of the pod, as a kubelet does.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NAMESPACE = "team-argo"
SECONDS = 240
RUNS = """
apiVersion: fairlead.dev/v1alpha1
kind: Workload
metadata: {name: runs}
spec: {image: registry.example.com/train:1, run: train, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1h}}
"""


class Failed(RuntimeError):
    """A command or a Workflow that did not end as expected."""


def output(*command: object, text: str | None = None, **more: str) -> str:
    done = subprocess.run(
        [str(word) for word in command], input=text, env={**os.environ, **more}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Failed(f"{command}: {done.stderr or done.stdout}")
    return done.stdout


class Front:
    """A control plane without nodes."""

    def __init__(self) -> None:
        self.name = f"fairlead-argo-{os.getpid()}"
        self.program = ROOT / "tools/k8s/cluster.sh"
        output(self.program, "up", self.name, "--owner-pid", os.getpid())

    def kubectl(self, *words: object, text: str | None = None) -> str:
        return output(self.program, "kubectl", self.name, *words, text=text)

    def kubeconfig(self, namespace: str, account: str) -> str:
        """Returns a kubeconfig of the service account."""
        return output(self.program, "kubeconfig", self.name, f"system:serviceaccount:{namespace}:{account}").strip()

    def administrators(self) -> str:
        return output(self.program, "kubeconfig", self.name).strip()

    def down(self) -> None:
        output(self.program, "down", self.name)

    def prepare(self, crds: Path) -> None:
        for file in (crds, ROOT / "deploy/crds"):
            self.kubectl("apply", "--server-side", "-f", file)
        # a new CRD has no conditions, which --for=condition refuses
        established = 'jsonpath={.status.conditions[?(@.type=="Established")].status}=True'
        self.kubectl("wait", f"--for={established}", "crd", "--all")
        for file in ("cluster.yaml", "cluster-front.yaml"):
            self.kubectl("apply", "-f", ROOT / "deploy" / file)
        self.kubectl("create", "namespace", NAMESPACE)
        quiet = "--from-literal=config=metricsConfig: {enabled: false}"
        self.kubectl("-n", NAMESPACE, "create", "configmap", "workflow-controller-configmap", quiet)
        self.kubectl("-n", NAMESPACE, "apply", "-f", ROOT / "examples/argo/rights.yaml")


@contextmanager
def controller(front: Front, programs: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [
        str(programs / "workflow-controller"), "--kubeconfig", front.administrators(), "--namespace", NAMESPACE, "--namespaced",
        "--executor-image", "argoexec:test",
    ]  # fmt: skip
    with log.open("w") as told:
        process = subprocess.Popen(command, env={**os.environ, "LEADER_ELECTION_DISABLE": "true"}, stdout=told, stderr=told)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


@contextmanager
def told(log: Path) -> Iterator[None]:
    """Adds the end of the log to a failure."""
    try:
        yield
    except Failed as failed:
        raise Failed(f"{failed}\n{log.read_text()[-3000:]}") from failed


class Kubelet:
    """Runs the containers of one pod after the other."""

    def __init__(self, front: Front, programs: Path, work: Path) -> None:
        self.front, self.programs, self.work = front, programs, work
        account = Path(front.kubeconfig(NAMESPACE, "fairlead-steps"))
        # a pod has the namespace of its account by default
        output(front.program, "kubectl", front.name, "--kubeconfig", account, "config", "set-context", "--current", f"--namespace={NAMESPACE}")
        self.kubeconfig = account.read_text()
        self.ran: set[str] = set()

    def round(self) -> None:
        for pod in json.loads(self.front.kubectl("-n", NAMESPACE, "get", "pods", "-o", "json"))["items"]:
            if pod["metadata"]["uid"] not in self.ran:
                self.ran.add(pod["metadata"]["uid"])
                self.run(pod)

    def run(self, pod: dict) -> None:
        home = self.work / pod["metadata"]["name"]
        for part in ("argo", "tmp"):
            (home / part).mkdir(parents=True)
        (home / "tmp/kubeconfig").write_text(self.kubeconfig)
        for container in pod["spec"].get("initContainers", []):
            code, told = self.execute(pod, container, home)
            if code != 0:
                raise Failed(f"{container['name']} ended with {code}: {told[-2000:]}")
        (main,) = pod["spec"]["containers"]
        code, told = self.execute(pod, main, home)
        (home / "log").write_text(told)
        self.report(pod, main["name"], code)

    def execute(self, pod: dict, container: dict, home: Path) -> tuple[int, str]:
        fields = {"metadata.name": pod["metadata"]["name"], "metadata.uid": pod["metadata"]["uid"]}
        variables = {
            one["name"]: one.get("value") or fields.get(one.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", ""), "")
            for one in container.get("env", [])
        }
        mounts = f"mkdir -p /var/run/argo && mount --bind {home}/argo /var/run/argo && mount --bind {home}/tmp /tmp"
        command = [*container["command"], *container.get("args", [])]
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh", *command],
            env={**variables, "PATH": f"{self.programs}:{os.environ['PATH']}", "KUBECONFIG": "/tmp/kubeconfig", "HOME": "/tmp",
                 "RESOURCE_STATE_CHECK_INTERVAL": "1s"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def report(self, pod: dict, container: str, code: int) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        ended = {"exitCode": code, "startedAt": now, "finishedAt": now, "reason": "Completed" if code == 0 else "Error"}
        status = {
            "phase": "Succeeded" if code == 0 else "Failed",
            "containerStatuses": [
                {"name": container, "ready": False, "restartCount": 0, "image": "i", "imageID": "i", "state": {"terminated": ended}}
            ],
        }
        patch = json.dumps({"status": status})
        self.front.kubectl("-n", NAMESPACE, "patch", "pod", pod["metadata"]["name"], "--subresource=status", "--type=merge", "-p", patch)


def workflow(front: Front, kubelet: Kubelet, process: subprocess.Popen[bytes], text: str) -> dict:
    """The Workflow after its end."""
    name = json.loads(front.kubectl("-n", NAMESPACE, "create", "-f", "-", "-o", "json", text=text))["metadata"]["name"]
    give_up = time.monotonic() + SECONDS
    found: dict = {}
    while time.monotonic() < give_up and process.poll() is None:
        kubelet.round()
        found = json.loads(front.kubectl("-n", NAMESPACE, "get", "workflow", name, "-o", "json"))
        if found.get("status", {}).get("phase") in ("Succeeded", "Failed", "Error"):
            return found
        time.sleep(0.5)
    raise Failed(f"{name} did not end: {found.get('status')}")


def steps(found: dict) -> dict[str, str]:
    nodes = found["status"]["nodes"].values()
    return {node["displayName"]: node["phase"] for node in nodes if node["type"] == "Pod"}


def outputs(found: dict) -> set[str]:
    nodes = found["status"]["nodes"].values()
    return {one["value"] for node in nodes for one in node.get("outputs", {}).get("parameters", []) if one["name"] == "job"}


def health(front: Front, programs: Path) -> set[str]:
    """Returns the health of all Workloads under the rules of kstatus, which Flux uses. Deletes the Workloads."""
    items = json.loads(front.kubectl("-n", NAMESPACE, "get", "workloads", "-o", "json"))["items"]
    found = {output(programs / "kstatus", text=json.dumps(item)).strip() for item in items}
    front.kubectl("-n", NAMESPACE, "delete", "workloads", "--all", "--timeout=120s")
    return found


def running(front: Front, programs: Path) -> set[str]:
    """The health of a Workload whose job runs."""
    front.kubectl("-n", NAMESPACE, "apply", "-f", "-", text=RUNS)
    front.kubectl("-n", NAMESPACE, "wait", "--for=jsonpath={.status.phase}=Running", "workload/runs", "--timeout=120s")
    return health(front, programs)


def check(programs: Path, work: Path, api: Callable[..., dict]) -> None:
    """Raises Failed if a Workflow and its jobs end in different states."""
    front = Front()
    try:
        front.prepare(programs / "crds")
        api("POST", "/clusters", {"name": "argo", "kubeconfig": Path(front.kubeconfig("fairlead-system", "fairlead")).read_text()})
        api("PUT", f"/clusters/argo/front-namespaces/{NAMESPACE}", {"project": "default"})
        example = (ROOT / "examples/argo/train.yaml").read_text()
        log = work / "controller.log"
        with told(log), controller(front, programs, log) as process:
            kubelet = Kubelet(front, programs, work)
            if (are := running(front, programs)) != {"InProgress"}:
                raise Failed(f"a Workload that runs is {are} by kstatus")
            for outcome, wanted, phases, current in (
                ("success", "Succeeded", {"train": "Succeeded", "evaluate": "Succeeded"}, "Current"),
                ("fail", "Failed", {"train": "Failed"}, "Failed"),
            ):
                simulated = f"annotations: {{sim.fairlead.dev/run-for: 1s, sim.fairlead.dev/outcome: {outcome}}}\n          gpu: 1"
                found = workflow(front, kubelet, process, example.replace("gpu: 1", simulated))
                if found["status"]["phase"] != wanted or steps(found) != phases:
                    logs = "\n".join(file.read_text()[-2000:] for file in work.glob("*/log"))
                    raise Failed(f"{found['status']}\n{logs}")
                jobs = {one["id"]: one["state"] for one in api("GET", "/projects/default/jobs?pageSize=500")["items"]}
                if outcome == "success" and {jobs.get(job) for job in outputs(found)} != {"SUCCEEDED"}:
                    raise Failed(f"the outputs {outputs(found)} are not the jobs {jobs}")
                if (are := health(front, programs)) != {current}:
                    raise Failed(f"Workloads after {outcome} are {are} by kstatus")
    finally:
        front.down()


if __name__ == "__main__":
    sys.exit("run by tools/suites/workflows")
