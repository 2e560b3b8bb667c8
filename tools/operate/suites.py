"""Runs other checks of this tree: suites, Maven tests, and make targets."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from report import Failed, Row, Skipped, verdict

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "operate"
REPORTS = ROOT / "api" / "target" / "failsafe-reports"
# The product is built.
MAVEN = ("./mvnw", "-B", "-pl", "api", "-am", "-Dfairlead.skipBelow=true", "-Dmaven.main.skip=true")


def suite(area: str, name: str) -> Iterator[Row]:
    """Returns the rows of the suite with this name in tools/suites."""
    print(f"operate: {area}: tools/suites/{name}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(scratch) / "results.jsonl"
        environment = {**os.environ, "FAIRLEAD_SUITE_RESULTS": str(results)}
        with (LOGS / f"{name}.log").open("w") as log:
            code = subprocess.run([ROOT / "tools/suites" / name], env=environment, stdout=log, stderr=log, check=False)
        lines = results.read_text().splitlines() if results.exists() else []
    rows = [json.loads(line) for line in lines]
    for row in rows:
        yield Row(area, row["name"], row["status"], "", row.get("reason", ""), float(row.get("seconds", 0)))
    if code.returncode and not any(row["status"] == "failed" for row in rows):
        yield Row(area, "suite", "failed", "", f"exit code {code.returncode}: see build/operate/{name}.log")


def jdk() -> str:
    return subprocess.run([ROOT / "tools/jdk25"], capture_output=True, text=True, check=True).stdout.strip()


def maven(log: Path, *arguments: str) -> None:
    with log.open("w") as output:
        environment = {**os.environ, "JAVA_HOME": jdk()}
        done = subprocess.run([*MAVEN, *arguments], cwd=ROOT, env=environment, stdout=output, stderr=output, check=False)
    if done.returncode:
        raise Failed(f"exit code {done.returncode}: see {log.relative_to(ROOT)}")


@cache
def test_classes() -> None:
    """Compiles the tests once for all checks."""
    maven(LOGS / "test-classes.log", "process-test-classes")


def tested(test: str, *settings: str) -> str:
    """Runs an integration test of the module api with Maven."""
    test_classes()
    report = REPORTS / f"TEST-dev.fairlead.e2e.{test}.xml"
    report.unlink(missing_ok=True)
    log = LOGS / f"{test}{''.join(settings)}.log"
    kept = ("-Dfairlead.skipTestCompile=true", "-Dmaven.test.failure.ignore=true", "-Dfailsafe.failIfNoSpecifiedTests=false")
    maven(log, *kept, f"-Dit.test={test}", *settings, "process-test-classes", "failsafe:integration-test", "failsafe:verify")
    if not report.exists():
        raise Failed(f"no report: see {log.relative_to(ROOT)}")
    return counted(ET.parse(report).getroot())


def counted(report: ET.Element) -> str:
    cases = list(report.iter("testcase"))
    wrong = [case.get("name", "") for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = [skip.get("message", "") for skip in report.iter("skipped")]
    if wrong or not cases:
        raise Failed(f"{len(wrong)} of {len(cases)} tests failed: {', '.join(wrong)}")
    if skipped:
        raise Skipped(f"{len(skipped)} of {len(cases)} tests were skipped: {skipped[0]}")
    return f"{len(cases)} tests"


def doctor() -> Iterator[Row]:
    yield verdict("doctor", "planted faults are named, and gone when repaired", lambda: tested("DoctorIT"))


def logs() -> Iterator[Row]:
    yield verdict("logs", "kept after retirement, in a directory", lambda: tested("LogsIT"))
    yield verdict("logs", "kept after retirement, in S3", lambda: tested("LogsIT", "-Dfairlead.logs=s3"))


def made(target: str, figure: str, *arguments: str) -> str:
    """Runs a make target. The figure is read from its output by the groups of the pattern."""
    log = LOGS / f"{target}.log"
    with log.open("w") as output:
        done = subprocess.run(
            ["make", "-o", "verify/target/build.stamp", target, *arguments], cwd=ROOT, stdout=output, stderr=output, check=False
        )
    said = log.read_text()
    if done.returncode:
        raise Failed(f"exit code {done.returncode}, {said.strip().splitlines()[-1:]}: see {log.relative_to(ROOT)}")
    return ", ".join(" ".join(found).strip() for found in re.findall(figure, said))


def restore() -> str:
    return made("restore-test", r"(?:archive (by [^\n]+)|figure +(?:recovery (?:point|time): )?(\S[^\n]*?\S) {2,}(\d+\.\d s))")


def older() -> Path:
    """Returns the built tree of the older version, from which the check upgrades."""
    found = subprocess.run([ROOT / "tools/operate/older"], capture_output=True, text=True, check=False)
    if found.returncode:
        raise (Skipped if found.returncode == 3 else Failed)((found.stderr.strip().splitlines() or ["no older version"])[-1])
    return Path(found.stdout.strip())


def versions() -> str:
    older()
    return made("two-versions", r"chaos: (\d+ submits), .*: (nothing .*)", "SUBMITS=500")
