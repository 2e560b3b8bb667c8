"""The server for assistants. It needs the extra `mcp`."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import anyio
import typer
from typer._click.exceptions import ClickException

from fairlead import AsyncFairlead, _signin
from fairlead._settings import DEFAULT_URL
from fairlead.cli.session import CLI_TIMEOUT, UsageProblem, session, verb

__all__ = ["app"]

app = typer.Typer()


@verb(
    app,
    "mcp",
    "Serve reads of Fairlead to an assistant (Model Context Protocol)",
    "fairlead mcp",
    "fairlead mcp --area Jobs --area Quotas",
    more="Speaks on stdin and stdout with the rights of your sign-in or token. Changes nothing. "
    "Needs pip install 'fairlead[mcp]'.",
)
def mcp(
    context: typer.Context,
    area: Annotated[
        list[str] | None,
        typer.Option(help="Only tools of this part of the API, such as Jobs. May be repeated."),
    ] = None,
) -> None:
    try:
        from fairlead import _mcp
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise UsageProblem(
            "the package mcp is missing: pip install 'fairlead[mcp]' (or pipx inject fairlead mcp)"
        ) from missing
    known = session(context).settings()

    async def run() -> None:
        async with AsyncFairlead(
            known.url or DEFAULT_URL,
            known.token,
            project=known.project,
            tenant=known.tenant,
            auth=_signin.of(known),
            timeout=CLI_TIMEOUT,
        ) as client:
            await _mcp.serve(_mcp.Tools(client, checked, area or (), [known.token]))

    try:
        anyio.run(run)
    except (ValueError, _mcp.Refused) as wrong:
        raise UsageProblem(str(wrong)) from wrong


def checked(line: str) -> str:
    """The command line with the messages of its parser and the help of its command. Runs nothing."""
    from fairlead.cli.main import command

    try:
        words = shlex.split(line)
    except ValueError as wrong:
        return f"not a command line: {wrong}"
    words = words[words[:1] == ["fairlead"] :]
    given = list(words)
    at: Any = command()
    above = at.context_class(at, info_name="fairlead", **at.context_settings)
    try:
        while hasattr(at, "commands"):
            given = at.make_parser(above).parse_args(given)[1]
            if not given:
                break
            name, at, given = at.resolve_command(above, given)
            above = at.context_class(at, info_name=name, parent=above)
        asks_for_help = at.make_parser(above).parse_args(list(given))[0].get("help")
        if not hasattr(at, "commands") and not asks_for_help:
            at.parse_args(above, given)
        verdict = f"The user can run: {shlex.join(['fairlead', *words])}"
    except typer.Exit:
        verdict = "Wrong: nothing follows --"
    except ClickException as wrong:
        verdict = f"Wrong: {wrong.format_message()}"
    return f"{verdict}\n\n{at.get_help(above)}"
