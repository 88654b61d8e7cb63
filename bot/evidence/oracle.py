"""Verdicts that an oracle gives, or cannot give."""

from __future__ import annotations

from bot.evidence.case import Case
from bot.values import Decider, Requirement, Verdict, VerdictOutcome

FIX = (
    "Fix the failing tests and push. If the new behavior is intended, say so in the issue, then comment "
    "`/judge`."
)
TRY_TESTED_VERSION = (
    "Let Assay judge on a machine with a version that the project is tested with, or make the tests pass "
    "with this one."
)


def satisfied(
    requirement: Requirement, reason: str, case: Case, tests: tuple[str, ...] = ()
) -> Verdict:
    """A verdict that an oracle gives, citing the tests' evidence."""
    return Verdict(
        requirement.id, VerdictOutcome.SATISFIED, Decider.ORACLE, reason, case.suite_ids, tests
    )


def unsatisfied(
    requirement: Requirement,
    reason: str,
    case: Case,
    tests: tuple[str, ...] = (),
    next_step: str = FIX,
) -> Verdict:
    """A failing oracle binds; nothing excuses it."""
    return Verdict(
        requirement.id,
        VerdictOutcome.UNSATISFIED,
        Decider.ORACLE,
        reason,
        case.suite_ids,
        tests,
        next_step=next_step,
    )


def unverified(requirement: Requirement, reason: str, next_step: str) -> Verdict:
    """Could not tell; says what a person can do next."""
    return Verdict(
        requirement.id,
        VerdictOutcome.UNVERIFIED,
        Decider.NOBODY,
        reason,
        next_step=next_step,
    )
