"""Polls jobs, and follows one job to its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

import typer

from fairlead import Fairlead, Job, NotFound
from fairlead._time import Deadline
from fairlead.cli import text
from fairlead.cli.copying import OutputCopy
from fairlead.cli.output import Format, Line, say, terminal
from fairlead.cli.session import UsageProblem, handle, hints

EVERY = 2.0
# while output is printed: the output of a short job disappears with its pod
SOON = 0.25
# between two reminders that a job waits in vain
REMIND = 60.0
EXIT_FAILED = 20
EXIT_CANCELLED = 21
EXIT_INTERRUPTED = 130


def watched(watch: bool, output: Format) -> bool:
    """Returns the option --watch. Raises UsageProblem if the output is not a table on a terminal."""
    if watch and output not in (Format.TABLE, Format.WIDE):
        raise UsageProblem(f"--watch redraws a table: remove -o {output.value} or --watch")
    if watch and not terminal():
        raise UsageProblem(
            "--watch needs a terminal, and the output is not one. Remove --watch, or follow one job "
            "with fairlead watch JOB"
        )
    return watch


def repeat(look: Callable[[], list[Line]], *, every: float = EVERY) -> None:
    """Updates in place, on a terminal."""
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(highlight=False), auto_refresh=False, screen=True) as live:
        while True:
            lines = [Text.assemble(*line.parts) for line in look()]
            live.update(Group(*lines[: live.console.height - 1]), refresh=True)
            time.sleep(every)


def exit_code(job: Job) -> int:
    return {"FAILED": EXIT_FAILED, "CANCELLED": EXIT_CANCELLED}.get(job.state, 0)


def follow(
    fl: Fairlead,
    job: Job,
    *,
    logs: bool,
    timeout: float | None = None,
    member: str | None = None,
    since: datetime | None = None,
    tail: int | None = None,
) -> Job:
    """Reports each change on stderr, writes the output to stdout, and returns the ended job.
    Ctrl-C does not
    stop the job."""
    try:
        return _followed(fl, job, logs, timeout, member, since, tail)
    except KeyboardInterrupt:
        say(f"\nDetached: {job.name} continues.")
        say(hints(job, "logs -f", "why", "cancel"))
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _followed(
    fl: Fairlead,
    job: Job,
    logs: bool,
    timeout: float | None,
    member: str | None,
    since: datetime | None,
    tail: int | None,
) -> Job:
    shown, last, until = "", job, Deadline(timeout)
    runs = job.attempt if job.state == "RUNNING" else 0
    copy: OutputCopy | None = None
    if logs and job.array is not None:
        say(
            f"{job.name} is an array: fairlead logs -f {job.name} --element N shows the output of one"
        )
    for last in fl.jobs.watch(job.id, timeout=timeout, every=SOON if logs else 1.0, remind=REMIND):
        line = progress(last)
        if line != shown:
            say(line + in_vain(last))
            shown = line
        elif in_vain(last):
            say(f"{job.name}: still waiting{in_vain(last)}")
        started = last.state == "RUNNING" or (last.ended and last.started_at is not None)
        if logs and started and last.array is None and last.attempt > 0:
            if copy is None or last.attempt > copy.attempt:
                # a new attempt is printed from its first line
                last_lines = tail if last.attempt == runs else None
                copy = OutputCopy(
                    fl, job.id, last.attempt, member=member, since=since, tail=last_lines
                )
            copied(copy, last, until)
    say(ending(last))
    return last


def copied(copy: OutputCopy, job: Job, until: Deadline) -> None:
    try:
        copy.go_on(job.ended, until)
    except NotFound as gone:
        copy.over = True
        say(f"no output: {gone.detail}")


def progress(job: Job) -> str:
    where = text.safe(text.place(job))
    position = job.pending.position if job.pending else None
    ahead = f", number {position} in the queue" if position else ""
    return f"{job.name}: {text.state(job).lower()}{': ' + where if where else ''}{ahead}{starting(job)}"


def in_vain(job: Job) -> str:
    """The reason why the job would never start by waiting alone. Empty for other jobs."""
    acts = {"USER_ACTION": "change the job", "ADMIN_ACTION": "an administrator must act"}
    why = acts.get(job.pending.class_) if job.pending else None
    return f". Waiting alone does not help: {why}. See fairlead why {handle(job)}" if why else ""


def starting(job: Job) -> str:
    """Progress of its volumes and members: provisioned, pulling images, running."""
    if job.state != "STARTING" or job.array is not None:
        return ""
    waits = (
        c for c in job.conditions if c.type in ("StorageReady", "PodsReady") and c.status == "False"
    )
    return "".join(f"; {text.safe(one.message)}" for one in waits)


def ending(job: Job) -> str:
    ran = f" after {text.job_time(job)}" if job.started_at else ""
    cause = f": {text.safe(text.failed(job.failure)).rstrip('.')}" if job.failure else ""
    if job.state == "FAILED":
        return f"{job.name} failed{ran}{cause}. Next: fairlead job report {handle(job)}"
    return f"{job.name} {job.state.lower()}{ran}{cause if job.state == 'CANCELLED' else ''}."
