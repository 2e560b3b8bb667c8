"""Commands that apply and export the configuration of the platform."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from enum import Enum
from typing import Annotated

import typer

from fairlead import (
    ApiError,
    Fairlead,
    FairleadError,
    Forbidden,
    NotFound,
    ServerError,
    Unreachable,
)
from fairlead.cli import bulk, text
from fairlead.cli.files import yaml_of
from fairlead.cli.output import ClosedPipe, emit, say
from fairlead.cli.platform_files import read
from fairlead.cli.platform_kinds import KINDS, LIMITS, PROJECTS, Object, brief
from fairlead.cli.platform_plan import Live, Step, plan
from fairlead.cli.session import client, session, verb

app = typer.Typer()
DIFFERENT = 10
FAILED_PRECONDITION = 412
PAST = {"create": "created", "change": "changed", "delete": "deleted"}

KindName = Enum("KindName", {name: name for name in KINDS}, type=str)  # type: ignore[misc]


@verb(
    app,
    "apply",
    "Apply the configuration of a file or folder",
    "fairlead export > platform.yaml",
    "fairlead apply -f platform.yaml --dry-run",
    "fairlead apply -f platform/ --prune",
    more="Creates and changes clusters, pools, quotas, projects, queues, members, budgets, prices and "
    "limits until they are as in the file. An omitted field has its default. An object that the "
    "file omits does not change, unless --prune deletes it. Exits with 10 if --dry-run finds "
    "changes.",
)
def apply(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Option(
            "--file", "-f", metavar="PATH", help="YAML file, folder, or - for stdin. Repeatable."
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print the differences, as a unified diff.")
    ] = False,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune",
            help="Delete objects that the file omits, of the kinds in the file. Members only of tenants and "
            "projects in the file. Never prices and limits.",
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before --prune deletes.")
    ] = False,
) -> None:
    platform = read(files)
    with client(context) as fl:
        live = Live(fl, session(context).settings().tenant)
        steps = plan(live, platform, prune=prune)
        if dry_run:
            raise typer.Exit(preview(steps))
        gone = [step.title for step in steps if step.verb == "delete"]
        if gone and not yes:
            where = f"--prune deletes at {text.safe(fl.url)}, tenant {text.safe(live.tenant)}:"
            say("\n".join([where, *(f"  {text.safe(one)}" for one in gone)]))
            bulk.confirmed(f"Delete {text.count(len(gone), 'object')}?")
        run(fl, steps)
    say(summary(steps, "{}") if steps else "no changes")


def preview(steps: list[Step]) -> int:
    shown = [step for step in steps if step.follows is None]
    with suppress(ClosedPipe):
        for step in shown:
            emit(step.diff())
            if step.note:
                say(f"{text.safe(step.title)}: {step.note}")
    say(summary(shown, "would be {}") if steps else "no changes")
    return DIFFERENT if steps else 0


def summary(steps: list[Step], form: str) -> str:
    counts = Counter(step.verb for step in steps if step.follows is None)
    return ", ".join(
        f"{text.count(counts[one], 'object')} {form.format(PAST[one])}"
        for one in PAST
        if counts[one]
    )


def run(fl: Fairlead, steps: list[Step]) -> None:
    """Stops at the first refusal, and lists the steps that were not executed. A second run continues."""
    for number, step in enumerate(steps):
        try:
            send(fl, step)
        except (FairleadError, KeyboardInterrupt) as wrong:
            rest = [f"  {one.verb} {text.safe(one.title)}" for one in steps[number:]]
            if isinstance(wrong, (KeyboardInterrupt, ServerError, Unreachable)):
                rest[0] += " (or done without an answer)"
            say("\n".join(["not done:", *rest]))
            if isinstance(wrong, KeyboardInterrupt):
                raise
            raise named(step, wrong) from wrong
        if step.follows is None:
            with suppress(ClosedPipe):  # the rest is applied without its reader
                emit(f"{text.safe(step.title)} {PAST[step.verb]}\n")


def send(fl: Fairlead, step: Step) -> None:
    try:
        step.send(fl)
    except NotFound:
        if step.verb != "delete":  # otherwise another user, or a repeated request, deleted it
            raise


def named(step: Step, wrong: FairleadError) -> FairleadError:
    if isinstance(wrong, ApiError):
        where = f"{step.where}: {step.title}" if step.where else step.title
        if wrong.status == FAILED_PRECONDITION:
            wrong.detail = "it changed after it was read. Apply again."
        wrong.title = f"{where}: {wrong.title or wrong.code}"
        wrong.detail = f"{where}: {wrong.detail}"
    return wrong


@verb(
    app,
    "export",
    "Print the configuration as a file for apply",
    "fairlead export > platform.yaml",
    "fairlead export --kind quotas --kind queues",
    more="Contains neither secrets nor ids, and no fields with their default. Kinds that you may not "
    "read are skipped.",
)
def export(
    context: typer.Context,
    kinds: Annotated[
        list[KindName] | None, typer.Option("--kind", help="Only this kind. Repeatable.")
    ] = None,
) -> None:
    chosen = [str(one.value) for one in kinds or ()] or list(KINDS)
    with client(context) as fl:
        live = Live(fl, session(context).settings().tenant)
        found = {name: objects(live, name) for name in KINDS if name in chosen}
    whole = {name: one for name, one in found.items() if one}
    emit(yaml_of(whole) if whole else "")


def objects(live: Live, name: str) -> list[Object]:
    """Returns the objects in the order of their keys."""
    kind = KINDS[name]
    try:
        scopes = ["", *(key[0] for key in live.all(PROJECTS))] if kind.scoped else []
        present = live.all(kind, scopes)
    except (Forbidden, NotFound) as refused:
        say(f"{name} are skipped: {text.safe(refused.detail)}")
        return []
    found = [brief(kind, present[key].now) for key in sorted(present)]
    return [one for one in found if kind is not LIMITS or set(one) - {"project"}]
