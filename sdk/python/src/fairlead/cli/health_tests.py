"""Commands for health tests of nodes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, changing, listing, noun
from fairlead.cli.output import Column, Format, say, show
from fairlead.cli.session import Output, UsageProblem, client, help_text

app = noun("Set, run and show tests that nodes have to pass.")

TESTS: list[Column[models.HealthTestResponse]] = [
    Column("NAME", lambda one: one.name),
    Column("PROJECT", lambda one: one.project, rank=6),
    Column("IMAGE", lambda one: one.image, rank=8),
    Column("EVERY", lambda one: one.every or "on demand"),
    Column("AT ONCE", lambda one: str(one.at_once), rank=7),
    Column("TESTED", lambda one: f"{one.tested}/{one.nodes}"),
    Column("UNDER WAY", lambda one: str(one.under_way)),
    Column("WHY NOT", lambda one: one.message or "-", rank=5),
]
RUNS: list[Column[models.HealthTestRunResponse]] = [
    Column("NODE", lambda run: run.node),
    Column("CLUSTER", lambda run: run.cluster, rank=6),
    Column("TEST", lambda run: run.test),
    Column("OUTCOME", lambda run: run.outcome or "-"),
    Column("STARTED", lambda run: text.ago(run.started_at)),
    Column("JOB", lambda run: run.job or "-", rank=5),
    Column("BY", lambda run: run.actor or run.preflight_of or "clock", rank=7),
    Column("WHY", lambda run: run.message or "-", rank=8),
]
Name = Annotated[str, typer.Argument(metavar="TEST", help="Name of the test, a DNS label.")]


@app.command(
    "list",
    help=help_text(
        "List health tests, the number of nodes each has tested, and why a test is not running.",
        "fairlead node test list",
    ),
    short_help="List health tests",
)
@listing(TESTS, "no health tests")
def list_all(fl: Fairlead) -> Iterable[models.HealthTestResponse]:
    return fl.health_tests.list()


@app.command(
    "set",
    help=help_text(
        "Add a health test, or change it, from a file: project, job (as for fairlead submit, of one "
        "member and with maxRuntime), every, idleFor, atOnce and step. For administrators.",
        "fairlead node test set dcgm dcgm.yaml",
        "fairlead node test set dcgm dcgm.yaml --dry-run",
    ),
    short_help="Add a test, or change it",
)
def put(
    context: typer.Context,
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="YAML or JSON file; - for stdin.")],
    dry_run: DryRun = False,
) -> None:
    try:
        body = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageProblem(f"{file} cannot be read: {problem}") from problem
    with client(context) as fl:
        done = fl.health_tests.set(name, body, validate_only=dry_run)
    when = f"every {done.every}" if done.every else "on demand"
    say(f"test {done.name} {'would test' if dry_run else 'tests'} {done.nodes} nodes {when}")
    if done.message:
        say(done.message)


@app.command(
    "delete",
    help=help_text(
        "Delete a health test. Its runs remain readable. For administrators.",
        "fairlead node test delete dcgm",
    ),
    short_help="Delete a test",
)
@changing("test", "deleted")
def delete(fl: Fairlead, name: Name, *, validate_only: bool) -> None:
    fl.health_tests.delete(name, validate_only=validate_only)


@app.command(
    "run",
    help=help_text(
        "Test a node now, whether it is due or not. For operators.",
        "fairlead node test run dcgm eu-1-gpu-0004",
    ),
    short_help="Test a node now",
)
def run(
    context: typer.Context,
    name: Name,
    node: Annotated[str, typer.Argument(metavar="NODE", help="Name or id of the node.")],
    output: Output = Format.TABLE,
    dry_run: DryRun = False,
) -> None:
    with client(context) as fl:
        begun = fl.health_tests.run(name, node, validate_only=dry_run)
    told = f"node {begun.node} {'would be' if dry_run else 'is'} tested by {begun.test}\n"
    show(begun, output, lambda: told, begun.id)
    if not dry_run:
        say(f"Next: fairlead node test runs --node {begun.node}")


@app.command(
    "runs",
    help=help_text(
        "List results of health tests, newest first.",
        "fairlead node test runs",
        "fairlead node test runs --test dcgm --node eu-1-gpu-0004",
    ),
    short_help="List results of health tests",
)
@listing(RUNS, "no runs", lambda run: run.id)
def runs(
    fl: Fairlead,
    test: Annotated[str | None, typer.Option(help="Only this test.")] = None,
    node: Annotated[str | None, typer.Option(help="Only this node, by name or id.")] = None,
) -> Iterable[models.HealthTestRunResponse]:
    return fl.health_tests.runs(test=test, node=node)
