"""Turns a Slurm batch script into a job, and names every line that it could not carry over.

Options as in sbatch(1): those before the first command count. A Slurm script runs on the first node and
starts the others by srun; Fairlead starts the same command on every worker, so `srun` in front of a command
is dropped.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SHORT = {
    "-J": "--job-name",
    "-p": "--partition",
    "-A": "--account",
    "-N": "--nodes",
    "-n": "--ntasks",
    "-c": "--cpus-per-task",
    "-G": "--gpus",
    "-t": "--time",
    "-a": "--array",
    "-d": "--dependency",
    "-q": "--qos",
    "-o": "--output",
    "-e": "--error",
    "-C": "--constraint",
    "-D": "--chdir",
    "-w": "--nodelist",
    "-x": "--exclude",
    "-L": "--licenses",
}
# options without a value
FLAGS = frozenset(
    {
        "--exclusive",
        "--requeue",
        "--no-requeue",
        "--overcommit",
        "--hold",
        "--parsable",
        "--contiguous",
    }
)
PRIORITIES = ("low", "normal", "high", "urgent")
CONDITIONS = {"afterok": "SUCCEEDED", "afterany": "ENDED", "after": "STARTED"}
GPU = re.compile(r"(?:gpu:)?(?:([A-Za-z][\w.-]*):)?(\d+)")
MEMORY = re.compile(r"(\d+)([KMGT]?)B?", re.IGNORECASE)
RANGE = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")
SRUN = re.compile(r"^(\s*)srun((?:\s+-\S+)*)\s+(?=\S)")
VARIABLE = re.compile(r"\bSLURM_\w+")
MOST_ELEMENTS = 10_000


@dataclass(frozen=True)
class Note:
    """`line` counts from 1."""

    line: int
    text: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}: {self.why}"


@dataclass
class Script:
    """What was read so far."""

    image: str | None = None
    notes: list[Note] = field(default_factory=list)
    given: dict[str, tuple[str, int, str]] = field(default_factory=dict)
    spec: dict[str, Any] = field(default_factory=dict)
    project: str | None = None
    environment: dict[str, str] = field(default_factory=dict)

    def take(self, option: str) -> tuple[str, Callable[[str], None]] | None:
        """Value of an option and how to complain about its line."""
        found = self.given.pop(option, None)
        if found is None:
            return None
        value, line, text = found
        return value, lambda why: self.notes.append(Note(line, text, why))

    def number(self, option: str) -> int | None:
        found = self.take(option)
        if found is None:
            return None
        if not found[0].isdecimal() or int(found[0]) < 1:
            found[1]("is no number that Fairlead understands")
            return None
        return int(found[0])


def convert(text: str, image: str | None = None) -> Script:
    """The job in `spec`, the rest in `notes`, ordered by line. Without an image `spec` has none."""
    script = Script(image)
    body, first = read_options(script, text.splitlines())
    names(script)
    shape(script)
    times(script)
    array(script)
    dependencies(script)
    for option in list(script.given):
        _, complain = script.take(option) or ("", print)
        complain(WITHOUT.get(option, "has no counterpart"))
    command(script, text, body, first)
    script.notes.sort(key=lambda note: note.line)
    return script


WITHOUT = {
    "--output": "the output is kept by Fairlead: fairlead logs",
    "--error": "standard error is part of the output: fairlead logs",
    "--mail-type": "nobody is mailed; fairlead submit --wait ends with the job",
    "--mail-user": "nobody is mailed; fairlead submit --wait ends with the job",
    "--requeue": "jobs are tried again anyway after faults that are not theirs: see retry",
    "--no-requeue": "write retry: {maxAttempts: 1}",
    "--exclusive": "ask for all GPUs of a node, or use class and avoidClasses",
    "--chdir": "the image says where a program starts; write cd in front",
    "--nodelist": "nodes are chosen by Fairlead; placement.clusters narrows them",
    "--exclude": "nodes are chosen by Fairlead; placement.clusters narrows them",
    "--export": "nothing of this shell is exported; write env",
}


def read_options(script: Script, lines: list[str]) -> tuple[list[str], int]:
    """Lines from the first command on, and the number of the first of them."""
    for number, line in enumerate(lines, 1):
        if line.startswith("#SBATCH"):
            one_line(script, line, number)
        elif line.strip() and not line.lstrip().startswith("#"):
            late = [
                (n, x) for n, x in enumerate(lines[number - 1 :], number) if x.startswith("#SBATCH")
            ]
            script.notes += [
                Note(n, x, "stands behind a command, Slurm does not read it either")
                for n, x in late
            ]
            return lines[number - 1 :], number
    return [], len(lines) + 1


def one_line(script: Script, line: str, number: int) -> None:
    try:
        words = shlex.split(line[len("#SBATCH") :], comments=True)
    except ValueError as broken:
        script.notes.append(Note(number, line, str(broken)))
        return
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("--") and word.startswith("-") and len(word) > 2:
            name, equals, value = word[:2], "=", word[2:]
        name = SHORT.get(name, name)
        if not name.startswith("--"):
            script.notes.append(Note(number, word, "is no option"))
            continue
        if not equals and name not in FLAGS and words and not words[0].startswith("-"):
            value = words.pop(0)
        script.given[name] = (value, number, f"{name}={value}" if value else name)


def names(script: Script) -> None:
    spec = script.spec
    if found := script.take("--job-name"):
        name = re.sub(r"[^a-z0-9-]+", "-", found[0].lower())[:40].strip("-")
        if name:
            spec["name"] = name
        if name != found[0]:
            found[1](
                f"names have a-z, 0-9 and -, at most 40: {name}"
                if name
                else "has no usable character"
            )
    if found := script.take("--partition"):
        spec["queue"] = found[0]
    if found := script.take("--account"):
        script.project = found[0]
    if found := script.take("--qos"):
        if found[0].lower() in PRIORITIES:
            spec["priorityClass"] = found[0].lower()
        else:
            found[1](f"priority classes are {', '.join(PRIORITIES)}; write priorityClass")
    if script.image:
        spec["image"] = script.image


def shape(script: Script) -> None:
    """Nodes are workers; what Slurm counts by task or in all is counted by node."""
    spec = script.spec
    nodes = nodes_of(script)
    asked = script.given.get("--ntasks-per-node") or script.given.get("--ntasks")
    tasks = script.number("--ntasks-per-node")
    if (found := script.take("--ntasks")) and tasks is None:
        if found[0].isdecimal() and int(found[0]) % nodes == 0:
            tasks = int(found[0]) // nodes
        else:
            found[1]("tasks do not divide by nodes; write workers")
    tasks = tasks or 1
    cores = script.number("--cpus-per-task")
    if cores is not None:
        spec["cpu"] = cores * tasks
    memory_of(script)
    gpus = gpus_of(script, nodes, tasks)
    if gpus:
        spec["gpu"] = gpus
    if tasks > 1 and asked is not None:
        why = (
            f"one process is started on each node: let it start {tasks}, or use launcher: torchrun"
        )
        script.notes.append(Note(asked[1], asked[2], why))
    script.environment["SLURM_NNODES"] = script.environment["SLURM_JOB_NUM_NODES"] = str(nodes)
    script.environment["SLURM_NTASKS"] = str(nodes * tasks)
    script.environment["SLURM_CPUS_PER_TASK"] = str(cores or 1)


def nodes_of(script: Script) -> int:
    found = script.take("--nodes")
    if found is None:
        return 1
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", found[0])
    if match is None or int(match[1]) < 1:
        found[1]("is no number of nodes")
        return 1
    least, most = int(match[1]), int(match[2] or match[1])
    script.spec["workers"] = most
    if least < most:
        script.spec["minWorkers"] = least
    return most


def memory_of(script: Script) -> None:
    if found := script.take("--mem"):
        match = MEMORY.fullmatch(found[0])
        if match is None or int(match[1]) == 0:
            found[1](
                "all memory of a node cannot be asked for; write memory"
                if match
                else "is no amount of memory"
            )
        else:
            script.spec["memory"] = f"{match[1]}{(match[2] or 'M').upper()}i"


def gpus_of(script: Script, nodes: int, tasks: int) -> int | str | None:
    """Per node, from whichever option says it."""
    feature = script.take("--constraint")
    counts: dict[str, float] = {
        "--gpus-per-node": 1,
        "--gres": 1,
        "--gpus-per-task": tasks,
        "--gpus": 1 / nodes,
    }
    for option, factor in counts.items():
        found = script.take(option)
        if found is None:
            continue
        match = GPU.fullmatch(found[0].strip())
        if match is None:
            found[1]("is not gpu:MODEL:NUMBER")
            continue
        amount = round(int(match[2]) * factor, 6)
        if amount != int(amount):
            found[1](
                f"{match[2]} GPUs do not divide by {nodes} nodes; took {math.ceil(amount)} a node"
            )
        model = match[1].upper() if match[1] else None
        if feature and model is None and re.fullmatch(r"[A-Za-z]{1,4}\d{1,4}\w*", feature[0]):
            model, feature = feature[0].upper(), None
        if feature:
            feature[1]("features are not known; write gpu: MODEL:NUMBER or placement.nodeLabels")
        for other in counts:
            if again := script.take(other):
                again[1](f"{option} says it already")
        return f"{model}:{math.ceil(amount)}" if model else math.ceil(amount)
    if feature:
        feature[1]("features are not known; write placement.nodeLabels")
    return None


def times(script: Script) -> None:
    if found := script.take("--time"):
        seconds = time_limit(found[0])
        if seconds is None:
            found[1]("is no time such as 30, 4:00:00 or 2-00:00:00")
        elif seconds > 0:
            script.spec["maxRuntime"] = duration(seconds)


def time_limit(text: str) -> int | None:
    """Seconds of M, M:S, H:M:S, D-H, D-H:M, D-H:M:S; 0 is no limit."""
    days, dash, rest = text.rpartition("-")
    parts = rest.split(":")
    if (
        not all(part.isdecimal() for part in parts)
        or len(parts) > 3
        or (dash and not days.isdecimal())
    ):
        return None
    numbers = [int(part) for part in parts]
    if dash:
        hours, minutes, seconds = [*numbers, 0, 0][:3]
    elif len(numbers) == 1:
        hours, minutes, seconds = 0, numbers[0], 0
    else:
        hours, minutes, seconds = [0, *numbers][-3:]
    return int(days or 0) * 86400 + hours * 3600 + minutes * 60 + seconds


def duration(seconds: int) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def array(script: Script) -> None:
    """Indices of Fairlead begin at 0; the script still sees those of Slurm."""
    found = script.take("--array")
    if found is None:
        return
    wanted, _, at_once = found[0].partition("%")
    indices: list[int] = []
    for part in wanted.split(","):
        match = RANGE.fullmatch(part)
        if match is None or int(match[2] or match[1]) - int(match[1]) > MOST_ELEMENTS * 100:
            found[1]("is no list of indices")
            return
        indices += range(int(match[1]), int(match[2] or match[1]) + 1, max(1, int(match[3] or 1)))
    if not 0 < len(indices) <= MOST_ELEMENTS or (at_once and not at_once.isdecimal()):
        found[1](f"an array has 1 to {MOST_ELEMENTS} elements")
        return
    script.spec["array"] = f"0-{len(indices) - 1}" + (f"%{at_once}" if at_once else "")
    script.environment["SLURM_ARRAY_TASK_ID"] = task_id(indices)


def task_id(indices: list[int]) -> str:
    """What the shell makes of FAIRLEAD_ARRAY_INDEX."""
    step = indices[1] - indices[0] if len(indices) > 1 else 1
    if indices == list(range(indices[0], indices[0] + step * len(indices), step or 1)):
        if (indices[0], step) == (0, 1):
            return "$FAIRLEAD_ARRAY_INDEX"
        scaled = "FAIRLEAD_ARRAY_INDEX" if step == 1 else f"FAIRLEAD_ARRAY_INDEX * {step}"
        return f"$(({scaled} + {indices[0]}))"
    return f"$(set -- {' '.join(map(str, indices))}; shift $FAIRLEAD_ARRAY_INDEX; echo $1)"


def dependencies(script: Script) -> None:
    found = script.take("--dependency")
    if found is None:
        return
    carried = []
    for part in found[0].split(","):
        kind, _, ids = part.partition(":")
        if (
            kind not in CONDITIONS
            or not ids
            or not all(one.startswith("job_") for one in ids.split(":"))
        ):
            found[1](
                "jobs of Slurm are not known here; write dependsOn: [{job: job_..., condition: SUCCEEDED}]"
            )
            return
        carried += [{"job": one, "condition": CONDITIONS[kind]} for one in ids.split(":")]
    script.spec["dependsOn"] = carried


def command(script: Script, text: str, body: list[str], first: int) -> None:
    """The script behind what it needs to find of Slurm's variables."""
    known = {
        "SLURM_JOB_ID": "$FAIRLEAD_JOB_ID",
        "SLURM_JOBID": "$FAIRLEAD_JOB_ID",
        "SLURM_ARRAY_JOB_ID": "$FAIRLEAD_JOB_ID",
        "SLURM_JOB_NAME": "$FAIRLEAD_JOB_NAME",
        "SLURM_NODEID": "$FAIRLEAD_INDEX",
        "SLURM_PROCID": "$FAIRLEAD_INDEX",
        "SLURM_LOCALID": "0",
        **script.environment,
    }
    used: dict[str, str] = {}
    lines = []
    for number, line in enumerate(body, first):
        if line.startswith("#SBATCH"):
            continue
        for name in VARIABLE.findall(line):
            if name in known:
                used[name] = known[name]
            else:
                script.notes.append(Note(number, name, "is not set by Fairlead"))
        if line.lstrip().startswith(("module ", "ml ", "source activate", "conda activate")):
            script.notes.append(Note(number, line.strip(), "belongs into the image"))
        lines.append(without_srun(script, line, number))
    if not "".join(lines).strip():
        script.notes.append(Note(first, "end of the script", "there is no command"))
        return
    multi = script.spec.get("workers", 1) > 1
    if multi and "srun" not in text:
        script.notes.append(
            Note(
                first, body[0].strip(), "Slurm runs it on the first node, Fairlead on every worker"
            )
        )
    run = (
        "\n".join([f"export {name}={value}" for name, value in used.items()] + lines).strip() + "\n"
    )
    shell = (
        text.split("\n", 1)[0].removeprefix("#!").strip() if text.startswith("#!") else "/bin/sh"
    )
    words = shell.split()
    if words[0].rsplit("/", 1)[-1] in ("sh", "dash") and len(words) == 1:
        script.spec["run"] = run
    else:
        script.spec["run"] = [*words, "-c", run]


def without_srun(script: Script, line: str, number: int) -> str:
    match = SRUN.match(line)
    if match is None:
        return line
    if match[2].strip():
        script.notes.append(
            Note(
                number, f"srun{match[2]}", "options of srun are dropped: every worker runs it once"
            )
        )
    return match[1] + line[match.end() :]
