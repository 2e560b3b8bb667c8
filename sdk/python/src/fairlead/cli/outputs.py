"""Outputs that the programs of jobs report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from fairlead import NotFound
from fairlead.cli import text
from fairlead.cli.output import Format, emit, say, show
from fairlead.cli.session import JobName, Output, client, session, verb

__all__ = ["app"]

app = typer.Typer()


@verb(
    app,
    "job output",
    "Print the outputs of a job, or the value of one",
    "fairlead job output prep",
    "MODEL=$(fairlead job output prep model)",
    "fairlead job output prep -o json",
    more="Prints the value of one output as it was reported. Outputs of a job that has not SUCCEEDED "
    "may still change, which is reported on stderr.",
)
def output(
    context: typer.Context,
    job: JobName,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of the output.")] = None,
    form: Output = Format.TABLE,
) -> None:
    with client(context) as fl:
        found = fl.jobs.find(job, project=session(context).project)
    outputs = found.outputs or {}
    if name is not None and name not in outputs:
        known = f"its outputs: {text.listed(outputs)}" if outputs else "it has none"
        raise NotFound(
            404, "NOT_FOUND", f"{found.name} is {found.state} and has no output {name}; {known}"
        )
    if found.state != "SUCCEEDED":
        say(f"{found.name} is {found.state}: its outputs are not final")
    if form is Format.TABLE and name is not None:
        emit(f"{outputs[name]}\n")
        return
    chosen = outputs if name is None else {name: outputs[name]}
    show(chosen, form, lambda: lines(chosen), found.name)


def lines(outputs: Mapping[str, str]) -> str:
    """Prints a name and its value on each line. Unlike `pairs`, includes empty values."""
    size = max((len(name) for name in outputs), default=0)
    return "".join(
        f"{f'{name:<{size}}  {text.safe(value)}'.rstrip()}\n" for name, value in outputs.items()
    )
