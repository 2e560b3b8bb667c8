"""Commands for sign-in, sign-out and the caller's identity."""

from __future__ import annotations

import contextlib
import os
import sys
import webbrowser
from datetime import datetime, timezone
from typing import Annotated

import typer

from fairlead import Fairlead, FairleadError, Settings, SignInFailed, _keyring, _oauth, _signin
from fairlead import _settings as files
from fairlead.cli import bulk, text
from fairlead.cli.account import checked, stored_settings
from fairlead.cli.actions import Yes
from fairlead.cli.callback import Callback
from fairlead.cli.output import Format, pairs, say, show
from fairlead.cli.session import CLI_TIMEOUT, Output, UsageProblem, client, session, verb

BROWSER_SECONDS = 300.0

app = typer.Typer()


@verb(
    app,
    "login",
    "Sign in, and remember the service's address and the sign-in",
    "fairlead login --url https://fairlead.example.com",
    "fairlead login --device",
    "fairlead login --token-stdin < token.txt",
    "fairlead login --url http://127.0.0.1:8080 --no-token",
    more="If the service has an identity provider, a browser opens at its page. Without a browser on "
    "this machine, or with --device, the command prints a code for a browser elsewhere. "
    "Otherwise it asks for an API token. The sign-in is stored in a file readable only by you "
    "and renewed automatically. An API token is stored in the system keyring if the package "
    "keyring is installed and finds one, otherwise in such a file. FAIRLEAD_TOKEN overrides "
    "both.",
)
def login(
    context: typer.Context,
    url: Annotated[str | None, typer.Option("--url", help="Address of the service.")] = None,
    browser: Annotated[
        bool, typer.Option("--browser", help="Sign in with a browser on this machine.")
    ] = False,
    device: Annotated[
        bool, typer.Option("--device", help="Sign in with a code in any browser.")
    ] = False,
    token_stdin: Annotated[
        bool, typer.Option("--token-stdin", help="Read an API token from stdin.")
    ] = False,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="The service does not require a token.")
    ] = False,
    in_file: Annotated[
        bool,
        typer.Option(
            "--in-file", help="Store the token in the file, even if a keyring is available."
        ),
    ] = False,
    yes: Yes = False,
) -> None:
    if sum((browser, device, token_stdin, no_token)) > 1:
        raise UsageProblem("give only one of --browser, --device, --token-stdin and --no-token")
    known = session(context).settings()
    address = checked(files.checked_url, url or known.url or files.DEFAULT_URL)
    if not (token_stdin or no_token):
        offer = _oauth.offered(address)
        if offer is not None and offer.client_id:
            agreed(_oauth.secure("the service", address), offer, yes)
            sign_in(address, offer, by_device(browser, device))
            return
        if browser or device or not sys.stdin.isatty():
            raise UsageProblem(no_sign_in(address, offer))
    with_token(address, None if no_token else asked_token(token_stdin), in_file)


def agreed(address: str, offer: _oauth.Offer, yes: bool) -> None:
    """Asks for confirmation at the first sign-in and when the service's sign-in settings change.
    The service
    names the issuer and the scopes, and receives the token."""
    kept = _signin.load(address)
    if kept is not None and kept.offer == offer:
        return
    shown = {
        "service": address,
        "issuer": offer.issuer,
        "client": offer.client_id,
        "scopes": " ".join(offer.scopes),
    }
    for name, value in shown.items():
        say(text.safe(f"{name}: {value}"))
    if not yes and not sys.stdin.isatty():
        raise UsageProblem("not a terminal, cannot ask for confirmation: pass -y")
    if not yes:
        bulk.confirmed("Sign in at this issuer, and send its token to this service?")


def no_sign_in(address: str, offer: _oauth.Offer | None) -> str:
    lacks = (
        "FAIRLEAD_OIDC_ISSUER, or its version is older than this"
        if offer is None
        else "FAIRLEAD_OIDC_CLI_CLIENT"
    )
    return (
        f"{address} offers no sign-in (its administrator has not set {lacks}): "
        "give --token-stdin with an API token, or --no-token where none is needed"
    )


def by_device(browser: bool, device: bool) -> bool:
    """Whether a browser opened here would be invisible to the user."""
    if browser or device:
        return device
    remote = any(os.environ.get(name) for name in ("SSH_CONNECTION", "SSH_TTY"))
    screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    return remote or not screen


def sign_in(address: str, offer: _oauth.Offer, device: bool) -> None:
    issuer = _oauth.configuration(offer.issuer)
    tokens = by_code(issuer, offer) if device else by_browser(issuer, offer)
    with Fairlead(address, checked(files.checked_token, tokens.access), timeout=CLI_TIMEOUT) as fl:
        me = fl.me()
    fresh = _signin.SignIn(address, offer, issuer.token, "", None, None).with_tokens(tokens)
    before = _signin.replaced(fresh)
    forget_token(Settings(address))
    say(f"{me.user} of {me.tenant} at {address}, stored in {_signin.path()}")
    end_before(before, fresh)
    if tokens.refresh is None:
        say(f"the issuer provides no refresh token. The sign-in ends {ends(tokens.expires_at)}")
    warn_of_environment()


def ends(at: float | None) -> str:
    if at is None:
        return "when the issuer decides"
    return text.away(datetime.fromtimestamp(at, timezone.utc))


def warn_of_environment() -> None:
    if os.environ.get("FAIRLEAD_TOKEN"):
        say("FAIRLEAD_TOKEN is set and overrides it")


def by_code(issuer: _oauth.Issuer, offer: _oauth.Offer) -> _oauth.Tokens:
    code = _oauth.begin_device(issuer, offer)
    say(text.safe(f"Open {code.address} in any browser and enter the code {code.user_code}"))
    if code.complete is not None:
        say(text.safe(f"or open {code.complete}"))
    say(f"The code ends in {round(code.seconds / 60)} minutes.")
    return _oauth.await_device(issuer, offer, code)


def by_browser(issuer: _oauth.Issuer, offer: _oauth.Offer) -> _oauth.Tokens:
    with Callback() as callback:
        request = _oauth.Request.new(issuer, offer, callback.address)
        address = request.address()
        say(
            text.safe(
                f"Opening a browser. If no browser opens, visit this address on this machine: {address}"
            )
        )
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(address)
        answer = callback.await_answer(request.is_answered_by, BROWSER_SECONDS)
    if answer is None:
        raise SignInFailed(
            f"no sign-in within {round(BROWSER_SECONDS / 60)} minutes. Without a browser on this "
            "machine: fairlead login --device"
        )
    return request.redeemed(answer)


def with_token(address: str, token: str | None, in_file: bool) -> None:
    with Fairlead(address, token, timeout=CLI_TIMEOUT) as fl:
        me = fl.me()
    stored = stored_settings()
    safe = token is not None and not in_file and _keyring.keep(address, token)
    kept = _keyring.MARK if safe else token
    path = Settings(address, kept, stored.project, stored.image, stored.tenant).save()
    before = _signin.replaced(None)
    where = f"{path}, its token in the keyring" if safe else str(path)
    say(f"{me.user} of {me.tenant} at {address}, stored in {where}")
    end_before(before)
    warn_of_environment()


def asked_token(from_stdin: bool) -> str:
    if from_stdin:
        token = sys.stdin.readline().strip()
    elif sys.stdin.isatty():
        token = str(typer.prompt("Token", hide_input=True, err=True)).strip()
    else:
        raise UsageProblem("no terminal to ask for the token: give --token-stdin or --no-token")
    return checked(files.checked_token, token)


def forget_token(address: Settings) -> bool:
    """Removes the stored API token but not the address. Returns whether a token was stored."""
    stored = stored_settings()
    if stored.token == _keyring.MARK:
        _keyring.forget(stored.url or files.DEFAULT_URL)
    address.over(stored).changed("token", None).save()
    return stored.token is not None


@verb(
    app,
    "config logout",
    "Forget the sign-in and the token, and end the sign-in at its issuer",
    "fairlead config logout",
    more="An API token is only removed locally. fairlead token revoke ends it. The address stays.",
)
def logout() -> None:
    kept = _signin.replaced(None)
    ended = kept is not None and end_at_issuer(kept)
    if not forget_token(Settings()) and kept is None:
        say("not signed in")
    elif kept is None:
        say("signed out")
    else:
        say(
            "signed out"
            if ended
            else f"signed out locally, but the session at {kept.offer.issuer} was not ended"
        )
    warn_of_environment()


def end_before(before: _signin.SignIn | None, fresh: _signin.SignIn | None = None) -> None:
    """Ends the previous sign-in. Some issuers share one session among all sign-ins of a browser.
    Revoking it would also end the new sign-in. Signing out ends both."""
    if before is None:
        return
    session = _oauth.session(before.access_token)
    if session is not None and fresh is not None and session == _oauth.session(fresh.access_token):
        return
    if not end_at_issuer(before):
        say(f"could not end the previous sign-in. End it at {before.offer.issuer}")


def end_at_issuer(kept: _signin.SignIn) -> bool:
    """Ends the session at the issuer. Returns False if the issuer does not respond or does not support it."""
    client_id = kept.offer.client_id
    try:
        issuer = _oauth.configuration(kept.offer.issuer)
        if kept.refresh_token is not None:
            _oauth.revoked(issuer, client_id, kept.refresh_token, "refresh_token")
        _oauth.revoked(issuer, client_id, kept.access_token, "access_token")
    except FairleadError:
        return False
    return issuer.revocation is not None


@verb(
    app,
    "config whoami",
    "Show your identity at the service, and the credential in use",
    "fairlead config whoami",
    "fairlead config whoami -o json",
)
def whoami(context: typer.Context, output: Output = Format.TABLE) -> None:
    with client(context) as fl:
        me, address = fl.me(), fl.url
    known = session(context).settings()
    kept = _signin.load(address) if known.token is None else None
    at = me.token_expires_at
    if kept is not None and kept.expires_at is not None:
        at = datetime.fromtimestamp(kept.expires_at, timezone.utc)
    shown = {
        "user": me.user,
        "tenant": me.tenant,
        "roles": me.roles or [],
        "by": proof(known, kept),
        "renewed": kept is not None and kept.refresh_token is not None,
        "expires": None if at is None else at.isoformat(),
        "service": address,
    }
    lines = {
        **shown,
        "roles": text.listed(me.roles or []),
        "renewed": "by itself" if shown["renewed"] else "no",
        "expires": "-" if at is None else f"{text.moment(at)} ({text.away(at)})",
    }
    show(shown, output, lambda: pairs(lines.items()))


def proof(known: Settings, kept: _signin.SignIn | None) -> str:
    """The credential of the requests."""
    if kept is not None:
        return f"sign-in at {kept.offer.issuer}"
    if known.token is None:
        return "nothing"
    return "FAIRLEAD_TOKEN" if os.environ.get("FAIRLEAD_TOKEN") else "API token"
