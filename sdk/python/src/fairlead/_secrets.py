"""Removes credentials from text that leaves this process."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

HIDDEN = "(hidden)"
_FORMS = re.compile(
    r"(?i:bearer)\s+[^\s\"'\\,]+"  # the header, whatever the token
    r"|fla?_[A-Za-z0-9_-]{16,}"  # API tokens and credentials of attempts
    r"|whsec_[A-Za-z0-9+/=_-]+"  # secrets of webhooks
    r"|(?<=://)[^/\s\"']+(?=@)"  # user and password of an address
)
_FIELDS = frozenset({"token", "password", "authorization", "signingkey", "kubeconfig"})
_VARIABLE = re.compile(r"(?i)token|secret|pass|credential|key|auth|_pat$")


def known(tokens: Iterable[str | None]) -> list[str]:
    """The tokens, including those in the environment, longest first."""
    of_environment = [
        value
        for name, value in os.environ.items()
        if name.startswith("FAIRLEAD_") and name.endswith(("TOKEN", "SECRET", "PASSWORD"))
    ]
    found = {one for one in (*tokens, *of_environment) if one}
    return sorted({*found, *(quote(one, safe="") for one in found)}, key=len, reverse=True)


def hide(text: str, tokens: Iterable[str]) -> str:
    """`tokens` as `known` returns them."""
    for one in tokens:
        text = text.replace(one, HIDDEN)
    return _FORMS.sub(HIDDEN, text)


def hide_in(value: Any, tokens: list[str], field: str = "") -> Any:
    """The value of a response with credentials removed, including from keys. Job variables whose
    names suggest
    a credential have no value. Stored specs are JSON inside strings, including in
    configuration changes."""
    if isinstance(value, str):
        if field.lower() in _FIELDS:
            return HIDDEN
        if value[:1] in ("{", "[", '"'):
            with suppress(ValueError):
                return json.dumps(hide_in(json.loads(value), tokens, field), ensure_ascii=False)
        return hide(value, tokens)
    if isinstance(value, list):
        return [hide_in(one, tokens, field) for one in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("path"), str) and "/env" in value["path"]:
        value = {**value, **{one: HIDDEN for one in ("before", "after") if value.get(one)}}
    return {
        hide(key, tokens): HIDDEN
        if field == "env" and isinstance(one, str) and _VARIABLE.search(key)
        else hide_in(one, tokens, "" if field == "env" else key)
        for key, one in value.items()
    }
