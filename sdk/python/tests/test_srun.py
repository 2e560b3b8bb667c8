"""The conversion of srun and its options in a Slurm script."""

from __future__ import annotations

import pytest
from test_sbatch import converted, spec


@pytest.mark.parametrize(
    ("body", "last"),
    [
        ("srun --cpus-per-gpu 12 torchrun x.py", "torchrun x.py"),
        ("srun -W 0 -l python x", "python x"),
        ("srun -lN 2 -K1 python x", "python x"),
        ('srun --job-name="step one" --container-mounts="/a:/a, /b:/b" python x', "python x"),
        ("srun --comment='a \"b' python x", "python x"),
        ("srun --nodelist=$(scontrol show hostnames $X | head -1) ray start", "ray start"),
        ("srun -w `hostname -s` ray start", "ray start"),
        ("srun\t-n\t2\tpython x", "python x"),
        (
            'A="--wait=60 --mpi=pmix"\nsrun $A --jobid $SLURM_JOB_ID bash -c "python x"',
            'bash -c "python x"',
        ),
        ('A=" \\\n --wait=60 \\\n -n 4"\nsrun $A python x', "python x"),
        ('A=--label\nA="$A --mpi=pmix"\nsrun $A python x', "python x"),
        ('opts=(--label # each line\n  --mpi pmix)\nsrun "${opts[@]}" python x', "python x"),
        ("P=python\nsrun -n 2 $P x", "$P x"),
        ("srun -n 2 -- python x", "python x"),
        ("/usr/bin/srun -n 2 python x", "python x"),
        ("time srun -n 2 python x", "time python x"),
        ("OMP_NUM_THREADS=4 srun -n 2 python x", "OMP_NUM_THREADS=4 python x"),
        ("srun --het-group=0 python x", "python x"),
    ],
)
def test_srun_arguments_are_split_like_a_shell(body: str, last: str) -> None:
    """Fails when a word of an option of srun becomes the first word of the command."""
    script = converted("-N 2", body=body)
    assert script.spec["run"].rstrip().splitlines()[-1] == last
    assert any("options of srun are dropped" in note.why for note in script.notes)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("srun --multi-prog ranks.conf", "--multi-prog starts a different program per rank"),
        ("srun --het-group=0 ./a --port 1 : --het-group=1 ./b", "one step of several components"),
        ("srun --het-group=1 ./b", "it belongs to component 1"),
        ("srun $UNKNOWN python x", "the script does not set $UNKNOWN"),
        ("A='-n 2 python'\nsrun $A x", "$A holds options of srun and a command"),
        ("A=-l\nA=python\nsrun $A x", "$A may hold options of srun or a command"),
        ("srun --of-a-plugin value python x", "srun has no option --of-a-plugin"),
        ("srun -n 2", "there is no command"),
        ("srun --comment 'open python x", "is missing"),
        ("srun -n", "-n has no value"),
    ],
)
def test_a_line_of_srun_without_a_certain_command_stays_and_is_named(line: str, why: str) -> None:
    """Fails when the job succeeds without having run the program."""
    script = converted("-N 2", body=line)
    assert script.spec["run"].rstrip().splitlines()[-1] == line.splitlines()[-1]
    assert any(
        "the line does not run here" in note.why and why in note.why for note in script.notes
    )


@pytest.mark.parametrize("line", ["RUN=srun\n$RUN python x", "exec /bin/srun", "(srun)"])
def test_srun_is_named_at_every_word_boundary(line: str) -> None:
    """Fails when only a blank behind it makes srun a word."""
    assert any("srun" in str(note) for note in converted(body=line).notes if note.lost)


@pytest.mark.parametrize(
    ("lines", "image"),
    [
        (["srun --container-image=nvcr.io#nvidia/pytorch:1 python x"], "nvcr.io/nvidia/pytorch:1"),
        (["IMG=a/b:2", 'srun --container-image="$IMG" python x'], "a/b:2"),
        (["srun --container-image ./x.sqsh python x"], None),
        (["srun --container-image=$1 python x"], None),
    ],
)
def test_the_image_of_a_step_is_the_image_of_the_job(lines: list[str], image: str | None) -> None:
    """Fails when the option of pyxis is dropped with the others."""
    script = converted(body="\n".join(lines), image=None)
    assert script.spec.get("image") == image
    assert (image is None) is any("--image" in note.why for note in script.notes)


@pytest.mark.parametrize("extra", ["--exclusive", ""])
def test_a_job_alone_on_its_nodes_has_the_default_cores(extra: str) -> None:
    """Fails when eight tasks request eight cores although the job has the node exclusively."""
    found = spec("--ntasks-per-node=8 --gpus-per-node=8", extra)
    assert found.get("cpu") == (None if extra else 8)


TORCHRUN = """\
set -euo pipefail
export NCCL_DEBUG=INFO
nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=29500
CONFIG=configs/7b.yaml
echo "head is $MASTER_ADDR"
ARGS=(
  --config $CONFIG   # the small one
)
srun torchrun \\
  --nnodes=$SLURM_NNODES --nproc_per_node $SLURM_GPUS_ON_NODE --max-restarts=3 \\
  --rdzv_id $SLURM_JOB_ID --rdzv_backend c10d --rdzv_endpoint "$MASTER_ADDR:$MASTER_PORT" \\
  train.py "${ARGS[@]}" --lr 3e-4
"""


def test_torchrun_under_srun_becomes_the_launcher() -> None:
    """Fails when the address of the first node is read from scontrol, which no image has."""
    script = converted("-N 4 --gpus-per-node=h100:8", body=TORCHRUN)
    assert script.spec == {
        "image": "x",
        "workers": 4,
        "gpu": "H100:8",
        "launcher": "torchrun",
        "run": "--max-restarts=3 train.py --config $CONFIG --lr 3e-4",
        "env": {"NCCL_DEBUG": "INFO", "CONFIG": "configs/7b.yaml"},
    }
    assert not script.lost


@pytest.mark.parametrize(
    "change",
    [
        ("--lr 3e-4", "--rank $SLURM_PROCID"),
        ("NCCL_DEBUG=INFO", "DATA=$SCRATCH/data"),
        ("--nproc_per_node $SLURM_GPUS_ON_NODE", "--nproc_per_node=4"),
        ("train.py", "train.py | tee log #"),
        ('echo "head', 'python prepare.py "'),
    ],
)
def test_a_script_that_needs_more_than_torchrun_stays_a_script(change: tuple[str, str]) -> None:
    """Fails when a command or a value is lost on the way to the launcher."""
    script = converted("-N 4 --gpus-per-node=h100:8", body=TORCHRUN.replace(*change))
    assert "launcher" not in script.spec
    assert script.lost
