"""Shells and connections of OpenSSH, in a service of this process that runs their commands here."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from documents import JOB_ID, job, page
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

from fairlead.cli.session import UsageProblem
from fairlead.cli.ssh import entry, found_key, public_key

MAIN = "import sys; from fairlead.cli.main import main; sys.exit(main())"


class Member:
    """Answers reads of a running job, and runs the command of each session in a directory."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self.words: list[list[str]] = []
        protocols = [Subprotocol("v5.channel.k8s.io")]
        self.server = serve(
            self.session, "127.0.0.1", 0, subprotocols=protocols, process_request=self.read
        )
        self.url = f"http://127.0.0.1:{self.server.socket.getsockname()[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def read(self, _: ServerConnection, request: Request) -> Response | None:
        if "/exec" in request.path:
            return None
        one = job(state="RUNNING", pending=None, name="eda")
        found = one if request.path.startswith(f"/api/v1/jobs/{JOB_ID}") else page(one)
        headers = Headers({"Content-Type": "application/json", "Connection": "close"})
        return Response(200, "OK", headers, json.dumps(found).encode())

    def session(self, connection: ServerConnection) -> None:
        assert connection.request
        words = json.loads(base64.urlsafe_b64decode(connection.request.headers["Fairlead-Command"]))
        self.words.append(words)
        pipe = subprocess.PIPE
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=self.env) as process:
            assert process.stdout
            assert process.stderr
            copies = [
                threading.Thread(target=self.copy, args=(connection, channel, file.fileno()))
                for channel, file in ((1, process.stdout), (2, process.stderr))
            ]
            for one in copies:
                one.start()
            threading.Thread(target=self.feed, args=(connection, process), daemon=True).start()
            for one in copies:
                one.join()
            code = process.wait()
        status: dict[str, Any] = {"status": "Success"}
        if code:
            causes = [{"reason": "ExitCode", "message": str(code)}]
            status = {"status": "Failure", "details": {"causes": causes}}
        connection.send(b"\x03" + json.dumps(status).encode())
        connection.close(1000)

    @staticmethod
    def copy(connection: ServerConnection, channel: int, file: int) -> None:
        while data := os.read(file, 32768):
            connection.send(bytes([channel]) + data)

    @staticmethod
    def feed(connection: ServerConnection, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        for frame in connection:
            assert isinstance(frame, bytes)
            if frame[0] == 0:
                process.stdin.write(frame[1:])
                process.stdin.flush()
            elif frame[0] == 255:
                process.stdin.close()
                return


@pytest.fixture
def member(tmp_path: Path) -> Iterator[Member]:
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "TMPDIR": str(tmp_path),
        "HOME": str(tmp_path),
    }
    running = Member(env | {"SESSION_FOLDER": str(tmp_path)})
    yield running
    running.server.shutdown()


def fairlead(member: Member, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    env = os.environ | {"FAIRLEAD_URL": member.url, "FAIRLEAD_PROJECT": "default"}
    command = [sys.executable, "-c", MAIN, *words]
    return subprocess.run(
        command, input=given, capture_output=True, env=env, timeout=60, check=False
    )


def test_shell_starts_in_the_session_folder_and_returns_its_exit_code(
    member: Member, tmp_path: Path
) -> None:
    shell = fairlead(member, "job", "ssh", "eda", given=b"pwd; exit 5\n")
    assert shell.stdout.decode().strip() == str(tmp_path)
    assert shell.returncode == 5


def test_a_command_is_a_line_of_a_shell_as_with_ssh(member: Member) -> None:
    shown = fairlead(
        member, "job", "ssh", "eda", "--", "echo", "$((40 + 2));", "cat", given=b"more"
    )
    assert shown.stdout == b"42\nmore"


def key(home: Path) -> Path:
    file = home / "id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    return file.with_suffix(".pub")


needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen")


@needs_ssh
def test_a_proxy_connects_to_a_server_that_admits_the_given_key_only(
    member: Member, tmp_path: Path
) -> None:
    """The server of the image is a script that prints its options and its input."""
    server = tmp_path / "sshd"
    server.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexec cat\n')
    server.chmod(0o755)
    public = key(tmp_path)
    for _ in range(2):  # the second connection finds the host key of the first
        shown = fairlead(
            member,
            "job",
            "ssh",
            "--proxy",
            "--key",
            str(public),
            "eda.fairlead",
            given=b"SSH-2.0-x",
        )
        assert shown.returncode == 0, shown.stderr
        assert shown.stdout.endswith(b"SSH-2.0-x")
    options = shown.stdout.decode().splitlines()
    assert options[0] == "-i"
    keys = next(one for one in options if one.startswith("AuthorizedKeysFile=")).partition("=")[2]
    assert Path(keys).read_text() == public.read_text()
    assert "PasswordAuthentication=no" in options
    host = Path(options[options.index("-h") + 1])
    assert host.stat().st_mode & 0o077 == 0


@needs_ssh
def test_an_image_without_a_server_is_reported(member: Member, tmp_path: Path) -> None:
    if Path("/usr/sbin/sshd").exists() or shutil.which("sshd"):
        pytest.skip("this machine has a server")
    shown = fairlead(member, "job", "ssh", "--proxy", "--key", str(key(tmp_path)), "eda")
    assert shown.returncode == 127
    assert b"install openssh-server" in shown.stderr


@needs_ssh
def test_a_directory_of_another_user_is_not_trusted(member: Member, tmp_path: Path) -> None:
    """The directory's owner could replace the authorized keys."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"fairlead-ssh-{os.getuid()}").symlink_to(elsewhere)
    shown = fairlead(member, "job", "ssh", "--proxy", "--key", str(key(tmp_path)), "eda")
    assert shown.returncode == 1
    assert b"belongs to another user" in shown.stderr
    assert not list(elsewhere.iterdir())


@needs_ssh
def test_the_entry_works_with_any_path_of_a_key(tmp_path: Path) -> None:
    home = tmp_path / "ann's 5% files"
    home.mkdir()
    public = key(home)
    config = tmp_path / "config"
    told = tmp_path / "told"
    config.write_text(entry(public).replace("fairlead job ssh", f"printf '%%s\\n' 3>&1 > {told}"))
    command = ["ssh", "-F", str(config), "eda.fairlead"]
    subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert told.read_text().splitlines() == ["--proxy", "--key", str(public), "--", "eda.fairlead"]
    parsed = subprocess.run(["ssh", "-G", *command[1:]], capture_output=True, check=True)
    identity = str(public.with_suffix("")).replace("%", "%%")
    assert f"identityfile {identity}\n" in parsed.stdout.decode()


def test_a_private_key_never_leaves_the_machine(tmp_path: Path) -> None:
    private = tmp_path / "id"
    private.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n")
    with pytest.raises(UsageProblem, match="not a public key"):
        public_key(private)
    with pytest.raises(UsageProblem, match="No such file"):
        public_key(tmp_path / "missing")


def test_a_missing_key_names_the_command_that_creates_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UsageProblem, match="ssh-keygen -t ed25519"):
        found_key(None)
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_rsa.pub").touch()
    assert found_key(None) == tmp_path / ".ssh" / "id_rsa.pub"
