"""Writes the screens in docs/reference/console.md: commands and their output at 110 columns.

    FAIRLEAD_URL=... python tools/screens.py

Needs the service of make demo after its jobs have ended, so every screen has content.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
COLUMNS = 110
TRAIN = """\
name: llama-64
image: registry.example.com/nlp/train:2.9
workers: 8
gpu: H100:8
topology: block
launcher: torchrun
run: train.py --config cfg.yaml
maxRuntime: 48h
"""
HUGE = (
    TRAIN.replace("workers: 8", "workers: 32")
    .replace("topology: block\n", "")
    .replace("64", "huge")
)
SCREENS = [
    ("GPUs of the fleet", ["gpus"]),
    ("Placement of a 64-GPU job", ["submit", "train.yaml", "--dry-run"]),
    ("A job that is too large", ["submit", "huge.yaml", "--dry-run"]),
    ("Why a job waits", ["why", "llama-huge"]),
    ("The jobs that have not ended", ["ps"]),
    ("The jobs of the last hour", ["history", "--since", "1h"]),
    ("Report of a failed job", ["report", "fails"]),
    ("Quotas and usage", ["quota"]),
]


def shown(arguments: list[str], folder: str) -> str:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(HERE / "src")}
    process = subprocess.Popen(
        [sys.executable, "-m", "fairlead.cli.main", *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment,
        cwd=folder,
    )
    os.close(follower)
    text = b""
    try:
        while chunk := os.read(leader, 65536):
            text += chunk
    except OSError:  # its other end is closed
        pass
    process.wait(30)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())
    return plain.replace("\r", "").rstrip()


def main() -> None:
    page = [
        f"Captured by `make screens` from a terminal of {COLUMNS} columns, on the fleet and with the "
        "jobs of `make demo`.\n"
    ]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.yaml").write_text(TRAIN)
        (Path(folder) / "huge.yaml").write_text(HUGE)
        shown(["submit", "huge.yaml", "-y"], folder)
        time.sleep(3)  # until the scheduler has planned it
        for title, arguments in SCREENS:
            lines = f"$ fairlead {' '.join(arguments)}\n{shown(arguments, folder)}"
            page.append(f"### {title}\n\n```text\n{lines}\n```\n")
        shown(["cancel", "llama-huge"], folder)
    console = ROOT / "docs/reference/console.md"
    before, heading, rest = console.read_text(encoding="utf-8").partition(
        "## Screens of the command line\n\n"
    )
    after = rest[rest.index("## Design notes\n") :]
    console.write_text(before + heading + "\n".join(page) + "\n" + after, encoding="utf-8")


if __name__ == "__main__":
    main()
