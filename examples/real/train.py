"""Four processes fit one curve together: PyTorch DistributedDataParallel on CPUs, started by torchrun.

The first rank writes a checkpoint to the shared volume every few steps. An attempt continues
from an existing checkpoint, so a killed member costs only the steps since then.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = int(os.environ.get("STEPS", "240"))
CHECKPOINT_EVERY = int(os.environ.get("CHECKPOINT_EVERY", "20"))
# A step of this toy takes milliseconds. The delay makes its progress visible.
SECONDS_PER_STEP = float(os.environ.get("SECONDS_PER_STEP", "0.15"))
CHECKPOINT = Path(os.environ.get("CHECKPOINT", "/training/checkpoint.pt"))
BATCH = 64


def say(text: str) -> None:
    print(f"attempt {os.environ['FAIRLEAD_ATTEMPT']} {text}", flush=True)


def batch(rank: int, step: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Every rank gets different points at every step. A resumed attempt gets the points of its step."""
    chance = torch.Generator().manual_seed(1000 * step + rank)
    x = torch.rand(BATCH, 1, generator=chance) * 6 - 3
    return x, torch.sin(2 * x)


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    network = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    model = DistributedDataParallel(network)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    first = 0
    if CHECKPOINT.exists():
        saved = torch.load(CHECKPOINT)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        first = saved["step"]
    if rank == 0:
        say(f"{dist.get_world_size()} processes, from step {first} of {STEPS}")

    for step in range(first + 1, STEPS + 1):
        x, y = batch(rank, step)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        dist.all_reduce(loss.detach_())
        if rank == 0 and step % 10 == 0:
            say(f"step {step} loss {loss.item() / dist.get_world_size():.4f}")
        if rank == 0 and step % CHECKPOINT_EVERY == 0:
            # Written to a second file and renamed: a member that dies while writing does not damage the last checkpoint.
            new = CHECKPOINT.with_suffix(".new")
            torch.save({"step": step, "network": network.state_dict(), "optimizer": optimizer.state_dict()}, new)
            new.replace(CHECKPOINT)
        time.sleep(SECONDS_PER_STEP)
    dist.destroy_process_group()
    if rank == 0:
        say("done")


if __name__ == "__main__":
    main()
