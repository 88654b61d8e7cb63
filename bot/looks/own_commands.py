"""Looks that a judge asks for in its own words: a line, named tests, typed input, a file's content.

Nothing here is trusted as a configured check is: each side runs its own code, none of base's files
stand in for head's, and an exit code alone refutes nothing (`bot.judge.own_steps`).
"""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

from bot.judge import transition
from bot.looks.own_files import own_limits, plain, sides
from bot.looks.seen import Seen
from bot.models import Evidence, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.concurrently import concurrently
from sandbox.models import Environment, FileOutcome, Observation, Side, TestRunner
from sandbox.tools.bash import ShellRun, run_shell
from sandbox.tools.shell_interaction import Interaction, TypedCase, WantedFile, interact
from sandbox.tools.test_order import TestOrder
from sandbox.tools.unit_tests import run_tests

_ALIKE = (FileOutcome.EQUAL, FileOutcome.SIMILAR)
_UNTOLD = (FileOutcome.UNDECIDED, FileOutcome.UNREADABLE)


async def run_line(services: Services, case: Case, step: Step) -> Seen:
    """Run one shell line (the argument) on both sides, in fresh trees."""
    network = case.policy.network_to_observe
    base, head = await concurrently(
        *(
            run_shell(
                services.sandbox,
                ShellRun(step.arguments[0], side, tree, environment, own_limits(case), network),
            )
            for side, tree, environment in sides(case)
        )
    )
    return _evidence(step, base, head)


async def run_named_tests(services: Services, case: Case, step: Step) -> Seen:
    """Run tests that the project has, by the paths in the arguments, each side's own."""
    base, head = await concurrently(
        *(_named_tests(services, case, step, one) for one in sides(case, step.arguments[0]))
    )
    return _evidence(step, base, head)


async def _named_tests(
    services: Services, case: Case, step: Step, place: tuple[Side, str, Environment | None]
) -> Observation:
    side, tree, environment = place
    if environment is None:
        problem = f"On {side} there is no kind of project whose tests Assay can run."
        return Observation(side, "", None, "", 0.0, problem=problem)
    recipe, paths = environment.recipe, step.arguments
    if recipe.runner is TestRunner.PYTEST:  # its own arguments may name all tests
        recipe = replace(recipe, test_arguments=("--tb=short",), more_calls=())
    order = TestOrder(
        side=side,
        tree=tree,
        environment=replace(environment, recipe=recipe),
        paths=paths,
        limits=own_limits(case),
        network=case.policy.network_to_observe,
    )
    return await run_tests(services.sandbox, order)


async def type_into(services: Services, case: Case, step: Step) -> Seen:
    """Run a command behind a terminal and type into it; the arguments are the line and the text."""
    line, typed = step.arguments
    base, head = await concurrently(
        *(
            interact(services.sandbox, _interaction(case, place, TypedCase(line, typed)))
            for place in sides(case)
        )
    )
    return _evidence(step, base, head)


async def compare_file(services: Services, case: Case, step: Step) -> Seen:
    """Run a command and compare a file that it writes: the arguments are line, path, expected text."""
    line, path, expected = step.arguments
    folder = services.evaluation_folder(case.request) / "trees" / f"expected-{plain(step.id)}"
    file = await asyncio.to_thread(_written, folder / f"expected{Path(path).suffix}", expected)
    wanted = (WantedFile(path, file, (path,)),)
    try:
        base, head = await concurrently(
            *(
                interact(
                    services.sandbox,
                    replace(_interaction(case, place, TypedCase(line)), files=wanted),
                )
                for place in sides(case)
            )
        )
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return _evidence(step, _compared(base), _compared(head))


def _written(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def _interaction(
    case: Case, place: tuple[Side, str, Environment | None], typed: TypedCase
) -> Interaction:
    side, tree, environment = place
    bounds, network = own_limits(case), case.policy.network_to_observe
    return Interaction(
        side=side,
        tree=tree,
        cases=(typed,),
        environment=environment,
        case_limit_s=bounds.timeout_s / 2,
        limits=bounds,
        network=network,
    )


def _compared(seen: Observation) -> Observation:
    """Let the file speak: exit code 1 where it differs or is missing, a problem where nothing can."""
    outcomes = [one.outcome for one in seen.item.files] if seen.item else []
    if seen.exit_code is None or not outcomes:
        return seen
    if any(one in _UNTOLD for one in outcomes):
        return replace(seen, problem=seen.problem or "The file could not be compared.")
    is_alike = all(one in _ALIKE for one in outcomes)
    return replace(seen, exit_code=0 if is_alike else 1)


def _evidence(step: Step, base: Observation, head: Observation) -> Seen:
    return Seen((Evidence(step.id, step, base, head, transition(base, head)),))
