"""The verbs of transfers of volumes."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx
from documents import page

from fairlead.cli.main import main

Capture = pytest.CaptureFixture[str]
PATH = "/projects/default/volumes/training/transfers"


def transfer(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"trf_{number}",
        "source": "training",
        "from": None,
        "target": f"training-{number}",
        "cluster": "us-1",
        "phase": "READY",
        "job": None,
        "bytesDone": 0,
        "bytesTotal": 0,
        "message": "",
        "writtenBy": None,
        "movedAt": "2030-02-14T12:00:00Z",
        "createdAt": "2030-02-14T09:30:00Z",
        "createdBy": "ana",
        "endedAt": None,
    } | fields


def test_the_transfer_that_has_not_ended_is_meant(api: respx.MockRouter, capsys: Capture) -> None:
    """Fails when a verb selects one that has ended, or an arbitrary one of several."""
    over = transfer(2, phase="DROPPED", endedAt="2030-02-14T13:00:00Z")
    api.get(PATH).respond(200, json=page(over, transfer(1)))
    dropped = api.delete(PATH + "/trf_1").respond(200, json=transfer(1, phase="DROPPING"))
    assert main(["volume", "drop", "training", "--yes", "--force"]) == 0
    assert httpx.URL(dropped.calls.last.request.url).params["force"] == "true"

    api.get(PATH).respond(200, json=page(transfer(3), transfer(1)))
    assert main(["volume", "drop", "training", "--yes"]) != 0
    assert "trf_3 to training-3 (READY)" in " ".join(capsys.readouterr().err.split())


def test_failed_transfer_resumes(api: respx.MockRouter, capsys: Capture) -> None:
    api.get(PATH).respond(200, json=page(transfer(1, phase="FAILED")))
    resumed = transfer(1, phase="DOWNLOADING")
    api.post(PATH + "/trf_1/resume").respond(200, json=resumed)
    assert main(["volume", "resume", "training"]) == 0
    assert "trf_1 is DOWNLOADING again" in capsys.readouterr().err


def test_a_loss_is_confirmed_with_the_number_that_the_operator_saw(
    api: respx.MockRouter, capsys: Capture
) -> None:
    breaker = {"cluster": "eu-1", "missing": 25, "claims": 64, "since": "2026-11-20T07:40:11Z"}
    api.get("/volume-breakers").respond(200, json=page(breaker))
    assert main(["volume", "breakers"]) == 0
    assert "25" in capsys.readouterr().out

    post = api.post("/clusters/eu-1/confirm-volume-loss").respond(200, json=breaker)
    assert main(["volume", "confirm-loss", "eu-1", "--missing", "25", "--dry-run"]) == 0
    assert httpx.URL(post.calls.last.request.url).params["validateOnly"] == "true"
    assert "would become LOST" in capsys.readouterr().err
    assert main(["volume", "confirm-loss", "eu-1", "--missing", "25"]) == 0
    assert json.loads(post.calls.last.request.content) == {"missing": 25}
