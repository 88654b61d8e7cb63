"""Says which docstrings have examples, and what it means where these passed on base and fail on head.

Nobody runs them in such a project, so that they may be meant loosely: a person is asked, and nothing refuted.
"""

from __future__ import annotations

from dataclasses import replace

from bot.diff.kinds import is_test_file
from bot.diff.lines import is_gone, is_new
from bot.evidence.case import Case
from bot.evidence.oracle import unverified
from bot.evidence.planning import Change
from bot.task.requirements import NOTHING_REGRESSES
from bot.values import ActionKind, Requirement, Requirements, Step, Verdict, VerdictOutcome
from sandbox.values import Observation, Outcome

_PROMPT = ">>>"
_MOST_MODULES = 20
_MOST_NAMED = 3
_STEP = Step(
    id="",
    goal="See whether the examples in docstrings of changed modules still hold.",
    guidance="Each side's own docstrings, where the project's own tests do not run them.",
    requirement_ids=(NOTHING_REGRESSES,),
    action=ActionKind.DOCTESTS,
)
_NEXT = (
    "Let the code do what the docstring shows, or correct the docstring; or look at it, and accept."
)


def plan_doctests(_: Requirements, change: Change) -> Step | None:
    """Plan to run the changed Python modules that have examples in them on base."""
    paths = [
        one.path
        for one in change.diff.files
        if one.path.endswith(".py")
        and not (is_new(one) or is_gone(one) or one.old_path or is_test_file(one.path))
        and _PROMPT in (change.base.read(one.path) or "")
    ]
    return replace(_STEP, arguments=tuple(paths[:_MOST_MODULES])) if paths else None


def lost(base: Observation | None, head: Observation | None) -> tuple[str, ...]:
    """Return the docstrings, as tests' ids, whose examples pass on base and fail on head."""
    before, after = base.tests if base else None, head.tests if head else None
    if not (before and before.complete and after and after.complete):
        return ()
    passing = {one.id for one in before.results if one.outcome is Outcome.PASSED}
    failing = (one.id for one in after.results if one.outcome is Outcome.FAILED)
    return tuple(sorted(passing.intersection(failing)))


def with_doctests(verdict: Verdict, requirement: Requirement, case: Case) -> Verdict:
    """Let no regression be ruled out where an example of a docstring holds no more."""
    if requirement.id != NOTHING_REGRESSES or verdict.outcome is not VerdictOutcome.SATISFIED:
        return verdict
    judged = {one.id for one in case.observed.tests.comparisons}  # by the project's own tests
    for evidence in case.observed.evidence:
        if evidence.step.action is not ActionKind.DOCTESTS or evidence.head is None:
            continue
        broken = [one for one in lost(evidence.base, evidence.head) if one not in judged]
        if broken:
            named = ", ".join(f"`{one}`" for one in broken[:_MOST_NAMED])
            more = f" and {len(broken) - _MOST_NAMED} more" if len(broken) > _MOST_NAMED else ""
            reason = (
                f"What the docstring shows passed on base and fails on head: {named}{more}. "
                "The project's own tests do not run it."
            )
            asked = unverified(requirement, reason, _NEXT)
            return replace(asked, evidence_ids=(evidence.id,))
    return verdict
