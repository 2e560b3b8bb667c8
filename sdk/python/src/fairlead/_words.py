"""Types of answers that are easier to live with than those of JSON."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import AfterValidator


class Word(str, Enum):
    """One of a set of words that may grow: it equals its text, and a word that this version does not know
    is a member too."""

    @classmethod
    def _missing_(cls, value: object) -> Word | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = unknown._value_ = value
        return unknown

    def __str__(self) -> str:
        return str(self.value)


def _plain(value: float) -> float:
    return int(value) if value.is_integer() else value


# 8 in place of 8.0; parts of a GPU stay 0.5
Number = Annotated[float, AfterValidator(_plain)]
