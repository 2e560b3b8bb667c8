"""Runs a program once. Its argument MODE is the exit code of the last member, KILLED, RESUMED, GROWS or LOST."""

import os
import sys
import time

MODE = sys.argv[1]
CODE = int(MODE) if MODE.isdigit() else 0
STEPS = 12
SAVED = 6  # the step with the checkpoint
FIRST = SAVED if MODE == "RESUMED" else 0


def saved(rank, write):
    """Writes the checkpoint on the first member. In the mode KILLED all members then wait for their end."""
    if rank == 0:
        write("checkpoint.new")
        os.rename("checkpoint.new", "checkpoint")
    if MODE == "KILLED":
        time.sleep(600)


def say(text, *values):
    print(text, *values, flush=True)
