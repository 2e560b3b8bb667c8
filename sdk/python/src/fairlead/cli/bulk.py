"""Cancelling all jobs that a filter finds."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import typer

from fairlead import Conflict, Fairlead, InvalidRequest, NotFound
from fairlead.cli.output import emit, say
from fairlead.cli.session import UsageProblem

STOPPABLE = ["QUEUED", "ADMITTED", "STARTING", "RUNNING", "SUSPENDED"]


def picked_out(
    state: list[str] | None,
    queue: list[str] | None,
    user: str | None,
    label: list[str] | None,
    project: str | None,
) -> dict[str, Any]:
    """The filter of a bulk cancel; a project alone is none."""
    labels = {}
    for one in label or []:
        key, equals, value = one.partition("=")
        if not equals:
            raise UsageProblem(f"--label {one!r} is not key=value")
        labels[key] = value
    given = {
        "state": [one.upper() for one in state or []],
        "queue": queue,
        "user": user,
        "labels": labels,
    }
    filters = {name: value for name, value in given.items() if value}
    if not filters:
        raise UsageProblem("name jobs, or say which: --state, --queue, --user or --label")
    return filters | ({"project": project} if project else {})


def cancel_found(fl: Fairlead, filters: dict[str, Any], yes: bool, dry_run: bool) -> None:
    """In one step, so that nothing else is cancelled; more than it takes one after the other."""
    many: list[str] = []
    try:
        fl.jobs.bulk_cancel(filters, 0, validate_only=True)
        count = 0
    except Conflict as found:
        count = int(found.metadata.get("actual", 0))
    except InvalidRequest as refused:
        if refused.code != "LIMIT_EXCEEDED":
            raise
        many = cancellable(fl, filters)
        count = len(many)
    where = f" in project {filters['project']}" if "project" in filters else ""
    jobs = f"{count:,} job{'' if count == 1 else 's'}{where}"
    if count == 0:
        say(f"no job that can be cancelled is found by this{where}")
        return
    if dry_run:
        emit(f"{jobs} would be cancelled\n")
        return
    if not yes:
        confirmed(f"Cancel {jobs}?")
    done = one_by_one(fl, many) if many else fl.jobs.bulk_cancel(filters, count)
    emit(f"{done:,} of {jobs} cancelled\n")


def cancellable(fl: Fairlead, filters: dict[str, Any]) -> list[str]:
    found = fl.jobs.list(
        project=filters.get("project"),
        state=filters.get("state") or STOPPABLE,
        queue=filters.get("queue"),
        user=filters.get("user"),
        label=[f"{key}={value}" for key, value in filters.get("labels", {}).items()],
        view="BASIC",
        page_size=500,
    )
    return [job.id for job in found]


def one_by_one(fl: Fairlead, ids: list[str]) -> int:
    done = 0
    for index, one in enumerate(ids):
        with contextlib.suppress(Conflict, NotFound):  # it has ended meanwhile
            fl.jobs.cancel(one)
            done += 1
        if index % 1000 == 999:
            say(f"{index + 1:,} of {len(ids):,}")
    return done


def confirmed(question: str) -> None:
    """Ends the command when the answer is no, or when there is nobody to ask."""
    if not sys.stdin.isatty():
        raise UsageProblem("not a terminal, nobody to ask: give -y, or --dry-run")
    if not typer.confirm(question, default=False, err=True):
        say("nothing done")
        raise typer.Exit(0)
