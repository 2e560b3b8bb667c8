"""The trusted servers."""

from __future__ import annotations

import os
import ssl
from functools import cache

import httpx2


def trusted(url: str = "https:") -> ssl.SSLContext:
    """Loading all CA certificates takes longer than a request, so all clients of a process share
    one context.

    A plain http address needs no context, and its client trusts no server of another address.

    A context that queries the system at each handshake (macOS, Windows) loads none, and
    serializes handshakes, so each client has its own.
    """
    if url.startswith("http:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    shared = _read(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    return shared or httpx2.create_ssl_context()


@cache
def _read(*_named: str | None) -> ssl.SSLContext | None:
    context = httpx2.create_ssl_context()
    return context if type(context) is ssl.SSLContext else None
