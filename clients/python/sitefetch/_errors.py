from __future__ import annotations

import json
from typing import Any, Mapping, Optional


class SitefetchError(Exception):
    """The only error that the client raises.

    `code` is one of the service's, or `connection_failed`, `connection_lost`, `client_timeout`,
    `unexpected_response`, `crawl_failed` or `invalid_signature`. `details` is the whole body of the
    service's error.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        retryable: bool,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        doc_url: Optional[str] = None,
        retry_after_seconds: Optional[int] = None,
        details: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.status = status
        self.request_id = request_id
        self.doc_url = doc_url
        self.retry_after_seconds = retry_after_seconds
        self.details = details

    def __str__(self) -> str:
        suffix = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.code}: {self.message}{suffix}"


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> SitefetchError:
    """The error of a response that is not 2xx."""
    request_id = headers.get("x-request-id")
    header = headers.get("retry-after", "")
    retry_after = int(header) if header.isdigit() else None
    details = _error_body(body)
    if details is None:
        return SitefetchError(
            "unexpected_response",
            f"HTTP {status}, which is not of the service.",
            retryable=status >= 500 or status == 429,
            status=status,
            request_id=request_id,
            retry_after_seconds=retry_after,
        )
    return SitefetchError(
        details["code"],
        details.get("message", ""),
        retryable=details.get("retryable", False),
        status=status,
        request_id=request_id or details["request_id"],
        doc_url=details.get("doc_url"),
        retry_after_seconds=details.get("retry_after", retry_after),
        details=details,
    )


def _error_body(body: bytes) -> Optional[Mapping[str, Any]]:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "code" in value and "request_id" in value else None
