"""Renders the placement plan of a job."""

from __future__ import annotations

from collections.abc import Iterator

from fairlead import models
from fairlead.cli import risks, text

# runs of all tenants say little about the runs of one
OF_STRANGERS = ("ALL",)


def text_of(plan: models.PlanResponse) -> str:
    return "".join(f"{text.safe_line(line)}\n" for line in _lines(plan))


def _lines(plan: models.PlanResponse) -> Iterator[str]:
    yield f"{plan.spec.name}: {asked(plan)}"
    yield f"  queue {plan.spec.queue}, priority {plan.priority} ({plan.spec.priority_class})"
    yield f"  {outcome(plan)}"
    for one in plan.candidates:
        yield from _candidate(one)
    if not plan.candidates:
        yield "    no eligible cluster has the requested resources"
    for effect in plan.quota:
        yield f"  quota of {effect.node}: {quota(effect)}"
    if plan.explanation is not None:
        for miss in plan.explanation.near_misses:
            yield f"  with {text.wish(miss.change)}: {miss.effect}"
    if plan.preempts.jobs:
        jobs = text.count(plan.preempts.jobs, "preemptible job")
        yield f"  {jobs} with {text.amount(plan.preempts.gpus)} GPUs would be preempted for it"
    if plan.preemption_risk.by or not plan.preemption_risk.allowed:
        for line in risks.lines(plan.preemption_risk):
            yield f"  {line}"
    yield from _expected(plan.expected)
    said = plan.explanation.message if plan.explanation else ""
    for warning in (one for one in plan.warnings if one != said):
        yield f"  warning: {warning}"


def _expected(learned: models.Expected) -> Iterator[str]:
    if learned.start is not None:
        yield f"  starts {text.expected(learned.start)}"
    run = learned.run
    if run is not None and run.level not in OF_STRANGERS:
        known = f"learned from {text.count(run.runs, 'run')} ({run.level.lower()})"
        yield f"  likely to run for {run.p50} (p50), {run.p90} (p90): {known}"


def outcome(plan: models.PlanResponse) -> str:
    why = plan.explanation.message if plan.explanation else ""
    if plan.starts_now:
        where = ", ".join(one.cluster for one in plan.candidates if one.chosen)
        some = f"{plan.starting_elements} of its elements start" if plan.spec.array else "starts"
        return f"{some} now on {where}" + (f"; the rest waits: {why}" if why else "")
    return (
        f"would wait: {why}"
        if plan.feasible
        else f"cannot start with the current configuration: {why}"
    )


def _candidate(one: models.Candidate) -> Iterator[str]:
    cpu_only = one.flavor.startswith("CPU/")
    room = (
        "" if cpu_only else f", {text.amount(one.free_gpus)} of {text.amount(one.total_gpus)} free"
    )
    gangs = ", ".join(f"{text.amount(g.gpus)} in one {g.level}" for g in one.largest_gang)
    most = f"; at most {gangs}" if gangs else ""
    priced = one.cost is not None and one.cost.per_hour is not None
    price = f"; {text.cost(one.cost)}" if one.cost is not None and priced else ""
    if one.price_per_gpu_hour is not None and (one.cost is None or one.cost.per_hour is None):
        price = f"; {text.amount(one.price_per_gpu_hour)} a GPU hour"
    tier = "" if one.tier is None else f" (tier {one.tier})"
    yield f"  {'->' if one.chosen else '  '} {one.cluster} {one.flavor}{tier}{room}{most}{price}"
    for blocker in one.blockers:
        yield f"       {blocker.message}"


def quota(effect: models.QuotaEffect) -> str:
    owned = "no limit" if effect.nominal is None else f"{effect.nominal} owned"
    borrowed = "" if effect.borrowed_after == "0" else f", {effect.borrowed_after} of it borrowed"
    what = f"{effect.flavor} {effect.resource}"
    return f"{what} from {effect.used} to {effect.after} used{borrowed}, {owned}"


def asked(plan: models.PlanResponse) -> str:
    spec = plan.spec
    total = text.amount(plan.gpus)
    if spec.array:
        elements = text.count(elements_of(spec.array), "element")
        return f"array of {elements}, each {_of_workers(plan, total)}"
    return _of_workers(plan, total)


def elements_of(array: str) -> int:
    """0-99%10 has 100."""
    first, _, last = array.partition("%")[0].partition("-")
    return int(last or first) - int(first) + 1


def _of_workers(plan: models.PlanResponse, total: str) -> str:
    spec = plan.spec
    if spec.roles:
        roles = ", ".join(f"{one.count} {one.name}" for one in spec.roles)
        return f"{roles}, {total} {'GPU' if total == '1' else 'GPUs'} in all"
    workers = text.count(spec.workers or 1, "worker")
    if not spec.gpu:
        return f"{workers}, no GPU, {spec.cpu} cpu, {spec.memory}"
    model = "/".join(spec.gpu.model or []) or "any model"
    gpus = "GPU" if total == "1" else "GPUs"
    where = f", {spec.topology.mode.lower()} one {spec.topology.level}" if spec.topology else ""
    return f"{workers}, {total} {gpus} in total, {model}; each {spec.cpu} cpu, {spec.memory}{where}"
