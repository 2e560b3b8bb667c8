"""Commands for API tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from fairlead import Fairlead, models
from fairlead.cli import text
from fairlead.cli.actions import listing, noun
from fairlead.cli.output import Column, emit, say
from fairlead.cli.session import client, help_text, verb

app = noun("Create, list and revoke API tokens.")

TOKENS: list[Column[models.TokenResponse]] = [
    Column("ID", lambda t: t.id),
    Column("NAME", lambda t: t.name),
    Column("USER", lambda t: t.user),
    Column("ROLE", lambda t: t.role),
    Column("PROJECT", lambda t: t.project or "-", rank=5),
    Column("STATE", lambda t: state(t)),
    Column("EXPIRES", lambda t: text.moment(t.expires_at), rank=4),
    Column("BY", lambda t: t.created_by, rank=6),
]


def state(token: models.TokenResponse) -> str:
    if token.revoked_at is not None:
        return "REVOKED"
    return "EXPIRED" if token.expires_at <= text.now() else "VALID"


@app.command(
    "create",
    help=help_text(
        "Create an API token. Its text goes to standard output and is shown only once.",
        "fairlead token create laptop --user ana --role tenant-member",
        "fairlead token create ci --user sa:ci --role project-member --project nlp --expires-in 30d",
        "fairlead token create laptop --user ana --role tenant-viewer | fairlead login --token-stdin",
    ),
    short_help="Create an API token, shown once",
)
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A label for the token.")],
    role: Annotated[
        str,
        typer.Option("--role", "-r", help="Role, such as tenant-member or project-viewer."),
    ],
    user: Annotated[
        str | None,
        typer.Option(
            "--user",
            "-u",
            help="Owner, sa:NAME for a program. You by default. Required for the local administrator.",
        ),
    ] = None,
    project: Annotated[
        str | None, typer.Option("--project", help="Project of a project role.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster", help="Source of health events, for a token with the role monitor."
        ),
    ] = None,
    expires_in: Annotated[
        str | None, typer.Option("--expires-in", help="Such as 30d; 90d without.")
    ] = None,
) -> None:
    with client(context) as fl:
        made = fl.tokens.create(
            name, role, user=user, project=project, cluster=cluster, expires_in=expires_in
        )
    emit(f"{made.token}\n")
    one = made.details
    say(
        f"{one.id} for {one.user}, {one.role}, until {text.moment(one.expires_at)}; shown only once"
    )
    say(f"Next: fairlead login --token-stdin, and to revoke it: fairlead token revoke {one.id}")


@app.command(
    "list",
    help=help_text(
        "List API tokens: all of the tenant for its owners, otherwise yours.",
        "fairlead token list",
        "fairlead token list -o json",
    ),
    short_help="List API tokens",
)
@listing(TOKENS, "no tokens", lambda t: t.id)
def list_tokens(fl: Fairlead) -> Iterable[models.TokenResponse]:
    return fl.tokens.list()


@verb(
    app,
    "revoke",
    "Revoke an API token",
    "fairlead token revoke tok_01m7vxn2c4e0mtrw2g5kqy8v3d",
    more="Within 5 seconds it is refused everywhere and its streams end.",
)
def revoke(
    context: typer.Context,
    token: Annotated[
        str, typer.Argument(metavar="ID", help="Id of the token, from fairlead token list.")
    ],
) -> None:
    with client(context) as fl:
        fl.tokens.revoke(token)
    say(f"{token} is revoked")
