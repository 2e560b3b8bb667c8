"""Tokens in the keyring of the operating system, if the package `keyring` is installed and finds one."""

from __future__ import annotations

import importlib
from typing import Any

SERVICE = "fairlead"
# stored in the file instead of the token, which is in the keyring under the address
MARK = "keyring"


def _keyring() -> Any:
    """Returns the keyring, or None if no usable keyring exists."""
    try:
        module = importlib.import_module("keyring")
        return module if module.get_keyring().priority > 0 else None
    except Exception:  # a backend may fail in any way of its own
        return None


def read(url: str) -> str | None:
    found = _keyring()
    try:
        return None if found is None else found.get_password(SERVICE, url)
    except Exception:
        return None


def keep(url: str, token: str) -> bool:
    """Returns False if the token was not stored."""
    found = _keyring()
    try:
        if found is None:
            return False
        found.set_password(SERVICE, url, token)
        return bool(found.get_password(SERVICE, url) == token)
    except Exception:
        return False


def forget(url: str) -> None:
    """Deletes the stored token of the address, if any."""
    found = _keyring()
    try:
        if found is not None:
            found.delete_password(SERVICE, url)
    except Exception:  # it was not there
        return
