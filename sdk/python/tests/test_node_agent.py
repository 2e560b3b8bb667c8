"""The node agent against the real service of this tree."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Service

from fairlead import Fairlead

GPU = "GPU-79f2e1c1-8f0e-4a56-9c39-0f3c6f6f2f79"
SERIAL = "1653922079079"
LOST = "NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus."


def log_of(records: list[bytes]) -> Callable[[int, int], bytes]:
    def read(_fd: int, _most: int) -> bytes:
        if not records:
            raise BlockingIOError
        return records.pop()

    return read


def test_an_xid_in_the_kernel_log_isolates_the_node_and_names_the_device(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when Fairlead does not accept the posts of the agent."""
    monkeypatch.syspath_prepend(str(ROOT / "sdk/agent"))
    agent = importlib.import_module("fairlead_node_agent")
    fault = f"4,7,1000,-;{LOST}".encode()
    ring: list[bytes] = []
    listing = f"0, {GPU}, {SERIAL}, 00000000:3B:00.0, NVIDIA H100 80GB HBM3"
    smi = agent.Smi((sys.executable, "-c", f"print({listing!r})"))
    with Fairlead(service.url, service.token) as fl:
        node = next(n for n in fl.nodes(state="ACTIVE") if n.gpus)
        token = tmp_path / "token"
        made = fl.tokens.create("agent", role="monitor", user="sa:agent", cluster=node.cluster)
        token.write_text(str(made.token))
        client = agent.Client(service.url, node.cluster, str(token), None)
        running = agent.Agent(
            node.name, "boot-e2e", agent.KernelLog(-1, log_of(ring)), client.post, smi
        )
        until = time.monotonic() + 60
        while running.inventory is None and not running.devices.by_pci:
            assert time.monotonic() < until
            running.turn()
        ring.append(fault)
        running.turn()
        try:
            incident = next(i for i in fl.incidents.list(node=node.name) if i.gpu == GPU)
            assert (incident.xid, incident.code, incident.scope) == (79, "79", "NODE")
            assert incident.serial == SERIAL
            assert incident.quarantine is not None
            assert fl.gpu(SERIAL).uuid == GPU
            kernel = agent.KernelLog(-1, log_of([fault]))
            absent = agent.Smi(("no-such-nvidia-smi",))
            restarted = agent.Agent(node.name, "boot-e2e", kernel, client.post, absent)
            restarted.turn()
            assert fl.incidents.get(incident.id).events == incident.events
        finally:
            fl.nodes.release(node.name, "test of the agent")
