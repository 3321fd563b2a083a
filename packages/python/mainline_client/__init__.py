"""A typed client of Mainline, over Python's standard library."""

from .client import Client
from .failure import (
    Conflict,
    CursorGone,
    Failure,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    RevisionMismatch,
    ServerFailure,
    Unauthenticated,
    Unavailable,
)
from .operation import Operation
from .watching import Watcher
from .webhook import Delivered, WebhookRefused, verify_webhook

__all__ = [
    "Client",
    "Conflict",
    "CursorGone",
    "Delivered",
    "Failure",
    "InvalidRequest",
    "NotFound",
    "Operation",
    "PermissionDenied",
    "RevisionMismatch",
    "ServerFailure",
    "Unauthenticated",
    "Unavailable",
    "Watcher",
    "WebhookRefused",
    "verify_webhook",
]
