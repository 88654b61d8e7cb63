"""How one command of a test plan ended, and whether its exit code binds."""

from __future__ import annotations

import re

from bot.models import ItemKind, PlanItem
from sandbox.models import CaseRun

_ABOUT_ERRORS = re.compile(
    r"(?i)\b(invalid|illegal|incorrect|wrong|unknown|unrecogni[sz]ed|unsupported|non-?exist\w*|"
    r"missing|error\w*|exception\w*|refus\w*|reject\w*|robust\w*|fault\w*|fail\w*|usage|help)\b"
)
_WITHOUT_ERRORS = re.compile(r"(?i)\b(no|without|free of)( \w+){0,2} (errors?|exceptions?|fail\w*)")
_TRACEBACK = "Traceback (most recent call last):"
_END_OF_INPUT = re.compile(r"(?m)^EOFError\b.*\s*\Z")
_INTERRUPTED = (130, 2)
_CRASHES = range(128 + 4, 128 + 12)  # SIGILL to SIGSEGV, without what ends a program politely


def has_crashed(case: CaseRun) -> bool:
    """Whether a signal or an uncaught exception ended it, other than for want of input."""
    if case.exit_code in _CRASHES:
        return True
    is_traced = bool(case.exit_code) and _TRACEBACK in case.output
    return is_traced and not (is_out_of_input(case) or _is_interrupted(case))


def may_fail(case: CaseRun, item: PlanItem) -> bool:
    """Whether an exit code other than 0 may be right: an error was asked for, or the input ended."""
    if is_out_of_input(case) or _is_interrupted(case):
        return True
    if item.kind is ItemKind.UNIT_TEST:
        return False
    prose = f"{item.metric} {item.description} {item.expected_output}"
    return bool(_ABOUT_ERRORS.search(_WITHOUT_ERRORS.sub(" ", prose)))


def is_out_of_input(case: CaseRun) -> bool:
    """Whether it asked for more than the plan gives; nobody can say that it must not."""
    return case.asked_for_more or bool(_END_OF_INPUT.search(case.output.rstrip()))


def _is_interrupted(case: CaseRun) -> bool:
    typed = case.typed.casefold()
    return case.exit_code in _INTERRUPTED and ("ctrl" in typed or "^c" in typed)


def short(case: CaseRun) -> str:
    """The command, capped for a sentence."""
    return case.command if len(case.command) <= 80 else f"{case.command[:79]}…"


def last(case: CaseRun) -> str:
    """The last line that it printed, capped."""
    lines = [line.strip() for line in case.output.splitlines() if line.strip()]
    return lines[-1][:160] if lines else ""
