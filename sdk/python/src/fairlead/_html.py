"""Responses as tables in a notebook. All text from the service is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


class Rows(list[T]):
    """A list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        rows = [one.model_dump(mode="json") for one in self if isinstance(one, BaseModel)]
        names = [
            name for name in (rows[0] if rows else {}) if any(_plain(row.get(name)) for row in rows)
        ]
        return table(names, ([row.get(name) for name in names] for row in rows))


def table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in names)
    cells = ("".join(f"<td>{escape(_text(value))}</td>" for value in row) for row in rows)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def pairs(rows: Iterable[tuple[str, Any]]) -> str:
    lines = (
        f"<tr><th>{escape(name)}</th><td>{escape(_text(value))}</td></tr>"
        for name, value in rows
        if value not in (None, "", [], {})
    )
    return f"<table>{''.join(lines)}</table>"


def of(model: Any) -> str:
    """Jobs, explanations and plans have their own layout, and other models are a table of their fields."""
    special = {"JobResponse": job, "ExplanationResponse": explanation, "PlanResponse": plan}
    for kind in type(model).__mro__:
        if kind.__name__ in special:
            return special[kind.__name__](model)
    fields = model.model_dump(mode="json")
    return pairs((name.replace("_", " "), value) for name, value in fields.items())


def job(one: Any) -> str:
    from fairlead.cli import text

    rows = [
        ("Name", one.name),
        ("Id", one.id),
        ("State", text.state(one)),
        ("GPUs", text.gpus(one)),
        ("Time", text.job_time(one)),
        ("Place or reason", text.place(one)),
    ]
    return pairs(rows)


def explanation(why: Any) -> str:
    from fairlead.cli import text

    misses = [(text.wish(one.change), one.effect) for one in why.near_misses]
    blockers = [(one.scope.name or one.scope.type.lower(), one.message) for one in why.blockers]
    parts = [f"<p><b>{escape(why.state)}</b> {escape(text.times(why.message))}</p>"]
    if misses:
        parts.append(table(["It would start with", "effect"], misses))
    if blockers:
        parts.append(table(["In the way", "reason"], blockers))
    return "".join(parts)


def plan(one: Any) -> str:
    from fairlead.cli import plans

    return f"<pre>{escape(plans.text_of(one))}</pre>"


def _plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and value != ""


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(one)}" for name, one in value.items() if one is not None)
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return "" if value is None else str(value)
