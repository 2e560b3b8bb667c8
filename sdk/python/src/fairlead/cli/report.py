"""Text output about one job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from fairlead import Job, models
from fairlead.cli import risks, text
from fairlead.cli.output import Column, machine, pairs, table
from fairlead.cli.session import handle

MEMBERS_SHOWN = 8
OUTPUT_SHOWN = 100

# verbs of the command line with another name in the API
VERBS = {"patch": "update"}


def condition(job: Job) -> str:
    """Its state and since when. For an unreachable job, includes its last known state."""
    unreachable = text.unreachable(job)
    if unreachable is None:
        saving = text.checkpointing(job)
        if saving:
            return f"{job.state} for {text.ago(job.state_changed_at)}, checkpointing: {saving}"
        return f"{job.state} for {text.ago(job.state_changed_at)}"
    since = text.ago(unreachable.last_transition_time)
    return f"UNKNOWN for {since}, {job.state} before: {unreachable.message}. Next: fairlead why {job.name}"


def shortened(value: str) -> str:
    """An output, shortened to part of a line. `fairlead job output` prints all of it."""
    return value if len(value) <= OUTPUT_SHOWN else f"{value[:OUTPUT_SHOWN]}..."


def details(job: Job) -> str:
    rows: list[tuple[str, object]] = [
        ("Name", job.name),
        ("Id", job.id),
        ("State", condition(job)),
        ("Owner", f"{job.user}, project {job.project}, queue {job.queue}"),
        ("Priority", f"{job.priority} ({job.priority_class})"),
        ("GPUs", f"{text.gpus(job)} requested, {text.amount(job.gpus.allocated)} held"),
        ("Submitted", text.moment(job.created_at)),
        ("Started", text.moment(job.started_at)),
        ("Ended", text.moment(job.ended_at)),
        ("Attempts", job.attempt or ""),
        ("Waits", text.waits(job)),
        ("Starts", text.expected(job.pending.expected if job.pending else None)),
        ("Progress", text.progress(job.progress)),
        ("Outputs", text.listed(f"{k}={shortened(v)}" for k, v in (job.outputs or {}).items())),
        ("Logs", job.logs_url or ""),
        ("Idle", text.idle(job)),
        ("Cost", text.cost(job.cost) if job.cost else ""),
        ("Place", text.listed(job.placement.nodes) if job.placement.nodes else ""),
        ("Array", text.place(job) if job.array else ""),
        ("Failure", text.failed(job.failure) if job.failure else ""),
        ("Evidence", text.listed(job.failure.evidence) if job.failure else ""),
        ("Labels", text.listed(f"{k}={v}" for k, v in job.labels.items())),
        ("Image", job.spec.image if job.spec else ""),
        ("Allowed", text.listed(VERBS.get(a.name, a.name) for a in job.actions if a.allowed)),
    ]
    return pairs(rows)


def explained(job: Job, why: models.ExplanationResponse) -> str:
    """The reason first, then all findings."""
    return "".join(_explained(job, why))


def _explained(job: Job, why: models.ExplanationResponse) -> Iterator[str]:
    waiting = why.state == "QUEUED"
    said = (
        f"is {job.state}: {text.times(why.message)}"
        if waiting
        else f"does not wait: it is {job.state}."
    )
    yield f"{job.name} {text.safe(said)}\n"
    if job.failure is not None and text.by_incident(job.failure):
        yield f"  {text.safe(text.moved(job, job.failure))}\n"
    elif job.failure is not None and (not waiting or job.failure.right):
        yield f"  {text.safe(text.failed(job.failure))}\n"
    if why.position:
        ahead = text.amount(why.position.gpus_ahead)
        rank = f"number {why.position.rank} of {why.position.total} in queue {job.queue}"
        yield f"  {rank}, {ahead} GPUs ahead\n"
    saving = text.checkpointing(job)
    if saving:
        yield f"  checkpointing: {text.safe(saving)}\n"
    idle = text.idle(job)
    if idle:
        yield f"  idle: {text.safe(idle)}\n"
    if job.state == "SUSPENDED":
        yield f"  It remains suspended until it is resumed: fairlead resume {handle(job)}\n"
    if waiting and why.class_ == "USER_ACTION":
        yield "  Waiting alone does not help: change the job.\n"
    if waiting and why.class_ == "ADMIN_ACTION":
        yield "  Waiting alone does not help: an administrator must act.\n"
    if why.near_misses:
        yield "\nIt would start with\n"
        for miss in why.near_misses:
            yield f"  {text.safe(text.wish(miss.change))}: {text.safe(miss.effect)}\n"
    if why.blockers:
        yield "\nIn the way\n"
        for one in why.blockers:
            scope = one.scope.name or one.scope.type.lower()
            action = f" ({text.safe(one.action)})" if one.action else ""
            since = f", for {text.ago(one.first_seen)}"
            yield f"  {scope}: {text.safe(text.times(one.message))}{action} [{one.reason}{since}]\n"
    if why.clusters:
        yield "\nLooked at\n"
        for cluster in why.clusters:
            yield f"  {finding(cluster)}\n"
    if why.state == "QUEUED":
        parts = " + ".join(f"{part.name} {part.value}" for part in why.priority.parts)
        yield f"\nPriority {why.priority.total} = {parts}\n"
    if why.estimate:
        likely = f"{text.moment(why.estimate.p50)}, at the latest {text.moment(why.estimate.p90)}"
        yield f"Starts about {likely}, if {text.safe(why.estimate.assumption)}\n"
    if why.expected:
        half, ninth = text.moment(why.expected.p50), text.moment(why.expected.p90)
        learned = (
            f"{text.count(why.expected.runs, 'run')} and {text.count(why.expected.starts, 'start')}"
        )
        yield f"Likely to start by {half} (p50), {ninth} (p90): learned from {learned}\n"
    if why.preemption_risk and not waiting:
        yield "\nPreemption\n"
        for line in risks.lines(why.preemption_risk):
            yield f"  {text.safe(line)}\n"
    if why.computed_at:
        yield f"As of {text.ago(why.computed_at)} ago\n"


def finding(one: models.ClusterVerdict) -> str:
    refused = [filtered(name, number) for name, number in one.filtered.items() if number]
    full = [f"{number} without free {name}" for name, number in one.exhausted.items() if number]
    best = one.best
    room = f"; best {best.level} {best.domain} fits {best.fits} of {best.needed}" if best else ""
    nodes = text.count(one.nodes_evaluated, "node")
    why = ", ".join(refused + full)
    where = f"{one.cluster}, pool {one.pool}" if one.pool else one.cluster
    return text.safe(f"{where} {one.flavor}: {nodes}{': ' + why if why else ''}{room}")


def filtered(name: str, number: int) -> str:
    if name == "BACKING_OFF":
        return f"{number} avoided temporarily after attempts failed there"
    return f"{number} refused by {name.lower()}"


def gpu_hours(attempt: models.AttemptResponse) -> float:
    """GPUs are held from the attempt's creation until its end."""
    held = sum(part.fraction for member in attempt.members for part in member.gpus)
    span = (attempt.ended_at or text.now()) - attempt.created_at
    return held * span.total_seconds() / 3600


def waited(job: Job) -> timedelta:
    return (job.started_at or job.ended_at or text.now()) - job.created_at


def accounted(job: Job, attempts: Sequence[models.AttemptResponse]) -> dict[str, Any]:
    ran = (job.ended_at or text.now()) - job.started_at if job.started_at else timedelta()
    return {
        "job": machine(job),
        "waitedSeconds": round(waited(job).total_seconds(), 3),
        "ranSeconds": round(ran.total_seconds(), 3),
        "gpuHours": round(sum(map(gpu_hours, attempts)), 4),
        "attempts": machine(list(attempts)),
    }


ATTEMPTS: list[Column[models.AttemptResponse]] = [
    Column("ATTEMPT", lambda a: a.number),
    Column("ELEMENT", lambda a: a.element, wide=True),
    Column("STATE", lambda a: a.state),
    Column("CLUSTER", lambda a: a.cluster),
    Column("MEMBERS", lambda a: len(a.members)),
    Column(
        "TIME", lambda a: text.took((a.ended_at or text.now()) - (a.started_at or a.created_at))
    ),
    Column("GPU-HOURS", lambda a: f"{gpu_hours(a):.2f}"),
    Column("CAUSE", lambda a: text.cause(a.cause, a.message, a.right) if a.cause else "-"),
]

GPU_USE: Column[models.AttemptResponse] = Column(
    "GPU-USE", lambda a: f"{a.efficiency.utilisation:.0f}%" if a.efficiency else "-"
)


def account(job: Job, attempts: Sequence[models.AttemptResponse]) -> str:
    head = pairs(
        [
            ("Job", f"{job.name} ({job.id})"),
            ("State", condition(job)),
            ("Owner", f"{job.user}, project {job.project}, queue {job.queue}"),
            ("Waited", text.took(waited(job))),
            ("Ran", text.job_time(job) if job.started_at else "not yet"),
            ("GPUs", text.gpus(job)),
            ("GPU hours", f"{sum(map(gpu_hours, attempts)):.2f}"),
            ("GPU use", efficiency(attempts)),
            ("Array", text.place(job) if job.array else ""),
            ("Failure", text.failed(job.failure) if job.failure else ""),
            ("Evidence", text.listed(job.failure.evidence) if job.failure else ""),
        ]
    )
    if not attempts:
        return head
    columns = [c for c in ATTEMPTS if not c.wide or job.array]
    if any(one.efficiency for one in attempts):
        columns.append(GPU_USE)
    lines = [line.plain for line in table(attempts, columns, None)]
    lines += ["", *failed_members(attempts)]
    held = held_devices(attempts)
    lines += ["", "Devices:", *held] if held else []
    return head + "\n" + "\n".join(lines).rstrip() + "\n"


def efficiency(attempts: Sequence[models.AttemptResponse]) -> str:
    """Average over all sampled attempts, weighted by duration. Empty for a job without GPUs."""
    if not any(member.gpus for attempt in attempts for member in attempt.members):
        return ""
    known = [one.efficiency for one in attempts if one.efficiency]
    if not known:
        return "not known: no sample from a Prometheus of the cluster"
    samples = sum(one.samples for one in known)
    mean = sum(one.utilisation * one.samples for one in known) / samples
    parts = [f"GPUs {mean:.0f}% used in {text.count(samples, 'sample')}"]
    peaks = [one.memory_peak_mib for one in known if one.memory_peak_mib is not None]
    if peaks:
        parts.append(f"at most {max(peaks) / 1024:.1f} GiB on one")
    energy = [one.energy_joules for one in known if one.energy_joules is not None]
    if energy:
        parts.append(f"{sum(energy) / 3_600_000:.2f} kWh")
    newest = max(known, key=lambda one: one.sampled_at)
    if newest.idle_since:
        parts.append(f"idle for {text.took(newest.sampled_at - newest.idle_since)}")
    return ", ".join(parts)


SOURCES = {
    "EXPORTER": "DCGM exporter",
    "NODE_AGENT": "node agent",
    "POD_STATUS": "pod status",
    "RESOURCE_CLAIM": "resource claim",
}


def held_devices(attempts: Sequence[models.AttemptResponse]) -> list[str]:
    """Devices of the newest attempt of each element, with their sources."""
    newest = {one.element: one for one in attempts}
    several = len(newest) > 1
    lines = [
        text.safe(
            f"{f'element {element}, ' if several else ''}{m.role}-{m.index} on {m.node}: "
            f"{', '.join(map(device, m.devices))}"
            f"{' (sources disagree)' if disputed(m) else ''}"
        )
        for element, attempt in newest.items()
        for m in attempt.members
        if m.devices
    ]
    more = len(lines) - MEMBERS_SHOWN
    return [*lines[:MEMBERS_SHOWN], f"and {more} more"] if more > 0 else lines


def device(one: models.MemberDeviceResponse) -> str:
    part = "a part of " if one.part else ""
    sources = " and ".join(SOURCES.get(source, source) for source in one.sources)
    return f"{part}GPU {one.serial or one.gpu} by {sources}"


def disputed(member: models.MemberResponse) -> bool:
    return len({tuple(one.sources) for one in member.devices}) > 1


def failed_members(attempts: Sequence[models.AttemptResponse]) -> list[str]:
    """Failed members of the newest attempt. For an array, includes the newest attempt of each element."""
    newest = {one.element: one for one in attempts}
    several = len(newest) > 1
    bad = [(a.element, m) for a in newest.values() for m in a.members if m.exit_code]
    lines = [
        text.safe(
            f"{f'element {element}, ' if several else ''}{m.role}-{m.index} on {m.node}: "
            f"exit code {m.exit_code} {m.reason or ''}"
        ).rstrip()
        for element, m in bad[:MEMBERS_SHOWN]
    ]
    more = len(bad) - MEMBERS_SHOWN
    return [*lines, f"and {more} more"] if more > 0 else lines
