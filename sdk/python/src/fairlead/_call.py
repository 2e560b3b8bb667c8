"""Call values, response parsing and retry decisions, shared by the sync and async clients."""

from __future__ import annotations

import email.utils
import json
import random
import socket
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel, ValidationError

from fairlead._errors import ApiError, FairleadError, Unreachable, api_error

T = TypeVar("T", bound=BaseModel)

ROOT = "/api/v1"
JSON = "application/json"
YAML = "application/yaml"
MERGE_PATCH = JSON

FIRST_DELAY = 0.5
LONGEST_DELAY = 8.0
# maximum of Retry-After that is honoured, so that the client never blocks for an hour
LONGEST_RETRY_AFTER = 60.0
RETRIED = frozenset({429, 502, 503, 504})
# answers of a proxy that may have passed the request on
PASSED_ON = frozenset({502, 504})

Body = BaseModel | Mapping[str, Any] | str


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request. `replayable`: a repeated request has no further effect."""

    method: str
    path: str
    answer: type[T]
    params: Mapping[str, Any] = field(default_factory=dict)
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    replayable: bool = True


def path(form: str, **parts: str) -> str:
    """Formats a path. Each part becomes one segment, regardless of its characters."""
    for name, part in parts.items():
        if part in ("", ".", ".."):
            raise FairleadError(f"{name} is {part!r}, which names nothing")
    return ROOT + form.format(**{name: quote(part, safe="") for name, part in parts.items()})


def get(
    form: str, answer: type[T], params: Mapping[str, Any] | None = None, **parts: str
) -> Call[T]:
    given = {name: value for name, value in (params or {}).items() if value is not None}
    return Call("GET", path(form, **parts), answer, given, headers={"Accept": JSON})


def write(
    method: str,
    form: str,
    answer: type[T],
    body: Body | None = None,
    *,
    validate_only: bool = False,
    key: str | None = None,
    if_match: int | Literal["*"] | None = None,
    replayable: bool | None = None,
    params: Mapping[str, Any] | None = None,
    **parts: str,
) -> Call[T]:
    headers = {"Accept": JSON}
    if method == "POST":
        headers["Idempotency-Key"] = key or str(uuid.uuid4())
    if if_match is not None:
        headers["If-Match"] = if_match if if_match == "*" else f'"{if_match}"'
    content = None
    if body is not None:
        content, headers["Content-Type"] = encoded(body)
    given = {name: value for name, value in (params or {}).items() if value is not None}
    if validate_only:
        given["validateOnly"] = "true"
    safe = method != "DELETE" if replayable is None else replayable
    return Call(method, path(form, **parts), answer, given, content, headers, safe)


def reasoned(call: Call[Any], reason: str | None) -> Mapping[str, Any]:
    """Parameters of the call, with the reason if it changes something."""
    if reason is None or call.method == "GET":
        return call.params
    return {**call.params, "reason": reason}


def encoded(body: Body) -> tuple[bytes, str]:
    """YAML text is sent unchanged, so that the service can report line and column of an error."""
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass"), YAML
    return json.dumps(plain(body), allow_nan=False).encode(), JSON


def plain(body: BaseModel | Mapping[str, Any]) -> Any:
    if isinstance(body, BaseModel):
        return body.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return dict(body)


def read(call: Call[T], response: httpx2.Response) -> T:
    """Parses the response into a model. Raises the error of a refusal."""
    if not response.is_success:
        raise refusal(response)
    try:
        return call.answer.model_validate_json(response.content or b"{}")
    except ValidationError as unexpected:
        raise FairleadError(
            f"{call.method} {call.path}: unexpected answer; is the service newer than this SDK? "
            f"{unexpected}"
        ) from unexpected


def refusal(response: httpx2.Response) -> ApiError:
    try:
        body = response.json()
    except ValueError:
        body = None
    return api_error(response.status_code, body, response.headers.get("X-Request-Id"))


def unreachable(url: str, cause: Exception) -> Unreachable:
    what = (
        "gave no answer in time"
        if isinstance(cause, httpx2.TimeoutException)
        else "cannot be reached"
    )
    return Unreachable(f"{url} {what}: {cause or type(cause).__name__}")


@contextmanager
def ending(response: httpx2.Response, seconds: float | None) -> Iterator[None]:
    """Limits the time to read a response by ReadTimeout, because the client's timeout restarts
    with each chunk.
    A shutdown wakes the reader. A close does not."""
    stream = response.extensions.get("network_stream")
    if seconds is None or stream is None:
        yield
        return
    one = stream.get_extra_info("socket")
    late = threading.Event()
    # its own handle of the connection: the reader may close the other one at any time
    with socket.fromfd(one.fileno(), one.family, one.type) as connection:

        def end() -> None:
            late.set()
            with suppress(OSError):  # it is down already
                connection.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            yield
        except httpx2.TransportError:
            if not late.is_set():
                raise
        finally:
            timer.cancel()
            timer.join()
    if late.is_set():
        raise httpx2.ReadTimeout("it had not ended", request=response.request)


def retry_after_failure(call: Call[T], cause: httpx2.TransportError, attempt: int) -> float | None:
    """Seconds to wait, or None to stop retrying. A request that was never sent can always be retried."""
    never_left = isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout))
    return backoff(attempt) if never_left or call.replayable else None


def retry_after_answer(call: Call[T], response: httpx2.Response, attempt: int) -> float | None:
    """Seconds to wait, or None to accept the response."""
    if response.status_code in PASSED_ON and not call.replayable:
        return None
    told = retry_after(response.headers.get("Retry-After"))
    in_flight = response.status_code == 409 and told is not None
    if response.status_code not in RETRIED and not in_flight:
        return None
    if told is None:
        return backoff(attempt)
    return told if told <= LONGEST_RETRY_AFTER else None


def retry_after(header: str | None) -> float | None:
    """Seconds of a Retry-After header, which contains a number or a date."""
    if header is None:
        return None
    try:
        return max(0.0, float(int(header)))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def backoff(attempt: int, longest: float = LONGEST_DELAY) -> float:
    """Back-off: 0.5 s doubled up to 8 s or `longest`, with jitter between half and all of it."""
    whole = min(longest, FIRST_DELAY * 2.0 ** min(attempt, 10))
    return max(FIRST_DELAY, whole * random.uniform(0.5, 1.0))
