"""Results to stdout in the requested format, messages to stderr."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TextIO, TypeVar

from pydantic import BaseModel
from rich.cells import cell_len, set_cell_size

from fairlead.cli.text import safe

T = TypeVar("T")

GAP = "  "
SHORTEST_LAST = 12
# of one cell
LINES = 3
PLAIN_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
COLOURS = {
    "RUNNING": "green",
    "SUCCEEDED": "green",
    "ACTIVE": "green",
    "FAILED": "red",
    "LOST": "red",
    "UNKNOWN": "red",
    "UNREACHABLE": "red",
    "DEGRADED": "yellow",
    "QUARANTINED": "yellow",
    "QUEUED": "yellow",
    "SUSPENDED": "yellow",
    "STARTING": "cyan",
    "ADMITTED": "cyan",
    "CANCELLED": "bright_black",
    "CANCELLING": "bright_black",
}
# parameters of SGR, ECMA-48
SGR = {"bold": 1, "red": 31, "green": 32, "yellow": 33, "cyan": 36, "bright_black": 90}


class Format(str, Enum):
    """Of -o."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    JSONL = "jsonl"
    YAML = "yaml"
    CSV = "csv"
    NAME = "name"


class Literal(str):
    """Multi-line text, written unchanged."""


@dataclass
class Line:
    """A table line as parts with Rich styles."""

    parts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.parts).rstrip()

    def coloured(self) -> str:
        """Adds the control sequences of a terminal."""
        return "".join(
            f"\x1b[{SGR[style]}m{text}\x1b[0m" if style else text for text, style in self.parts
        )


def document(spec: Mapping[str, Any], *remarks: str) -> str:
    """A job file in YAML, preceded by remarks. Scripts preserve their layout."""
    import yaml  # takes as long as a request

    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(
        Literal,
        lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style="|"),
    )
    first = [key for key in ("name", "queue", "image") if key in spec]
    ordered = {key: spec[key] for key in [*first, *(key for key in spec if key not in first)]}
    run = ordered.get("run")
    if isinstance(run, str):
        ordered["run"] = Literal(run) if "\n" in run else run
    elif run and "\n" in run[-1]:
        ordered["run"] = [*run[:-1], Literal(run[-1])]
    head = "".join(f"# {safe(remark)}\n" for remark in remarks)
    return head + yaml.dump(ordered, Dumper=Dumper, sort_keys=False, allow_unicode=True)


class ClosedPipe(Exception):
    """The reader closed the pipe."""


class BadColumn(Exception):
    """A column that does not exist."""


@dataclass(frozen=True)
class Column(Generic[T]):
    """`rank`: on a narrow terminal the columns with the highest rank are dropped first, and those
    with 0 never. `wide`: shown only in wide and CSV output."""

    name: str
    of: Callable[[T], object]
    rank: int = 0
    wide: bool = False


def say(message: str, stream: TextIO | None = None) -> None:
    """Prints a line to stderr."""
    try:
        print(message, file=stream or sys.stderr, flush=True)
    except BrokenPipeError as closed:
        raise ClosedPipe from closed


def emit(text: str) -> None:
    """Writes text to stdout unchanged."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as closed:
        raise ClosedPipe from closed


def terminal(stream: TextIO | None = None) -> bool:
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Width of the terminal in cells, or None if stdout is not a terminal, so that nothing is truncated."""
    return shutil.get_terminal_size().columns if terminal() else None


def machine(value: Any) -> Any:
    """Names and shapes of the API."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, (list, tuple)):
        return [machine(one) for one in value]
    return value


def show(value: Any, form: Format, text: Callable[[], str], name: str = "") -> None:
    """Prints one object."""
    if form in (Format.JSON, Format.JSONL):
        emit(
            json.dumps(
                machine(value), ensure_ascii=False, indent=None if form is Format.JSONL else 2
            )
            + "\n"
        )
    elif form is Format.YAML:
        import yaml

        emit(yaml.safe_dump(machine(value), sort_keys=False, allow_unicode=True))
    elif form is Format.NAME:
        emit(name + "\n")
    else:
        emit(text())


def chosen(columns: Sequence[Column[T]], form: Format, names: str | None) -> list[Column[T]]:
    if names is None:
        return [c for c in columns if not c.wide or form in (Format.WIDE, Format.CSV)]
    known = {c.name.lower(): c for c in columns}
    picked = []
    for name in names.split(","):
        column = known.get(name.strip().lower())
        if column is None:
            raise BadColumn(
                f"no column {name.strip()!r}; columns: {', '.join(c.name for c in columns)}"
            )
        picked.append(Column(column.name, column.of))
    return picked


def show_all(
    items: Sequence[T],
    columns: Sequence[Column[T]],
    form: Format,
    names: str | None = None,
    *,
    name: Callable[[T], str],
    empty: str = "",
) -> None:
    """Prints a list. An empty list prints `empty` on stderr."""
    picked = chosen(columns, form, names)
    if form is Format.JSONL:
        emit("".join(json.dumps(machine(one), ensure_ascii=False) + "\n" for one in items))
    elif form in (Format.JSON, Format.YAML):
        show(list(items), form, str)
    elif form is Format.NAME:
        emit("".join(f"{name(one)}\n" for one in items))
    elif form is Format.CSV:
        emit(csv_text(items, picked))
    elif not items:
        say(empty or "nothing")
    else:
        paint(table(items, picked, width()))


def csv_text(items: Iterable[T], columns: Sequence[Column[T]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([c.name for c in columns])
    writer.writerows([[inert(safe(c.of(one))) for c in columns] for one in items])
    return buffer.getvalue()


def inert(cell: str) -> str:
    """A spreadsheet would evaluate cells with this prefix (OWASP, CSV injection). Negative numbers pass."""
    if PLAIN_NUMBER.fullmatch(cell):
        return cell
    formula = cell[:1] in ("=", "+", "@") or (cell[:1] == "-" and len(cell) > 1)
    return f"'{cell}" if formula else cell


def paint(lines: Iterable[Line]) -> None:
    """Writes lines to stdout, in colour on a terminal unless NO_COLOR is set."""
    modern = os.name != "nt" or "WT_SESSION" in os.environ
    colour = terminal() and modern and not os.environ.get("NO_COLOR")
    emit("".join(f"{line.coloured() if colour else line.plain}\n" for line in lines))


def table(items: Sequence[T], columns: Sequence[Column[T]], cells: int | None) -> list[Line]:
    """Renders heads and items within the width. The last cell of an item may take LINES lines."""
    kept, sizes, rows = fitted(items, columns, cells)
    lines = []
    for number, row in enumerate(rows):
        row, below = [*row[:-1], ""], wrapped(row[-1], sizes[-1])
        row[-1] = below.pop(0)
        parts: list[tuple[str, str]] = []
        for column, size, cell in zip(kept, sizes, row, strict=True):
            style = (
                "bold" if number == 0 else COLOURS.get(cell, "") if column.name == "STATE" else ""
            )
            if column is kept[-1]:
                parts.append((cut(cell, size), style))
            else:
                parts += [(set_cell_size(cut(cell, size), size), style), (GAP, "")]
        indent = " " * (sum(sizes[:-1]) + len(GAP) * (len(kept) - 1))
        lines += [Line(parts), *(Line([(f"{indent}{rest}", "")]) for rest in below)]
    return lines


def wrapped(cell: str, size: int) -> list[str]:
    """Wraps the cell to at most LINES lines, or to one if the column is too narrow for words."""
    if cell_len(cell) <= size or size < SHORTEST_LAST:
        return [cell]
    lines = [""]
    for word in cell.split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if cell_len(longer) <= size or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < LINES:
            lines.append(word)
        else:
            lines[-1] = longer
    return [cut(line, size) for line in lines]


def fitted(
    items: Sequence[T], columns: Sequence[Column[T]], cells: int | None
) -> tuple[list[Column[T]], list[int], list[list[str]]]:
    """Columns with a higher rank are omitted, then the last column is truncated, then the first."""
    kept = list(columns)
    while True:
        rows = [[c.name for c in kept]] + [[safe(c.of(one)) or "-" for c in kept] for one in items]
        sizes = [max(cell_len(row[i]) for row in rows) for i in range(len(kept))]
        if cells is None:
            return kept, sizes, rows
        fixed = sum(sizes[:-1]) + len(GAP) * (len(kept) - 1)
        if fixed + min(sizes[-1], SHORTEST_LAST) <= cells:
            sizes[-1] = min(sizes[-1], cells - fixed)
            return kept, sizes, rows
        surplus = max(kept, key=lambda c: c.rank)
        if surplus.rank == 0:
            over = fixed + min(sizes[-1], SHORTEST_LAST) - cells
            sizes[0] = max(4, sizes[0] - over)
            sizes[-1] = max(1, min(sizes[-1], cells - sum(sizes[:-1]) - len(GAP) * (len(kept) - 1)))
            return kept, sizes, rows
        kept.remove(surplus)


def cut(text: str, cells: int) -> str:
    return (
        text if cell_len(text) <= cells else set_cell_size(text, max(0, cells - 1)).rstrip() + "…"
    )


def pairs(rows: Iterable[tuple[str, object]]) -> str:
    """One name and value per line. Rows without a value are omitted."""
    given = [(name, safe(value)) for name, value in rows if value not in (None, "", "-")]
    size = max((len(name) for name, _ in given), default=0)
    return "".join(f"{name:<{size}}  {value}\n" for name, value in given)
