"""Python SDK of Fairlead: `Fairlead` and `AsyncFairlead`, with the same methods."""

from fairlead import models, states
from fairlead._async_client import AsyncBatchItem, AsyncFairlead, AsyncJob
from fairlead._errors import (
    Ambiguous,
    ApiError,
    BadRequest,
    Conflict,
    FairleadError,
    FieldError,
    Forbidden,
    InvalidRequest,
    IssuerUnreachable,
    NotFound,
    NotKept,
    RateLimited,
    ServerError,
    SignInFailed,
    Unauthenticated,
    Unreachable,
    WaitTimeout,
)
from fairlead._progress import progress
from fairlead._settings import Settings
from fairlead._sync_client import BatchItem, Fairlead, Job

__version__ = "0.1.0"

__all__ = [
    "Ambiguous",
    "ApiError",
    "AsyncBatchItem",
    "AsyncFairlead",
    "AsyncJob",
    "BadRequest",
    "BatchItem",
    "Conflict",
    "Fairlead",
    "FairleadError",
    "FieldError",
    "Forbidden",
    "InvalidRequest",
    "IssuerUnreachable",
    "Job",
    "NotFound",
    "NotKept",
    "RateLimited",
    "ServerError",
    "Settings",
    "SignInFailed",
    "Unauthenticated",
    "Unreachable",
    "WaitTimeout",
    "__version__",
    "models",
    "progress",
    "states",
]
