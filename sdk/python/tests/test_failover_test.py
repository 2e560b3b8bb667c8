"""Effects of the loss of a cluster, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import respx
from texts import printed

from fairlead.cli.main import main

EXAMPLE = (
    Path(__file__).parents[3]
    / "api/src/main/resources/openapi-examples/getFailoverTest.response.json"
)


def test_a_failover_test_shows_sums_and_each_attempt(
    api: respx.MockRouter, capsys: pytest.CaptureFixture[str]
) -> None:
    api.get("/clusters/eu-1/failover-test").respond(
        json=json.loads(EXAMPLE.read_text(encoding="utf-8"))
    )

    assert main(["cluster", "failover-test", "eu-1"]) == 0

    out = capsys.readouterr().out
    assert "lost       2 attempts, 40 GPUs, 9.33 GPU-hours since checkpoints" in out
    assert printed(out, "failover-test.hour-usd-now-usd", 80, "USD", 32, "USD")
    assert printed(out, "failover-test.without-proof-attempt-gpus", 1, 32)
    assert "eval[4]" in out
    assert "us-2/burst" in out


def test_the_cluster_has_to_be_named(api: respx.MockRouter) -> None:
    assert main(["cluster", "failover-test"]) == 2
