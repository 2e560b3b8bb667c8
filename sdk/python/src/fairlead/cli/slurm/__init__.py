"""Converts a Slurm batch script into a job, and reports every line without an equivalent.

As in sbatch(1), only options before the first command count. A Slurm script runs on the first node
and starts processes on the others with srun. Fairlead starts the same command on every worker, so
`srun` before a command
is dropped."""

from __future__ import annotations

import re
from datetime import datetime

from fairlead.cli.slurm import body, resources, times
from fairlead.cli.slurm.directives import Note, Script, read

PRIORITIES = ("low", "normal", "high", "urgent")
CONDITIONS = {
    "afterok": "SUCCEEDED",
    "afternotok": "FAILED",
    "afterany": "ENDED",
    "after": "STARTED",
    "aftercorr": "SUCCEEDED",
}
PER_ELEMENT = "aftercorr"
RANGE = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")
LICENCE = re.compile(r"([^\s:@|]+)(@[^\s:@|]+)?(?::(\d+))?")
LONGEST_LICENCE = 63
QUEUE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
ENV_NAME = re.compile(r"[A-Za-z_]\w*")
MOST_ELEMENTS = 10_000
MOST_LICENCES = 1_000_000
SAME_HERE = {
    "--requeue": "jobs are retried after infrastructure faults by default: see retry",
    "--parsable": "fairlead submit prints the id alone",
    "--quiet": "affects only sbatch itself",
    "--verbose": "affects only sbatch itself",
}
WITHOUT = {
    "--output": "Fairlead stores the output: fairlead logs",
    "--error": "standard error is part of the output: fairlead logs",
    "--open-mode": "Fairlead stores the output: fairlead logs",
    "--mail-type": "no mail is sent; fairlead submit --wait ends with the job",
    "--mail-user": "no mail is sent; fairlead submit --wait ends with the job",
    "--wait": "use the option at the submit: fairlead submit --wait",
    "--hold": "suspend it after the submit: fairlead suspend",
    "--test-only": "use the option at the submit: fairlead submit --dry-run",
    "--exclusive": "a job cannot request a whole node: request all its GPUs, or use class and avoidClasses",
    "--reservation": "all jobs of its project use an advance reservation: see fairlead node reservation list",
    "--chdir": "the image defines the working directory; add cd before the command",
    "--nodelist": "Fairlead chooses nodes; restrict them with placement.clusters",
    "--exclude": "Fairlead chooses nodes; restrict them with placement.clusters",
    "--clusters": "write placement.clusters with names of fairlead cluster list",
    "--switches": "write topology, such as topology: rack",
    "--container-mounts": "write volumes",
    "--container-workdir": "write cd in front",
    "--gpus-per-socket": "write gpu: MODEL:NUMBER",
    "--signal": "a job gets SIGTERM and preemption.gracePeriod before it is ended",
    "--nice": "write priorityClass",
}

__all__ = ["Note", "Script", "convert"]


def convert(text: str, image: str | None = None, now: datetime | None = None) -> Script:
    """The job in `spec`, the rest in `notes`, ordered by line. Without an image `spec` has none. Relative
    times count from `now`, which is local time."""
    script = Script(image)
    text = text.removeprefix("\ufeff")
    lines, first = read(script, text.splitlines())
    _names(script)
    _image(script)
    resources.read(script)
    times.read(script, now or datetime.now())
    _array(script)
    _dependencies(script)
    _export(script)
    _licences(script)
    if script.take("--no-requeue"):
        script.spec["retry"] = {"maxAttempts": 1}
    for option in list(script.given):
        found = script.given.pop(option)
        same = SAME_HERE.get(option)
        script.note(found, same or WITHOUT.get(option, "has no counterpart"), lost=same is None)
    body.read(script, text, lines, first)
    script.notes.sort(key=lambda note: note.line)
    return script


def _names(script: Script) -> None:
    spec = script.spec
    if found := script.take("--job-name"):
        name = re.sub(r"[^a-z0-9-]+", "-", found.value.lower())[:40].strip("-")
        if name:
            spec["name"] = name
        if name and name != found.value:
            script.note(found, f"names have a-z, 0-9 and -, at most 40: {name}", lost=False)
        elif not name:
            script.note(found, "has no character that is allowed in a name")
    if found := script.take("--partition"):
        if QUEUE.fullmatch(found.value):
            spec["queue"] = found.value
        elif "," in found.value:
            script.note(found, "a job waits in one queue: name a single queue")
        else:
            script.note(found, "a queue is named by a-z, 0-9 and -, at most 63: write queue")
    if found := script.take("--account"):
        script.project = found.value
    if found := script.take("--qos"):
        if found.value.lower() in PRIORITIES:
            spec["priorityClass"] = found.value.lower()
        else:
            script.note(found, f"priority classes are {', '.join(PRIORITIES)}; set priorityClass")


def _image(script: Script) -> None:
    """The image of --image, or of pyxis' --container-image, which separates registry and image by a #."""
    found = script.take("--container-image")
    if script.image:
        script.spec["image"] = script.image
        if found:
            script.note(found, f"--image says {script.image}", lost=False)
        return
    if found is None:
        return
    reference = body.image_of(found.value)
    if reference is None:
        script.note(found, "is a file; push the image to a registry and pass --image")
        return
    script.spec["image"] = reference


def _array(script: Script) -> None:
    """Indices of Fairlead start at 0. The program still sees Slurm's variables."""
    found = script.take("--array")
    if found is None:
        return
    wanted, _, at_once = found.value.partition("%")
    indices: list[int] = []
    for part in wanted.split(","):
        match = RANGE.fullmatch(part)
        if match is None or int(match[2] or match[1]) - int(match[1]) > MOST_ELEMENTS * 100:
            script.note(found, "is not a list of indices")
            return
        indices += range(int(match[1]), int(match[2] or match[1]) + 1, max(1, int(match[3] or 1)))
    indices = sorted(set(indices))
    if not 0 < len(indices) <= MOST_ELEMENTS or (at_once and not at_once.isdecimal()):
        script.note(found, f"an array has 1 to {MOST_ELEMENTS} elements")
        return
    script.spec["array"] = f"0-{len(indices) - 1}" + (f"%{at_once}" if at_once else "")
    script.environment |= {
        "SLURM_ARRAY_TASK_ID": _task_id(indices),
        "SLURM_ARRAY_TASK_COUNT": str(len(indices)),
        "SLURM_ARRAY_TASK_MIN": str(indices[0]),
        "SLURM_ARRAY_TASK_MAX": str(indices[-1]),
    }
    script.always.add("SLURM_ARRAY_TASK_ID")


def _task_id(indices: list[int]) -> str:
    """Shell expression that maps FAIRLEAD_ARRAY_INDEX."""
    step = indices[1] - indices[0] if len(indices) > 1 else 1
    if indices == list(range(indices[0], indices[0] + step * len(indices), step)):
        if (indices[0], step) == (0, 1):
            return "$FAIRLEAD_ARRAY_INDEX"
        scaled = "FAIRLEAD_ARRAY_INDEX" if step == 1 else f"FAIRLEAD_ARRAY_INDEX * {step}"
        return f"$(({scaled} + {indices[0]}))"
    return f"$(set -- {' '.join(map(str, indices))}; shift $FAIRLEAD_ARRAY_INDEX; echo $1)"


def _dependencies(script: Script) -> None:
    found = script.take("--dependency")
    if found is None:
        return
    carried = []
    for part in found.value.split(","):
        kind, _, ids = part.partition(":")
        known = kind in CONDITIONS and ids and all(i.startswith("job_") for i in ids.split(":"))
        if not known:
            why = "refers to a Slurm job; use dependsOn: [{job: NAME, condition: SUCCEEDED}]"
            script.note(found, why)
            return
        each = {"perElement": True} if kind == PER_ELEMENT else {}
        carried += [{"job": one, "condition": CONDITIONS[kind], **each} for one in ids.split(":")]
    script.spec["dependsOn"] = carried


def _export(script: Script) -> None:
    """only NAME=VALUE is converted; the environment of the submitting shell is not exported"""
    found = script.take("--export")
    if found is None:
        return
    env, others = {}, []
    for part in found.value.split(","):
        name, equals, value = part.partition("=")
        if equals and ENV_NAME.fullmatch(name):
            env[name] = value
        elif part.upper() not in ("NONE", "NIL"):
            others.append(part)
    if env:
        script.spec["env"] = env
    if others:
        why = (
            f"{', '.join(others)}: the job does not inherit the environment of this shell; set env"
        )
        script.note(found, why)


def _licences(script: Script) -> None:
    """Converts all licences or none. As in Slurm, the counts of a repeated name are added. Uses
    Fairlead's names, without the server part of Slurm's names."""
    found = script.take("--licenses")
    if found is None:
        return
    if "|" in found.value:
        script.note(found, "alternatives are not supported; set licences with one of them")
        return
    counts: dict[str, int] = {}
    meant: dict[str, str] = {}
    for part in found.value.split(","):
        match = LICENCE.fullmatch(part.strip())
        name = re.sub(r"[^a-z0-9-]+", "-", match[1].lower()).strip("-") if match else ""
        if match is None or not 0 < len(name) <= LONGEST_LICENCE:
            script.note(found, "is not a list of NAME:COUNT; set licences")
            return
        slurm = match[1] + (match[2] or "")
        if meant.setdefault(name, slurm) != slurm:
            script.note(
                found, f"{meant[name]} and {slurm} map to the same name {name}; set licences"
            )
            return
        counts[name] = counts.get(name, 0) + int(match[3] or 1)
        if not (match[3] is None or int(match[3])) or counts[name] > MOST_LICENCES:
            script.note(found, f"a job has 1 to {MOST_LICENCES} of a licence")
            return
    script.spec["licences"] = counts
    others = [name for name, slurm in meant.items() if name != slurm]
    if others:
        why = f"a licence is named by a-z, 0-9 and -, without a server: {', '.join(others)}"
        script.note(found, why, lost=False)
