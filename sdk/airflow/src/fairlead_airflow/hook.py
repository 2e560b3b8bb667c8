"""The connection to the service."""

from __future__ import annotations

import logging
import ssl
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2
from airflow.sdk import BaseHook
from fairlead import AsyncFairlead, Fairlead, FairleadError

EXTRAS = ("ca", "project", "tenant", "timeout")
DEFAULT_TIMEOUT = 30.0

# It logs a line for each request, and a task polls its job every few seconds.
logging.getLogger("httpx2").setLevel(logging.WARNING)


@dataclass(frozen=True)
class Access:
    """Settings of a client, read once from the connection. Airflow is not queried again.

    `ca` is the path of a PEM file, `timeout` in seconds for each request."""

    url: str
    token: str | None = field(repr=False)
    project: str | None
    tenant: str | None
    ca: str | None
    timeout: float

    @staticmethod
    def of(connection: Any) -> Access:
        """Raises ValueError with the connection, the field and the expected value."""
        name = connection.conn_id
        extra = connection.extra_dejson
        unknown = sorted(set(extra) - set(EXTRAS))
        if unknown:
            raise ValueError(
                f"connection {name}: extra has {', '.join(unknown)}; valid keys: "
                f"{', '.join(EXTRAS)}"
            )
        for key in ("ca", "project", "tenant"):
            if extra.get(key) is not None and not isinstance(extra[key], str):
                raise ValueError(f"connection {name}: extra.{key} must be text")
        return Access(
            url=_url(name, connection.host, connection.schema, connection.port),
            token=connection.password or None,
            project=extra.get("project") or None,
            tenant=extra.get("tenant") or None,
            ca=extra.get("ca") or None,
            timeout=_timeout(name, extra.get("timeout")),
        )

    def client(self) -> Fairlead:
        """Returns a new client, which the caller must close."""
        transport = httpx2.HTTPTransport(verify=self._trust()) if self.ca else None
        return Fairlead(
            self.url,
            self.token,
            project=self.project,
            tenant=self.tenant,
            timeout=self.timeout,
            transport=transport,
        )

    def async_client(self) -> AsyncFairlead:
        """Returns a new client, which the caller must close."""
        transport = httpx2.AsyncHTTPTransport(verify=self._trust()) if self.ca else None
        return AsyncFairlead(
            self.url,
            self.token,
            project=self.project,
            tenant=self.tenant,
            timeout=self.timeout,
            transport=transport,
        )

    def _trust(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=self.ca)
        except (OSError, ssl.SSLError) as broken:
            raise ValueError(
                f"extra.ca: {self.ca} cannot be read as certificates in PEM on this machine: {broken}"
            ) from broken


class FairleadHook(BaseHook):
    """Clients for a connection of type `fairlead`.

    The host is a name or a full address, the schema `http` or `https` (default `https`), the password the
    token. extra accepts `ca` (path of a PEM file), `project`, `tenant` and `timeout` (seconds)."""

    conn_name_attr = "fairlead_conn_id"
    default_conn_name = "fairlead_default"
    conn_type = "fairlead"
    hook_name = "Fairlead"

    def __init__(self, fairlead_conn_id: str = default_conn_name) -> None:
        super().__init__()
        self.fairlead_conn_id = fairlead_conn_id

    def access(self) -> Access:
        return Access.of(self.get_connection(self.fairlead_conn_id))

    async def async_access(self) -> Access:
        return Access.of(await self.aget_connection(self.fairlead_conn_id))

    def get_conn(self) -> Fairlead:
        """A client that the caller must close: `with hook.get_conn() as fl`."""
        return self.access().client()

    def test_connection(self) -> tuple[bool, str]:
        """The user of the token, or the reason why the service rejects it."""
        try:
            with self.get_conn() as fl:
                return True, f"{fl.url} knows this token as {fl.me().user}"
        except (FairleadError, ValueError) as broken:
            return False, str(broken)

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        return {
            "hidden_fields": ["login"],
            "relabeling": {"password": "Token", "schema": "Scheme"},
            "placeholders": {
                "host": "fairlead.example.com",
                "schema": "https",
                "extra": '{"project": "nlp", "ca": "/etc/ssl/fairlead-ca.pem"}',
            },
        }


def _url(name: str, host: str | None, scheme: str | None, port: int | None) -> str:
    if not host:
        raise ValueError(
            f"connection {name}: host is empty. Set it, for example to fairlead.example.com"
        )
    if "://" not in host:
        scheme = scheme or "https"
        if scheme not in ("http", "https"):
            raise ValueError(f"connection {name}: schema is {scheme!r}. Set http or https")
        host = f"{scheme}://{host}"
    parts = urlsplit(host)
    if parts.username or parts.password or parts.query or parts.fragment or not parts.hostname:
        raise ValueError(
            f"connection {name}: host is not a service address. Set a name such as "
            "fairlead.example.com, and the token as password"
        )
    if port is not None and parts.port is None:
        return f"{parts.scheme}://{parts.netloc}:{port}{parts.path}"
    return host


def _timeout(name: str, given: Any) -> float:
    if given is None:
        return DEFAULT_TIMEOUT
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given <= 600:
        raise ValueError(
            f"connection {name}: extra.timeout must be seconds up to 600, not {given!r}"
        )
    return float(given)
