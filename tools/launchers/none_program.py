"""No framework: the first member adds the numbers of the other members."""

import os
import socket
import sys
import time
from pathlib import Path

from case import CODE, MODE, saved, say

# members of an elastic job have no rank, and learn the bounds of its size
RANK = int(os.environ.get("FAIRLEAD_RANK") or os.environ["FAIRLEAD_INDEX"])
MEMBERS = int(os.environ.get("FAIRLEAD_MEMBERS") or os.environ["FAIRLEAD_MAX_MEMBERS"])
FEWEST = int(os.environ.get("FAIRLEAD_MIN_MEMBERS") or MEMBERS)
PORT = 29500


def head():
    """Connects to the first member, which may start later."""
    while True:
        try:
            return socket.create_connection((os.environ["FAIRLEAD_HEAD"], PORT), timeout=60)
        except OSError:
            time.sleep(0.2)


if RANK == 0:
    with socket.create_server(("", PORT)) as server:
        others = [server.accept()[0] for _ in range(FEWEST - 1)]
        if MODE == "GROWS":
            saved(RANK, lambda path: Path(path).write_text(str(FEWEST)))
        others += [server.accept()[0] for _ in range(MEMBERS - FEWEST)]
        total = 1 + sum(int(other.recv(9)) for other in others)
        for other in others:
            other.sendall(str(total).encode())
else:
    connection = head()
    connection.sendall(str(RANK + 1).encode())
    total = int(connection.recv(9))
say("sum", total, "of", MEMBERS)
if MODE == "RESUMED":
    say("resumed from", int(Path("checkpoint").read_text()))
if MODE != "GROWS":
    saved(RANK, lambda path: Path(path).write_text(str(total)))
sys.exit(CODE if RANK == MEMBERS - 1 else 0)
