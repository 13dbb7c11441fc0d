from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import math
import time
from typing import Any, Dict, Iterator, Mapping, Union

from ._calls import change, entries, get, remove
from ._errors import SitefetchError
from ._transport import Answer, Transport

_PATH = "/api/v1/webhooks"
_TOLERANCE_SECONDS = 300


class Webhooks:
    """Endpoints that receive events, and the check of what they receive."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @staticmethod
    def verify(
        body: Union[bytes, str],
        headers: Mapping[str, str],
        secret: str,
        *,
        tolerance_seconds: float = _TOLERANCE_SECONDS,
    ) -> Dict[str, Any]:
        return verify_webhook(body, headers, secret, tolerance_seconds=tolerance_seconds)

    def create(self, url: str, **fields: Any) -> Answer:
        return change(self._transport, _PATH, {"url": url, **fields})

    def get(self, webhook_id: str) -> Answer:
        return get(self._transport, f"{_PATH}/{webhook_id}")

    def list(self) -> Iterator[Dict[str, Any]]:
        return entries(self._transport, _PATH)

    def update(self, webhook_id: str, **fields: Any) -> Answer:
        return change(self._transport, f"{_PATH}/{webhook_id}", fields, "PATCH")

    def delete(self, webhook_id: str) -> None:
        remove(self._transport, f"{_PATH}/{webhook_id}")

    def test(self, webhook_id: str) -> Answer:
        return change(self._transport, f"{_PATH}/{webhook_id}/test")

    def rotate_secret(self, webhook_id: str) -> Answer:
        return change(self._transport, f"{_PATH}/{webhook_id}/rotate_secret")

    def deliveries(self, webhook_id: str) -> Iterator[Dict[str, Any]]:
        return entries(self._transport, f"{_PATH}/{webhook_id}/deliveries")

    def redeliver(self, webhook_id: str, delivery_id: str) -> Answer:
        return change(self._transport, f"{_PATH}/{webhook_id}/deliveries/{delivery_id}/redeliver")


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
) -> Dict[str, Any]:
    """The event of a request that the service signed with this secret.

    `body` is the body as received, before any parser. Raises `invalid_signature`, also for a request that
    was recorded and is replayed later.
    https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    """
    found = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    event_id, timestamp, signatures = (found.get(name) for name in names)
    if not event_id or not timestamp or not signatures:
        raise _invalid("A webhook header is missing.")
    try:
        off_seconds = abs(time.time() - float(timestamp))
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except (ValueError, binascii.Error):
        raise _invalid("The timestamp is not a number, or the secret is not base64.") from None
    if not off_seconds <= tolerance_seconds or math.isnan(off_seconds):
        raise _invalid("The timestamp is too far from now.")
    try:
        raw = body.encode() if isinstance(body, str) else body
        signed = f"{event_id}.{timestamp}.".encode() + raw
        sent = [each.encode().partition(b",") for each in signatures.split(" ")]
    except UnicodeEncodeError:
        raise _invalid("The request is not UTF-8.") from None
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    for version, _, signature in sent:
        if version == b"v1" and hmac.compare_digest(signature, expected):
            return json.loads(raw)
    raise _invalid("No signature is of this secret.")


def _invalid(message: str) -> SitefetchError:
    return SitefetchError("invalid_signature", message, retryable=False)
