"""Quarantines of racks and other topology domains."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from fairlead import Fairlead, NotFound, models
from fairlead.cli import bulk, text
from fairlead.cli.actions import listing
from fairlead.cli.output import Column, emit, say
from fairlead.cli.session import UsageProblem, verb

app = typer.Typer()

QUARANTINES: list[Column[models.DomainQuarantineResponse]] = [
    Column("ID", lambda q: q.id, rank=4),
    Column("LEVEL", lambda q: q.level),
    Column("DOMAIN", lambda q: q.domain),
    Column("NODES", lambda q: q.nodes),
    Column("ENDS", lambda q: end(q)),
    Column("BY", lambda q: q.owner, rank=3),
    Column("AGE", lambda q: text.ago(q.since), rank=5),
    Column("REASON", lambda q: q.reason),
]


@verb(
    app,
    "node quarantines",
    "Show quarantined topology domains of a cluster, newest first",
    "fairlead node quarantines --cluster eu-1",
    "fairlead node quarantines --cluster eu-1 --all",
)
@listing(QUARANTINES, "no domain is quarantined", lambda q: q.id)
def quarantines(
    fl: Fairlead,
    cluster: Annotated[str, typer.Option("--cluster", "-c", help="Name or id of the cluster.")],
    everything: Annotated[bool, typer.Option("--all", help="Include ended quarantines.")] = False,
) -> Iterable[models.DomainQuarantineResponse]:
    return fl.domain_quarantines.list(cluster, standing=not everything)


def end(quarantine: models.DomainQuarantineResponse) -> str:
    if quarantine.released is not None:
        return f"over: {quarantine.released}"
    return f"{quarantine.until:%Y-%m-%d %H:%M} UTC" if quarantine.until else "when it is released"


def of_nodes(quarantine: models.DomainQuarantineResponse) -> str:
    return f"{text.count(quarantine.nodes, 'node')} of {quarantine.level} {quarantine.domain}"


def parsed(domain: str) -> tuple[str, str]:
    level, equals, name = domain.partition("=")
    if not (level and equals and name):
        raise UsageProblem(f"--domain {domain!r} is not LEVEL=NAME, such as rack=eu-1-r03")
    return level, name


def standing(fl: Fairlead, cluster: str, domain: str) -> models.DomainQuarantineResponse | None:
    """The quarantine of the domain. An older server without domain quarantines responds as if the
    cluster did not exist."""
    level, name = parsed(domain)
    try:
        found = list(fl.domain_quarantines.list(cluster, standing=True))
    except NotFound:
        fl.clusters.get(cluster)
        raise UsageProblem(
            "this server does not support domain quarantines: upgrade it, or name each node"
        ) from None
    return next((one for one in found if (one.level, one.domain) == (level, name)), None)


def take_out(
    fl: Fairlead,
    cluster: str,
    domain: str,
    reason: str,
    lasts: str | None,
    *,
    force: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Starts a quarantine, or changes the reason and end of the active one."""
    there = standing(fl, cluster, domain)

    def order(tried: bool) -> models.DomainQuarantineResponse:
        body: dict[str, Any] = {"reason": reason}
        if there is not None:
            body |= {"until": None} if lasts is None else {"lasts": lasts}
            return fl.domain_quarantines.update(
                cluster, there.id, body, version=there.version, validate_only=tried
            )
        level, name = parsed(domain)
        body |= {"level": level, "domain": name}
        body |= {} if lasts is None else {"lasts": lasts}
        body |= {"force": True} if force else {}
        return fl.domain_quarantines.create(cluster, body, validate_only=tried)

    if dry_run:
        concerned(order(True))
        return
    if not yes:
        bulk.confirmed(f"Quarantine {of_nodes(order(True))}?")
    done = order(False)
    emit(f"{of_nodes(done)}: out of service, ends {end(done)}\n")


def take_back(
    fl: Fairlead, cluster: str, domain: str, reason: str, *, yes: bool, dry_run: bool
) -> None:
    there = standing(fl, cluster, domain)
    if there is None:
        raise UsageProblem(
            f"{domain} of {cluster} is not quarantined; release its quarantined nodes one by one"
        )
    if dry_run:
        concerned(fl.domain_quarantines.release(cluster, there.id, reason, validate_only=True))
        return
    if not yes:
        bulk.confirmed(f"Release {of_nodes(there)}?")
    done = fl.domain_quarantines.release(cluster, there.id, reason)
    emit(f"{of_nodes(done)}: released\n")
    kept = done.otherwise_quarantined or []
    if kept:
        say(f"Still out of service for another reason: {text.safe(', '.join(kept))}")


def concerned(quarantine: models.DomainQuarantineResponse) -> None:
    """Prints its nodes, and the jobs that run there on stderr."""
    emit("".join(f"{text.safe(name)}\n" for name in quarantine.node_names or []))
    for job in quarantine.jobs or []:
        say(f"{job.id} {text.safe(job.name)} runs on {text.count(job.nodes, 'node')} of it")
    more = (quarantine.job_count or 0) - len(quarantine.jobs or [])
    if more > 0:
        say(f"and {text.count(more, 'more job')}")
