"""A stored token is sent only to the address for which it was stored."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import respx

from fairlead import Settings
from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
A, B = "http://a.test", "http://b.test"
ME = {"user": "ana", "tenant": "acme", "administrator": False, "roles": []}


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[respx.MockRouter]:
    """Both services answer."""
    monkeypatch.setattr("sys.stdin", io.StringIO("a-token\n"))
    with respx.mock(using="httpcore2", assert_all_called=False) as router:
        for address in (A, B, "http://127.0.0.1:8080"):
            router.get(f"{address}/api/v1/me").respond(200, json=ME)
        yield router


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Entries of the keyring, by address."""
    kept: dict[str, str] = {}
    fake = SimpleNamespace(
        priority=5,
        set_password=lambda _, name, password: kept.update({name: password}),
        get_password=lambda _, name: kept.get(name),
        delete_password=lambda _, name: kept.pop(name),
    )
    fake.get_keyring = lambda: fake
    monkeypatch.setitem(sys.modules, "keyring", fake)
    return kept


@pytest.mark.parametrize("words", [["set", "url", B], ["unset", "url"]])
def test_a_token_is_forgotten_with_its_address(
    web: respx.MockRouter, capsys: Capture, tmp_path: Path, words: list[str]
) -> None:
    """Fails when the token stays in the file: the next command sends it to the other address."""
    assert main(["login", "--url", A, "--token-stdin", "--in-file"]) == 0
    assert main(["config", *words]) == 0
    assert f"removed the API token for {A}" in capsys.readouterr().err
    assert "a-token" not in (tmp_path / "config.json").read_text()
    assert main(["config", "api", "get", "/me"]) == 0
    request = web.calls.last.request
    assert str(request.url).startswith(B if "set" in words else "http://127.0.0.1:8080")
    assert "Authorization" not in request.headers


@pytest.mark.parametrize("words", [["set", "url", A + "/"], ["set", "project", "nlp"]])
def test_a_token_stays_while_its_address_does(
    web: respx.MockRouter, capsys: Capture, words: list[str]
) -> None:
    assert main(["login", "--url", A, "--token-stdin", "--in-file"]) == 0
    capsys.readouterr()
    assert main(["config", *words]) == 0
    assert "forgotten" not in capsys.readouterr().err
    assert main(["config", "api", "get", "/me"]) == 0
    assert web.calls.last.request.headers["Authorization"] == "Bearer a-token"


@pytest.mark.parametrize("words", [["set", "url", B], ["unset", "url"], ["unset", "token"]])
def test_a_token_of_the_keyring_is_forgotten_there_too(
    web: respx.MockRouter, keyring: dict[str, str], words: list[str]
) -> None:
    """Fails when logout leaves an unreferenced token in the keyring."""
    assert main(["login", "--url", A, "--token-stdin"]) == 0
    assert keyring == {A: "a-token"}
    assert main(["config", *words]) == 0
    assert keyring == {}
    assert Settings.of_file().token is None


def test_a_token_of_the_keyring_stays_while_its_address_does(
    web: respx.MockRouter, keyring: dict[str, str]
) -> None:
    assert main(["login", "--url", A, "--token-stdin"]) == 0
    assert main(["config", "set", "url", A]) == 0
    assert main(["config", "api", "get", "/me"]) == 0
    assert web.calls.last.request.headers["Authorization"] == "Bearer a-token"
    assert keyring == {A: "a-token"}
