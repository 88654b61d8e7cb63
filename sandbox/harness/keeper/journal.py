"""The keeper's pen: results to the host, by the channel that only the keeper holds."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass

from sandbox.harness import chain

_TEXT_CHARS = 8000


@dataclass(frozen=True)
class JournalResult:
    """One test's result; `id` equal to `path` says that a whole file or folder could not run."""

    id: str
    path: str
    outcome: str
    seconds: float = 0.0
    message: str = ""
    line: int = 0
    source: str = ""


class Journal:
    """Writes records; the key goes first, so that the host can read what a killed keeper left."""

    def __init__(self, channel: int) -> None:
        self._channel = channel
        self._key = os.urandom(chain.KEY_BYTES)
        self._count = 0
        self._write(self._key)

    def running(self, what: str) -> None:
        """Say what is about to run, for the case that it never ends."""
        self._record({"kind": "running", "what": what[:_TEXT_CHARS]})

    def result(self, result: JournalResult) -> None:
        """Hand over one result."""
        self._count += 1
        texts = {"message": result.message, "source": result.source}
        capped = {name: _plain(text)[:_TEXT_CHARS] for name, text in texts.items()}
        names = {"id": _plain(result.id)[:1000], "path": _plain(result.path)[:1000]}
        self._record({"kind": "result", **asdict(result), **capped, **names})

    def end(self, problem: str = "", forged: bool = False) -> None:
        """Say that this is all, and what keeps it from being believed."""
        self._record(
            {
                "kind": "end",
                "count": self._count,
                "problem": _plain(problem)[:500],
                "forged": forged,
            }
        )

    def _record(self, record: dict[str, object]) -> None:
        self._write(chain.frame(self._key, chain.encode(record)))
        self._key = chain.following(self._key)

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._channel, data) :]


def _plain(text: str) -> str:
    """Return a text that every store takes: no NUL, no half of a surrogate pair."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
