"""Where models' replies are kept: as files for any later run, and by key for the record of one run."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from bot.llm.base import Memory, ModelAway


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

    def forget(self, older_than_s: float) -> None:
        """Remove what was kept longer ago than that."""
        oldest_s = time.time() - older_than_s
        for kept in self._folder.glob("*/*"):
            with suppress(FileNotFoundError):
                if kept.stat().st_mtime < oldest_s:
                    kept.unlink()

    def _path(self, key: str) -> Path:
        int(key, 16)  # a ValueError for what could leave the folder
        return self._folder / key[:2] / key


class RecordingMemory:
    """Passes everything on to another memory and remembers what this run saw; `seen` by key."""

    def __init__(self, kept_in: Memory) -> None:
        self._kept_in = kept_in
        self.seen: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """Return what was kept, or None."""
        value = self._kept_in.get(key)
        if value is not None:
            self.seen[key] = value
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep it there, and here."""
        self._kept_in.put(key, value)
        self.seen[key] = value


class SealedMemory:
    """The record of a run that is over: nothing is asked that it does not hold."""

    def __init__(self, replies: Mapping[str, bytes]) -> None:
        self._replies = replies

    def get(self, key: str) -> bytes:
        """Return what the run saw. Raises ModelAway for what it did not ask."""
        if key not in self._replies:
            raise ModelAway("The bundle holds no reply to this question: the program has changed.")
        return self._replies[key]

    def put(self, key: str, value: bytes) -> None:
        """Nothing is asked, so nothing is answered."""
        raise AssertionError(f"a sealed memory was told {key} ({len(value)} bytes)")
