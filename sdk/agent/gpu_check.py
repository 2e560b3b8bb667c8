"""Checks the node agent on a machine with an NVIDIA GPU: make gpu-check.

The last line is "N passed, N failed, N skipped", with the reasons of skipped checks. The exit code is 1 if
a check fails. Without a GPU all checks are skipped and the exit code is 0.

FAIRLEAD_URL, FAIRLEAD_CLUSTER, FAIRLEAD_TOKEN_FILE, FAIRLEAD_CA_FILE and FAIRLEAD_NODE select the Fairlead
that receives the fault, as in deploy/node-agent.yaml. The NCCL check needs PyTorch with CUDA.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import fairlead_node_agent as agent

LONGEST = 120.0
TEXT = 96  # bytes of an NVML text
FAULTS = (13, 31, 43)  # XIDs of an invalid address
LOST_CONTEXT = (700, 719)  # illegal address, launch failure

# A kernel that stores to the address 16, which no allocation contains.
PTX = b"\n".join(
    (
        b".version 7.0",
        b".target sm_75",
        b".address_size 64",
        b".visible .entry fault() {",
        b".reg .b64 %rd<2>;",
        b".reg .b32 %r<2>;",
        b"mov.u64 %rd1, 16;",
        b"mov.u32 %r1, 1;",
        b"st.global.u32 [%rd1], %r1;",
        b"ret;",
        b"}\n",
    )
)

ALL_REDUCE = """
import os, torch, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
sums = torch.ones(1024, device="cuda")
dist.all_reduce(sums)
torch.cuda.synchronize()
assert sums.sum().item() == 1024 * dist.get_world_size(), sums.sum().item()
dist.destroy_process_group()
"""


class Skipped(Exception):
    """A requirement that this machine does not meet."""


class Failed(Exception):
    """The difference between the expected and the actual result."""


@dataclass
class Found:
    """Results that later checks need."""

    devices: agent.Devices = field(default_factory=agent.Devices)
    event: dict[str, Any] | None = None


def gpus() -> str:
    """Output of the agent's nvidia-smi command.

    :raises Skipped: without an NVIDIA GPU
    """
    try:
        done = subprocess.run(
            agent.Smi.COMMAND,
            capture_output=True,
            text=True,
            timeout=agent.SMI_TIMEOUT,
            check=False,
        )
    except OSError:
        raise Skipped("no NVIDIA GPU available: nvidia-smi is not installed") from None
    except subprocess.TimeoutExpired:
        raise Failed(f"nvidia-smi hangs for {agent.SMI_TIMEOUT:.0f} s") from None
    if done.returncode != 0 or not done.stdout.strip():
        said = agent.printable((done.stdout + done.stderr).strip())[:120]
        raise Skipped(f"no NVIDIA GPU available: nvidia-smi ends with {done.returncode}: {said}")
    return done.stdout


def nvml_devices(library: Any) -> set[tuple[str, str | None]]:
    """UUID and serial number of each GPU according to NVML. Boards without a serial number have None."""
    count = ctypes.c_uint()
    if library.nvmlInit_v2() != 0 or library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
        raise Failed("NVML does not start")
    devices: set[tuple[str, str | None]] = set()
    for index in range(count.value):
        handle = ctypes.c_void_p()
        uuid, serial = ctypes.create_string_buffer(TEXT), ctypes.create_string_buffer(TEXT)
        if (
            library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) != 0
            or library.nvmlDeviceGetUUID(handle, uuid, TEXT) != 0
        ):
            raise Failed(f"NVML does not identify GPU {index}")
        named = library.nvmlDeviceGetSerial(handle, serial, TEXT) == 0
        devices.add(
            (uuid.value.decode(), agent.serial_of(serial.value.decode()) if named else None)
        )
    return devices


def identity(found: Found, load: Callable[[str], Any] = ctypes.CDLL) -> None:
    """The agent lists the GPUs that NVML reports, with UUID and serial number."""
    output = gpus()
    listed = found.devices.listed(output)
    if listed is None:
        raise Failed(f"the agent cannot parse nvidia-smi: {agent.printable(output)[:200]}")
    try:
        library = load("libnvidia-ml.so.1")
    except OSError:
        raise Skipped("libnvidia-ml.so.1 does not load") from None
    own, nvml = {(d.gpu, d.serial) for d in listed}, nvml_devices(library)
    if own != nvml:
        raise Failed(f"the agent lists {sorted(map(str, own))}, NVML {sorted(map(str, nvml))}")


def break_context() -> int:
    """Writes to an invalid address on the first GPU, in a separate process, because its context is lost."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    for name, arguments in (
        ("cuInit", (0,)),
        ("cuDeviceGet", (ctypes.byref(device), 0)),
        ("cuDevicePrimaryCtxRetain", (ctypes.byref(context), device)),
        ("cuCtxSetCurrent", (context,)),
        ("cuModuleLoadData", (ctypes.byref(module), PTX)),
        ("cuModuleGetFunction", (ctypes.byref(kernel), module, b"fault")),
        ("cuLaunchKernel", (kernel, 1, 1, 1, 1, 1, 1, 0, None, None, None)),
    ):
        code = getattr(cuda, name)(*arguments)
        if code != 0:
            print(f"{name} returned {code}")
            return 1
    code = cuda.cuCtxSynchronize()
    print(f"cuCtxSynchronize returned {code}")
    return 0 if code in LOST_CONTEXT else 1


def break_gpu() -> None:
    command = [sys.executable, __file__, "break-context"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode != 0:
        raise Failed(f"no CUDA fault: {agent.printable(done.stdout + done.stderr)[:200]}")


def fault(found: Found) -> None:
    """The agent creates an event with the XID and UUID of a CUDA fault."""
    gpus()
    try:
        log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    except OSError as failed:
        raise Skipped(f"/dev/kmsg cannot be read: {failed.strerror}") from None
    try:
        os.lseek(log, 0, os.SEEK_END)
        break_gpu()
        found.event = event_of(agent.KernelLog(log), found.devices)
    finally:
        os.close(log)


def event_of(
    kernel: agent.KernelLog, devices: agent.Devices, until: float = LONGEST / 4
) -> dict[str, Any]:
    """The agent's first event for an invalid address, within a few seconds."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read().strip()
    node = os.environ.get("FAIRLEAD_NODE") or socket.gethostname()
    own = agent.Agent(node, boot, kernel, lambda body: {}, devices=devices)
    end = time.monotonic() + until
    while time.monotonic() < end:
        own._read()
        for event in own.events:
            if event.get("xid") in FAULTS:
                if not agent.UUID.fullmatch(event.get("gpu", "")):
                    raise Failed(f"the event has no UUID: {event}")
                return event
        time.sleep(0.1)
    raise Failed("the kernel log has no XID of the fault")


def judged(found: Found) -> None:
    """Fairlead stores the fault event and applies its rule."""
    gpus()
    if found.event is None:
        raise Skipped("there is no event of a fault")
    if not os.environ.get("FAIRLEAD_URL"):
        raise Skipped("no Fairlead: FAIRLEAD_URL is not set")
    client = agent.Client(
        agent.setting("FAIRLEAD_URL"),
        agent.setting("FAIRLEAD_CLUSTER"),
        agent.setting("FAIRLEAD_TOKEN_FILE"),
        os.environ.get("FAIRLEAD_CA_FILE") or None,
    )
    try:
        answer = client.post({"events": [found.event]})
    except (agent.Refused, agent.Unreached) as refused:
        raise Failed(f"the event is not accepted: {refused}") from None
    item = answer["items"][0]
    if item.get("outcome") != "STORED":
        raise Failed(f"the event is not stored: {item}")
    print(f"  {item.get('detail')}")


def nccl(_: Found) -> None:
    """A member with the variables of `launcher: torchrun` runs an NCCL collective."""
    gpus()
    if importlib.util.find_spec("torch") is None:
        raise Skipped("this Python has no PyTorch")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    member = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "NNODES": "1",
        "NODE_RANK": "0",
        "WORLD_SIZE": "1",
        "RANK": "0",
        "LOCAL_RANK": "0",
    }
    done = subprocess.run(
        [sys.executable, "-c", ALL_REDUCE],
        env={**os.environ, **member},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    if done.returncode != 0:
        raise Failed(agent.printable(done.stderr.strip()[-400:]))


CHECKS: tuple[tuple[str, Callable[[Found], None]], ...] = (
    ("identity of NVML", identity),
    ("event of a CUDA fault", fault),
    ("judgement of the fault", judged),
    ("NCCL with one GPU", nccl),
)


def run(checks: tuple[tuple[str, Callable[[Found], None]], ...] = CHECKS) -> int:
    found = Found()
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    reasons: list[str] = []
    for name, check in checks:
        status, reason = "passed", ""
        try:
            check(found)
        except Skipped as lacking:
            status, reason = "skipped", str(lacking)
            if reason not in reasons:
                reasons.append(reason)
        except (Failed, agent.Misconfigured, subprocess.TimeoutExpired) as wrong:
            status, reason = "failed", str(wrong)
        counts[status] += 1
        print(f"{status} {name}" + (f": {reason}" if reason else ""), flush=True)
    total = ", ".join(f"{number} {status}" for status, number in counts.items())
    print(total + (": " + "; ".join(reasons) if reasons else ""))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(break_context() if sys.argv[1:] == ["break-context"] else run())
    sys.exit(130)
