"""Cancels all jobs that match a filter."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import typer

from fairlead import Conflict, Fairlead, InvalidRequest, Job, NotFound
from fairlead.cli.output import emit, say
from fairlead.cli.session import UsageProblem

# jobs of one request
MOST = 1_000
INSTANT = timedelta(microseconds=1)
STOPPABLE = ["QUEUED", "ADMITTED", "STARTING", "RUNNING", "SUSPENDED"]


def key_values(labels: list[str] | None) -> list[str] | None:
    """The given labels. Raises UsageProblem if one has no value."""
    for one in labels or []:
        key, equals, _ = one.partition("=")
        if not key or not equals:
            raise UsageProblem(
                f"--label {one!r} is not key=value. Write the value too: --label {key or 'team'}=VALUE"
            )
    return labels


def picked_out(
    state: list[str] | None,
    queue: list[str] | None,
    user: str | None,
    label: list[str] | None,
    project: str | None,
) -> dict[str, Any]:
    """The filter of a bulk cancel. A project is not enough as a filter."""
    labels = dict(one.partition("=")[::2] for one in label or [])
    given = {
        "state": [one.upper() for one in state or []],
        "queue": queue,
        "user": user,
        "labels": labels,
    }
    filters = {name: value for name, value in given.items() if value}
    if not filters:
        raise UsageProblem("give jobs, or a filter: --state, --queue, --user or --label")
    return filters | ({"project": project} if project else {})


def cancel_found(fl: Fairlead, filters: dict[str, Any], yes: bool, dry_run: bool) -> None:
    """Cancels the selected jobs in one request, so that no other job is cancelled. Larger
    selections need several requests."""
    many: list[Job] = []
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
        say(f"no job that can be cancelled matches the filter{where}")
        return
    if dry_run:
        emit(f"{jobs} would be cancelled\n")
        return
    if not yes:
        confirmed(f"Cancel {jobs}?")
    done = in_parts(fl, filters, many) if many else fl.jobs.bulk_cancel(filters, count)
    emit(f"{done:,} of {jobs} cancelled\n")


def cancellable(fl: Fairlead, filters: dict[str, Any]) -> list[Job]:
    """Lists the jobs that can be cancelled, newest first."""
    found = fl.jobs.list(
        project=filters.get("project"),
        state=filters.get("state") or STOPPABLE,
        queue=filters.get("queue"),
        user=filters.get("user"),
        label=[f"{key}={value}" for key, value in filters.get("labels", {}).items()],
        view="BASIC",
        page_size=500,
    )
    return list(found)


def parts(jobs: Sequence[Job]) -> Iterator[tuple[Sequence[Job], Job | None]]:
    """Batches of at most MOST jobs, each with the next older job. That job is older than the whole batch,
    so createdAfter separates them. Jobs with the same timestamp that do not fit in one batch are
    cancelled one by one."""
    start = 0
    while start < len(jobs):
        end = min(start + MOST, len(jobs))
        while start < end < len(jobs) and jobs[end - 1].created_at == jobs[end].created_at:
            end -= 1
        end = end if end > start else start + 1
        yield jobs[start:end], jobs[end] if end < len(jobs) else None
        start = end


def in_parts(fl: Fairlead, filters: dict[str, Any], jobs: Sequence[Job]) -> int:
    """Jobs submitted after the list was read are not cancelled. If the filter matches jobs that were not
    listed, the listed jobs are cancelled one by one."""
    done = looked = 0
    for part, behind in parts(jobs):
        after = {"createdBefore": (part[0].created_at + INSTANT).isoformat()}
        if behind is not None:
            after["createdAfter"] = behind.created_at.isoformat()
        try:
            if len(part) == 1:
                done += one_by_one(fl, part)
            else:
                done += fl.jobs.bulk_cancel(filters | after, len(part))
        except (Conflict, InvalidRequest):
            done += one_by_one(fl, part)
        looked += len(part)
        if looked < len(jobs) and looked // MOST > (looked - len(part)) // MOST:
            say(f"{looked:,} of {len(jobs):,}")
    return done


def one_by_one(fl: Fairlead, jobs: Sequence[Job]) -> int:
    done = 0
    for job in jobs:
        with contextlib.suppress(Conflict, NotFound):  # the job has ended since the list
            fl.jobs.cancel(job.id)
            done += 1
    return done


def confirmed(question: str) -> None:
    """Ends the command if the response is no, or if no terminal is available for the question."""
    if not sys.stdin.isatty():
        raise UsageProblem("not a terminal, cannot ask for confirmation: pass -y, or --dry-run")
    if not typer.confirm(question, default=False, err=True):
        say("nothing done")
        raise typer.Exit(0)
