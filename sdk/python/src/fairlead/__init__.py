"""Python SDK of Fairlead: `Fairlead` and `AsyncFairlead`, with the same methods."""

from fairlead import models
from fairlead._async_client import AsyncFairlead, AsyncJob
from fairlead._errors import (
    Ambiguous,
    ApiError,
    BadRequest,
    Conflict,
    FairleadError,
    FieldError,
    Forbidden,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServerError,
    Unauthenticated,
    Unreachable,
    WaitTimeout,
)
from fairlead._settings import Settings
from fairlead._sync_client import Fairlead, Job

__version__ = "0.1.0"

__all__ = [
    "Ambiguous",
    "ApiError",
    "AsyncFairlead",
    "AsyncJob",
    "BadRequest",
    "Conflict",
    "Fairlead",
    "FairleadError",
    "FieldError",
    "Forbidden",
    "InvalidRequest",
    "Job",
    "NotFound",
    "RateLimited",
    "ServerError",
    "Settings",
    "Unauthenticated",
    "Unreachable",
    "WaitTimeout",
    "__version__",
    "models",
]
