"""Why a call did not succeed."""

from __future__ import annotations

from email.message import Message
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

from .problems import PROBLEMS, FailureKind

# By kind as well as by status: with `--compat bk-cmdb` refusals are sent with status 200.
_PASSING = {"unreachable", "tooManyRequests", "notReady", "outcomeUnknown", "keyRunning"}


class Failure(Exception):
    """Base class: every failed call raises one of its subclasses."""

    def __init__(
        self,
        operation: str,
        text: str,
        *,
        kind: FailureKind,
        code: int = 0,
        status: int = 0,
        request_id: str = "",
        data: Any = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{operation}: {text}")
        self.operation = operation
        self.text = text
        """`bk_error_msg`, in the language of the caller."""
        self.kind = kind
        """A word of the contract; `unreachable` when nothing answered, `unrecognised` when something else did."""
        self.code = code
        """`bk_error_code`; 0 when nothing or nothing known answered."""
        self.status = status
        """Of HTTP; 0 when nothing answered."""
        self.request_id = request_id
        """By which operators find the call in the server's log."""
        self.data = data
        self.retry_after = retry_after
        """Seconds after which to try again, if the server said so."""

    @property
    def passing(self) -> bool:
        """Whether the same call may succeed later."""
        return self.kind in _PASSING or self.status in (429, 503)


class InvalidRequest(Failure):
    """Nothing was done: a parameter is missing, malformed or too large."""


class Unauthenticated(Failure):
    """No credentials, or none that the server accepts."""


class PermissionDenied(Failure):
    """The text names the missing permission."""


class NotFound(Failure):
    """A record that the path or the body names does not exist."""


class Conflict(Failure):
    """The state of the estate forbids the change: a name is taken, hosts are below, a key is in use."""


class RevisionMismatch(Conflict):
    """`if_match` names another revision than the instance has."""


class CursorGone(Failure):
    """
    The database has gone back to an earlier state, and the record of the cursor is lost. Read the current state,
    then watch from `cursor`.
    """

    @property
    def cursor(self) -> str:
        return str(self.data["bk_cursor"])

    @property
    def position(self) -> int:
        """The last record that both histories have in common."""
        return int(self.data["position"])


class Unavailable(Failure):
    """No answer, or one that asks to try again later."""


class ServerFailure(Failure):
    """The server failed, or something that is not Mainline has answered."""


_BY_KIND: dict[str, type[Failure]] = {"cursorGone": CursorGone, "revisionMismatch": RevisionMismatch}
_BY_STATUS: dict[int, type[Failure]] = {
    401: Unauthenticated,
    403: PermissionDenied,
    404: NotFound,
    409: Conflict,
    429: Unavailable,
    503: Unavailable,
}


def failure_of(operation: str, status: int, headers: Message, answer: Any) -> Failure:
    """Of an answer that is no success."""
    request_id: str = headers.get("cc_request_id") or ""
    retry_after = _seconds(headers.get("Retry-After"))
    if not is_envelope(answer):
        kept = Unavailable if status in (429, 503) else ServerFailure
        text = f"HTTP {status}, and not from Mainline"
        return kept(
            operation, text, kind="unrecognised", status=status, request_id=request_id, retry_after=retry_after
        )
    code = answer["bk_error_code"]
    kind, usual_status = _known(code, status)
    if kind == "keyRunning" and retry_after is None:
        # A request that is still in progress says when to retry, a conflict with later changes does not.
        kind = "undoConflict"
    text = answer.get("bk_error_msg") or ""
    return _class_of(kind, usual_status)(
        operation,
        text,
        kind=kind,
        code=code,
        data=answer.get("data"),
        status=status,
        request_id=request_id,
        retry_after=retry_after,
    )


def unreachable(operation: str, why: BaseException) -> Failure:
    return Unavailable(operation, f"no answer: {why}", kind="unreachable")


def is_envelope(answer: Any) -> bool:
    return isinstance(answer, dict) and "result" in answer and "bk_error_code" in answer


def _known(code: int, status: int) -> tuple[FailureKind, int]:
    """Some codes are shared by kinds that differ in their HTTP status. A newer server may have codes that are not known here."""
    alike = [(kind, usual) for kind, its_code, usual in PROBLEMS if its_code == code]
    same_status = [each for each in alike if each[1] == status]
    return next(iter([*same_status, *alike]), ("unrecognised", status))


def _class_of(kind: str, status: int) -> type[Failure]:
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    return _BY_STATUS.get(status, ServerFailure if status >= 500 else InvalidRequest)


def _seconds(sent: str | None) -> float | None:
    if not sent:
        return None
    if sent.isdigit():
        return float(sent)
    try:
        return max(0.0, parsedate_to_datetime(sent).timestamp() - time())
    except ValueError:
        return None
