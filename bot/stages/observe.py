"""Stage 6: tests four ways, linters, checks: on base and on head, in the sandbox."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from bot.errors import OutOfTime, UserError
from bot.judge import BUILDS, inspect_integrity, transition
from bot.judge.four_way import compare
from bot.models import ActionKind, Evidence, FourWay, Observed, Step
from bot.stages.base_results import BaseResults
from bot.stages.docket import Built, Case
from bot.stages.services import Services
from sandbox.base import Limits, SandboxError
from sandbox.combine import combine
from sandbox.concurrently import concurrently
from sandbox.errors import CheckoutError
from sandbox.models import ChangeStatus, Diff, Environment, Finding, Observation, Side
from sandbox.names import inside
from sandbox.tools.bash import ShellRun, run_shell, trusted_files
from sandbox.tools.four_way import Sides, run_four_ways
from sandbox.tools.static_linter import lint_python

MAX_TEXT_BYTES = 2_000_000
_LONGEST_RUN = 0.8  # of `limits.minutes`
_BUILD = Step(
    id="E0",
    goal="Install the project and what it needs.",
    guidance="The commands that the recipe names, on both sides.",
    requirement_ids=(BUILDS,),
    action=ActionKind.DYNAMIC_EXECUTION,
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one step showed."""

    evidence: tuple[Evidence, ...] = ()
    tests: FourWay | None = None
    findings: tuple[Finding, ...] = ()


async def observe(services: Services, case: Case) -> Observed:
    """Look at everything that the plan names. Raises UserError when time or the sandbox gives out."""
    await services.origin.announce(case.request, "observe")
    minutes = case.policy.configuration.limits.minutes
    try:
        async with asyncio.timeout(minutes * 60):
            return await _observe(services, case)
    except TimeoutError as error:
        raise OutOfTime(
            f"Observing did not end within the {minutes:g} minutes that `limits.minutes` allows.",
            "Raise the limit in .github/assay.yml on the base branch, or make the tests quicker.",
        ) from error
    except SandboxError as error:
        raise UserError(
            f"The sandbox does not work: {error}", "Run `assay doctor` on the machine that judges."
        ) from error


async def _observe(services: Services, case: Case) -> Observed:
    seen = [_Seen(_build_evidence(case.built)), *await _look(services, case)]
    tests = next((one.tests for one in seen if one.tests), None)
    tests = tests or FourWay((), "There are no tests that Assay can run.")
    checkout, built = case.checkout, case.built
    integrity = await asyncio.to_thread(
        inspect_integrity,
        checkout.diff,
        TreeReader(Path(checkout.base_tree)),
        TreeReader(Path(checkout.head_tree)),
        tests,
        case.planned.requirements,
    )
    return Observed(
        evidence=tuple(item for one in seen for item in one.evidence),
        tests=tests,
        findings=tuple(item for one in seen for item in one.findings),
        integrity=integrity,
        built_base=_is_built(built.base),
        built_head=_is_built(built.head),
        needs=_needs(built.base, built.head),
        changed_paths=_changed_paths(checkout.diff),
        changes_truncated=checkout.diff.truncated,
    )


async def _look(services: Services, case: Case) -> list[_Seen]:
    """Take every step of the plan; the linter looks while the tests run, the checks come after."""
    steps = case.planned.plan.steps
    looks = {ActionKind.UNIT_TESTS: _unit_tests, ActionKind.STATIC_LINTER: _lint}
    first = [looks[step.action](services, case, step) for step in steps if step.action in looks]
    seen = await concurrently(*first)
    return seen + [await _check(services, case, step) for step in steps if step.action not in looks]


def _limits(case: Case) -> Limits:
    """Let one run take most of the time: when it hangs, the rest suffices to say which run it was."""
    minutes = case.policy.configuration.limits.minutes
    return Limits(timeout_s=minutes * 60 * _LONGEST_RUN)


# --- the build ------------------------------------------------------------------------------


def _build_evidence(built: Built) -> tuple[Evidence, ...]:
    """Show the output of a build that failed; one that went well has nothing to tell."""
    if not any(one and one.failure and not one.recipe.needs for one in (built.base, built.head)):
        return ()
    base, head = _build_seen(built.base), _build_seen(built.head)
    return (Evidence(_BUILD.id, _BUILD, base, head, transition(base, head)),)


def _build_seen(built: Environment | None) -> Observation | None:
    if built is None or built.failure:
        return built.failure if built else None
    return Observation(built.side, "", 0, "It was built.", built.seconds)


# --- tests ----------------------------------------------------------------------------------


async def _unit_tests(services: Services, case: Case, step: Step) -> _Seen:
    base, head = case.built.base, case.built.head
    if base is None or head is None:
        side = "either side" if base is head else "base" if base is None else "head"
        known = f"No kind of project that Assay knows was found on {side}, so no tests were run."
        return _Seen(tests=FourWay((), known))
    sides = Sides(
        checkout=case.checkout,
        base=base,
        head=head,
        workspace=services.evaluation_folder(case.request) / "trees",
        limits=_limits(case),
        network=case.policy.network_to_observe,
    )
    kept = BaseResults(services.store, sides, case.request.repository)
    seen = await run_four_ways(services.sandbox, replace(sides, known_base=kept.find()))
    kept.keep(seen.base)
    evidence = (Evidence(step.id, step, seen.base, seen.head, transition(seen.base, seen.head)),)
    if seen.runs is None:
        return _Seen(evidence, FourWay((), seen.problem, step.id))
    compared = compare(seen.runs, case.checkout.diff)
    return _Seen(evidence, FourWay(compared.comparisons, compared.problem, step.id))


# --- the linter and the checks --------------------------------------------------------------


async def _lint(services: Services, case: Case, step: Step) -> _Seen:
    linted = await lint_python(services.sandbox, case.checkout)
    if linted is None:
        return _Seen()
    moved = transition(linted.base, linted.head)
    return _Seen((Evidence(step.id, step, linted.base, linted.head, moved),), findings=linted.new)


async def _check(services: Services, case: Case, step: Step) -> _Seen:
    """Run a configured shell line on both sides; the files that it runs come from base on both."""
    line, checkout = step.arguments[0], case.checkout
    base_tree, head_tree = Path(checkout.base_tree), Path(checkout.head_tree)
    trusted = trusted_files(line, base_tree)
    if trusted:
        folder = services.evaluation_folder(case.request) / "trees" / f"check-{step.id}"
        head_tree = await asyncio.to_thread(combine, head_tree, base_tree, trusted, folder)
    network = case.policy.network_to_observe
    base, head = await concurrently(
        *(
            run_shell(
                services.sandbox,
                ShellRun(line, side, str(tree), environment, _limits(case), network),
            )
            for side, tree, environment in (
                (Side.BASE, base_tree, case.built.base),
                (Side.HEAD, head_tree, case.built.head),
            )
        )
    )
    return _Seen((Evidence(step.id, step, base, head, transition(base, head)),))


# --- facts ----------------------------------------------------------------------------------


class TreeReader:
    """Reads the texts of an exported tree for the integrity checks; links are not followed."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree

    def read(self, path: str) -> str | None:
        """Return a file's text; None when it is absent, no text, or too large to read."""
        try:
            file = inside(self._tree, path)
        except CheckoutError:
            return None
        if file.is_symlink() or not file.is_file() or file.stat().st_size > MAX_TEXT_BYTES:
            return None
        try:
            return file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return None


def _is_built(environment: Environment | None) -> bool | None:
    if environment is None or environment.recipe.needs:
        return None
    return environment.failure is None


def _needs(*environments: Environment | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(need for one in environments if one for need in one.recipe.needs))


def _changed_paths(diff: Diff) -> tuple[str, ...]:
    renamed = (change.old_path for change in diff.files if change.status is ChangeStatus.RENAMED)
    names = [*(change.path for change in diff.files), *(path for path in renamed if path)]
    return tuple(dict.fromkeys(names))
