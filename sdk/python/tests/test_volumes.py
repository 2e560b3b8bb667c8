"""Volumes of a project on the command line."""

from __future__ import annotations

import json

import pytest
import respx

from fairlead.cli.main import main

VOLUME = {
    "name": "training",
    "size": "100Gi",
    "storageClass": None,
    "access": "READ_WRITE_ONCE",
    "createdAt": "2030-01-31T08:00:00Z",
    "updatedAt": "2030-02-14T09:30:00Z",
    "updatedBy": "ana",
    "version": 2,
}


def test_what_is_not_given_is_not_sent(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = api.put("/projects/nlp/volumes/training").respond(200, json=VOLUME)
    assert main(["volumes", "set", "training", "100Gi", "--project", "nlp"]) == 0
    assert json.loads(kept.calls.last.request.content) == {"size": "100Gi"}
    assert "volume training asks for 100Gi" in "".join(capsys.readouterr())

    assert main(["volumes", "set", "training", "2Ti", "--class", "fast", "-p", "nlp"]) == 0
    assert json.loads(kept.calls.last.request.content) == {"size": "2Ti", "storageClass": "fast"}


def test_the_list_shows_the_default_class(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/projects/nlp/volumes").respond(200, json={"items": [VOLUME], "nextPageToken": None})
    assert main(["volumes", "list", "--project", "nlp"]) == 0
    shown = capsys.readouterr().out
    assert "training" in shown
    assert "default" in shown
