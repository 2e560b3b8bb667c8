"""Server-sent events, line by line (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import json

from fairlead import models
from fairlead._errors import api_error


class EventLines:
    """`position` is the position of the last complete block."""

    def __init__(self) -> None:
        self.position: str | None = None
        self._id: str | None = None
        self._name = ""
        self._data: list[str] = []

    def feed(self, line: str) -> models.EventResponse | None:
        """The event that this line completes, if any. Raises ApiError for a problem."""
        if line:
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "id":
                self._id = value
            elif field == "event":
                self._name = value
            elif field == "data":
                self._data.append(value)
            return None
        data, name = "\n".join(self._data), self._name
        self._data, self._name = [], ""
        if name == "problem":
            problem = json.loads(data)
            raise api_error(int(problem["status"]), problem, problem.get("requestId"))
        self.position = self._id
        return models.EventResponse.model_validate_json(data) if data else None
