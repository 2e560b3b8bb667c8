"""Commands that convert files into job files."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead.cli import output, slurm
from fairlead.cli.files import text_of
from fairlead.cli.output import emit, say
from fairlead.cli.session import help_text, session

EXIT_LOST = 3
app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback(help="Convert existing files into job files.")
def group() -> None:
    return


@app.command(
    "sbatch",
    help=help_text(
        "Convert a Slurm batch script into a job file on standard output. Standard error lists "
        "every line without an equivalent. Exits with 3 if the job lacks something that such a "
        "line requested.",
        "fairlead convert sbatch train.sbatch --image registry.example.com/nlp/train:2.9 > train.yaml",
    ),
    short_help="Turn a Slurm batch script into a job file",
)
def convert_sbatch(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="- is standard input.")],
    image: Annotated[
        str | None, typer.Option("--image", "-i", help="Container image for the job.")
    ] = None,
) -> None:
    script = slurm.convert(text_of(file), image or session(context).settings().image)
    emit(document(script, file))
    for note in script.notes:
        say(f"{file}: {note}")
    if "image" not in script.spec:
        say(
            f"{file}: Slurm runs on the node itself, Fairlead in an image: pass --image, or set "
            "image"
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
