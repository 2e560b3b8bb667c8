"""A shell in a running member, and connections of OpenSSH to it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from fairlead._session import execute
from fairlead.cli.output import emit
from fairlead.cli.session import UsageProblem, client, complete_job, session, verb
from fairlead.cli.sessions import ELEMENT, MEMBER, attach

app = typer.Typer()
SUFFIX = ".fairlead"
KEYS = ("id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub")
# starts in the directory of the session, with the environment of the member
SHELL = 'cd "${SESSION_FOLDER:-.}"; exec "${SHELL:-$(command -v bash || echo sh)}"'
# One connection of OpenSSH, over the input and output of this command, for the owner of a key
SERVER = """
set -eu
umask 077
here=${TMPDIR:-/tmp}/fairlead-ssh-$(id -u)
mkdir -p "$here"
if [ -L "$here" ] || ! [ -O "$here" ]; then
  echo "fairlead: $here belongs to another user of the member: remove it" >&2
  exit 1
fi
keys=$here/keys.$(printf '%s' "$1" | cksum | cut -d ' ' -f 1)
printf '%s\\n' "$1" > "$keys.$$"
mv "$keys.$$" "$keys"
server=$(command -v sshd || echo /usr/sbin/sshd)
if ! [ -x "$server" ] || ! command -v ssh-keygen > /dev/null
then
  echo "fairlead: the image has no OpenSSH server: install openssh-server in it" >&2
  exit 127
fi
if ! [ -e "$here/host" ]
then
  ssh-keygen -q -t ed25519 -N '' -f "$here/host.$$"
  mv -n "$here/host.$$" "$here/host"
fi
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
exec "$server" -i -e -f /dev/null -h "$here/host" -o "AuthorizedKeysFile=$keys" \\
  -o StrictModes=no -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no \\
  -o UsePAM=no -o LogLevel=ERROR -o "Subsystem=sftp internal-sftp" -o "SetEnv=PATH=\\"$PATH\\""
"""
CONFIG = """\
# The connection to the service proves which member answers, so its key needs no entry.
Host *.fairlead
  ProxyCommand fairlead job ssh --proxy --key {key} -- '%n'
  IdentityFile "{identity}"
  User root
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""


@verb(
    app,
    "job ssh",
    "Open a shell in a running member of a job",
    "fairlead job ssh eda",
    "fairlead job ssh eda -- nvidia-smi -l 5",
    "fairlead job ssh --config >> ~/.ssh/config && scp data.csv eda.fairlead:/files",
    more="Needs no credential of the cluster. With --proxy it is a ProxyCommand of ssh, scp, rsync "
    "and VS Code Remote, for images with an OpenSSH server.",
)
def ssh(
    context: typer.Context,
    job: Annotated[
        str | None,
        typer.Argument(
            metavar="[JOB]", help="Name, id, or a unique prefix.", autocompletion=complete_job
        ),
    ] = None,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]", help="After --. A line of a shell.")
    ] = None,
    proxy: Annotated[
        bool, typer.Option("--proxy", help="Connect input and output to an SSH server.")
    ] = False,
    config: Annotated[
        bool, typer.Option("--config", help="Print the entry for ~/.ssh/config.")
    ] = False,
    key: Annotated[
        Path | None,
        typer.Option(help="Authorized public key. Default: the first in ~/.ssh."),
    ] = None,
    member: MEMBER = None,
    element: ELEMENT = None,
) -> None:
    if config:
        public = found_key(key)
        public_key(public)
        emit(entry(public))
        return
    if job is None:
        raise UsageProblem("no job: fairlead job ssh JOB")
    if proxy and command:
        raise UsageProblem("--proxy runs an SSH server and takes no command")
    tty = not proxy and not command and sys.stdin.isatty()
    words = ["sh", "-c", " ".join(command) if command else SHELL]
    if proxy:
        words = ["sh", "-c", SERVER, "sh", public_key(found_key(key))]
    params = {"member": member, "element": element, "stdin": "true", "tty": "true" if tty else None}
    with client(context) as fl:
        found = fl.jobs.find(job.removesuffix(SUFFIX), project=session(context).project)
        code = attach(execute(fl, found.id, words, params), stdin=True, tty=tty)
    raise typer.Exit(code)


def entry(public: Path) -> str:
    """The entry for ~/.ssh/config. OpenSSH replaces words with %, and a shell runs the command."""
    key, identity = (str(file).replace("%", "%%") for file in (public, public.with_suffix("")))
    return CONFIG.format(key=shlex.quote(key), identity=identity)


def found_key(given: Path | None) -> Path:
    """The file of a public key."""
    if given is not None:
        return given.expanduser()
    home = Path.home() / ".ssh"
    for name in KEYS:
        if (home / name).is_file():
            return home / name
    raise UsageProblem(
        f"no public key in {home}: create one with ssh-keygen -t ed25519, or give --key"
    )


def public_key(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as wrong:
        raise UsageProblem(f"--key {file}: {getattr(wrong, 'strerror', 'no text')}") from None
    if "\n" in text or not text.startswith(("ssh-", "ecdsa-", "sk-")):
        raise UsageProblem(
            f"--key {file} is not a public key: it begins with ssh-ed25519 or ssh-rsa"
        )
    return text
