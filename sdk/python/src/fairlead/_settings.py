"""Address and credentials from arguments, the environment, or a file of mode 0600, in this order."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TextIO

import httpx2

from fairlead import _keyring
from fairlead._errors import NotKept

DEFAULT_URL = "http://127.0.0.1:8080"
DEFAULT_PROJECT = "default"


@dataclass(frozen=True)
class Settings:
    """`image` is the default of `fairlead run`. `tenant` is for callers with a role in several tenants."""

    url: str | None = None
    token: str | None = None
    project: str | None = None
    image: str | None = None
    tenant: str | None = None

    def __repr__(self) -> str:
        return (
            f"Settings(url={self.url!r}, project={self.project!r}, image={self.image!r}, "
            f"tenant={self.tenant!r})"
        )

    def over(self, other: Settings) -> Settings:
        """These settings, with missing values taken from the other."""
        return Settings(*(getattr(self, f.name) or getattr(other, f.name) for f in fields(self)))

    def changed(self, name: str, value: str | None) -> Settings:
        return replace(self, **{name: value or None})

    @staticmethod
    def of_environment() -> Settings:
        return Settings(*(os.environ.get(f"FAIRLEAD_{f.name.upper()}") for f in fields(Settings)))

    @staticmethod
    def of_file() -> Settings:
        """Reads the settings, empty without a file. Raises ValueError with the path if the file
        cannot be read."""
        try:
            stored = json.loads(path().read_text(encoding="utf-8"))
            known = {f.name for f in fields(Settings)}
            return Settings(
                **{k: v for k, v in stored.items() if k in known and isinstance(v, str)}
            )
        except FileNotFoundError:
            return Settings()
        except (OSError, ValueError, AttributeError) as broken:
            raise ValueError(f"{path()} cannot be read: {broken}") from broken

    @staticmethod
    def load() -> Settings:
        """The token and address in the file belong together: another address never gets the file's token. A
        token in the keyring is read from there."""
        environment, stored = Settings.of_environment(), Settings.of_file()
        if environment.url and environment.url.rstrip("/") != (stored.url or DEFAULT_URL).rstrip(
            "/"
        ):
            stored = replace(stored, token=None)
        if stored.token == _keyring.MARK and not environment.token:
            stored = replace(stored, token=_keyring.read(stored.url or DEFAULT_URL))
        return environment.over(stored)

    def save(self) -> Path:
        text = json.dumps({k: v for k, v in asdict(self).items() if v}, indent=2) + "\n"
        return write_private(path(), text)


def checked_url(url: str) -> str:
    """The address without a trailing slash. Raises ValueError if it is not a valid service address."""
    try:
        parsed = httpx2.URL(url)
        fine = parsed.scheme in ("http", "https") and bool(parsed.host) and " " not in url
    except httpx2.InvalidURL:
        fine = False
    if not fine:
        raise ValueError(f"{url!r} is not an address such as {DEFAULT_URL}")
    return url.rstrip("/")


def checked_token(token: str) -> str:
    """Raises ValueError if an HTTP header cannot carry the token. The message does not contain it."""
    if not token or not token.isascii() or not token.isprintable():
        raise ValueError("the token is empty, or has characters that no token has")
    return token


def checked_tenant(tenant: str) -> str:
    """Raises ValueError if an HTTP header cannot carry it."""
    if not tenant.isascii() or not tenant.isprintable():
        raise ValueError(f"{tenant!r} has characters that no tenant's name has")
    return tenant


def write_private(target: Path, text: str) -> Path:
    """Replaces the whole file. Raises NotKept."""
    with replacing(target) as file:
        file.write(text)
    return target


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[TextIO]:
    """A new file, readable only by its owner, that replaces the target if the block succeeds. Raises
    NotKept, before the block runs if the directory is not writable."""
    scratch = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    with writing(target):
        file = opened(scratch, os.O_EXCL)
        try:
            with file:
                yield file
            scratch.replace(target)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def writing(target: Path) -> Iterator[None]:
    """Raises NotKept with the path instead of an OSError."""
    try:
        yield
    except OSError as cause:
        raise NotKept(
            f"{target} cannot be written ({cause.strerror or cause}): make the directory {target.parent} "
            "writable, or let FAIRLEAD_CONFIG name a file in another"
        ) from cause


def opened(target: Path, flags: int = 0) -> TextIO:
    """Opens for writing with mode 0600, without following links. Creates a missing directory."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags |= os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return open(os.open(target, flags, 0o600), "w", encoding="utf-8")


def path() -> Path:
    """FAIRLEAD_CONFIG, or config.json below the user's configuration directory."""
    given = os.environ.get("FAIRLEAD_CONFIG")
    if given:
        return Path(given)
    root = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(root) / "fairlead" / "config.json"
