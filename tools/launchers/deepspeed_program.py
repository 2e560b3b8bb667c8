"""DeepSpeed: its engine averages the gradients of all processes. ZeRO needs more than Gloo of PyTorch 1.13 has."""

import sys
from pathlib import Path

import deepspeed
import torch
import torch.distributed as dist
from case import CODE, FIRST, MODE, SAVED, STEPS, saved, say

torch.manual_seed(0)
torch.set_num_threads(1)
deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False  # else compiled now, which needs headers
deepspeed.init_distributed("gloo")
rank, members = dist.get_rank(), dist.get_world_size()
total = torch.tensor(rank + 1)
dist.all_reduce(total)
say("sum", int(total), "of", members)
network = torch.nn.Linear(4, 1)
settings = {
    "train_micro_batch_size_per_gpu": 32,
    "optimizer": {"type": "Adam", "params": {"lr": 0.1, "torch_adam": True}},
}
engine = deepspeed.initialize(model=network, model_parameters=network.parameters(), config=settings)[0]
if MODE == "RESUMED":
    engine.load_checkpoint("states", Path("checkpoint").read_text())
    say("resumed from", engine.global_steps)
for step in range(FIRST, STEPS):
    x = torch.rand(32, 4, generator=torch.Generator().manual_seed(members * step + rank))
    loss = ((engine(x)[:, 0] - x.sum(1)) ** 2).mean()
    engine.backward(loss)
    engine.step()
    if step + 1 == SAVED:
        engine.save_checkpoint("states", "six")
        saved(rank, lambda path: Path(path).write_text("six"))
dist.all_reduce(loss.detach_())
say("loss", f"{loss.item() / members:.5f}")
sys.exit(CODE if rank == members - 1 else 0)
