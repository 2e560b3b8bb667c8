"""Jobs with an UNKNOWN attempt: last observation, possible proofs of the end, confirmation by an
operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from fairlead import Job, models
from fairlead.cli import bulk, text
from fairlead.cli.actions import Yes
from fairlead.cli.output import Format, say, show
from fairlead.cli.session import OneJob, Output, UsageProblem, client, handle, session, verb

OPEN = frozenset({"UNKNOWN", "STOPPING"})
DEAD = frozenset({"SUCCEEDED", "FAILED", "GONE"})
MEMBERS_SHOWN = 8
UNREACHABLE = {
    "WAIT": "the job waits for proof of the end (onUnreachable: WAIT)",
    "AFTER_DEADLINE": "the job restarts after its deadline, in parallel with processes that may still run "
    "(onUnreachable: AFTER_DEADLINE)",
    "ALLOW_OVERLAP": "the job may restart in parallel (onUnreachable: ALLOW_OVERLAP)",
}
app = typer.Typer()


def living(attempt: models.AttemptResponse) -> Sequence[models.MemberResponse]:
    """Members without proof of their end."""
    return [one for one in attempt.members if one.state not in DEAD]


def member(one: models.MemberResponse) -> str:
    return f"{one.role}-{one.index}"


def explained(job: Job, attempts: Sequence[models.AttemptResponse]) -> Iterator[str]:
    """Since when, the last observation, possible proofs of the end, and next steps. Empty for
    other jobs."""
    unreachable = text.unreachable(job)
    if unreachable is None:
        return
    since = text.ago(unreachable.last_transition_time)
    yield f"{job.name} is UNKNOWN for {since}: {text.safe(unreachable.message)}\n"
    yield f"  Its state stays {job.state} and it holds its GPUs: it may still run.\n"
    for attempt in (one for one in attempts if one.state in OPEN):
        yield from _last_seen(job, attempt)
    yield "\nProof that it has ended\n"
    yield "  its pods or nodes become reachable, or a node returns after a restart\n"
    yield "  the taint node.kubernetes.io/out-of-service on the node, set after you switched it off\n"
    yield "  confirmation by an operator that its processes have ended\n"
    yield "\nWhat to do\n"
    policy = job.spec.on_unreachable if job.spec else None
    yield f"  nothing: {UNREACHABLE.get(policy or '', f'onUnreachable is {policy}')}\n"
    if job.placement.cluster:
        yield f"  check its cluster and nodes: fairlead node list --cluster {job.placement.cluster}\n"
    yield f"  after you have checked: fairlead job confirm-dead {handle(job)} --all --reason TEXT\n"


def _last_seen(job: Job, attempt: models.AttemptResponse) -> Iterator[str]:
    element = f" of element {attempt.element}" if job.array is not None else ""
    yield f"\nLast seen of attempt {attempt.number}{element} on {attempt.cluster}\n"
    alive = living(attempt)
    for one in alive[:MEMBERS_SHOWN]:
        yield f"  {text.safe(f'{member(one)} on {one.node}: {one.state}')}\n"
    if len(alive) > MEMBERS_SHOWN:
        yield f"  and {len(alive) - MEMBERS_SHOWN} more\n"


def pick(
    job: Job, attempts: Sequence[models.AttemptResponse], element: int | None
) -> models.AttemptResponse:
    """The only attempt that can be confirmed. Raises UsageProblem."""
    found = [
        one for one in attempts if one.state in OPEN and (element is None or one.element == element)
    ]
    if not found:
        raise UsageProblem(
            f"no attempt of {job.name} is UNKNOWN or STOPPING: its cluster reports its processes; "
            f"use fairlead cancel {handle(job)}"
        )
    if len(found) > 1:
        listed = text.listed(str(one.element) for one in found)
        raise UsageProblem(f"elements {listed} of {job.name} are open: choose one with --element")
    return found[0]


@verb(
    app,
    "job confirm-dead",
    "Confirm that unreachable processes have ended",
    "fairlead why llama-sft",
    "fairlead job confirm-dead llama-sft --member worker-0 --reason 'machine scrapped'",
    "fairlead job confirm-dead llama-sft --all --reason 'rack is without power' -y",
    more="For a job that is UNKNOWN or has an unconfirmed stop. Its attempt ends, its GPUs become "
    "free, and the job is retried. Your name and reason are recorded in the audit log. If a "
    "process still runs, the job runs twice. For operators.",
)
def confirm_dead(
    context: typer.Context,
    job: OneJob,
    reason: Annotated[
        str, typer.Option("--reason", help="Evidence for the end. Recorded in the audit log.")
    ],
    members: Annotated[
        list[str] | None,
        typer.Option("--member", "-m", help="Role and index, such as worker-0. Repeatable."),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Confirm all members without proof of their end.")
    ] = False,
    element: Annotated[int | None, typer.Option(min=0, help="Index in an array job.")] = None,
    yes: Yes = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the result without changing anything.")
    ] = False,
    output: Output = Format.TABLE,
) -> None:
    if all_ == bool(members):
        raise UsageProblem("name members with --member, or give --all")
    with client(context) as fl:
        found = fl.jobs.only(job, project=session(context).project_in_use())
        attempt = pick(found, fl.jobs.attempts(found.id, element=element), element)
        named = list(members or map(member, living(attempt)))
        places = {member(one): one.node for one in attempt.members}
        listed = text.listed(f"{one} on {places[one]}" if one in places else one for one in named)
        if not yes and not dry_run:
            say(f"{found.name}, attempt {attempt.number}: {text.safe(listed)}")
            bulk.confirmed("Have these processes ended? If one still runs, the job runs twice.")
        done = fl.jobs.confirm_dead(attempt.id, named, reason, validate_only=dry_run)
    show(done, output, lambda: told(found, attempt, done, dry_run), done.attempt)
    if not dry_run:
        say(f"Next: fairlead why {found.name}")


def told(
    job: Job, attempt: models.AttemptResponse, done: models.ConfirmedDeathResponse, dry_run: bool
) -> str:
    be = "would be" if dry_run else "is"
    return f"{text.safe(job.name)}: attempt {attempt.number} {be} {done.state}\n"
