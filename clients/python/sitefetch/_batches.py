from __future__ import annotations

import json
import tempfile
import time
from typing import Any, BinaryIO, Dict, Iterable, Iterator, List, Mapping, Optional, Union

from ._calls import change, entries, get, poll_seconds, results, submit
from ._errors import SitefetchError
from ._transport import Answer, Transport, answer_of

_PATH = "/api/v1/scraper/batches"
_POLL_SECONDS = 5
_EXPIRED = 403

Lines = Union[BinaryIO, Iterable[Union[Mapping[str, Any], str]]]


class Batches:
    """Up to 1,000 requests in one call, or 1,000,000 of a file."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def submit(
        self,
        requests: List[Mapping[str, Any]],
        *,
        idempotency_key: Optional[str] = None,
        **fields: Any,
    ) -> Answer:
        return self._submit({**fields, "requests": requests}, idempotency_key)

    def upload(self, lines: Lines, *, idempotency_key: Optional[str] = None, **fields: Any) -> Answer:
        """Uploads the requests, a binary file of JSON lines or an iterable, and starts the batch."""
        if hasattr(lines, "seek") and hasattr(lines, "read"):
            return self._upload(lines, fields, idempotency_key)  # type: ignore[arg-type]
        with tempfile.TemporaryFile() as file:
            for line in lines:
                text = line if isinstance(line, str) else json.dumps(line)
                file.write(f"{text}\n".encode())  # type: ignore[union-attr]
            return self._upload(file, fields, idempotency_key)  # type: ignore[arg-type]

    def wait(self, batch_id: str) -> Answer:
        """Returns the batch once every request has ended. Raises `cancelled` if it was."""
        while True:
            received = self._transport.send("GET", f"{_PATH}/{batch_id}", is_repeatable=True)
            batch = answer_of(received)
            if batch["status"] == "cancelled":
                message = batch.get("error", f"The batch {batch_id} was cancelled.")
                code = batch.get("error_code", "cancelled")
                raise SitefetchError(code, message, retryable=False, request_id=batch.request_id)
            if batch["status"] == "completed":
                return batch
            time.sleep(poll_seconds(received, _POLL_SECONDS))

    def get(self, batch_id: str) -> Answer:
        return get(self._transport, f"{_PATH}/{batch_id}")

    def list(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return entries(self._transport, _PATH, query)

    def cancel(self, batch_id: str) -> Answer:
        return change(self._transport, f"{_PATH}/{batch_id}/cancel")

    def results(
        self, batch_id: str, *, include: Optional[str] = None, cursor: Optional[str] = None
    ) -> Iterator[Dict[str, Any]]:
        """A line for every request, until the last one has ended. It says if its request failed."""
        return results(self._transport, f"{_PATH}/{batch_id}/results", {"include": include}, cursor)

    def retry_failed(
        self, batch_id: str, *, idempotency_key: Optional[str] = None, **fields: Any
    ) -> Answer:
        path = f"{_PATH}/{batch_id}/retry_failed"
        return answer_of(submit(self._transport, path, fields, idempotency_key))

    def _submit(self, request: Mapping[str, Any], idempotency_key: Optional[str]) -> Answer:
        return answer_of(submit(self._transport, _PATH, request, idempotency_key))

    def _upload(self, file: BinaryIO, fields: Mapping[str, Any], idempotency_key: Optional[str]) -> Answer:
        size = file.seek(0, 2)
        batch = self._submit({**fields, "input": "upload", "content_length": size}, idempotency_key)
        # A repeated submit may find its batch already started.
        if batch["status"] != "waiting_for_upload":
            return batch
        path = f"{_PATH}/{batch['batch_id']}"
        try:
            self._transport.put(batch["upload_url"], file, size)
        except SitefetchError as error:
            if error.status != _EXPIRED:
                raise
            self._transport.put(get(self._transport, path)["upload_url"], file, size)
        return answer_of(self._transport.send("POST", f"{path}/start", is_repeatable=True))
