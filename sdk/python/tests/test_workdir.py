"""Packing and upload of `--workdir`."""

from __future__ import annotations

import io
import json
import os
import tarfile
from pathlib import Path

import pytest
import respx
from documents import job

from fairlead._workdir import WorkdirError, pack
from fairlead.cli.main import main


def write(root: Path, name: str, content: str = "x") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def names(root: Path) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(pack(root).content), mode="r:gz") as archive:
        return archive.getnames()


def test_the_same_content_has_the_same_digest(tmp_path: Path) -> None:
    """Fails when times, owners or the order of a directory reach the archive."""
    for copy, order in (("one", ["a", "b/c", "d"]), ("two", ["d", "b/c", "a"])):
        for name in order:
            write(tmp_path / copy, name, name)
    os.utime(tmp_path / "two" / "a", (1, 1))
    assert pack(tmp_path / "one") == pack(tmp_path / "two")
    write(tmp_path / "two", "a", "other")
    assert pack(tmp_path / "one").digest != pack(tmp_path / "two").digest


def test_a_program_stays_executable(tmp_path: Path) -> None:
    write(tmp_path, "run.sh")
    (tmp_path / "run.sh").chmod(0o700)
    with tarfile.open(fileobj=io.BytesIO(pack(tmp_path).content)) as archive:
        assert archive.getmember("run.sh").mode == 0o755


@pytest.mark.parametrize(
    ("rules", "left_out"),
    [
        ("*.log", {"a.log", "deep/b.log"}),
        ("/a.log", {"a.log"}),
        ("deep/", {"deep/b.log", "deep/keep.py", "deep/data/x"}),
        ("deep/data", {"deep/data/x"}),
        ("**/data", {"deep/data/x"}),
        ("deep/**", {"deep/b.log", "deep/keep.py", "deep/data/x"}),
        ("*.log\n!a.log", {"deep/b.log"}),
        ("[ab].log", {"a.log", "deep/b.log"}),
        ("[!a].log", {"deep/b.log"}),
        ("?.log", {"a.log", "deep/b.log"}),
        ("# a.log\n\n", set()),
        ("main.py/", set()),
    ],
)
def test_files_that_gitignore_excludes_are_left_out(
    tmp_path: Path, rules: str, left_out: set[str]
) -> None:
    everything = {"main.py", "a.log", "deep/b.log", "deep/keep.py", "deep/data/x"}
    for name in (*everything, ".git/config"):
        write(tmp_path, name)
    write(tmp_path, ".gitignore", rules)
    assert set(names(tmp_path)) == {*everything, ".gitignore"} - left_out


def test_a_gitignore_applies_below_its_directory(tmp_path: Path) -> None:
    for name in ("a.log", "deep/a.log", "deep/b"):
        write(tmp_path, name)
    write(tmp_path, "deep/.gitignore", "/a.log")
    assert names(tmp_path) == ["a.log", "deep/.gitignore", "deep/b"]


@pytest.mark.parametrize("target", ["../secret", "/etc/passwd", "deep/../../secret"])
def test_a_link_that_leaves_the_directory_is_refused(tmp_path: Path, target: str) -> None:
    write(tmp_path, "code/deep/a")
    write(tmp_path, "secret")
    (tmp_path / "code" / "link").symlink_to(target)
    with pytest.raises(WorkdirError, match="the link link leaves the directory"):
        pack(tmp_path / "code")


@pytest.mark.parametrize("target", ["up/../secret", "here/up/../secret", "first"])
def test_a_chain_of_links_that_leaves_the_directory_is_refused(tmp_path: Path, target: str) -> None:
    write(tmp_path, "code/deep/a")
    write(tmp_path, "secret")
    for name, to in (
        ("up", "deep/.."),
        ("here", "."),
        ("first", "second"),
        ("second", "../secret"),
    ):
        (tmp_path / "code" / name).symlink_to(to)
    (tmp_path / "code" / "a").symlink_to(target)
    with pytest.raises(WorkdirError, match="the link a leaves the directory"):
        pack(tmp_path / "code")


def test_a_link_inside_the_directory_stays_a_link(tmp_path: Path) -> None:
    write(tmp_path, "deep/a")
    (tmp_path / "link").symlink_to("deep/a")
    with tarfile.open(fileobj=io.BytesIO(pack(tmp_path).content)) as archive:
        assert archive.getmember("link").linkname == "deep/a"


def test_a_large_directory_is_refused_with_its_largest_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairlead._workdir.LARGEST", 50_000)
    write(tmp_path, "main.py")
    (tmp_path / "weights.bin").write_bytes(os.urandom(60_000))
    with pytest.raises(
        WorkdirError, match=r"largest files are weights\.bin \(0\.1 MiB\), main\.py"
    ):
        pack(tmp_path)


@pytest.mark.usefixtures("feasible")
def test_run_uploads_the_directory_once_and_names_its_digest(
    api: respx.MockRouter, tmp_path: Path
) -> None:
    write(tmp_path, "train.py", "print(1)")
    digest = pack(tmp_path).digest
    answer = {"digest": digest, "bytes": 9, "createdAt": "2026-03-01T12:00:00Z"}
    there = api.get(f"/projects/default/workdirs/{digest}").respond(404, json={"code": "NOT_FOUND"})
    uploads = api.put(f"/projects/default/workdirs/{digest}").respond(200, json=answer)
    submits = api.post("/projects/default/jobs").respond(201, json=job())
    words = ["run", "-y", "-i", "x", "-d", "--workdir", str(tmp_path), "--", "python", "train.py"]

    assert main(words) == 0
    assert uploads.calls.last.request.content == pack(tmp_path).content
    assert json.loads(submits.calls.last.request.content)["workdir"] == {"digest": digest}

    there.respond(200, json=answer)
    assert main(words) == 0
    assert uploads.call_count == 1


@pytest.mark.usefixtures("feasible")
def test_run_submits_its_setup_commands_in_their_order(api: respx.MockRouter) -> None:
    submits = api.post("/projects/default/jobs").respond(201, json=job())
    setup = ["--setup", "pip install .", "--setup", "make data"]

    assert main(["run", "-y", "-i", "x", "-d", *setup, "--", "python", "train.py"]) == 0
    assert json.loads(submits.calls.last.request.content)["setup"] == ["pip install .", "make data"]

    assert main(["run", "-y", "-i", "x", "-d", "--", "python", "train.py"]) == 0
    assert "setup" not in json.loads(submits.calls.last.request.content)


@pytest.mark.usefixtures("feasible")
def test_a_dry_run_uploads_nothing(api: respx.MockRouter, tmp_path: Path) -> None:
    write(tmp_path, "train.py")
    words = ["run", "-i", "x", "--dry-run", "--workdir", str(tmp_path), "--", "python", "train.py"]
    assert main(words) == 0
    assert all(call.request.url.path.endswith("plan") for call in api.calls)
