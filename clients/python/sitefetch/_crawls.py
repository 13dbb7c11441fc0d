from __future__ import annotations

import time
from typing import Any, Dict, Iterator, Optional

from ._calls import change, entries, get, lines, poll_seconds, results, submit
from ._errors import SitefetchError
from ._transport import Answer, Transport, answer_of

_PATH = "/api/v1/crawls"
_POLL_SECONDS = 5
# Of an ended crawl that has no page because of them.
_FAILURES = ("robots", "unreachable", "cancelled")


class Crawls:
    """The pages of a site, and what became of each of its URLs."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def submit(
        self, url: Optional[str] = None, *, idempotency_key: Optional[str] = None, **fields: Any
    ) -> Answer:
        request = fields if url is None else {"url": url, **fields}
        return answer_of(submit(self._transport, _PATH, request, idempotency_key))

    def wait(self, crawl_id: str) -> Answer:
        """Returns the crawl once every URL has its outcome.

        Raises if it was cancelled, or could not begin: its pages to begin at did not respond, or the
        site's robots.txt disallows them.
        """
        while True:
            received = self._transport.send("GET", f"{_PATH}/{crawl_id}", is_repeatable=True)
            crawl = answer_of(received)
            reason = crawl.get("stop_reason")
            if reason in _FAILURES:
                raise SitefetchError(
                    "cancelled" if reason == "cancelled" else "crawl_failed",
                    f"The crawl {crawl_id} ended early: {reason}.",
                    retryable=reason == "unreachable",
                    request_id=crawl.request_id,
                )
            if "completed_at" in crawl:
                return crawl
            time.sleep(poll_seconds(received, _POLL_SECONDS))

    def get(self, crawl_id: str) -> Answer:
        return get(self._transport, f"{_PATH}/{crawl_id}")

    def list(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return entries(self._transport, _PATH, query)

    def cancel(self, crawl_id: str) -> Answer:
        return change(self._transport, f"{_PATH}/{crawl_id}/cancel")

    def urls(self, crawl_id: str, *, outcome: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """A line for every URL and its outcome, until the crawl has ended."""
        return lines(self._transport, f"{_PATH}/{crawl_id}/urls", {"outcome": outcome})

    def results(
        self, crawl_id: str, *, include: Optional[str] = None, cursor: Optional[str] = None
    ) -> Iterator[Dict[str, Any]]:
        """A line for every page, until the crawl has ended."""
        return results(self._transport, f"{_PATH}/{crawl_id}/results", {"include": include}, cursor)

    def retry_failed(
        self, crawl_id: str, *, idempotency_key: Optional[str] = None, **fields: Any
    ) -> Answer:
        path = f"{_PATH}/{crawl_id}/retry_failed"
        return answer_of(submit(self._transport, path, fields, idempotency_key))
