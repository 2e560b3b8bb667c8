"""Response types that are more convenient than plain JSON."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import AfterValidator


class Word(str, Enum):
    """A value of an extensible set. It equals its text, and values unknown to this version are
    members too."""

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


# 8 instead of 8.0; fractions of a GPU stay 0.5
Number = Annotated[float, AfterValidator(_plain)]
