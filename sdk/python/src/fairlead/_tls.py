"""Which servers are trusted."""

from __future__ import annotations

import os
import ssl
from functools import cache

import httpx2


def trusted() -> ssl.SSLContext:
    """To read all authorities takes longer than a request: once in a process, for all its clients."""
    return _read(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _read(*_named: str | None) -> ssl.SSLContext:
    return httpx2.create_ssl_context()
