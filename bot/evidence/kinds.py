"""Every kind of evidence, by its doors: the table, and the looks of few lines.

No verdict rests on what reading files shows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from bot.context import EvaluationContext
from bot.evidence.case import Weigher
from bot.evidence.code_map.run import look_for_places
from bot.evidence.doctests import plan_doctests, run_doctests, with_doctests
from bot.evidence.empty_inputs import plan_empty_calls, promises, with_crashes
from bot.evidence.examples.run import call_as_shown
from bot.evidence.examples.weigh import plan_examples, with_examples
from bot.evidence.installed import plan_installed, use_installed, with_installed
from bot.evidence.own_steps.commands import (
    compare_file,
    run_judges_files,
    run_line,
    run_named_tests,
    type_into,
)
from bot.evidence.pages.run import follow_script, look_at_pages
from bot.evidence.planning import Planner
from bot.evidence.seen import Seen, StepSide, limits, on_both, showing, sides
from bot.evidence.test_plan.run import run_plan_item
from bot.evidence.tests.run import run_unit_tests
from bot.services import Services
from bot.values import ActionKind, EvaluationRequest, FourWay, Part, Step
from sandbox.edges.empty_calls import EmptyCalls, read_call, try_calls
from sandbox.linters import LintRequest, lint_change
from sandbox.reading.read import FilePassage, WantedPassage, read, search
from sandbox.repository.combine import combine
from sandbox.repository.names import TreeReader
from sandbox.terminal.bash import ShellRun, run_shell, trusted_files
from sandbox.terminal.compare import BY_BROWSER
from sandbox.values import Observation, Side


async def run_check(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run a configured shell line on both sides; the files that it runs come from base on both."""
    line, checkout = step.arguments[0], case.checkout
    base_tree, head_tree = Path(checkout.base_tree), Path(checkout.head_tree)
    trusted = trusted_files(line, base_tree)
    if trusted:
        folder = services.evaluation_folder(case.request) / "trees" / f"check-{step.id}"
        head_tree = await asyncio.to_thread(combine, head_tree, base_tree, trusted, folder)
    network = case.policy.network_to_observe

    async def run(place: StepSide) -> Observation:
        order = ShellRun(line, place.side, place.tree, place.environment, limits(case), network)
        return await run_shell(services.sandbox, order)

    places = sides(case, case.built.main)
    places = places._replace(head=replace(places.head, tree=str(head_tree)))
    return showing(step, *await on_both(run, places))


async def look_at_findings(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Lint the changed files on both sides; without a file to lint there is nothing to see."""
    workspace = services.evaluation_folder(case.request) / "trees"
    wants_fixes = case.policy.configuration.suggestions
    with_base = Part.BASE_SIDE not in case.request.without
    request = LintRequest(case.checkout, workspace, case.built.main.base, wants_fixes, with_base)
    linted = await lint_change(services.sandbox, request)
    if linted is None:
        return Seen()
    seen = showing(step, linted.base, linted.head, linted.new)
    return replace(seen, fixes=linted.fixes) if wants_fixes else seen


_BY_BROWSER = {".html", ".htm", ".svg", *BY_BROWSER}


async def search_code(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Search both trees; the arguments are the text and, for a pattern, the word `pattern`."""
    wanted = WantedPassage(step.arguments[0], is_pattern=step.arguments[1:] == ("pattern",))
    places = sides(case, case.built.main)
    both = await on_both(lambda one: search(services.sandbox, one.side, one.tree, wanted), places)
    return showing(step, *both)


async def read_file(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Read a file on both sides; the arguments are its path and, of text, the first and last line.

    Pages and images are looked at in the browser.
    """
    path = step.arguments[0]
    is_for_browser = PurePosixPath(path).suffix.lower() in _BY_BROWSER and len(step.arguments) == 1
    if is_for_browser and ActionKind.SCREENSHOT not in left_out(case.request):
        return await look_at_pages(services, case, step)
    passage = FilePassage(path, *map(int, step.arguments[1:3]))
    places = sides(case, case.built.main)
    both = await on_both(lambda one: read(services.sandbox, one.side, one.tree, passage), places)
    return showing(step, *both)


async def call_with_nothing(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Make every call of the step on both sides; a file that was renamed is found on base."""
    calls = tuple(call for text in step.arguments if (call := read_call(text)))
    checkout = case.checkout
    before = {one.path: one.old_path or one.path for one in checkout.diff.files}

    async def run(place: StepSide) -> Observation:
        names = before if place.side is Side.BASE else {}
        paths = tuple(names.get(call.path, call.path) for call in calls)
        trial = EmptyCalls(place.side, place.tree, place.environment, calls, paths)
        return await try_calls(services.sandbox, trial)

    base, head = await on_both(run, sides(case, case.built.main))
    tree = TreeReader(Path(checkout.head_tree))
    told = zip(head.findings, calls, strict=False)
    findings = tuple(
        replace(found, hunk=promises(tree.read(call.path), call.name)[:2_000])
        for found, call in told
    )
    return showing(step, base, replace(head, findings=findings))


Look = Callable[[Services, EvaluationContext, Step], Coroutine[Any, Any, Seen]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of evidence.

    `run` takes a step on both sides, `asked_for` one that an analyst or a model names: that rests on no
    configuration. `plan` says which step a change needs without anybody asking, `weigh` what the results
    change of a verdict. What is shown are the step's own words. Without a part that it `needs` no step is
    taken.
    """

    run: Look
    asked_for: Look | None = None
    plan: Planner | None = None
    weigh: Weigher | None = None
    needs: tuple[Part, ...] = (Part.EXECUTION,)


KINDS: dict[ActionKind, Kind] = {
    ActionKind.UNIT_TESTS: Kind(run_unit_tests, run_named_tests),
    ActionKind.STATIC_LINTER: Kind(look_at_findings, needs=()),
    ActionKind.BASH: Kind(run_check, run_line),
    ActionKind.SCREENSHOT: Kind(look_at_pages, needs=(Part.BROWSER, Part.EXECUTION)),
    ActionKind.INTERACTION: Kind(follow_script, needs=(Part.BROWSER, Part.EXECUTION)),
    ActionKind.DYNAMIC_EXECUTION: Kind(
        call_with_nothing, run_judges_files, plan_empty_calls, with_crashes
    ),
    ActionKind.EXAMPLES: Kind(call_as_shown, plan=plan_examples, weigh=with_examples),
    ActionKind.DOCTESTS: Kind(run_doctests, plan=plan_doctests, weigh=with_doctests),
    ActionKind.INSTALLED: Kind(use_installed, plan=plan_installed, weigh=with_installed),
    ActionKind.SHELL_INTERACTION: Kind(run_plan_item, type_into),
    ActionKind.FILE_COMPARISON: Kind(run_plan_item, compare_file),
    ActionKind.LOCATE: Kind(look_for_places, needs=(Part.GRAPH,)),
    ActionKind.SEARCH: Kind(search_code, needs=()),
    ActionKind.READ: Kind(read_file, needs=()),
}
"""Every action that a plan may name. A look turns what goes wrong in the tree under test into data;
it raises SandboxError when the sandbox itself fails."""

PLANNING = tuple(kind.plan for kind in KINDS.values() if kind.plan)
WEIGHING = tuple(kind.weigh for kind in KINDS.values() if kind.weigh)


def left_out(request: EvaluationRequest) -> frozenset[ActionKind]:
    """Which actions no step may be taken by, since a part that they need is off."""
    off = set(request.without)
    return frozenset(action for action, kind in KINDS.items() if not off.isdisjoint(kind.needs))


def look_of(case: EvaluationContext, step: Step, *, is_analysts: bool = False) -> Look:
    """How a step is taken; one that a model proposed or asked for rests on no configuration."""
    if step.action in left_out(case.request):
        return _nothing
    kind = KINDS[step.action]
    is_asked_for = is_analysts or step.is_proposed
    return kind.asked_for if is_asked_for and kind.asked_for else kind.run


async def _nothing(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Take no look, and say so where tests would have been run."""
    is_of_tests = step.action is ActionKind.UNIT_TESTS
    return Seen(
        tests=FourWay((), "Nothing was run, to measure what running adds.") if is_of_tests else None
    )
