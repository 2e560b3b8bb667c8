"""A Prefect flow with two jobs on Fairlead: a training, and an evaluation that needs its end.

FAIRLEAD_URL=... FAIRLEAD_TOKEN=... python prefect_flow.py
"""

from fairlead import Fairlead
from prefect import flow, task
from prefect.runtime import task_run


@task(retries=2)
def run_job(spec: dict) -> str:
    """The id of the job, which has succeeded. A restarted try finds the job that it has submitted."""
    key = f"prefect-{task_run.id}-{task_run.run_count}"
    with Fairlead() as fairlead:
        job = fairlead.jobs.submit(spec, idempotency_key=key)
        print(f"{job.id} is submitted: {job.explain().message}")
        job.wait(timeout=24 * 3600)
    if job.state != "SUCCEEDED":
        why = f"{job.failure.cause}, {job.failure.message}" if job.failure else "no failure"
        raise RuntimeError(f"{job.name} is {job.state}: {why}")
    return job.id


@flow(log_prints=True)
def train_and_evaluate(image: str = "registry.example.com/train:2.9") -> None:
    training = run_job(
        {"name": "prefect-train", "image": image, "gpu": 1, "run": "python train.py"}
    )
    print(f"training {training} has succeeded")
    run_job({"name": "prefect-evaluate", "image": image, "cpu": 1, "run": "python evaluate.py"})


if __name__ == "__main__":
    train_and_evaluate()
