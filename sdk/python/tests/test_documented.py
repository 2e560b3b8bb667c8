"""Commands in the pages exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer._click.exceptions import BadOptionUsage, BadParameter, NoArgsIsHelpError, UsageError

from fairlead.cli.main import command
from fairlead.states import JobState

ROOT = Path(__file__).resolve().parents[3]
SHELL = {"sh", "bash", "console", ""}
BLOCK = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`(fairlead [a-z-][^`]*)`")
LINE = re.compile(r"(?:\$ |\w+=\S+ )*(fairlead [a-z-].*)")
# words of the pages in the place of a number
NUMBERS = {"N", "SEQUENCE", "VERSION"}
QUEUE_STATES = {"ACTIVE", "HELD", "DRAINING"}


def pages() -> list[Path]:
    """The files that people write."""
    found = [one for one in (ROOT / "docs").rglob("*.md") if one.name != "cli.md"]
    return sorted([*found, ROOT / "README.md", *ROOT.glob("sdk/*/README.md")])


def commands(page: Path) -> Iterator[tuple[str, bool]]:
    """Each command, with whether it is on a line of its own or within a sentence."""
    text = page.read_text(encoding="utf-8")
    for kind, block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines() if kind in SHELL else ():
            if named := LINE.fullmatch(line.strip()):
                yield named[1], True
    for span in SPAN.findall(BLOCK.sub("", text)):
        yield span, False


def words(line: str) -> list[str]:
    """Up to a pipe, a redirection, a comment, or an ellipsis."""
    reader = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    reader.whitespace_split = True
    found: list[str] = []
    for word in reader:
        if re.fullmatch(r"[|&;<>]+|\.\.\.", word):
            break
        found.append("1" if word in NUMBERS else word)
    return found[1:]


def wrong(line: str, alone: bool) -> str | None:
    """Why it cannot be run. In a sentence a verb may be without arguments. With arguments it has the required
    options."""
    at: Any = command()
    context = None
    try:
        given = words(line)
        while True:
            context = at.make_context("fairlead", list(given), parent=context)
            if not hasattr(at, "commands"):
                states = {two for one, two in pairwise(given) if one in ("--state", "-s")}
                if line.startswith("fairlead job check"):
                    return None  # its option has a type
                known = QUEUE_STATES if line.startswith("fairlead queue") else set(JobState)
                return f"no state {states}" if states - known else None
            rest = [*context._protected_args, *context.args]
            if not rest:
                return None
            _, at, given = at.resolve_command(context, rest)
    except (BadParameter, BadOptionUsage, NoArgsIsHelpError) as refused:
        option = getattr(getattr(refused, "param", None), "param_type_name", "") == "option"
        whole = alone or (option and given[:1] != [] and not given[0].startswith("-"))
        return refused.format_message() if whole and "..." not in line else None
    except (UsageError, ValueError) as refused:
        return str(refused)


def test_every_command_of_the_pages_is_one_that_there_is() -> None:
    """Fails with `fairlead plan`, which three pages named, and without an option that a verb needs."""
    named = [(page, *one) for page in pages() for one in commands(page)]
    assert len(named) > 400
    refused = [
        f"{page.relative_to(ROOT)}: {line}: {why}"
        for page, line, alone in named
        if (why := wrong(line, alone))
    ]
    assert refused == []


@pytest.mark.parametrize(
    "line",
    [
        "fairlead plan",
        "fairlead node campaign stop CAMPAIGN",
        "fairlead ps --nodes",
        "fairlead ps --state LAUNCHING",
        "fairlead node release NODE",
    ],
)
def test_wrong_command_in_a_sentence_is_detected_too(line: str) -> None:
    assert wrong(line, alone=False)
