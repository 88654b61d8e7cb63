"""Models' replies by key, for the record of one run."""

from __future__ import annotations

from collections.abc import Mapping

from bot.judges.model.base import Memory, ModelAway


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

    def forget(self, key: str) -> None:
        """Leave out of this run's record what it read and did not use."""
        self.seen.pop(key, None)


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
