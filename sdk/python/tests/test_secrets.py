"""Secrets of a project on the command line."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import respx
from documents import page

from fairlead.cli.main import main

SECRET: dict[str, Any] = {
    "name": "hub",
    "keys": {"token": 6},
    "createdAt": "2030-01-31T08:00:00Z",
    "updatedAt": "2030-02-14T09:30:00Z",
    "updatedBy": "ana",
    "version": 2,
}


def test_a_value_comes_from_stdin_or_files_and_is_not_shown(
    api: respx.MockRouter,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    kept = api.put("/projects/nlp/secrets/hub").respond(200, json=SECRET)
    (tmp_path / "tls.crt").write_text("PEM\n")
    (tmp_path / "env").write_text("# of the store\nUSER=ana\nPASS=a=b\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("canary\n"))
    command = ["secret", "set", "hub", "token=-", "--project", "nlp"]
    command += ["--from-file", str(tmp_path / "tls.crt"), "--from-env-file", str(tmp_path / "env")]
    assert main(command) == 0
    assert json.loads(kept.calls.last.request.content) == {
        "data": {"token": "canary", "tls.crt": "PEM\n", "USER": "ana", "PASS": "a=b"}
    }
    assert "canary" not in "".join(capsys.readouterr())


def test_invalid_key_value_argument_is_not_echoed(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["secret", "set", "hub", "canary"]) == 2
    assert "canary" not in "".join(capsys.readouterr())


def test_secrets_are_listed_by_name_keys_and_size(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/projects/nlp/secrets").respond(200, json=page(SECRET))
    assert main(["secret", "list", "--project", "nlp"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["hub", "token", "6"]
