"""Commands in running members, and connections to their ports."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from fairlead import Fairlead, FairleadError
from fairlead._session import (
    ERRORS,
    INPUT,
    OUTPUT,
    RESULT,
    Session,
    execute,
    exit_code,
    forward,
)
from fairlead.cli.output import ClosedPipe, say
from fairlead.cli.session import JobName, UsageProblem, client, session, verb
from fairlead.cli.text import safe

app = typer.Typer()
PIECE = 32 * 1024
# exit code if the command did not start, or its result is unknown
NOT_RUN, BROKEN = 126, 8
MEMBER = Annotated[str | None, typer.Option(help="Role and index, such as worker-0.")]
ELEMENT = Annotated[int | None, typer.Option(min=0, help="Index in an array job.")]


@verb(
    app,
    "exec",
    "Run a command in a running member of a job",
    "fairlead exec llama-sft -- nvidia-smi",
    "fairlead exec -it llama-sft -- bash",
    "fairlead exec -i llama-sft --member worker-3 -- tar x -C /tmp < files.tar",
    more="The exit code is that of the command. Put -- before the command.",
)
def exec_(
    context: typer.Context,
    job: JobName,
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="After --.")],
    stdin: Annotated[bool, typer.Option("--stdin", "-i", help="Pass the input on.")] = False,
    tty: Annotated[bool, typer.Option("--tty", "-t", help="With a terminal.")] = False,
    member: MEMBER = None,
    container: Annotated[str | None, typer.Option(help="An init container or sidecar.")] = None,
    element: ELEMENT = None,
) -> None:
    if tty and not (stdin and sys.stdin.isatty()):
        raise UsageProblem("--tty needs --stdin and a terminal as input")
    params = {
        "member": member,
        "container": container,
        "element": element,
        "stdin": "true" if stdin else None,
        "tty": "true" if tty else None,
    }
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
        code = attach(execute(fl, found.id, command, params), stdin, tty)
    raise typer.Exit(code)


def attach(opened: Session, stdin: bool, tty: bool) -> int:
    """Connects the command with this process until it ends, and returns its exit code."""
    with contextlib.closing(opened), raw_terminal(opened) if tty else contextlib.nullcontext():
        if stdin:
            threading.Thread(target=pass_input, args=(opened, tty), daemon=True).start()
        code = pass_output(opened)
    if opened.reason:
        say(f"fairlead: the session has ended: {safe(opened.reason)}")
    return BROKEN if code is None else code


def pass_input(opened: Session, tty: bool) -> None:
    """A terminal has no end of input: its control characters reach the command."""
    try:
        while data := os.read(sys.stdin.fileno(), PIECE):
            if not opened.send(INPUT, data):
                return
    except OSError:
        return
    if not tty:
        opened.end_input()


def pass_output(opened: Session) -> int | None:
    """The exit code, None if the session ended without one."""
    code: int | None = None
    for channel, data in opened.frames():
        if channel == OUTPUT:
            written(sys.stdout.fileno(), data)
        elif channel == ERRORS:
            written(sys.stderr.fileno(), data)
        elif channel == RESULT:
            code, message = exit_code(data)
            if code is None:
                say(f"fairlead: {safe(message)}")
                code = NOT_RUN
    return code


def written(file: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(file, view) :]
    except BrokenPipeError as closed:
        raise ClosedPipe from closed


@contextlib.contextmanager
def raw_terminal(opened: Session) -> Iterator[None]:
    """Characters reach the command as typed, including Ctrl-C. The command learns each size."""
    import termios  # not on Windows, where a terminal is refused above
    import tty

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)

    def resize(_number: int = 0, _frame: object = None) -> None:
        size = shutil.get_terminal_size()
        opened.resize(size.columns, size.lines)

    def terminated(number: int, _: object) -> None:
        raise SystemExit(128 + number)  # otherwise the terminal would remain raw

    handlers: dict[signal.Signals, Callable[[int, object], None]] = {
        signal.SIGWINCH: resize,
        signal.SIGTERM: terminated,
        signal.SIGHUP: terminated,
    }
    previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        tty.setraw(file)
        resize()
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        termios.tcsetattr(file, termios.TCSADRAIN, before)


@verb(
    app,
    "job port-forward",
    "Forward a local port to a port of a running member",
    "fairlead job port-forward notebook 8888",
    "fairlead job port-forward llama-sft 6006:6006 --member worker-0",
    more="Listens on 127.0.0.1 until Ctrl-C. Each connection is a session.",
)
def port_forward(
    context: typer.Context,
    job: JobName,
    ports: Annotated[str, typer.Argument(metavar="[LOCAL:]REMOTE", help="LOCAL 0: any free.")],
    member: MEMBER = None,
    element: ELEMENT = None,
) -> None:
    local, remote = numbers(ports)
    params = {"port": remote, "member": member, "element": element}
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
        forward(fl, found.id, params).close()  # a refusal is reported now, not per connection
        with listen(local) as server:
            say(f"127.0.0.1:{server.getsockname()[1]} -> {found.name}:{remote}")
            serve(fl, found.id, params, server)


def listen(local: int) -> socket.socket:
    """A listening socket on the loopback interface."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind(("127.0.0.1", local))
    except OSError as taken:
        server.close()
        raise UsageProblem(f"port {local} cannot be opened: {taken.strerror}") from taken
    server.listen()
    return server


def serve(fl: Fairlead, job: str, params: dict[str, Any], server: socket.socket) -> None:
    """Connects each caller of the socket to the member, until Ctrl-C."""
    while True:
        peer, _ = server.accept()
        work = (fl, job, params, peer)
        threading.Thread(target=connected, args=work, daemon=True).start()


def numbers(ports: str) -> tuple[int, int]:
    local, _, remote = ports.rpartition(":")
    if not remote.isdecimal() or not (local or remote).isdecimal():
        raise UsageProblem(f"{ports!r} is not a port such as 8888 or 9000:8888")
    pair = int(local or remote), int(remote)
    if pair[0] > 65535 or not 0 < pair[1] <= 65535:
        raise UsageProblem(f"{ports!r} is not a port such as 8888 or 9000:8888")
    return pair


def connected(fl: Fairlead, job: str, params: dict[str, Any], peer: socket.socket) -> None:
    with peer:
        try:
            opened = forward(fl, job, params)
        except FairleadError as refused:
            say(f"fairlead: {refused}")
            return
        with contextlib.closing(opened):
            threading.Thread(target=from_peer, args=(opened, peer), daemon=True).start()
            with contextlib.suppress(OSError):
                for channel, data in opened.frames():
                    if channel == OUTPUT:
                        peer.sendall(data)
                    elif channel == ERRORS:
                        say(f"fairlead: {safe(data.decode(errors='replace').strip())}")
                        break
        if opened.reason:
            say(f"fairlead: a connection has ended: {safe(opened.reason)}")


def from_peer(opened: Session, peer: socket.socket) -> None:
    """The cluster cannot close a single direction, so the session ends when the peer closes its side."""
    with contextlib.suppress(OSError):
        while data := peer.recv(PIECE):
            if not opened.send(INPUT, data):
                return
    opened.close()
