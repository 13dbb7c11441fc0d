from __future__ import annotations

import http.client
import json
import random
import time
from typing import Any, BinaryIO, Dict, Mapping, NamedTuple, Optional, Union
from urllib.parse import urlencode, urlsplit

from ._errors import SitefetchError, error_of

_CHUNK_BYTES = 65_536
_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 8

Body = Union[bytes, BinaryIO, None]


class Received(NamedTuple):
    """A response as far as it arrived. The names of its headers are in lower case."""

    status: int
    headers: Dict[str, str]
    body: bytes
    is_cut: bool
    has_length: bool


class Answer(Dict[str, Any]):
    """The JSON of a response, with the id of its request."""

    request_id: str = ""


class Transport:
    """Sends calls, and repeats them while that charges and begins nothing twice."""

    def __init__(self, base_url: str, api_key: str, timeout_ms: int, retries: int) -> None:
        self._base = base_url.rstrip("/")
        self._api_key = api_key
        self.timeout_ms = timeout_ms
        self.retries = retries

    def send(
        self,
        method: str,
        path: str,
        *,
        is_repeatable: bool,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        body: Optional[Any] = None,
        timeout_ms: Optional[int] = None,
        accepts_cut: bool = False,
    ) -> Received:
        sent = {
            "Authorization": f"Bearer {self._api_key}",
            # The stated length of a body is its length as sent: only then does a shorter one show.
            "Accept-Encoding": "identity",
            **({} if body is None else {"Content-Type": "application/json"}),
            **(headers or {}),
        }
        data = None if body is None else json.dumps(body).encode()
        url = self._base + path + _query_text(query or {})
        limit_ms = timeout_ms or self.timeout_ms
        return self._repeated(
            lambda: _attempt(method, url, sent, data, limit_ms, accepts_cut), is_repeatable, limit_ms
        )

    def put(self, url: str, file: BinaryIO, size: int) -> None:
        """Sends a file to the store, which does not receive the key."""

        def attempt() -> Received:
            file.seek(0)
            return _attempt("PUT", url, {"Content-Length": str(size)}, file, self.timeout_ms, False)

        self._repeated(attempt, True, self.timeout_ms)

    def _repeated(self, attempt: Any, is_repeatable: bool, limit_ms: int) -> Received:
        failures = 0
        while True:
            try:
                return attempt()
            except SitefetchError as error:
                pause = _pause_after(error, failures)
                is_over = failures >= self.retries or pause * 1_000 > limit_ms
                if is_over or not may_repeat(error, is_repeatable):
                    raise
            time.sleep(pause)
            failures += 1


def _attempt(
    method: str, url: str, headers: Mapping[str, str], body: Body, limit_ms: int, accepts_cut: bool
) -> Received:
    ends_at = time.monotonic() + limit_ms / 1_000
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=limit_ms / 1_000)
    try:
        target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        connection.request(method, target, body=body, headers=dict(headers))
        response = connection.getresponse()
        received = _received(response, ends_at)
    except TimeoutError as error:
        raise _timeout(limit_ms) from error
    except (OSError, http.client.HTTPException) as error:
        # Of Python 3.9, the timeout of a socket is a class of its own.
        if "timed out" in str(error):
            raise _timeout(limit_ms) from error
        raise SitefetchError("connection_failed", f"No response: {error!r}", retryable=True) from error
    finally:
        connection.close()
    is_ok = 200 <= received.status < 300
    if received.is_cut and not (is_ok and accepts_cut):
        raise lost(received)
    if not is_ok:
        raise error_of(received.status, received.headers, received.body)
    return received


def _received(response: http.client.HTTPResponse, ends_at: float) -> Received:
    """A gateway may end a body that was cut off like a whole one, so its length is compared."""
    headers = {name.lower(): value for name, value in response.getheaders()}
    chunks = []
    is_broken = False
    try:
        while True:
            chunk = response.read(_CHUNK_BYTES)
            if not chunk:
                break
            chunks.append(chunk)
            if time.monotonic() > ends_at:
                raise TimeoutError
    except http.client.IncompleteRead as error:
        chunks.append(error.partial)
        is_broken = True
    except ConnectionError:
        is_broken = True
    body = b"".join(chunks)
    length = headers.get("x-content-length", headers.get("content-length"))
    has_length = length is not None and "content-encoding" not in headers
    is_short = has_length and len(body) < int(length or 0)
    return Received(response.status, headers, body, is_broken or is_short, has_length)


def answer_of(received: Received) -> Answer:
    """The parsed JSON of a response. Raises `unexpected_response` otherwise."""
    try:
        answer = Answer(json.loads(received.body))
    except (ValueError, TypeError) as error:
        raise unexpected(received, "The response is not JSON.") from error
    answer.request_id = received.headers.get("x-request-id", "")
    return answer


def unexpected(received: Received, message: str) -> SitefetchError:
    return SitefetchError(
        "unexpected_response",
        message,
        retryable=False,
        status=received.status,
        request_id=received.headers.get("x-request-id"),
    )


def lost(received: Received) -> SitefetchError:
    return SitefetchError(
        "connection_lost",
        f"The connection ended after {len(received.body)} bytes, within the response.",
        retryable=True,
        status=received.status,
        request_id=received.headers.get("x-request-id"),
    )


def may_repeat(error: SitefetchError, is_repeatable: bool) -> bool:
    """Whether nothing was charged or begun, or a repeat changes nothing."""
    status = error.status or 0
    is_refusal = status in (429, 503)
    # Only the service itself knows that it has begun nothing.
    if is_refusal and error.retryable and error.details is not None:
        return True
    if not is_repeatable:
        return False
    is_final = 400 <= status < 500 and not is_refusal and error.code != "idempotency_in_flight"
    return status == 500 or (error.retryable and not is_final)


def _pause_after(error: SitefetchError, failures: int) -> float:
    if error.retry_after_seconds is not None:
        return error.retry_after_seconds
    longest = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2**failures)
    return longest * (0.5 + random.random() / 2)


def _timeout(limit_ms: int) -> SitefetchError:
    return SitefetchError("client_timeout", f"No whole response within {limit_ms} ms.", retryable=True)


def _query_text(query: Mapping[str, Any]) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""
