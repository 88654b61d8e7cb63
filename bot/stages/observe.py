"""Stage 6: tests four ways, linters, checks: on base and on head, in the sandbox."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.errors import UserError
from bot.judge import inspect_integrity, transition
from bot.judge.four_way import compare
from bot.models import ActionKind, Evidence, FourWay, Observed, Step
from bot.stages.base_results import BaseResults
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.base import Limits, SandboxError
from sandbox.combine import combine
from sandbox.errors import CheckoutError
from sandbox.models import ChangeStatus, Diff, Environment, Side
from sandbox.names import inside
from sandbox.tools.bash import ShellRun, run_shell, trusted_files
from sandbox.tools.four_way import Sides, run_four_ways
from sandbox.tools.static_linter import Linted, lint_python

MAX_TEXT_BYTES = 2_000_000


async def observe(services: Services, case: Case) -> Observed:
    """Look at everything that the plan names. Raises UserError when time or the sandbox gives out."""
    await services.origin.announce(case.request, "observe")
    minutes = case.policy.configuration.limits.minutes
    try:
        async with asyncio.timeout(minutes * 60):
            return await _observe(services, case)
    except TimeoutError as error:
        raise UserError(
            f"Observing did not end within the {minutes:g} minutes that `limits.minutes` allows.",
            "Raise the limit in .github/assay.yml on the base branch, or make the tests quicker.",
        ) from error
    except SandboxError as error:
        raise UserError(
            f"The sandbox does not work: {error}", "Run `assay doctor` on the machine that judges."
        ) from error


async def _observe(services: Services, case: Case) -> Observed:
    evidence: list[Evidence] = []
    tests, linted = FourWay((), "There are no tests that Assay can run."), None
    for step in case.planned.plan.steps:
        if step.action is ActionKind.UNIT_TESTS:
            tests = await _unit_tests(services, case, step, evidence)
        elif step.action is ActionKind.STATIC_LINTER:
            linted = await lint_python(services.sandbox, case.checkout)
            evidence += _lint_evidence(step, linted)
        else:
            evidence.append(await _check(services, case, step))
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
        evidence=tuple(evidence),
        tests=tests,
        findings=linted.new if linted else (),
        integrity=integrity,
        built_base=_is_built(built.base),
        built_head=_is_built(built.head),
        needs=_needs(built.base, built.head),
        changed_paths=_changed_paths(checkout.diff),
        changes_truncated=checkout.diff.truncated,
    )


# --- tests ----------------------------------------------------------------------------------


async def _unit_tests(
    services: Services, case: Case, step: Step, evidence: list[Evidence]
) -> FourWay:
    base, head = case.built.base, case.built.head
    if base is None or head is None:
        return FourWay((), "No known kind of project was found, so no tests were run.")
    kept = BaseResults(services.store, case.request.repository, case.checkout.base_sha, base)
    sides = Sides(
        checkout=case.checkout,
        base=base,
        head=head,
        workspace=services.evaluation_folder(case.request) / "trees",
        limits=Limits(timeout_s=case.policy.configuration.limits.minutes * 60),
        known_base=kept.find(),
    )
    seen = await run_four_ways(services.sandbox, sides)
    kept.keep(seen.base)
    evidence.append(Evidence(step.id, step, seen.base, seen.head, transition(seen.base, seen.head)))
    if seen.runs is None:
        return FourWay((), seen.problem, step.id)
    compared = compare(seen.runs, case.checkout.diff)
    return FourWay(compared.comparisons, compared.problem, step.id)


# --- the linter and the checks --------------------------------------------------------------


def _lint_evidence(step: Step, linted: Linted | None) -> list[Evidence]:
    if linted is None:
        return []
    moved = transition(linted.base, linted.head)
    return [Evidence(step.id, step, linted.base, linted.head, moved)]


async def _check(services: Services, case: Case, step: Step) -> Evidence:
    """Run a configured shell line on both sides; the files that it runs come from base on both."""
    line, checkout = step.arguments[0], case.checkout
    base_tree, head_tree = Path(checkout.base_tree), Path(checkout.head_tree)
    trusted = trusted_files(line, base_tree)
    if trusted:
        folder = services.evaluation_folder(case.request) / "trees" / f"check-{step.id}"
        head_tree = await asyncio.to_thread(combine, head_tree, base_tree, trusted, folder)
    limits = Limits(timeout_s=case.policy.configuration.limits.minutes * 60)
    runs = (
        ShellRun(line, Side.BASE, str(base_tree), case.built.base, limits),
        ShellRun(line, Side.HEAD, str(head_tree), case.built.head, limits),
    )
    base, head = [await run_shell(services.sandbox, run) for run in runs]
    return Evidence(step.id, step, base, head, transition(base, head))


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
