"""Commands for local settings, shell completion and direct API reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from itertools import islice
from typing import Annotated

import typer
from typer._completion_shared import get_completion_script

from fairlead import Settings, _keyring, models
from fairlead import _settings as files
from fairlead.cli import text
from fairlead.cli.actions import DryRun
from fairlead.cli.output import Column, Format, emit, machine, pairs, say, show, show_all
from fairlead.cli.session import Columns, Output, UsageProblem, client, help_text, session, verb
from fairlead.states import ConfigKind

KEYS = [field.name for field in fields(Settings)]
SHELLS = ("bash", "zsh", "fish")
KINDS = [one.value.lower() for one in ConfigKind]
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
        "Show or change the stored settings: url, token, project, tenant, image.",
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


@config.command("set", help="Store a setting. A new url removes the API token of the previous one.")
def set_value(key: str, value: str) -> None:
    if key == "token":
        raise UsageProblem(
            "a token on the command line is seen by others: fairlead login --token-stdin"
        )
    if key == "url":
        value = checked(files.checked_url, value)
    keep(known(key), value, "stored")


@config.command("get", help="Print a value.")
def get_value(context: typer.Context, key: str) -> None:
    value = masked(session(context).settings())[known(key)]
    if value is None:
        raise typer.Exit(1)
    emit(f"{value}\n")


@config.command("unset", help="Remove a setting. Removing url also removes its API token.")
def unset_value(key: str) -> None:
    keep(known(key), None, "forgotten")


def keep(key: str, value: str | None, done: str) -> None:
    """Stores the settings. A token belongs to one address and is removed with it."""
    stored = stored_settings()
    fresh = stored.changed(key, value)
    before, after = ((one.url or files.DEFAULT_URL).rstrip("/") for one in (stored, fresh))
    if after != before:
        fresh = fresh.changed("token", None)
    say(f"{done} in {fresh.save()}")
    if stored.token == _keyring.MARK and fresh.token is None:
        _keyring.forget(stored.url or files.DEFAULT_URL)
    if after != before and stored.token is not None:
        say(f"removed the API token for {before}, because it belongs to that service")
        say(f"Next: fairlead login --url {after}")


VERSIONS: list[Column[models.ConfigVersionResponse]] = [
    Column("VERSION", lambda v: str(v.version)),
    Column("AT", lambda v: text.moment(v.at)),
    Column("ACTOR", lambda v: text.safe(v.actor)),
    Column("ACTION", lambda v: v.action),
    Column("KIND", lambda v: v.kind),
    Column("NAME", lambda v: text.safe(v.name)),
    Column("REASON", lambda v: text.safe(v.reason or "-"), rank=5),
    Column("CHANGES", lambda v: "; ".join(change(c) for c in v.changes), rank=4),
]
LONGEST = 60


def change(of: models.Changed) -> str:
    """Such as `/weight 1 -> 2`."""
    before, after = (brief(of.before), brief(of.after))
    return text.safe(f"{of.path or '/'} {before} -> {after}")


def brief(value: str | None) -> str:
    if value is None:
        return "-"
    return value if len(value) <= LONGEST else value[:LONGEST] + "..."


@config.command(
    "history",
    help=help_text(
        "Show changes of queues and quotas, pools, prices, policies of idle cost, budgets, limits, "
        "licences, webhooks, templates, cloud identities, policies for jobs, labels of use, rules for "
        "faults, projects and tenants, the newest first. With a version, show that change with the "
        "documents before and after it. For administrators and auditors. Owners of the tenant do "
        "not see changes of pools, of tenants and of quotas between tenants.",
        "fairlead config history --kind queue --name research",
        "fairlead config history --limit 1000 -o csv > history.csv",
        "fairlead config history 48211 -o yaml",
    ),
    short_help="Show configuration changes to queues, pools, prices, limits",
)
def history(
    context: typer.Context,
    version: Annotated[int | None, typer.Argument(help="One change.")] = None,
    kind: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(KINDS[:-1])} or {KINDS[-1]}."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the changed resource.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of changes.")] = 20,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    if version is not None:
        if kind or name:
            raise UsageProblem("a version is one change: leave --kind and --name out")
        with client(context) as fl:
            found = fl.config.version(version)
        show(
            machine(found),
            output,
            lambda: pairs(
                (c.path or "/", f"{c.before} -> {c.after}") for c in found.change.changes
            ),
        )
        return
    with client(context) as fl:
        rows = list(
            islice(fl.config.history(kind=kind.upper() if kind else None, name=name), limit + 1)
        )
    show_all(
        rows[:limit], VERSIONS, output, columns, name=lambda v: str(v.version), empty="no change"
    )
    if len(rows) > limit:
        say(f"more changes exist: --limit {10 * limit}")


@config.command(
    "revert",
    help=help_text(
        "Restore the state before a version. Refused if the resource changed since then; the "
        "answer lists the later versions. A revert does not delete created resources, does not "
        "recreate deleted resources, and never changes prices.",
        "fairlead config revert 48211 --dry-run -o yaml",
        'fairlead --reason "the deadline was moved" config revert 48211',
        "fairlead config revert 48211 --force",
    ),
    short_help="Revert a change to queues, pools or limits",
)
def revert(
    context: typer.Context,
    version: Annotated[int, typer.Argument(help="Number of the change in the history.")],
    force: Annotated[
        bool, typer.Option("--force", help="Revert even if the resource changed since then.")
    ] = False,
    dry_run: DryRun = False,
    output: Output = Format.TABLE,
) -> None:
    with client(context) as fl:
        made = fl.config.revert(version, force=force, validate_only=dry_run)
    done = "would be" if dry_run else "is"
    told = f"{made.kind.lower()} {text.safe(made.name)} {done} as before version {made.reverts}"
    if made.version is not None:
        told += f", by version {made.version}"
    show(machine(made), output, lambda: told)


def known(key: str) -> str:
    if key not in KEYS:
        raise UsageProblem(f"unknown setting {key!r}. Valid settings: {', '.join(KEYS)}")
    return key


@verb(
    app,
    "config completion",
    "Print a script that completes verbs, options and job names",
    'eval "$(fairlead config completion bash)"',
    "fairlead config completion zsh > ~/.zfunc/_fairlead",
    "fairlead config completion fish > ~/.config/fish/completions/fairlead.fish",
)
def completion(shell: Annotated[str, typer.Argument(help="bash, zsh or fish")]) -> None:
    if shell not in SHELLS:
        raise UsageProblem(f"no completion for {shell!r}. Supported shells: {', '.join(SHELLS)}")
    script = get_completion_script(
        prog_name="fairlead", complete_var="_FAIRLEAD_COMPLETE", shell=shell
    )
    emit(script + "\n")


@verb(
    app,
    "config api",
    "Read any path of the API",
    "fairlead config api get /version",
    "fairlead config api get '/jobs?state=FAILED&pageSize=5' -o yaml",
)
def api(
    context: typer.Context,
    method: Annotated[str, typer.Argument(help="get")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="Below /api/v1.")],
    output: Output = Format.JSON,
) -> None:
    if method.lower() != "get":
        raise UsageProblem(
            f"{method!r}: only get is supported. Use the resource's command for changes"
        )
    with client(context) as fl:
        answer = fl.raw(path)
    if isinstance(answer, str):
        emit(answer)
        return
    form = Format.JSON if output in (Format.TABLE, Format.WIDE, Format.CSV, Format.NAME) else output
    show(answer, form, str)
