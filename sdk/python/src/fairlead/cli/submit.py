"""Verbs that submit jobs: the answer to "what would I get" comes first."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from fairlead import Fairlead, Job, WaitTimeout
from fairlead.cli import plans, text
from fairlead.cli.output import Format, emit, say, show, terminal
from fairlead.cli.session import Output, UsageProblem, client, hints, session, verb
from fairlead.cli.watching import exit_code, follow

EXIT_INFEASIBLE = 6
LARGEST_FILE = 1024 * 1024
app = typer.Typer()

Spec = Mapping[str, Any] | str
Project = Annotated[str | None, typer.Option("--project", "-p", help="Project to submit to.")]
Timeout = Annotated[
    str | None,
    typer.Option("--timeout", help="Give up waiting after, such as 30m; the job goes on."),
]


@verb(
    app,
    "submit",
    "Submit a job from a YAML or JSON file, after showing what it would get",
    "fairlead submit train.yaml",
    "fairlead submit train.yaml --dry-run",
    "fairlead submit train.yaml -y --wait",
    "cat train.yaml | fairlead submit - -y",
    more="Without a terminal -y is needed.",
)
def submit(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="- is standard input.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what it would get.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Until it has ended.")] = False,
    timeout: Timeout = None,
    project: Project = None,
    output: Output = Format.TABLE,
) -> None:
    patience = seconds(timeout)
    spec = text_of(file)
    with client(context) as fl:
        if dry_run:
            told = fl.jobs.plan(spec, project=project)
            show(told, output, lambda: plans.text_of(told), told.spec.name)
            raise typer.Exit(0 if told.feasible else EXIT_INFEASIBLE)
        if not yes:
            confirm(plans.text_of(fl.jobs.plan(spec, project=project)), file)
        job = fl.jobs.submit(spec, project=project)
        show(job, output, lambda: f"{job.id}\n", job.name)
        if wait:
            finish(fl, job, logs=False, patience=patience)
        warn(job)
        say(f"{job.name} is submitted. Next:\n{hints(job, 'why', 'logs -f', 'cancel')}")


def cap(given: str | None) -> dict[str, str]:
    """30/USD as what a placement may cost."""
    if given is None:
        return {}
    amount, slash, currency = given.partition("/")
    if not amount or not slash or not currency:
        raise typer.BadParameter(f"--max-cost takes 30/USD, not {text.safe(given)}")
    return {"maxCost": amount, "currency": currency}


@verb(
    app,
    "run",
    "Run a command as a job and follow it to its end",
    "fairlead run --image nvidia/cuda:12.8.1-base-ubuntu24.04 --gpu 1 -- nvidia-smi",
    "fairlead run --gpu H100:8 -w 4 --launcher torchrun -- train.py --config cfg.yaml",
    more="Exit code 0 when it succeeds, 20 when it fails, 21 when it is cancelled. Ctrl-C leaves it running.",
)
def run(
    context: typer.Context,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="What to run.")],
    image: Annotated[
        str | None, typer.Option("--image", "-i", help="Or once: fairlead config set image.")
    ] = None,
    gpu: Annotated[
        str | None, typer.Option("--gpu", "-g", help="Per worker, such as 1 or H100:8.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, max=10_000)] = 1,
    name: Annotated[str | None, typer.Option("--name", "-n")] = None,
    cpu: Annotated[str | None, typer.Option(help="Per worker, such as 16.")] = None,
    memory: Annotated[str | None, typer.Option(help="Per worker, such as 64Gi.")] = None,
    queue: Annotated[str | None, typer.Option("--queue", "-q")] = None,
    priority: Annotated[str | None, typer.Option(help="low, normal, high or urgent.")] = None,
    launcher: Annotated[
        str | None, typer.Option(help="torchrun starts a process for each GPU.")
    ] = None,
    topology: Annotated[str | None, typer.Option(help='Such as block, or "prefer block".')] = None,
    max_runtime: Annotated[str | None, typer.Option(help="Such as 4h; stopped then.")] = None,
    max_cost: Annotated[
        str | None, typer.Option(help="Such as 30/USD: starts where it costs no more by then.")
    ] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", "-e", help="NAME=VALUE; repeatable.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", "-l", help="key=value; repeatable.")
    ] = None,
    annotation: Annotated[
        list[str] | None, typer.Option(help="key=value; for simulated clusters.")
    ] = None,
    timeout: Timeout = None,
    detach: Annotated[bool, typer.Option("--detach", "-d", help="Do not follow it.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not look first at what it would get.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what it would get.")
    ] = False,
    project: Project = None,
) -> None:
    image = image or session(context).settings().image
    if image is None:
        raise UsageProblem("no image: give --image, or once: fairlead config set image IMAGE")
    wanted: dict[str, Any] = {
        "name": name,
        "image": image,
        "run": command,
        "gpu": int(gpu) if gpu and gpu.isdecimal() else gpu,
        "workers": workers,
        "cpu": cpu,
        "memory": memory,
        "queue": queue,
        "priorityClass": priority,
        "launcher": launcher,
        "topology": topology,
        "maxRuntime": max_runtime,
        "placement": cap(max_cost),
        "env": mapping("--env", env),
        "labels": mapping("--label", label),
        "annotations": mapping("--annotation", annotation),
    }
    spec = {key: value for key, value in wanted.items() if value not in (None, {})}
    patience = seconds(timeout)
    with client(context) as fl:
        if dry_run or not yes:
            told = fl.jobs.plan(spec, project=project)
        if dry_run:
            emit(plans.text_of(told))
            raise typer.Exit(0 if told.feasible else EXIT_INFEASIBLE)
        if not yes:
            sys.stderr.write(plans.text_of(told))
            if not told.starts_now and sys.stdin.isatty() and terminal(sys.stderr):
                agreed()
        job = fl.jobs.submit(spec, project=project)
        warn(job)
        if detach:
            emit(f"{job.id}\n")
            say(hints(job, "logs -f", "why", "cancel"))
            return
        say(f"{job.name} is submitted ({job.id}); Ctrl-C leaves it running")
        finish(fl, job, logs=True, patience=patience)


def finish(fl: Fairlead, job: Job, *, logs: bool, patience: float | None) -> None:
    """Ends the command with the exit code of the job."""
    try:
        ended = follow(fl, job, logs=logs, timeout=patience)
    except WaitTimeout:
        say(f"{job.name} goes on:\n{hints(job, 'logs -f', 'why', 'cancel')}")
        raise
    raise typer.Exit(exit_code(ended))


def warn(job: Job) -> None:
    for warning in job.warnings:
        say(f"warning: {text.safe(warning)}")


def mapping(option: str, pairs: Sequence[str] | None) -> dict[str, str]:
    wrong = next((pair for pair in pairs or () if "=" not in pair or pair.startswith("=")), None)
    if wrong is not None:
        raise UsageProblem(f"{option} {wrong!r} is not NAME=VALUE")
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs or ())}


def seconds(duration: str | None) -> float | None:
    try:
        return None if duration is None else text.duration(duration).total_seconds()
    except ValueError as wrong:
        raise UsageProblem(f"--timeout: {wrong}") from None


def text_of(file: str) -> str:
    """The file as it is: the service reads YAML, and tells line and column of what is wrong."""
    try:
        data = sys.stdin.buffer.read(LARGEST_FILE + 1) if file == "-" else read_file(Path(file))
    except OSError as broken:
        raise UsageProblem(f"{file}: {broken.strerror or broken}") from broken
    if len(data) > LARGEST_FILE:
        raise UsageProblem(f"{file} is larger than 1 MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise UsageProblem(f"{file} is not UTF-8 at byte {wrong.start}") from wrong


def read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST_FILE + 1)


def confirm(shown: str, file: str) -> None:
    if file == "-" or not sys.stdin.isatty() or not terminal(sys.stderr):
        raise UsageProblem(
            "not a terminal, nobody to ask: give -y, or --dry-run to see what it would get"
        )
    sys.stderr.write(shown)
    agreed()


def agreed() -> None:
    if not typer.confirm("Submit it?", default=True, err=True):
        say("nothing submitted")
        raise typer.Exit(0)
