"""Tiers of a queue on the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest
import respx

from fairlead.cli.main import main

TIERS: list[dict[str, Any]] = [
    {
        "capacityTypes": ["RESERVED"],
        "pools": [],
        "clusters": [],
        "after": "0s",
        "maxPricePerGpuHour": None,
        "currency": None,
        "order": "FIXED",
    },
    {
        "capacityTypes": ["ON_DEMAND", "SPOT"],
        "pools": [],
        "clusters": ["eu-1"],
        "after": "10m",
        "maxPricePerGpuHour": 3.2,
        "currency": "USD",
        "order": "CHEAPEST",
    },
]


def queue(tiers: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "que_01m7vxm9v4ebqvvww0ah9dwfqa",
        "name": "research",
        "parent": "root",
        "weight": 1,
        "limits": [],
        "preemption": {
            "withinQueue": "NEVER",
            "reclaim": "NEVER",
            "fairShare": False,
            "whileBorrowing": "NEVER",
        },
        "queue": {
            "order": "STRICT_FIFO",
            "state": "ACTIVE",
            "defaultMaxRuntime": None,
            "fairByUser": False,
            "flavorFallback": {
                "whenCanBorrow": "BORROW",
                "whenCanPreempt": "TRY_NEXT_FLAVOR",
                "preference": "BORROWING",
            },
            "routing": {"tiers": tiers} if tiers else None,
            "userLimits": {"running": None, "gpus": None, "queued": None},
        },
        "sharePolicy": "DOMINANT_SHARE",
        "usage": [],
        "version": 7,
    }


def test_the_tiers_of_a_queue_are_shown(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/queues/research").respond(200, json=queue(TIERS))
    assert main(["queue", "routing", "get", "research", "-o", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "1,RESERVED,any,any,0s,any price,FIXED",
        "2,ON_DEMAND+SPOT,any,eu-1,10m,3.20 USD,CHEAPEST",
    ]


def test_queue_without_tiers_reports_it(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/queues/research").respond(200, json=queue([]))
    assert main(["queue", "routing", "get", "research"]) == 0
    told = capsys.readouterr()
    assert "all nodes without tiers" in told.out + told.err


def test_tiers_are_sent_as_they_were_written(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/queues/research").respond(200, json=queue([]))
    sent = api.patch("/queues/research").respond(200, json=queue(TIERS))
    dear = "capacity=ON_DEMAND+SPOT,cluster=eu-1,after=10m,max=3.20/USD,order=CHEAPEST"
    assert (
        main(["queue", "routing", "set", "research", "--tier", "capacity=RESERVED", "--tier", dear])
        == 0
    )
    assert json.loads(sent.calls.last.request.content) == {
        "queue": {
            "routing": {
                "tiers": [
                    {"capacityTypes": ["RESERVED"]},
                    {
                        "capacityTypes": ["ON_DEMAND", "SPOT"],
                        "clusters": ["eu-1"],
                        "after": "10m",
                        "maxPricePerGpuHour": "3.20",
                        "currency": "USD",
                        "order": "CHEAPEST",
                    },
                ]
            }
        }
    }
    assert "is set" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong", [["--tier", "price=3"], ["--tier", "max=3.20"], [], ["--none", "--tier", "after=1m"]]
)
def test_tiers_that_cannot_be_read_are_refused(wrong: list[str]) -> None:
    assert main(["queue", "routing", "set", "research", *wrong]) == 2


def test_the_tiers_of_a_queue_are_removed(api: respx.MockRouter) -> None:
    api.get("/queues/research").respond(200, json=queue(TIERS))
    sent = api.patch("/queues/research").respond(200, json=queue([]))
    assert main(["queue", "routing", "set", "research", "--none"]) == 0
    assert json.loads(sent.calls.last.request.content) == {"queue": {"routing": None}}


def test_invalid_move_rule_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["queue", "routing", "set", "research", "--tier", "capacity=RESERVED", "--move-back"]

    assert main([*given, "per-hour=many"]) == 2
    assert "--move-back takes per-hour=NUMBER and rest=TIME" in capsys.readouterr().err
    assert main(["queue", "routing", "set", "research", "--none", "--move-back", "rest=10m"]) == 2
