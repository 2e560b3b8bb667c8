"""Verbs that make job files from others."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead.cli import output, slurm
from fairlead.cli.files import text_of
from fairlead.cli.output import emit, say
from fairlead.cli.session import help_text, session

EXIT_LOST = 3
app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback(help="Make job files from what you have.")
def group() -> None:
    return


@app.command(
    "sbatch",
    help=help_text(
        "Turn a Slurm batch script into a job file. The file goes to standard output; every line that "
        "could not be carried over is named on standard error, and the exit code is 3 when the job lacks "
        "what one of them asked for.",
        "fairlead convert sbatch train.sbatch --image registry.example.com/nlp/train:2.9 > train.yaml",
    ),
    short_help="Turn a Slurm batch script into a job file",
)
def convert_sbatch(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="- is standard input.")],
    image: Annotated[str | None, typer.Option("--image", "-i", help="What to run it in.")] = None,
) -> None:
    script = slurm.convert(text_of(file), image or session(context).settings().image)
    emit(document(script, file))
    for note in script.notes:
        say(f"{file}: {note}")
    if "image" not in script.spec:
        say(
            f"{file}: Slurm runs on the node itself, Fairlead in an image: give --image, or write image"
        )
    project = f"--project {script.project} " if script.project else ""
    say(f"Next: fairlead submit {project}FILE --dry-run")
    if script.lost:
        raise typer.Exit(EXIT_LOST)


def document(script: slurm.Script, file: str) -> str:
    remarks = [f"from {file}"]
    if script.project:
        remarks.append(f"submit with --project {script.project}")
    return output.document(script.spec, *remarks)
