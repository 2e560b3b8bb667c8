"""A Dagster job with two jobs on Fairlead: a training, and an evaluation that follows it.

FAIRLEAD_URL=... FAIRLEAD_TOKEN=... dagster job execute -f dagster_job.py -j train_and_evaluate
"""

from dagster import Failure, In, Nothing, OpExecutionContext, job, op
from fairlead import Fairlead

IMAGE = "registry.example.com/train:2.9"


def run_job(context: OpExecutionContext, spec: dict) -> None:
    """Returns when the job has succeeded. A restarted step finds the job that it has submitted."""
    key = f"dagster-{context.run_id}-{context.op_handle}-{context.retry_number}"
    with Fairlead() as fairlead:
        submitted = fairlead.jobs.submit(spec, idempotency_key=key)
        context.log.info(f"{submitted.id} is submitted: {submitted.explain().message}")
        submitted.wait(timeout=24 * 3600)
    if submitted.state != "SUCCEEDED":
        failure = submitted.failure
        why = f"{failure.cause}, {failure.message}" if failure else "no failure"
        raise Failure(
            f"{submitted.name} is {submitted.state}: {why}", metadata={"job": submitted.id}
        )


@op
def train(context: OpExecutionContext) -> None:
    run_job(context, {"name": "dagster-train", "image": IMAGE, "gpu": 1, "run": "python train.py"})


@op(ins={"after": In(Nothing)})
def evaluate(context: OpExecutionContext) -> None:
    run_job(
        context, {"name": "dagster-evaluate", "image": IMAGE, "cpu": 1, "run": "python evaluate.py"}
    )


@job
def train_and_evaluate() -> None:
    evaluate(after=train())
