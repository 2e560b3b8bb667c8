"""Sign-in to a mocked service and issuer. LoginIT of the service uses real ones."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
import respx

from fairlead import AsyncFairlead, Fairlead, SignInFailed, _oauth, _signin
from fairlead.cli.main import main

URL = "https://fairlead.test"
Capture = pytest.CaptureFixture[str]
ISSUER = "https://id.test/realms/gpu"
TOKEN, DEVICE = f"{ISSUER}/token", f"{ISSUER}/device"
ME = {
    "user": "ana", "tenant": "acme", "administrator": False, "roles": ["tenant-member"],
    "tokenExpiresAt": None,
}  # fmt: skip
OFFER = {"issuer": ISSUER, "clientId": "cli", "scopes": ["openid"]}
AGREED = _oauth.Offer(ISSUER, "cli", ("openid",))
CONFIGURATION = {
    "issuer": ISSUER,
    "token_endpoint": TOKEN,
    "device_authorization_endpoint": DEVICE,
}
CODE = {
    "device_code": "secret", "user_code": "AB-CD", "verification_uri": f"{ISSUER}/enter",
    "expires_in": 30, "interval": 5,
}  # fmt: skip


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[respx.MockRouter]:
    """The service and its issuer."""
    monkeypatch.setenv("FAIRLEAD_URL", URL)
    with respx.mock(using="httpcore2", assert_all_called=False) as router:
        router.get(f"{URL}/.well-known/fairlead").respond(
            200, json={"api": "/api/v1", "signIn": OFFER}
        )
        router.get(f"{ISSUER}/.well-known/openid-configuration").respond(200, json=CONFIGURATION)
        router.post(DEVICE).respond(200, json=CODE)
        router.get(f"{URL}/api/v1/me").respond(200, json=ME)
        yield router


def tokens(access: str, **more: Any) -> httpx.Response:
    return httpx.Response(200, json={"access_token": access, "token_type": "Bearer", **more})


def error(code: str) -> httpx.Response:
    return httpx.Response(400, json={"error": code})


def signed_in(access: str = "first", refresh: str | None = "again", ends: float = 600) -> None:
    _signin.SignIn(URL, AGREED, TOKEN, access, refresh, time.time() + ends).save()


def bearers(router: respx.MockRouter) -> list[str]:
    return [
        call.request.headers["Authorization"].removeprefix("Bearer ")
        for call in router.calls
        if call.request.url.path == "/api/v1/me"
    ]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"api": "/api/v1", "signIn": None}, "FAIRLEAD_OIDC_ISSUER"),
        ({"api": "/api/v1", "signIn": {**OFFER, "clientId": ""}}, "FAIRLEAD_OIDC_CLI_CLIENT"),
    ],
)
def test_service_without_sign_in_names_the_required_setting(
    web: respx.MockRouter, capsys: Capture, answer: dict[str, Any], told: str
) -> None:
    web.get(f"{URL}/.well-known/fairlead").respond(200, json=answer)
    assert main(["login", "--device", "-y"]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert "--token-stdin" in said


def test_foreign_service_is_not_trusted(web: respx.MockRouter, capsys: Capture) -> None:
    web.get(f"{URL}/.well-known/fairlead").respond(200, text="<html>welcome</html>")
    assert main(["login", "--device", "-y"]) == 1
    assert "check the address" in capsys.readouterr().err


def test_issuer_mismatch_is_not_trusted(web: respx.MockRouter, capsys: Capture) -> None:
    web.get(f"{ISSUER}/.well-known/openid-configuration").respond(
        200, json={**CONFIGURATION, "issuer": "https://evil.test"}
    )
    assert main(["login", "--device", "-y"]) == 4
    assert "https://evil.test" in capsys.readouterr().err


@pytest.mark.parametrize(
    "address",
    ["http://id.test", "ftp://id.test", "file:///etc/passwd", "https://", "http://127.0.0.1.evil.test", ""],
)  # fmt: skip
def test_nothing_is_sent_over_an_unencrypted_connection(address: str) -> None:
    with pytest.raises(SignInFailed, match="neither https nor"):
        _oauth.secure("the issuer", address)


@pytest.mark.parametrize("address", ["https://id.test", "http://127.0.0.1:1", "http://[::1]:1"])
def test_https_and_this_machine_are_fine(address: str) -> None:
    assert _oauth.secure("the issuer", address) == address


def device_flow(
    router: respx.MockRouter, *answers: httpx.Response | Exception
) -> tuple[Callable[[], _oauth.Tokens], list[float]]:
    """The flow with a clock that only its naps move."""
    router.post(TOKEN).side_effect = list(answers)
    offer, naps = _oauth.Offer(ISSUER, "cli", ("openid",)), list[float]()
    issuer = _oauth.configuration(ISSUER)
    code = _oauth.begin_device(issuer, offer)
    return (
        lambda: _oauth.await_device(
            issuer, offer, code, nap=naps.append, clock=lambda: sum(naps, 0.0)
        ),
        naps,
    )


def test_the_issuer_is_asked_as_seldom_as_it_wants(web: respx.MockRouter) -> None:
    # fails when polling does not slow down after slow_down or a missing answer
    pending = error("authorization_pending")
    flow, naps = device_flow(
        web, pending, error("slow_down"), httpx2.ConnectTimeout("late"), tokens("first")
    )
    with pytest.raises(SignInFailed, match="AB-CD has expired"):
        flow()
    assert naps == [5.0, 5.0, 10.0]
    flow, naps = device_flow(web, pending, error("slow_down"), tokens("first"))
    assert flow().access == "first"
    assert naps == [5.0, 5.0, 10.0]


@pytest.mark.parametrize("how", ["expired_token", "authorization_pending"])
def test_expired_code_is_reported(web: respx.MockRouter, how: str) -> None:
    flow, _ = device_flow(web, *(error(how) for _ in range(9)))
    with pytest.raises(SignInFailed, match="fairlead login for a new one"):
        flow()


def without_naps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device flow polls immediately."""
    monkeypatch.setattr(_oauth.await_device, "__kwdefaults__", {
        "nap": lambda seconds: None, "clock": time.monotonic,
    })  # fmt: skip


def test_sign_in_is_readable_by_its_owner_only(
    web: respx.MockRouter, monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    # fails when an API token stored earlier still takes precedence over the sign-in
    (tmp_path / "config.json").write_text(json.dumps({"url": URL, "token": "fl_old"}))
    without_naps(monkeypatch)
    web.post(TOKEN).mock(return_value=tokens("first", refresh_token="again", expires_in=300))
    assert main(["login", "--device", "-y"]) == 0
    kept = tmp_path / "sign-in-config.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert "fl_old" not in (tmp_path / "config.json").read_text()
    assert "first" not in capsys.readouterr().err
    assert main(["config", "api", "get", "/me"]) == 0
    assert bearers(web)[-1] == "first"


def test_expired_token_is_renewed_once_and_not_sent(web: respx.MockRouter) -> None:
    signed_in(ends=10)
    renewal = web.post(TOKEN).mock(
        return_value=tokens("second", refresh_token="anew", expires_in=300)
    )
    with Fairlead() as fl:
        fl.me()
        fl.me()
    assert bearers(web) == ["second", "second"]
    assert renewal.call_count == 1
    assert b"refresh_token=again" in renewal.calls.last.request.content
    kept = _signin.stored()
    assert kept is not None
    assert kept.refresh_token == "anew"


def test_a_refused_token_is_renewed_once_also_by_the_async_client(web: respx.MockRouter) -> None:
    signed_in()
    web.post(TOKEN).mock(return_value=tokens("second", expires_in=300))
    refusal = {"code": "UNAUTHENTICATED", "title": "x", "detail": "x", "status": 401}
    web.get(f"{URL}/api/v1/me").side_effect = [
        httpx.Response(401, json=refusal),
        httpx.Response(200, json=ME),
    ]

    async def asked() -> str:
        async with AsyncFairlead() as fl:
            return (await fl.me()).user

    assert anyio.run(asked) == "ana"
    assert bearers(web) == ["first", "second"]
    kept = _signin.stored()
    assert kept is not None
    assert kept.refresh_token == "again"  # good until the issuer gives another


@pytest.mark.parametrize("refresh", [None, "again"])
def test_a_sign_in_that_nothing_renews_has_ended(
    web: respx.MockRouter, capsys: Capture, refresh: str | None
) -> None:
    signed_in(refresh=refresh, ends=-1)
    web.post(TOKEN).mock(return_value=error("invalid_grant"))
    assert main(["ps"]) == 4
    assert "has ended" in capsys.readouterr().err
    assert bearers(web) == []


def test_the_environment_wins_and_another_address_gets_no_token(
    web: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    # fails when FAIRLEAD_TOKEN is not sent, or the sign-in is sent to another address
    signed_in()
    monkeypatch.setenv("FAIRLEAD_TOKEN", "fl_mine")
    assert main(["config", "api", "get", "/me"]) == 0
    assert bearers(web) == ["fl_mine"]
    monkeypatch.delenv("FAIRLEAD_TOKEN")
    monkeypatch.setenv("FAIRLEAD_URL", "https://elsewhere.test")
    other = web.get("https://elsewhere.test/api/v1/me").respond(200, json=ME)
    assert main(["config", "api", "get", "/me"]) == 0
    assert "Authorization" not in other.calls.last.request.headers


def test_whoami_shows_the_credential_and_its_expiry(web: respx.MockRouter, capsys: Capture) -> None:
    signed_in(ends=3600)
    assert main(["config", "whoami"]) == 0
    lines = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert lines["user"] == "ana"
    assert lines["roles"] == "tenant-member"
    assert lines["by"] == f"sign-in at {ISSUER}"
    assert "in 1h00m" in lines["expires"] or "in 59m" in lines["expires"]


def test_signing_out_of_nothing_is_no_error(web: respx.MockRouter, capsys: Capture) -> None:
    assert main(["config", "logout"]) == 0
    assert "not signed in" in capsys.readouterr().err
    signed_in()
    assert main(["config", "logout"]) == 0
    assert "was not ended" in capsys.readouterr().err  # it has no revocation_endpoint
    assert _signin.stored() is None
