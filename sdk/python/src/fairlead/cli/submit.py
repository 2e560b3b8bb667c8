"""Commands that submit jobs. They show the plan first."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from fairlead import Fairlead, InvalidRequest, Job, WaitTimeout
from fairlead._time import Deadline
from fairlead._workdir import Archive, WorkdirError, pack
from fairlead.cli import plans, text
from fairlead.cli.actions import Yes
from fairlead.cli.files import Changes, Document, documents, named, of_changes
from fairlead.cli.output import Column, Format, emit, say, show, show_all, terminal
from fairlead.cli.session import Output, UsageProblem, client, duration, hints, session, verb
from fairlead.cli.templates import filling
from fairlead.cli.watching import exit_code, follow
from fairlead.models import PlanResponse

EXIT_INFEASIBLE = 6
NEVER = "not submitted: the job can never start with the current fleet and quota. Change it, or give --anyway"
# the default of the service, and errors of the program
PER_ELEMENT = ":per-element"
RETRIED = [
    "USER_ERROR",
    "NODE_FAILURE",
    "GPU_FAULT",
    "CLUSTER_LOST",
    "NETWORK",
    "START_TIMEOUT",
    "PLACEMENT_CONFLICT",
]
IDS: list[Column[Job]] = [
    Column("ID", lambda job: job.id),
    Column("NAME", lambda job: job.name),
]
app = typer.Typer()

Project = Annotated[str | None, typer.Option("--project", "-p", help="Project to submit to.")]
Timeout = Annotated[
    str | None,
    typer.Option("--timeout", help="Stop waiting after this time, such as 30m. The job continues."),
]


NameOption = Annotated[str | None, typer.Option("--name", "-n", help="Name of the job.")]
GpuOption = Annotated[
    str | None, typer.Option("--gpu", "-g", help="GPUs per worker, such as 1 or H100:8.")
]
QueueOption = Annotated[str | None, typer.Option("--queue", "-q", help="Queue to wait in.")]
ArrayOption = Annotated[
    str | None, typer.Option("--array", help="Run an array with these elements, such as 0-99%10.")
]
EnvOption = Annotated[
    list[str] | None, typer.Option("--env", "-e", help="Set NAME=VALUE. Repeatable.")
]
Anyway = Annotated[
    bool,
    typer.Option(
        "--anyway", help="Submit the job even if it can never start on the current fleet."
    ),
]
WorkdirOption = Annotated[
    Path | None,
    typer.Option(
        "--workdir",
        metavar="DIRECTORY",
        help="Run in a copy of this directory, without files that .gitignore excludes.",
    ),
]
SetupOption = Annotated[
    list[str] | None,
    typer.Option("--setup", help="Shell command before the program. Repeatable."),
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until the job has ended.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan without submitting.")]


@verb(
    app,
    "submit",
    "Submit jobs from YAML or JSON files, after showing their plan",
    "fairlead submit train.yaml",
    "fairlead submit train.yaml --dry-run",
    "fairlead submit train.yaml -y --wait",
    "fairlead submit train.yaml -n lr-3 -e LR=0.003 --gpu H100:8 -- --epochs 4",
    "fairlead submit prep.yaml train.yaml --set placement.clusters=[eu-1]",
    "cat train.yaml | fairlead submit - -y",
    "fairlead submit --template finetune -P model=llama-8b -P lr=1e-4",
    more="A file may have several documents, separated by ---. Words after -- become arguments of "
    "run. Without a terminal -y is needed. With --wait the exit code is 6 when a job can never "
    "start.",
)
def submit(
    context: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE... [-- ARGUMENT...]", help="- is standard input."),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(help="Fill this template, such as finetune, or finetune@3 for version 3."),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-P", help="Set NAME=VALUE of the template. Repeatable."),
    ] = None,
    name: NameOption = None,
    gpu: GpuOption = None,
    queue: QueueOption = None,
    array: ArrayOption = None,
    env: EnvOption = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="PATH=VALUE", help="Set a field, such as retry.maxAttempts=3."
        ),
    ] = None,
    argument: Annotated[list[str] | None, typer.Option("--argument", hidden=True)] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    wait: Wait = False,
    anyway: Anyway = False,
    timeout: Timeout = None,
    project: Project = None,
    workdir: WorkdirOption = None,
    output: Output = Format.TABLE,
) -> None:
    patience = seconds(timeout)
    changes = Changes(
        present(name=name, gpu=gpus(gpu), queue=queue, array=array, env=mapping("--env", env)),
        change or (),
        argument or (),
    )
    if param and template is None:
        raise UsageProblem("--param needs --template")
    if not files and template is None:
        raise UsageProblem("give a FILE or --template")
    archive = packed(workdir)
    with client(context) as fl:
        code = uploaded(fl, archive, project, dry_run=dry_run)
        changes = replace(changes, fields={**changes.fields, **code})
        if template is not None:
            used = filling(fl, template, param, project)
            changes = replace(changes, fields={**changes.fields, "template": used})
        found = (
            documents(files, changes) if files else [of_changes(f"template {template}", changes)]
        )
        if dry_run or not yes or (wait and not anyway):
            found_plans = planned(fl, found, project)
            feasible = all(plan.feasible for plan in found_plans)
            shown = "".join(map(plans.text_of, found_plans))
            if dry_run:
                show_plans(found_plans, output)
            if dry_run or (wait and not feasible and not anyway):
                if not dry_run:
                    sys.stderr.write(shown)
                    say(NEVER)
                raise typer.Exit(0 if feasible else EXIT_INFEASIBLE)
            if not yes:
                confirm(shown, files or ())
        jobs = submitted(fl, found, project)
        show_all(jobs, IDS, output, name=lambda job: job.name) if len(jobs) > 1 else show(
            jobs[0], output, lambda: f"{jobs[0].id}\n", jobs[0].name
        )
        if wait:
            finish(fl, jobs, logs=False, patience=patience)
        for job in jobs:
            warn(job)
            say(f"{job.name} is submitted. Next:\n{hints(job, 'why', 'logs -f', 'cancel')}")


def packed(directory: Path | None) -> Archive | None:
    if directory is None:
        return None
    try:
        archive = pack(directory)
    except WorkdirError as refused:
        raise UsageProblem(f"--workdir: {refused}") from refused
    size = f"{len(archive.content) / 2**20:.1f} MiB"
    say(f"packed {text.count(archive.files, 'file')} of {directory}: {size}, {archive.digest}")
    return archive


def uploaded(
    fl: Fairlead, archive: Archive | None, project: str | None, *, dry_run: bool
) -> dict[str, Any]:
    """The field of a job that names the code. A dry run uploads nothing and therefore sets none."""
    if archive is None or dry_run:
        return {}
    return {"workdir": {"digest": fl.jobs.upload_archive(archive, project=project).digest}}


def planned(fl: Fairlead, found: Sequence[Document], project: str | None) -> list[PlanResponse]:
    found_plans = []
    for one in found:
        try:
            with named(one.where):
                found_plans.append(fl.jobs.plan(one.spec, project=project))
        except InvalidRequest as refused:
            fields = [(error.pointer or "").split("/")[1:2] for error in refused.errors]
            if not found_plans or any(field != ["dependsOn"] for field in fields):
                raise
            say(f"{one.where}: no plan, because it depends on a job that is not submitted yet")
    return found_plans


def show_plans(found_plans: Sequence[PlanResponse], output: Format) -> None:
    for plan in found_plans:
        show(plan, output, lambda plan=plan: plans.text_of(plan), plan.spec.name)  # type: ignore[misc]


def submitted(fl: Fairlead, found: Sequence[Document], project: str | None) -> list[Job]:
    """Submits in the order of the files, because a job may depend on earlier jobs."""
    jobs: list[Job] = []
    try:
        for one in found:
            with named(one.where):
                jobs.append(fl.jobs.submit(one.spec, project=project))
    except BaseException:
        for job in jobs:
            say(f"{job.name} is submitted ({job.id})")
        if jobs:
            say(f"not submitted: {', '.join(one.where for one in found[len(jobs) :])}")
        raise
    return jobs


def present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, {}, [])}


def gpus(given: str | None) -> int | str | None:
    return int(given) if given and given.isdecimal() else given


def cap(given: str | None) -> dict[str, str]:
    """Parses a cost limit of a placement, such as 30/USD."""
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
    "fairlead run --workdir . --setup 'pip install -r requirements.txt' --gpu 1 -- python train.py",
    more="Exit code 0 when it succeeds, 20 when it fails, 21 when it is cancelled. Ctrl-C leaves it running.",
)
def run(
    context: typer.Context,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="What to run.")],
    image: Annotated[
        str | None,
        typer.Option(
            "--image", "-i", help="Container image. Set a default with fairlead config set image."
        ),
    ] = None,
    gpu: GpuOption = None,
    workers: Annotated[
        int, typer.Option("--workers", "-w", min=1, max=10_000, help="Workers, started together.")
    ] = 1,
    min_workers: Annotated[
        int | None, typer.Option(min=1, help="Start with fewer workers, and grow and shrink.")
    ] = None,
    array: ArrayOption = None,
    name: NameOption = None,
    cpu: Annotated[str | None, typer.Option(help="Per worker, such as 16.")] = None,
    memory: Annotated[str | None, typer.Option(help="Per worker, such as 64Gi.")] = None,
    queue: QueueOption = None,
    priority: Annotated[str | None, typer.Option(help="low, normal, high or urgent.")] = None,
    launcher: Annotated[
        str | None,
        typer.Option(
            help="Launcher such as torchrun, deepspeed, jax or mpi. See `fairlead job launcher list`."
        ),
    ] = None,
    ray_pool: Annotated[
        str | None,
        typer.Option(help="Ray pool of the project, for the tasks of the program."),
    ] = None,
    topology: Annotated[str | None, typer.Option(help='Such as block, or "prefer block".')] = None,
    max_runtime: Annotated[
        str | None, typer.Option(help="Time limit, such as 4h, after which the job is stopped.")
    ] = None,
    max_cost: Annotated[
        str | None, typer.Option(help="Cost limit at the start, such as 30/USD.")
    ] = None,
    env: EnvOption = None,
    secret: Annotated[
        list[str] | None,
        typer.Option(help="Set NAME=SECRET.KEY from a secret. Repeatable."),
    ] = None,
    volume: Annotated[
        list[str] | None,
        typer.Option(help="Mount VOLUME:/PATH[:ro]. Repeatable."),
    ] = None,
    depends_on: Annotated[
        list[str] | None,
        typer.Option(
            help="Start after JOB[:SUCCEEDED, FAILED, ENDED or STARTED]. With :per-element at the "
            "end, each element of --array waits only for the element of its index. Repeatable."
        ),
    ] = None,
    begin: Annotated[
        str | None, typer.Option(help="Earliest start: a time, or a duration from now such as 2h.")
    ] = None,
    retry: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Maximum number of attempts, including attempts that failed through the job's "
            "own error.",
        ),
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", "-l", help="key=value; repeatable.")
    ] = None,
    annotation: Annotated[
        list[str] | None, typer.Option(help="key=value; for simulated clusters.")
    ] = None,
    timeout: Timeout = None,
    detach: Annotated[bool, typer.Option("--detach", "-d", help="Do not follow it.")] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    anyway: Anyway = False,
    project: Project = None,
    workdir: WorkdirOption = None,
    setup: SetupOption = None,
) -> None:
    image = image or session(context).settings().image
    if image is None:
        raise UsageProblem("no image: give --image, or once: fairlead config set image IMAGE")
    spec = present(
        name=name,
        image=image,
        run=command,
        setup=setup,
        gpu=gpus(gpu),
        workers=workers,
        minWorkers=min_workers,
        array=array,
        cpu=cpu,
        memory=memory,
        queue=queue,
        priorityClass=priority,
        launcher=launcher,
        rayPool=ray_pool,
        topology=topology,
        maxRuntime=max_runtime,
        notBefore=start_time(begin),
        placement=cap(max_cost),
        env=mapping("--env", env),
        secretEnv=secrets(secret),
        volumes=volumes(volume),
        dependsOn=dependencies(depends_on),
        retry=retries(retry),
        labels=mapping("--label", label),
        annotations=mapping("--annotation", annotation),
    )
    patience = seconds(timeout)
    archive = packed(workdir)
    with client(context) as fl:
        spec.update(uploaded(fl, archive, project, dry_run=dry_run))
        if dry_run or not (yes and anyway):
            look_first(fl, spec, project, dry_run=dry_run, yes=yes, anyway=anyway)
        job = fl.jobs.submit(spec, project=project)
        warn(job)
        if detach:
            emit(f"{job.id}\n")
            say(hints(job, "logs -f", "why", "cancel"))
            return
        say(f"{job.name} is submitted ({job.id}); Ctrl-C does not stop it")
        finish(fl, [job], logs=True, patience=patience)


def look_first(
    fl: Fairlead,
    spec: dict[str, Any],
    project: str | None,
    *,
    dry_run: bool,
    yes: bool,
    anyway: bool,
) -> None:
    """Shows the plan, and gives the job the name in the plan. Exits with 6 for a job that can never start."""
    plan = fl.jobs.plan(spec, project=project)
    spec.setdefault("name", plan.spec.name)
    if dry_run:
        emit(plans.text_of(plan))
        raise typer.Exit(0 if plan.feasible else EXIT_INFEASIBLE)
    if not yes or not plan.feasible:
        sys.stderr.write(plans.text_of(plan))
    if not plan.feasible and not anyway:
        say(NEVER)
        raise typer.Exit(EXIT_INFEASIBLE)
    if not yes and not plan.starts_now and sys.stdin.isatty() and terminal(sys.stderr):
        agreed()


def secrets(pairs: Sequence[str] | None) -> dict[str, Any]:
    found = {}
    for pair in pairs or ():
        name, equals, source = pair.partition("=")
        secret, dot, key = source.partition(".")
        if not (name and equals and secret and dot and key):
            raise UsageProblem(f"--secret {pair!r} is not NAME=SECRET.KEY")
        found[name] = {"secret": secret, "key": key}
    return found


def volumes(mounts: Sequence[str] | None) -> list[dict[str, Any]]:
    found = []
    for mount in mounts or ():
        volume, _, rest = mount.partition(":")
        path, colon, mode = rest.partition(":")
        if not volume or not path.startswith("/") or (colon and mode not in ("ro", "rw")):
            raise UsageProblem(f"--volume {mount!r} is not VOLUME:/PATH or VOLUME:/PATH:ro")
        found.append(
            {"volume": volume, "mountPath": path, **({"readOnly": True} if mode == "ro" else {})}
        )
    return found


def dependencies(jobs: Sequence[str] | None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for one in jobs or ():
        whole = one.removesuffix(PER_ELEMENT)
        job, _, on = whole.partition(":")
        each = {} if whole == one else {"perElement": True}
        found.append({"job": job, "condition": (on or "SUCCEEDED").upper(), **each})
    return found


def retries(most: int | None) -> dict[str, Any]:
    return {} if most is None else {"maxAttempts": most, "on": RETRIED}


def start_time(begin: str | None) -> str | None:
    """A time, or a duration from now."""
    if begin is None:
        return None
    try:
        return (text.now() + text.duration(begin)).isoformat(timespec="seconds")
    except ValueError:
        return begin


def finish(fl: Fairlead, jobs: Sequence[Job], *, logs: bool, patience: float | None) -> None:
    """Exits with the code of the first job that did not succeed."""
    until, codes = Deadline(patience), []
    for job in jobs:
        try:
            codes.append(exit_code(follow(fl, job, logs=logs, timeout=until.left())))
        except WaitTimeout:
            say(f"{job.name} is not stopped:\n{hints(job, 'logs -f', 'why', 'cancel')}")
            raise
    raise typer.Exit(next((code for code in codes if code), 0))


def warn(job: Job) -> None:
    for warning in job.warnings:
        say(f"warning: {text.safe(warning)}")


def mapping(option: str, pairs: Sequence[str] | None) -> dict[str, str]:
    wrong = next((pair for pair in pairs or () if "=" not in pair or pair.startswith("=")), None)
    if wrong is not None:
        raise UsageProblem(f"{option} {wrong!r} is not NAME=VALUE")
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs or ())}


def seconds(given: str | None) -> float | None:
    return None if given is None else duration("--timeout", given).total_seconds()


def confirm(shown: str, files: Sequence[str]) -> None:
    if "-" in files or not sys.stdin.isatty() or not terminal(sys.stderr):
        raise UsageProblem(
            "not a terminal, cannot ask for confirmation: pass -y, or --dry-run to see the "
            "placement"
        )
    sys.stderr.write(shown)
    agreed()


def agreed() -> None:
    if not typer.confirm("Submit it?", default=True, err=True):
        say("nothing submitted")
        raise typer.Exit(0)


class Described(str, Enum):
    JOB = "job"


@verb(
    app,
    "job schema",
    "Print the JSON Schema of a job file",
    "fairlead job schema job > job.schema.json",
    more="An editor with the YAML language server checks and completes a job file with the first line "
    "# yaml-language-server: $schema=./job.schema.json",
)
def schema(
    context: typer.Context,
    _: Annotated[Described, typer.Argument(metavar="KIND", help="job.")],
) -> None:
    with client(context) as fl:
        emit(json.dumps(fl.jobs.schema(), indent=2) + "\n")
