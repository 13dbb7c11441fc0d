from __future__ import annotations

import json
import re
from typing import Any, Mapping, NamedTuple, Optional

from ._errors import SitefetchError
from ._transport import Received


class Credits(NamedTuple):
    used: int
    remaining: Optional[int]
    reason: Optional[str]


class Page:
    """A page that a scrape or a job returned, whole."""

    def __init__(self, received: Received, job: Optional[Mapping[str, Any]] = None) -> None:
        headers = received.headers
        job = job or {}

        def number(name: str) -> Optional[int]:
            return int(headers[name]) if name in headers else None

        self.headers = headers
        self.request_id = headers.get("x-request-id", "")
        self.job_id: Optional[str] = job.get("job_id", headers.get("x-job-id"))
        self.verdict: Optional[str] = headers.get("x-page-verdict", "").split(";")[0] or None
        self.target_status = number("x-target-status") or 0
        self.target_url = headers.get("x-target-url", "")
        self.content_type = headers.get("content-type", "")
        self.credits = Credits(
            job.get("credits_used", number("x-credits-used") or 0),
            number("x-credits-remaining"),
            job.get("credits_reason", headers.get("x-credits-reason")),
        )
        self.next_offset = number("x-next-offset")
        self.total_chars = number("x-total-chars")
        self._body = received.body

    def bytes(self) -> "bytes":
        return self._body

    def text(self) -> str:
        """The text, by the charset of its type; UTF-8 if that names none, or an unknown one."""
        found = re.search(r'charset="?([^";\s]+)', self.content_type, re.IGNORECASE)
        try:
            return self._body.decode(found.group(1) if found else "utf-8", "replace")
        except LookupError:
            return self._body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The parsed JSON. Raises `unexpected_response` if it is not JSON."""
        try:
            return json.loads(self.text())
        except ValueError as error:
            message = f"The page is {self.content_type}, not JSON."
            raise SitefetchError(
                "unexpected_response", message, retryable=False, status=200, request_id=self.request_id
            ) from error
