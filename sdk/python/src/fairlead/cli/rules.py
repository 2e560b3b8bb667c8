"""Commands for fault rules."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fairlead import models
from fairlead.cli import text
from fairlead.cli.actions import DryRun, noun
from fairlead.cli.output import Column, Format, say, show, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text

app = noun("Show, test and change rules for GPU faults.")

RULES: list[Column[models.HealthRuleResponse]] = [
    Column("CODE", lambda rule: rule.code),
    Column("CAUSE", lambda rule: rule.name),
    Column("SEVERITY", lambda rule: rule.severity),
    Column("QUARANTINE", lambda rule: rule.quarantine),
    Column("STEP", lambda rule: rule.step),
    Column("CHANGED", lambda rule: ", ".join(rule.changed) or "-"),
]
SETTABLE = ("name", "severity", "quarantine", "step", "advice")

Code = Annotated[
    str,
    typer.Argument(metavar="CODE", help="An XID such as 79, or the name of a DCGM code."),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Set the rule even if it exceeds the circuit breakers."),
]


@app.command(
    "list",
    help=help_text(
        "List the fault rules: for each driver or DCGM code its meaning, the scope that its "
        "first event takes out of service, its repair, and locally changed fields.",
        "fairlead incident rule list",
        "fairlead incident rule list --acting",
    ),
    short_help="List the table of faults",
)
def list_all(
    context: typer.Context,
    acting: Annotated[
        bool, typer.Option("--acting", help="Show only codes that take capacity out of service.")
    ] = False,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.health_rules.table().items
    shown = [rule for rule in found if not acting or rule.quarantine != "NONE"]
    show_all(shown, RULES, output, columns, name=lambda rule: rule.code, empty="no rules")


@app.command(
    "get",
    help=help_text(
        "Show the rule for a code.",
        "fairlead incident rule get 79",
        "fairlead incident rule get DCGM_FR_ROW_REMAP_FAILURE",
    ),
    short_help="Show a rule",
)
def get(context: typer.Context, code: Code, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        found = fl.health_rules.get(code)
    show(found, output, lambda: row(found), found.code)


@app.command(
    "set",
    help=help_text(
        "Change the rule for a code. It applies to the next monitor report. A rule that takes "
        "more out of service is replayed against stored events first, and refused if it exceeds "
        "the circuit breakers. For operators.",
        "fairlead incident rule set 31 --quarantine GPU_ON_REPEAT --step RESET_GPU --dry-run",
        "fairlead incident rule set 63 --severity FATAL --name 'row remap, seen with firmware 96'",
    ),
    short_help="Change a rule",
)
def put(
    context: typer.Context,
    code: Code,
    quarantine: Annotated[
        str | None, typer.Option(help="NONE, GPU, GPU_ON_REPEAT or NODE.")
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(help="NONE, RESTART_JOB, RESET_GPU, REBOOT, POWER_CYCLE, SERVICE or REPLACE."),
    ] = None,
    severity: Annotated[str | None, typer.Option(help="FATAL or NONFATAL.")] = None,
    name: Annotated[str | None, typer.Option(help="Cause in words.")] = None,
    advice: Annotated[str | None, typer.Option(help="For the operator.")] = None,
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    words: dict[str, Any] = {"name": name, "advice": advice}
    choices = {"severity": severity, "quarantine": quarantine, "step": step}
    body = {field: value for field, value in words.items() if value is not None}
    body |= {field: value.upper() for field, value in choices.items() if value is not None}
    if not body:
        raise UsageProblem("give a change, such as --quarantine NODE")
    changed(context, code, body, force, dry_run)


@app.command(
    "reset",
    help=help_text(
        "Reset the rule for a code to Fairlead's default, including the defaults of later "
        "versions. For operators.",
        "fairlead incident rule reset 31",
    ),
    short_help="Reset a rule to Fairlead's default",
)
def reset(
    context: typer.Context, code: Code, force: Force = False, dry_run: DryRun = False
) -> None:
    changed(context, code, dict.fromkeys(SETTABLE), force, dry_run)


def changed(
    context: typer.Context, code: str, body: dict[str, Any], force: bool, dry_run: bool
) -> None:
    with client(context) as fl:
        version = fl.health_rules.get(code).version
        done = fl.health_rules.update(
            code, body, version=version, force=force, validate_only=dry_run
        )
    say(f"{'would be: ' if dry_run else ''}{row(done).rstrip()}")


def row(rule: models.HealthRuleResponse) -> str:
    changes = f", changed: {', '.join(rule.changed)}" if rule.changed else ", as shipped"
    name = f" ({text.safe(rule.name)})" if rule.name else ""
    advice = f"\n  {text.safe(rule.advice)}" if rule.advice else ""
    code = f"XID {rule.xid}" if rule.xid else rule.code
    return (
        f"{code}{name}: {rule.severity}, quarantine {rule.quarantine}, "
        f"repaired by {rule.step}{changes}{advice}\n"
    )


@app.command(
    "replay",
    help=help_text(
        "Replay stored events against another rule for a code, without a change. Exits with 6 if "
        "the circuit breaker would refuse the rule.",
        "fairlead incident rule replay --xid 31 --quarantine GPU_ON_REPEAT",
        "fairlead incident rule replay --code DCGM_FR_PENDING_ROW_REMAP --quarantine GPU --back 2d",
    ),
    short_help="Replay stored events against another rule",
)
def replay(
    context: typer.Context,
    code: Annotated[
        str, typer.Option("--code", "--xid", help="An XID, or the name of a DCGM code.")
    ],
    quarantine: Annotated[
        str, typer.Option("--quarantine", help="NONE, GPU, GPU_ON_REPEAT or NODE.")
    ],
    back: Annotated[
        str, typer.Option("--back", help="Replay events of this duration before now, at most 7d.")
    ] = "7d",
    output: Output = Format.TABLE,
) -> None:
    with client(context) as fl:
        found = fl.replay_rule(
            int(code) if code.isdecimal() else code, quarantine.upper(), back=back
        )
    show(found, output, lambda: story(found), str(found.quarantines))
    if not found.allowed:
        raise typer.Exit(6)


def story(found: models.RuleReplayResponse) -> str:
    lines = [
        f"{found.events} events since {found.from_:%Y-%m-%d %H:%M:%S}Z: "
        f"{found.quarantines} quarantines of {found.nodes} nodes, "
        f"{found.current_quarantines} by the current rule"
    ]
    for hit in found.hits:
        of = f", GPU {hit.gpu}" if hit.gpu else ""
        done = f"; then {hit.incident}" if hit.incident else "; no action was taken then"
        lines.append(f"  {hit.at:%Y-%m-%d %H:%M:%S}Z {hit.cluster} {hit.node}{of}{done}")
    if found.quarantines > len(found.hits):
        lines.append(f"  and {found.quarantines - len(found.hits)} more")
    lines += [f"refused: {refusal}" for refusal in found.refusals]
    return "\n".join(lines) + "\n"
