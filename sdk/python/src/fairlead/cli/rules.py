"""Verbs of health rules."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead import models
from fairlead.cli.output import Format, show
from fairlead.cli.session import Output, client, help_text

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback(help="Try rules for faults of GPUs.")
def group() -> None:
    return


@app.command(
    "replay",
    help=help_text(
        "Show what another rule for a code would have done to stored events; changes nothing. "
        "Exits with 6 when the circuit breaker would not let it.",
        "fairlead rules replay --xid 31 --quarantine GPU_ON_REPEAT",
        "fairlead rules replay --xid 63 --quarantine NODE --back 2d",
    ),
    short_help="Show what a rule would have done to stored events",
)
def replay(
    context: typer.Context,
    xid: Annotated[int, typer.Option("--xid", help="Code of the driver.")],
    quarantine: Annotated[
        str, typer.Option("--quarantine", help="NONE, GPU, GPU_ON_REPEAT or NODE.")
    ],
    back: Annotated[str, typer.Option("--back", help="How far, at most 7d.")] = "7d",
    output: Output = Format.TABLE,
) -> None:
    with client(context) as fl:
        found = fl.replay_rule(xid, quarantine.upper(), back=back)
    show(found, output, lambda: story(found), str(found.quarantines))
    if not found.allowed:
        raise typer.Exit(6)


def story(found: models.RuleReplayResponse) -> str:
    lines = [
        f"{found.events} events since {found.from_:%Y-%m-%d %H:%M:%S}Z: "
        f"{found.quarantines} quarantines of {found.nodes} nodes, "
        f"{found.current_quarantines} by the present rule"
    ]
    for hit in found.hits:
        of = f", GPU {hit.gpu}" if hit.gpu else ""
        done = f"; then {hit.incident}" if hit.incident else "; nothing was done then"
        lines.append(f"  {hit.at:%Y-%m-%d %H:%M:%S}Z {hit.cluster} {hit.node}{of}{done}")
    if found.quarantines > len(found.hits):
        lines.append(f"  and {found.quarantines - len(found.hits)} more")
    lines += [f"refused: {refusal}" for refusal in found.refusals]
    return "\n".join(lines) + "\n"
