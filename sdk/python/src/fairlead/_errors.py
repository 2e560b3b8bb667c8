"""The exceptions of the SDK."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead import models


class FairleadError(Exception):
    """Root of everything that the SDK raises itself."""


class Unreachable(FairleadError):
    """No response arrived: nothing listens there, the name is unknown, or the connection broke."""


class OutputRefused(FairleadError):
    """Fairlead did not store an output of a job."""


class IssuerUnreachable(Unreachable):
    """The issuer for sign-in does not respond."""


class SignInFailed(FairleadError):
    """Sign-in failed: the issuer or the user refused, the code expired, or the sign-in expired."""


class NotKept(FairleadError):
    """A configuration file of the user cannot be written. Its previous content is unchanged."""


class WaitTimeout(FairleadError):
    """The job had not ended within the given time. It continues."""


class Ambiguous(FairleadError):
    """The text matches several `jobs`. Use an id."""

    def __init__(self, message: str, jobs: Sequence[models.JobResponse] = ()) -> None:
        listed = ", ".join(f"{job.name} ({job.id}, {job.state})" for job in jobs)
        super().__init__(f"{message}: {listed}" if listed else message)
        self.message = message
        self.jobs = list(jobs)


@dataclass(frozen=True)
class FieldError:
    """One wrong field. `pointer` is a JSON pointer into the body, empty when there is none."""

    pointer: str
    code: str
    detail: str
    suggestion: str | None = None


class ApiError(FairleadError):
    """The service refused the request. `code` is a code of docs/reference/reasons/errors.md."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        title: str = "",
        errors: Sequence[FieldError] = (),
        metadata: Mapping[str, Any] | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.title = title
        self.errors = list(errors)
        self.metadata = dict(metadata or {})
        self.request_id = request_id


class BadRequest(ApiError):
    """400 and similar: the body cannot be read, or a parameter is wrong."""


class Unauthenticated(ApiError):
    """401: the token is missing or wrong."""


class Forbidden(ApiError):
    """403: not allowed."""


class NotFound(ApiError):
    """404: no object with that name or id is visible to the caller."""


class Conflict(ApiError):
    """409, 412, 428: the state or version of the object does not allow it."""


class InvalidRequest(ApiError):
    """422: the body is well-formed, but some values are invalid. See `errors`."""


class RateLimited(ApiError):
    """429, after the retries."""


class ServerError(ApiError):
    """5xx, after the retries."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    422: InvalidRequest,
    428: Conflict,
    429: RateLimited,
}


def api_error(status: int, body: Any, request_id: str | None) -> ApiError:
    """The error of a problem document, or of a response that is not a problem document (a proxy's
    page, for example)."""
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else BadRequest)
    if not isinstance(body, dict) or "code" not in body:
        hint = "not a response of Fairlead. Check the address and any proxy in between"
        return kind(status, f"HTTP_{status}", f"status {status}, {hint}", request_id=request_id)
    errors = [
        FieldError(
            str(one.get("pointer") or ""),
            str(one.get("code") or ""),
            str(one.get("detail") or ""),
            one.get("suggestion"),
        )
        for one in body.get("errors") or []
        if isinstance(one, dict)
    ]
    return kind(
        status,
        str(body["code"]),
        str(body.get("detail") or body.get("title") or ""),
        title=str(body.get("title") or ""),
        errors=errors,
        metadata=body.get("metadata"),
        request_id=body.get("requestId") or request_id,
    )
