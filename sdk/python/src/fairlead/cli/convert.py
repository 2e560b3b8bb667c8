"""Commands that convert files into job and service files."""

from __future__ import annotations

from typing import Annotated

import typer

from fairlead.cli import kserve, output, slurm
from fairlead.cli.actions import noun
from fairlead.cli.files import text_of
from fairlead.cli.output import emit, say
from fairlead.cli.session import UsageProblem, help_text, session

EXIT_LOST = 3
app = noun("Convert existing files into job and service files.")


@app.command(
    "sbatch",
    help=help_text(
        "Convert a Slurm batch script into a job file on standard output. Standard error lists "
        "every line without an equivalent. Exits with 3 if the job lacks something that such a "
        "line requested.",
        "fairlead job convert sbatch train.sbatch --image registry.example.com/nlp/train:2.9 > train.yaml",
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


@app.command(
    "inferenceservice",
    help=help_text(
        "Convert an InferenceService of KServe, and a ScaledObject of KEDA in the same file, into a "
        "service file on standard output. Standard error lists every field without an equivalent. "
        "Exits with 3 if the service lacks something that such a field requested.",
        "fairlead job convert inferenceservice chat.yaml --route chat.example.com > service.yaml",
    ),
    short_help="Turn an InferenceService into a service file",
)
def convert_inferenceservice(
    file: Annotated[str, typer.Argument(metavar="FILE", help="- is standard input.")],
    route: Annotated[
        str | None, typer.Option("--route", metavar="HOST", help="Host name of the requests.")
    ] = None,
) -> None:
    try:
        service = kserve.convert(text_of(file), route)
    except kserve.NotConvertible as wrong:
        raise UsageProblem(f"{file} {wrong}") from wrong
    emit(output.document(service.spec, f"from {file}"))
    for note in service.notes:
        say(f"{file}: {note}")
    if route is None:
        say(f"{file}: the host name comes from the KServe settings: pass --route, or set route")
    say(f"Next: fairlead service apply {service.name} FILE --dry-run")
    if service.lost:
        raise typer.Exit(EXIT_LOST)


def document(script: slurm.Script, file: str) -> str:
    remarks = [f"from {file}"]
    if script.project:
        remarks.append(f"submit with --project {script.project}")
    return output.document(script.spec, *remarks)
