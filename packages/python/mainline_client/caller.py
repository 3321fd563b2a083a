"""Any operation over HTTP: requests, answers, retries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.client import HTTPException, HTTPResponse
from secrets import token_hex
from ssl import SSLContext
from typing import Any, Literal
from urllib.error import URLError
from urllib.request import HTTPErrorProcessor, HTTPSHandler, Request, build_opener

from .failure import failure_of, is_envelope, unreachable
from .operation import Call, Operation, headers_of, url_of
from .paging import pages_of
from .retries import retrying

_STREAM_TYPES = {"lines": "application/x-ndjson", "events": "text/event-stream"}


class _EveryStatus(HTTPErrorProcessor):
    """Returns refusals as answers. Redirects are not followed, since they would carry the token elsewhere."""

    def http_response(self, request: Request, response: Any) -> Any:
        return response

    https_response = http_response


class Caller:
    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        user: str | None = None,
        account: str | None = None,
        language: Literal["en", "zh-cn"] | None = None,
        retries: int = 3,
        timeout_s: float = 60,
        context: SSLContext | None = None,
    ) -> None:
        """
        `token` is sent as `Authorization: Bearer`; `user` says who calls where identity is open; `account` is the
        supplier account where it is not the caller's own; `retries` is how often a call is repeated after a passing
        failure, changes with an Idempotency-Key; `context` holds the certificates that are trusted.
        """
        self._url = url
        self._headers = _own_headers(token, user, account, language)
        self._retries = retries
        self._timeout_s = timeout_s
        self._opener = build_opener(_EveryStatus(), HTTPSHandler(context=context))

    def call(self, operation: Operation, call: Call) -> Any:
        """The `data` of the answer; an iterator over it where the operation streams. Refusals are raised."""
        if operation.answers in _STREAM_TYPES:
            return self._stream(operation, call)
        # A change may have been made although its answer was lost: under a key it is not made again.
        if operation.takes_key and self._retries > 0 and call.idempotency_key is None:
            call = replace(call, idempotency_key=token_hex(16))
        return retrying(partial(self._answer, operation, call), self._retries)

    def iterate(self, operation: Operation, call: Call, *, sort: str | None, limit: int) -> Iterator[Any]:
        """Record after record of a search, page after page."""
        for page in pages_of(self.call, operation, call, sort=sort, limit=limit):
            yield from page

    def _answer(self, operation: Operation, call: Call) -> Any:
        with self._open(operation, call) as answer:
            try:
                content = answer.read()
            except (OSError, HTTPException) as why:
                raise unreachable(operation.name, why) from why
        is_json = answer.headers.get_content_type() == "application/json"
        succeeded = 200 <= answer.status < 300
        if succeeded and not is_json and operation.answers in ("csv", "file"):
            return content.decode() if operation.answers == "csv" else content
        read = _parsed(content)
        refused = is_envelope(read) and read["result"] is False
        if succeeded and operation.answers == "json" and read is not None and not refused:
            return read
        if refused or not is_envelope(read):
            raise failure_of(operation.name, answer.status, answer.headers, read)
        return read["data"]

    def _stream(self, operation: Operation, call: Call) -> Iterator[Any]:
        """The request is sent now, and its answer read as it is iterated."""
        answer = self._open(operation, call)
        if answer.headers.get_content_type() == _STREAM_TYPES[operation.answers]:
            return _records_in(answer, operation)
        with answer:
            raise failure_of(operation.name, answer.status, answer.headers, _parsed(answer.read()))

    def _open(self, operation: Operation, call: Call) -> HTTPResponse:
        content = call.content
        if content is None and operation.has_body:
            content = json.dumps({} if call.body is None else call.body).encode()
        headers = {**self._headers, **headers_of(call)}
        if content is not None:
            headers["Content-Type"] = call.content_type
        url = url_of(self._url, operation, call)
        request = Request(url, data=content, method=operation.method, headers=headers)
        try:
            answer: HTTPResponse = self._opener.open(request, timeout=self._timeout_s)
            return answer
        except URLError as why:
            raise unreachable(operation.name, why.reason if isinstance(why.reason, OSError) else why) from why
        except (OSError, HTTPException) as why:
            raise unreachable(operation.name, why) from why


def _records_in(answer: HTTPResponse, operation: Operation) -> Iterator[Any]:
    prefix = b"data: " if operation.answers == "events" else b""
    with answer:
        try:
            for line in answer:
                if line.startswith(prefix) and line.strip():
                    yield json.loads(line[len(prefix) :])
        except (OSError, HTTPException) as why:
            raise unreachable(operation.name, why) from why


def _own_headers(token: str | None, user: str | None, account: str | None, language: str | None) -> dict[str, str]:
    sent = {
        "Authorization": token and f"Bearer {token}",
        "BK_User": user and _in_header(user),
        "HTTP_BK_SUPPLIER_ACCOUNT": account and _in_header(account),
        "HTTP_BLUEKING_LANGUAGE": language,
    }
    return {name: value for name, value in sent.items() if value is not None}


def _in_header(text: str) -> str:
    """Headers are sent as Latin-1, and the server reads these as UTF-8."""
    return text.encode().decode("latin-1")


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None
