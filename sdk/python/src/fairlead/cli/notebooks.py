"""Commands for notebooks: jobs with the launcher of a session type, reached through the service."""

from __future__ import annotations

import contextlib
import json
import re
import time
import webbrowser
from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated, Any

import typer

from fairlead import Conflict, Fairlead, Job
from fairlead._session import OUTPUT, RESULT, execute, exit_code
from fairlead.cli import text
from fairlead.cli.actions import listing, noun
from fairlead.cli.output import Column, emit, say
from fairlead.cli.session import (
    OneJob,
    UsageProblem,
    client,
    duration,
    handle,
    help_text,
    session,
)
from fairlead.cli.sessions import listen, serve
from fairlead.cli.submit import (
    Anyway,
    EnvOption,
    GpuOption,
    Project,
    QueueOption,
    gpus,
    look_first,
    mapping,
    present,
    volumes,
    warn,
)

app = noun("Start, open, stop and extend notebooks on GPUs.")
LABEL = "session"
# session types that Fairlead ships. Operators add launchers of their own
TYPES = ("jupyter", "code-server", "ssh")
FILE = "/tmp/fairlead-session/session.json"
# seconds until the server of a running member must be ready, and between two checks
READY, LOOK = 300, 1.0
# printable characters after the port, and the largest session file in bytes
PATH, MOST = re.compile(r"/[!-~]{0,2000}"), 64 * 1024
# an older report leaves the activity unknown
FRESH = timedelta(minutes=2)

NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address only.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Local port. 0: any free.")]


@app.command(
    "start",
    help=help_text(
        "Start a JupyterLab or another session type on a GPU, wait until it is ready, and open it at "
        "a local address. The job is suspended after --idle without activity. Ctrl-C closes the "
        "connection, and the notebook continues.",
        "fairlead notebook start --image quay.io/jupyter/pytorch-notebook:cuda12-latest --gpu H100:0.5",
        "fairlead notebook start -n eda --volume files:/files --idle 1h --max-runtime 8h",
        "fairlead notebook start -n code --type code-server --image codercom/code-server:4.139.1",
    ),
    short_help="Start a notebook and open it",
)
def start(
    context: typer.Context,
    image: Annotated[
        str | None,
        typer.Option(
            "--image", "-i", help="With the server and python3. Or: fairlead config set image."
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option("--type", help="jupyter, code-server, ssh, or a launcher of your own."),
    ] = TYPES[0],
    gpu: GpuOption = None,
    name: Annotated[str | None, typer.Option("--name", "-n", help="Name of the notebook.")] = None,
    cpu: Annotated[str | None, typer.Option(help="Such as 16.")] = None,
    memory: Annotated[str | None, typer.Option(help="Such as 64Gi.")] = None,
    queue: QueueOption = None,
    env: EnvOption = None,
    volume: Annotated[
        list[str] | None,
        typer.Option(help="Mount VOLUME:/PATH[:ro]. The session begins in the first volume."),
    ] = None,
    idle: Annotated[
        str, typer.Option(help="Suspend the notebook after this time without activity, or never.")
    ] = "2h",
    max_runtime: Annotated[
        str, typer.Option(help="Time limit. The command extend changes it.")
    ] = "12h",
    port: Port = 0,
    no_browser: NoBrowser = False,
    detach: Annotated[bool, typer.Option("--detach", "-d", help="Do not open it.")] = False,
    anyway: Anyway = False,
    project: Project = None,
) -> None:
    began = time.monotonic()
    mounts = volumes(volume)
    folder = {"SESSION_FOLDER": mounts[0]["mountPath"]} if mounts else {}
    spec = present(
        name=name,
        image=image_of(context, image),
        launcher=kind,
        gpu=part(gpu),
        cpu=cpu,
        memory=memory,
        queue=queue,
        maxRuntime=max_runtime,
        env=folder | mapping("--env", env),
        volumes=mounts,
        labels={LABEL: kind},
        progress=idle_after(idle),
    )
    with client(context) as fl:
        look_first(fl, spec, project, dry_run=False, yes=True, anyway=anyway)
        job = fl.jobs.submit(spec, project=project)
        warn(job)
        warm = job.state == "RUNNING"
        say(f"{job.name} is {'taken from a warm pool' if warm else 'submitted'} ({job.id})")
        if detach:
            emit(f"{job.id}\n")
            say(f"  fairlead {'job ssh' if kind == 'ssh' else 'notebook open'} {handle(job)}")
            return
        connect(fl, job, port, no_browser, began)


def image_of(context: typer.Context, image: str | None) -> str:
    image = image or session(context).settings().image
    if image is None:
        raise UsageProblem("no image: give --image, or once: fairlead config set image IMAGE")
    return image


def idle_after(idle: str) -> dict[str, str]:
    return {} if idle == "never" else {"timeout": idle, "onTimeout": "SUSPEND"}


def part(gpu: str | None) -> Any:
    """H100:0.5 and 0.5 are half a GPU. Also accepts the other forms of `fairlead run`."""
    model, _, share = (gpu or "").rpartition(":")
    if not re.fullmatch(r"0\.[0-9]+", share):
        return gpus(gpu)
    return present(model=model or None, fraction=float(share))


@app.command(
    "open",
    help=help_text(
        "Open a notebook at a local address until Ctrl-C. A suspended notebook is resumed first.",
        "fairlead notebook open eda",
        "fairlead notebook open eda --port 8888 --no-browser",
        "fairlead notebook open eda --web",
    ),
    short_help="Open a notebook, resuming it if it is suspended",
)
def open_(
    context: typer.Context,
    job: OneJob,
    port: Port = 0,
    no_browser: NoBrowser = False,
    web: Annotated[
        bool,
        typer.Option(
            "--web",
            help="Open the page through the service, so that this command can end.",
        ),
    ] = False,
) -> None:
    if web and port:
        raise UsageProblem("--web opens no local port: remove --port")
    with client(context) as fl:
        found = only(context, fl, job)
        if not web:
            connect(fl, found, port, no_browser)
            return
        found = running(fl, found)
        told_by(fl, found)
        link = fl.jobs.session_link(found.id).url or ""
    emit(f"{link}\n")
    say("The link can be opened for a minute. The page then remains open for hours.")
    if not no_browser:
        webbrowser.open(link)


def only(context: typer.Context, fl: Fairlead, job: str) -> Job:
    return fl.jobs.only(job, project=session(context).project_in_use())


def connect(
    fl: Fairlead, job: Job, port: int, no_browser: bool, began: float | None = None
) -> None:
    found = running(fl, job)
    told = told_by(fl, found)
    if began is not None:
        say(f"{found.name} is ready after {time.monotonic() - began:.1f}s")
    if told.strip() == b"{}":
        say(f"{found.name} is ready but serves no page: fairlead job ssh {handle(found)}")
        return
    remote, path = place(told, found)
    params = {"port": remote}
    with listen(port) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}{path}"
        emit(f"{address}\n")
        say(f"{found.name} is open until Ctrl-C. Its idle time begins when no page is connected.")
        if not no_browser:
            webbrowser.open(address)
        serve(fl, found.id, params, server)


def place(told: bytes, job: Job) -> tuple[int, str]:
    """Port and path of the session file. The file is written by the program, so it could name
    another host."""
    try:
        found = json.loads(told)
        port, path = found["port"], found["path"]
    except (ValueError, LookupError, TypeError):
        port, path = None, None
    if not isinstance(port, int) or not 0 < port <= 65535 or not PATH.fullmatch(str(path)):
        raise UsageProblem(f"{job.name} has an invalid {FILE}")
    return port, str(path)


def running(fl: Fairlead, job: Job) -> Job:
    said = ""
    while True:
        job = fl.jobs.get(job.id)
        if job.state == "SUSPENDED":
            with contextlib.suppress(Conflict):  # it still stops, or another user resumes it
                fl.jobs.resume(job.id)
        elif job.state == "RUNNING":
            return job
        elif job.ended:
            raise UsageProblem(f"{job.name} is {job.state}: start another notebook")
        now = f"{job.name} is {job.state}"
        if now != said:
            say(f"{now}. Its reason: fairlead why {handle(job)}")
            said = now
        time.sleep(LOOK)


def told_by(fl: Fairlead, job: Job) -> bytes:
    """The session file of the member, available when its server is ready."""
    until = time.monotonic() + READY
    while time.monotonic() < until:
        found = read(fl, job)
        if found is not None:
            return found
        if fl.jobs.get(job.id).state != "RUNNING":
            break
        time.sleep(LOOK)
    raise UsageProblem(f"{job.name} has no session: fairlead logs {handle(job)} shows the reason")


def read(fl: Fairlead, job: Job) -> bytes | None:
    with contextlib.closing(execute(fl, job.id, ["cat", FILE], {})) as opened:
        data, code = b"", None
        for channel, part in opened.frames():
            if channel == OUTPUT:
                data += part
                if len(data) > MOST:
                    return data  # no session file: its end is missing
            elif channel == RESULT:
                code = exit_code(part)[0]
    return data if code == 0 else None


def idle_time(job: Job) -> str:
    """The idle time of the notebook, and the time after which it is suspended."""
    asked, last = job.spec.progress if job.spec else None, job.progress
    if job.state != "RUNNING":
        return "-"
    if asked is None or asked.on_timeout != "SUSPEND":
        return "no limit"
    known = last.metrics.get("idle_seconds") if last and last.metrics else None
    since = text.now() - last.reported_at if last else FRESH
    if known is None or since >= FRESH:
        return f"unknown, of {asked.timeout}"
    idle = min(timedelta(seconds=known) + since, text.now() - job.created_at)
    return f"{text.took(idle)} of {asked.timeout}"


def limit(job: Job) -> str | None:
    return job.spec.max_runtime if job.spec else None


NOTEBOOKS: list[Column[Job]] = [
    Column("NAME", lambda job: job.name),
    Column("TYPE", lambda job: (job.spec.launcher if job.spec else None) or "-"),
    Column("STATE", lambda job: job.state),
    Column("IDLE", idle_time),
    Column("LIMIT", lambda job: limit(job) or "none"),
    Column("SUBMITTED", lambda job: f"{text.ago(job.created_at)} ago"),
    Column("ID", lambda job: job.id),
]


@app.command(
    "list",
    help=help_text(
        "List notebooks that have not ended, with their idle time. Unknown activity stops nothing.",
        "fairlead notebook list",
        "fairlead notebook list --type code-server",
    ),
    short_help="List notebooks",
)
@listing(NOTEBOOKS, "no notebooks")
def list_all(
    fl: Fairlead,
    project: Project = None,
    kind: Annotated[
        list[str] | None, typer.Option("--type", help="Only this type. May be repeated.")
    ] = None,
) -> Iterable[Job]:
    return [
        job
        for one in kind or TYPES
        for job in fl.jobs.list(project=project, label=[f"{LABEL}={one}"], view="FULL")
        if not job.ended
    ]


@app.command(
    "stop",
    help=help_text(
        "Suspend a notebook, which releases its GPU. Files on its volumes remain. `fairlead "
        "notebook open` resumes it, and `fairlead cancel` ends it.",
        "fairlead notebook stop eda",
    ),
    short_help="Suspend a notebook",
)
def stop(context: typer.Context, job: OneJob) -> None:
    with client(context) as fl:
        stopped = fl.jobs.suspend(only(context, fl, job).id)
    emit(f"{stopped.name} is {stopped.state}\n")


@app.command(
    "extend",
    help=help_text(
        "Change the time limit of a running notebook.",
        "fairlead notebook extend eda --by 4h",
    ),
    short_help="Change the time limit",
)
def extend(
    context: typer.Context,
    job: OneJob,
    by: Annotated[str, typer.Option(help="Additional time, such as 4h.")],
) -> None:
    more = duration("--by", by)
    with client(context) as fl:
        found = only(context, fl, job)
        before = limit(found)
        if before is None:
            raise UsageProblem(f"{found.name} has no time limit")
        longer = text.duration(before) + more
        change: dict[str, Any] = {"maxRuntime": f"{int(longer.total_seconds())}s"}
        changed = fl.jobs.patch(found.id, change)
    emit(f"{changed.name} runs for at most {limit(changed)}\n")
