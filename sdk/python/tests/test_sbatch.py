"""Conversion of Slurm scripts, and the options that are reported as unsupported."""

from __future__ import annotations

import os
import re
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT
from texts import noted

from fairlead.cli.convert import document
from fairlead.cli.main import main
from fairlead.cli.slurm import Script, convert
from fairlead.cli.slurm.resources import MODELS
from fairlead.cli.slurm.times import moment, time_limit

NOW = datetime(2026, 3, 1, 12, 30)


def converted(*options: str, body: str = "python train.py", image: str | None = "x") -> Script:
    lines = ["#!/bin/sh", *(f"#SBATCH {option}" for option in options), body, ""]
    return convert("\n".join(lines), image, NOW)


def spec(*options: str, body: str = "python train.py") -> dict[str, Any]:
    return converted(*options, body=body).spec


def notes(*options: str, body: str = "python train.py") -> list[str]:
    return [str(note) for note in converted(*options, body=body).notes]


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> str:
    """A local time as the job file has it."""
    local = datetime(year, month, day, hour, minute, second)
    return local.astimezone().isoformat(timespec="seconds")


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
        (["--time=00:10"], {"maxRuntime": "1m"}),  # Slurm rounds up to minutes
        (["-t 90:30"], {"maxRuntime": "91m"}),
        (["--gpus-per-node=a100:8", "--gpus=16"], {"workers": 2, "gpu": "A100:8"}),
        (["-N2", "--gpus-per-node=8", "--gpus=a100:16"], {"workers": 2, "gpu": "A100:8"}),
        (["--gres=gpu"], {"gpu": 1}),
        (["--gpus=a100"], {"gpu": "A100:1"}),
        (["--gres=gpu:h100"], {"gpu": "H100:1"}),
        (["--gres=gpu:a100_80g:2"], {"gpu": "A100-80GB:2"}),
        (["--gres=gpu:nvidia_a100-sxm4-80gb:2"], {"gpu": "A100-80GB:2"}),
        (["--gres=gpu:v100-16gb"], {"gpu": "V100-16GB:1"}),
        (["--gpus=h100_nvl:2"], {"gpu": "H100-94GB:2"}),
        (["--gres=gpu:a100_3g.20gb:1"], {"gpu": {"mig": "3g.20gb", "model": "A100"}}),
        (
            ["--gpus=nvidia_h100_80gb_hbm3_1g.10gb:2"],
            {"gpu": {"mig": {"profile": "1g.10gb", "count": 2}, "model": "H100"}},
        ),
        (["--gres=gpu:1g.10gb"], {"gpu": {"mig": "1g.10gb"}}),
        (["--gpus=1", "--gres=gpumem:20g"], {"gpu": {"count": 1, "minMemory": "20Gi"}}),
        (["--gpus=4", "-C a100|h100"], {"gpu": {"count": 4, "model": ["A100", "H100"]}}),
        (["--gres=none"], {}),
        (["--time=UNLIMITED"], {}),
        (["--ntasks-per-node=64"], {"cpu": 64}),
        (["--ntasks=128", "--ntasks-per-node=64"], {"workers": 2, "cpu": 64}),
        (["--ntasks-per-node=4", "-c 12"], {"cpu": 48}),
        (["--gpus=4", "--gpus-per-task=1"], {"gpu": 4, "cpu": 4}),
        (["--mem-per-cpu=2G", "-c 16"], {"cpu": 16, "memory": "32Gi"}),
        (["--mem-per-cpu=2G", "--ntasks-per-node=8"], {"cpu": 8, "memory": "16Gi"}),
        (["--mem-per-cpu=4000"], {"cpu": 1, "memory": "4000Mi"}),
        (["--gpus-per-node=8", "--mem-per-gpu=64G"], {"gpu": 8, "memory": "512Gi"}),
        (["--gpus-per-node=8", "--cpus-per-gpu=12"], {"gpu": 8, "cpu": 96}),
        (["--no-requeue"], {"retry": {"maxAttempts": 1}}),
        (["--requeue"], {}),
        (["--export=NONE,A=1,B=x"], {"env": {"A": "1", "B": "x"}}),
        (["--begin=2026-04-01T06:00"], {"notBefore": at(2026, 4, 1, 6)}),
        (["-b 16:00"], {"notBefore": at(2026, 3, 1, 16)}),
        (["--begin=now"], {}),
        (["--deadline=2026-04-01"], {"deadline": at(2026, 4, 1)}),
        (["--container-image=nvcr.io#nvidia/pytorch:24.05-py3"], {}),
        (["--qos=high"], {"priorityClass": "high"}),
        (["--licenses=ansys"], {"licences": {"ansys": 1}}),
        (["-L ansys:2,matlab"], {"licences": {"ansys": 2, "matlab": 1}}),
        (["--licenses=ansys:2,ansys:3"], {"licences": {"ansys": 5}}),
        (["-L nastran@slurmdb:12"], {"licences": {"nastran": 12}}),
        (["-L MATLAB_Toolbox:2"], {"licences": {"matlab-toolbox": 2}}),
        (
            ["--dependency=afterok:job_a"],
            {"dependsOn": [{"job": "job_a", "condition": "SUCCEEDED"}]},
        ),
        (
            ["--dependency=afternotok:job_a"],
            {"dependsOn": [{"job": "job_a", "condition": "FAILED"}]},
        ),
        (
            ["--dependency=aftercorr:job_a"],
            {"dependsOn": [{"job": "job_a", "condition": "SUCCEEDED", "perElement": True}]},
        ),
    ],
)
def test_an_option_becomes_its_field(options: list[str], expected: dict[str, Any]) -> None:
    """Fails for each line that is dropped, changed, or called lost without being so."""
    script = converted(*options, body="srun python train.py")
    assert script.spec == {"image": "x", "run": "python train.py\n", **expected}
    lost = [note.why for note in script.notes if note.lost]
    assert all("one process is started on each node" in why for why in lost)


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("--mail-type=END", "line 2: --mail-type=END: no mail is sent"),
        ("--wait", "line 2: --wait: use the option at the submit: fairlead submit --wait"),
        ("-W", "line 2: --wait: use the option at the submit"),
        (
            "--begin=someday",
            "line 2: --begin=someday: time not recognized; set notBefore",
        ),
        (
            "--deadline=later",
            "line 2: --deadline=later: time not recognized; set deadline",
        ),
        ("--mem-per-gpu=8G", "line 2: --mem-per-gpu=8G: there are no GPUs; set memory"),
        ("--cpus-per-gpu=8", "line 2: --cpus-per-gpu=8: there are no GPUs"),
        ("-c 4 --mem=1G --mem-per-cpu=1G", "--mem-per-cpu=1G: another option already sets it"),
        ("--gres=gpu:2,nvme:1", "line 2: --gres=gpu:2,nvme:1: nvme:1 cannot be requested"),
        ("--gpus=h100:4,a100:2", "line 2: --gpus=h100:4,a100:2: is not gpu:MODEL:NUMBER"),
        ("--gpus=rtx_4090:4", "line 2: --gpus=rtx_4090:4: rtx_4090 is not a known model"),
        ("--gres=gpu:tesla_v100-sxm2-32gb:1", "write gpu: V100-32GB:NUMBER for 32 GB alone"),
        ("--gres=gpu:a100_9g.99gb:1", "a100_9g.99gb is not a known model"),
        ("--gres=gpumem:20480", "line 2: --gres=gpumem:20480: is the memory of a GPU"),
        ("-p gpu_short,gpu_long", "--partition=gpu_short,gpu_long: a job waits in one queue"),
        ("-p gpu_short", "--partition=gpu_short: a queue is named by a-z"),
        (
            "--reservation=x",
            "line 2: --reservation=x: all jobs of its project use an advance reservation",
        ),
        ("--exclusive", "line 2: --exclusive: a job cannot request a whole node"),
        ("-N2 --gpus=3", "3 GPUs are not divisible by 2 nodes; using 2 per node"),
        ("-N3 --ntasks=8", "line 2: --ntasks=8: tasks are not divisible by nodes; set workers"),
        (
            "-N2 --gpus-per-node=8 --gpus=8",
            "--gpus=8: --gpus-per-node requests 8 on each of 2 nodes",
        ),
        (
            "--export=ALL,A=1",
            "line 2: --export=ALL,A=1: ALL: the job does not inherit the environment of this shell",
        ),
        ("--gpus-per-socket=4", "line 2: --gpus-per-socket=4: write gpu"),
        ("--hold", "line 2: --hold: suspend it after the submit: fairlead suspend"),
        ("--output=out.%j", "line 2: --output=out.%j: Fairlead stores the output"),
        (
            "--dependency=afterok:123",
            "line 2: --dependency=afterok:123: refers to a Slurm job",
        ),
        ("--qos=gold", "line 2: --qos=gold: priority classes are"),
        ("--constraint=ib", "line 2: --constraint=ib: features are not supported"),
        (
            "-C zen3 --gres=gpu:2",
            "line 2: --constraint=zen3: features are not supported; set gpu: MODEL",
        ),
        ("-C avx512 --gres=gpu:2", "line 2: --constraint=avx512: features are not supported"),
        ("-L a:1|b:2", "line 2: --licenses=a:1|b:2: alternatives are not supported; set lic"),
        ("-L ansys:two", "line 2: --licenses=ansys:two: is not a list of NAME:COUNT; set licences"),
        ("-L ansys,", "line 2: --licenses=ansys,: is not a list of NAME:COUNT"),
        (
            "-L ansys:0",
            "line 2: --licenses=ansys:0: a job has 1 to 1000000 of a licence",
        ),
        (
            "-L a@x,a@y",
            "line 2: --licenses=a@x,a@y: a@x and a@y map to the same name a; set licences",
        ),
        ("--nodes=many", "line 2: --nodes=many: is not a number of nodes"),
        ("--array=1,x", "line 2: --array=1,x: is not a list of indices"),
        ("--mem=0", "line 2: --mem=0: all memory of a node"),
        ("--time=tomorrow", "line 2: --time=tomorrow: is not a time"),
        ("--ntasks-per-node=8", "line 2: --ntasks-per-node=8: one process is started on each node"),
        ("--frobnicate=7", "line 2: --frobnicate=7: has no counterpart"),
        ("--comment='half", "No closing quotation"),
    ],
)
def test_untranslated_line_is_named(option: str, why: str) -> None:
    assert any(why in str(note) for note in converted(option).notes if note.lost), notes(option)


def test_renamed_licence_is_named_and_nothing_is_lost() -> None:
    """Fails when no note names the server of the licence or its changed letters."""
    (note,) = converted("-L nastran@slurmdb:12,ansys,MATLAB_Toolbox").notes
    assert "without a server: nastran, matlab-toolbox" in str(note)
    assert not note.lost


@pytest.mark.parametrize(
    ("feature", "gpu"), [("zen3", 2), ("a100", "A100:2"), ("H100-94gb", "H100-94GB:2")]
)
def test_a_feature_is_a_model_when_a_gpu_has_that_name(feature: str, gpu: object) -> None:
    """Fails when each word with a number counts as a GPU: the job can never start."""
    assert spec(f"-C {feature} --gres=gpu:2")["gpu"] == gpu


def test_models_are_those_that_the_service_knows() -> None:
    catalogue = ROOT / "domain/src/main/resources/gpu-models.csv"
    lines = catalogue.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line and not line.startswith("#")][1:]
    known = {row.split(",")[0] for row in rows}
    assert known | {re.sub(r"-\d+GB$", "", name) for name in known} == MODELS


def test_one_line_accepts_several_options_and_a_comment() -> None:
    found = spec("-N 2 --mem=1G -c 4 # enough")
    assert (found["workers"], found["memory"], found["cpu"]) == (2, "1Gi", 4)


def test_options_behind_the_first_command_do_not_count() -> None:
    script = convert("#!/bin/sh\ntrue\n#SBATCH -N 4\n")
    assert "workers" not in script.spec
    assert [str(note) for note in script.notes] == [
        "line 3: #SBATCH -N 4: follows a command, so Slurm ignores it too"
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


@pytest.mark.parametrize("indices", ["1,3,7-9", "0-3"])
def test_a_program_that_reads_the_index_itself_has_it(indices: str) -> None:
    """Fails when the variable is set only where the script's text names it."""
    run = spec(f"--array={indices}", body="python train.py")["run"]
    assert run.startswith("export SLURM_ARRAY_TASK_ID=$")
    assert spec(f"--array={indices}")["array"] == ("0-4" if "," in indices else "0-3")


def test_a_list_of_indices_is_counted_through() -> None:
    run = spec("--array=1,3,7-9", body="true")["run"]
    assert "$(set -- 1 3 7 8 9; shift $FAIRLEAD_ARRAY_INDEX; echo $1)" in run


@pytest.mark.parametrize(
    ("line", "left", "named"),
    [
        ("  srun python train.py", "  python train.py", None),
        ("srun \\\n  python x \\\n  --y", "python x \\", None),
        ("srun --mpi=pmix \\\n  -n 4 python x", "python x", "srun --mpi=pmix -n 4: opt"),
        ("srun --mpi=pmix python train.py", "python train.py", "srun --mpi=pmix: options of srun"),
        (
            "srun -n 4 -N2 --cpu-bind none python x",
            "python x",
            "srun -n 4 -N2 --cpu-bind none: opt",
        ),
        ("IP=$(srun -N1 -n1 hostname -i)", None, "srun inside a command is not converted"),
        ("true && srun hostname", None, "srun inside a command is not converted"),
        ("for i in 1 2; do srun hostname; done", None, "srun inside a command is not converted"),
        ("srun a | srun b", "a | srun b", "srun inside a command is not converted"),
        ("# srun is gone", None, None),
        ("./my-srun x", None, None),
    ],
)
def test_srun_is_removed_at_line_start_and_named_elsewhere(
    line: str, left: str | None, named: str | None
) -> None:
    """Fails when srun within a command is left in the script without a message."""
    script = converted("-N 2", body=f"set -e\n{line}\ntrue")
    assert script.spec["run"].splitlines()[1] == (left if left is not None else line)
    assert any(named in str(note) for note in script.notes) if named else True
    assert script.lost is (named is not None or line.startswith("./"))


@pytest.mark.parametrize("interpreter", ["/usr/bin/env python3", "/usr/bin/perl -w", "/bin/tcsh"])
def test_a_script_for_another_program_is_given_to_it_untouched(interpreter: str) -> None:
    """Fails when shell lines are inserted before it."""
    text = f"#!{interpreter}\n#SBATCH --array=1-4\nprint('SLURM_ARRAY_TASK_ID')\n"
    run = convert(text, "x").spec["run"]
    assert run.splitlines() == [
        "export SLURM_ARRAY_TASK_ID=$((FAIRLEAD_ARRAY_INDEX + 1))",
        "cat > \"${TMPDIR:-/tmp}/sbatch-script\" <<'END_OF_SBATCH_SCRIPT'",
        "print('SLURM_ARRAY_TASK_ID')",
        "END_OF_SBATCH_SCRIPT",
        f'exec {interpreter} "${{TMPDIR:-/tmp}}/sbatch-script"',
    ]


def test_a_python_script_runs_and_has_its_index(tmp_path: Path) -> None:
    """Fails when Python receives shell syntax."""
    text = (
        "#!/usr/bin/env python3\n#SBATCH --array=5-9\n"
        "import os\nprint(os.environ['SLURM_ARRAY_TASK_ID'], 'it\\'s')\n"
    )
    run = convert(text, "x").spec["run"]
    environment = {**os.environ, "FAIRLEAD_ARRAY_INDEX": "2", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        ["/bin/sh", "-c", run], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "7 it's\n"


@pytest.mark.parametrize(
    ("named", "image"),
    [
        ("nvcr.io#nvidia/pytorch:24.05-py3", "nvcr.io/nvidia/pytorch:24.05-py3"),
        ("docker://nvcr.io#nvidia/pytorch:24.05-py3 # newest", "nvcr.io/nvidia/pytorch:24.05-py3"),
        ("ubuntu:24.04", "ubuntu:24.04"),
        ("/images/torch.sqsh", None),
    ],
)
def test_the_image_of_a_container_is_the_image(named: str, image: str | None) -> None:
    """Fails when a # within a word begins a remark."""
    script = converted(f"--container-image={named}", image=None)
    assert script.spec.get("image") == image
    assert script.lost is (image is None)


@pytest.mark.parametrize("word", ["hetjob", "packjob"])
def test_heterogeneous_job_translates_its_first_component_and_names_the_other(word: str) -> None:
    """Fails when the second component overwrites the first."""
    script = converted("--gpus-per-node=h100:8 -N2", word, "--nodes=1 --mem=4G")
    assert (script.spec["gpu"], script.spec["workers"]) == ("H100:8", 2)
    assert "memory" not in script.spec
    assert [(note.line, note.why) for note in script.notes if note.lost][:2] == [
        (3, "only the first component is converted. Write the others as roles"),
        (4, "belongs to component 2. Write roles"),
    ]


def test_a_job_that_grows_is_said_to_do_so() -> None:
    script = converted("--nodes=2-6", body="srun true")
    assert [str(note) for note in script.notes] == [
        "line 2: --nodes=2-6: grows and shrinks from 2 to 6 workers"
    ]
    assert not script.lost


@pytest.mark.parametrize("name", ["SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS"])
def test_elastic_job_has_no_fixed_node_count_in_its_script(name: str) -> None:
    """Fails when the maximum number is exported: with fewer workers the program waits for others."""
    script = converted("--nodes=2-6", body=f"srun python train.py ${name}")
    assert "export" not in script.spec["run"]
    assert f"line 3: {name}: is not set by Fairlead" in map(str, script.notes)
    assert "export" in spec("--nodes=6", body=f"srun python train.py ${name}")["run"]


def test_single_node_command_is_named_at_its_line() -> None:
    script = converted("-N 2", body="module load x\nexport A=1\nB=2\nmpirun ./a.out")
    assert (script.notes[-1].line, script.notes[-1].text) == (6, "mpirun ./a.out")


SCRIPT = """\
set -euo pipefail
module load cuda
export MASTER_PORT=29500   # python finds it
NODES=$(head -1 nodes) ARGS=(
  --epochs 1   # don't overdo it
)
cd run || exit 1
echo "started; python follows" >&2
mkdir -p out && date && nvidia-smi -L; hostname
if [[ -n $NODES && $1 == 2 ]]; then echo two; fi
for i in 1 2; do echo $i | tee log; done
case "$1" in
  a|b) true ;;
esac
cat > train.cfg <<'EOF'
python train.py
EOF
command -v nvcc > /dev/null && sed 's/a/b/' log | sed -n 1p
find . -name '*.pt' | head
conda activate x
stop() {
  kill $1
}
srun \\
  python train.py \\
  "${ARGS[@]}" | tee log &
srun python -c "
import os
"
stop $!
wait
"""


def started(body: str) -> list[tuple[int, str]]:
    """Lines reported as running on every worker."""
    found = converted("-N 2", body=body).notes
    return [(n.line, n.text) for n in found if n.lost and "on every worker" in n.why]


def test_setup_and_read_only_commands_are_harmless_on_every_worker() -> None:
    """Fails when the conversion of a script without losses ends with 3."""
    assert started(SCRIPT) == []


@pytest.mark.parametrize(
    "line",
    [
        "python prepare.py",
        "python prepare.py \\\n  --all",
        "OMP_NUM_THREADS=4 ./a.out > log 2>&1 &",
        "time mpirun -np 4 ./a.out",
        "[ -d data ] || cp -r /data .",
        "if true; then python prepare.py; fi",
        "(cd data && make)",
        "nohup $PROGRAM",
        "python <<EOF\nprint()\nEOF",
        'python -c "\nprint()\n"',
        "echo a | python count.py",
        "srun true && python count.py",
        "command python prepare.py",
        "conda install numpy",
        "sed -i s/a/b/ train.cfg",
        "/bin/sed -ni.bak p train.cfg",
        "find . -name '*.tmp' -delete",
        "find . -type f -exec touch {} +",
    ],
)
def test_launch_without_srun_is_named_at_its_line(line: str) -> None:
    """Fails when one srun in the script hides the others, or when a job of one worker gets the warning."""
    text = line.split("\n", 1)[0]
    assert started(f"{SCRIPT}{line}\n") == [(SCRIPT.count("\n") + 3, text)]
    assert not converted(body=line).lost


@pytest.mark.parametrize("line", ["X=$((1<<4))", "((X = 1 << N))", 'echo "a << b"', "cat <<EOF"])
def test_false_here_document_hides_no_line(line: str) -> None:
    """Fails when the rest of the script is skipped, up to a missing end marker."""
    assert started(f"srun true\n{line}\nmake\n") == [(5, "make")]
    assert started(f"srun true\n{line}\nmake\nN\n4\n")[0] == (5, "make")


@pytest.mark.parametrize(
    ("interpreter", "run"),
    [
        ("/usr/bin/env bash", ["/usr/bin/env", "bash", "-c", "srun"]),
        ("/usr/bin/env -S bash -e", ["/usr/bin/env", "-S", "bash", "-e", "-c", "srun"]),
        ("/usr/bin/env -S LANG=C bash", ["/usr/bin/env", "-S", "LANG=C", "bash", "-c", "srun"]),
    ],
)
def test_a_shell_behind_env_is_one(interpreter: str, run: list[str]) -> None:
    """Fails when such a script counts as one of another program: it would retain srun."""
    script = convert(f"#!{interpreter}\n#SBATCH -N 2\nsrun python train.py\nmake\n", "x")
    assert script.spec["run"] == [*run[:-1], "python train.py\nmake\n"]
    assert [(note.line, note.text) for note in script.notes] == [(4, "make")]


@pytest.mark.parametrize(("nodes", "lost"), [(1, False), (2, True)])
def test_a_script_of_another_program_is_said_to_run_on_every_worker(nodes: int, lost: bool) -> None:
    """Fails when a command for one node runs on each node without a message."""
    script = convert(f"#!/usr/bin/env python3\n#SBATCH -N {nodes}\nprint()\n", "x")
    assert script.lost is lost
    assert [str(note) for note in script.notes] == [
        "line 1: #!/usr/bin/env python3: Slurm runs it on the first node, Fairlead on every worker"
    ] * lost


@pytest.mark.parametrize(
    ("option", "code"), [("--time=1:00:00", 0), ("--job-name=A_b", 0), ("--mail-type=END", 3)]
)
def test_the_exit_code_is_3_when_something_was_lost(tmp_path: Path, option: str, code: int) -> None:
    (tmp_path / "a.sbatch").write_text(f"#!/bin/sh\n#SBATCH {option}\ntrue\n")
    assert main(["job", "convert", "sbatch", str(tmp_path / "a.sbatch"), "--image", "x"]) == code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-04-01", (2026, 4, 1)),
        ("2026-04-01T06:30:15", (2026, 4, 1, 6, 30, 15)),
        ("04/01/26", (2026, 4, 1)),
        ("13:00", (2026, 3, 1, 13)),
        ("12:00", (2026, 3, 2, 12)),
        ("noon", (2026, 3, 2, 12)),
        ("teatime", (2026, 3, 1, 16)),
        ("today", (2026, 3, 1)),
        ("tomorrow", (2026, 3, 2)),
        ("now+90", (2026, 3, 1, 12, 31, 30)),
        ("now+2hours", (2026, 3, 1, 14, 30)),
        ("now+1week", (2026, 3, 8, 12, 30)),
        ("now+1fortnight", None),
        ("2026-04-01Tnever", None),
        ("", None),
    ],
)
def test_times_are_parsed_like_slurm(text: str, expected: tuple[int, ...] | None) -> None:
    found = moment(text, NOW)
    assert (found and found.astimezone().isoformat()) == (at(*expected) if expected else None)


def test_other_commands_of_slurm_are_named() -> None:
    """Fails when a script continues with scontrol without a warning."""
    body = "# scontrol show\nM=$(scontrol show hostnames x | head -1)\nsbatch next.sh\n./scontrol x"
    assert [(n.line, n.text) for n in converted(body=body).notes] == [
        (3, "scontrol"),
        (4, "sbatch"),
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


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("#PBS -l nodes=2", "is a directive of PBS"),
        ("#BSUB -n 4", "is a directive of LSF"),
        ("#$ -pe smp 4", "is a directive of Grid Engine"),
        ("#SBATCH --gpus", "has no value"),
        ("apptainer exec train.sif python x.py", "the job runs in its image"),
        ("docker run train python x.py", "the job runs in its image"),
        ("cp data $SCRATCH/x", "SCRATCH: is not set in an image"),
        ("cp data ${WORK}/x", "WORK: is not set in an image"),
        ("accelerate launch --main_process_ip $MASTER_ADDR t.py", "MASTER_ADDR: is not set"),
    ],
)
def test_a_line_without_an_equivalent_is_never_silent(line: str, why: str) -> None:
    script = convert(f"#!/bin/sh\n{line}\npython train.py\n", "x", NOW)
    assert script.lost
    assert any(why in str(note) and note.line == 2 for note in script.notes)


def test_variable_set_by_the_script_or_with_a_default_is_not_named() -> None:
    body = "export SCRATCH=/x\ncp a $SCRATCH/b ${WORK:-/y}\npython train.py"
    assert notes(body=body) == []


def test_a_byte_order_mark_does_not_hide_the_directives() -> None:
    script = convert("\ufeff#SBATCH --gpus=2\npython x.py\n", "x", NOW)
    assert script.spec["gpu"] == 2


def test_a_script_of_another_system_is_refused_by_submit_with_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "job.sh"
    file.write_text("#!/bin/bash\n#PBS -l nodes=2\npython x.py\n", encoding="utf-8")
    assert main(["submit", str(file)]) == 2
    err = capsys.readouterr().err
    assert "a batch script of PBS" in err
    assert "convert sbatch" not in err


@pytest.mark.parametrize(
    ("verb", "meant"),
    [("status", "ps"), ("kill", "cancel"), ("down", "cancel"), ("jobs", "ps"), ("help", "--help")],
)
def test_a_command_of_another_tool_names_its_counterpart(
    verb: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb]) == 2
    assert f"Did you mean fairlead {meant}?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("pool ls", "pool list"),
        ("volume get v", "volume show"),
        ("secret show x", "secret get"),
        ("job schedule rm x", "job schedule delete"),
        ("token rm x", "token revoke"),
        ("node get n", "node list"),
        ("cluster get eu-1", "cluster list"),
        ("job list", "ps"),
        ("job get x", "get"),
        ("job stop x", "cancel"),
        ("convert sbatch x", "job convert"),
    ],
)
def test_a_verb_that_a_group_lacks_names_the_command_for_it(
    words: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    assert f"Did you mean fairlead {meant}?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("drain", "fairlead cluster drain or fairlead node drain"),
        ("campaigns", "fairlead node campaign"),
        ("policies", "fairlead job policy"),
        ("histroy", "fairlead job history"),
    ],
)
def test_a_command_of_a_group_is_found_without_its_group(
    word: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word]) == 2
    assert f"Did you mean {meant}" in capsys.readouterr().err


def test_a_group_without_a_counterpart_suggests_no_command_of_jobs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["config", "kill"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


def test_a_negative_amount_is_not_called_an_option_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["budget", "create", "a", "-5"]) == 2
    assert noted(capsys.readouterr().err, "sbatch.negative-number-value-here")


def test_a_range_of_workers_names_the_options_of_an_elastic_gang(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", "-w", "2-6", "--", "x"]) == 2
    assert "--workers 6 --min-workers 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("ssh node1 hostname", True),
        ("for h in a b; do ssh $h ./run; done", True),
        ("pdsh -w node[1-2] ./run", True),
        ("HOST=$(ssh node1 hostname)", True),
        ("git clone ssh://git@example.com/x.git", False),
        ("export GIT_SSH_COMMAND='ssh -i key'", False),
        ("mkdir -p ~/.ssh", False),
        ("# ssh node1 hostname", False),
    ],
)
def test_command_on_other_nodes_is_named(line: str, named: bool) -> None:
    found = [note for note in converted(body=line).notes if note.lost and "SSH server" in note.why]
    assert bool(found) is named
