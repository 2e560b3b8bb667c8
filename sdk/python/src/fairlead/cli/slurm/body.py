"""The script body: its interpreter, the commands under `srun`, and its variables."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping

from fairlead.cli.slurm import commands, shellwords, srun, torchrun
from fairlead.cli.slurm.directives import Note, Script

POSIX = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh"})
VARIABLE = re.compile(r"\bSLURM_\w+")
HIDDEN_SRUN = re.compile(r"(?:(?<![\w./-])|(?<=/bin/))srun(?![\w./=-])")
OTHERS = re.compile(
    r"(?<![\w./-])(sacct|salloc|sattach|sbatch|sbcast|scancel|scontrol|squeue|sstat)(?=\s)"
)
# at the start of a command
REMOTE = re.compile(
    r"(?:^|[;|&(`]|\b(?:do|then|else|time|exec|nohup)\s)\s*(ssh|pdsh|clush|rsh)(?=\s)"
)
CONTAINER = re.compile(
    r"(?<![\w./-])(apptainer|singularity|docker|podman|enroot|shifter|ch-run)(?=\s+(?:run|exec|start|-|/|\$|\w))"
)
# variables that sites and launchers set on their nodes, not in an image
SITE = re.compile(
    r"\$\{?(SCRATCH|WORK|STORE|ARCHIVE|LSCRATCH|LOCALSCRATCH|MASTER_ADDR|MASTER_PORT|(?:PBS|LSB)_\w+)(?![\w:])"
)
EVERY_WORKER = "Slurm runs it on the first node, Fairlead on every worker"
MARK = "END_OF_SBATCH_SCRIPT"
OF_A_CONTAINER = {
    "--container-mounts": "the mounts of a step cannot be carried over: write volumes",
    "--container-workdir": "write cd in front of the command",
}


def read(script: Script, text: str, body: list[str], first: int) -> None:
    """Sets `run`. `first` is the number of the first line of the body."""
    lines = [line for line in body if not line.startswith("#SBATCH")]
    if not "".join(lines).strip():
        script.notes.append(Note(first, "end of the script", "there is no command"))
        return
    interpreter = text.split("\n", 1)[0].removeprefix("#!").split() if text.startswith("#!") else []
    shell = not interpreter or _program(interpreter) in POSIX
    modules = list(_modules(body, first)) if shell else []
    launched = torchrun.recognized(script, body, first) if shell else None
    if launched is not None:
        script.notes += modules
        _container(script, launched.step, launched.line)
        torchrun.carry_over(script, launched)
        return
    several = script.spec.get("workers", 1) > 1
    used = _variables(script, body, first)
    script.notes += [
        Note(number, found[1], "belongs to Slurm, and no image has it")
        for number, line in enumerate(body, first)
        if not line.lstrip().startswith("#") and (found := OTHERS.search(line))
    ]
    script.notes += [
        Note(
            number,
            found[1],
            "members run no SSH server, and each starts the command: read FAIRLEAD_INDEX",
        )
        for number, line in enumerate(body, first)
        if not line.lstrip().startswith("#") and (found := REMOTE.search(line))
    ]
    script.notes += _of_the_site(script, body, first)
    if shell:
        script.notes += modules
        lines = _shell_lines(script, body, first)
        if several:
            script.notes += [Note(*one, EVERY_WORKER) for one in commands.started(body, first)]
    else:
        if several:
            script.notes.append(Note(1, f"#!{' '.join(interpreter)}", EVERY_WORKER))
        script.notes += [
            Note(number, line.strip(), "starts Slurm tools; Fairlead has no srun")
            for number, line in enumerate(body, first)
            if HIDDEN_SRUN.search(line)
        ]
    exports = [f"export {name}={value}" for name, value in used.items()]
    started = lines if shell else _another_program(interpreter, lines)
    run = "\n".join([*exports, *started]).strip() + "\n"
    plain = not shell or not interpreter or interpreter in (["/bin/sh"], ["/bin/dash"])
    script.spec["run"] = run if plain else [*interpreter, "-c", run]


def _program(interpreter: list[str]) -> str:
    """The interpreter of the script, also after env and its options."""
    name, *others = (word.rsplit("/", 1)[-1] for word in interpreter)
    if name != "env":
        return name
    return next((one for one in others if not one.startswith("-") and "=" not in one), name)


def _another_program(interpreter: list[str], lines: list[str]) -> list[str]:
    """A script for another interpreter, such as Python, written to a file and started by a shell."""
    file = '"${TMPDIR:-/tmp}/sbatch-script"'
    return [f"cat > {file} <<'{MARK}'", *lines, MARK, f"exec {' '.join(interpreter)} {file}"]


def _variables(script: Script, body: list[str], first: int) -> dict[str, str]:
    """Slurm variables in the script, and the variables that its program always gets."""
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


def _of_the_site(script: Script, body: list[str], first: int) -> Iterator[Note]:
    """Notes on node-level container programs, and on variables that neither the script nor
    Fairlead sets."""
    known = {*shellwords.assignments(body), *script.spec.get("env", {})}
    for number, line in enumerate(body, first):
        if line.lstrip().startswith("#"):
            continue
        if found := CONTAINER.search(line):
            why = "the job runs in its image: set image, and run the command itself"
            yield Note(number, found[1], why)
        for name in dict.fromkeys(SITE.findall(line)):
            if name not in known:
                yield Note(number, name, "is not set in an image: set env, or write the value")


def _modules(body: list[str], first: int) -> Iterator[Note]:
    for number, line in enumerate(body, first):
        if line.lstrip().startswith(("module ", "ml ", "source activate", "conda activate")):
            yield Note(number, line.strip(), "belongs in the image")


def _shell_lines(script: Script, body: list[str], first: int) -> list[str]:
    lines = []
    variables = shellwords.assignments(body)
    left = deque(enumerate(body, first))
    while left:
        number, line = left.popleft()
        words = line.lstrip()
        if words.startswith("#SBATCH"):
            continue
        if not words.startswith("#"):
            lines += _without_srun(script, line, number, left, variables)
        else:
            lines.append(line)
    return lines


def _without_srun(
    script: Script,
    line: str,
    number: int,
    below: deque[tuple[int, str]],
    variables: Mapping[str, list[str]],
) -> list[str]:
    """Removes srun at the beginning of a line, and reports srun elsewhere. Consumes lines from
    `below` while the
    options of srun continue there."""
    match = srun.LINE.match(line)
    text = line
    if match is not None:
        try:
            step = _step(match[2], below, variables)
        except ValueError as broken:
            why = f"the line does not run here: {broken}"
            script.notes.append(Note(number, line.strip(), why))
            return [line]
        if step.options:
            why = "options of srun are dropped: every worker runs it once"
            script.notes.append(Note(number, f"srun {' '.join(step.options)}", why))
        _container(script, step, number)
        text = match[1] + step.command
    if HIDDEN_SRUN.search(text):
        why = (
            "srun inside a command is not converted, and Fairlead has no srun; with launcher: "
            "torchrun, MASTER_ADDR is set"
        )
        script.notes.append(Note(number, line.strip(), why))
    return text.split("\n")


def _step(
    text: str, below: deque[tuple[int, str]], variables: Mapping[str, list[str]]
) -> srun.Step:
    """Reads the following lines while options continue there."""
    taken: list[tuple[int, str]] = []
    while True:
        try:
            step = srun.split(text, variables)
            if step.command != "\\":
                return step
        except ValueError:
            if not below or not (text.endswith("\\") or _open(text)):
                below.extendleft(reversed(taken))
                raise
        if not below:
            raise srun.Unreadable("there is no command")
        taken.append(below.popleft())
        text = f"{text}\n{taken[-1][1]}"


def _open(text: str) -> bool:
    try:
        shellwords.words(text)
    except shellwords.Unclosed:
        return True
    return False


def _container(script: Script, step: srun.Step, number: int) -> None:
    """Uses the container image of a step, as given for pyxis."""
    for option, why in OF_A_CONTAINER.items():
        if option in step.values:
            script.notes.append(Note(number, option, why))
    if "--container-image" not in step.values or script.image:
        return
    value = step.values["--container-image"]
    if not value:
        why = "the image is not known before the script runs: give --image"
        script.notes.append(Note(number, "--container-image", why))
        return
    image = image_of(value)
    if image is None:
        why = "is a file: push the image to a registry and give --image"
        script.notes.append(Note(number, f"--container-image={value}", why))
    elif script.spec.setdefault("image", image) != image:
        why = f"a job has one image, {script.spec['image']}: write roles"
        script.notes.append(Note(number, f"--container-image={value}", why))


def image_of(name: str) -> str | None:
    """The reference of an image. pyxis separates registry and image by a #. None for a file."""
    reference = re.sub(r"^[a-z]+://", "", name)
    if reference.startswith(("/", ".")) or reference.endswith(".sqsh"):
        return None
    return reference.replace("#", "/", 1)
