"""Verbs about this command itself: who calls, where the service is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Annotated

import typer
from typer._completion_shared import get_completion_script

from fairlead import Fairlead, Settings, _keyring
from fairlead import _settings as files
from fairlead.cli.output import Format, emit, pairs, say, show
from fairlead.cli.session import CLI_TIMEOUT, Output, UsageProblem, client, help_text, session, verb

KEYS = [field.name for field in fields(Settings)]
SHELLS = ("bash", "zsh", "fish")
app = typer.Typer()
config = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@verb(
    app,
    "login",
    "Remember the service's address and a token, after trying both",
    "fairlead login --url https://fairlead.example.com",
    "fairlead login --url http://127.0.0.1:8080 --no-token",
    "fairlead login --token-stdin < token.txt",
    more="The address is kept in a file that only you can read (fairlead config names it), the token in the "
    "keyring of your system when the package keyring is installed and finds one, else in the same file.",
)
def login(
    context: typer.Context,
    url: Annotated[str | None, typer.Option("--url", help="Address of the service.")] = None,
    token_stdin: Annotated[
        bool, typer.Option("--token-stdin", help="Read the token from there.")
    ] = False,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="The service asks for none.")
    ] = False,
    in_file: Annotated[
        bool, typer.Option("--in-file", help="The token in the file, whatever keyring there is.")
    ] = False,
) -> None:
    known = session(context).settings()
    address = checked(files.checked_url, url or known.url or files.DEFAULT_URL)
    token = None if no_token else asked_token(token_stdin)
    with Fairlead(address, token, timeout=CLI_TIMEOUT) as fl:
        me = fl.me()
    stored = stored_settings()
    safe = token is not None and not in_file and _keyring.keep(address, token)
    kept = _keyring.MARK if safe else token
    path = Settings(address, kept, stored.project, stored.image, stored.tenant).save()
    where = f"{path}, its token in the keyring" if safe else str(path)
    say(f"{me.user} of {me.tenant} at {address}; kept in {where}")


def asked_token(from_stdin: bool) -> str:
    if from_stdin:
        token = sys.stdin.readline().strip()
    elif sys.stdin.isatty():
        token = str(typer.prompt("Token", hide_input=True, err=True)).strip()
    else:
        raise UsageProblem("no terminal to ask for the token: give --token-stdin or --no-token")
    return checked(files.checked_token, token)


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
