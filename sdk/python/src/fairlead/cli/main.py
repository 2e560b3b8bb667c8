"""The command: its verbs, and what happens when something goes wrong. Never a stack trace."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Annotated

import typer
from typer._click import Command
from typer._click.exceptions import ClickException, NoArgsIsHelpError, NoSuchOption, UsageError
from typer._completion_classes import completion_init

from fairlead import (
    Ambiguous,
    ApiError,
    Conflict,
    FairleadError,
    Forbidden,
    IssuerUnreachable,
    NotFound,
    ServerError,
    SignInFailed,
    Unauthenticated,
    Unreachable,
    WaitTimeout,
    __version__,
    models,
)
from fairlead.cli import (
    account,
    audit,
    bookings,
    budgets,
    bundle,
    campaigns,
    convert,
    decisions,
    domains,
    fleet,
    fleet_quota,
    fronts,
    gpuhours,
    health_tests,
    idle,
    idle_costs,
    jobs,
    legal_holds,
    licences,
    limits,
    logs,
    members,
    operations,
    pools,
    prices,
    projects,
    repairs,
    routing,
    rules,
    savings,
    secrets,
    signin,
    spill,
    statements,
    submit,
    text,
    timelines,
    tokens,
    unseen,
    volumes,
)
from fairlead.cli.output import BadColumn, ClosedPipe, Column, table
from fairlead.cli.session import Session, UsageProblem, help_text
from fairlead.cli.text import safe

MEANT: list[Column[models.JobResponse]] = [
    Column("ID", lambda j: j.id),
    Column("NAME", lambda j: j.name),
    Column("PROJECT", lambda j: j.project),
    Column("STATE", lambda j: j.state),
    Column("SUBMITTED", lambda j: f"{text.ago(j.created_at)} ago"),
]
UNEXPECTED, USAGE, MISSING, DENIED, CONFLICT, QUOTA, TIMED_OUT, UNREACHABLE = 1, 2, 3, 4, 5, 6, 7, 8
INTERRUPTED = 130
SLURM = {
    "srun": "run",
    "salloc": "run",
    "sbatch": "submit",
    "squeue": "ps",
    "scancel": "cancel",
    "sinfo": "gpus",
    "sacct": "history",
    "seff": "report",
    "sshare": "quota",
    "sprio": "why",
    "scontrol": "get",
    "sacctmgr": "quota",
    "sattach": "logs -f",
    "sreport": "history",
    "sstat": "report",
    "strigger": "events -f",
    "sview": "top",
}

OPTIONS_OF_OTHERS = {
    "--gpus": "--gpu",
    "--gpus-per-node": "--gpu",
    "--gres": "--gpu",
    "--nodes": "--workers",
    "--ntasks": "--workers",
    "--num-nodes": "--workers",
    "--cpus": "--cpu",
    "--cpus-per-task": "--cpu",
    "--mem": "--memory",
    "--partition": "--queue",
    "--time": "--max-runtime",
    "--job-name": "--name",
    "--dependency": "--depends-on",
    "--mount": "--volume",
    "--envs": "--env",
}

app = typer.Typer(
    name="fairlead",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def print_version(wanted: bool) -> None:
    if wanted:
        print(f"fairlead {__version__}")
        raise typer.Exit


@app.callback(
    help=help_text(
        "Run jobs on GPUs, see where they run, and why they wait.",
        "fairlead run --image IMAGE --gpu 1 -- nvidia-smi",
        "fairlead submit train.yaml",
        "fairlead ps",
        "fairlead why llama-sft",
    ),
    epilog="Exit codes: 0 ok, 1 unexpected, 2 usage, 3 not found, 4 not signed in or forbidden, "
    "5 conflict, 6 quota or infeasible, 7 timed out, 8 server unreachable, 20 job failed, "
    "21 job cancelled, 30 warnings and 31 problems of doctor, 130 interrupted.",
)
def options(
    context: typer.Context,
    url: Annotated[
        str | None, typer.Option(help="Address of the service; or FAIRLEAD_URL.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="Project; or FAIRLEAD_PROJECT.")] = None,
    tenant: Annotated[
        str | None, typer.Option(help="Tenant, with a role in several; or FAIRLEAD_TENANT.")
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option(help="Why the verb changes something; kept in the audit."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    context.obj = Session(url, project, tenant, reason)


for part in (
    submit.app,
    jobs.app,
    logs.app,
    decisions.app,
    fleet.app,
    operations.app,
    domains.app,
    repairs.app,
    campaigns.app,
    bookings.app,
    pools.app,
    prices.app,
    savings.app,
    idle.app,
    spill.app,
    statements.app,
    budgets.app,
    unseen.app,
    bundle.app,
    signin.app,
    account.app,
):
    app.registered_commands.extend(part.registered_commands)
app.add_typer(account.config, name="config", short_help="Show or change what is remembered")
app.add_typer(operations.cluster_app, name="cluster", short_help="Look after one cluster")
app.add_typer(
    campaigns.campaign_app,
    name="campaign",
    short_help="Begin, pause and abort maintenance of many nodes",
)
app.add_typer(
    bookings.booking_app, name="booking", short_help="Book nodes for a time, show and cancel"
)
app.add_typer(repairs.repair_app, name="repair", short_help="Say how a node is repaired")
app.add_typer(repairs.repairer_app, name="repairer", short_help="What repairs machines")
app.add_typer(rules.app, name="rules", short_help="Show, try and change rules for faults of GPUs")
app.add_typer(timelines.app, name="timeline", short_help="Show what happened, on one axis")
app.add_typer(fleet_quota.app, name="fleet-quota", short_help="Show and set quota between tenants")
app.add_typer(pools.pool_app, name="pool", short_help="Make, change and delete pools")
app.add_typer(health_tests.app, name="health-test", short_help="Set, run and show tests of nodes")
app.add_typer(fronts.app, name="front", short_help="Map namespaces of front clusters")
app.add_typer(legal_holds.app, name="legal-hold", short_help="Set and show legal holds")
app.add_typer(licences.app, name="licence", short_help="Set and show licences")
app.add_typer(prices.price_app, name="price", short_help="Add and show prices")
app.add_typer(
    idle_costs.idle_cost_app, name="idle-cost", short_help="Show and divide what no job used"
)
app.add_typer(budgets.budget_app, name="budget", short_help="Set budgets and grant GPU-hours")
app.add_typer(gpuhours.app, name="usage", short_help="Show GPU-hours that were used")
app.add_typer(
    statements.statement_app, name="statement", short_help="Show and sign what a month costs"
)
app.add_typer(limits.app, name="limits", short_help="Show and set limits of tenants and projects")
app.add_typer(projects.app, name="project", short_help="Show projects and what they may reach")
app.add_typer(routing.app, name="routing", short_help="Show and set the tiers of a queue")
app.add_typer(members.tenants, name="tenant", short_help="Make, list and archive tenants")
app.add_typer(members.app, name="member", short_help="Say who belongs to a tenant or a project")
app.add_typer(secrets.app, name="secrets", short_help="Keep secrets of a project for its jobs")
app.add_typer(volumes.app, name="volume", short_help="Claim storage that jobs mount")
app.add_typer(tokens.app, name="token", short_help="Make, list and revoke API tokens")
app.add_typer(audit.app, name="audit", short_help="Show who changed what")
app.add_typer(convert.app, name="convert", short_help="Make job files from what you have")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    code = guarded(list(sys.argv[1:] if arguments is None else arguments))
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
    return code


def silence() -> None:
    """Python would complain about the closed pipe once more at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@functools.cache
def command() -> Command:
    """All verbs; making them of their functions takes longer than most of them."""
    return typer.main.get_command(app)


def guarded(arguments: list[str]) -> int:
    if "_FAIRLEAD_COMPLETE" in os.environ:
        completion_init()
    try:
        arguments = with_arguments(arguments)
        code = command()(arguments, standalone_mode=False, prog_name="fairlead")
        return code if isinstance(code, int) else 0
    except ClosedPipe:
        silence()
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except typer.Abort:
        return INTERRUPTED
    except NoArgsIsHelpError as bare:
        print(bare.message, file=sys.stderr, flush=True)
        return USAGE
    except ClickException as wrong:
        return usage(wrong, arguments)
    except (UsageProblem, BadColumn) as wrong:
        return failed(USAGE, str(wrong))
    except FairleadError as wrong:
        return failed(*told(wrong))
    except Exception as unexpected:
        if os.environ.get("FAIRLEAD_DEBUG"):
            traceback.print_exc()
        kind = type(unexpected).__name__
        return failed(UNEXPECTED, f"unexpected {kind}: {unexpected} (FAIRLEAD_DEBUG=1 shows where)")


def with_arguments(arguments: list[str]) -> list[str]:
    """Words behind -- of submit are options that a parser can tell from files."""
    if "--" not in arguments:
        return arguments
    at = arguments.index("--")
    before = iter(arguments[:at])
    verb = next((one for one in before if not one.startswith("-") or not _passed(one, before)), "")
    if verb != "submit":
        return arguments
    return [*arguments[:at], *(f"--argument={one}" for one in arguments[at + 1 :])]


def _passed(option: str, following: Iterator[str]) -> bool:
    """Passes over an option in front of the verb, with its value."""
    if option in ("--url", "--project", "--tenant", "--reason"):
        next(following, None)
    return True


def failed(code: int, message: str) -> int:
    lines = [safe(line) for line in message.splitlines()] or [""]
    with contextlib.suppress(OSError):
        print("fairlead: " + "\n  ".join(lines), file=sys.stderr, flush=True)
    return code


def usage(wrong: ClickException, arguments: list[str]) -> int:
    message = wrong.format_message().replace("Value error, ", "")
    if isinstance(wrong, NoSuchOption):
        message = wrong.message
        near = near_options(wrong)
        message += f". Did you mean {', '.join(sorted(near))}?" if near else ""
        message += separator(wrong, arguments)
    verb = next((one for one in arguments if one in SLURM), None)
    if verb and "No such command" in message:
        message = f"{verb} is Slurm's; here it is: fairlead {SLURM[verb]}"
    if isinstance(wrong, UsageError) and wrong.ctx is not None:
        message += f"\nhelp: {wrong.ctx.command_path} --help"
    return failed(USAGE, message)


def near_options(wrong: NoSuchOption) -> list[str]:
    if wrong.ctx is None:
        return list(wrong.possibilities or ())
    known = [name for param in wrong.ctx.command.params for name in getattr(param, "opts", [])]
    meant = OPTIONS_OF_OTHERS.get(wrong.option_name)
    if meant is not None and meant in known:
        return [meant]
    near = wrong.possibilities or get_close_matches(wrong.option_name, known, n=2, cutoff=0.5)
    return list(near)


def separator(wrong: ClickException, arguments: list[str]) -> str:
    """The hint that an option of the program belongs behind --."""
    verb = wrong.ctx.command.name if isinstance(wrong, NoSuchOption) and wrong.ctx else ""
    if "--" in arguments or verb not in ("run", "submit"):
        return ""
    what = "the command" if verb == "run" else "arguments of the program"
    return f"\nFor an option of the program, put -- before {what}."


def told(error: FairleadError) -> tuple[int, str]:
    """Exit code and what to say."""
    if isinstance(error, ApiError):
        return code_of(error), refused(error)
    if isinstance(error, SignInFailed):
        return DENIED, str(error)
    if isinstance(error, IssuerUnreachable):
        return UNREACHABLE, f"{error}\nIs the issuer up, and does this machine reach it?"
    if isinstance(error, Unreachable):
        return (
            UNREACHABLE,
            f"{error}\nIs the service running? Another address: --url or fairlead login",
        )
    if isinstance(error, WaitTimeout):
        return TIMED_OUT, str(error)
    if isinstance(error, Ambiguous):
        return USAGE, several(error)
    return UNEXPECTED, str(error)


def several(error: Ambiguous) -> str:
    """The jobs that it could be, a line each."""
    lines = [line.plain for line in table(error.jobs, MEANT, None)]
    return "\n".join([f"{error.message}; name one by its id", *lines])


def code_of(error: ApiError) -> int:
    if error.code == "LIMIT_EXCEEDED":
        return QUOTA
    if isinstance(error, NotFound):
        return MISSING
    if isinstance(error, (Unauthenticated, Forbidden)):
        return DENIED
    if isinstance(error, Conflict):
        return CONFLICT
    if isinstance(error, ServerError):
        return UNREACHABLE if error.status in (502, 503, 504) else UNEXPECTED
    return USAGE if error.status in (400, 413, 414, 415, 422, 431) else UNEXPECTED


def refused(error: ApiError) -> str:
    """Each wrong field on a line of its own."""
    if not error.errors:
        lines = [error.detail.replace("cannot take patch", "cannot take update")]
    else:
        lines = [f"{error.title or error.code}"]
        lines += [f"{one.pointer or 'body'}: {one.detail}" for one in error.errors]
    if isinstance(error, Unauthenticated):
        lines.append("Sign in: fairlead login")
    if error.status >= 500 and error.request_id:
        lines.append(f"request {error.request_id} is in the service's log")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
