"""`fairlead audit` on a mocked service."""

from __future__ import annotations

import csv
import io

import httpx
import pytest
import respx
from documents import page

from fairlead.cli.main import main

ROW = {
    "at": "2026-03-01T12:00:00.123456Z", "actor": "=cmd()", "action": "createToken",
    "object": "tok_1", "outcome": "DENIED", "count": 12, "requestId": "req-1",
    "address": "192.0.2.7", "before": "ab" * 32, "after": None, "detail": {"code": "FORBIDDEN"},
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
    assert (row["BEFORE"], row["AFTER"]) == ("ab" * 32, "-")


def test_omitted_entries_are_reported(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/audit").respond(200, json=page(ROW, ROW))
    assert main(["audit", "list", "--limit", "1"]) == 0
    assert "more rows exist: --limit 10" in capsys.readouterr().err


SIGNATURE = "ab" * 32
PART = {
    "checked": 5, "sequence": 5, "signature": "cd" * 32, "broken": None, "more": True,
    "waiting": None, "oldestWaiting": None,
}  # fmt: skip
END = {
    "checked": 2, "sequence": 7, "signature": SIGNATURE, "broken": None, "more": False,
    "waiting": 3, "oldestWaiting": "2026-03-01T12:00:00Z",
}  # fmt: skip
BROKEN = {
    "kind": "ROW_CHANGED", "sequence": 6, "row": 12, "at": "2026-03-01T12:00:00Z",
    "message": "the row differs from its sealed content",
}  # fmt: skip


def test_pages_are_verified_to_the_end_and_the_head_is_printed(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    # fails when the second page is not requested, or starts at another position
    asked = api.get("/audit/verification").mock(
        side_effect=[httpx.Response(200, json=PART), httpx.Response(200, json=END)]
    )
    assert main(["audit", "verify"]) == 0
    assert [c.request.url.params["afterSequence"] for c in asked.calls] == ["0", "5"]
    out = capsys.readouterr().out
    assert "7 rows as sealed" in out
    assert "not sealed yet: 3" in out
    assert f"head 7:{SIGNATURE}" in out


def test_a_break_is_named_and_is_no_success(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/audit/verification").respond(200, json={**END, "broken": BROKEN})
    assert main(["audit", "verify"]) == 5
    out = capsys.readouterr().out
    assert "BROKEN at link 6, row 12 of " in out
    assert "ROW_CHANGED" in out


@pytest.mark.parametrize(
    ("head", "code", "asked_for"),
    [
        (f"7:{SIGNATURE}", 0, "7"),
        (f"7:{'00' * 32}", 5, "7"),
        (f"9:{SIGNATURE}", 5, "9"),
        ("7", 2, None),
    ],
)
def test_stored_head_reveals_a_truncated_or_recreated_chain(
    api: respx.MockRouter, head: str, code: int, asked_for: str | None
) -> None:
    # fails when the page does not end at the head, or another signature is accepted
    asked = api.get("/audit/verification").respond(200, json=END)
    assert main(["audit", "verify", "--head", head]) == code
    if asked_for:
        assert asked.calls[0].request.url.params["links"] == asked_for


def test_behind_a_break_a_later_link_is_the_begin(api: respx.MockRouter) -> None:
    # fails when --after is not sent, or is later than the requested head
    asked = api.get("/audit/verification").respond(200, json=END)
    assert main(["audit", "verify", "--after", "6"]) == 0
    assert asked.calls[0].request.url.params["afterSequence"] == "6"
    assert main(["audit", "verify", "--after", "7", "--head", f"7:{SIGNATURE}"]) == 2
