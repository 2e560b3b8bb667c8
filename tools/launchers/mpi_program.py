"""MPI: mpi4py averages the gradients of one linear model over all ranks."""

import sys

import numpy
from case import CODE, FIRST, MODE, SAVED, STEPS, saved, say
from mpi4py import MPI

world = MPI.COMM_WORLD
say("sum", world.allreduce(world.rank + 1), "of", world.size)
weights = numpy.zeros(4)
if MODE == "RESUMED":
    weights = numpy.fromfile("checkpoint")
    say("resumed from", FIRST)
loss = 0.0
for step in range(FIRST, STEPS):
    x = numpy.random.default_rng([step, world.rank]).random((32, 4))
    error = x @ weights - x.sum(axis=1)
    weights -= 0.3 * world.allreduce(x.T @ error / 32) / world.size
    loss = world.allreduce(float(error @ error) / 32) / world.size
    if step + 1 == SAVED:
        saved(world.rank, weights.tofile)
say("loss", f"{loss:.6f}")
sys.exit(CODE if world.rank == world.size - 1 else 0)
