"""The node agent: lines of the driver, the kernel's ring buffer, nvidia-smi, and an unreachable Fairlead."""

from __future__ import annotations

import contextlib
import errno
import http.server
import json
import logging
import re
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import fairlead_node_agent as agent

GPU = "GPU-5f2e1c1a-8f0e-4a56-9c39-0f3c6f6f2f10"
OTHER = "GPU-6f2e1c1a-8f0e-4a56-9c39-0f3c6f6f2f11"
LOST = "NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus."
LIST = (
    f"0, {GPU}, 1653922031544, 00000000:3B:00.0, NVIDIA H100 80GB HBM3\n"
    f"1, {OTHER}, [N/A], 00000000:5E:00.0, NVIDIA H100 80GB HBM3\n"
)


@pytest.mark.parametrize(
    ("line", "pci", "xid"),
    [
        # 340 to 390
        (
            "NVRM: Xid (0000:03:00): 13, 0001 00000000 0000902d 000008fc 00000000 00000012",
            "0:03:00",
            13,
        ),
        ("NVRM: Xid (PCI:0000:82:00): 48, An uncorrectable double bit error (DBE)", "0:82:00", 48),
        # 418 to 470
        (
            "NVRM: Xid (PCI:0000:3b:00): 31, pid=1234, Ch 00000010, intr 10000000. MMU Fault",
            "0:3b:00",
            31,
        ),
        (
            "NVRM: Xid (PCI:0000:07:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen",
            "0:07:00",
            79,
        ),
        # 510 and newer; with a GPU instance where the GPU is cut; an address of eight digits
        (
            "NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=7194, name=python, Ch 0000000b",
            "0:01:00",
            94,
        ),
        (
            "NVRM: Xid (PCI:000A:C1:00): 119, pid=1, name=systemd, Timeout after 6s of waiting",
            "a:c1:00",
            119,
        ),
        (
            "NVRM: Xid (PCI:00000018:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 17",
            "18:01:00",
            149,
        ),
        (
            "NVRM: Xid (PCI:0000:3b:00.0): 154, GPU recovery action changed from 0x0 (None)",
            "0:3b:00",
            154,
        ),
    ],
)
def test_an_xid_of_each_generation_of_the_driver_is_read(line: str, pci: str, xid: int) -> None:
    assert agent.fault_of(line) == agent.Fault(pci, xid, None)


@pytest.mark.parametrize(
    "line",
    [
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07",
        "NVRM: Xid (PCI:0000:3b:00): , pid=1",
        "NVRM: Xid (PCI:0000:3b:00): 0, nothing",
        "NVRM: Xid (PCI:0000:3b:00): 1234567, too long for a code",
        "NVRM: Xid (PCI:zzzz:3b:00): 79, no address",
        f"usb 1-1: Product: {LOST}",
        "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress",
        "",
    ],
)
def test_other_lines_are_no_fault(line: str) -> None:
    """Fails when a name chosen by a device or a user is parsed as a fault."""
    assert agent.fault_of(line) is None


def test_a_fatal_error_of_an_nvswitch_is_a_code_of_dcgm() -> None:
    line = "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 29 LTSSM Fault Up"
    assert agent.fault_of(line) == agent.Fault("0:c1:00", None, "DCGM_FR_SXID_ERROR")


def test_only_the_kernel_is_believed() -> None:
    """Fails when a program that may write to /dev/kmsg can isolate a node."""
    assert agent.record_of(f"4,7,1000,-;{LOST}\n SUBSYSTEM=pci\n".encode()) == agent.Record(
        7, 1000, LOST
    )
    assert agent.record_of(f"12,8,1000,-;{LOST}".encode()) is None
    for garbage in (b"", b"\xff\xfe", b"4,7;x", b"a,b,c,-;x", b"no separator"):
        assert agent.record_of(garbage) is None


@dataclass
class Machine:
    """A kernel ring buffer, a clock and Fairlead, as successive agents see them."""

    ring: list[bytes | int] = field(default_factory=list)
    position: int = 0
    now: float = 1000.0
    output: str | None = None
    checkpoint: str = "/none"
    away: bool = False
    refuse: Callable[[Mapping[str, Any]], bool] = lambda _: False
    ahead: float = 0.0
    aside: list[str] = field(default_factory=list)
    bodies: list[Mapping[str, Any]] = field(default_factory=list)
    stored: dict[str, dict[str, Any]] = field(default_factory=dict)
    tries: int = 0

    def log(self, line: str, seq: int, at: float | None = None) -> None:
        micros = int((self.now if at is None else at) * 1e6)
        self.ring.append(f"4,{seq},{micros},-;{line}".encode())

    def read(self, _fd: int, _most: int) -> bytes:
        if self.position == len(self.ring):
            raise BlockingIOError
        found = self.ring[self.position]
        self.position += 1
        if isinstance(found, int):
            raise OSError(found, "kmsg")
        return found

    def post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        self.tries += 1
        if self.away:
            raise agent.Unreached("HTTP 503")
        if self.refuse(body):
            raise agent.Refused("HTTP 422")
        self.bodies.append(json.loads(json.dumps(body)))
        events = body.get("events", [])
        items = []
        for event in map(dict, events):
            if event["at"] > agent.stamp(1_900_000_000 + self.now + 300):
                items.append({"id": event["id"], "outcome": "REFUSED", "detail": "set the clock"})
                continue
            known = event["id"] in self.stored
            items.append({"id": event["id"], "outcome": "DUPLICATE" if known else "STORED"})
            self.stored[event["id"]] = event
        return {"items": items, "leftAside": self.aside if "inventory" in body else []}

    def start(self) -> agent.Agent:
        self.position = 0
        machine = self

        class Fake(agent.Smi):
            def start(self, now: float) -> None:
                pass

            def poll(self, now: float) -> str | None:
                found, machine.output = machine.output, None
                return found

        return agent.Agent(
            "gpu-1",
            "boot",
            agent.KernelLog(-1, self.read),
            self.post,
            Fake(),
            wall=lambda: 1_900_000_000 + self.now + self.ahead,
            mono=lambda: self.now,
            jitter=lambda: 1.0,
            checkpoint=agent.Checkpoint(self.checkpoint),
        )


def test_an_xid_names_its_device_by_uuid_and_serial() -> None:
    machine = Machine(output=LIST)
    running = machine.start()
    running.turn()
    machine.log(LOST, 7)
    machine.log(LOST.replace("3b:00", "99:00"), 8)
    running.turn()

    assert machine.bodies[0]["inventory"][0]["gpus"] == [
        {"gpu": GPU, "serial": "1653922031544"},
        {"gpu": OTHER},
    ]
    event = machine.stored["boot:7"]
    assert (event["gpu"], event["serial"], event["xid"]) == (GPU, "1653922031544", 79)
    assert event["node"] == "gpu-1"
    assert "gpu" not in machine.stored["boot:8"]


def test_the_log_is_read_once_devices_are_known_or_nvidia_smi_takes_too_long() -> None:
    """Fails when an old record is stored without its device, or a hang delays faults."""
    machine = Machine()
    machine.log(LOST, 7)
    running = machine.start()
    slow = True
    running.smi.running = lambda: slow  # type: ignore[method-assign]
    for _ in range(29):
        running.turn()
        machine.now += 1
    assert machine.bodies == []
    machine.output, slow = LIST, False
    running.turn()
    assert machine.stored["boot:7"]["gpu"] == GPU

    running = machine.start()
    running.smi.running = lambda: True  # type: ignore[method-assign]
    machine.log(LOST, 8)
    running.turn()
    machine.now += agent.SMI_TIMEOUT
    running.turn()
    assert "boot:8" in machine.stored


def test_the_driver_names_a_device_that_nvidia_smi_does_not_list() -> None:
    machine = Machine()
    machine.log(f"NVRM: GPU at PCI:0000:3b:00: {GPU}", 6)
    machine.log(LOST, 7)
    machine.start().turn()
    assert machine.stored["boot:7"]["gpu"] == GPU
    assert "serial" not in machine.stored["boot:7"]


def test_the_driver_says_the_serial_number_of_a_device_that_nvidia_smi_does_not_list() -> None:
    """The lines of driver 580 on an H200. Fails when the number of another device is mistaken for its own."""
    machine = Machine()
    machine.log(f"NVRM: GPU at PCI:0000:00:06: {GPU}", 358)
    machine.log("NVRM: GPU Board Serial Number: 1654024076035", 359)
    fault = "NVRM: Xid (PCI:0000:00:06): 31, pid=626, name=fault, channel 0x0000000a, intr 00000000. MMU"
    machine.log(fault, 360)
    machine.log(f"NVRM: GPU at PCI:0000:3b:00: {OTHER}", 361)
    machine.log("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64", 362)
    machine.log("NVRM: GPU Board Serial Number: 1654024076036", 363)
    machine.log(LOST, 364)
    machine.start().turn()
    event = machine.stored["boot:360"]
    assert (event["gpu"], event["serial"], event["xid"]) == (GPU, "1654024076035", 31)
    assert machine.stored["boot:364"]["gpu"] == OTHER
    assert "serial" not in machine.stored["boot:364"]


def test_old_records_have_the_time_of_the_kernels_clock_and_new_ones_that_of_now() -> None:
    machine = Machine(now=1000.0)
    machine.log(LOST, 1, at=400.0)
    running = machine.start()
    running.turn()
    machine.log(LOST, 2, at=990.0)  # a clock of the kernel that drifted by ten seconds
    running.turn()
    machine.log(LOST, 3, at=5000.0)
    Machine.start(machine).turn()
    times = {key: event["at"] for key, event in machine.stored.items()}
    assert times["boot:1"] == agent.stamp(1_900_000_400)
    assert times["boot:2"] == agent.stamp(
        1_900_000_990
    )  # read again after the restart, as an old one
    assert times["boot:3"] == agent.stamp(1_900_001_000), "never in the future"


def test_what_the_ring_overwrote_is_passed_over() -> None:
    machine = Machine()
    machine.ring.append(errno.EPIPE)
    machine.log(LOST, 900)
    running = machine.start()
    running.turn()
    assert list(machine.stored) == ["boot:900"]
    assert running.kernel.overrun == 1


def test_a_restart_posts_the_same_ids_again() -> None:
    """Fails when an id depends on the process: an event would be stored twice."""
    machine = Machine()
    machine.log(LOST, 7)
    machine.start().turn()
    machine.log(LOST, 8)
    machine.start().turn()
    assert [e["id"] for b in machine.bodies for e in b["events"]] == ["boot:7", "boot:7", "boot:8"]
    assert set(machine.stored) == {"boot:7", "boot:8"}


def test_nothing_is_lost_while_fairlead_is_away_for_an_hour() -> None:
    machine = Machine(away=True)
    running = machine.start()
    for second in range(3600):
        machine.now += 1
        if second % 10 == 0:
            machine.log(LOST, second)
        running.turn()
    assert machine.tries <= 70, "waits longer and longer"
    machine.away = False
    for _ in range(70):
        machine.now += 1
        running.turn()
    assert list(machine.stored) == [f"boot:{second}" for second in range(0, 3600, 10)]
    assert running.events == []


def test_an_event_under_a_clock_that_is_ahead_waits_until_it_is_right() -> None:
    """Fails when it is dropped: it would be lost until the agent starts again."""
    machine = Machine(ahead=600.0)
    machine.log(LOST, 7)
    running = machine.start()
    running.turn()
    assert machine.stored == {}
    for _ in range(5):
        running.turn()
    assert machine.tries == 1, "what is refused is not asked again at once"
    machine.now += agent.LONGEST_WAIT
    machine.log(LOST, 8)
    running.turn()
    assert machine.stored == {}
    machine.ahead = 0.0
    machine.now += agent.LONGEST_WAIT
    running.turn()
    assert machine.stored["boot:7"]["at"] == agent.stamp(1_900_001_000)
    assert machine.stored["boot:8"]["at"] == agent.stamp(1_900_001_000 + agent.LONGEST_WAIT)
    assert (running.events, running._seen) == ([], {})


def test_a_list_that_fairlead_left_aside_is_counted_and_told_once_an_hour(
    caplog: pytest.LogCaptureFixture,
) -> None:
    machine = Machine(aside=["gpu-1"])
    running = machine.start()
    for _ in range(13):
        machine.output = LIST
        running.turn()
    assert running.left_aside == 13
    told = [r.getMessage() for r in caplog.records if "gpu-1" in r.getMessage()]
    assert len(told) == 2
    assert " 0 lists before" in told[0]
    assert " 12 lists before" in told[1]


def test_what_exceeds_the_memory_stays_in_the_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "MOST_EVENTS", 10)
    machine = Machine(away=True)
    running = machine.start()
    running.turn()
    for seq in range(25):
        machine.log(LOST, seq)
    running.turn()
    assert len(running.events) == 10
    machine.away, machine.now = False, machine.now + 100
    for _ in range(3):
        running.turn()
    assert len(machine.stored) == 25
    assert {e["at"] for e in machine.stored.values()} == {agent.stamp(1_900_001_000)}, (
        "what waited in the ring is as old as it is"
    )


def test_one_event_that_is_refused_keeps_no_other_back() -> None:
    machine = Machine(refuse=lambda b: any(e["id"] == "boot:3" for e in b.get("events", [])))
    for seq in range(9):
        machine.log(LOST, seq)
    running = machine.start()
    for _ in range(40):
        running.turn()
    assert machine.tries == 1, "what is refused is not asked again at once"
    for _ in range(40):
        machine.now += agent.FIRST_WAIT
        running.turn()
    assert set(machine.stored) == {f"boot:{seq}" for seq in range(9) if seq != 3}


@pytest.mark.parametrize(
    "output",
    [
        "No devices were found\n",
        "",
        "garbage, \x1b[2J\n",
        LIST + "2, [Unknown Error], [Unknown Error], 00000000:86:00.0, [Unknown Error]\n",
        LIST + "Unable to determine the device handle for GPU 0000:86:00.0: Unknown Error\n",
    ],
)
def test_a_partial_list_is_not_reported_as_inventory(output: str) -> None:
    """Fails when a failure of nvidia-smi makes healthy devices appear lost."""
    machine = Machine(output=output)
    running = machine.start()
    running.turn()
    assert machine.bodies == []
    if output.startswith("0"):
        assert set(running.devices.by_pci) == {"0:3b:00", "0:5e:00"}


def ended(smi: agent.Smi, now: float) -> str | None:
    until = time.monotonic() + 20
    while smi._running is not None and time.monotonic() < until:
        if (output := smi.poll(now)) is not None:
            return output
        threading.Event().wait(0.01)
    return None


def test_nvidia_smi_that_hangs_or_fails_is_given_up() -> None:
    python = sys.executable
    run = agent.Smi((python, "-c", "print('x')"))
    assert ended(run, 0.0) is None
    run.start(0.0)
    assert ended(run, 0.0) == "x\n"
    failing = agent.Smi((python, "-c", "print('No devices were found'); raise SystemExit(6)"))
    failing.start(0.0)
    assert ended(failing, 0.0) is None
    hanging = agent.Smi((python, "-c", "import time; time.sleep(600)"))
    hanging.start(0.0)
    assert hanging.poll(29.0) is None
    assert hanging._running is not None
    assert ended(hanging, 31.0) is None
    assert hanging._running is None
    absent = agent.Smi(("no-such-nvidia-smi",))
    absent.start(0.0)
    assert absent.poll(0.0) is None


@dataclass
class Server:
    url: str
    seen: list[tuple[str, str]]
    answers: list[tuple[int, dict[str, str], bytes]]


@pytest.fixture
def server() -> Iterator[Server]:
    seen: list[tuple[str, str]] = []
    answers: list[tuple[int, dict[str, str], bytes]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            seen.append((self.path, self.headers["Authorization"]))
            status, headers, body = answers.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield Server(f"http://127.0.0.1:{listening.server_port}", seen, answers)
        listening.shutdown()
        thread.join()


def test_the_token_is_read_again_and_never_logged(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token = tmp_path / "token"
    client = agent.Client(server.url, "eu/1", str(token), None)
    with pytest.raises(agent.Unreached, match="no token can be read"):
        client.post({})
    for secret in ("fl_first", "fl_second"):
        token.write_text(secret + "\n")
        server.answers.append((200, {}, b'{"items": []}'))
        assert client.post({}) == {"items": []}
    path = "/api/v1/clusters/eu%2F1/health-events"
    assert server.seen == [(path, "Bearer fl_first"), (path, "Bearer fl_second")]
    token.write_text("two\nlines")
    with pytest.raises(agent.Unreached):
        client.post({})
    assert "fl_" not in caplog.text


def test_a_redirect_gets_no_token(server: Server, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("fl_secret")
    client = agent.Client(server.url, "eu-1", str(token), None)
    server.answers.append((302, {"Location": server.url + "/elsewhere"}, b""))
    with pytest.raises(agent.Unreached, match="HTTP 302"):
        client.post({})
    assert len(server.seen) == 1
    server.answers.append((429, {"Retry-After": "7"}, b""))
    with pytest.raises(agent.Unreached) as later:
        client.post({})
    assert later.value.wait == 7
    for status in (400, 413, 422):
        server.answers.append((status, {"Content-Type": "application/problem+json"}, b"{}"))
        with pytest.raises(agent.Refused):
            client.post({})
        server.answers.append((status, {"Content-Type": "text/html"}, b"a proxy's"))
        with pytest.raises(agent.Refused if status == 413 else agent.Unreached):
            client.post({})
    server.answers.append((200, {"Transfer-Encoding": "chunked"}, b"9\r\n{"))
    with pytest.raises(agent.Unreached):
        client.post({})
    server.answers.append((200, {}, b"<html>"))
    with pytest.raises(agent.Unreached):
        client.post({})


def test_a_server_that_answers_byte_by_byte_holds_the_agent_no_longer_than_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when each byte restarts the timeout: no further events would be read or reported."""
    monkeypatch.setattr(agent, "POST_DEADLINE", 3)
    token = tmp_path / "token"
    token.write_text("fl_secret")
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            taken, _ = listening.accept()
            with taken, contextlib.suppress(OSError):
                taken.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                while not over.wait(0.05):
                    taken.sendall(b"x")

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            with pytest.raises(agent.Unreached, match="not answered within"):
                agent.Client(url, "eu-1", str(token), None).post({})
        finally:
            over.set()
            socket.create_connection(listening.getsockname()).close()  # where the agent never did
            thread.join()


def test_a_ca_that_changed_counts_from_the_next_report_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Fails when the agent trusts a CA that was replaced until it is started again."""
    caplog.set_level(logging.INFO)
    loaded: list[str] = []

    def trusting(cafile: str | None = None) -> ssl.SSLContext:
        text = Path(str(cafile)).read_text()
        if not text.startswith("CA"):
            raise ssl.SSLError("no certificate")
        loaded.append(text)
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    monkeypatch.setattr(ssl, "create_default_context", trusting)
    ca = tmp_path / "ca.crt"
    ca.write_text("CA 1")
    client = agent.Client("https://127.0.0.1:1", "eu-1", str(tmp_path / "none"), str(ca))

    def post() -> list[str]:
        with pytest.raises(agent.Unreached):
            client.post({})
        return loaded

    assert post() == ["CA 1"]
    ca.write_text("CA two")
    assert post() == ["CA 1", "CA two"]
    assert post() == ["CA 1", "CA two"]
    ca.unlink()
    ca.write_text("half of one")
    assert post() == ["CA 1", "CA two"]
    assert "the CA of before counts" in caplog.text
    ca.unlink()
    assert post() == ["CA 1", "CA two"]
    ca.write_text("CA three")
    assert post()[-1] == "CA three"


POD = "3d0c2b1a-1111-4222-8333-444455556666"


def entry(pod: str, ids: Any, name: str = "nvidia.com/gpu", container: str = "main") -> Any:
    return {
        "PodUID": pod,
        "ContainerName": container,
        "ResourceName": name,
        "DeviceIDs": ids,
        "AllocResp": "CiQKFk5WSURJQV9WSVNJQkxF",
    }


def checkpoint(*entries: Any, boot: str | None = None) -> bytes:
    data = {
        "Data": {
            "PodDeviceEntries": list(entries) or None,
            "RegisteredDevices": {"nvidia.com/gpu": [GPU, OTHER]},
        },
        "Checksum": 1764838379,
    }
    return json.dumps(data if boot is None else {**data, "BootID": boot}).encode()


def test_a_checkpoint_names_the_devices_of_the_members_of_jobs() -> None:
    """The format of kubelets from 1.20 on, by NUMA node, and of those before."""
    held = [{"uid": POD, "gpus": [GPU, OTHER]}]
    by_node = checkpoint(entry(POD, {"0": [OTHER], "1": [GPU]}))
    assert agent.allocations_of(by_node, "boot") == held
    assert agent.allocations_of(checkpoint(entry(POD, [OTHER, GPU])), "boot") == held
    shared = checkpoint(entry(POD, {"-1": [f"{GPU}::3"]}, "nvidia.com/gpu.shared"))
    assert agent.allocations_of(shared, "boot") == [{"uid": POD, "gpus": [f"{GPU}::3"]}]
    others = checkpoint(
        entry(POD, {"0": ["nic-0"]}, "example.com/nic"),
        entry(POD, {"0": [GPU]}, container="sidecar"),
    )
    assert agent.allocations_of(others, "boot") == []
    assert agent.allocations_of(checkpoint(), "boot") == []


def test_a_network_card_of_nvidia_is_no_gpu_of_its_pod() -> None:
    """Fails when its id is reported among the GPU ids, which makes all of them unknown."""
    both = checkpoint(
        entry(POD, {"0": [GPU]}),
        entry(POD, {"0": ["0000:3b:02.1"]}, "nvidia.com/hostdev"),
    )
    assert agent.allocations_of(both, "boot") == [{"uid": POD, "gpus": [GPU]}]
    slice_too = checkpoint(
        entry(POD, {"0": [GPU]}),
        entry(POD, {"0": ["MIG-1"]}, "nvidia.com/mig-1g.10gb"),
    )
    assert agent.allocations_of(slice_too, "boot") == [{"uid": POD, "gpus": [GPU, "MIG-1"]}]


def test_a_checkpoint_of_another_boot_or_format_names_nothing() -> None:
    """Fails when devices of a pod before a reboot are reported, or half of a pod's devices."""
    good = entry(POD, {"0": [GPU]})
    assert agent.allocations_of(checkpoint(good, boot="boot"), "boot") is not None
    assert agent.allocations_of(checkpoint(good, boot="earlier"), "boot") is None
    for raw in (b"", b"{", b"[]", b"{}", b'{"Data": 1}', checkpoint(entry(POD, 7))):
        assert agent.allocations_of(raw, "boot") is None
    strange = checkpoint(entry(POD, {"0": [GPU, "a\nb"]}), entry("x" * 65, {"0": [GPU]}))
    assert agent.allocations_of(strange, "boot") == []
    many = checkpoint(entry(POD, {"0": [f"{GPU}::{i}" for i in range(257)]}))
    assert agent.allocations_of(many, "boot") == []


def test_devices_of_pods_are_posted_when_they_change_and_once_more(tmp_path: Path) -> None:
    """Fails when a new pod waits for the next list, or an unchanged file is posted each second."""
    path = tmp_path / "kubelet_internal_checkpoint"
    path.write_bytes(checkpoint())
    machine = Machine(checkpoint=str(path))
    running = machine.start()

    def posted() -> list[Any]:
        found = [b["allocations"] for b in machine.bodies if "allocations" in b]
        machine.bodies.clear()
        return found

    running.turn()
    assert [a[0]["pods"] for a in posted()] == [[]]
    machine.now += agent.REPEATED_AFTER
    running.turn()
    assert len(posted()) == 1

    new = tmp_path / "new"
    new.write_bytes(checkpoint(entry(POD, {"0": [GPU]})))
    new.replace(path)
    for _ in range(10):
        machine.now += 1
        running.turn()
    ((told,),) = posted()
    assert (told["node"], told["pods"]) == ("gpu-1", [{"uid": POD, "gpus": [GPU]}])
    for _ in range(20):
        machine.now += 1
        running.turn()
    assert len(posted()) == 1
    machine.now += agent.INVENTORY_EVERY
    for _ in range(20):
        machine.now += 1
        running.turn()
    assert len(posted()) == 1


def test_devices_of_pods_wait_while_fairlead_is_away(tmp_path: Path) -> None:
    path = tmp_path / "kubelet_internal_checkpoint"
    path.write_bytes(checkpoint(entry(POD, {"0": [GPU]})))
    machine = Machine(checkpoint=str(path), away=True)
    running = machine.start()
    running.turn()
    machine.away = False
    machine.now += agent.FIRST_WAIT
    running.turn()
    assert machine.bodies[0]["allocations"][0]["pods"] == [{"uid": POD, "gpus": [GPU]}]


def test_a_token_is_not_sent_in_the_clear() -> None:
    with pytest.raises(agent.Misconfigured, match="https"):
        agent.Client("http://fairlead.example.com", "eu-1", "/none", None)


def test_the_manifest_gives_no_more_than_the_agent_uses() -> None:
    """Fails when the pod gets a right that its documentation does not name, or loses a bound."""
    text = (Path(__file__).resolve().parents[3] / "deploy/node-agent.yaml").read_text()
    namespace, account, daemons = yaml.safe_load_all(text)
    assert namespace["metadata"]["labels"] == {"pod-security.kubernetes.io/enforce": "privileged"}
    assert account["automountServiceAccountToken"] is False
    pod = daemons["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
    (container,) = pod["containers"]
    assert container["resources"]["limits"].keys() == {"cpu", "memory"}
    paths = [v["hostPath"]["path"] for v in pod["volumes"] if "hostPath" in v]
    assert paths == ["/dev/kmsg", str(Path(agent.CHECKPOINT).parent)]
    assert all(m.get("readOnly") or m["name"] == "tmp" for m in container["volumeMounts"])
    code = Path(agent.__file__).read_text()
    wanted = set(re.findall(r'setting\("(\w+)"\)', code))
    assert wanted == {e["name"] for e in container["env"]}
