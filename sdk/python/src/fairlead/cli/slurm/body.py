"""The script itself: what starts it, what `srun` started, and the variables that it reads."""

from __future__ import annotations

import re

from fairlead.cli.slurm import commands
from fairlead.cli.slurm.directives import Note, Script

POSIX = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh"})
VARIABLE = re.compile(r"\bSLURM_\w+")
SRUN = re.compile(r"^(\s*)srun(?=\s)(.*)$")
HIDDEN_SRUN = re.compile(r"(?<![\w./-])srun(?=\s)")
OTHERS = re.compile(
    r"(?<![\w./-])(sacct|salloc|sattach|sbatch|sbcast|scancel|scontrol|squeue|sstat)(?=\s)"
)
EVERY_WORKER = "Slurm runs it on the first node, Fairlead on every worker"
MARK = "END_OF_SBATCH_SCRIPT"
# options of srun(1) whose value is a word of its own
SHORT_WITH_VALUE = frozenset("-" + letter for letter in "nNctpAJoeiGwxCDmdTrMLSB")
OPTIONS = """
    --ntasks --nodes --cpus-per-task --time --partition --account --job-name --output --error
    --input --gpus --gpus-per-node --gpus-per-task --gres --nodelist --exclude --constraint --chdir
    --distribution --mpi --mem --mem-per-cpu --mem-per-gpu --cpu-bind --gpu-bind --mem-bind
    --ntasks-per-node --threads --relative --container-image --container-mounts --container-workdir
    --export --multi-prog --dependency --qos --het-group --jobid --wait --kill-on-bad-exit
    --ntasks-per-core --hint --network --signal --task-epilog --task-prolog
"""
WITH_VALUE = frozenset(OPTIONS.split())


def read(script: Script, text: str, body: list[str], first: int) -> None:
    """Sets `run`; `first` is the number of the first line of the body."""
    lines = [line for line in body if not line.startswith("#SBATCH")]
    if not "".join(lines).strip():
        script.notes.append(Note(first, "end of the script", "there is no command"))
        return
    interpreter = text.split("\n", 1)[0].removeprefix("#!").split() if text.startswith("#!") else []
    shell = not interpreter or _program(interpreter) in POSIX
    several = script.spec.get("workers", 1) > 1
    used = _variables(script, body, first)
    script.notes += [
        Note(number, found[1], "belongs to Slurm, and no image has it")
        for number, line in enumerate(body, first)
        if not line.lstrip().startswith("#") and (found := OTHERS.search(line))
    ]
    if shell:
        lines = _shell_lines(script, body, first)
        if several:
            script.notes += [Note(*one, EVERY_WORKER) for one in commands.started(body, first)]
    else:
        if several:
            script.notes.append(Note(1, f"#!{' '.join(interpreter)}", EVERY_WORKER))
        script.notes += [
            Note(number, line.strip(), "starts what Slurm has; Fairlead has no srun")
            for number, line in enumerate(body, first)
            if HIDDEN_SRUN.search(line)
        ]
    exports = [f"export {name}={value}" for name, value in used.items()]
    started = lines if shell else _another_program(interpreter, lines)
    run = "\n".join([*exports, *started]).strip() + "\n"
    plain = not shell or not interpreter or interpreter in (["/bin/sh"], ["/bin/dash"])
    script.spec["run"] = run if plain else [*interpreter, "-c", run]


def _program(interpreter: list[str]) -> str:
    """The name of what reads the script, also behind env and its options."""
    name, *others = (word.rsplit("/", 1)[-1] for word in interpreter)
    if name != "env":
        return name
    return next((one for one in others if not one.startswith("-") and "=" not in one), name)


def _another_program(interpreter: list[str], lines: list[str]) -> list[str]:
    """A script for Python and the like, written to a file and started by a shell."""
    file = '"${TMPDIR:-/tmp}/sbatch-script"'
    return [f"cat > {file} <<'{MARK}'", *lines, MARK, f"exec {' '.join(interpreter)} {file}"]


def _variables(script: Script, body: list[str], first: int) -> dict[str, str]:
    """Those of Slurm that the script names and those that its program gets anyway."""
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
    used = {name: known[name] for name in sorted(script.always)}
    for number, line in enumerate(body, first):
        for name in [] if line.startswith("#SBATCH") else VARIABLE.findall(line):
            if name in known:
                used[name] = known[name]
            else:
                script.notes.append(Note(number, name, "is not set by Fairlead"))
    return used


def _shell_lines(script: Script, body: list[str], first: int) -> list[str]:
    lines = []
    begun = ""  # an srun whose command is on the next line
    for number, line in enumerate(body, first):
        words = line.lstrip()
        if words.startswith("#SBATCH"):
            continue
        if words.startswith(("module ", "ml ", "source activate", "conda activate")):
            script.notes.append(Note(number, line.strip(), "belongs into the image"))
        if not words.startswith("#"):
            left = _without_srun(script, f"{begun}{words}" if begun else line, number)
            begun = f"{line[: -len(words)]}srun " if left == "\\" else ""
            if begun:
                continue
            line = left
        lines.append(line)
    return lines


def _without_srun(script: Script, line: str, number: int) -> str:
    """A line that srun begins is started on every worker; elsewhere it stays and is named."""
    match = SRUN.match(line)
    left = line
    if match is not None:
        options, command = _split_options(match[2])
        if options:
            why = "options of srun are dropped: every worker runs it once"
            script.notes.append(Note(number, f"srun {' '.join(options)}", why))
        left = command if command == "\\" else match[1] + command
    if HIDDEN_SRUN.search(left):
        why = (
            "srun within a command stays as it is, and Fairlead has none; with launcher: torchrun "
            "MASTER_ADDR is set"
        )
        script.notes.append(Note(number, line.strip(), why))
    return left


def _split_options(text: str) -> tuple[list[str], str]:
    """Options of srun and the command behind them."""
    options: list[str] = []
    rest = text.lstrip()
    while rest.startswith("-"):
        word, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if word == "--":
            break
        options.append(word)
        if word in SHORT_WITH_VALUE or word in WITH_VALUE:
            value, _, rest = rest.partition(" ")
            options[-1] = f"{word} {value}"
            rest = rest.lstrip()
    return options, rest
