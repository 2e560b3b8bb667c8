"""Python SDK of Fairlead: `Fairlead` and `AsyncFairlead`, with the same methods.

Modules are loaded at the first use of one of their names.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
        OutputRefused,
        RateLimited,
        ServerError,
        SignInFailed,
        Unauthenticated,
        Unreachable,
        WaitTimeout,
    )
    from fairlead._output import output
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
    "OutputRefused",
    "RateLimited",
    "ServerError",
    "Settings",
    "SignInFailed",
    "Unauthenticated",
    "Unreachable",
    "WaitTimeout",
    "__version__",
    "models",
    "output",
    "progress",
    "states",
]

_MODULES = {
    "_async_client": "AsyncBatchItem AsyncFairlead AsyncJob",
    "_errors": """
        Ambiguous ApiError BadRequest Conflict FairleadError FieldError Forbidden InvalidRequest
        IssuerUnreachable NotFound NotKept OutputRefused RateLimited ServerError SignInFailed
        Unauthenticated Unreachable WaitTimeout
    """,
    "_output": "output",
    "_progress": "progress",
    "_settings": "Settings",
    "_sync_client": "BatchItem Fairlead Job",
}
_HOMES = {name: home for home, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in ("models", "states"):
        return import_module(f"fairlead.{name}")
    if name not in _HOMES:
        raise AttributeError(f"fairlead has no {name}")
    found = getattr(import_module(f"fairlead.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
