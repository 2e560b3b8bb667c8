"""A Metaflow flow with two jobs on Fairlead: a training, and an evaluation that follows it.

FAIRLEAD_URL=... FAIRLEAD_TOKEN=... python metaflow_flow.py run
"""

from fairlead import Fairlead
from metaflow import FlowSpec, Parameter, current, step


def run_job(spec: dict) -> str:
    """The id of the job, which has succeeded. A restarted try finds the job that it has submitted."""
    key = f"metaflow-{current.pathspec}-{current.retry_count}"
    with Fairlead() as fairlead:
        job = fairlead.jobs.submit(spec, idempotency_key=key)
        print(f"{job.id} is submitted: {job.explain().message}")
        job.wait(timeout=24 * 3600)
    if job.state != "SUCCEEDED":
        why = f"{job.failure.cause}, {job.failure.message}" if job.failure else "no failure"
        raise RuntimeError(f"{job.name} is {job.state}: {why}")
    return job.id


class TrainAndEvaluate(FlowSpec):
    image = Parameter("image", default="registry.example.com/train:2.9")

    @step
    def start(self):
        self.training = run_job(
            {"name": "metaflow-train", "image": self.image, "gpu": 1, "run": "python train.py"}
        )
        self.next(self.evaluate)

    @step
    def evaluate(self):
        run_job(
            {
                "name": "metaflow-evaluate",
                "image": self.image,
                "cpu": 1,
                "run": "python evaluate.py",
            }
        )
        self.next(self.end)

    @step
    def end(self):
        print(f"training {self.training} has succeeded")


if __name__ == "__main__":
    TrainAndEvaluate()
