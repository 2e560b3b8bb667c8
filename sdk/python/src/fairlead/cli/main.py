"""The command line: its commands and its error handling. Never prints a stack trace."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from copy import copy
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any

import typer
from typer._click import Command, Context, HelpFormatter
from typer._click.exceptions import ClickException, NoArgsIsHelpError, NoSuchOption, UsageError
from typer._completion_classes import completion_init
from typer.core import TyperGroup

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
from fairlead.cli.verbs import MODULES, VERBS

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
    "sacct": "job history",
    "seff": "job report",
    "sshare": "quota list",
    "sprio": "why",
    "scontrol": "get",
    "sacctmgr": "quota list",
    "sattach": "logs -f",
    "sreport": "job history",
    "sstat": "job report",
    "strigger": "job events -f",
    "sview": "job top",
}

# commands for the requests that messages of the service name
READS = {
    "budgets": "budget list",
    "cloud-identities": "tenant cloud-identity list",
    "clusters": "cluster list",
    "health-tests": "node test list",
    "legal-holds": "audit legal-hold list",
    "licences": "quota licence list",
    "policies": "job policy list",
    "pools": "pool list",
    "projects": "project list",
    "templates": "job template list",
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
    "help": "--help",
}
# the names of these verbs in groups of commands, such as fairlead pool
SAME_IN_A_GROUP = {
    "list": ("list",),
    "ls": ("list",),
    "status": ("get", "show", "list"),
    "show": ("get", "list"),
    "describe": ("get", "show", "list"),
    "get": ("show", "list"),
    "rm": ("delete", "remove", "revoke"),
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
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    context.obj = Session(url, project, tenant, reason)


# modules that define commands by their path, such as "node drain"
PARTS = """
    submit jobs logs sessions ssh decisions fleet operations domains prices savings idle
    unreachable outputs bundle signin account assistants platform timelines
"""
# command groups by path: module, its application, and the entry in the list of commands
GROUPS = {
    "job": ("", "", "Change and examine jobs, templates, schedules and pipelines"),
    "job check": ("checks", "app", "Show and report admission checks of jobs"),
    "job convert": ("convert", "app", "Convert existing files into job and service files"),
    "job launcher": ("launchers", "app", "List launchers of jobs"),
    "job pipeline": ("pipelines", "app", "Show, retry and cancel pipelines of jobs"),
    "job policy": ("policies", "app", "Set and try rules for new jobs"),
    "job schedule": ("schedules", "app", "Submit jobs on a schedule"),
    "job template": ("templates", "app", "Store and show job templates"),
    "service": ("services", "app", "Serve models, roll versions out and back"),
    "service runtime": ("runtimes", "app", "List and show model servers of services"),
    "notebook": ("notebooks", "app", "Start, open, stop and extend notebooks on GPUs"),
    "volume": ("volumes", "app", "Claim storage that jobs mount"),
    "secret": ("secrets", "app", "Manage secrets of a project"),
    "cluster": ("clusters", "app", "Register, drain and remove clusters"),
    "cluster front": ("fronts", "app", "Map namespaces of front clusters"),
    "cluster repairer": ("repairs", "repairer_app", "Set the service that repairs machines"),
    "node": ("", "", "Drain, quarantine, reserve, test and repair nodes"),
    "node campaign": ("campaigns", "campaign_app", "Run maintenance of many nodes"),
    "node repair": ("repairs", "repair_app", "Report and control the repair of nodes"),
    "node reservation": ("reservations", "reservation_app", "Reserve nodes for a time"),
    "node test": ("health_tests", "app", "Set, run and show tests of nodes"),
    "pool": ("pools", "pool_app", "Create, change and delete pools"),
    "incident": ("", "", "Show faults of nodes and GPUs, and the rules for them"),
    "incident rule": ("rules", "app", "Show, test and change rules for faults of GPUs"),
    "queue": ("quotas", "queue_app", "List, create, change and delete queues"),
    "queue routing": ("routing", "app", "Show and set the tiers of a queue"),
    "quota": ("quotas", "quota_app", "Show, create, change and delete quota"),
    "quota licence": ("licences", "app", "Set and show licences"),
    "quota limits": ("limits", "app", "Show and set limits of tenants and projects"),
    "budget": ("budgets", "budget_app", "Set budgets and grant GPU-hours"),
    "price": ("prices", "price_app", "Add and show prices"),
    "usage": ("gpuhours", "app", "Show GPU-hours, their cost, idle time and statements"),
    "usage idle-cost": ("idle_costs", "idle_cost_app", "Show and distribute idle cost"),
    "usage statement": ("statements", "statement_app", "Show and sign the cost of a month"),
    "project": ("projects", "app", "Create, show, change and delete projects"),
    "project warm-pool": ("warm_pools", "app", "Manage prestarted sessions"),
    "project ray-pool": ("ray_pools", "app", "Manage shared Ray clusters"),
    "project webhook": ("webhooks", "app", "Send events to an address"),
    "tenant": ("members", "tenants", "Create, list and archive tenants"),
    "tenant cloud-identity": (
        "cloud_identities",
        "app",
        "Let projects use cloud provider accounts",
    ),
    "tenant member": ("members", "app", "Manage members of a tenant or a project"),
    "tenant quota": ("fleet_quota", "app", "Show and set quota between tenants"),
    "token": ("tokens", "app", "Create, list and revoke API tokens"),
    "audit": ("audit", "app", "Show changes and denied requests"),
    "audit legal-hold": ("legal_holds", "app", "Set and show legal holds"),
    "config": ("account", "config", "Show or change local settings, the sign-in, the installation"),
}
# sections of the help
SECTIONS = {
    "Jobs": "submit run ps get why logs cancel suspend resume exec job",
    "Work": "service notebook volume secret",
    "Fleet": "gpus cluster node pool incident",
    "Quota and cost": "queue quota budget price usage",
    "Organization": "project tenant token audit",
    "Setup": "login apply export doctor config mcp",
}


class Sections(TyperGroup):
    """Lists the top-level commands by section."""

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        width = max(len(name) for name in self.commands)
        for title, names in SECTIONS.items():
            found = [(name, self.commands[name]) for name in names.split() if name in self.commands]
            limit = formatter.width - 6 - width
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), one.get_short_help_str(limit)) for name, one in found]
                )


def within(path: str, other: str) -> bool:
    """Whether the two are equal or one contains the other."""
    return f"{path} ".startswith(f"{other} ".lstrip()) or f"{other} ".startswith(f"{path} ")


def application(path: str) -> typer.Typer:
    """Loads only the modules of a command or group, or all of them without a path."""
    app = typer.Typer(
        name="fairlead",
        cls=Sections,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=HELP, epilog=EPILOG)(options)
    groups = {"": app}
    for name, (module, below, says) in GROUPS.items():
        if within(name, path):
            parent, _, word = name.rpartition(" ")
            groups[name] = group_of(module, below, says)
            groups[parent].add_typer(groups[name], name=word, short_help=says)
    modules = {MODULES[one] for one in MODULES if within(one, path)} if path else set(PARTS.split())
    for module in (one for one in PARTS.split() if one in modules):
        for command_ in loaded(module).app.registered_commands:
            if within(command_.name, path):
                parent, _, word = command_.name.rpartition(" ")
                named = copy(command_)
                named.name = word
                groups[parent].registered_commands.append(named)
    return app


def group_of(module: str, name: str, says: str) -> typer.Typer:
    """A copy of the module's command group, or a group with commands of other modules."""
    if not module:
        empty = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
        empty.callback(help=f"{says}.")(lambda: None)
        return empty
    group: typer.Typer = copy(getattr(loaded(module), name))
    group.registered_commands = list(group.registered_commands)
    group.registered_groups = list(group.registered_groups)
    return group


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
def command(path: str = "") -> Command:
    """Building all commands takes longer than running most of them."""
    return typer.main.get_command(application(path))


def guarded(arguments: list[str]) -> int:
    if "_FAIRLEAD_COMPLETE" in os.environ:
        completion_init()
    try:
        arguments = with_arguments(arguments)
        code = command(path_of(arguments) or completed())(
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


def path_of(arguments: Sequence[str]) -> str:
    """The longest leading path of a command or group, empty for an unknown command."""
    before = iter(arguments)
    path = ""
    for one in before:
        if not path and one.startswith("-"):
            _pass(one, before)
            continue
        longer = f"{path} {one}".lstrip()
        if longer not in GROUPS and longer not in MODULES:
            break
        path = longer
    return path


def completed() -> str:
    """The path before the word that a shell completes."""
    if "_FAIRLEAD_COMPLETE" not in os.environ:
        return ""
    typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return path_of(typed.split()[1:-1] if not typed.endswith(" ") else typed.split()[1:])


def with_arguments(arguments: list[str]) -> list[str]:
    """Words after -- of submit are options that a parser can distinguish from files."""
    if "--" not in arguments or path_of(arguments) != "submit":
        return arguments
    at = arguments.index("--")
    return [*arguments[:at], *(f"--argument={one}" for one in arguments[at + 1 :])]


def _pass(option: str, following: Iterator[str]) -> None:
    """Skips an option before the command, with its value."""
    if option in ("--url", "--project", "--tenant", "--reason"):
        next(following, None)


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
            message += ". Negative numbers are not allowed here"
        message += separator(wrong, arguments)
    unknown = re.match(r"No such command '([^']+)'", message)
    slurm = unknown is not None and unknown[1] in SLURM
    likely = counterparts(wrong, unknown[1]) if unknown and not slurm else []
    if unknown and slurm:
        message = f"{unknown[1]} is a Slurm command; use fairlead {SLURM[unknown[1]]}"
    if unknown and likely:
        right = " or ".join(f"fairlead {one}" for one in likely)
        message = f"No such command '{unknown[1]}'. Did you mean {right}?"
    size = next((found for one in arguments if (found := RANGE.fullmatch(one))), None)
    if size and "--workers" in message:
        message += f". For an elastic gang: --workers {size[2]} --min-workers {size[1]}"
    if isinstance(wrong, UsageError) and wrong.ctx is not None:
        message += f"\nhelp: {wrong.ctx.command_path} --help"
    return failed(USAGE, message)


def counterparts(wrong: ClickException, verb: str) -> list[str]:
    """Suggests commands for a verb of another tool, or for the same verb in another group or at
    the top level."""
    context = wrong.ctx if isinstance(wrong, UsageError) else None
    if context is not None and context.parent is not None:
        group = context.command_path.removeprefix("fairlead ")
        known = getattr(context.command, "commands", {})
        same = next((one for one in SAME_IN_A_GROUP.get(verb, ()) if one in known), None)
        if same:
            return [f"{group} {same}"]
        job = VERBS_OF_OTHERS.get(verb, verb)
        return [job] if group == "job" and job.split()[0] in SECTIONS["Jobs"].split() else []
    if verb in VERBS_OF_OTHERS:
        return [VERBS_OF_OTHERS[verb]]
    names = {verb, verb.removesuffix("s"), f"{verb.removesuffix('ies')}y"}
    paths = [f"{group} {one}".lstrip() for group, below in VERBS.items() for one in below.split()]
    near = get_close_matches(verb, [one.split()[-1] for one in paths], n=1, cutoff=0.75)
    found = [one.split() for one in paths if one.split()[-1] in names]
    found = found or [one.split() for one in paths if one.split()[-1] in near]
    return [" ".join(one) for one in found if len(one) == min(map(len, found))][:3]


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
    """The hint that an option of the program belongs after --."""
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
    """Replaces the API request in a message by the equivalent command."""
    return re.sub(
        r"GET /api/v1/([a-z-]+) (?=lists|shows)",
        lambda path: f"fairlead {READS[path[1]]} " if path[1] in READS else path[0],
        detail,
    )


def refused(error: ApiError) -> str:
    """Each invalid field on its own line."""
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
