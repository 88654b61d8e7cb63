"""The examples in docstrings of changed modules, run on both sides where the project's own tests do not.

Nobody runs them in such a project, so that they may be meant loosely: a person is asked, and nothing refuted.
"""

from __future__ import annotations

from dataclasses import replace

from bot.context import EvaluationContext
from bot.diff.kinds import is_test_file
from bot.diff.lines import is_gone, is_new
from bot.evidence.case import Case
from bot.evidence.oracle import unverified
from bot.evidence.own_steps.commands import own_limits
from bot.evidence.planning import Change
from bot.evidence.seen import Seen, StepSide, on_both, showing, sides
from bot.services import Services
from bot.task.requirements import NOTHING_REGRESSES
from bot.text.clipping import listed
from bot.values import ActionKind, Requirement, Requirements, Step, Verdict, VerdictOutcome
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Observation, Outcome, TestRunner

_PROMPT = ">>>"
_MOST_MODULES = 20
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
    for evidence in case.seen_by(ActionKind.DOCTESTS):
        broken = [one for one in lost(evidence.base, evidence.head) if one not in judged]
        if broken:
            named = listed(f"`{one}`" for one in broken)
            reason = (
                f"What the docstring shows passed on base and fails on head: {named}. "
                "The project's own tests do not run it."
            )
            return unverified(requirement, reason, _NEXT, (evidence.id,))
    return verdict


_ARGUMENTS = (
    "--doctest-modules",
    "--doctest-ignore-import-errors",
    "--override-ini=testpaths=",  # the modules are in no folder of tests
    "--tb=short",
)


async def run_doctests(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run them by pytest; nothing where there are none, or the tests are not pytest's or run them anyway.

    The arguments are paths of modules; those of another project than the first one's are left out.
    What is seen to break is seen twice.
    """
    project = case.built.at(step.arguments[0])
    paths = tuple(path for path in step.arguments if case.built.at(path) == project)

    async def run(place: StepSide) -> Observation | None:
        order = _order(case, place, paths)
        return await run_tests(services.sandbox, order) if order else None

    both = sides(case, project)
    base, head = await on_both(run, both)
    if lost(base, head):
        base, head = await on_both(run, both)
    is_any = any(one and one.tests and one.tests.results for one in (base, head))
    return showing(step, base, head) if head and is_any and (base or both.base.is_off) else Seen()


def _order(case: EvaluationContext, place: StepSide, paths: tuple[str, ...]) -> TestOrder | None:
    """What to run on one side, if anything."""
    environment = place.environment
    if environment is None or environment.recipe.runner is not TestRunner.PYTEST:
        return None
    words = (word for call in environment.recipe.calls for word in call.arguments)
    if environment.failure or any("doctest" in word for word in words):
        return None
    recipe = replace(environment.recipe, test_arguments=_ARGUMENTS, more_calls=())
    own, network = replace(environment, recipe=recipe), case.policy.network_to_observe
    return TestOrder(place.side, place.tree, own, paths, own_limits(case), network=network)
