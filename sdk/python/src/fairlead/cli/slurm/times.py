"""Slurm time limits and start times."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from fairlead.cli.slurm.directives import Script

NAMED = {
    "midnight": time(0),
    "elevenses": time(11),
    "noon": time(12),
    "fika": time(15),
    "teatime": time(16),
}
DATES = ("%Y-%m-%d", "%m/%d/%y", "%m%d%y")
CLOCKS = ("%H:%M", "%H:%M:%S")
FROM_NOW = re.compile(r"now(?:\+(\d+)\s*([a-z]*))?", re.IGNORECASE)
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
UNIT = re.compile(r"(s(ec(ond)?s?)?|m(in(ute)?s?)?|h(ours?)?|d(ays?)?|w(eeks?)?)?")


def read(script: Script, now: datetime) -> None:
    """`now` is the local time of the machine that converts the script."""
    _limit(script)
    _not_before(script, now)
    _deadline(script, now)


def _limit(script: Script) -> None:
    found = script.take("--time")
    if found is None:
        return
    seconds = time_limit(found.value)
    if seconds is None:
        script.note(found, "is not a time such as 30, 4:00:00 or 2-00:00:00")
    elif seconds > 0:
        script.spec["maxRuntime"] = duration(-(-seconds // 60) * 60)  # Slurm limits whole minutes


def _not_before(script: Script, now: datetime) -> None:
    found = script.take("--begin")
    if found is None or found.value == "now":
        return
    at = moment(found.value, now)
    if at is None:
        script.note(found, f"time not recognized; set notBefore: {now:%Y-%m-%d}T18:00:00Z")
        return
    script.spec["notBefore"] = at.astimezone().isoformat(timespec="seconds")
    script.note(found, f"notBefore is {script.spec['notBefore']}", lost=False)


def _deadline(script: Script, now: datetime) -> None:
    found = script.take("--deadline")
    if found is None:
        return
    at = moment(found.value, now)
    if at is None:
        script.note(found, f"time not recognized; set deadline: {now:%Y-%m-%d}T18:00:00Z")
        return
    script.spec["deadline"] = at.astimezone().isoformat(timespec="seconds")
    script.note(found, f"deadline is {script.spec['deadline']}", lost=False)


def time_limit(text: str) -> int | None:
    """Seconds of M, M:S, H:M:S, D-H, D-H:M, D-H:M:S. 0, UNLIMITED and INFINITE mean no limit."""
    if text.lower() in ("unlimited", "infinite"):
        return 0
    days, dash, rest = text.rpartition("-")
    parts = rest.split(":")
    if (
        not all(part.isdecimal() for part in parts)
        or len(parts) > 3
        or (dash and not days.isdecimal())
    ):
        return None
    numbers = [int(part) for part in parts]
    if dash:
        hours, minutes, seconds = [*numbers, 0, 0][:3]
    elif len(numbers) == 1:
        hours, minutes, seconds = 0, numbers[0], 0
    else:
        hours, minutes, seconds = [0, *numbers][-3:]
    return int(days or 0) * 86400 + hours * 3600 + minutes * 60 + seconds


def duration(seconds: int) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def moment(text: str, now: datetime) -> datetime | None:
    """2026-03-01[T18:00[:00]], 03/01/26, 18:00, noon, today, tomorrow, now+2hours. None for others."""
    after = FROM_NOW.fullmatch(text)
    if after is not None:
        unit = (after[2] or "").lower()
        known = UNIT.fullmatch(unit) is not None
        seconds = int(after[1] or 0) * UNITS[unit[:1]] if known else 0
        return now.astimezone() + timedelta(seconds=seconds) if known else None
    day, _, clock = text.partition("T")
    if text in ("today", "tomorrow"):
        start = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return start + timedelta(days=text == "tomorrow")
    on = _date(day)
    if on is not None:
        at = _clock(clock) if clock else time(0)
        return None if at is None else datetime.combine(on, at)
    at = _clock(text)
    if at is None:
        return None
    today = datetime.combine(now.date(), at)
    return today if today > now else today + timedelta(days=1)


def _clock(text: str) -> time | None:
    found = _parsed(text, CLOCKS)
    return NAMED.get(text) if found is None else found.time()


def _date(text: str) -> date | None:
    found = _parsed(text, DATES)
    return None if found is None else found.date()


def _parsed(text: str, forms: tuple[str, ...]) -> datetime | None:
    for form in forms:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None
