"""The rules by which what a browser saw becomes a finding; `has-effect` is the one that is no fault."""

from __future__ import annotations

NOT_LOADED = "not-loaded"
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
        NOT_LOADED, CONSOLE_ERROR, FAILED_REQUEST, COVERED_CONTROL, AXE, NEEDS_NETWORK,
        NOT_SETTLED, NOT_EXAMINED, HAS_EFFECT, NO_EFFECT, FAILED_ACT,
    }
)  # fmt: skip
