"""The API of a Sitefetch service."""

from ._client import Sitefetch
from ._errors import SitefetchError
from ._page import Credits, Page
from ._transport import Answer
from ._webhooks import verify_webhook

__all__ = ["Answer", "Credits", "Page", "Sitefetch", "SitefetchError", "verify_webhook"]
