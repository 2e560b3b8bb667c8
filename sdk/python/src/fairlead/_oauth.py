"""Sign-in at the issuer that the service names: device flow (RFC 8628), browser flow (RFC 8252, PKCE)."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2

from fairlead._errors import FairleadError, IssuerUnreachable, SignInFailed, Unreachable
from fairlead._tls import trusted

ANSWER_SECONDS = 10.0
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
# defaults of RFC 8628: seconds between two polls, and the increase after slow_down
POLL_SECONDS = 5.0
SLOWER_SECONDS = 5.0
LONGEST_CODE_SECONDS = 1800.0
# issuer temporarily unavailable, in addition to 5xx: request timeout, too many requests
BUSY = (408, 429)


@dataclass(frozen=True)
class Offer:
    """The issuer for sign-in, and the public client."""

    issuer: str
    client_id: str
    scopes: tuple[str, ...]


@dataclass(frozen=True)
class Issuer:
    """Endpoints from the OpenID configuration of the issuer, or None if they are unsupported."""

    name: str
    token: str
    authorization: str | None
    device: str | None
    revocation: str | None


@dataclass(frozen=True)
class Tokens:
    """`expires_at` is in seconds since 1970, or None if the issuer does not state it."""

    access: str
    refresh: str | None
    expires_at: float | None


@dataclass(frozen=True)
class DeviceCode:
    """The code that the user enters at `address`. `complete` is the address including the code, if the
    issuer provides it."""

    secret: str
    user_code: str
    address: str
    complete: str | None
    seconds: float
    interval: float


class Denied(SignInFailed):
    """The issuer refused, with an OAuth error as `code`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def offered(url: str) -> Offer | None:
    """None if the service accepts no issuer's tokens, or is older than this document. Raises
    Unreachable, and FairleadError for a response that is not from Fairlead."""
    try:
        with httpx2.Client(timeout=ANSWER_SECONDS, verify=trusted()) as http:
            response = http.get(f"{url}/.well-known/fairlead")
    except (httpx2.TransportError, httpx2.InvalidURL) as cause:
        raise Unreachable(f"{url} cannot be reached: {cause or type(cause).__name__}") from cause
    if response.status_code in (401, 404):
        return None
    answer = mapping(response)
    if not response.is_success or "api" not in answer:
        raise FairleadError(
            f"{url}/.well-known/fairlead returned {response.status_code} instead of the sign-in "
            "settings; check the address and any proxy in between"
        )
    offer = answer.get("signIn")
    if not isinstance(offer, dict):
        return None
    scopes = tuple(str(scope) for scope in offer.get("scopes") or ())
    return Offer(str(offer.get("issuer") or ""), str(offer.get("clientId") or ""), scopes)


def configuration(issuer: str) -> Issuer:
    """The issuer's addresses. Raises IssuerUnreachable, and SignInFailed for an untrusted response."""
    address = f"{secure('the issuer', issuer).rstrip('/')}/.well-known/openid-configuration"
    response = _sent(issuer, "GET", address)
    if not response.is_success:
        raise IssuerUnreachable(f"{address} answers {response.status_code}")
    known = mapping(response)
    if known.get("issuer") != issuer:
        raise SignInFailed(
            f"{address} speaks for the issuer {known.get('issuer')!r}, but the service names "
            f"{issuer!r}. Set fairlead.oidc.issuer of the service to the issuer's own spelling"
        )

    def at(name: str) -> str | None:
        found = known.get(name)
        return secure(name, found) if isinstance(found, str) else None

    token = at("token_endpoint")
    if token is None:
        raise SignInFailed(f"{address} names no token_endpoint")
    return Issuer(
        issuer,
        token,
        at("authorization_endpoint"),
        at("device_authorization_endpoint"),
        at("revocation_endpoint"),
    )


def secure(what: str, address: str) -> str:
    """Returns the address if its traffic is encrypted or stays on this machine. Raises
    SignInFailed otherwise."""
    parts = urlsplit(address)
    if parts.scheme == "https" and parts.hostname:
        return address
    if parts.scheme == "http" and _local(parts.hostname or ""):
        return address
    raise SignInFailed(f"{what} is {address!r}: neither https nor an address of this machine")


def _local(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def begin_device(issuer: Issuer, offer: Offer) -> DeviceCode:
    if issuer.device is None:
        raise SignInFailed(f"{issuer.name} has no device flow: fairlead login --browser")
    answer = _asked(
        issuer.name, issuer.device, client_id=offer.client_id, scope=" ".join(offer.scopes)
    )
    try:
        complete = answer.get("verification_uri_complete")
        return DeviceCode(
            str(answer["device_code"]),
            str(answer["user_code"]),
            secure("verification_uri", str(answer["verification_uri"])),
            secure("verification_uri_complete", complete) if isinstance(complete, str) else None,
            min(float(answer["expires_in"]), LONGEST_CODE_SECONDS),
            max(float(answer.get("interval") or POLL_SECONDS), 0.0),
        )
    except (KeyError, TypeError, ValueError) as missing:
        raise SignInFailed(f"{issuer.device} sent an invalid answer: {missing!r}") from missing


def await_device(
    issuer: Issuer,
    offer: Offer,
    code: DeviceCode,
    *,
    nap: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Tokens:
    """The tokens after the user has consented. Polls no more often than the issuer allows, and
    stops when the code has expired."""
    until, interval = clock() + code.seconds, code.interval
    while clock() + interval < until:
        nap(interval)
        try:
            return _tokens(
                _asked(
                    issuer.name,
                    issuer.token,
                    grant_type=DEVICE_GRANT,
                    device_code=code.secret,
                    client_id=offer.client_id,
                )
            )
        except IssuerUnreachable:
            interval = max(2 * interval, POLL_SECONDS)
        except Denied as refused:
            if refused.code == "slow_down":
                interval += SLOWER_SECONDS
            elif refused.code == "expired_token":
                break
            elif refused.code != "authorization_pending":
                raise
    raise SignInFailed(
        f"the code {code.user_code} has expired unused: run fairlead login for a new one"
    )


@dataclass(frozen=True)
class Request:
    """One browser sign-in attempt, with the secrets that its response must match."""

    issuer: Issuer
    offer: Offer
    redirect: str
    state: str
    verifier: str

    @staticmethod
    def new(issuer: Issuer, offer: Offer, redirect: str) -> Request:
        return Request(
            issuer, offer, redirect, secrets.token_urlsafe(32), secrets.token_urlsafe(64)
        )

    def address(self) -> str:
        """The address for the browser."""
        if self.issuer.authorization is None:
            raise SignInFailed(f"{self.issuer.name} has no browser flow: fairlead login --device")
        digest = hashlib.sha256(self.verifier.encode()).digest()
        query = urlencode(
            {
                "response_type": "code",
                "client_id": self.offer.client_id,
                "redirect_uri": self.redirect,
                "scope": " ".join(self.offer.scopes),
                "state": self.state,
                "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
                "code_challenge_method": "S256",
            }
        )
        joint = "&" if urlsplit(self.issuer.authorization).query else "?"
        return f"{self.issuer.authorization}{joint}{query}"

    def is_answered_by(self, answer: Mapping[str, str]) -> bool:
        """Whether the request belongs to this attempt, because any page can send the browser here."""
        return secrets.compare_digest(answer.get("state", "").encode(), self.state.encode())

    def redeemed(self, answer: Mapping[str, str]) -> Tokens:
        if answer.get("iss", self.issuer.name) != self.issuer.name:
            raise SignInFailed(f"another issuer answers, {answer['iss']!r}")
        if "code" not in answer:
            raise denied(self.issuer.name, answer)
        return _tokens(
            _asked(
                self.issuer.name,
                self.issuer.token,
                grant_type="authorization_code",
                code=answer["code"],
                redirect_uri=self.redirect,
                client_id=self.offer.client_id,
                code_verifier=self.verifier,
            )
        )


def renewed(issuer: str, address: str, client_id: str, refresh: str) -> Tokens:
    """New tokens for a refresh token, which remains valid if the issuer returns no other."""
    tokens = _tokens(
        _asked(
            issuer, address, grant_type="refresh_token", refresh_token=refresh, client_id=client_id
        )
    )
    return Tokens(tokens.access, tokens.refresh or refresh, tokens.expires_at)


def revoked(issuer: Issuer, client_id: str, token: str, kind: str) -> None:
    """Revokes a token at the issuer (RFC 7009), if supported. `kind` is access_token or refresh_token."""
    if issuer.revocation is not None:
        _asked(
            issuer.name,
            issuer.revocation,
            token=token,
            token_type_hint=kind,
            client_id=client_id,
        )


def _asked(issuer: str, address: str, **form: str) -> dict[str, Any]:
    response = _sent(issuer, "POST", address, form)
    answer = mapping(response)
    if response.is_success:
        return answer
    if response.status_code in BUSY or response.status_code >= 500:
        raise IssuerUnreachable(f"{address} answers {response.status_code}")
    raise denied(issuer, {key: str(value) for key, value in answer.items()}, response.status_code)


def denied(issuer: str, answer: Mapping[str, str], status: int = 400) -> Denied:
    code = answer.get("error", "")
    said = answer.get("error_description") or code or f"status {status}"
    if code == "access_denied":
        return Denied(code, f"{issuer} denies the sign-in: {said}")
    return Denied(code, f"{issuer} refuses: {said}")


def _sent(
    issuer: str, method: str, address: str, form: Mapping[str, str] | None = None
) -> httpx2.Response:
    try:
        with httpx2.Client(timeout=ANSWER_SECONDS, verify=trusted()) as http:
            headers = {"Accept": "application/json"}
            answer: httpx2.Response = http.request(method, address, data=form, headers=headers)
            return answer
    except (httpx2.TransportError, httpx2.InvalidURL) as cause:
        why = str(cause) or type(cause).__name__
        raise IssuerUnreachable(f"the issuer {issuer} cannot be reached: {why}") from cause


def mapping(response: httpx2.Response) -> dict[str, Any]:
    """The JSON object of a response. Empty for any other body."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def session(token: str) -> str | None:
    """Returns the id of the session at the issuer, if the token is a JWT with one.

    The JWT is not verified.
    """
    try:
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        named = claims["sid"]
    except (LookupError, ValueError, TypeError):
        return None
    return named if isinstance(named, str) else None


def _tokens(answer: Mapping[str, Any]) -> Tokens:
    access = answer.get("access_token")
    if not isinstance(access, str) or str(answer.get("token_type")).lower() != "bearer":
        raise SignInFailed("the issuer's answer has no bearer token")
    refresh, seconds = answer.get("refresh_token"), answer.get("expires_in")
    try:
        ends = None if seconds is None else time.time() + float(seconds)
    except (TypeError, ValueError):
        ends = None
    return Tokens(access, refresh if isinstance(refresh, str) else None, ends)
