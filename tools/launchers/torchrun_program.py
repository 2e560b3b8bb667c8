"""PyTorch: DistributedDataParallel fits one linear model in all processes."""

import os
import sys
import time

import torch
import torch.distributed as dist
from case import CODE, FIRST, MODE, SAVED, STEPS, saved, say

torch.manual_seed(0)
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, members = dist.get_rank(), dist.get_world_size()
total = torch.tensor(rank + 1)
dist.all_reduce(total)
say("sum", int(total), "of", members)
network = torch.nn.Linear(4, 1)
model = torch.nn.parallel.DistributedDataParallel(network)
adam = torch.optim.Adam(model.parameters(), lr=0.1)
GREW = MODE == "GROWS" and os.path.exists("checkpoint")  # torchrun starts the processes again
if GREW:
    FIRST = SAVED
if MODE == "RESUMED" or GREW:
    state = torch.load("checkpoint")
    network.load_state_dict(state["network"])
    adam.load_state_dict(state["adam"])
    say("resumed from", FIRST)
for step in range(FIRST, STEPS):
    x = torch.rand(32, 4, generator=torch.Generator().manual_seed(members * step + rank))
    loss = ((model(x)[:, 0] - x.sum(1)) ** 2).mean()
    adam.zero_grad()
    loss.backward()
    adam.step()
    if step + 1 == SAVED:
        saved(rank, lambda path: torch.save({"network": network.state_dict(), "adam": adam.state_dict()}, path))
        while MODE == "GROWS":
            time.sleep(1)
dist.all_reduce(loss.detach_())
say("loss", f"{loss.item() / members:.5f}")
sys.exit(CODE if rank == members - 1 else 0)
