"""Every operation, and following events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .operations import Operations
from .watching import Watcher


class Client(Operations):
    """Each operation is a method of its name in the interface; `iter_<name>` reads all pages of a search."""

    def watch(
        self,
        resource: str,
        *,
        cursor: str | None = None,
        start_from: int | None = None,
        event_types: Sequence[Literal["create", "update", "delete"]] = (),
        fields: Sequence[str] = (),
    ) -> Watcher:
        """Events of `set`, `host`, `customquery:<id>`, ...: from now on, after a cursor, or since a Unix time."""
        return Watcher(
            self, resource, cursor=cursor, start_from=start_from, event_types=event_types, fields=fields
        )
