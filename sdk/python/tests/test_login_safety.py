"""Sign-in with a malicious service, two concurrent commands, and an unreachable issuer."""

from __future__ import annotations

import base64
import errno
import fcntl
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import httpx2
import pytest
import respx
from test_login import (
    CONFIGURATION,
    ISSUER,
    ME,
    OFFER,
    TOKEN,
    URL,
    Capture,
    bearers,
    device_flow,
    error,
    signed_in,
    tokens,
    web,
    without_naps,
)

from fairlead import (
    Fairlead,
    IssuerUnreachable,
    NotKept,
    SignInFailed,
    _oauth,
    _settings,
    _signin,
)
from fairlead.cli.main import main

__all__ = ["web"]
REVOKE = f"{ISSUER}/revoke"
PLAIN = "http://fairlead.test"


def revocation(router: respx.MockRouter, status: int = 200) -> Callable[[], list[str]]:
    """Lets the issuer revoke tokens, and yields the tokens to revoke."""
    router.get(f"{ISSUER}/.well-known/openid-configuration").respond(
        200, json={**CONFIGURATION, "revocation_endpoint": REVOKE}
    )
    route = router.post(REVOKE).respond(status, json={})
    return lambda: [form(call.request)["token"] for call in route.calls]


def form(request: httpx.Request) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(request.content.decode()).items()}


def jwt(session: str, name: str) -> str:
    body = base64.urlsafe_b64encode(json.dumps({"sid": session, "jti": name}).encode()).decode()
    return f"e30.{body.rstrip('=')}.x"


def test_a_service_behind_plain_http_leads_nobody_to_an_issuer(
    web: respx.MockRouter, capsys: Capture
) -> None:
    # fails when the service's own address is not checked: it would get the token
    web.get(f"{PLAIN}/.well-known/fairlead").respond(200, json={"api": "/", "signIn": OFFER})
    assert main(["login", "--device", "-y", "--url", PLAIN]) == 4
    assert f"the service is '{PLAIN}': neither https" in capsys.readouterr().err
    assert not [call for call in web.calls if call.request.url.host == "id.test"]


def test_a_token_is_not_sent_to_a_service_behind_plain_http(
    web: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    # fails when a sign-in stored by an earlier version for such an address is still sent to it
    signed_in()
    kept = _signin.path()
    kept.write_text(kept.read_text().replace(URL, PLAIN))
    monkeypatch.setenv("FAIRLEAD_URL", PLAIN)
    asked = web.get(f"{PLAIN}/api/v1/me").respond(200, json=ME)
    with Fairlead() as fl, pytest.raises(SignInFailed, match="neither https"):
        fl.me()
    assert asked.call_count == 0


@pytest.mark.parametrize(
    "changed",
    [{"issuer": "https://evil.test"}, {"clientId": "admin-cli"}, {"scopes": ["openid", "mail"]}],
)
def test_unaccepted_offer_is_shown_and_requires_confirmation(
    web: respx.MockRouter, capsys: Capture, changed: dict[str, Any]
) -> None:
    # fails when the first offer, or a different one, is accepted without a prompt
    signed_in()
    offer = {**OFFER, **changed}
    web.get(f"{URL}/.well-known/fairlead").respond(200, json={"api": "/", "signIn": offer})
    assert main(["login", "--device"]) == 2
    said = capsys.readouterr().err
    for shown in (URL, offer["issuer"], offer["clientId"], " ".join(offer["scopes"]), "pass -y"):
        assert shown in said
    assert [call.request.url.path for call in web.calls] == ["/.well-known/fairlead"]


def test_accepted_offer_is_not_asked_again(
    web: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_naps(monkeypatch)
    web.post(TOKEN).mock(return_value=tokens("second"))
    assert main(["login", "--device"]) == 2
    signed_in()
    assert main(["login", "--device"]) == 0


@pytest.mark.parametrize(
    ("command", "left", "ended"),
    [
        (["config", "logout"], None, ["anew", "second"]),
        (["login", "--device", "-y"], "third", ["anew", "second"]),
    ],
)
def test_a_late_renewal_undoes_nothing(
    web: respx.MockRouter,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    left: str | None,
    ended: list[str],
) -> None:
    # fails when logout or login do not wait for a renewal in progress, or read the file before they wait
    without_naps(monkeypatch)
    signed_in(ends=-1)
    revoked = revocation(web)
    went_on, lock = threading.Event(), fcntl.flock

    def contend() -> None:
        main(command)
        went_on.set()

    contender = threading.Thread(target=contend)

    def flock(file: Any, how: int) -> None:
        if threading.current_thread() is contender:
            went_on.set()
        lock(file, how)

    def answer(request: httpx.Request) -> httpx.Response:
        if form(request)["grant_type"] != "refresh_token":
            return tokens("third", refresh_token="last")
        contender.start()
        assert went_on.wait(30)  # it has come to the lock, or has done all
        return tokens("second", refresh_token="anew", expires_in=300)

    monkeypatch.setattr(fcntl, "flock", flock)
    web.post(TOKEN).side_effect = answer
    assert _signin.SignedIn(URL).token() == "second"
    contender.join(30)
    kept = _signin.stored()
    assert (kept and kept.access_token) == left
    assert revoked() == ended


@pytest.mark.parametrize(
    "away",
    [httpx2.ReadTimeout("late"), *(httpx.Response(status) for status in (408, 429, 500, 503))],
    ids=str,
)
def test_unavailable_issuer_ends_no_valid_token(
    web: respx.MockRouter, away: Exception | httpx.Response
) -> None:
    # fails when the renewal before the end is taken for the end
    web.post(TOKEN).side_effect = lambda request: raised(away)
    signed_in(ends=10)
    with Fairlead() as fl:
        fl.me()
    assert bearers(web) == ["first"]
    signed_in(ends=-1)
    with pytest.raises(IssuerUnreachable):
        _signin.SignedIn(URL).token()
    signed_in(ends=10)
    with pytest.raises(IssuerUnreachable):
        _signin.SignedIn(URL).token(refused="first")


def raised(answer: Exception | httpx.Response) -> httpx.Response:
    if isinstance(answer, Exception):
        raise answer
    return answer


def test_unrenewable_token_is_sent_until_it_expires(web: respx.MockRouter) -> None:
    signed_in(refresh=None, ends=10)
    assert _signin.SignedIn(URL).token() == "first"


def test_only_an_invalid_grant_ends_the_sign_in(web: respx.MockRouter) -> None:
    # fails when any refusal, such as of a changed client, is reported as the end of the sign-in
    signed_in(ends=-1)
    web.post(TOKEN).mock(return_value=error("invalid_client"))
    with pytest.raises(SignInFailed, match="refuses: invalid_client"):
        _signin.SignedIn(URL).token()
    web.post(TOKEN).mock(return_value=error("invalid_grant"))
    with pytest.raises(SignInFailed, match="has ended"):
        _signin.SignedIn(URL).token()


def test_the_device_flow_outlives_an_issuer_that_is_busy(web: respx.MockRouter) -> None:
    flow, naps = device_flow(web, httpx.Response(429), tokens("first"))
    assert flow().access == "first"
    assert naps == [5.0, 10.0]


def full(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """No file can be created. Existing files can be opened."""
    real = os.open

    def refusing(path: Any, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_EXCL:
            raise OSError(number, os.strerror(number))
        return real(path, flags, mode)

    monkeypatch.setattr("fairlead._settings.os.open", refusing)


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_refresh_token_is_not_used_when_its_successor_cannot_be_stored(
    web: respx.MockRouter, monkeypatch: pytest.MonkeyPatch, capsys: Capture, number: int
) -> None:
    # fails when the issuer is called before its answer can be stored
    renewal = web.post(TOKEN).mock(return_value=tokens("second", refresh_token="anew"))
    signed_in(ends=-1)
    with monkeypatch.context() as here:
        full(here, number)
        assert main(["ps"]) == 1
    said = capsys.readouterr().err
    assert f"{_signin.path()} cannot be written ({os.strerror(number)})" in said
    assert f"make the directory {_signin.path().parent} writable" in said
    assert renewal.call_count == 0
    assert _signin.SignedIn(URL).token() == "second"


def test_valid_token_needs_no_writable_directory(
    web: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in(ends=10)
    full(monkeypatch, errno.EROFS)
    assert _signin.SignedIn(URL).token() == "first"


def test_a_failed_renewal_leaves_no_scratch_file(web: respx.MockRouter) -> None:
    web.post(TOKEN).mock(return_value=error("invalid_grant"))
    signed_in(ends=-1)
    before = set(_signin.path().parent.iterdir())
    with pytest.raises(SignInFailed):
        _signin.SignedIn(URL).token()
    assert {file.suffix for file in set(_signin.path().parent.iterdir()) - before} == {".lock"}


def test_two_configurations_in_a_directory_are_two_sign_ins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # fails when signing in for one configuration signs the other out
    signed_in("first")
    monkeypatch.setenv("FAIRLEAD_CONFIG", str(tmp_path / "other.json"))
    assert _signin.stored() is None
    signed_in("second")
    monkeypatch.setenv("FAIRLEAD_CONFIG", str(tmp_path / "config.json"))
    kept = _signin.stored()
    assert kept is not None
    assert kept.access_token == "first"


def test_scratch_file_follows_no_link_and_overwrites_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # fails when a link that another user laid in a directory of both gets the tokens
    monkeypatch.setattr("fairlead._settings.secrets.token_hex", lambda length: "guessed")
    target, prey = tmp_path / "kept.json", tmp_path / "prey"
    (tmp_path / ".kept.json.guessed").symlink_to(prey)
    with pytest.raises(NotKept, match=r"kept\.json cannot be written"):
        _settings.write_private(target, "secret")
    assert not prey.exists()


@pytest.mark.parametrize("how", ["open", "foreign"])
def test_a_file_of_others_is_ignored_and_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    # fails when another user can plant a sign-in, or read this one unnoticed
    signed_in()
    if how == "open":
        _signin.path().chmod(0o640)
    else:
        monkeypatch.setattr("fairlead._signin.os.getuid", lambda: os.geteuid() + 1)
    assert _signin.load(URL) is None
    assert _signin.load(URL) is None
    assert caplog.text.count(f"{_signin.path()} is ignored") == 1


@pytest.mark.parametrize("command", [["--device", "-y"], ["--token-stdin"], ["--no-token"]])
@pytest.mark.parametrize("status", [200, 503])
def test_second_login_ends_the_previous_one_or_reports_it(
    web: respx.MockRouter,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
    command: list[str],
    status: int,
) -> None:
    # fails when a discarded refresh token stays valid at the issuer
    without_naps(monkeypatch)
    monkeypatch.setattr("sys.stdin.readline", lambda: "fl_mine\n", raising=False)
    signed_in()
    revoked = revocation(web, status)
    web.post(TOKEN).mock(return_value=tokens("second", refresh_token="anew"))
    assert main(["login", *command]) == 0
    assert revoked() == (["again", "first"] if status == 200 else ["again"])
    assert ("could not end" in capsys.readouterr().err) == (status != 200)


def test_a_session_that_the_new_sign_in_shares_is_not_ended(
    web: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    # fails when an issuer with one session for each browser ends the new sign-in with the old one
    without_naps(monkeypatch)
    revoked = revocation(web)
    signed_in(jwt("one", "a"))
    web.post(TOKEN).mock(return_value=tokens(jwt("one", "b"), refresh_token="anew"))
    assert main(["login", "--device"]) == 0
    assert revoked() == []
    web.post(TOKEN).mock(return_value=tokens(jwt("two", "c"), refresh_token="last"))
    assert main(["login", "--device"]) == 0
    assert revoked() == ["anew", jwt("one", "b")]


def test_a_token_without_a_session_has_none() -> None:
    for token in ("opaque", "a.b.c", "a.W10.c", jwt("", "x").replace("x", "é")):
        assert not _oauth.session(token)


@pytest.mark.parametrize("status", [401, 404])
def test_a_service_from_before_sign_in_offers_none(
    web: respx.MockRouter, capsys: Capture, status: int
) -> None:
    # fails when an older process is taken for something that is no Fairlead, or for a broken one
    problem = {"code": "UNAUTHENTICATED", "status": status}
    web.get(f"{URL}/.well-known/fairlead").respond(status, json=problem)
    assert main(["login", "--device"]) == 2
    assert "older than this" in capsys.readouterr().err
    web.get(f"{URL}/api/v1/me").respond(200, json={k: v for k, v in ME.items() if k != "roles"})
    assert main(["login", "--no-token"]) == 0
    assert main(["config", "whoami"]) == 0
