"""Jobs that do not use the GPUs that they hold."""

from __future__ import annotations

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, client, verb

__all__ = ["app"]

app = typer.Typer()

IDLE: list[Column[models.IdleAttemptResponse]] = [
    Column("JOB", lambda a: text.safe(a.name)),
    Column("PROJECT", lambda a: text.safe(a.project)),
    Column("USER", lambda a: text.safe(a.user)),
    Column("CLUSTER", lambda a: text.safe(a.cluster)),
    Column("GPUS", lambda a: text.amount(a.gpus)),
    Column("IDLE", lambda a: text.took(a.sampled_at - a.idle_since)),
    Column("GPU-HOURS", lambda a: f"{a.idle_gpu_hours:.2f}"),
    Column("WARNED", lambda a: f"{text.ago(a.warned_at)} ago" if a.warned_at else "-"),
    Column("ELEMENT", lambda a: a.element, wide=True),
    Column("ATTEMPT", lambda a: a.number, wide=True),
]


@verb(
    app,
    "usage idle",
    "Show running jobs with idle GPUs, and the GPU-hours recovered from such jobs",
    "fairlead usage idle",
    "fairlead usage idle -o csv",
)
def idle(context: typer.Context, output: Output = Format.TABLE, columns: Columns = None) -> None:
    with client(context) as fl:
        found = fl.idle()
    show_all(
        found.attempts,
        IDLE,
        output,
        columns,
        name=lambda a: a.name,
        empty="no running job is known to be idle",
    )
    back = found.reclaimed
    if output is Format.TABLE and back and back.attempts:
        say(
            f"{text.count(back.attempts, 'attempt')} suspended within a year: "
            f"{back.idle_gpu_hours:.2f} GPU-hours idle before, {back.returned_gpu_hours:.2f} "
            "returned until their maxRuntime"
        )
