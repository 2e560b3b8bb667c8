"""Packs a directory into a code archive. The same content always gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlead._errors import FairleadError

if TYPE_CHECKING:
    import tarfile

LARGEST = 100 * 1024 * 1024
IGNORE_FILE = ".gitignore"
MOST_NAMED = 5


class WorkdirError(FairleadError):
    """A directory that cannot be packed."""


@dataclass(frozen=True)
class Archive:
    """A packed directory. `digest` is the SHA-256 of `content` as the service names it."""

    content: bytes
    digest: str
    files: int


@dataclass(frozen=True)
class Rule:
    """A line of a .gitignore. The pattern applies to paths relative to `base`."""

    base: str
    pattern: re.Pattern[str]
    ignores: bool
    only_directories: bool

    def matches(self, path: str, directory: bool) -> bool:
        return (directory or not self.only_directories) and bool(
            self.pattern.fullmatch(path[len(self.base) :])
        )


class _TooLargeError(Exception):
    pass


class _Bounded(io.BytesIO):
    """Refuses files over the limit, so a huge file never fills the memory."""

    def write(self, data: Any, /) -> int:
        if self.tell() + len(data) > LARGEST:
            raise _TooLargeError
        return super().write(data)


def pack(directory: str | os.PathLike[str]) -> Archive:
    """Packs the files that .gitignore files in the directory do not exclude, without .git."""
    import gzip  # most commands pack nothing
    import tarfile

    root = Path(directory).resolve()
    if not root.is_dir():
        raise WorkdirError(f"{directory} is not a directory")
    entries = list(_entries(root, "", []))
    if not entries:
        raise WorkdirError(f"{directory} has no files to pack")
    buffer = _Bounded()
    try:
        with (
            gzip.GzipFile(filename="", fileobj=buffer, mode="wb", compresslevel=6, mtime=0) as file,
            tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for path in entries:
                _add(archive, root, path)
    except _TooLargeError:
        raise WorkdirError(_too_large(root, entries)) from None
    except OSError as broken:
        raise WorkdirError(f"{root} cannot be packed: {broken}") from broken
    content = buffer.getvalue()
    return Archive(content, "sha256:" + hashlib.sha256(content).hexdigest(), len(entries))


def _too_large(root: Path, entries: list[str]) -> str:
    sizes = sorted(((os.lstat(root / path).st_size, path) for path in entries), reverse=True)
    largest = ", ".join(f"{path} ({size / 2**20:.1f} MiB)" for size, path in sizes[:MOST_NAMED])
    return (
        f"{root} is larger than 100 MiB when packed. Put files that the job does not need into "
        f"{IGNORE_FILE}, and data into a volume. The largest files are {largest}"
    )


def _entries(root: Path, base: str, rules: list[Rule]) -> Iterator[str]:
    """Paths of files and links in the order of their names, with / between directories."""
    here = root / base
    rules = [*rules, *_rules(here / IGNORE_FILE, base)]
    for name in sorted(os.listdir(here)):
        path = base + name
        mode = os.lstat(root / path).st_mode
        directory = stat.S_ISDIR(mode)
        if name == ".git" or _ignored(path, directory, rules):
            continue
        if directory:
            yield from _entries(root, path + "/", rules)
        elif stat.S_ISLNK(mode):
            _check_link(root, path)
            yield path
        elif stat.S_ISREG(mode):
            yield path
        else:
            raise WorkdirError(f"{path} is neither a file nor a directory nor a link")


def _check_link(root: Path, path: str) -> None:
    target = os.readlink(root / path)
    real = Path(os.path.realpath(root / path))
    if os.path.isabs(target) or not real.is_relative_to(root):
        raise WorkdirError(f"the link {path} leaves the directory: {target}")


def _add(archive: tarfile.TarFile, root: Path, path: str) -> None:
    """Adds an entry without owner and times, which differ between copies of the same content."""
    import tarfile

    entry = tarfile.TarInfo(path)
    found = os.lstat(root / path)
    if stat.S_ISLNK(found.st_mode):
        entry.type, entry.mode, entry.linkname = tarfile.SYMTYPE, 0o777, os.readlink(root / path)
        archive.addfile(entry)
        return
    entry.mode = 0o755 if found.st_mode & stat.S_IXUSR else 0o644
    with (root / path).open("rb") as file:
        entry.size = os.fstat(file.fileno()).st_size
        archive.addfile(entry, file)


def _ignored(path: str, directory: bool, rules: list[Rule]) -> bool:
    """Returns whether a path is ignored. The last matching rule decides."""
    return next((rule.ignores for rule in reversed(rules) if rule.matches(path, directory)), False)


def _rules(file: Path, base: str) -> list[Rule]:
    try:
        lines = file.read_text("utf-8", "surrogateescape").splitlines()
    except (FileNotFoundError, IsADirectoryError):
        return []
    return [rule for line in lines if (rule := _rule(line, base)) is not None]


def _rule(line: str, base: str) -> Rule | None:
    text = re.sub(r"(?<!\\) +$", "", line)
    if not text or text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    text = text if ignores else text[1:]
    only_directories = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    text = text.lstrip("/")
    if not text:
        return None
    try:
        pattern = re.compile(("" if anchored else "(?:.*/)?") + _regex(text), re.DOTALL)
    except re.error as wrong:
        raise WorkdirError(f"{base}{IGNORE_FILE}: {line!r} is not a pattern") from wrong
    return Rule(base, pattern, ignores, only_directories)


TOKENS = re.compile(r"\*\*/|/\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|.", re.DOTALL)


def _regex(text: str) -> str:
    return "".join(map(_token, TOKENS.findall(text)))


def _token(token: str) -> str:
    if token == "**/":
        return "(?:.*/)?"
    if token == "/**":
        return "/.*"
    if token.startswith("*"):
        return "[^/]*"
    if token == "?":
        return "[^/]"
    if token.startswith("[") and len(token) > 1:
        inside = token[1:-1]
        negated = inside.startswith(("!", "^"))
        inside = inside[1:] if negated else inside
        return f"[{'^/' if negated else ''}{inside.replace('[', chr(92) + '[')}]"
    return re.escape(token[1:] if token.startswith("\\") else token)
