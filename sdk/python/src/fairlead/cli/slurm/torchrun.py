"""Recognizes a script with torchrun under srun as its only program, and converts it to launcher:
torchrun."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairlead.cli.slurm import commands, shellwords, srun
from fairlead.cli.slurm.directives import Note, Script

STARTS = (["torchrun"], ["python", "-m", "torch.distributed.run"])
# options of torchrun that the launcher sets by the environment
OF_RENDEZVOUS = """
    nnodes nproc-per-node node-rank master-addr master-port local-addr rdzv-backend rdzv-endpoint rdzv-id
    rdzv-conf
"""
SET_BY_LAUNCHER = frozenset(OF_RENDEZVOUS.split())
WITHOUT_VALUE = frozenset(("standalone", "no-python", "module", "m", "run-path"))
OF_PROCESSES = """
    MASTER_ADDR MASTER_PORT WORLD_SIZE NNODES NODE_RANK RANK LOCAL_RANK LOCAL_WORLD_SIZE
"""
VARIABLES_OF_LAUNCHER = frozenset(OF_PROCESSES.split())
OF_NODES = re.compile(r"scontrol|hostname|NODELIST|SLURM_")
WITHOUT_EFFECT = re.compile(r"(set|echo|date|hostname|nvidia-smi|module|ml|wait)(\s|$)")
REFERENCE = re.compile(r"\$\{?(\w+)")
# options of srun that change nothing where each worker runs torchrun once
SAME_OPTIONS = """
    --cpu-bind --exact --export --jobid --kill-on-bad-exit --label --mpi --nodes --overlap
               --unbuffered --wait
    --container-image --container-mounts --container-workdir
"""
SAME = frozenset(SAME_OPTIONS.split())


@dataclass
class Found:
    """The only program of a script."""

    line: int
    step: srun.Step
    words: list[str]
    env: dict[str, str] = field(default_factory=dict)


def recognized(script: Script, body: Sequence[str], first: int) -> Found | None:
    """Returns None if the script does anything else or needs a value that is known only on a node."""
    if script.always or script.spec.get("workers", 1) < 2:
        return None
    variables = shellwords.assignments(body)
    try:
        return _found(script, list(commands.whole_lines(body, first)), variables)
    except (ValueError, IndexError):
        return None


def _found(
    script: Script, lines: list[tuple[int, str]], variables: Mapping[str, list[str]]
) -> Found | None:
    found, assigned = None, []
    for number, line in ((number, line.strip()) for number, line in lines):
        match = srun.LINE.match(line)
        if match is not None and found is None and not match[1]:
            step = srun.split(match[2], variables)
            found = Found(number, step, _arguments(script, _words(step.command, variables)))
        elif _assigns(line):
            assigned.append(line)
        elif line and not line.startswith("#") and not WITHOUT_EFFECT.match(line):
            return None
    if found is None or not found.words or "SLURM_" in " ".join(found.words):
        return None
    return found if _environment(found, assigned, variables) else None


def _assigns(line: str) -> bool:
    words = _whole(line) if shellwords.ASSIGNED.match(line) else ["no"]
    return all(
        commands.ASSIGNMENT.match(word) for word in words if word not in ("export", "declare")
    )


def _whole(text: str) -> list[str]:
    """The words of a command without operators. An array assignment is one word."""
    if re.fullmatch(r"(?:export\s+|declare\s+)?\w+\+?=\(.*\)\s*", text, re.DOTALL):
        return [text.split("=", 1)[0] + "="]
    end = shellwords.skip_blanks(text, 0)
    while end < len(text) and text[end] not in shellwords.ENDS:
        end = shellwords.skip_blanks(text, shellwords.word_end(text, end))
    if text[end:].strip():
        raise srun.Unreadable("another command follows")
    return shellwords.words(text)


def _words(command: str, variables: Mapping[str, list[str]]) -> list[str]:
    """The words with arrays and option lists expanded."""
    words = []
    for word in _whole(command):
        match = srun.EXPANSION.fullmatch(word)
        values = variables.get(match[1], []) if match else []
        several = len(values) == 1 and ("[@]" in word or values[0].strip()[:1] == "-")
        words += shellwords.words(values[0].replace("\n", " ")) if several else [word]
    return words


def _arguments(script: Script, words: list[str]) -> list[str]:
    """The words after torchrun, without the options that the launcher sets."""
    first = ["python" if word == "python3" else word for word in words[:3]]
    start = next((one for one in STARTS if first[: len(one)] == one), None)
    if start is None:
        raise srun.Unreadable("the program is not torchrun")
    left, kept, replaced = words[len(start) :], [], set()
    while left and left[0].startswith("-"):
        word = left.pop(0)
        name, equals, value = word.lstrip("-").replace("_", "-").partition("=")
        taken = [word]
        if not equals and name not in WITHOUT_VALUE:
            value = left.pop(0)
            taken.append(value)
        replaced.add(name)
        if name not in SET_BY_LAUNCHER:
            kept += taken
        gpus = script.environment.get("SLURM_GPUS_ON_NODE")
        if name == "nproc-per-node" and value.isdecimal() and value != gpus:
            raise srun.Unreadable("torchrun starts a different number of processes")
    if "nnodes" not in replaced or "standalone" in replaced:
        raise srun.Unreadable("each node runs by itself")
    return [*kept, *left]


def _environment(found: Found, assigned: list[str], variables: Mapping[str, list[str]]) -> bool:
    """Sets the variables that the program reads. Returns False if a value is only known on the node."""
    read = set(REFERENCE.findall(" ".join(found.words)))
    for line in assigned:
        for name in shellwords.ASSIGNED.findall(line):
            exported = line.startswith(("export", "declare -x"))
            if name in VARIABLES_OF_LAUNCHER and name not in read:
                continue
            if not exported and name not in read:
                continue
            value = (
                srun.literal(variables[name][-1], variables) if len(variables[name]) == 1 else None
            )
            if value is None and (name in read or not OF_NODES.search(variables[name][-1])):
                return False
            if value is not None:
                found.env[name] = value
    return all(name in found.env for name in read)


def carry_over(script: Script, found: Found) -> None:
    """Sets launcher, run and env."""
    script.spec["launcher"] = "torchrun"
    script.spec["run"] = " ".join(found.words)
    if found.env:
        script.spec["env"] = script.spec.get("env", {}) | found.env
    why = "launcher: torchrun starts the processes and sets their address and ranks"
    script.notes.append(Note(found.line, "srun torchrun", why, lost=False))
    nodes = str(script.spec.get("workers", 1))
    tasks = ("", "1", nodes)
    values = found.step.values
    if values.get("--ntasks", "") not in tasks or values.get("--ntasks-per-node", "1") != "1":
        why = "each worker runs torchrun once"
        script.notes.append(Note(found.line, f"srun {' '.join(found.step.options)}", why))
    elif set(values) - SAME - {"--ntasks", "--ntasks-per-node"}:
        why = "options of srun are dropped: every worker runs it once"
        script.notes.append(Note(found.line, f"srun {' '.join(found.step.options)}", why))
