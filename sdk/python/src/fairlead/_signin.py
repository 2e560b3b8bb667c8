"""The sign-in stored by `fairlead login`: a file of mode 0600, renewed when its access token expires."""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import time
from collections.abc import AsyncGenerator, Generator, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import httpx2

from fairlead import _oauth, _settings
from fairlead._errors import IssuerUnreachable, NotKept, SignInFailed
from fairlead._oauth import Denied

try:
    import fcntl
except (
    ImportError
):  # no file locks on this system: two concurrent commands may require a new sign-in
    fcntl = None  # type: ignore[assignment]

# a token that ends sooner is renewed before it is sent, if the issuer can be reached
LEAST_SECONDS = 30.0
log = logging.getLogger("fairlead")


@dataclass(frozen=True)
class SignIn:
    """Tokens and their renewal. `url` is the service of the tokens, `offer` the settings that the
    user accepted. `expires_at` is in seconds since 1970."""

    url: str
    offer: _oauth.Offer
    token_endpoint: str
    access_token: str
    refresh_token: str | None
    expires_at: float | None

    def __repr__(self) -> str:
        return f"SignIn(url={self.url!r}, issuer={self.offer.issuer!r})"

    def ends_within(self, seconds: float) -> bool:
        return self.expires_at is not None and self.expires_at - time.time() < seconds

    def usable(self, refused: str | None, seconds: float = 0.0) -> bool:
        """Whether its access token is still valid after this many seconds."""
        return self.access_token != refused and not self.ends_within(seconds)

    def with_tokens(self, tokens: _oauth.Tokens) -> SignIn:
        return replace(
            self,
            access_token=tokens.access,
            refresh_token=tokens.refresh,
            expires_at=tokens.expires_at,
        )

    def text(self) -> str:
        values = asdict(self)
        flat = {**values.pop("offer"), **values}
        return json.dumps({k: v for k, v in flat.items() if v is not None}, indent=2) + "\n"

    def save(self) -> Path:
        return _settings.write_private(path(), self.text())


def path() -> Path:
    """One file per configuration, even for several configurations in one directory."""
    settings = _settings.path()
    return settings.with_name(f"sign-in-{settings.name}")


def stored() -> SignIn | None:
    """Returns the stored sign-in. None without a sign-in, or if the file is unreadable or readable
    by other users. A new sign-in replaces the file."""
    try:
        with path().open(encoding="utf-8") as file:
            fault = _open_to_others(os.fstat(file.fileno()))
            if fault is not None:
                _ignored(path(), fault)
                return None
            kept = json.load(file)
        scopes = tuple(str(scope) for scope in kept.get("scopes") or ())
        return SignIn(
            str(kept["url"]),
            _oauth.Offer(str(kept["issuer"]), str(kept["client_id"]), scopes),
            str(kept["token_endpoint"]),
            str(kept["access_token"]),
            kept.get("refresh_token"),
            kept.get("expires_at"),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _open_to_others(seen: os.stat_result) -> str | None:
    if not hasattr(os, "getuid"):
        return None
    if seen.st_uid != os.getuid():
        return "it belongs to another user"
    return "others can open it" if seen.st_mode & 0o077 else None


@functools.cache
def _ignored(file: Path, fault: str) -> None:
    """Prints the warning once in each process."""
    log.warning("%s is ignored: %s. Sign in again with fairlead login", file, fault)


def load(url: str) -> SignIn | None:
    """Returns the stored sign-in for this URL. Its tokens are never sent to another address."""
    found = stored()
    return found if found is not None and found.url == url.rstrip("/") else None


def replaced(fresh: SignIn | None) -> SignIn | None:
    """Stores or removes the sign-in, and returns the previous one. Its tokens remain valid at the
    issuer until they are revoked. Raises NotKept."""
    with _alone():
        before = stored()
        if fresh is not None:
            fresh.save()
        else:
            with _settings.writing(path()):
                path().unlink(missing_ok=True)
    return before


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Only one process renews, signs in or signs out at a time, because most issuers accept a refresh token
    once, and a late response must not restore a sign-in that another command has ended. Raises NotKept."""
    at = path().with_name(f"{path().name}.lock")
    with _settings.writing(at):
        file = _settings.opened(at)
    with file as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class SignedIn(httpx2.Auth):
    """Sends the access token of the sign-in for that service, and renews it when it has expired or
    is refused."""

    def __init__(self, url: str) -> None:
        self._url = url

    def token(self, refused: str | None = None) -> str:
        """Raises SignInFailed if the user must sign in again, and IssuerUnreachable or NotKept if it has
        expired and cannot be renewed now."""
        _oauth.secure("the service", self._url)
        kept = self._kept()
        if kept.usable(refused, LEAST_SECONDS):
            return kept.access_token
        try:
            with _alone():
                now = self._kept()  # another command may have renewed it
                if not now.usable(refused, LEAST_SECONDS):
                    now = _renewed(now, refused)
                return now.access_token
        except (IssuerUnreachable, NotKept):
            if not kept.usable(refused):
                raise
            return kept.access_token

    def _kept(self) -> SignIn:
        kept = load(self._url)
        if kept is None:
            raise SignInFailed(f"not signed in at {self._url}: fairlead login")
        return kept

    def _renewable(self, refused: str) -> bool:
        kept = load(self._url)
        return kept is not None and (kept.refresh_token is not None or kept.access_token != refused)

    def sync_auth_flow(
        self, request: httpx2.Request
    ) -> Generator[httpx2.Request, httpx2.Response, None]:
        token = self.token()
        response = yield _bearing(request, token)
        if response.status_code == 401 and self._renewable(token):
            yield _bearing(request, self.token(token))

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        import anyio.to_thread  # most commands are synchronous

        token = await anyio.to_thread.run_sync(self.token)
        response = yield _bearing(request, token)
        if response.status_code == 401 and self._renewable(token):
            yield _bearing(request, await anyio.to_thread.run_sync(self.token, token))


def _renewed(kept: SignIn, refused: str | None) -> SignIn:
    issuer = kept.offer.issuer
    if kept.refresh_token is None:
        if kept.usable(refused):
            return kept
        raise SignInFailed(f"the sign-in at {issuer} has ended: fairlead login")
    # before the request to the issuer, which uses up the old refresh token, so the response must be storable
    with _settings.replacing(path()) as file:
        try:
            tokens = _oauth.renewed(
                issuer, kept.token_endpoint, kept.offer.client_id, kept.refresh_token
            )
        except Denied as refusal:
            if refusal.code != "invalid_grant":
                raise
            raise SignInFailed(
                f"the sign-in at {issuer} has ended ({refusal.code}): fairlead login"
            ) from refusal
        fresh = kept.with_tokens(tokens)
        file.write(fresh.text())
    return fresh


def _bearing(request: httpx2.Request, token: str) -> httpx2.Request:
    request.headers["Authorization"] = f"Bearer {token}"
    return request


def of(settings: _settings.Settings) -> httpx2.Auth | None:
    """Authentication of requests with the stored sign-in, or None if a token is given or no
    sign-in for the service exists."""
    url = (settings.url or _settings.DEFAULT_URL).rstrip("/")
    return SignedIn(url) if settings.token is None and load(url) is not None else None
