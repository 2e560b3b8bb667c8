"""Commands for tenants and members."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import bulk, text
from fairlead.cli.actions import Yes, noun
from fairlead.cli.output import Column, Format, say, show_all
from fairlead.cli.session import Columns, Output, client, help_text, session

app = noun("Manage members of a tenant or a project.")
tenants = noun("Create, list and archive tenants.")

TENANTS: list[Column[models.Tenant]] = [
    Column("NAME", lambda t: t.name),
    Column("STATE", lambda t: t.state),
    Column("CALLED", lambda t: text.safe(t.display_name) or "-"),
    Column("ID", lambda t: t.id, rank=5),
]
MEMBERS: list[Column[models.TenantMemberResponse]] = [
    Column("USER", lambda m: m.user),
    Column("ROLE", lambda m: m.role),
    Column("SINCE", lambda m: text.moment(m.created_at)),
    Column("BY", lambda m: m.created_by, rank=6),
]


class Role(str, Enum):
    """Role of a member in a tenant or a project."""

    OWNER = "owner"
    MEMBER = "member"
    VIEWER = "viewer"


User = Annotated[
    str, typer.Argument(metavar="USER", help="A person or, as sa:NAME, a service account.")
]
Project = Annotated[
    str | None,
    typer.Option("--project", help="Add a member of this project only, not of the tenant."),
]


@tenants.command(
    "create",
    help=help_text(
        "Create a tenant, with a project and a queue named default. For administrators.",
        "fairlead tenant create acme --display-name 'Acme Corporation'",
        "fairlead --tenant acme tenant member add ana --role owner",
    ),
    short_help="Create a tenant",
)
def create_tenant(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A DNS label. Cannot be changed later.")
    ],
    display_name: Annotated[
        str | None, typer.Option("--display-name", help="A name for people.")
    ] = None,
) -> None:
    body = {"name": name} if display_name is None else {"name": name, "displayName": display_name}
    with client(context) as fl:
        made = fl.tenants.create(body)
    say(f"tenant {made.name} is created")
    say(f"Next: fairlead --tenant {made.name} tenant member add USER --role owner")


@tenants.command(
    "list",
    help=help_text(
        "List tenants: all for administrators, otherwise yours.", "fairlead tenant list"
    ),
    short_help="List tenants",
)
def list_tenants(
    context: typer.Context, output: Output = Format.TABLE, columns: Columns = None
) -> None:
    with client(context) as fl:
        show_all(
            fl.tenants.list(), TENANTS, output, columns, name=lambda t: t.name, empty="no tenants"
        )


@tenants.command(
    "archive",
    help=help_text(
        "Archive a tenant permanently: it accepts no requests and its jobs are cancelled. Its data "
        "stay readable.",
        "fairlead tenant archive acme",
        "fairlead tenant archive acme --yes",
    ),
    short_help="Archive a tenant and cancel its jobs",
)
def archive_tenant(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whole name.")],
    yes: Yes = False,
) -> None:
    if not yes:
        bulk.confirmed(f"Archive {name} and cancel its jobs?")
    with client(context) as fl:
        archived = fl.tenants.archive(name)
    say(f"{archived.name} is {archived.state}")


def tenant_in_use(context: typer.Context, fl: Fairlead, project: str | None) -> str | None:
    """Returns the tenant in use, None if a project is given."""
    if project is not None:
        return None
    return session(context).settings().tenant or fl.me().tenant


def called(tenant: str | None, project: str | None) -> str:
    return f"tenant {tenant}" if project is None else f"project {project}"


@app.command(
    "add",
    help=help_text(
        "Add a member to the tenant or, with --project, to one project, or change its role.",
        "fairlead tenant member add ana --role owner",
        "fairlead tenant member add sa:ci --role member --project nlp",
    ),
    short_help="Add a member, or change its role",
)
def add(
    context: typer.Context,
    user: User,
    role: Annotated[Role, typer.Option("--role", "-r", help="The role to grant.")],
    project: Project = None,
) -> None:
    with client(context) as fl:
        tenant = tenant_in_use(context, fl, project)
        kind = "tenant" if project is None else "project"
        member = fl.members.put(user, f"{kind}-{role.value}", tenant=tenant, project=project)
    say(f"{member.user} is {member.role} of {called(tenant, project)}")


@app.command(
    "list",
    help=help_text(
        "List members of the tenant or, with --project, of one project.",
        "fairlead tenant member list",
        "fairlead tenant member list --project nlp -o json",
    ),
    short_help="List members",
)
def list_members(
    context: typer.Context,
    project: Project = None,
    output: Output = Format.TABLE,
    columns: Columns = None,
) -> None:
    with client(context) as fl:
        found = fl.members.list(tenant=tenant_in_use(context, fl, project), project=project)
    show_all(found, MEMBERS, output, columns, name=lambda m: m.user, empty="no members")


@app.command(
    "remove",
    help=help_text(
        "Remove a member of the tenant or, with --project, of one project. Within 5 seconds its "
        "tokens are refused there and its streams end.",
        "fairlead tenant member remove ana",
        "fairlead tenant member remove sa:ci --project nlp",
    ),
    short_help="Remove a member",
)
def remove(context: typer.Context, user: User, project: Project = None) -> None:
    with client(context) as fl:
        tenant = tenant_in_use(context, fl, project)
        fl.members.remove(user, tenant=tenant, project=project)
    say(f"{user} is no longer a member of {called(tenant, project)}")
