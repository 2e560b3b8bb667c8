"""JAX: all processes average the gradients of one linear model."""

import os
import sys

import jax
from case import CODE, FIRST, MODE, SAVED, STEPS, saved, say

jax.config.update("jax_platforms", "cpu")
jax.distributed.initialize(
    num_processes=int(os.environ["JAX_NUM_PROCESSES"]), process_id=int(os.environ["JAX_PROCESS_ID"])
)
from jax.experimental.multihost_utils import process_allgather  # noqa: E402

rank, members = jax.process_index(), jax.process_count()
say("sum", int(process_allgather(jax.numpy.array([rank + 1])).sum()), "of", members)
weights = jax.numpy.zeros(4)
if MODE == "RESUMED":
    with open("checkpoint", "rb") as file:
        weights = jax.numpy.load(file)
    say("resumed from", FIRST)


def write(path):
    with open(path, "wb") as file:
        jax.numpy.save(file, weights)


loss = 0.0
for step in range(FIRST, STEPS):
    x = jax.random.uniform(jax.random.key(members * step + rank), (32, 4))
    mine, slope = jax.value_and_grad(lambda w, x=x: ((x @ w - x.sum(axis=1)) ** 2).mean())(weights)
    weights -= 0.3 * process_allgather(slope).mean(axis=0)
    loss = process_allgather(mine).mean()
    if step + 1 == SAVED:
        saved(rank, write)
say("loss", f"{loss:.5f}")
sys.exit(CODE if rank == members - 1 else 0)
