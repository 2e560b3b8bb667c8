"""Verbs of API keys of model services on a mocked service."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx
from documents import page, problem
from test_services import SERVICES, service

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
TEXT = "flk_" + "a" * 43


def key(**changes: Any) -> dict[str, Any]:
    app: dict[str, Any] = {
        "name": "app",
        "service": "chat",
        "state": "VALID",
        "requestsPerMinute": 600,
        "tokensPerMinute": None,
        "createdBy": "ana",
        "createdAt": "2030-01-01T09:00:00Z",
        "expiresAt": "2030-04-01T09:00:00Z",
        "revokedAt": None,
        "lastUsedAt": None,
    }
    return {**app, **changes}


def test_only_a_new_key_is_written_to_standard_output(
    api: respx.MockRouter, capsys: Capture
) -> None:
    create = api.post(f"{SERVICES}/chat/keys").respond(201, json={"key": TEXT, "details": key()})
    api.get(f"{SERVICES}/chat").respond(200, json=service(access="KEYS"))
    options = ["--requests-per-minute", "600", "--expires-in", "90d"]
    assert main(["service", "key", "create", "chat", "app", *options]) == 0
    assert json.loads(create.calls.last.request.content) == {
        "name": "app",
        "expiresIn": "90d",
        "requestsPerMinute": 600,
    }
    printed = capsys.readouterr()
    assert printed.out == TEXT + "\n"
    assert TEXT not in printed.err
    assert "access: KEYS" not in printed.err


def test_a_key_of_an_open_service_comes_with_a_warning(
    api: respx.MockRouter, capsys: Capture
) -> None:
    api.post(f"{SERVICES}/chat/keys").respond(201, json={"key": TEXT, "details": key()})
    api.get(f"{SERVICES}/chat").respond(200, json=service(access="OPEN"))
    assert main(["service", "key", "create", "chat", "app"]) == 0
    assert "access: KEYS" in capsys.readouterr().err


def test_keys_are_listed_with_limits_and_last_use(api: respx.MockRouter, capsys: Capture) -> None:
    api.get(f"{SERVICES}/chat/keys").respond(200, json=page(key(), key(name="b", state="REVOKED")))
    assert main(["service", "key", "list", "chat"]) == 0
    listed = capsys.readouterr().out
    assert "600" in listed
    assert "never" in listed
    assert "REVOKED" in listed


def test_a_key_is_revoked_once_it_exists(api: respx.MockRouter, capsys: Capture) -> None:
    revoke = api.delete(f"{SERVICES}/chat/keys/app").respond(204)
    assert main(["service", "key", "revoke", "chat", "app"]) == 0
    assert revoke.called
    assert "is revoked" in capsys.readouterr().err
    api.delete(f"{SERVICES}/chat/keys/gone").respond(
        404, json=problem(404, "NOT_FOUND", 'Service "chat" has no key "gone".')
    )
    assert main(["service", "key", "revoke", "chat", "gone"]) != 0


def test_usage_has_the_period_that_was_asked_for(api: respx.MockRouter, capsys: Capture) -> None:
    use = {
        "begin": "2030-01-01T00:00:00Z",
        "key": "app",
        "requests": 3,
        "promptTokens": 21,
        "completionTokens": 15,
        "unmeteredRequests": 1,
        "cost": 0.25,
        "costPerThousandTokens": 0.0625,
        "currency": "EUR",
        "costUnknown": None,
    }
    report = api.get(f"{SERVICES}/chat/usage").respond(200, json=page(use))
    assert main(["service", "usage", "chat", "--period", "HOUR", "--from", "24h"]) == 0
    asked = report.calls.last.request.url.params
    assert (asked["period"], asked["from"]) == ("HOUR", "24h")
    told = capsys.readouterr().out
    assert "21" in told
    assert "0.25 EUR" in told
    assert "0.0625 EUR" in told


def test_unknown_cost_has_its_reason(api: respx.MockRouter, capsys: Capture) -> None:
    use = {
        "begin": "2030-01-01T00:00:00Z",
        "key": "app",
        "requests": 3,
        "promptTokens": 21,
        "completionTokens": 15,
        "unmeteredRequests": 1,
        "cost": None,
        "costPerThousandTokens": None,
        "currency": None,
        "costUnknown": "NO_PRICE",
    }
    first = {"items": [use], "nextPageToken": "next"}
    second = {"items": [{**use, "key": "eval"}], "nextPageToken": None}
    report = api.get(f"{SERVICES}/chat/usage")
    report.side_effect = [httpx.Response(200, json=first), httpx.Response(200, json=second)]
    assert main(["service", "usage", "chat"]) == 0
    told = capsys.readouterr().out
    assert told.count("no price") == 4
    assert "eval" in told
