"""Fairlead's node agent: reports XID errors of the kernel log, the GPUs of the machine, and the
pods on them.

Python's standard library alone. It reads /dev/kmsg, nvidia-smi and the kubelet's checkpoint, and posts to
POST /clusters/{cluster}/health-events with a token of the role `monitor`. It stores no file. The id of
an event consists of the boot id and the sequence number of its kernel record. After a restart it
posts the whole log again, and Fairlead stores only new events.
"""

from __future__ import annotations

import contextlib
import errno
import http.client
import json
import logging
import os
import random
import re
import select
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, NoReturn

log = logging.getLogger("fairlead-node-agent")

VERSION = "0.1.0"

BATCH = 200
MOST_EVENTS = 5_000  # in memory, about 5 MB; later events wait in the kernel's ring buffer
LONGEST_MESSAGE = 1_000
MOST_GPUS = 64
INVENTORY_EVERY = 300.0
SMI_TIMEOUT = 30.0
POST_TIMEOUT = 15.0  # without a byte
POST_DEADLINE = 60.0  # for all of a report, its answer included
LARGEST_ANSWER = 4 * 1024 * 1024
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
TOLD_EACH = 60  # failures, about an hour
LEFT_ASIDE_EACH = 12  # lists, an hour
CHECKPOINT = "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"
LARGEST_CHECKPOINT = 16 * 1024 * 1024
MOST_PODS = 512
MOST_IDS = 256
CONTAINER = "main"  # of the members of jobs
GPU_RESOURCES = ("nvidia.com/gpu", "nvidia.com/mig-")  # nvidia.com/hostdev is a network card
REPEATED_AFTER = 15.0  # Fairlead may see a pod later than its kubelet gave it devices

PCI = r"(?:PCI:)?(?P<pci>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2})(?:\.[0-7])?"
XID = re.compile(rf"NVRM: Xid \({PCI}(?: GPU-I:[0-9A-Fa-f]+)?\): (?P<code>\d{{1,5}})(?!\d)")
SXID = re.compile(rf"nvidia-nvswitch\d+: SXid \({PCI}\): \d+, (?P<kind>[A-Za-z-]+)")
IS_GPU = re.compile(rf"NVRM: GPU at {PCI}: (?P<gpu>GPU-[0-9a-fA-F-]{{36}})")
ITS_SERIAL = re.compile(r"NVRM: GPU Board Serial Number: (?P<serial>[0-9A-Za-z]{6,32})\s*$")
UUID = re.compile(r"GPU-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
SERIAL = re.compile(r"[0-9A-Za-z]{6,32}")
SMI_PCI = re.compile(PCI)
POD_UID = re.compile(r"[-A-Za-z0-9]{1,64}")
PLUGIN_ID = re.compile(r"[-A-Za-z0-9_.:/]{1,96}")


class Misconfigured(Exception):
    """The error, and its remedy."""


def pci_key(text: str) -> str:
    """Normalizes a PCI address. The driver writes 0000:3b:00 and nvidia-smi writes 00000000:3B:00.0
    for the same device."""
    domain, bus, device = text.split(":")
    return f"{int(domain, 16):x}:{bus.lower()}:{device.lower()}"


def serial_of(text: str) -> str | None:
    """Boards without one have zeros."""
    return text if SERIAL.fullmatch(text) and text.strip("0") else None


@dataclass(frozen=True)
class Device:
    gpu: str
    serial: str | None


@dataclass(frozen=True)
class Record:
    """One record of the kernel log, with `micros` since boot, without the time of a suspended machine."""

    seq: int
    micros: int
    text: str


@dataclass(frozen=True)
class Fault:
    pci: str
    xid: int | None
    code: str | None


def record_of(raw: bytes) -> Record | None:
    """A record in the format of /dev/kmsg: `priority,sequence,microseconds,flags;text`, then lines of its
    keys.

    None for records not written by the kernel itself, because records of programs have a facility."""
    head, separator, rest = raw.decode("utf-8", "replace").partition(";")
    fields = head.split(",")
    if not separator or len(fields) < 3:
        return None
    try:
        facility = int(fields[0]) >> 3
        record = Record(int(fields[1]), int(fields[2]), rest.split("\n", 1)[0])
    except ValueError:
        return None
    return record if facility == 0 else None


def fault_of(text: str) -> Fault | None:
    """The fault that a line of the NVIDIA driver reports, None for any other line.

    The driver's prefix must start the line. Text chosen by users appears later in lines of other origin."""
    found = XID.match(text)
    if found and int(found["code"]) > 0:
        return Fault(pci_key(found["pci"]), int(found["code"]), None)
    found = SXID.match(text)
    if found and found["kind"].lower() == "fatal":
        return Fault(pci_key(found["pci"]), None, "DCGM_FR_SXID_ERROR")
    return None


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:LONGEST_MESSAGE]


def stamp(seconds: float) -> str:
    at = datetime.fromtimestamp(seconds, timezone.utc)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class KernelLog:
    """Reads /dev/kmsg from its oldest record, and continues after overwritten records."""

    def __init__(self, fd: int, read: Callable[[int, int], bytes] = os.read) -> None:
        self.fd = fd
        self._read = read
        self.overrun = 0

    def next(self) -> Record | None:
        """The next record, None if there is none yet."""
        while True:
            try:
                raw = self._read(self.fd, 8192)
            except BlockingIOError:
                return None
            except InterruptedError:
                continue
            except OSError as failed:
                if (
                    failed.errno == errno.EPIPE
                ):  # the ring has gone past us: the next read is its oldest
                    self.overrun += 1
                    log.warning("the kernel log overwrote records that were not read")
                    continue
                raise
            if not raw:
                return None
            record = record_of(raw)
            if record is not None:
                return record


class Devices:
    """The GPUs of the machine by PCI address, from nvidia-smi and the driver's log."""

    def __init__(self) -> None:
        self.by_pci: dict[str, Device] = {}
        self._named: str | None = None

    def learn(self, text: str) -> None:
        """`NVRM: GPU at PCI:0000:3b:00: GPU-...`, then `NVRM: GPU Board Serial Number: ...`: the
        driver names
        a device before its first XID, and nvidia-smi may no longer see it.
        """
        found = IS_GPU.match(text)
        if found and UUID.fullmatch(found["gpu"]) and len(self.by_pci) < MOST_GPUS:
            self._named = pci_key(found["pci"])
            self.by_pci.setdefault(self._named, Device(found["gpu"], None))
            return
        found = ITS_SERIAL.match(text)
        if found and self._named:
            device = self.by_pci[self._named]
            self.by_pci[self._named] = Device(
                device.gpu, device.serial or serial_of(found["serial"])
            )
        self._named = None

    def listed(self, output: str) -> list[Device] | None:
        """Output of nvidia-smi, or None unless every line is a device, because a partial list
        would report GPUs as missing."""
        devices: list[Device] = []
        whole = True
        for line in output.splitlines():
            cells = [cell.strip() for cell in line.split(",")]
            pci = SMI_PCI.fullmatch(cells[3]) if len(cells) == 5 else None
            if pci is None or not UUID.fullmatch(cells[1]):
                whole = False
                continue
            device = Device(cells[1], serial_of(cells[2]))
            devices.append(device)
            self.by_pci[pci_key(pci["pci"])] = device
        return devices if whole and 0 < len(devices) <= MOST_GPUS else None


class Smi:
    """Runs nvidia-smi in parallel with the log reader. It may hang even after its kill, and no
    second process starts until it ends."""

    COMMAND = (
        "nvidia-smi",
        "--query-gpu=index,uuid,serial,pci.bus_id,name",
        "--format=csv,noheader,nounits",
    )

    def __init__(self, command: tuple[str, ...] = COMMAND, timeout: float = SMI_TIMEOUT) -> None:
        self.command = command
        self.timeout = timeout
        self._running: subprocess.Popen[bytes] | None = None
        self._output: Any = None
        self._until = 0.0

    def running(self) -> bool:
        return self._running is not None

    def start(self, now: float) -> None:
        if self._running is not None:
            return
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._running = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as failed:
            log.warning("%s does not start: %s", self.command[0], failed.strerror)
            self._output.close()
            return
        self._until = now + self.timeout

    def poll(self, now: float) -> str | None:
        """Its output after a successful exit."""
        running = self._running
        if running is None:
            return None
        code = running.poll()
        if code is None:
            if now >= self._until:
                log.warning("%s hangs for %.0f s: stopped", self.command[0], self.timeout)
                running.kill()
                self._until = float("inf")
            return None
        self._running = None
        with self._output as output:
            output.seek(0)
            text: str = output.read(64 * 1024).decode("utf-8", "replace")
        if code != 0:
            log.warning("%s ends with %d: %s", self.command[0], code, printable(text)[:120])
            return None
        return text


def allocations_of(raw: bytes, boot: str) -> list[dict[str, Any]] | None:
    """Pods with their NVIDIA devices, from a checkpoint of the kubelet's device manager.

    None for anything else, and for a checkpoint of another boot. A pod with an invalid id is skipped.
    """
    pods: dict[str, set[str]] = {}
    strange: set[str] = set()
    try:
        found = json.loads(raw)
        if found.get("BootID") not in (None, "", boot):
            return None
        for entry in found["Data"]["PodDeviceEntries"] or []:
            if entry["ContainerName"] != CONTAINER:
                continue
            if not entry["ResourceName"].startswith(GPU_RESOURCES):
                continue
            pod, ids = entry["PodUID"], entry["DeviceIDs"]
            # by NUMA node; kubelets before 1.20 wrote one list
            parts = ids.values() if isinstance(ids, dict) else [ids]
            held = pods.setdefault(pod, set())
            held.update(one for part in parts for one in part)
            if not POD_UID.fullmatch(pod) or not all(map(PLUGIN_ID.fullmatch, held)):
                strange.add(pod)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return [
        {"uid": pod, "gpus": sorted(held)}
        for pod, held in sorted(pods.items())
        if pod not in strange and 0 < len(held) <= MOST_IDS
    ][:MOST_PODS]


class Checkpoint:
    """The kubelet's checkpoint file with the devices of pods. The kubelet replaces it at each change."""

    def __init__(self, path: str = CHECKPOINT) -> None:
        self.path = path
        self._state: tuple[int, ...] | None = None
        self._told = False

    def forget(self) -> None:
        """Makes the next call of `changed` read the file."""
        self._state = None

    def changed(self, boot: str) -> list[dict[str, Any]] | None:
        """Pods with devices, None if the file has not changed or is not readable."""
        try:
            found = os.stat(self.path)
            state = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)
            if state == self._state:
                return None
            with open(self.path, "rb") as file:
                raw = file.read(LARGEST_CHECKPOINT)
        except OSError as failed:
            self._tell(failed.strerror or "unreadable")
            return None
        self._state = state
        pods = allocations_of(raw, boot)
        if pods is None:
            self._tell("it is not a checkpoint of this boot")
        return pods

    def _tell(self, why: str) -> None:
        if not self._told:
            log.warning("the devices of pods are not reported: %s: %s", self.path, why)
            self._told = True


class Refused(Exception):
    """Fairlead rejects the body, and would reject it again."""


class Unreached(Exception):
    """Fairlead is unreachable, or does not accept reports now."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limits the duration of a whole response. A server that sends a byte now and then would reset
    a socket timeout."""

    def over(*_: object) -> NoReturn:
        raise TimeoutError(f"not answered within {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Client:
    """Posts reports, from the main thread. Token and CA are read again when their files have changed."""

    def __init__(self, url: str, cluster: str, token_file: str, ca_file: str | None) -> None:
        parts = urllib.parse.urlsplit(url)
        loopback = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if parts.scheme != "https" and not (parts.scheme == "http" and loopback):
            raise Misconfigured(
                "FAIRLEAD_URL must begin with https://: the token would be readable"
            )
        path = f"/api/v1/clusters/{urllib.parse.quote(cluster, safe='')}/health-events"
        self.url = url.rstrip("/") + path
        self.token_file = token_file
        self.ca_file = ca_file
        self._ca_state = self._ca_now()
        self._opener = self._trusting()

    def _trusting(self) -> urllib.request.OpenerDirector:
        handlers: list[urllib.request.BaseHandler] = [NoRedirects()]
        if self.url.startswith("https:"):
            context = ssl.create_default_context(cafile=self.ca_file)
            handlers.append(urllib.request.HTTPSHandler(context=context))
        return urllib.request.build_opener(*handlers)

    def _ca_now(self) -> tuple[int, ...] | None:
        """Identifies the content of the file, or None while it cannot be read."""
        if self.ca_file is None:
            return None
        try:
            found = os.stat(self.ca_file)
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size

    def _renew_ca(self) -> None:
        """If the file is missing or is not a certificate, the previous CA is used."""
        now = self._ca_now()
        if now is None or now == self._ca_state:
            return
        self._ca_state = now
        try:
            self._opener = self._trusting()
        except OSError as failed:
            log.warning("%s is not taken, the CA of before counts: %s", self.ca_file, failed)
        else:
            log.info("%s has changed and applies from now on", self.ca_file)

    def post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Lasts no longer than POST_DEADLINE.

        :raises Refused: when the same body would be refused again
        :raises Unreached: when it may be accepted later
        """
        self._renew_ca()
        try:
            with deadline(POST_DEADLINE):
                return self._post(body)
        except TimeoutError as late:
            raise Unreached(str(late)) from None

    def _post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        try:
            with open(self.token_file, encoding="ascii") as file:
                token = file.read().strip()
        except (OSError, ValueError):
            raise Unreached(f"no token can be read from {self.token_file}") from None
        if not re.fullmatch(r"[-A-Za-z0-9_.~+/=]{1,4096}", token):
            raise Unreached(f"{self.token_file} has no token") from None
        request = urllib.request.Request(
            self.url,
            json.dumps(body).encode(),
            {
                "Content-Type": "application/json",
                "Authorization": f"Bearer {token}",
                "User-Agent": f"fairlead-node-agent/{VERSION}",
            },
            method="POST",
        )
        try:
            with self._opener.open(request, timeout=POST_TIMEOUT) as answer:
                found = json.loads(answer.read(LARGEST_ANSWER))
        except urllib.error.HTTPError as refused:
            with refused:
                pass
            # a proxy may reject a body as too large; its other refusals do not concern the events
            ours = refused.headers.get_content_type() == "application/problem+json"
            if refused.code == 413 or (ours and refused.code in (400, 422)):
                raise Refused(f"HTTP {refused.code}") from None
            wait = refused.headers.get("Retry-After", "")
            raise Unreached(
                f"HTTP {refused.code}", float(wait) if wait.isdecimal() else None
            ) from None
        except (OSError, ValueError, http.client.HTTPException) as failed:
            raise Unreached(
                type(failed).__name__ + ": " + str(getattr(failed, "reason", failed))
            ) from None
        if not isinstance(found, dict):
            raise Unreached("the answer is not an object")
        return found


@dataclass
class Agent:
    """One iteration after another in one thread; `wall` and `mono` are clocks in seconds."""

    node: str
    boot: str
    kernel: KernelLog
    post: Callable[[Mapping[str, Any]], dict[str, Any]]
    smi: Smi = field(default_factory=Smi)
    wall: Callable[[], float] = time.time
    mono: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random
    devices: Devices = field(default_factory=Devices)
    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    events: list[dict[str, Any]] = field(default_factory=list)
    inventory: dict[str, Any] | None = None
    allocations: dict[str, Any] | None = None
    left_aside: int = 0
    _seen: dict[str, float] = field(default_factory=dict)
    _ahead: int = 0
    _caught_up: bool = False
    _listed: bool = False
    _list_at: float = 0.0
    _repeat_at: float | None = None
    _pods: list[dict[str, Any]] | None = None
    _post_at: float = 0.0
    _failures: int = 0
    _batch: int = BATCH

    def idle(self) -> bool:
        """Whether sending is paused."""
        waits = self.events or self.inventory or self.allocations
        return not waits or self.mono() < self._post_at

    def turn(self) -> None:
        """Never waits for nvidia-smi, and waits for Fairlead for at most one request."""
        now = self.mono()
        if now >= self._list_at:
            self.smi.start(now)
            self._list_at = now + INVENTORY_EVERY
            self.checkpoint.forget()
        self._take_list(now)
        self._take_allocations(now)
        # log lines from before the start are reported once, with their device if a list arrives soon
        self._listed = (
            self._listed
            or not self.smi.running()
            or now >= self._list_at - INVENTORY_EVERY + SMI_TIMEOUT
        )
        if self._listed:
            self._read()
        if not self.idle():
            self._send()

    def _take_list(self, now: float) -> None:
        output = self.smi.poll(now)
        if output is None:
            return
        listed = self.devices.listed(output)
        if listed is None:
            log.warning("nvidia-smi printed no whole list of GPUs: %s", printable(output)[:120])
            return
        gpus = [{"gpu": d.gpu, **({"serial": d.serial} if d.serial else {})} for d in listed]
        self.inventory = {"node": self.node, "at": stamp(self.wall()), "gpus": gpus}

    def _take_allocations(self, now: float) -> None:
        if self._repeat_at is not None and now >= self._repeat_at:
            self.checkpoint.forget()
            self._repeat_at = None
        pods = self.checkpoint.changed(self.boot)
        if pods is None:
            return
        if pods != self._pods:
            self._repeat_at = now + REPEATED_AFTER
        self._pods = pods
        self.allocations = {"node": self.node, "at": stamp(self.wall()), "pods": pods}

    def _read(self) -> None:
        """Excess records remain in the kernel's ring buffer."""
        while len(self.events) < MOST_EVENTS:
            record = self.kernel.next()
            if record is None:
                self._caught_up = True
                return
            self.devices.learn(record.text)
            fault = fault_of(record.text)
            if fault is not None:
                self.events.append(self._event(record, fault))
        self._caught_up = False

    def _event(self, record: Record, fault: Fault) -> dict[str, Any]:
        # the kernel's clock is not set by NTP and drifts; it dates only records from before this process
        age = 0.0 if self._caught_up else max(0.0, self.mono() - record.micros / 1e6)
        key = f"{self.boot}:{record.seq}"
        self._seen[key] = self.mono() - age
        event: dict[str, Any] = {
            "id": key,
            "at": stamp(self.wall() - age),
            "node": self.node,
            "message": printable(record.text),
        }
        if fault.xid is not None:
            event["xid"] = fault.xid
        else:
            event["code"] = fault.code
        device = self.devices.by_pci.get(fault.pci)
        if device is not None:
            event["gpu"] = device.gpu
            if device.serial:
                event["serial"] = device.serial
        return event

    def _send(self) -> None:
        if self._ahead:
            self._dated_again()
        batch = self.events[: self._batch]
        body: dict[str, Any] = {"events": batch} if batch else {}
        if self.inventory:
            body["inventory"] = [self.inventory]
        if self.allocations:
            body["allocations"] = [self.allocations]
        try:
            answer = self.post(body)
        except Refused as refused:
            self._halve(batch, str(refused))
            return
        except Unreached as away:
            self._back_off(away)
            return
        if self._failures:
            log.info("Fairlead accepts reports again, with %d waiting events", len(self.events))
        self._failures = 0
        self._batch = BATCH
        self.inventory = None
        self.allocations = None
        self._note_left_aside(answer.get("leftAside"))
        ahead: dict[str, str] = {}
        for item in answer.get("items", []):
            if item.get("outcome") == "STORED":
                log.info("event %s: %s", item.get("id"), printable(str(item.get("detail"))))
            elif item.get("outcome") == "REFUSED":
                ahead[str(item.get("id"))] = str(item.get("detail"))
        self._settle(batch, ahead)

    def _note_left_aside(self, nodes: Any) -> None:
        """The device list was not accepted completely, so Fairlead's devices differ from this machine's."""
        if nodes:
            if self.left_aside % LEFT_ASIDE_EACH == 0:
                log.warning(
                    "Fairlead ignored the GPU list of %s, and %d lists before it: the cluster has no "
                    "such node, another node reports these GPUs, or the clock of this node is ahead",
                    printable(str(nodes))[:120],
                    self.left_aside,
                )
            self.left_aside += 1

    def _settle(self, batch: list[dict[str, Any]], ahead: dict[str, str]) -> None:
        """A rejected event has a time in the future. It remains queued and gets a new time from the
        later clock."""
        kept = [event for event in batch if event["id"] in ahead]
        for event in batch:
            if event["id"] not in ahead:
                self._seen.pop(event["id"], None)
        self.events[: len(batch)] = kept
        if not kept:
            self._ahead = 0
            return
        if self._ahead % TOLD_EACH == 0:
            log.error(
                "%d events wait until the clock here is right: %s",
                len(kept),
                printable(ahead[kept[0]["id"]])[:200],
            )
        self._ahead += 1
        self._post_at = self.mono() + LONGEST_WAIT

    def _dated_again(self) -> None:
        for event in self.events:
            event["at"] = stamp(self.wall() - (self.mono() - self._seen[event["id"]]))

    def _halve(self, batch: list[dict[str, Any]], why: str) -> None:
        """One rejected event must not block the others."""
        self._post_at = self.mono() + FIRST_WAIT
        if self.inventory or self.allocations:
            log.error(
                "the list of GPUs or pods is refused or too large to send with events: %s", why
            )
            self.inventory = None
            self.allocations = None
        elif len(batch) > 1:
            self._batch = len(batch) // 2
        else:
            log.error("event %s is refused: %s", batch[0]["id"], why)
            self._seen.pop(batch[0]["id"], None)
            del self.events[:1]
            self._batch = BATCH

    def _back_off(self, away: Unreached) -> None:
        longest = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(self._failures, 10))
        wait = max(longest * (0.5 + self.jitter() / 2), min(away.wait or 0.0, 600.0))
        if self._failures % TOLD_EACH == 0:
            log.warning("Fairlead takes no reports, %d events wait: %s", len(self.events), away)
        self._failures += 1
        self._post_at = self.mono() + wait


def setting(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise Misconfigured(f"{name} is not set: see deploy/node-agent.yaml")
    return value


def agent_of_environment() -> Agent:
    client = Client(
        setting("FAIRLEAD_URL"),
        setting("FAIRLEAD_CLUSTER"),
        setting("FAIRLEAD_TOKEN_FILE"),
        os.environ.get("FAIRLEAD_CA_FILE") or None,
    )
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    except OSError as failed:
        raise Misconfigured(
            f"{failed.filename} cannot be read ({failed.strerror}): CAP_SYSLOG is needed"
        ) from None
    return Agent(setting("FAIRLEAD_NODE"), boot, KernelLog(fd), client.post)


def main() -> int:
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr
    )
    try:
        agent = agent_of_environment()
    except (Misconfigured, OSError) as wrong:
        log.error("%s", wrong)
        return 2

    def stop(*_: object) -> NoReturn:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while True:
        agent.turn()
        # with queued events the log may always be readable, so it is polled once a second
        select.select(
            [] if agent.events else [agent.kernel.fd], [], [], 1.0 if agent.idle() else 0.0
        )


if __name__ == "__main__":
    sys.exit(main())
