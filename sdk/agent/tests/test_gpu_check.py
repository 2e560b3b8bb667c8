"""The check on a machine with a GPU: its skips, and the parts that need no GPU."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import fairlead_node_agent as agent
import gpu_check as check

GPU = "GPU-5f2e1c1a-8f0e-4a56-9c39-0f3c6f6f2f10"
OTHER = "GPU-6f2e1c1a-8f0e-4a56-9c39-0f3c6f6f2f11"
LIST = (
    f"0, {GPU}, 1653922031544, 00000000:3B:00.0, NVIDIA H200\n"
    f"1, {OTHER}, [N/A], 00000000:5E:00.0, NVIDIA H200\n"
)
XID = b"6,41,9,-;NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=python3, Ch 00000008, MMU Fault"


class Nvml:
    """Two GPUs, of which the second has no serial number."""

    def __init__(self, serial: bytes = b"1653922031544") -> None:
        self.boards = ((GPU.encode(), serial), (OTHER.encode(), b""))

    def nvmlInit_v2(self) -> int:  # noqa: N802
        return 0

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:  # noqa: N802
        count._obj.value = len(self.boards)
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index: int, handle: Any) -> int:  # noqa: N802
        handle._obj.value = index + 1
        return 0

    def nvmlDeviceGetUUID(self, handle: Any, text: Any, _: int) -> int:  # noqa: N802
        text.value = self.boards[handle.value - 1][0]
        return 0

    def nvmlDeviceGetSerial(self, handle: Any, text: Any, _: int) -> int:  # noqa: N802
        text.value = self.boards[handle.value - 1][1]
        return 0 if text.value else 3


def smi(monkeypatch: pytest.MonkeyPatch, at: Path, script: str) -> None:
    program = at / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(at), prepend=":")


def records(*raw: bytes) -> Callable[[int, int], bytes]:
    left = list(raw)

    def read(_fd: int, _size: int) -> bytes:
        if not left:
            raise BlockingIOError
        return left.pop(0)

    return read


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (None, "nvidia-smi is not installed"),
        ("echo 'No devices were found'; exit 6", "nvidia-smi ends with 6: No devices were found"),
    ],
)
def test_a_machine_without_a_gpu_skips_all_checks(
    script: str | None,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if script is not None:
        smi(monkeypatch, tmp_path, script)
    assert check.run() == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"0 passed, 0 failed, 4 skipped: no NVIDIA GPU available: {reason}"


def test_the_list_of_the_agent_is_compared_with_nvml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smi(monkeypatch, tmp_path, f"printf '%s' '{LIST}'")
    found = check.Found()
    check.identity(found, lambda _: Nvml())
    assert found.devices.by_pci["0:3b:00"] == agent.Device(GPU, "1653922031544")
    with pytest.raises(check.Failed, match="1653922031599"):
        check.identity(found, lambda _: Nvml(b"1653922031599"))


def test_a_failed_check_sets_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(_: check.Found) -> None:
        raise check.Failed("other")

    assert check.run((("one", fails), ("two", lambda _: None))) == 1
    assert capsys.readouterr().out.splitlines() == [
        "failed one: other",
        "passed two",
        "1 passed, 1 failed, 0 skipped",
    ]


def test_the_event_has_the_gpu_of_the_fault() -> None:
    devices = agent.Devices()
    devices.listed(LIST)
    kernel = agent.KernelLog(0, records(XID.replace(b": 31,", b": 63,"), XID))
    event = check.event_of(kernel, devices)
    assert (event["xid"], event["gpu"], event["serial"]) == (31, GPU, "1653922031544")


def test_a_fault_of_an_unknown_gpu_or_without_a_record_fails() -> None:
    with pytest.raises(check.Failed, match="no UUID"):
        check.event_of(agent.KernelLog(0, records(XID)), agent.Devices())
    with pytest.raises(check.Failed, match="no XID"):
        check.event_of(agent.KernelLog(0, records()), agent.Devices(), until=0.0)


def test_without_fairlead_the_judgement_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smi(monkeypatch, tmp_path, f"printf '%s' '{LIST}'")
    monkeypatch.delenv("FAIRLEAD_URL", raising=False)
    with pytest.raises(check.Skipped, match="FAIRLEAD_URL is not set"):
        check.judged(check.Found(event={"xid": 31}))
