"""Repeating what failed for a passing reason."""

from __future__ import annotations

from collections.abc import Callable
from random import random
from time import sleep
from typing import TypeVar

from .failure import Failure

Answer = TypeVar("Answer")

# A server that asks for a longer pause is not waited for.
LONGEST_PAUSE_S = 30.0


def backoff_s(failures: int) -> float:
    """Grows with each failure, with jitter, so that clients that failed together do not return together."""
    return min(LONGEST_PAUSE_S, 0.1 * 2.0 ** min(failures, 10) * (0.5 + random()))


def retrying(attempt: Callable[[], Answer], retries: int) -> Answer:
    failures = 0
    while True:
        try:
            return attempt()
        except Failure as failure:
            pause_s = backoff_s(failures) if failure.retry_after is None else failure.retry_after
            if not failure.passing or failures >= retries or pause_s > LONGEST_PAUSE_S:
                raise
        failures += 1
        sleep(pause_s)
