"""What the client knows of an operation besides its types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, urlencode

Answers = Literal["envelope", "json", "csv", "file", "lines", "events"]
Paging = Literal["page", "page_by_id", "body", "path"]


@dataclass(frozen=True)
class Operation:
    name: str
    method: str
    path: str
    """Below /api/v3, parameters as {name}."""
    answers: Answers = "envelope"
    has_body: bool = False
    takes_key: bool = False
    """Whether it may be repeated under an Idempotency-Key."""
    paging: Paging | None = None


@dataclass(frozen=True)
class Call:
    """One call of an operation."""

    params: Mapping[str, Any]
    query: Mapping[str, Any] | None = None
    body: Any = None
    content: bytes | None = None
    """A file in place of a JSON body."""
    content_type: str = "application/json"
    reason: str | None = None
    if_match: int | None = None
    idempotency_key: str | None = None


def url_of(base: str, operation: Operation, call: Call) -> str:
    params = {name: quote(str(value), safe="") for name, value in call.params.items()}
    query = {name: _in_query(value) for name, value in (call.query or {}).items() if value is not None}
    search = f"?{urlencode(query)}" if query else ""
    return f"{base.rstrip('/')}/api/v3{operation.path.format_map(params)}{search}"


def _in_query(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def headers_of(call: Call) -> dict[str, str]:
    headers: dict[str, str] = {}
    if call.reason is not None:
        headers["X-Change-Reason"] = quote(call.reason, safe="")
    if call.if_match is not None:
        headers["If-Match"] = f'"{call.if_match}"'
    if call.idempotency_key is not None:
        headers["Idempotency-Key"] = call.idempotency_key
    return headers
