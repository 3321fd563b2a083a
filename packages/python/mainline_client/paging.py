"""Where searches take their page, and how all pages are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from .operation import Call, Operation


def pages_of(
    call: Callable[[Operation, Call], Any], operation: Operation, asked: Call, *, sort: str | None, limit: int
) -> Iterator[list[Any]]:
    """
    Hosts are read by their ids unless another order is asked for, so that none is lost while others are added or
    removed. For a saved query, `after=0` asks for it, since only the query knows its order.
    """
    by_id = _is_by_id(operation, asked, sort)
    start = after = 0
    while True:
        place = {"after": after} if by_id else {"start": start}
        answer = call(operation, _at(operation, asked, {**place, "limit": limit}, sort))
        page = answer["info"]
        if page:
            yield page
        start += len(page)
        if len(page) < limit or (not by_id and start >= answer["count"]):
            return
        if by_id:
            after = _host_id(page[-1])


def _is_by_id(operation: Operation, asked: Call, sort: str | None) -> bool:
    if operation.paging == "page_by_id":
        return sort is None
    return operation.paging == "path" and (asked.query or {}).get("after") is not None


def _at(operation: Operation, asked: Call, place: dict[str, int], sort: str | None) -> Call:
    if operation.paging == "path":
        params = {**asked.params, "start": place.get("start", 0), "limit": place["limit"]}
        query = {**(asked.query or {}), **({"after": place["after"]} if "after" in place else {})}
        return replace(asked, params=params, query=query)
    body = dict(asked.body or {})
    if operation.paging == "body":
        return replace(asked, body={**body, **place})
    return replace(asked, body={**body, "page": {**place, **({} if sort is None else {"sort": sort})}})


def _host_id(row: Any) -> int:
    host_id = row.get("host", {}).get("bk_host_id")
    if not isinstance(host_id, int):
        raise TypeError("to read hosts by their ids, the query must show bk_host_id")
    return host_id
