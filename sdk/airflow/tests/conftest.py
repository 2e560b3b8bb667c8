"""The real service of this tree, started like in the Python suite, and a real Airflow."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from fairlead import Fairlead

ROOT = Path(__file__).resolve().parents[3]
DAGS = Path(__file__).resolve().parent / "dags"
PATIENCE_SECONDS = 240


def _python_suite() -> ModuleType:
    path = ROOT / "sdk/python/tests/conftest.py"
    spec = importlib.util.spec_from_file_location("fairlead_python_suite", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.append(str(path.parent))  # of the modules that it imports
    spec.loader.exec_module(module)
    return module


suite = _python_suite()
service = suite.service


@dataclass(frozen=True)
class Airflow:
    """An installation with SQLite for its metadata, and the DAGs of these tests."""

    environment: dict[str, str]
    fl: Fairlead

    def start(self, dag: str, *options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "airflow", "dags", "test", dag, *options],
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def test(self, dag: str, *options: str) -> str:
        """Output of `airflow dags test`: the log of each task."""
        process = self.start(dag, *options)
        try:
            return process.communicate(timeout=PATIENCE_SECONDS)[0]
        finally:
            process.kill()


@pytest.fixture(scope="session")
def airflow(service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Airflow]:
    home = tmp_path_factory.mktemp("airflow")
    connection = {
        "conn_type": "fairlead",
        "host": service.url,
        "password": service.token,
        "extra": {"project": "default"},
    }
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "FAIRLEAD"))},
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(DAGS),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "AIRFLOW_CONN_FAIRLEAD_DEFAULT": json.dumps(connection),
        "COLUMNS": "1000",
        "NO_COLOR": "1",
    }
    subprocess.run(
        [sys.executable, "-m", "airflow", "db", "migrate"],
        env=environment,
        check=True,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
    )
    with Fairlead(service.url, service.token) as fl:
        yield Airflow(environment, fl)
