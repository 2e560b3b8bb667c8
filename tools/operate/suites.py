"""Checks that stand elsewhere in this tree: suites, and programs of make."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from report import Failed, Row

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "operate"


def suite(area: str) -> Iterator[Row]:
    """Rows of the suite of that name in tools/suites."""
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(scratch) / "results.jsonl"
        environment = {**os.environ, "FAIRLEAD_SUITE_RESULTS": str(results)}
        with (LOGS / f"{area}.log").open("w") as log:
            code = subprocess.run([ROOT / "tools/suites" / area], env=environment, stdout=log, stderr=log, check=False)
        lines = results.read_text().splitlines() if results.exists() else []
    rows = [json.loads(line) for line in lines]
    for row in rows:
        yield Row(area, row["name"], row["status"], "", row.get("reason", ""), float(row.get("seconds", 0)))
    if code.returncode and not any(row["status"] == "failed" for row in rows):
        yield Row(area, "suite", "failed", "", f"exit code {code.returncode}: see build/operate/{area}.log")


def jdk() -> str:
    return subprocess.run([ROOT / "tools/jdk25"], capture_output=True, text=True, check=True).stdout.strip()


def made(target: str, figure: str, *arguments: str) -> str:
    """Runs a target of make; the figure is what the pattern's groups find in its output."""
    log = LOGS / f"{target}.log"
    with log.open("w") as output:
        done = subprocess.run(
            ["make", "-o", "bench/target/build.stamp", target, *arguments], cwd=ROOT, stdout=output, stderr=output, check=False
        )
    said = log.read_text()
    if done.returncode:
        raise Failed(f"exit code {done.returncode}, {said.strip().splitlines()[-1:]}: see {log.relative_to(ROOT)}")
    return ", ".join(" ".join(found).strip() for found in re.findall(figure, said))


def restore() -> str:
    return made("drill-restore", r"figure +(?:recovery (?:point|time): )?(\S[^\n]*?\S) {2,}(\d+\.\d s)")
