"""Commands for secrets of a project."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from fairlead import Fairlead, models
from fairlead.cli import bulk, text
from fairlead.cli.actions import DryRun, Yes, listing, noun, showing
from fairlead.cli.output import Column, say
from fairlead.cli.session import client, help_text, verb

app = noun("Manage secrets of a project. Values can be set but not read.")

SECRETS: list[Column[models.SecretResponse]] = [
    Column("NAME", lambda s: s.name),
    Column("KEYS", lambda s: ", ".join(s.keys)),
    Column("BYTES", lambda s: str(sum(s.keys.values()))),
    Column("CHANGED", lambda s: text.moment(s.updated_at)),
    Column("BY", lambda s: s.updated_by, rank=5),
    Column("VERSION", lambda s: str(s.version), rank=6),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A DNS label.")]
Project = Annotated[
    str | None, typer.Option("--project", "-p", help="Project. The current project by default.")
]


@app.command(
    "list",
    help=help_text(
        "List secrets with their keys and sizes.",
        "fairlead secret list",
        "fairlead secret list --project nlp -o json",
    ),
    short_help="List secrets",
)
@listing(SECRETS, "no secrets")
def list_secrets(fl: Fairlead, project: Project = None) -> Iterable[models.SecretResponse]:
    return fl.secrets.list(project=project)


@verb(app, "get", "Show a secret without its values", "fairlead secret get hub")
@showing
def get(fl: Fairlead, name: Name, project: Project = None) -> BaseModel:
    return fl.secrets.get(name, project=project)


def read(path: Path) -> str:
    """Reads a file as text. Raises BadParameter if it is not UTF-8."""
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_bytes().decode()
    except UnicodeDecodeError as e:
        raise typer.BadParameter(f"{path} is not UTF-8 text. Store it as base64") from e
    except OSError as e:
        raise typer.BadParameter(f"{path}: {e.strerror}") from e


class Once(dict[str, str]):
    """Values by key. Raises BadParameter for a second value of a key, which would replace the first."""

    def __setitem__(self, key: str, value: str) -> None:
        if key in self:
            raise typer.BadParameter(f"key {key!r} is given twice. Give each key once")
        super().__setitem__(key, value)


def of_files(given: list[str], data: Once) -> None:
    """Adds KEY=PATH, or PATH with the file name as the key."""
    for one in given:
        key, equals, path = one.partition("=")
        data[key if equals else Path(one).name] = read(Path(path if equals else one))


def of_env_file(path: Path, data: Once) -> None:
    """Adds lines of the form KEY=VALUE without removing quotes. Skips empty lines and comments (#)."""
    for number, line in enumerate(read(path).splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            key, equals, value = line.partition("=")
            if not equals:
                # the line may be a value, so it is not repeated
                raise typer.BadParameter(f"{path}, line {number} is not KEY=VALUE")
            data[key.strip()] = value


def of_words(given: list[str], data: Once) -> None:
    """Adds KEY=VALUE. KEY=- reads the value from stdin, without its trailing newline."""
    for one in given:
        key, equals, value = one.partition("=")
        if not equals:
            raise typer.BadParameter("give KEY=-, KEY=VALUE, --from-file or --from-env-file")
        data[key] = sys.stdin.read().rstrip("\r\n") if value == "-" else value


@app.command(
    "set",
    help=help_text(
        "Create a secret, or replace all its values. KEY=- reads the value from stdin, so that "
        "it does not end up in the shell history. Launched attempts retain the previous values. "
        "For owners.",
        "fairlead secret set hub token=- < token.txt",
        "fairlead secret set tls --from-file tls.crt --from-file tls.key=server.pem",
        "fairlead secret set s3 --from-env-file s3.env --project nlp",
    ),
    short_help="Create a secret, or replace its values",
)
def put(
    context: typer.Context,
    name: Name,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=-...", help="Or KEY=VALUE.")
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option("--from-file", metavar="[KEY=]PATH", help="Read the value from a file."),
    ] = None,
    env_file: Annotated[
        Path | None, typer.Option("--from-env-file", metavar="PATH", help="Lines KEY=VALUE.")
    ] = None,
    project: Project = None,
    dry_run: DryRun = False,
) -> None:
    if sum(word.endswith("=-") for word in words or []) > 1:
        raise typer.BadParameter("only one key can be read from stdin")
    data = Once()
    if env_file:
        of_env_file(env_file, data)
    of_files(files or [], data)
    of_words(words or [], data)
    if not data:
        raise typer.BadParameter("give KEY=-, KEY=VALUE, --from-file or --from-env-file")
    with client(context) as fl:
        kept = fl.secrets.put(name, data, project=project, validate_only=dry_run)
    say(f"secret {kept.name} {'would have' if dry_run else 'has'} {', '.join(kept.keys)}")


@verb(
    app,
    "delete",
    "Delete a secret",
    "fairlead secret delete hub",
    "fairlead secret delete hub --yes",
    more="Launched attempts retain its values. Later attempts of jobs that name the secret fail.",
)
def delete(
    context: typer.Context,
    name: Name,
    project: Project = None,
    yes: Yes = False,
) -> None:
    if not yes:
        bulk.confirmed(f"Delete secret {name}?")
    with client(context) as fl:
        fl.secrets.delete(name, project=project)
    say(f"secret {name} is deleted")
