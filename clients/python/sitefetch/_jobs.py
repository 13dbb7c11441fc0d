from __future__ import annotations

import time
from typing import Any, Dict, Iterator, Mapping, Optional

from ._calls import change, entries, get, poll_seconds, remove, submit
from ._page import Page
from ._transport import Answer, Transport, answer_of

_PATH = "/api/v1/scraper/jobs"
_POLL_SECONDS = 2
_SHORTEST_WAITING_MS = 60_000


class Jobs:
    """Pages that are fetched in the background, and kept for 30 days."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def run(self, url: str, *, idempotency_key: Optional[str] = None, **fields: Any) -> Page:
        """Submits a job and returns its page, also if the connection is lost meanwhile."""
        may_wait = self._transport.timeout_ms >= _SHORTEST_WAITING_MS
        # The rest of the attempt's time is for reading the result.
        headers = {"Prefer": "wait=50"} if may_wait else {}
        received = submit(self._transport, _PATH, {"url": url, **fields}, idempotency_key, headers)
        if received.status == 200:
            return Page(received)
        job = self.wait(answer_of(received)["job_id"])
        return self._result(job, {})

    def submit(self, url: str, *, idempotency_key: Optional[str] = None, **fields: Any) -> Answer:
        return answer_of(submit(self._transport, _PATH, {"url": url, **fields}, idempotency_key))

    def wait(self, job_id: str) -> Answer:
        """Returns the job once it has completed. Raises its error if it fails."""
        while True:
            received = self._transport.send("GET", f"{_PATH}/{job_id}", is_repeatable=True)
            job = answer_of(received)
            if job["status"] == "completed":
                return job
            if job["status"] == "failed":
                # Its result is its error, with all that the service says about it.
                self._result(job, {})
            else:
                time.sleep(poll_seconds(received, _POLL_SECONDS))

    def get(self, job_id: str) -> Answer:
        return get(self._transport, f"{_PATH}/{job_id}")

    def result(
        self, job_id: str, *, max_chars: Optional[int] = None, offset: Optional[int] = None
    ) -> Page:
        """The page of a completed job, or a part of its text. Free."""
        return self._result({"job_id": job_id}, {"max_chars": max_chars, "offset": offset})

    def list(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return entries(self._transport, _PATH, query)

    def cancel(self, job_id: str) -> Answer:
        return change(self._transport, f"{_PATH}/{job_id}/cancel")

    def delete(self, job_id: str) -> None:
        remove(self._transport, f"{_PATH}/{job_id}")

    def _result(self, job: Mapping[str, Any], query: Mapping[str, Any]) -> Page:
        path = f"{_PATH}/{job['job_id']}/result"
        return Page(self._transport.send("GET", path, query=query, is_repeatable=True), job)
