"""Following the events of a resource."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from time import sleep
from typing import TYPE_CHECKING, Literal

from .failure import Failure
from .retries import backoff_s

if TYPE_CHECKING:
    from .operations import Operations
    from .records import WatchResourceAnswer, WatchResourceAnswerBkEvents, WatchResourceBody

_log = logging.getLogger(__name__)


class Watcher(Iterator["WatchResourceAnswerBkEvents"]):
    """
    Event after event, for as long as it is iterated. `cursor` is after the last event that was returned: a program
    that stores it resumes there. Lost connections are resumed without missing an event; only the first request is
    given up. A refusal is raised: `CursorGone` when the database has gone back, with the cursor to continue from.
    """

    def __init__(
        self,
        client: Operations,
        resource: str,
        *,
        cursor: str | None = None,
        start_from: int | None = None,
        event_types: Sequence[Literal["create", "update", "delete"]] = (),
        fields: Sequence[str] = (),
    ) -> None:
        self.cursor = cursor
        self._client = client
        self._resource = resource
        self._start_from = start_from
        self._event_types = event_types
        self._fields = fields
        self._pending: deque[WatchResourceAnswerBkEvents] = deque()
        self._was_answered = False

    def __next__(self) -> WatchResourceAnswerBkEvents:
        while not self._pending:
            self._wait()
        event = self._pending.popleft()
        self.cursor = event["bk_cursor"]
        return event

    def _wait(self) -> None:
        """Until the next events, or until the server answers that there were none for 20 s."""
        body: WatchResourceBody = {"bk_event_types": list(self._event_types)}
        if self._fields:
            body["bk_fields"] = list(self._fields)
        if self.cursor is not None:
            body["bk_cursor"] = self.cursor
        elif self._start_from is not None:
            body["bk_start_from"] = self._start_from
        answer = self._persistently(body)
        if answer["bk_watched"]:
            self._pending.extend(answer["bk_events"])
        else:
            self.cursor = answer["bk_events"][0]["bk_cursor"]

    def _persistently(self, body: WatchResourceBody) -> WatchResourceAnswer:
        failures = 0
        while True:
            try:
                answer = self._client.watch_resource(bk_resource=self._resource, body=body)
                self._was_answered = True
                return answer
            except Failure as failure:
                if not failure.passing or not self._was_answered:
                    raise
                pause_s = max(backoff_s(failures), failure.retry_after or 0)
                _log.warning("%s; watching again in %.1f s", failure, pause_s)
            failures += 1
            sleep(pause_s)
