"""Finds lines of a shell script that Slurm runs once, but each worker of a Fairlead job runs.

This is not a full shell parser. A command that is parsed wrongly only adds or omits a line on
standard error."""

from __future__ import annotations

import re
import shlex
from collections import deque
from collections.abc import Iterator, Sequence

# they prepare, inspect or print, which is harmless on each worker
HARMLESS = """
    : . [ alias awk basename break cat cd continue cut date declare df dirname du echo eval exit
    export false free getconf grep hash head hostname ibstat id jobs kill let local ls lsblk lscpu lspci
    mapfile mkdir ml module nproc nvcc nvidia-smi popd printenv printf ps pushd pwd read readarray readlink
    readonly realpath return rocm-smi seq set shift shopt sleep sort source stat tail tee test touch tr
    trap true type typeset ulimit umask unalias uname uniq unset uptime wait wc which whoami
"""
# harmless with such a word, and without arguments
ONLY_WITH = {"command": re.compile("-p?[vV]"), "conda": re.compile("(de)?activate$")}
ONLY_WITHOUT = {
    "find": re.compile("-(delete|exec|ok|fls|fprint)"),
    "sed": re.compile("-[nErsuz]*i|--in-place"),
}
# reported for other reasons
OF_SLURM = "sacct salloc sattach sbatch sbcast scancel scontrol squeue srun sstat"
PASSED_OVER = frozenset(HARMLESS.split() + OF_SLURM.split())
# a command follows
IN_FRONT = frozenset(
    ("if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "exec")
)
WRAPPERS = frozenset(("command", "nohup", "env", "nice"))
# no command before the next ; or the end of the line
NO_COMMAND = frozenset(("for", "select", "case", "function", "fi", "done", "esac", "}"))
ASSIGNMENT = re.compile(r"\w+(\[\w+\])?\+?=")
ARRAY = re.compile(r"\b\w+\+?=\([^)]*")
FUNCTION = re.compile(r"^\s*(?:function\s+)?([\w-]+)\s*\(\)")
HEREDOC = re.compile(r"(?<!<)<<-?\s*(['\"]?)(\w+)\1")
CONDITION = re.compile(r"\[\[\s.*?\s\]\]|\$?\(\(.*?\)\)")
DUPLICATE = re.compile(r"\d*[<>]&[\d-]+|&>>?")
PATTERN = re.compile(r"^[^()]*\)")


def started(body: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Number and text of each line that starts a program without srun; `first` is the number of the first
    line of the body."""
    whole = list(whole_lines(body, first))
    own = {match[1] for _, line in whole if (match := FUNCTION.match(line))}
    for number, line in whole:
        programs = {_program(words) for words in _commands(line)}
        if programs - PASSED_OVER - own - {""}:
            yield number, body[number - first].strip()


def whole_lines(body: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Lines joined with their continuations, without comments and here-documents."""
    left = deque(body)
    while left:
        number = first + len(body) - len(left)
        line, quote = _without_remark(left.popleft(), "")
        while (quote or line.endswith("\\") or _in_array(line)) and left:
            following, quote = _without_remark(left.popleft(), quote)
            line = line[:-1] + following if line.endswith("\\") else f"{line}\n{following}"
        yield number, line
        here = HEREDOC.search(CONDITION.sub("true", line))
        if here and here[2] in map(str.strip, left):
            while left.popleft().strip() != here[2]:
                pass


def _in_array(line: str) -> bool:
    return any(match.end() == len(line) for match in ARRAY.finditer(line))


def _without_remark(line: str, quote: str) -> tuple[str, str]:
    """The line that begins within this quotation, if any, and the quotation that is open at its end."""
    before = " "
    for at, character in enumerate(line):
        if before == "\\" and quote != "'":
            character = ""  # any escaped character is literal
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "#" and before.isspace():
            return line[:at], ""
        before = character
    return line, quote


def _commands(line: str) -> Iterator[list[str]]:
    line = CONDITION.sub("true", DUPLICATE.sub(" > ", line))
    line = FUNCTION.sub("", re.sub(ARRAY.pattern + r"\)", "true", line))
    words: list[str] = []
    for word in _words(PATTERN.sub("", line)):
        if word.strip(";&|()\n"):
            words.append(word)
        else:
            yield words
            words = []
    yield words


def _words(line: str) -> list[str]:
    reader = shlex.shlex(line, posix=True, punctuation_chars=";&|()\n")
    reader.whitespace, reader.whitespace_split, reader.commenters = " \t\r", True, ""
    try:
        return list(reader)
    except ValueError:  # a quotation that nothing closes
        return line.split()


def _no_harm(name: str, others: Sequence[str]) -> bool:
    if name in ONLY_WITH:
        return any(map(ONLY_WITH[name].match, others[:1]))
    return name in ONLY_WITHOUT and not any(map(ONLY_WITHOUT[name].match, others))


def _program(words: list[str]) -> str:
    """The name of the started program, empty if the line starts none."""
    for at, word in enumerate(words):
        name = re.sub(r"^/(usr/)?bin/", "", word)
        if name in NO_COMMAND or re.match(r"\d?[<>]", name) or _no_harm(name, words[at + 1 :]):
            return ""
        passes = name in IN_FRONT or name in WRAPPERS or name.startswith("-")
        if not passes and not ASSIGNMENT.match(name):
            return name
    return ""
