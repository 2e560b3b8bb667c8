"""Converts nodes, tasks, cores, memory and GPUs from Slurm's counts per task, per GPU or in total
to counts per worker."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from fairlead.cli.slurm.directives import Given, Script

GPU = re.compile(r"(?:gres/)?(?:gpu(?:[:=]|$))?(?:([\w.+-]*[A-Za-z][\w.+-]*)(?:[:=]|$))?(\d+)?")
OF_GPUS = re.compile(r"(?:gres/)?gpu(?:[:=]|$)")
GPU_MEMORY = re.compile(r"(?:gres/)?gpumem[:=](\d+)([KMGT]?)B?", re.IGNORECASE)
# models of the service's catalogue and their families
NAMES = """
    A10 A100 A100-40GB A100-80GB A100X A10G A10M A16 A2 A30 A40 A800 A800-40GB A800-80GB B100 B200 B300
    GB10 GB200 GB300 GH200 GH200-144GB GTX-1080-TI H100 H100-94GB H20 H200 H800 K80 L2 L20 L4 L40 L40G
    L40S M40 M40-12GB M40-24GB M60 P100 P4 P40 QUADRO-RTX-5000 QUADRO-RTX-6000 QUADRO-RTX-8000
    RTX-2080-TI RTX-3090 RTX-4000-ADA RTX-4090 RTX-5000-ADA RTX-5090 RTX-6000-ADA RTX-A2000
    RTX-A2000-12GB RTX-A4000 RTX-A4500 RTX-A5000 RTX-A6000 RTX-PRO-6000 T4 T4G TITAN-RTX TITAN-V
    TITAN-XP V100 V100-16GB V100-32GB
"""
MODELS = frozenset(NAMES.split())
# names of sites and of AutoDetect=nvml, without parts that do not identify the model
WORDS_OF_NO_MODEL = re.compile(r"nvidia|tesla|gpu|sxm\d?|pcie|hbm\d\w?|")
MODEL_MEMORY = re.compile(r"(\d+)gb?")
MEMORY_OF_MODEL = {"H100": 80, "H200": 141, "V100": 32, "A30": 24, "T4": 16, "L4": 24, "L40S": 48}
PROFILES_OF_MIG = """
    1g.5gb 1g.6gb 1g.10gb 1g.12gb 1g.18gb 1g.20gb 1g.23gb 1g.24gb 1g.34gb 1g.35gb 1g.45gb 1g.47gb
    1g.67gb 1g.70gb 2g.10gb 2g.12gb 2g.20gb 2g.24gb 2g.35gb 2g.45gb 2g.47gb 2g.48gb 2g.67gb 2g.70gb
    3g.20gb 3g.40gb 3g.47gb 3g.48gb 3g.71gb 3g.90gb 3g.93gb 3g.135gb 3g.139gb 4g.20gb 4g.24gb 4g.40gb
    4g.47gb 4g.48gb 4g.71gb 4g.90gb 4g.93gb 4g.96gb 4g.135gb 4g.139gb 7g.40gb 7g.80gb 7g.94gb 7g.96gb
    7g.141gb 7g.180gb 7g.189gb 7g.269gb 7g.278gb
"""
PROFILES = frozenset(PROFILES_OF_MIG.split())
MIG = re.compile(r"(?:^|[_.-])(\d)g\.(\d+)gb$")
MEMORY = re.compile(r"(\d+)([KMGT]?)B?", re.IGNORECASE)
GPU_OPTIONS = ("--gpus-per-node", "--gres", "--gpus-per-task", "--gpus")
NO_MODEL = "features are not supported; set gpu: MODEL:NUMBER or placement.nodeLabels"


@dataclass(frozen=True)
class Gpus:
    """The GPUs of one option. `kind` is the type as Slurm names it, None for any."""

    option: Given
    number: int
    kind: str | None


@dataclass(frozen=True)
class Kind:
    """The models of a type, or its MIG profile."""

    models: tuple[str, ...] = ()
    mig: str | None = None


@dataclass(frozen=True)
class Tasks:
    """Amount per node. `asked` is the option that requested it."""

    number: int
    asked: Given | None


def read(script: Script) -> None:
    gpus = {name: found for name in GPU_OPTIONS if (found := _gpus(script, name))}
    nodes = _nodes(script, gpus)
    tasks = _tasks(script, nodes, gpus)
    per_node = _gpus_per_node(script, gpus, nodes, tasks.number)
    cores = _cores(script, tasks, per_node)
    _memory(script, cores, per_node)
    _gpu(script, gpus, per_node)
    if tasks.number > 1 and tasks.asked is not None:
        number = tasks.number
        why = (
            f"one process is started on each node: let it start {number}, or use launcher: torchrun"
        )
        script.note(tasks.asked, why)
    if "minWorkers" not in script.spec:  # otherwise unknown before the start
        script.environment["SLURM_NNODES"] = script.environment["SLURM_JOB_NUM_NODES"] = str(nodes)
        script.environment["SLURM_NTASKS"] = str(nodes * tasks.number)
    if per_node:
        script.environment["SLURM_GPUS_ON_NODE"] = str(per_node)
    script.environment["SLURM_CPUS_PER_TASK"] = str(max(1, (cores or 1) // tasks.number))


def _gpus(script: Script, option: str) -> Gpus | None:
    found = script.take(option)
    if found is None:
        return None
    parts = [part for part in found.value.strip().split(",") if part != "none"]
    own = [part for part in parts if option != "--gres" or OF_GPUS.match(part)]
    others = [part for part in parts if part not in own]
    memory = [match for part in others if (match := GPU_MEMORY.fullmatch(part))]
    if len(memory) == 1 and len(others) == 1:
        script.gpu_memory = Given(
            f"{memory[0][1]}{(memory[0][2] or 'M').upper()}i", found.line, found.text
        )
    elif others:
        script.note(found, f"{', '.join(others)} cannot be requested; set placement.nodeLabels")
    if not own:
        return None
    match = GPU.fullmatch(own[0])
    if match is None or len(own) > 1:
        script.note(found, "is not gpu:MODEL:NUMBER with one model")
        return None
    return Gpus(found, int(match[2] or 1), match[1])


def meaning(kind: str) -> Kind | None:
    """The model of a name such as h100, nvidia_a100-sxm4-80gb or a100_3g.20gb, or None if no model
    matches."""
    name = kind.lower()
    slice_ = MIG.search(name)
    profile = f"{slice_[1]}g.{slice_[2]}gb" if slice_ else None
    if profile and profile not in PROFILES:
        return None
    whole = name[: slice_.start()] if slice_ else name
    words = [word for word in re.split(r"[_.\s-]", whole) if not WORDS_OF_NO_MODEL.fullmatch(word)]
    if not words:
        return Kind((), profile) if profile else None
    family = words[0].upper()
    sizes = [int(match[1]) for word in words[1:] if (match := MODEL_MEMORY.fullmatch(word))]
    nvl = family == "H100" and "nvl" in words[1:]
    if family not in MODELS or len(words) != 1 + len(sizes) + nvl or len(sizes) > 1:
        return None
    size = 94 if nvl and not sizes else sizes[0] if sizes else None
    sized = f"{family}-{size}GB"
    if size is None or MEMORY_OF_MODEL.get(family) == size:
        return Kind((family,), profile)
    return Kind((sized,), profile) if sized in MODELS else None


def _gpu(script: Script, gpus: dict[str, Gpus], per_node: int) -> None:
    """Sets `gpu`, with the type from the options, otherwise from the constraint."""
    typed = next((one for one in gpus.values() if one.kind), None)
    kind = meaning(typed.kind) if typed and typed.kind else Kind()
    kind = _constraint(script, kind, per_node)
    memory = script.gpu_memory
    if memory and not per_node:
        script.note(
            memory, "is the memory of a GPU, and no GPU is requested: write gpu: {minMemory: ...}"
        )
    if not per_node:
        return
    if kind is None:
        assert typed is not None
        why = f"{typed.kind} is not a known model: write gpu: MODEL:NUMBER with a model of fairlead gpus"
        script.note(typed.option, why)
        return
    models = kind.models[0] if len(kind.models) == 1 else list(kind.models)
    if typed and typed.kind and models == "V100" and "32g" in typed.kind.lower():
        script.note(
            typed.option, "V100 also has 16 GB: write gpu: V100-32GB:NUMBER for 32 GB alone"
        )
    if kind.mig:
        mig = {"profile": kind.mig, "count": per_node} if per_node > 1 else kind.mig
        gpu: Any = {"mig": mig}
    elif memory or len(kind.models) > 1:
        gpu = {"count": per_node}
    else:
        script.spec["gpu"] = f"{models}:{per_node}" if models else per_node
        return
    if memory:
        gpu["minMemory"] = memory.value
    script.spec["gpu"] = gpu | ({"model": models} if models else {})


def _nodes(script: Script, gpus: dict[str, Gpus]) -> int:
    """The requested number of nodes, or the number that GPUs or tasks in total require."""
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
        script.note(found, "is not a number of nodes")
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
        script.note(whole, "tasks are not divisible by nodes; set workers")
        return Tasks(1, None)
    of_task, in_all = gpus.get("--gpus-per-task"), gpus.get("--gpus")
    if of_task and in_all and of_task.number and in_all.number % (of_task.number * nodes) == 0:
        return Tasks(in_all.number // (of_task.number * nodes), of_task.option)
    return Tasks(1, None)


def _gpus_per_node(script: Script, gpus: dict[str, Gpus], nodes: int, tasks: int) -> int:
    """The value of the first option that has a value. The other options must agree."""
    factors = {"--gpus-per-task": float(tasks), "--gpus": 1 / nodes}
    wanted = {name: one.number * factors.get(name, 1.0) for name, one in gpus.items()}
    if not wanted:
        return 0
    first = next(iter(wanted))
    amount = math.ceil(round(wanted[first], 6))
    if amount != round(wanted[first], 6):
        one = gpus[first]
        script.note(
            one.option,
            f"{one.number} GPUs are not divisible by {nodes} nodes; using {amount} per node",
        )
    for name in list(wanted)[1:]:
        if round(wanted[name], 6) != amount:
            why = f"{first} requests {amount} on each of {nodes} nodes; using that"
            script.note(gpus[name].option, why)
    return amount


def _cores(script: Script, tasks: Tasks, gpus: int) -> int | None:
    """Returns the cores of a node. Slurm gives a task one core unless the script sets another
    number, and gives the whole node to an exclusive job."""
    alone = "--exclusive" in script.given
    per_gpu_option = script.given.get("--cpus-per-gpu")
    per_task, per_gpu = script.number("--cpus-per-task"), script.number("--cpus-per-gpu")
    if per_task is None and per_gpu is not None and gpus and per_gpu_option is not None:
        script.spec["cpu"] = per_gpu * gpus
    elif per_task is not None or "--mem-per-cpu" in script.given:
        script.spec["cpu"] = (per_task or 1) * tasks.number
    elif tasks.number > 1 and not alone:
        script.spec["cpu"] = tasks.number
        if gpus and tasks.asked is not None:
            why = f"one core for each of {tasks.number} tasks, as in Slurm: write cpu for more"
            script.note(tasks.asked, why, lost=False)
    if per_gpu is not None and per_gpu_option is not None and (per_task is not None or not gpus):
        why = "--cpus-per-task already sets it" if per_task is not None else "there are no GPUs"
        script.note(per_gpu_option, why)
    cores: int | None = script.spec.get("cpu")
    return cores


def _memory(script: Script, cores: int | None, gpus: int) -> None:
    """The first of the options counts, because Slurm accepts only one of them."""
    factors = {"--mem": 1, "--mem-per-cpu": cores or 1, "--mem-per-gpu": gpus}
    for option, factor in factors.items():
        found = script.take(option)
        if found is None:
            continue
        match = MEMORY.fullmatch(found.value)
        if "memory" in script.spec:
            script.note(found, "another option already sets it")
        elif match is None:
            script.note(found, "is not an amount of memory")
        elif int(match[1]) == 0:
            script.note(
                found,
                "all memory of a node cannot be requested: write memory, which is a default without it",
            )
        elif factor == 0:
            script.note(found, "there are no GPUs; set memory")
        else:
            unit = (match[2] or "M").upper()
            script.spec["memory"] = f"{int(match[1]) * factor}{unit}i"


def _constraint(script: Script, kind: Kind | None, gpus: int) -> Kind | None:
    """A feature that matches a GPU name is a GPU. Others describe nodes, such as zen3 or avx512."""
    found = script.take("--constraint")
    if found is None:
        return kind
    wanted = [meaning(part) for part in found.value.strip("[]()").split("|")]
    models = [one.models[0] for one in wanted if one and one.models and not one.mig]
    if gpus and kind == Kind() and len(models) == len(wanted):
        return Kind(tuple(dict.fromkeys(models)))
    script.note(found, NO_MODEL if gpus else "features are not supported; set placement.nodeLabels")
    return kind
