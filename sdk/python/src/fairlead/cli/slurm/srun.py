"""Splits a line that srun begins into options and the command, as srun(1) and a shell read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fairlead.cli.slurm import shellwords
from fairlead.cli.slurm.directives import SHORT as LONG_NAMES
from fairlead.cli.slurm.shellwords import ENDS, Unclosed

LINE = re.compile(
    r"""^(\s*(?:(?:exec|time|command)[ \t]+|\w+=(?:[^\s"'$`;&|()<>]|\$\w+|"[^"$`]*"|'[^']*')*[ \t]+)*)"""
    r"(?:/usr(?:/local)?/bin/|/bin/)?srun(?=[ \t]|$)(.*)$",
    re.DOTALL,
)
# the value is the next word, unless = or, after a letter, the rest of the word has it
VALUES = """
    --account --acctg-freq --bb --bbf --bcast-exclude --begin --chdir --cluster --cluster-constraint
    --clusters --comment --constraint --container --container-id --core-spec --cores-per-socket --cpu-bind
    --cpu-freq --cpu_bind --cpus-per-gpu --cpus-per-task --deadline --delay-boot --dependency
    --distribution --epilog --error --exclude --export --extra --extra-node-info --gid --gpu-bind
    --gpu-freq --gpus --gpus-per-node --gpus-per-socket --gpus-per-task --gres --gres-flags --het-group
    --hint --input --job-name --jobid --licenses --mail-type --mail-user --mcs-label --mem --mem-bind
    --mem-per-cpu --mem-per-gpu --mem_bind --mincpus --mpi --msg-timeout --network --nodefile --nodelist
    --nodes --ntasks --ntasks-per-core --ntasks-per-gpu --ntasks-per-node --ntasks-per-socket
    --ntasks-per-tres --open-mode --output --pack-group --partition --power --prefer --priority --profile
    --prolog --qos --relative --reservation --segment --signal --slurmd-debug --sockets-per-node --switches
    --task-epilog --task-prolog --tasks-per-node --thread-spec --threads --threads-per-core --time
    --time-min --tmp --tree-width --treewidth --tres-bind --tres-per-job --tres-per-task --uid --wait
    --wckey --container-env --container-image --container-mounts --container-name --container-save
    --container-workdir
"""
# no value, or one behind = alone
FLAGS = """
    --bcast --compress --contiguous --debugger-test --disable-status --exact --exclusive --external --help
    --hold --immediate --interactive --kill-on-bad-exit --label --multi-prog --nice --no-allocate --no-kill
    --oom-kill-step --overcommit --overlap --oversubscribe --preserve-env --propagate --pty --quiet
    --quit-on-interrupt --reboot --resv-ports --send-libs --spread-job --stepmgr --test-only --unbuffered
    --usage --use-min-nodes --verbose --version --whole --x11 --container-entrypoint
    --container-entrypoint-log --container-mount-home --container-readonly --container-remap-root
    --container-writable --no-container-entrypoint --no-container-mount-home --no-container-remap-root
"""
WITH_VALUE = frozenset(VALUES.split())
KNOWN = WITH_VALUE | frozenset(FLAGS.split())
LETTERS_WITH_VALUE = frozenset("ABCDFGJLMNPSTUWbcdegimnopqrtwx")
LETTERS_WITH_VALUE_OR_NONE = frozenset("IKk")
LETTERS = LETTERS_WITH_VALUE | LETTERS_WITH_VALUE_OR_NONE | frozenset("EHQVXZhlOsuv")
EXPANSION = re.compile(r"\"?\$\{?(\w+)(?:\[[@*]\])?\}?\"?")
DEEPEST = 5
END = "end-of-options"


class Unreadable(ValueError):
    """Marks a line whose command cannot be extracted. The message gives the reason."""


@dataclass
class Step:
    """A line that srun begins."""

    options: list[str] = field(default_factory=list)
    """As the script writes them."""
    values: dict[str, str] = field(default_factory=dict)
    """Options by long name. Skips expansions of variables that the script does not set."""
    command: str = ""


def split(text: str, variables: Mapping[str, list[str]]) -> Step:
    """`text` follows the word srun. Raises Unreadable, or Unclosed if the line ends inside a word."""
    step = Step()
    at = shellwords.skip_blanks(text, 0)
    while at < len(text) and text[at] not in ENDS:
        end = shellwords.word_end(text, at)
        word = text[at:end]
        if not _is_option(word) and not _holds_options(word, variables, step):
            break
        at = shellwords.skip_blanks(text, end)
        if word == "--":
            break
        step.options.append(word)
        if word.startswith("-") and _option(step, word, variables):
            end = _value_end(text, at, word)
            step.options[-1] = f"{word} {text[at:end]}"
            _set(step, word, text[at:end], variables)
            at = shellwords.skip_blanks(text, end)
    step.command = text[at:]
    _check(step, text, at)
    return step


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _value_end(text: str, at: int, word: str) -> int:
    end = shellwords.word_end(text, at)
    if end == at:
        raise Unreadable(f"{word} has no value")
    return end


def _check(step: Step, text: str, at: int) -> None:
    if "--multi-prog" in step.values:
        raise Unreadable("--multi-prog starts a different program per rank: write roles")
    component = step.values.get("--het-group", step.values.get("--pack-group", "0"))
    if component != "0":
        raise Unreadable(f"it belongs to component {component}; write roles")
    if at >= len(text) or text[at] in ENDS:
        raise Unreadable("there is no command")
    try:
        if ":" in shellwords.words(step.command):
            raise Unreadable("one step of several components; write roles")
    except Unclosed:  # the command continues on the lines below
        return


def _option(step: Step, word: str, variables: Mapping[str, list[str]]) -> bool:
    """Whether the next word is the value."""
    if not word.startswith("--"):
        return _letters(step, word, variables)
    name, equals, value = word.partition("=")
    if equals:
        _set(step, name, value, variables)
        return False
    if name not in KNOWN:
        raise Unreadable(f"srun has no option {name}, so the next word may be its value")
    step.values.setdefault(name, "")
    return name in WITH_VALUE


def _letters(step: Step, word: str, variables: Mapping[str, list[str]]) -> bool:
    for at, letter in enumerate(word[1:], 1):
        rest = word[at + 1 :]
        if letter in LETTERS_WITH_VALUE:
            if rest:
                _set(step, f"-{letter}", rest, variables)
            return not rest
        if letter in LETTERS_WITH_VALUE_OR_NONE:
            return False
        if letter not in LETTERS:
            raise Unreadable(f"srun has no option -{letter}")
    return False


def _set(step: Step, word: str, value: str, variables: Mapping[str, list[str]]) -> None:
    name = word if word.startswith("--") else LONG_NAMES.get(f"-{word[-1]}", word)
    step.values[name] = literal(value, variables) or ""


def _holds_options(word: str, variables: Mapping[str, list[str]], step: Step) -> bool:
    """Whether every assignment of a word such as $SRUN_ARGS or "${opts[@]}" contains only options."""
    match = EXPANSION.fullmatch(word)
    if match is None:
        return False
    values = variables.get(match[1])
    if values is None:
        raise Unreadable(f"the script does not set {word}, so it may hold options of srun")
    own = re.compile(rf"\"?\$\{{?{match[1]}\b(?:\[[@*]\])?\}}?\"?")
    others = {name: value for name, value in variables.items() if name != match[1]}
    held = [own.sub("", value).replace("\n", " ").strip() for value in values]
    steps = [_held(word, value, others) for value in held if value]
    if len({bool(one.options) for one in steps}) > 1:
        raise Unreadable(f"{word} may hold options of srun or a command")
    for one in steps:
        step.values |= one.values
    return not steps or bool(steps[0].options)


def _held(word: str, value: str, variables: Mapping[str, list[str]]) -> Step:
    """A value that consists only of options, or is empty."""
    try:
        held = split(f"{value} {END}", variables)
    except ValueError as broken:
        raise Unreadable(f"{word} may hold options of srun: {broken}") from broken
    if held.options and held.command != END:
        raise Unreadable(f"{word} holds options of srun and a command")
    return held


def literal(value: str, variables: Mapping[str, list[str]]) -> str | None:
    """The value without quotes. Expands a variable with a single assignment. None for other expansions."""
    for _ in range(DEEPEST):
        found = re.search(r"\$\{?(\w+)\}?", value)
        if found is None:
            break
        known = variables.get(found[1], [])
        if len(known) != 1:
            return None
        value = value.replace(found[0], known[0])
    return shellwords.plain(value)
