"""The price book on the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest
import respx
from documents import page

from fairlead import models
from fairlead.cli import text
from fairlead.cli.main import main

PRICE: dict[str, Any] = {
    "id": "pri_01m7vxn2c4e0mtrw2g5kqy8v3d",
    "cluster": "eu-1",
    "pool": None,
    "model": "H100",
    "capacityType": "ON_DEMAND",
    "pricePerGpuHour": 2.5,
    "currency": "EUR",
    "from": "2030-01-01T00:00:00Z",
    "to": None,
    "effectiveTo": None,
    "replaces": None,
    "replacedBy": None,
    "recordedAt": "2029-12-01T08:00:00Z",
}


def test_prices_name_their_scope(api: respx.MockRouter, capsys: pytest.CaptureFixture[str]) -> None:
    asked = api.get("/prices").respond(200, json=page(PRICE))
    assert (
        main(
            ["price", "list", "--at", "2030-01-31T08:00:00Z", "--columns", "cluster,pool,gpu-hour"]
        )
        == 0
    )
    assert asked.calls.last.request.url.params["at"] == "2030-01-31T08:00:00+00:00"
    assert capsys.readouterr().out.splitlines()[1].split() == ["eu-1", "any", "2.50", "EUR"]


def test_a_price_is_sent_as_it_was_written(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    made = api.post("/prices").respond(201, json=PRICE)
    command = ["price", "add", "2.5", "EUR", "--cluster", "eu-1", "--capacity", "ON_DEMAND"]
    assert main(command) == 0
    assert json.loads(made.calls.last.request.content) == {
        "capacityType": "ON_DEMAND",
        "cluster": "eu-1",
        "currency": "EUR",
        "pricePerGpuHour": "2.5",
    }
    assert "2.50 EUR a GPU-hour" in capsys.readouterr().out


def test_a_price_of_storage_is_sent_and_listed_as_one(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = {**PRICE, "model": None, "capacityType": None, "pricePerGpuHour": None}
    stored |= {"pricePerGibMonth": 0.08, "storageClass": "fast"}
    made = api.post("/prices").respond(201, json=stored)
    assert main(["price", "add", "0.08", "EUR", "--storage", "--class", "fast"]) == 0
    assert json.loads(made.calls.last.request.content) == {
        "currency": "EUR",
        "pricePerGibMonth": "0.08",
        "storageClass": "fast",
    }
    assert "0.08 EUR a GiB-month" in capsys.readouterr().out
    assert main(["price", "add", "9", "EUR", "--storage", "--gpus", "8"]) == 2
    assert made.call_count == 1
    api.get("/prices").respond(200, json=page(stored, PRICE))
    assert main(["price", "list", "--columns", "pool,gpu-hour,class,gib-month"]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [["-", "-", "fast", "0.08", "EUR"], ["any", "2.50", "EUR", "-", "-"]]


@pytest.mark.parametrize("at", ["yesterday", "2030-01-31T08:00:00"])
def test_a_time_without_its_offset_is_refused(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str], at: str
) -> None:
    assert main(["price", "list", "--at", at]) == 2
    assert f'"{at}" is not a time with offset' in " ".join(capsys.readouterr().err.split())


def test_money_retains_its_digits() -> None:
    assert text.money(2, "EUR") == "2.00 EUR"
    assert text.money(0.000001, "EUR") == "0.000001 EUR"
    assert text.money(12.345, "EUR") == "12.345 EUR"


def test_cost_shows_its_known_part() -> None:
    known = {"perHour": 40, "byMaxRuntime": 60.5, "currency": "EUR", "sunk": True, "lines": []}
    cost = models.CostResponse.model_validate(known)
    assert text.cost(cost) == "40.00 EUR an hour, 60.50 EUR by maxRuntime (sunk)"
    open_end = cost.model_copy(update={"by_max_runtime": None, "sunk": False})
    assert text.cost(open_end) == "40.00 EUR an hour"
    assert text.cost(cost.model_copy(update={"per_hour": None})) == "cost not known"
