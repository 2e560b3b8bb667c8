"""Verbs about this command itself: what is remembered, completion, any path of the API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Annotated

import typer
from typer._completion_shared import get_completion_script

from fairlead import Settings
from fairlead import _settings as files
from fairlead.cli.output import Format, emit, pairs, say, show
from fairlead.cli.session import Output, UsageProblem, client, help_text, session, verb

KEYS = [field.name for field in fields(Settings)]
SHELLS = ("bash", "zsh", "fish")
app = typer.Typer()
config = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


def checked(rule: Callable[[str], str], value: str) -> str:
    try:
        return rule(value)
    except ValueError as wrong:
        raise UsageProblem(str(wrong)) from wrong


def stored_settings() -> Settings:
    try:
        return Settings.of_file()
    except ValueError as broken:
        raise UsageProblem(str(broken)) from broken


def masked(settings: Settings) -> dict[str, str | None]:
    return {**asdict(settings), "token": "set" if settings.token else None}


@config.callback(
    help=help_text(
        "Show or change what is remembered: url, token, project, tenant, image.",
        "fairlead config",
        "fairlead config set project nlp",
        "fairlead config set image nvidia/cuda:12.8.1-base-ubuntu24.04",
        "fairlead config unset image",
    )
)
def show_config(context: typer.Context, output: Output = Format.TABLE) -> None:
    if context.invoked_subcommand is not None:
        return
    values = masked(session(context).settings())
    shown = {**values, "url": values["url"] or files.DEFAULT_URL, "file": str(files.path())}
    show(shown, output, lambda: pairs(shown.items()))


@config.command("set", help="Remember a value.")
def set_value(key: str, value: str) -> None:
    if key == "token":
        raise UsageProblem(
            "a token on the command line is seen by others: fairlead login --token-stdin"
        )
    if key == "url":
        value = checked(files.checked_url, value)
    say(f"kept in {stored_settings().changed(known(key), value).save()}")


@config.command("get", help="Print a value.")
def get_value(context: typer.Context, key: str) -> None:
    value = masked(session(context).settings())[known(key)]
    if value is None:
        raise typer.Exit(1)
    emit(f"{value}\n")


@config.command("unset", help="Forget a value.")
def unset_value(key: str) -> None:
    say(f"forgotten in {stored_settings().changed(known(key), None).save()}")


def known(key: str) -> str:
    if key not in KEYS:
        raise UsageProblem(f"no setting {key!r}; there are {', '.join(KEYS)}")
    return key


@verb(
    app,
    "completion",
    "Print a script that completes verbs, options and job names",
    'eval "$(fairlead completion bash)"',
    "fairlead completion zsh > ~/.zfunc/_fairlead",
    "fairlead completion fish > ~/.config/fish/completions/fairlead.fish",
)
def completion(shell: Annotated[str, typer.Argument(help="bash, zsh or fish")]) -> None:
    if shell not in SHELLS:
        raise UsageProblem(f"no completion for {shell!r}; there is {', '.join(SHELLS)}")
    script = get_completion_script(
        prog_name="fairlead", complete_var="_FAIRLEAD_COMPLETE", shell=shell
    )
    emit(script + "\n")


@verb(
    app,
    "api",
    "Read any path of the API",
    "fairlead api get /version",
    "fairlead api get '/jobs?state=FAILED&pageSize=5' -o yaml",
)
def api(
    context: typer.Context,
    method: Annotated[str, typer.Argument(help="get")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="Below /api/v1.")],
    output: Output = Format.JSON,
) -> None:
    if method.lower() != "get":
        raise UsageProblem(f"{method!r}: only get; what changes something has a verb of its own")
    with client(context) as fl:
        answer = fl.raw(path)
    if isinstance(answer, str):
        emit(answer)
        return
    form = Format.JSON if output in (Format.TABLE, Format.WIDE, Format.CSV, Format.NAME) else output
    show(answer, form, str)
