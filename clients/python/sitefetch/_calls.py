from __future__ import annotations

import json
import re
import time
import uuid
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple
from urllib.parse import parse_qs, urlsplit

from ._transport import Answer, Received, Transport, answer_of, lost, unexpected

_POLL_SECONDS = 2


def get(transport: Transport, path: str, query: Optional[Mapping[str, Any]] = None) -> Answer:
    return answer_of(transport.send("GET", path, query=query, is_repeatable=True))


def change(transport: Transport, path: str, body: Any = None, method: str = "POST") -> Answer:
    """A call that changes something and is not repeated unless it was refused."""
    return answer_of(transport.send(method, path, body=body, is_repeatable=False))


def remove(transport: Transport, path: str, query: Optional[Mapping[str, Any]] = None) -> None:
    transport.send("DELETE", path, query=query, is_repeatable=False)


def submit(
    transport: Transport,
    path: str,
    body: Any,
    idempotency_key: Optional[str],
    headers: Optional[Mapping[str, str]] = None,
) -> Received:
    """A submit keeps its `Idempotency-Key` in every repeat."""
    key = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
    return transport.send("POST", path, body=body, headers={**(headers or {}), **key}, is_repeatable=True)


def entries(
    transport: Transport, path: str, query: Optional[Mapping[str, Any]] = None
) -> Iterator[Dict[str, Any]]:
    """All entries of a list, page by page."""
    cursor = None
    while True:
        page = get(transport, path, {**(query or {}), "cursor": cursor})
        yield from page["data"]
        cursor = page.get("next_cursor")
        if cursor is None:
            return


def lines(transport: Transport, path: str, query: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
    """Lines that have no cursor of their own: a response is read whole before its first line."""
    cursor = None
    while True:
        received = transport.send("GET", path, query={**query, "cursor": cursor}, is_repeatable=True)
        found, _ = _whole_lines(received)
        yield from found
        following = _next_cursor(received)
        if following is None:
            return
        if not found and following == cursor:
            time.sleep(_POLL_SECONDS)
        cursor = following


def results(
    transport: Transport, path: str, query: Mapping[str, Any], cursor: Optional[str]
) -> Iterator[Dict[str, Any]]:
    """Lines that each have a cursor, until the last one exists.

    After a broken connection they continue behind the last whole line; so they do where a response does
    not state its length, for it may have been cut off.
    """
    failures = 0
    is_doubted = True
    while True:
        received = transport.send(
            "GET",
            path,
            query={**query, "cursor": cursor},
            headers={"Accept": "application/x-ndjson"},
            is_repeatable=True,
            accepts_cut=True,
        )
        found, is_cut = _whole_lines(received)
        for line in found:
            cursor = line["cursor"]
            yield line
        if found:
            failures, is_doubted = 0, True
        if is_cut:
            failures += 1
            if failures > transport.retries:
                raise lost(received)
        elif received.has_length or not is_doubted:
            following = _next_cursor(received)
            if following is None:
                return
            if not found and following == cursor:
                time.sleep(_POLL_SECONDS)
            cursor = following
        else:
            is_doubted = bool(found)


def poll_seconds(received: Received, otherwise: int) -> int:
    header = received.headers.get("retry-after", "")
    return int(header) if header.isdigit() else otherwise


def _whole_lines(received: Received) -> Tuple[List[Dict[str, Any]], bool]:
    """A line that has no line feed is the beginning of one."""
    *whole, rest = received.body.split(b"\n")
    try:
        return [json.loads(line) for line in whole if line], received.is_cut or rest != b""
    except ValueError as error:
        raise unexpected(received, "A line of the response is not JSON.") from error


def _next_cursor(received: Received) -> Optional[str]:
    found = re.search(r'<([^>]+)>; rel="next"', received.headers.get("link", ""))
    if found is None:
        return None
    return parse_qs(urlsplit(found.group(1)).query).get("cursor", [None])[0]
