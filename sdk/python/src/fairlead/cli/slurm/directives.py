"""Reads the directives of a Slurm batch script in the format of sbatch(1)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

SHORT = {
    "-A": "--account",
    "-B": "--extra-node-info",
    "-C": "--constraint",
    "-D": "--chdir",
    "-F": "--nodefile",
    "-G": "--gpus",
    "-H": "--hold",
    "-J": "--job-name",
    "-L": "--licenses",
    "-M": "--clusters",
    "-N": "--nodes",
    "-O": "--overcommit",
    "-Q": "--quiet",
    "-S": "--core-spec",
    "-W": "--wait",
    "-a": "--array",
    "-b": "--begin",
    "-c": "--cpus-per-task",
    "-d": "--dependency",
    "-e": "--error",
    "-i": "--input",
    "-k": "--no-kill",
    "-m": "--distribution",
    "-n": "--ntasks",
    "-o": "--output",
    "-p": "--partition",
    "-q": "--qos",
    "-s": "--oversubscribe",
    "-t": "--time",
    "-v": "--verbose",
    "-w": "--nodelist",
    "-x": "--exclude",
}
# options without a value
WITHOUT_VALUE = """
    --contiguous --exclusive --hold --no-kill --no-requeue --overcommit --oversubscribe --parsable
    --quiet --reboot --requeue --spread-job --test-only --use-min-nodes --verbose --wait
"""
FLAGS = frozenset(WITHOUT_VALUE.split())
# options whose value may be missing
OPTIONAL_VALUE = frozenset({"--get-user-env", "--propagate", "--wait-all-nodes"})
HETEROGENEOUS = ("hetjob", "packjob")
# directives of other batch systems, by the beginning of their lines
FOREIGN = {
    "#PBS": "PBS",
    "#BSUB": "LSF",
    "#$": "Grid Engine",
    "#PJM": "Fujitsu TCS",
    "#flux:": "Flux",
}


@dataclass(frozen=True)
class Note:
    """`line` counts from 1. `lost` is set if the job lacks something that the line requested."""

    line: int
    text: str
    why: str
    lost: bool = True

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}: {self.why}"


@dataclass(frozen=True)
class Given:
    """An option of a line."""

    value: str
    line: int
    text: str


@dataclass
class Script:
    """The directives read so far."""

    image: str | None = None
    notes: list[Note] = field(default_factory=list)
    given: dict[str, Given] = field(default_factory=dict)
    spec: dict[str, Any] = field(default_factory=dict)
    project: str | None = None
    gpu_memory: Given | None = None
    """Least memory of a GPU."""
    environment: dict[str, str] = field(default_factory=dict)
    """Slurm variables and their shell replacements."""
    always: set[str] = field(default_factory=set)
    """Variables that the program gets even if the script does not name them."""

    @property
    def lost(self) -> bool:
        """Whether the job lacks something that the script requested."""
        return any(note.lost for note in self.notes)

    def take(self, option: str) -> Given | None:
        return self.given.pop(option, None)

    def note(self, found: Given, why: str, *, lost: bool = True) -> None:
        self.notes.append(Note(found.line, found.text, why, lost))

    def number(self, option: str) -> int | None:
        """Parses a number of at least 1. Rejects other values."""
        found = self.take(option)
        if found is None:
            return None
        if not found.value.isdecimal() or int(found.value) < 1:
            self.note(found, "is not a number from 1")
            return None
        return int(found.value)


def read(script: Script, lines: list[str]) -> tuple[list[str], int]:
    """Lines from the first command, and the number of the first of them."""
    component = 0
    for number, line in enumerate(lines, 1):
        if line.startswith("#SBATCH"):
            words = line.split()[1:2]
            if words and words[0] in HETEROGENEOUS:
                component += 1
                why = "only the first component is converted. Write the others as roles"
                script.notes.append(Note(number, line.strip(), why))
            elif component:
                why = f"belongs to component {component + 1}. Write roles"
                script.notes.append(Note(number, line.strip(), why))
            else:
                _one_line(script, line, number)
        elif system := foreign(line):
            why = f"is a directive of {system}. Set its options in the job file"
            script.notes.append(Note(number, line.strip(), why))
        elif line.strip() and not line.lstrip().startswith("#"):
            script.notes += _late(lines, number)
            return lines[number - 1 :], number
    return [], len(lines) + 1


def foreign(line: str) -> str | None:
    """The batch system of a directive that is not Slurm's."""
    word = line.split(maxsplit=1)[:1]
    return FOREIGN.get(word[0]) if word else None


def _late(lines: list[str], first: int) -> Iterator[Note]:
    why = "follows a command, so Slurm ignores it too"
    for number, line in enumerate(lines[first - 1 :], first):
        if line.startswith("#SBATCH"):
            yield Note(number, line, why, lost=False)


def _one_line(script: Script, line: str, number: int) -> None:
    try:
        words = shlex.split(_without_remark(line[len("#SBATCH") :]))
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
            script.notes.append(Note(number, word, "is not an option"))
            continue
        if not equals and name not in FLAGS and words and not words[0].startswith("-"):
            value = words.pop(0)
        if not value and name not in FLAGS | OPTIONAL_VALUE:
            script.notes.append(Note(number, name, "has no value"))
            continue
        script.given[name] = Given(value, number, f"{name}={value}" if value else name)


def _without_remark(line: str) -> str:
    """Removes a comment, which begins with a # at the start of a word. nvcr.io#nvidia/pytorch
    contains no comment."""
    quote, before = "", " "
    for at, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "#" and before.isspace():
            return line[:at]
        before = character
    return line
