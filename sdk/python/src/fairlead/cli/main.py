"""The command line: its commands and its error handling. Never prints a stack trace."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any

import typer
from typer._click import Command
from typer._click.exceptions import ClickException, NoArgsIsHelpError, NoSuchOption, UsageError
from typer._completion_classes import completion_init

from fairlead import (
    Ambiguous,
    ApiError,
    Conflict,
    FairleadError,
    FieldError,
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
from fairlead.cli import text
from fairlead.cli.output import BadColumn, ClosedPipe, Column, table
from fairlead.cli.session import Session, UsageProblem, help_text
from fairlead.cli.text import safe
from fairlead.cli.verbs import MODULES

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

# commands for the requests that messages of the service name
READS = {
    "budgets": "budgets",
    "clusters": "clusters",
    "health-tests": "health-test list",
    "legal-holds": "legal-hold list",
    "licences": "licence list",
    "policies": "policy list",
    "pools": "pools",
    "projects": "project list",
    "templates": "template list",
    "tenants": "tenant list",
}
# sizes of an elastic gang, as Slurm writes them
RANGE = re.compile(r"(\d+)-(\d+)")
# commands of kubectl, Docker, SkyPilot and others
VERBS_OF_OTHERS = {
    "status": "ps",
    "jobs": "ps",
    "list": "ps",
    "ls": "ps",
    "kill": "cancel",
    "stop": "cancel",
    "rm": "cancel",
    "down": "cancel",
    "launch": "submit",
    "create": "submit",
    "describe": "get",
    "show": "get",
    "explain": "why",
    "tail": "logs -f",
}
# the names of these verbs in groups of commands, such as fairlead pool
SAME_IN_A_GROUP = {
    "list": ("list",),
    "ls": ("list",),
    "status": ("get", "show"),
    "show": ("get",),
    "describe": ("get", "show"),
    "get": ("show",),
    "rm": ("delete", "remove"),
    "create": ("add", "apply", "set"),
    "stop": ("pause", "cancel"),
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

HELP = help_text(
    "Run jobs on GPUs, see where they run, and why they wait.",
    "fairlead run --image IMAGE --gpu 1 -- nvidia-smi",
    "fairlead submit train.yaml",
    "fairlead ps",
    "fairlead why llama-sft",
)
EPILOG = (
    "Exit codes: 0 ok, 1 unexpected, 2 usage, 3 not found, 4 not signed in or forbidden, "
    "5 conflict, 6 quota or infeasible, 7 timed out, 8 server unreachable, 10 apply "
    "--dry-run found differences, 20 job failed, 21 job cancelled, 30 warnings and 31 problems of "
    "doctor, 130 interrupted."
)


def print_version(wanted: bool) -> None:
    if wanted:
        print(f"fairlead {__version__}")
        raise typer.Exit


def options(
    context: typer.Context,
    url: Annotated[
        str | None, typer.Option(help="Address of the service. Also FAIRLEAD_URL.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="Project. Also FAIRLEAD_PROJECT.")] = None,
    tenant: Annotated[
        str | None,
        typer.Option(help="Tenant, for users with a role in several. Also FAIRLEAD_TENANT."),
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option(help="Reason for a change, recorded in the audit log."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    context.obj = Session(url, project, tenant, reason)


# modules that define commands
PARTS = """
    submit jobs logs sessions decisions fleet operations domains repairs campaigns reservations pools
    prices savings idle spill statements budgets unreachable outputs bundle signin account assistants
    platform
"""
# command groups: module, its application, and the entry in the list of commands
GROUPS = {
    "config": ("account", "config", "Show or change local settings"),
    "cluster": ("clusters", "app", "Register, change and remove clusters"),
    "campaign": ("campaigns", "campaign_app", "Begin, pause and abort maintenance of many nodes"),
    "reservation": ("reservations", "reservation_app", "Book nodes for a time, show and cancel"),
    "repair": ("repairs", "repair_app", "Report and control the repair of nodes"),
    "repairer": ("repairs", "repairer_app", "What repairs machines"),
    "rules": ("rules", "app", "Show, try and change rules for faults of GPUs"),
    "timeline": ("timelines", "app", "Show events of jobs, nodes and clusters on one time axis"),
    "fleet-quota": ("fleet_quota", "app", "Show and set quota between tenants"),
    "quota": ("quotas", "quota_app", "Show, create, change and delete quota"),
    "queue": ("quotas", "queue_app", "List, create, change and delete queues"),
    "pool": ("pools", "pool_app", "Create, change and delete pools"),
    "health-test": ("health_tests", "app", "Set, run and show tests of nodes"),
    "front": ("fronts", "app", "Map namespaces of front clusters"),
    "legal-hold": ("legal_holds", "app", "Set and show legal holds"),
    "launcher": ("launchers", "app", "List launchers of jobs"),
    "notebook": ("notebooks", "app", "Start, open, stop and extend notebooks on GPUs"),
    "runtime": ("runtimes", "app", "List and show model servers of services"),
    "licence": ("licences", "app", "Set and show licences"),
    "schedule": ("schedules", "app", "Submit jobs at times of a calendar"),
    "pipeline": ("pipelines", "app", "Show, retry and cancel pipelines of jobs"),
    "check": ("checks", "app", "Show and report admission checks of jobs"),
    "service": ("services", "app", "Serve models, roll versions out and back"),
    "policy": ("policies", "app", "Set and try rules for new jobs"),
    "template": ("templates", "app", "Store and show job templates"),
    "webhook": ("webhooks", "app", "Send events to an address"),
    "price": ("prices", "price_app", "Add and show prices"),
    "idle-cost": ("idle_costs", "idle_cost_app", "Show and distribute idle cost"),
    "budget": ("budgets", "budget_app", "Set budgets and grant GPU-hours"),
    "usage": ("gpuhours", "app", "Show GPU-hours that were used"),
    "statement": ("statements", "statement_app", "Show and sign the cost of a month"),
    "limits": ("limits", "app", "Show and set limits of tenants and projects"),
    "project": ("projects", "app", "Create, show, change and delete projects"),
    "routing": ("routing", "app", "Show and set the tiers of a queue"),
    "tenant": ("members", "tenants", "Create, list and archive tenants"),
    "member": ("members", "app", "Manage members of a tenant or a project"),
    "secrets": ("secrets", "app", "Manage secrets of a project"),
    "volume": ("volumes", "app", "Claim storage that jobs mount"),
    "token": ("tokens", "app", "Create, list and revoke API tokens"),
    "audit": ("audit", "app", "Show changes and denied requests"),
    "convert": ("convert", "app", "Convert existing files into job and service files"),
}


def application(verb: str) -> typer.Typer:
    """Loads only the module of the command, or all modules for an unknown command."""
    app = typer.Typer(
        name="fairlead",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=HELP, epilog=EPILOG)(options)
    known = MODULES.get(verb)
    for module in [] if verb in GROUPS else [known] if known else PARTS.split():
        for one in loaded(module).app.registered_commands:
            if known is None or one.name == verb:
                app.registered_commands.append(one)
    for name in [verb] if verb in GROUPS else [] if known else GROUPS:
        module, below, says = GROUPS[name]
        app.add_typer(getattr(loaded(module), below), name=name, short_help=says)
    return app


def loaded(module: str) -> Any:
    return import_module(f"fairlead.cli.{module}")


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
    """Otherwise Python would report the closed pipe again at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@functools.cache
def command(verb: str = "") -> Command:
    """Building all verbs takes longer than running most of them."""
    return typer.main.get_command(application(verb))


def guarded(arguments: list[str]) -> int:
    if "_FAIRLEAD_COMPLETE" in os.environ:
        completion_init()
    try:
        arguments = with_arguments(arguments)
        code = command(verb_of(arguments) or completed())(
            arguments, standalone_mode=False, prog_name="fairlead"
        )
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


def verb_of(arguments: list[str]) -> str:
    before = iter(arguments)
    return next((one for one in before if not one.startswith("-") or not _passed(one, before)), "")


def completed() -> str:
    """The command before the word that a shell completes."""
    if "_FAIRLEAD_COMPLETE" not in os.environ:
        return ""
    typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return verb_of(typed.split()[1:-1] if not typed.endswith(" ") else typed.split()[1:])


def with_arguments(arguments: list[str]) -> list[str]:
    """Words behind -- of submit are options that a parser can tell from files."""
    if "--" not in arguments or verb_of(arguments) != "submit":
        return arguments
    at = arguments.index("--")
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
        if re.match(r"-\d", message.removeprefix("No such option: ")):
            message += ". A negative number is not a value here"
        message += separator(wrong, arguments)
    verb = next((one for one in arguments if one in SLURM), None)
    if verb and "No such command" in message:
        message = f"{verb} is a Slurm command; use fairlead {SLURM[verb]}"
    verb = next((one for one in arguments if one in VERBS_OF_OTHERS or one == "get"), None)
    if verb and f"No such command '{verb}'" in message:
        meant_verb = counterpart(wrong, verb)
        message = f"No such command '{verb}'."
        message += f" Did you mean fairlead {meant_verb}?" if meant_verb else ""
    size = next((found for one in arguments if (found := RANGE.fullmatch(one))), None)
    if size and "--workers" in message:
        message += f". For an elastic gang: --workers {size[2]} --min-workers {size[1]}"
    if isinstance(wrong, UsageError) and wrong.ctx is not None:
        message += f"\nhelp: {wrong.ctx.command_path} --help"
    return failed(USAGE, message)


def counterpart(wrong: ClickException, verb: str) -> str | None:
    """The command for a verb of another tool, in the group where it was typed."""
    context = wrong.ctx if isinstance(wrong, UsageError) else None
    if context is None or context.parent is None:
        return VERBS_OF_OTHERS.get(verb)
    group = str(context.info_name)
    known = getattr(context.command, "commands", {})
    near = next((one for one in SAME_IN_A_GROUP.get(verb, ()) if one in known), None)
    if near is not None:
        return f"{group} {near}"
    return f"{group}s" if verb in ("list", "ls") and f"{group}s" in MODULES else None


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
    """Exit code and message."""
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
    """The candidate jobs, one per line."""
    lines = [line.plain for line in table(error.jobs, MEANT, None)]
    return "\n".join([f"{error.message}; use its id", *lines])


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


def meant(wrong: FieldError) -> str:
    """The suggestion of the service, if its message does not contain it."""
    given = wrong.suggestion
    return f" Did you mean {given}?" if given and given not in wrong.detail else ""


def of_commands(detail: str) -> str:
    """Names the command instead of the request that does the same."""
    return re.sub(
        r"GET /api/v1/([a-z-]+) (?=lists|shows)",
        lambda path: f"fairlead {READS[path[1]]} " if path[1] in READS else path[0],
        detail,
    )


def refused(error: ApiError) -> str:
    """Each wrong field on its own line."""
    if not error.errors:
        lines = [of_commands(error.detail)]
    else:
        lines = [f"{error.title or error.code}"]
        lines += [
            f"{one.pointer or 'body'}: {of_commands(one.detail)}{meant(one)}"
            for one in error.errors
        ]
    if isinstance(error, Unauthenticated):
        lines.append("Sign in: fairlead login")
    if error.status >= 500 and error.request_id:
        lines.append(f"request {error.request_id} is in the service's log")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
