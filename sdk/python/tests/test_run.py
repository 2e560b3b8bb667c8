"""Requests of `fairlead run`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import respx
from documents import job

from fairlead.cli.main import SECTIONS, main
from fairlead.cli.verbs import VERBS

pytestmark = pytest.mark.usefixtures("feasible")


@pytest.mark.parametrize("launcher", [[], ["--launcher", "none"], ["--launcher", "torchrun"]])
def test_command_arguments_arrive_unchanged(api: respx.MockRouter, launcher: list[str]) -> None:
    """Fails when they are joined: the shell of the pod splits `a b` and runs the text after the `;`."""
    submits = api.post("/projects/default/jobs").respond(201, json=job())
    words = ["train.py", "--msg", "a b", "$HOME; true"]
    assert main(["run", "-y", "-i", "x", "-d", *launcher, "--", *words]) == 0
    assert json.loads(submits.calls.last.request.content)["run"] == words


def test_top_level_has_at_most_35_commands_listed_once_in_help() -> None:
    listed = [word for names in SECTIONS.values() for word in names.split()]
    assert sorted(listed) == VERBS[""].split()
    assert len(listed) <= 35


def test_the_version_and_verbs_are_printed_without_the_client() -> None:
    """Fails when pressing TAB loads the models of the whole API."""
    code = (
        "import sys; from fairlead.cli import start; sys.argv[1:] = ['--version']; start.main();"
        "print(start.verbs('fairlead vol', '1'), start.verbs('fairlead pool s', '2'));"
        "print(start.verbs('fairlead logs x', '2'));"
        "print([one for one in ('pydantic', 'httpx2', 'typer', 'rich') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["['volume'] ['supply']", "None", "[]"]


def test_a_verb_loads_its_own_module_alone() -> None:
    """Fails when ps builds the options of all verbs."""
    code = (
        "import sys; from fairlead.cli import main; main.command('ps');"
        "print([one for one in ('common', 'health', 'jobs', 'pools')"
        " if f'fairlead.models.{one}' in sys.modules],"
        "'fairlead.cli.pools' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] False\n"
