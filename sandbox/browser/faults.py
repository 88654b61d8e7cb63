"""The rules by which what a browser saw becomes a finding; `has-effect` and `quick` are no faults."""

from __future__ import annotations

NOT_LOADED = "not-loaded"
NOT_RESPONDING = "not-responding"
"""Its scripts never let go, in two browsers, while an empty page was there at once."""
QUICK = "quick"
"""It was there in less than a third of the time that a page has."""
CONSOLE_ERROR = "console-error"
FAILED_REQUEST = "failed-request"
COVERED_CONTROL = "covered-control"
AXE = "axe"
NEEDS_NETWORK = "needs-network"
NOT_SETTLED = "not-settled"
NOT_EXAMINED = "not-examined"
HAS_EFFECT = "has-effect"
NO_EFFECT = "no-effect"
FAILED_ACT = "failed-act"
RULES = frozenset(
    {
        NOT_LOADED, NOT_RESPONDING, QUICK, CONSOLE_ERROR, FAILED_REQUEST, COVERED_CONTROL, AXE, NEEDS_NETWORK,
        NOT_SETTLED, NOT_EXAMINED, HAS_EFFECT, NO_EFFECT, FAILED_ACT,
    }
)  # fmt: skip
