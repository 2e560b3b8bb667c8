"""Collects the rows of make operate and prints them as a table."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

STATUSES = ("passed", "failed", "skipped")


@dataclass(frozen=True)
class Row:
    """One check. `figure` is the measured or counted value; `reason` explains why it did not pass."""

    area: str
    check: str
    status: str
    figure: str = ""
    reason: str = ""
    seconds: float = 0.0


class Skipped(Exception):
    """This machine lacks a requirement of the check, which the message names."""


class Failed(Exception):
    """Findings of the check."""


def verdict(area: str, check: str, act: Callable[[], str]) -> Row:
    """Runs the check. Its result is the figure. Errors, except an interrupt, do not end the other checks."""
    print(f"operate: {area}: {check}", file=sys.stderr, flush=True)
    began = time.monotonic()
    status, figure, reason = "passed", "", ""
    try:
        figure = act()
    except Skipped as lacking:
        status, reason = "skipped", str(lacking)
    except Exception as wrong:
        status, reason = "failed", str(wrong) if isinstance(wrong, Failed) else repr(wrong)
    return Row(area, check, status, figure, reason, time.monotonic() - began)


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Returns a line for each row, then each reason, then the counts."""
    rows = list(rows)
    head = ("area", "check", "result", "seconds", "figure")
    lines = [head, *((r.area, r.check, r.status, f"{r.seconds:.1f}", r.figure) for r in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
    for row in rows:
        if row.status != "passed":
            yield f"{row.status.upper()} {row.area}: {row.check}: {row.reason or 'no reason given'}"
    counts = [f"{sum(r.status == status for r in rows)} {status}" for status in STATUSES]
    yield ", ".join(counts)
