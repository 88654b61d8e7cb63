"""Verdicts that an oracle gives, or cannot give."""

from __future__ import annotations

from collections.abc import Iterable

from bot.evidence.case import Case
from bot.values import Decider, Requirement, TestComparison, Verdict, VerdictOutcome

FIX = (
    "Fix the failing tests and push. If the new behavior is intended, say so in the issue, then comment "
    "`/judge`."
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


def unverified(
    requirement: Requirement,
    reason: str,
    next_step: str,
    evidence_ids: Iterable[str] = (),
    tests: Iterable[TestComparison] = (),
) -> Verdict:
    """Could not tell; says what a person can do next."""
    return Verdict(
        requirement.id,
        VerdictOutcome.UNVERIFIED,
        Decider.NOBODY,
        reason,
        tuple(evidence_ids),
        tuple(test.id for test in tests),
        next_step=next_step,
    )


_NAME_THE_TESTS = "set `setup.test` in `.github/assay.yml` on the base branch"
_MEND_BASE = "Let the base branch build, as nothing can be compared with it now"
_TOO_LONG = "Fix what hangs, or raise `limits.minutes` in `.github/assay.yml` on the base branch."
_TOO_LARGE = (
    f"Let the tests need less memory at once, for example with fewer workers: {_NAME_THE_TESTS}."
)


def way_out(case: Case) -> str:
    """One sentence for the requirement that could not be told, by what the runs lacked."""
    observed, suite = case.observed, case.suite
    if observed.built_base is False or observed.built_head is False or observed.needs:
        is_of_base = observed.builds_on_head_only
        return f"{_MEND_BASE if is_of_base else 'Fix the build first (B1)'}, then comment `/judge`."
    if suite is None:
        return f"Tell Assay how to build and test it: {_NAME_THE_TESTS}."
    seen = [side for side in (suite.base, suite.head) if side is not None]
    if any(side.timed_out or side.out_of_memory for side in seen):
        return _TOO_LONG if any(side.timed_out for side in seen) else _TOO_LARGE
    if any(not side.command for side in seen):
        return f"If base has tests, {_NAME_THE_TESTS}. If it has none, add some there first."
    if all(side.tests is None for side in seen):
        return f"To get a result per test, {_NAME_THE_TESTS} to one call of a test runner that Assay knows."
    return "Read in the evidence what ended the run. Fix it and push, or comment `/judge` to try again."
