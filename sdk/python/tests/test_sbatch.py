"""What a Slurm script becomes, and what is named because it could not be carried over."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from fairlead.cli.convert import document
from fairlead.cli.sbatch import convert, time_limit


def spec(*options: str, body: str = "python train.py") -> dict[str, Any]:
    lines = ["#!/bin/sh", *(f"#SBATCH {option}" for option in options), body, ""]
    return convert("\n".join(lines), "x").spec


def notes(*options: str, body: str = "python train.py") -> list[str]:
    lines = ["#!/bin/sh", *(f"#SBATCH {option}" for option in options), body, ""]
    return [str(note) for note in convert("\n".join(lines), "x").notes]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--job-name=llama"], {"name": "llama"}),
        (["-J llama"], {"name": "llama"}),
        (["-p research"], {"queue": "research"}),
        (["-N 4", "--ntasks=4"], {"workers": 4}),
        (["--nodes=2-4"], {"workers": 4, "minWorkers": 2}),
        (["--gres=gpu:h100:8"], {"gpu": "H100:8"}),
        (["--gres=gpu:2"], {"gpu": 2}),
        (["--gpus-per-node=a100:4"], {"gpu": "A100:4"}),
        (["-N2", "-G h100:16"], {"workers": 2, "gpu": "H100:8"}),
        (["--gpus=4", "--constraint=a100"], {"gpu": "A100:4"}),
        (["-c 12", "-N1"], {"cpu": 12, "workers": 1}),
        (["--mem=512G"], {"memory": "512Gi"}),
        (["--mem=4096"], {"memory": "4096Mi"}),
        (["-t 2-00:00:00"], {"maxRuntime": "2d"}),
        (["--time=90"], {"maxRuntime": "90m"}),
        (["--array=0-99%8"], {"array": "0-99%8"}),
        (["--array=1-10"], {"array": "0-9"}),
        (["--qos=high"], {"priorityClass": "high"}),
        (
            ["--dependency=afterok:job_a"],
            {"dependsOn": [{"job": "job_a", "condition": "SUCCEEDED"}]},
        ),
    ],
)
def test_an_option_becomes_its_field(options: list[str], expected: dict[str, Any]) -> None:
    assert spec(*options) == {"image": "x", "run": "python train.py\n", **expected}
    assert notes(*options, body="srun python train.py") == []


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("--mail-type=END", "line 2: --mail-type=END: nobody is mailed"),
        ("--output=out.%j", "line 2: --output=out.%j: the output is kept by Fairlead"),
        (
            "--dependency=afterok:123",
            "line 2: --dependency=afterok:123: jobs of Slurm are not known",
        ),
        ("--qos=gold", "line 2: --qos=gold: priority classes are"),
        ("--constraint=ib", "line 2: --constraint=ib: features are not known"),
        ("--nodes=many", "line 2: --nodes=many: is no number of nodes"),
        ("--array=1,x", "line 2: --array=1,x: is no list of indices"),
        ("--mem=0", "line 2: --mem=0: all memory of a node"),
        ("--time=tomorrow", "line 2: --time=tomorrow: is no time"),
        ("--ntasks-per-node=8", "line 2: --ntasks-per-node=8: one process is started on each node"),
        ("--frobnicate=7", "line 2: --frobnicate=7: has no counterpart"),
        ("--comment='half", "No closing quotation"),
    ],
)
def test_a_line_that_is_lost_is_named(option: str, why: str) -> None:
    assert any(why in note for note in notes(option)), notes(option)


def test_what_is_said_twice_counts_once_and_is_named() -> None:
    script = convert("#SBATCH --gpus-per-node=h100:8\n#SBATCH --gpus=32\nrun.sh\n")
    assert script.spec["gpu"] == "H100:8"
    assert [str(note) for note in script.notes] == [
        "line 2: --gpus=32: --gpus-per-node says it already"
    ]


def test_several_options_stand_on_one_line_and_behind_them_a_remark() -> None:
    found = spec("-N 2 --mem=1G -c 4 # enough")
    assert (found["workers"], found["memory"], found["cpu"]) == (2, "1Gi", 4)


def test_options_behind_the_first_command_do_not_count() -> None:
    script = convert("#!/bin/sh\ntrue\n#SBATCH -N 4\n")
    assert "workers" not in script.spec
    assert [str(note) for note in script.notes] == [
        "line 3: #SBATCH -N 4: stands behind a command, Slurm does not read it either"
    ]


@pytest.mark.parametrize(
    ("indices", "value"),
    [
        ("0-9", "$FAIRLEAD_ARRAY_INDEX"),
        ("1-10", "$((FAIRLEAD_ARRAY_INDEX + 1))"),
        ("0-10:5", "$((FAIRLEAD_ARRAY_INDEX * 5 + 0))"),
        ("3,5,9", "$(set -- 3 5 9; shift $FAIRLEAD_ARRAY_INDEX; echo $1)"),
    ],
)
def test_the_script_still_sees_the_indices_of_slurm(indices: str, value: str) -> None:
    run = spec(f"--array={indices}", body="python train.py $SLURM_ARRAY_TASK_ID")["run"]
    assert run == f"export SLURM_ARRAY_TASK_ID={value}\npython train.py $SLURM_ARRAY_TASK_ID\n"


def test_srun_is_dropped_and_its_options_are_named() -> None:
    assert spec("-N 2", body="  srun python train.py")["run"] == "python train.py\n"
    assert notes(body="srun --mpi=pmix python train.py") == [
        "line 2: srun --mpi=pmix: options of srun are dropped: every worker runs it once"
    ]


def test_a_bash_script_stays_one() -> None:
    script = convert("#!/bin/bash -l\nset -o pipefail\ntrue | cat\n", "x")
    assert script.spec["run"] == ["/bin/bash", "-l", "-c", "set -o pipefail\ntrue | cat\n"]
    assert yaml.safe_load(document(script, "a.sbatch"))["run"] == script.spec["run"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 1800),
        ("4:30", 270),
        ("4:00:00", 14400),
        ("1-12", 129600),
        ("1-0:30", 88200),
        ("x", None),
    ],
)
def test_times_are_read_as_slurm_does(text: str, seconds: int | None) -> None:
    assert time_limit(text) == seconds
