"""Runs the examples in docstrings of changed modules, each side's own."""

from __future__ import annotations

from dataclasses import replace

from bot.context import EvaluationContext
from bot.evidence.doctests.weigh import lost
from bot.evidence.own_steps.commands import own_limits
from bot.evidence.seen import Seen, StepSide, on_both, showing, sides
from bot.services import Services
from bot.values import Step
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Observation, TestRunner

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
