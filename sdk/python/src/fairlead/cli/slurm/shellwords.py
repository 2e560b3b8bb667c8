"""Words of a POSIX shell with their positions. Nothing is expanded or run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

ENDS = ";&|()<>\n"
BLANKS = " \t\r"
CLOSING = {"(": ")", "{": "}"}
ASSIGNED = re.compile(
    r"(?:^|(?<=[\s;&(]))(?:(?:export|local|readonly|declare|typeset)\s+(?:-\w+\s+)*)?"
    r"(\w+)\+?=",
    re.MULTILINE,
)


class Unclosed(ValueError):
    """An unclosed quotation or substitution."""


def skip_blanks(text: str, at: int) -> int:
    """The first position after blanks and continued line ends."""
    while at < len(text):
        if text[at] in BLANKS:
            at += 1
        elif text.startswith("\\\n", at):
            at += 2
        else:
            break
    return at


def word_end(text: str, at: int, ends: str = BLANKS + ENDS) -> int:
    """The end of the word that begins here. Raises Unclosed."""
    while at < len(text) and text[at] not in ends and not text.startswith("\\\n", at):
        at = _behind(text, at)
    return at


def words(text: str) -> list[str]:
    """All words, quotations included, up to the first operator of the shell. Raises Unclosed."""
    found, at = [], skip_blanks(text, 0)
    while at < len(text) and text[at] not in ENDS:
        end = word_end(text, at)
        found.append(text[at:end])
        at = skip_blanks(text, end)
    return found


def plain(word: str) -> str | None:
    """The text that a shell makes of a word, or None for a word with expansions."""
    if re.search(r"[$`]", re.sub(r"'[^']*'|\\.", "", word)):
        return None
    parts = re.findall(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)|([^'\"\\]+)", word, re.DOTALL)
    return "".join(single + re.sub(r"\\([\"\\])", r"\1", double) + escaped + bare
                   for single, double, escaped, bare in parts)  # fmt: skip


def assignments(lines: Sequence[str]) -> dict[str, list[str]]:
    """The values of a script's variables as shell words: arrays without parentheses, others unquoted."""
    text = "\n".join("" if line.lstrip().startswith("#") else line for line in lines)
    found: dict[str, list[str]] = {}
    for match in ASSIGNED.finditer(text):
        value = _value(text, match.end())
        found.setdefault(match[1], []).append("$" if value is None else value)
    return found


def _value(text: str, at: int) -> str | None:
    try:
        if text.startswith("(", at):
            return " ".join(_array(text, at + 1))
        word = text[at : word_end(text, at)]
    except Unclosed:
        return None
    quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "'\""
    return word[1:-1].replace("\\\n", " ") if quoted else word


def _array(text: str, at: int) -> Iterator[str]:
    while at < len(text) and text[at] != ")":
        if text[at] in BLANKS + "\n\\":
            at += 1
        elif text[at] == "#":
            at = (text + "\n").index("\n", at)
        else:
            end = word_end(text, at, BLANKS + "\n)")
            yield text[at:end]
            at = end


def _behind(text: str, at: int) -> int:
    """The position after one character, one quotation or one substitution."""
    here = text[at]
    if here == "\\":
        return at + 2
    if here == "'":
        return _find(text, "'", at + 1)
    if here in '"`':
        return _inside(text, at + 1, here)
    if here == "$" and text[at + 1 : at + 2] in CLOSING:
        return _inside(text, at + 2, CLOSING[text[at + 1]])
    return at + 1


def _inside(text: str, at: int, closing: str) -> int:
    """The position after the closing character. Skips quotes, parentheses and substitutions."""
    while at < len(text) and text[at] != closing:
        nested = closing in CLOSING.values() or text[at] in "\\$`"
        if text[at] == "(" and closing == ")":
            at = _inside(text, at + 1, ")")
        else:
            at = _behind(text, at) if nested else at + 1
    if at >= len(text):
        raise Unclosed(f"the closing {closing} is missing")
    return at + 1


def _find(text: str, closing: str, at: int) -> int:
    end = text.find(closing, at)
    if end < 0:
        raise Unclosed(f"the closing {closing} is missing")
    return end + 1
