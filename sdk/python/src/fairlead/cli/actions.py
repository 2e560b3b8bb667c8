"""Builds commands from client functions, adds the common options and prints the result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from pydantic import BaseModel

from fairlead.cli import bulk, text
from fairlead.cli.output import Column, Format, say, show, show_all
from fairlead.cli.session import Columns, Output, client

T = TypeVar("T")
Command = Callable[..., None]
Call = Callable[[typer.Context, Callable[..., Any], dict[str, Any]], None]

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only check it.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def noun(help: str) -> typer.Typer:
    """A group of commands."""
    app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    app.callback(help=help)(lambda: None)
    return app


def option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


OUTPUT = option("output", Output, Format.TABLE)
COLUMNS = option("columns", Columns, None)
DRY_RUN = option("dry_run", DryRun, False)
YES = option("yes", Yes, False)


def command(function: Callable[..., Any], run: Call, *options: inspect.Parameter) -> Command:
    """A command with the parameters of the function, except `fl` and `validate_only`, and the options."""

    def called(context: typer.Context, **given: Any) -> None:
        run(context, function, given)

    hints = get_type_hints(function, include_extras=True)
    own = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
        for name, one in inspect.signature(function).parameters.items()
        if name not in ("fl", "validate_only")
    ]
    context = inspect.Parameter(
        "context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    shown = inspect.Signature([context, *own, *options])
    called.__annotations__ = {one.name: one.annotation for one in shown.parameters.values()}
    called.__name__ = function.__name__
    called.__signature__ = shown  # type: ignore[attr-defined]
    return called


def listing(
    columns: Sequence[Column[T]],
    empty: str,
    name: Callable[[T], str] = lambda one: str(getattr(one, "name")),  # noqa: B009
) -> Callable[[Callable[..., Iterable[T]]], Command]:
    """Builds a command that lists the result. An empty result prints `empty`."""

    def run(
        context: typer.Context, read: Callable[..., Iterable[T]], given: dict[str, Any]
    ) -> None:
        form, names = given.pop("output"), given.pop("columns")
        with client(context) as fl:
            found = list(read(fl, **given))
        show_all(found, columns, form, names, name=name, empty=empty)

    return lambda read: command(read, run, OUTPUT, COLUMNS)


def showing(read: Callable[..., BaseModel]) -> Command:
    """Builds a command that shows a named result, as YAML by default."""

    def run(context: typer.Context, read: Callable[..., Any], given: dict[str, Any]) -> None:
        form = given.pop("output")
        with client(context) as fl:
            found = read(fl, **given)
        show(found, form, lambda: f"{text.safe(found.name)}\n", found.name)

    return command(read, run, OUTPUT.replace(default=Format.YAML))


def changing(thing: str, done: str, ask: str = "") -> Callable[[Callable[..., object]], Command]:
    """Builds a command that changes the object named by its first argument and reports `done`. With `ask`,
    the beginning of the question, it asks for confirmation unless -y or --dry-run is given."""

    def run(context: typer.Context, change: Callable[..., Any], given: dict[str, Any]) -> None:
        named = f"{thing} {next(iter(given.values()))}"
        dry_run = given.pop("dry_run")
        if ask and not given.pop("yes") and not dry_run:
            bulk.confirmed(f"{ask.format(named)}?")
        with client(context) as fl:
            change(fl, **given, validate_only=dry_run)
        say(f"{named} {'would be' if dry_run else 'is'} {done}")

    return lambda change: command(change, run, *([YES] if ask else []), DRY_RUN)
