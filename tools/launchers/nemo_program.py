"""NeMo: a model of NeMo's core, trained by its Lightning trainer in all processes."""

import os

import lightning.pytorch as pl
import torch
from case import CODE, FIRST, MODE, SAVED, STEPS, saved, say
from nemo.core import ModelPT
from omegaconf import OmegaConf


class Line(ModelPT):
    def __init__(self, cfg, trainer):
        super().__init__(cfg, trainer)
        self.line = torch.nn.Linear(4, 1)

    def setup_training_data(self, config):
        self._train_dl = torch.utils.data.DataLoader(range(config.steps), batch_size=1)

    def setup_validation_data(self, config):
        pass

    @classmethod
    def list_available_models(cls):
        return None

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)

    def on_train_start(self):
        total = self.trainer.strategy.reduce(torch.tensor(float(self.global_rank + 1)), reduce_op="sum")
        say("sum", int(total), "of", self.world_size)

    def training_step(self, batch, index):
        x = torch.rand(32, 4, generator=torch.Generator().manual_seed(self.world_size * self.global_step + self.global_rank))
        self.last = ((self.line(x)[:, 0] - x.sum(1)) ** 2).mean()
        return self.last

    def on_train_batch_end(self, *_):
        if self.global_step == SAVED and MODE != "RESUMED":
            self.trainer.save_checkpoint("checkpoint.all")
            saved(self.global_rank, lambda path: os.rename("checkpoint.all", path))

    def on_train_end(self):
        loss = self.trainer.strategy.reduce(self.last.detach(), reduce_op="mean")
        say("loss", f"{float(loss):.5f}")


pl.seed_everything(0)
torch.set_num_threads(1)
trainer = pl.Trainer(
    accelerator="cpu",
    strategy="ddp",
    num_nodes=int(os.environ["FAIRLEAD_MEMBERS"]),
    devices=max(1, int(os.environ["FAIRLEAD_GPUS"])),
    max_steps=STEPS,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    use_distributed_sampler=False,
)
model = Line(OmegaConf.create({"train_ds": {"steps": STEPS}}), trainer)
if MODE == "RESUMED":
    say("resumed from", FIRST)
trainer.fit(model, ckpt_path="checkpoint" if MODE == "RESUMED" else None)
raise SystemExit(CODE if trainer.global_rank == trainer.world_size - 1 else 0)
