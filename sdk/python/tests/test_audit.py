"""`fairlead audit` on a mocked service."""

from __future__ import annotations

import csv
import io

import pytest
import respx
from documents import page

from fairlead.cli.main import main

ROW = {
    "at": "2026-03-01T12:00:00.123456Z", "actor": "=cmd()", "action": "createToken",
    "object": "tok_1", "outcome": "DENIED", "count": 12, "requestId": "req-1",
    "address": "192.0.2.7", "detail": {"code": "FORBIDDEN"},
}  # fmt: skip


def test_the_audit_is_filtered_by_the_service_and_written_as_a_file(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    # fails when a filter is not sent, or a name becomes a formula of a spreadsheet
    asked = api.get("/audit").respond(200, json=page(ROW))
    filters = ["--actor", "ana", "--action", "createToken", "--object", "tok_1"]
    times = ["--since", "2026-03-01T00:00:00Z", "--until", "2026-03-02T00:00:00Z"]
    assert main(["audit", "list", *filters, "--outcome", "denied", *times, "-o", "csv"]) == 0
    sent = asked.calls.last.request.url.params
    assert {name: sent[name] for name in ("actor", "action", "object", "outcome")} == {
        "actor": "ana", "action": "createToken", "object": "tok_1", "outcome": "DENIED",
    }  # fmt: skip
    assert sent["after"].startswith("2026-03-01T00:00:00")
    assert sent["before"].startswith("2026-03-02T00:00:00")
    row = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert row["ACTOR"] == "'=cmd()"
    assert (row["OUTCOME"], row["COUNT"]) == ("DENIED", "12")


def test_what_is_left_out_is_told(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/audit").respond(200, json=page(ROW, ROW))
    assert main(["audit", "list", "--limit", "1"]) == 0
    assert "there is more: --limit 10" in capsys.readouterr().err
