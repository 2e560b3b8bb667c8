"""No framework: the first member adds the numbers of the others."""

import os
import socket
import sys
import time
from pathlib import Path

from case import CODE, MODE, saved, say

RANK, MEMBERS, PORT = int(os.environ["FAIRLEAD_RANK"]), int(os.environ["FAIRLEAD_MEMBERS"]), 29500


def head():
    """Connects to the first member, which may start later."""
    while True:
        try:
            return socket.create_connection((os.environ["FAIRLEAD_HEAD"], PORT), timeout=60)
        except OSError:
            time.sleep(0.2)


if RANK == 0:
    with socket.create_server(("", PORT)) as server:
        others = [server.accept()[0] for _ in range(MEMBERS - 1)]
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
saved(RANK, lambda path: Path(path).write_text(str(total)))
sys.exit(CODE if RANK == MEMBERS - 1 else 0)
