"""Looks that a judge asks for in its own words: a line, named tests, typed input, a file's content.

Nothing here is trusted as a configured check is: each side runs its own code, none of base's files
stand in for head's, and an exit code alone refutes nothing (`bot.evidence.own_steps.weigh`).
"""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import replace
from pathlib import Path

from bot.context import EvaluationContext
from bot.evidence.seen import Seen, ShownBoth, StepSide, limits, on_both, showing, sides
from bot.services import Services
from bot.values import Step
from sandbox.base import Limits
from sandbox.terminal.bash import ShellRun, run_shell
from sandbox.terminal.own_files import OwnFile, OwnRun, own_fault, placing_problem, run_own_files
from sandbox.terminal.shell_interaction import Interaction, TypedCase, WantedFile, interact
from sandbox.terminal.values import FileOutcome
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Observation, Side, TestRunner

_ALIKE = (FileOutcome.EQUAL, FileOutcome.SIMILAR)
_UNTOLD = (FileOutcome.UNDECIDED, FileOutcome.UNREADABLE)


async def run_line(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run one shell line (the argument) on both sides, in fresh trees."""
    line, bounds, network = step.arguments[0], own_limits(case), case.policy.network_to_observe

    async def run(place: StepSide) -> Observation:
        order = ShellRun(line, place.side, place.tree, place.environment, bounds, network)
        return await run_shell(services.sandbox, order)

    return showing(step, *await on_both(run, sides(case, case.built.at(""))))


async def run_named_tests(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run tests that the project has, by the paths in the arguments, each side's own."""

    async def run(place: StepSide) -> Observation:
        side, environment = place.side, place.environment
        if environment is None:
            problem = f"On {side} there is no kind of project whose tests Assay can run."
            return Observation(side, problem=problem)
        recipe = environment.recipe
        if recipe.runner is TestRunner.PYTEST:  # its own arguments may name all tests
            recipe = replace(recipe, test_arguments=("--tb=short",), more_calls=())
        order = TestOrder(
            side=side,
            tree=place.tree,
            environment=replace(environment, recipe=recipe),
            paths=step.arguments,
            limits=own_limits(case),
            network=case.policy.network_to_observe,
        )
        return await run_tests(services.sandbox, order)

    return showing(step, *await on_both(run, sides(case, case.built.at(step.arguments[0]))))


async def type_into(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run a command behind a terminal and type into it; the arguments are the line and the text."""
    line, typed = step.arguments
    return showing(step, *await _interact(services, case, TypedCase(line, typed)))


async def compare_file(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run a command and compare a file that it writes: the arguments are line, path, expected text."""
    line, path, expected = step.arguments
    folder = services.evaluation_folder(case.request) / "trees" / f"expected-{plain(step.id)}"
    file = folder / f"expected{Path(path).suffix}"

    def write() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(expected, encoding="utf-8")

    await asyncio.to_thread(write)
    try:
        seen = await _interact(services, case, TypedCase(line), WantedFile(path, file, (path,)))
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return showing(step, _compared(seen.base) if seen.base else None, _compared(seen.head))


async def _interact(
    services: Services, case: EvaluationContext, typed: TypedCase, *files: WantedFile
) -> ShownBoth[Observation]:
    async def run(place: StepSide) -> Observation:
        bounds = own_limits(case)
        wanted = Interaction(
            side=place.side,
            tree=place.tree,
            cases=(typed,),
            files=files,
            environment=place.environment,
            case_limit_s=bounds.timeout_s / 2,
            limits=bounds,
            network=case.policy.network_to_observe,
        )
        return await interact(services.sandbox, wanted)

    return await on_both(run, sides(case, case.built.at("")))


def _compared(seen: Observation) -> Observation:
    """Let the file speak: exit code 1 where it differs or is missing, a problem where nothing can."""
    outcomes = [one.outcome for one in seen.item.files] if seen.item else []
    if seen.exit_code is None or not outcomes:
        return seen
    if any(one in _UNTOLD for one in outcomes):
        return replace(seen, problem=seen.problem or "The file could not be compared.")
    is_alike = all(one in _ALIKE for one in outcomes)
    return replace(seen, exit_code=0 if is_alike else 1)


# --- runs what a judge wrote itself, on base and on head: a test, a program, a command ------------


LONGEST_RUN_S = 120.0


async def run_judges_files(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run the judge's files; the arguments are a shell line (or ""), then a path and a text each.

    A failure that is the judge's own mistake has a `problem`: it proves nothing of the code.
    """
    line, *rest = step.arguments
    files = tuple(OwnFile(path, text) for path, text in zip(rest[::2], rest[1::2], strict=True))
    checkout = case.checkout
    problem = placing_problem(files, (checkout.base_tree, checkout.head_tree))
    if problem:
        unplaced = Observation(Side.HEAD, problem=problem)
        return showing(step, replace(unplaced, side=Side.BASE), unplaced)
    folder = services.evaluation_folder(case.request) / "trees" / f"own-{plain(step.id)}"
    bounds, network = own_limits(case), case.policy.network_to_observe

    async def run(place: StepSide) -> Observation:
        order = ShellRun(line, place.side, place.tree, place.environment, bounds, network)
        return await run_own_files(
            services.sandbox, OwnRun(order, files, folder / place.side.value)
        )

    base, head = await on_both(run, sides(case, case.built.at(files[0].path)))
    return showing(step, base, without_own_fault(base, head, files))


def plain(step_id: str) -> str:
    """A step's id as the name of a folder, whatever its requirement is called."""
    return re.sub(r"[^\w.-]", "_", step_id)


def own_limits(case: EvaluationContext) -> Limits:
    """What one run of a judge may use: far less than the project's own tests."""
    return Limits(
        timeout_s=min(limits(case).timeout_s, LONGEST_RUN_S), disk_mb=1024, output_bytes=100_000
    )


def without_own_fault(
    base: Observation | None, head: Observation, files: tuple[OwnFile, ...]
) -> Observation:
    """Head's observation, marked where its failure is the judge's own mistake.

    What passes on base is no mistake: then head lost what the judge relied on. On base alone a name
    that does not exist yet is what a test of something new is expected to meet.
    """
    is_held_on_base = base is not None and base.exit_code == 0 and not base.problem
    fault = "" if is_held_on_base else own_fault(head, files)
    return replace(head, problem=head.problem or fault)
