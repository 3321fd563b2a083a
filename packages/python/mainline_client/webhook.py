"""Verifying what Mainline sends to a subscriber (Standard Webhooks)."""

from __future__ import annotations

import hmac
import json
import time
from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict


class Change(TypedDict):
    cur_data: dict[str, Any] | None
    """None after a deletion."""
    pre_data: dict[str, Any] | None
    """None after a creation."""


class Delivered(TypedDict):
    event_type: str
    action: str
    action_time: str
    obj_type: str
    data: list[Change]
    bk_supplier_account: str
    request_id: str
    request_time: str
    txn_id: str
    revision: int
    position: int
    reason: NotRequired[str]
    distribution_id: int
    subscription_id: int


class WebhookRefused(Exception):
    """Not signed with the secret, or not now. Answer 401 and do nothing."""


def verify_webhook(
    secrets: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_s: float = 300,
    now: float | None = None,
) -> Delivered:
    """
    The event, once it is known to come from a holder of the secret, or of one of the secrets while it is rotated. `body`
    is what was sent, byte for byte. Store `webhook-id`: an event may be delivered twice.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (sent.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (message_id and timestamp and signatures):
        raise WebhookRefused("a webhook- header is missing")
    clock = time.time() if now is None else now
    is_number = timestamp.isascii() and timestamp.isdigit()
    if not is_number or abs(clock - int(timestamp)) > tolerance_s:
        raise WebhookRefused("webhook-timestamp is too far from now")
    signed = f"{message_id}.{timestamp}.".encode() + body
    keys = [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    own = [hmac.digest(key, signed, "sha256") for key in keys]
    # While a secret is rotated there are several signatures, separated by a blank.
    given = [_bytes_of(each[3:]) for each in signatures.split(" ") if each.startswith("v1,")]
    if not any(hmac.compare_digest(one, other) for one in own for other in given):
        raise WebhookRefused("no signature was made with this secret")
    delivered: Delivered = json.loads(body)
    return delivered


def _key_of(secret: str) -> bytes:
    key = _bytes_of(secret.removeprefix("whsec_"))
    if not key:
        raise ValueError("the secret is not whsec_ and base64")
    return key


def _bytes_of(text: str) -> bytes:
    """Empty where the text is not base64."""
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return b""
