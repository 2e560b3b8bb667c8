"""Nodes, tasks, cores, memory and GPUs: what Slurm counts by task, by GPU or in all is counted by worker."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from fairlead.cli.slurm.directives import Given, Script

GPU = re.compile(r"(?:gres/)?(?:gpu[:=])?(?:([A-Za-z][\w.-]*)[:=])?(\d+)")
# models of the service's catalogue and their families
NAMES = """
A10 A100 A100-40GB A100-80GB A10G A16 A2 A30 A40 A800 A800-40GB A800-80GB B200 B300 GB200
GB300 GH200 H100 H100-94GB H20 H200 H800 K80 L20 L4 L40 L40S M60 P100 P4 QUADRO-RTX-5000
QUADRO-RTX-6000 QUADRO-RTX-8000 RTX-2080-TI RTX-3090 RTX-4000-ADA RTX-4090 RTX-5000-ADA
RTX-5090 RTX-6000-ADA RTX-A4000 RTX-A5000 RTX-A6000 RTX-PRO-6000 T4 T4G V100 V100-16GB
V100-32GB
"""
MODELS = frozenset(NAMES.split())
MEMORY = re.compile(r"(\d+)([KMGT]?)B?", re.IGNORECASE)
GPU_OPTIONS = ("--gpus-per-node", "--gres", "--gpus-per-task", "--gpus")
NO_MODEL = "features are not known; write gpu: MODEL:NUMBER or placement.nodeLabels"


@dataclass(frozen=True)
class Gpus:
    """Of one option; `model` is None for any."""

    option: Given
    number: int
    model: str | None


@dataclass(frozen=True)
class Tasks:
    """Of one node; `asked` is the option that says so."""

    number: int
    asked: Given | None


def read(script: Script) -> None:
    gpus = {name: found for name in GPU_OPTIONS if (found := _gpus(script, name))}
    nodes = _nodes(script, gpus)
    tasks = _tasks(script, nodes, gpus)
    per_node, model = _gpus_per_node(script, gpus, nodes, tasks.number)
    cores = _cores(script, tasks.number, per_node)
    _memory(script, cores, per_node)
    model = _constraint(script, model, per_node)
    if per_node:
        script.spec["gpu"] = f"{model}:{per_node}" if model else per_node
    if tasks.number > 1 and tasks.asked is not None:
        number = tasks.number
        why = (
            f"one process is started on each node: let it start {number}, or use launcher: torchrun"
        )
        script.note(tasks.asked, why)
    if "minWorkers" not in script.spec:  # else nobody knows before it starts
        script.environment["SLURM_NNODES"] = script.environment["SLURM_JOB_NUM_NODES"] = str(nodes)
        script.environment["SLURM_NTASKS"] = str(nodes * tasks.number)
    script.environment["SLURM_CPUS_PER_TASK"] = str(max(1, (cores or 1) // tasks.number))


def _gpus(script: Script, option: str) -> Gpus | None:
    found = script.take(option)
    if found is None:
        return None
    parts = found.value.strip().split(",")
    own = [part for part in parts if option != "--gres" or part.startswith(("gpu", "gres/gpu"))]
    others = [part for part in parts if part not in own]
    if others:
        script.note(found, f"{', '.join(others)} cannot be asked for; write placement.nodeLabels")
    if not own:
        return None
    bare = own[0] in ("gpu", "gres/gpu")  # one is meant
    match = GPU.fullmatch("1" if bare else own[0])
    if match is None or len(own) > 1:
        script.note(found, "is not gpu:MODEL:NUMBER with one model")
        return None
    return Gpus(found, int(match[2]), match[1].upper() if match[1] else None)


def _nodes(script: Script, gpus: dict[str, Gpus]) -> int:
    """As asked for, or as many as GPUs or tasks in all need with those of one node."""
    found = script.take("--nodes")
    if found is not None:
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", found.value)
        if match is not None and 1 <= int(match[1]) <= int(match[2] or match[1]):
            least, most = int(match[1]), int(match[2] or match[1])
            script.spec["workers"] = most
            if least < most:
                script.spec["minWorkers"] = least
                script.note(found, f"grows and shrinks from {least} to {most} workers", lost=False)
            return most
        script.note(found, "is no number of nodes")
        return 1
    per_node = gpus.get("--gpus-per-node") or gpus.get("--gres")
    whole = gpus.get("--gpus")
    if per_node and whole and per_node.number:
        return _workers(script, whole.number, per_node.number)
    tasks = script.given.get("--ntasks")
    share = script.given.get("--ntasks-per-node")
    if tasks and share and tasks.value.isdecimal() and share.value.isdecimal():
        return _workers(script, int(tasks.value), int(share.value))
    return 1


def _workers(script: Script, whole: int, share: int) -> int:
    workers = math.ceil(whole / share) if share else 1
    if workers > 1:
        script.spec["workers"] = workers
    return max(1, workers)


def _tasks(script: Script, nodes: int, gpus: dict[str, Gpus]) -> Tasks:
    share = script.given.get("--ntasks-per-node")
    per_node = script.number("--ntasks-per-node")
    whole = script.take("--ntasks")
    if per_node is not None:
        return Tasks(per_node, share)
    if whole is not None:
        if whole.value.isdecimal() and int(whole.value) and int(whole.value) % nodes == 0:
            return Tasks(int(whole.value) // nodes, whole)
        script.note(whole, "tasks do not divide by nodes; write workers")
        return Tasks(1, None)
    of_task, in_all = gpus.get("--gpus-per-task"), gpus.get("--gpus")
    if of_task and in_all and of_task.number and in_all.number % (of_task.number * nodes) == 0:
        return Tasks(in_all.number // (of_task.number * nodes), of_task.option)
    return Tasks(1, None)


def _gpus_per_node(
    script: Script, gpus: dict[str, Gpus], nodes: int, tasks: int
) -> tuple[int, str | None]:
    """From the first option that says it; the others have to say the same."""
    factors = {"--gpus-per-task": float(tasks), "--gpus": 1 / nodes}
    wanted = {name: one.number * factors.get(name, 1.0) for name, one in gpus.items()}
    if not wanted:
        return 0, None
    first = next(iter(wanted))
    amount = math.ceil(round(wanted[first], 6))
    if amount != round(wanted[first], 6):
        one = gpus[first]
        script.note(
            one.option, f"{one.number} GPUs do not divide by {nodes} nodes; took {amount} a node"
        )
    for name in list(wanted)[1:]:
        if round(wanted[name], 6) != amount:
            why = f"{first} says {amount} on each of {nodes} nodes; that was taken"
            script.note(gpus[name].option, why)
    return amount, next((one.model for one in gpus.values() if one.model), None)


def _cores(script: Script, tasks: int, gpus: int) -> int | None:
    """Of a node. Slurm gives a task one core unless the script says otherwise."""
    per_gpu_option = script.given.get("--cpus-per-gpu")
    per_task, per_gpu = script.number("--cpus-per-task"), script.number("--cpus-per-gpu")
    if per_task is None and per_gpu is not None and gpus and per_gpu_option is not None:
        script.spec["cpu"] = per_gpu * gpus
    elif per_task is not None or tasks > 1 or "--mem-per-cpu" in script.given:
        script.spec["cpu"] = (per_task or 1) * tasks
    if per_gpu is not None and per_gpu_option is not None and (per_task is not None or not gpus):
        why = "--cpus-per-task says it already" if per_task is not None else "there are no GPUs"
        script.note(per_gpu_option, why)
    cores: int | None = script.spec.get("cpu")
    return cores


def _memory(script: Script, cores: int | None, gpus: int) -> None:
    """The first of the options counts; Slurm takes one of them only."""
    factors = {"--mem": 1, "--mem-per-cpu": cores or 1, "--mem-per-gpu": gpus}
    for option, factor in factors.items():
        found = script.take(option)
        if found is None:
            continue
        match = MEMORY.fullmatch(found.value)
        if "memory" in script.spec:
            script.note(found, "another option says it already")
        elif match is None:
            script.note(found, "is no amount of memory")
        elif int(match[1]) == 0:
            script.note(found, "all memory of a node cannot be asked for; write memory")
        elif factor == 0:
            script.note(found, "there are no GPUs; write memory")
        else:
            unit = (match[2] or "M").upper()
            script.spec["memory"] = f"{int(match[1]) * factor}{unit}i"


def _constraint(script: Script, model: str | None, gpus: int) -> str | None:
    """A feature with the name of a GPU is one; others are those of nodes, such as zen3 or avx512."""
    found = script.take("--constraint")
    if found is None:
        return model
    if gpus and model is None and found.value.upper() in MODELS:
        return found.value.upper()
    script.note(found, NO_MODEL if gpus else "features are not known; write placement.nodeLabels")
    return model
