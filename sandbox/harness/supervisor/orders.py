"""What the host asks for, by one JSON line on standard input, and what it is told, by the channel."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sandbox.harness import chain
from sandbox.harness.readers import storable


class Unbelievable(Exception):
    """What was seen shows that results are made up; the sentence says how."""


@dataclass(frozen=True)
class Orders:
    """One run. Paths are relative to `top`, the project's folder.

    `tests` are the test files by their names, `paths` those to run (empty: all of them). `nonce` is
    for names that nobody could know.
    """

    runner: str
    arguments: tuple[str, ...]
    top: Path
    tests: tuple[str, ...]
    paths: tuple[str, ...]
    environment: dict[str, str]
    time_s: float
    nonce: str = field(default_factory=lambda: secrets.token_hex(8))

    def is_asked(self, path: str) -> bool:
        """Tell whether a test file is among what shall run."""
        return not self.paths or any(
            one in ("", path) or path.startswith(one + "/") for one in self.paths
        )

    @property
    def asked(self) -> tuple[str, ...]:
        """The test files that shall run."""
        return tuple(path for path in self.tests if self.is_asked(path))

    def scratch(self, name: str) -> Path:
        """Return a place outside the tree with a name that nobody could know."""
        return Path(f"/tmp/{self.nonce}-{name}")  # noqa: S108 - the sandbox's own


# --- the supervisor's pen: the channel is the supervisor's alone --------------------------------------------


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
    """Writes records; the key goes first, so that the host can read what a killed supervisor left."""

    def __init__(self, channel: int) -> None:
        self._writer = chain.Writer.begun(channel)
        self._count = 0

    def running(self, what: str) -> None:
        """Say what is about to run, for the case that it never ends."""
        self._record({"kind": "running", "what": what[:_TEXT_CHARS]})

    def result(self, result: JournalResult) -> None:
        """Hand over one result."""
        self._count += 1
        texts = {"message": result.message, "source": result.source}
        capped = {name: storable(text)[:_TEXT_CHARS] for name, text in texts.items()}
        names = {"id": storable(result.id)[:1000], "path": storable(result.path)[:1000]}
        self._record({"kind": "result", **asdict(result), **capped, **names})

    def end(self, problem: str = "", forged: bool = False) -> None:
        """Say that this is all, and what keeps it from being believed."""
        told = {"count": self._count, "problem": storable(problem)[:500], "forged": forged}
        self._record({"kind": "end", **told})

    def _record(self, record: dict[str, object]) -> None:
        self._writer.write(chain.encode(record))
