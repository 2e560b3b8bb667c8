"""What `fairlead run` sends."""

from __future__ import annotations

import json

import pytest
import respx
from documents import job

from fairlead.cli.main import main

pytestmark = pytest.mark.usefixtures("feasible")


@pytest.mark.parametrize("launcher", [[], ["--launcher", "none"], ["--launcher", "torchrun"]])
def test_the_words_of_the_command_arrive_as_they_were_given(
    api: respx.MockRouter, launcher: list[str]
) -> None:
    """Fails when they are joined: the shell of the pod splits `a b` and runs what follows the `;`."""
    submits = api.post("/projects/default/jobs").respond(201, json=job())
    words = ["train.py", "--msg", "a b", "$HOME; true"]
    assert main(["run", "-y", "-i", "x", "-d", *launcher, "--", *words]) == 0
    assert json.loads(submits.calls.last.request.content)["run"] == words
