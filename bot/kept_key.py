"""Keys that an installation makes for itself and keeps in `home`."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_KEY_BYTES = 32


def kept_key(path: Path) -> bytes:
    """Read the key, or let exactly one of several starting processes write it."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
        try:
            os.link(unfinished, path)  # unlike a rename, this keeps the key of whoever was first
        except FileExistsError:
            pass
        finally:
            unfinished.unlink()
    return path.read_bytes()
