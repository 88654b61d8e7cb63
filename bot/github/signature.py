"""The signature of a webhook delivery, `X-Hub-Signature-256: sha256=<hex>`."""

from __future__ import annotations

import hashlib
import hmac


def signature(secret: str, body: bytes) -> str:
    """The header value that GitHub sends for these raw bytes."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def signature_is_valid(secret: str, body: bytes, header: str) -> bool:
    """Compares in constant time; never true without a secret."""
    if not secret:
        return False
    return hmac.compare_digest(signature(secret, body).encode(), header.encode(errors="replace"))
