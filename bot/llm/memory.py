"""Keeps models' replies as files, one a key: written whole, found again by any later run."""

from __future__ import annotations

import uuid
from pathlib import Path


class FolderMemory:
    """A `bot.llm.base.Memory` in a folder of ours; a key is hexadecimal."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> bytes | None:
        """Return what was kept, or None."""
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, key: str, value: bytes) -> None:
        """Keep it, whole or not at all."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished = path.with_suffix(f".{uuid.uuid4().hex}.part")
        unfinished.write_bytes(value)
        unfinished.replace(path)

    def _path(self, key: str) -> Path:
        int(key, 16)  # a ValueError for what could leave the folder
        return self._folder / key[:2] / key
