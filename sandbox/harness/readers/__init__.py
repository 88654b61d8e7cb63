"""Reads what test runners print or write: pure functions from hostile text to `SeenTest` results.

They run inside the sandbox, beside what they read (Python >= 3.8, standard library only): what a
document of a hostile runner can cost is bounded there. A reader never raises on bad input; what it
could not read stands in `problem`.
"""

from __future__ import annotations

from dataclasses import dataclass

MESSAGE_CHARS = 4000
NAME_CHARS = 500
MOST_TESTS = 100_000


@dataclass(frozen=True)
class SeenTest:
    """One test as the runner tells it; `outcome` is a word of `sandbox.harness.outcome`."""

    name: str
    outcome: str
    seconds: float = 0.0
    message: str = ""


@dataclass(frozen=True)
class Reading:
    """All tests of a document, in its order; `problem` says why it is not the whole truth."""

    tests: tuple[SeenTest, ...]
    problem: str = ""


def storable(text: str) -> str:
    """Return a text without NUL and halves of surrogate pairs, which no store takes."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def clipped(text: str) -> str:
    """Return the end of a text, where the reason stands."""
    return text if len(text) <= MESSAGE_CHARS else "…" + text[1 - MESSAGE_CHARS :]


def seconds(text: object) -> float:
    """Return a duration that somebody wrote, 0.0 when it is none."""
    try:
        value = float(str(text).replace(",", ""))
    except (ValueError, OverflowError):
        return 0.0
    return value if 0 <= value < 1e6 else 0.0
