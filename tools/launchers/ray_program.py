"""Ray: a task on each node computes a gradient of one linear model, and the driver averages them."""

import os
import signal
import sys
import time

import numpy
import ray
from case import CODE, FIRST, MODE, SAVED, STEPS, saved, say
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

ray.init(log_to_driver=False)


@ray.remote
def slope(weights, step):
    rank = int(os.environ["FAIRLEAD_INDEX"])
    x = numpy.random.default_rng([step, rank]).random((32, 4))
    error = x @ weights - x.sum(axis=1)
    return rank + 1, x.T @ error / 32, float(error @ error) / 32


if MODE == "LOST":  # the head dies under the program
    for process in filter(str.isdigit, os.listdir("/proc")):
        with open(f"/proc/{process}/comm") as name:
            if name.read().startswith("gcs_server"):
                os.kill(int(process), signal.SIGKILL)
    signal.pause()

def alive():
    return [NodeAffinitySchedulingStrategy(node["NodeID"], soft=False) for node in ray.nodes() if node["Alive"]]


nodes = alive()
weights = numpy.fromfile("checkpoint") if MODE == "RESUMED" else numpy.zeros(4)
if MODE == "RESUMED":
    say("resumed from", FIRST)
for step in range(FIRST, STEPS):
    ranks, slopes, losses = zip(*ray.get([slope.options(scheduling_strategy=node).remote(weights, step) for node in nodes]))
    weights -= 0.3 * sum(slopes) / len(nodes)
    if step + 1 == SAVED:
        saved(0, weights.tofile)
        while MODE == "GROWS" and len(nodes) < 3:
            time.sleep(0.2)
            nodes = alive()
say("sum", sum(ranks), "of", len(nodes))
say("loss", f"{sum(losses) / len(nodes):.6f}")
sys.exit(CODE)
