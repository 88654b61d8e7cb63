"""Stage 6: tests four ways, linters, checks: on base and on head, in the sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bot.apart import apart
from bot.context import Built, EvaluationContext
from bot.diff.kinds import kinds_of_change
from bot.errors import OutOfTime
from bot.evaluation.agent_log import with_claims
from bot.evaluation.on_host import case_here, on_this_host
from bot.evidence.kinds import look_of
from bot.evidence.seen import Seen
from bot.evidence.transitions import transition
from bot.integrity import inspect_integrity
from bot.integrity.dependencies import dependency_findings, new_dependencies
from bot.integrity.grown import find_grown
from bot.integrity.instructions import orders_in_words
from bot.integrity.lost_imports import without_lost_imports
from bot.integrity.removed_code import find_retired
from bot.services import Services
from bot.task.requirements import BUILDS
from bot.values import ActionKind, Evidence, FourWay, Observed, Step, Task
from bot.values.rules import CONFIGURATION, POLICY_LOOSENED
from sandbox.base import Network
from sandbox.changes.reading import read_kinds
from sandbox.concurrently import a_few_at_a_time, concurrently, cores
from sandbox.registry import RegistryAnswer, WantedPackage, look_up
from sandbox.repository.tree_reader import TreeReader
from sandbox.test_runs.test_names import is_untested
from sandbox.values import Environment, Finding, Observation

_FIRST = (ActionKind.UNIT_TESTS, ActionKind.STATIC_LINTER, ActionKind.LOCATE)
_ITEMS = (ActionKind.SHELL_INTERACTION, ActionKind.FILE_COMPARISON)
_AT_A_TIME = max(2, min(8, cores()))
_BUILD = Step(
    id="E0",
    goal="Install the project and what it needs.",
    guidance="The commands that the recipe names, on both sides.",
    requirement_ids=(BUILDS,),
    action=ActionKind.DYNAMIC_EXECUTION,
)


@on_this_host
async def observe(services: Services, case: EvaluationContext, task: Task) -> Observed:
    """Look at everything that the plan names. Raises OutOfTime when that takes too long."""
    await services.origin.announce(case.request, "observe", case.planned.plan)
    case = await case_here(services, case)
    minutes = case.policy.configuration.limits.minutes
    try:
        async with asyncio.timeout(minutes * 60):
            return await _observe(services, case, task)
    except TimeoutError as error:
        raise OutOfTime(
            f"Observing did not end within the {minutes:g} minutes that `limits.minutes` allows.",
            "Raise the limit in .github/assay.yml on the base branch, or make the tests quicker.",
        ) from error


def _orders(task: Task, evidence: tuple[Evidence, ...]) -> tuple[Finding, ...]:
    return tuple(dict.fromkeys(orders_in_words(task, evidence)))


async def _observe(services: Services, case: EvaluationContext, task: Task) -> Observed:
    seen = [Seen(_build_evidence(case.built)), *await _look(services, case)]
    tests = next((one.tests for one in seen if one.tests), None)
    tests = tests or FourWay((), "There are no tests that Assay can run.")
    checkout, built, proposed = case.checkout, case.built, case.policy.proposed
    base, head = TreeReader(Path(checkout.base_tree)), TreeReader(Path(checkout.head_tree))
    retired = await asyncio.to_thread(find_retired, tests.comparisons, base, head)
    told = await asyncio.to_thread(without_lost_imports, tests.comparisons, base, head)
    said, changed = case.planned.requirements.said, checkout.diff.changed_paths
    grown = await asyncio.to_thread(find_grown, told, base, head, said, changed)
    tests = replace(tests, comparisons=told, retired=retired, grown=grown)
    harmless = await read_kinds(services.sandbox, checkout)
    untested = await asyncio.to_thread(_is_untested, case)
    requirements, timeout_s = (
        case.planned.requirements,
        case.policy.configuration.limits.minutes * 60,
    )
    integrity = await apart(
        timeout_s, inspect_integrity, checkout.diff, base, head, tests, requirements
    )
    evidence = tuple(item for one in seen for item in one.evidence)
    integrity += await apart(timeout_s, _orders, task, evidence)
    integrity += await _vetted_dependencies(services, case, base, head)
    observed = Observed(
        evidence=evidence,
        tests=tests,
        findings=(
            *(one for one in proposed if one.rule == CONFIGURATION),
            *(item for one in seen for item in one.findings),
        ),
        integrity=(*integrity, *(one for one in proposed if one.rule == POLICY_LOOSENED)),
        built_base=_is_built(built.decisive.base),
        built_head=_is_built(built.decisive.head),
        build_folder=built.decisive.root,
        needs=_needs(built),
        left_out=" ".join(_left_out(built)),
        too_new=next((e.recipe.too_new for e in _bases(built) if e.recipe.too_new), ""),
        missing_submodules=tuple(one for one in checkout.missing_submodules if one.is_named),
        base_is_untested=untested,
        changed_paths=checkout.diff.changed_paths,
        changes_truncated=checkout.diff.truncated,
        kinds=kinds_of_change(checkout.diff, harmless),
        impact=next((one.impact for one in seen if one.impact), None),
        located=tuple(item for one in seen for item in one.located),
        examples=tuple(item for one in seen for item in one.examples),
        fixes=tuple(item for one in seen for item in one.fixes),
        without=case.request.without,
    )
    return await with_claims(services, case, observed)


async def _vetted_dependencies(
    services: Services, case: EvaluationContext, base: TreeReader, head: TreeReader
) -> tuple[Finding, ...]:
    """Ask the registries about new dependencies, where the build may use the network."""
    timeout_s = case.policy.configuration.limits.minutes * 60
    new = await apart(timeout_s, new_dependencies, case.checkout.diff, base, head)
    if not new:
        return ()
    answers: dict[WantedPackage, RegistryAnswer] = {}
    if case.policy.network_to_build is Network.BUILD:
        answers = await look_up(services.sandbox, [wanted for wanted, _ in new])
    return tuple(dependency_findings(new, answers))


async def _look(services: Services, case: EvaluationContext) -> list[Seen]:
    """Take every step of the plan; the linters and the code graph look while the tests run.

    A test plan's items come last, a few at a time: each has its own fresh tree.
    """
    steps = case.planned.plan.steps
    first = [look_of(case, step)(services, case, step) for step in steps if step.action in _FIRST]
    later = (step for step in steps if step.action not in (*_FIRST, *_ITEMS))
    seen = await concurrently(*first)
    seen += [await look_of(case, step)(services, case, step) for step in later]
    items = [look_of(case, step)(services, case, step) for step in steps if step.action in _ITEMS]
    return seen + await a_few_at_a_time(_AT_A_TIME, items)


# --- the build ------------------------------------------------------------------------------


def _build_evidence(built: Built) -> tuple[Evidence, ...]:
    """Show the output of a build that failed; one that went well has nothing to tell."""
    sides = built.decisive.base, built.decisive.head
    if not any(one and one.failure and not one.recipe.needs for one in sides):
        return ()
    base, head = map(_build_seen, sides)
    return (Evidence(_BUILD.id, _BUILD, base, head, transition(base, head)),)


def _build_seen(built: Environment | None) -> Observation | None:
    if built is None or built.failure:
        return built.failure if built else None
    return Observation(built.side, "", 0, "It was built.", built.seconds)


def _is_untested(case: EvaluationContext) -> bool:
    configuration = case.policy.configuration
    lines = [configuration.setup.test, *(one.setup.test for one in configuration.projects)]
    return not any(lines) and is_untested(Path(case.checkout.base_tree))


# --- facts ----------------------------------------------------------------------------------


def _is_built(environment: Environment | None) -> bool | None:
    if environment is None or environment.recipe.needs:
        return None
    return environment.failure is None


def _needs(built: Built) -> tuple[str, ...]:
    """What the machine lacks for the projects that the change touches."""
    sides = (side for one in built.projects if one.is_touched for side in (one.base, one.head))
    return tuple(dict.fromkeys(need for one in sides if one for need in one.recipe.needs))


def _bases(built: Built) -> Iterator[Environment]:
    yield from (one.base for one in built.projects if one.base and one.is_touched)


def _left_out(built: Built) -> Iterator[str]:
    for one in built.projects:
        if one.base and one.base.recipe.left_out:
            yield (
                f"{one.root}: {one.base.recipe.left_out}" if one.root else one.base.recipe.left_out
            )
