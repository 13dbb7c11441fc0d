from __future__ import annotations

from typing import Any, Dict, Iterator, Optional

from ._batches import Batches
from ._calls import entries, get, remove
from ._crawls import Crawls
from ._jobs import Jobs
from ._page import Page
from ._transport import Answer, Transport, answer_of
from ._webhooks import Webhooks

_TIMEOUT_MS = 130_000
_RETRIES = 2


class Sitefetch:
    """The API of a Sitefetch service. Every call raises a `SitefetchError`.

    `timeout_ms` limits each attempt, from its start to the last byte; `retries` are the attempts after it.
    """

    def __init__(
        self, *, base_url: str, api_key: str, timeout_ms: int = _TIMEOUT_MS, retries: int = _RETRIES
    ) -> None:
        self._transport = Transport(base_url, api_key, timeout_ms, retries)
        self.jobs = Jobs(self._transport)
        self.batches = Batches(self._transport)
        self.crawls = Crawls(self._transport)
        self.webhooks = Webhooks(self._transport)
        self.account = Account(self._transport)

    def scrape(self, url: str, *, timeout_ms: Optional[int] = None, **fields: Any) -> Page:
        """Fetches a page at once.

        It may be charged even if the connection is lost, so only a refusal is repeated; `jobs.run` has no
        such gap.
        """
        return Page(self._post("/api/v1/scraper", {"url": url, **fields}, timeout_ms))

    def map(self, url: str, *, timeout_ms: Optional[int] = None, **fields: Any) -> Answer:
        """The URLs of a site, without requesting its pages."""
        return answer_of(self._post("/api/v1/map", {"url": url, **fields}, timeout_ms))

    def forget_pages(self, url: str) -> None:
        """Forgets every kept page of a URL."""
        remove(self._transport, "/api/v1/cache", {"url": url})

    def _post(self, path: str, body: Dict[str, Any], timeout_ms: Optional[int]) -> Any:
        return self._transport.send("POST", path, body=body, timeout_ms=timeout_ms, is_repeatable=False)


class Account:
    """Limits, credits and what was done with them."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> Answer:
        return get(self._transport, "/api/v1/account")

    def usage(self, **query: Any) -> Answer:
        return get(self._transport, "/api/v1/account/usage", query)

    def activity(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return entries(self._transport, "/api/v1/account/activity", query)
