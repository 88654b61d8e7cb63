"""The outcomes of a test in order of badness, and how two opinions of one test are joined."""

from __future__ import annotations

PASSED = "passed"
XPASSED = "xpassed"
XFAILED = "xfailed"
SKIPPED = "skipped"
FAILED = "failed"
ERROR = "error"

_ORDER = (PASSED, XPASSED, XFAILED, SKIPPED, FAILED, ERROR)


def worse(one: str, other: str) -> str:
    """Return the worse of two outcomes."""
    return max(one, other, key=_ORDER.index)
