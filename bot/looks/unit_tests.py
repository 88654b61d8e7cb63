"""Runs the tests four ways: each side's tests on each side's code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from bot.judge import transition
from bot.judge.four_way import compare
from bot.looks.seen import Seen, limits
from bot.models import Evidence, FourWay, Step
from bot.stages.base_results import BaseResults
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.tools.four_way import RUNS, Sides, run_four_ways


async def run_unit_tests(services: Services, case: Case, step: Step) -> Seen:
    """Run the tests, with base's known results where they are kept."""
    base, head = case.built.base, case.built.head
    if base is None or head is None:
        side = "either side" if base is head else "base" if base is None else "head"
        known = f"No kind of project that Assay knows was found on {side}, so no tests were run."
        return Seen(tests=FourWay((), known))
    if base.recipe.ecosystem != head.recipe.ecosystem:
        changed = (
            f"The project is {base.recipe.ecosystem} on base and {head.recipe.ecosystem} on head"
        )
        return Seen(tests=FourWay((), f"{changed}, so its tests cannot be compared."))
    sides = Sides(
        checkout=case.checkout,
        base=base,
        head=head,
        workspace=services.evaluation_folder(case.request) / "trees",
        limits=limits(case),
        network=case.policy.network_to_observe,
        run_ended=_counting(services),
    )
    kept = BaseResults(services.store, sides, case.request.repository)
    seen = await run_four_ways(services.sandbox, replace(sides, known_base=kept.find()))
    kept.keep(seen.base)
    evidence = (Evidence(step.id, step, seen.base, seen.head, transition(seen.base, seen.head)),)
    if seen.runs is None:
        return Seen(evidence, FourWay((), seen.problem, step.id))
    compared = compare(seen.runs, case.checkout.diff)
    return Seen(evidence, FourWay(compared.comparisons, compared.problem, step.id))


def _counting(services: Services) -> Callable[[], None]:
    ended = count(1)
    return lambda: services.count_runs(next(ended), RUNS)
