"""Shared parts of all commands: the client of this call, options by name, and the help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, TypeVar

import typer

from fairlead import Fairlead, FairleadError, Job, Settings, _signin
from fairlead._settings import DEFAULT_URL
from fairlead.cli import text
from fairlead.cli.output import Format

F = TypeVar("F", bound=Callable[..., Any])

# fewer requests than the SDK would make: people wait for the answer
CLI_TIMEOUT = 20.0


@dataclass
class Session:
    """Options before the command."""

    url: str | None = None
    project: str | None = None
    tenant: str | None = None
    reason: str | None = None

    def settings(self) -> Settings:
        """Raises UsageProblem if the stored settings cannot be read."""
        try:
            stored = Settings.load()
        except ValueError as broken:
            raise UsageProblem(str(broken)) from broken
        if self.url and self.url.rstrip("/") != (stored.url or "").rstrip("/"):
            stored = stored.changed("token", Settings.of_environment().token)
        return Settings(self.url, None, self.project, tenant=self.tenant).over(stored)

    def project_in_use(self) -> str | None:
        """Project in which a job is searched by name before a change, or None for all projects."""
        return self.settings().project

    def client(self) -> Fairlead:
        known = self.settings()
        try:
            return Fairlead(
                known.url or DEFAULT_URL,
                known.token,
                project=known.project,
                tenant=known.tenant,
                reason=self.reason,
                auth=_signin.of(known),
                timeout=CLI_TIMEOUT,
            )
        except ValueError as wrong:
            raise UsageProblem(str(wrong)) from wrong


class UsageProblem(Exception):
    """The command line is invalid."""


def session(context: typer.Context) -> Session:
    found = context.find_object(Session)
    return found if found is not None else Session()


def client(context: typer.Context) -> Fairlead:
    return session(context).client()


def help_text(what: str, *examples: str) -> str:
    lines = "\n".join(f"  {example}" for example in examples)
    return f"\b\nExamples:\n{lines}\n\n{what}"


def verb(
    app: typer.Typer, name: str, short: str, *examples: str, more: str = ""
) -> Callable[[F], F]:
    """A command with help that shows examples first."""
    return app.command(
        name,
        help=help_text(f"{short}. {more}".strip() if more else f"{short}.", *examples),
        short_help=short,
    )


def complete_job(context: typer.Context, incomplete: str) -> list[str]:
    """Names of active jobs. Empty if the service does not respond."""
    try:
        with Fairlead(max_retries=0, timeout=2.0) as fl:
            names = [job.name for job, _ in zip(fl.jobs.list(), range(200), strict=False)]
    except (FairleadError, ValueError):
        return []
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


def duration(option: str, value: str) -> timedelta:
    """Raises UsageProblem with the name of the option."""
    try:
        return text.duration(value)
    except ValueError as wrong:
        raise UsageProblem(f"{option}: {wrong}") from None


def since_time(value: str | None) -> datetime | None:
    """A time, or a duration before now."""
    if value is None:
        return None
    try:
        return text.now() - text.duration(value)
    except ValueError:
        pass
    try:
        at = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        raise UsageProblem(f"{value!r} is neither a duration such as 24h nor a time") from None
    return at if at.tzinfo else at.astimezone()


def handle(job: Job) -> str:
    """Identifier for the next command: the name, or the id if the name resolves in another project."""
    used = Settings.of_environment().over(Settings.of_file()).project
    return job.name if used in (None, job.project) else job.id


def hints(job: Job, *verbs: str) -> str:
    """Suggested next commands."""
    return "\n".join(f"  fairlead {one} {handle(job)}" for one in verbs)


JobName = Annotated[
    str,
    typer.Argument(
        metavar="JOB", help="Name, id, or a unique prefix.", autocompletion=complete_job
    ),
]
OneJob = Annotated[
    str,
    typer.Argument(
        metavar="JOB",
        help="Full name in the current project, or id.",
        autocompletion=complete_job,
    ),
]
Output = Annotated[Format, typer.Option("--output", "-o", help="How to print it.")]
Columns = Annotated[
    str | None, typer.Option("--columns", help="Only these columns, such as NAME,STATE.")
]
Watch = Annotated[
    bool, typer.Option("--watch", "-w", help="Refresh every two seconds until Ctrl-C.")
]
