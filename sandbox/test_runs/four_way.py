"""Runs base's and head's tests on base's and head's code, at the price of about two runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from sandbox.base import Limits, Network, Sandbox
from sandbox.concurrently import a_few_at_a_time, cores
from sandbox.repository.combine import combine
from sandbox.test_runs.crosswise import (
    Crosswise,
    Doctests,
    find_crosswise,
    find_doctests,
    made_for_tests,
    plugin_arguments,
    runner_of_base,
    silenced_at_start,
)
from sandbox.test_runs.four_runs import FourRuns, aligned, passed
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.test_runs.repeats import (
    OwnPackages,
    base_repeats,
    disagreeing,
    head_repeats,
    with_hanging_tests,
)
from sandbox.test_runs.run_records import joined_runs
from sandbox.test_runs.test_order import TestOrder, calling, within
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Checkout, Environment, Observation, Side, TestRunner

RUNS = 4
Seen = TypeVar("Seen")


@dataclass(frozen=True, slots=True)
class Sides:
    """What four runs need. `workspace` is an own folder for combined trees (hard links).

    `known_base` is an earlier run of base with the same base sha, environment digest, command and
    HARNESS_VERSION; with it base is not run again.
    """

    checkout: Checkout
    base: Environment
    head: Environment
    workspace: Path
    limits: Limits = field(default_factory=Limits)
    known_base: Observation | None = None
    network: Network = Network.NONE
    run_ended: Callable[[], None] = lambda: None
    """Hears that one of the `RUNS` has ended."""


@dataclass(frozen=True, slots=True)
class Crossed:
    """The two crosswise runs as observations; None where nothing was run crosswise."""

    base_on_head: Observation | None = None
    head_on_base: Observation | None = None


@dataclass(frozen=True, slots=True)
class FourObservations:
    """The two full runs as observations, and all four for comparison (None: `problem` says why)."""

    base: Observation
    head: Observation
    runs: FourRuns | None
    problem: str = ""
    crossed: Crossed = field(default_factory=Crossed)


async def run_four_ways(sandbox: Sandbox, sides: Sides) -> FourObservations:
    """Run both sides in full, what differs crosswise, and repeat what disagrees.

    Raises SandboxError; whatever the projects do is data.
    """
    base_order, head_order = _full_orders(sides)
    full = (
        partial(_known_or_run, sandbox, base_order, sides.known_base),
        partial(run_tests, sandbox, head_order),
    )
    base, head = await a_few_at_a_time(cores(), [_counted(sides, one) for one in full])
    if base.tests is None or head.tests is None:
        problem = base.problem or head.problem or _ONLY_EXIT_CODE
        return FourObservations(base, head, None, problem)
    runs = FourRuns(base.tests, aligned(head.tests, base.tests))
    head = replace(head, tests=runs.head_on_head)
    if not (runs.base_on_base.complete and runs.head_on_head.complete):
        return FourObservations(base, head, runs)
    runs, crossed = await _cross(sandbox, sides, base, head)
    return FourObservations(base, head, runs, crossed=crossed)


async def _cross(
    sandbox: Sandbox, sides: Sides, base: Observation, head: Observation
) -> tuple[FourRuns, Crossed]:
    """Run crosswise what differs, then repeat what disagrees."""
    assert base.tests is not None and head.tests is not None  # noqa: S101 - checked above
    full = base.tests, head.tests
    base_tree, head_tree = Path(sides.checkout.base_tree), Path(sides.checkout.head_tree)
    made = made_for_tests(sides.base), made_for_tests(sides.head)
    found = await asyncio.to_thread(find_crosswise, base_tree, head_tree, made)
    docs = await asyncio.to_thread(find_doctests, base_tree, head_tree, *full)
    # What of head's surroundings base's tests must not meet; where there is any, all of them run without.
    plugins = plugin_arguments(sides.base, sides.head)
    laid = (*silenced_at_start(sides.base, sides.head), *runner_of_base(sides.base, sides.head))
    crosswise = _concerning(found, docs, sides, whole=plugins is not None or bool(laid))
    trees = await asyncio.to_thread(_combined, sides, crosswise, docs)
    base_order, head_order = _full_orders(sides)
    # New tests that hang with the old code are not waited for until the limit.
    longest_s = 60 + 5 * max(base.seconds, head.seconds)
    limits = replace(sides.limits, timeout_s=min(sides.limits.timeout_s, longest_s))
    on_head, on_base = _crossed_orders(sides, trees, limits)
    on_head = replace(on_head, plugins=plugins, laid=laid)
    steps = (
        partial(_run_paths, sandbox, on_head, crosswise.base_paths),
        partial(_run_paths, sandbox, on_base, crosswise.head_paths),
    )
    counted = [_counted(sides, one) for one in steps]
    base_on_head, head_on_base = await a_few_at_a_time(cores(), counted)
    own_docs = tuple(docs.head_on_base)
    with_docs = replace(on_base, tree=trees.head_doctests_on_base)
    docs_on_base = await _run_paths(sandbox, with_docs, own_docs)
    of_base = base_on_head.tests if base_on_head else None
    of_head = tuple(run.tests for run in (head_on_base, docs_on_base) if run and run.tests)
    runs = FourRuns(
        base_on_base=base.tests,
        head_on_head=head.tests,
        base_on_head=aligned(of_base, *full) if of_base else None,
        head_on_base=aligned(joined_runs(of_head), *full) if of_head else None,
        base_paths=crosswise.base_paths,
        head_paths=(*crosswise.head_paths, *own_docs),
    )
    runs = await with_hanging_tests(sandbox, on_base, (head_on_base, head), runs)
    runs = await _with_new_tests_beside(sandbox, sides, on_head, crosswise, runs)
    own = OwnPackages(sandbox, sides.base, sides.head, (base_tree, head_tree))
    runs = await own.of_head(on_base, await own.of_base(on_head, runs))
    repeats = await base_repeats(sandbox, runs, base_order, on_head, head_order)
    runs = replace(runs, repeats=repeats)
    again = await head_repeats(sandbox, runs, head_order)
    seen = Crossed(base_on_head, head_on_base or docs_on_base)
    return replace(runs, head_repeats=again), seen


async def _with_new_tests_beside(
    sandbox: Sandbox, sides: Sides, on_head: TestOrder, crosswise: Crosswise, runs: FourRuns
) -> FourRuns:
    """Take back what broke in base's unedited tests only because head's new tests do not stand beside them.

    A test that lists files (has every source a test?) fails on head's code among base's tests. Only new
    files of tests are added, never support or configuration, and only the broken tests' files run.
    """
    base, head = Path(sides.checkout.base_tree), Path(sides.checkout.head_tree)
    new = {
        path
        for path in crosswise.swapped
        if classify(path) is PathKind.TEST and not (base / path).exists()
    }
    on_own = {one.id for one in runs.head_on_head.results if passed(one.outcome)}
    broken = {
        one.id: one.path
        for one in disagreeing(runs)
        if passed(one.outcome) and one.id in on_own and one.path not in crosswise.swapped
    }
    if not new or not broken or runs.base_on_head is None:
        return runs
    rest = tuple(path for path in crosswise.swapped if path not in new)
    tree = await asyncio.to_thread(combine, head, base, rest, sides.workspace / "new-tests-beside")
    paths = tuple(sorted(set(broken.values())))
    seen = await run_tests(sandbox, replace(on_head, tree=str(tree), paths=paths))
    if seen.tests is None or not seen.tests.complete:
        return runs
    mended = {
        one.id: one
        for one in aligned(seen.tests, runs.base_on_base).results
        if one.id in broken and passed(one.outcome)
    }
    results = tuple(mended.get(one.id, one) for one in runs.base_on_head.results)
    return replace(runs, base_on_head=replace(runs.base_on_head, results=results))


_RUN_WHOLE = (TestRunner.MAKE, TestRunner.CTEST)
"""Runners that no file can be named to."""


def _concerning(found: Crosswise, docs: Doctests, sides: Sides, *, whole: bool) -> Crosswise:
    """Leave out what stands beside the project; whole programs of tests run whole.

    Texts of examples travel as test files do; base's changed docstrings run, too.
    """
    base_paths = dict.fromkeys((*found.base_paths, *docs.files, *docs.base_on_head))
    head_paths = dict.fromkeys((*found.head_paths, *docs.files))
    found = Crosswise((*found.swapped, *docs.files), tuple(base_paths), tuple(head_paths))
    if found.swapped and sides.base.recipe.runner in _RUN_WHOLE:
        return replace(found, base_paths=("",), head_paths=("",))
    if whole:
        found = replace(found, base_paths=("",))
    base_root, head_root = sides.base.recipe.root, sides.head.recipe.root
    return replace(
        found,
        base_paths=within(found.base_paths, base_root),
        head_paths=within(found.head_paths, head_root),
    )


async def _run_paths(
    sandbox: Sandbox, order: TestOrder, paths: tuple[str, ...]
) -> Observation | None:
    return await run_tests(sandbox, replace(order, paths=paths)) if paths else None


_ONLY_EXIT_CODE = (
    "The configured test command tells only its exit code, so single tests cannot be compared."
)


def _full_orders(sides: Sides) -> tuple[TestOrder, TestOrder]:
    base = TestOrder(
        Side.BASE, sides.checkout.base_tree, sides.base, limits=sides.limits, network=sides.network
    )
    return base, replace(
        base, side=Side.HEAD, tree=sides.checkout.head_tree, environment=sides.head
    )


def _crossed_orders(sides: Sides, trees: _Trees, limits: Limits) -> tuple[TestOrder, TestOrder]:
    """Return how base's tests run on head's code, and how head's run on base's.

    Each side's tests bring their own dependencies where the two sides' differ.
    """
    base_order, head_order = _full_orders(sides)
    differ = sides.base.dependencies_layer != sides.head.dependencies_layer

    def across(code_order: TestOrder, tree: str, tests: Environment) -> TestOrder:
        environment = code_order.environment
        # A pull request that moves its tests changes the call that names them, too.
        if tests.recipe.ecosystem == environment.recipe.ecosystem:
            environment = calling(environment, *tests.recipe.calls)
        return replace(
            code_order,
            tree=tree,
            environment=environment,
            limits=limits,
            fallback=tests if differ else None,
            guest=tests,
        )

    on_head = across(head_order, trees.base_tests_on_head, sides.base)
    return on_head, across(base_order, trees.head_tests_on_base, sides.head)


async def _known_or_run(
    sandbox: Sandbox, order: TestOrder, known: Observation | None
) -> Observation:
    """Run base's tests on base's code; once more where something beside the tests ended or spoiled the run.

    Nothing of the change is in that run, so a chance failure of base must not keep it from being judged.
    """
    if known:
        return known
    seen = await run_tests(sandbox, order)
    if seen.tests is None or seen.tests.complete or seen.tests.forged or seen.timed_out:
        return seen
    again = await run_tests(sandbox, order)
    return again if again.tests is not None and again.tests.complete else seen


async def _counted(sides: Sides, run: Callable[[], Awaitable[Seen]]) -> Seen:
    seen = await run()
    sides.run_ended()
    return seen


@dataclass(frozen=True, slots=True)
class _Trees:
    base_tests_on_head: str
    head_tests_on_base: str
    head_doctests_on_base: str = ""


def _combined(sides: Sides, crosswise: Crosswise, docs: Doctests) -> _Trees:
    checkout = sides.checkout
    if not (crosswise.swapped or docs.base_on_head or docs.head_on_base):
        return _Trees(checkout.head_tree, checkout.base_tree)
    base, head = Path(checkout.base_tree), Path(checkout.head_tree)
    name = f"{checkout.base_sha[:12]}-tests-on-{checkout.head_sha[:12]}"
    reverse = f"{checkout.head_sha[:12]}-tests-on-{checkout.base_sha[:12]}"
    with_docs = sides.workspace / f"{reverse}-doctests"
    swapped = crosswise.swapped
    return _Trees(
        str(combine(head, base, swapped, sides.workspace / name, docs.base_on_head)),
        str(combine(base, head, swapped, sides.workspace / reverse)),
        str(combine(base, head, swapped, with_docs, docs.head_on_base))
        if docs.head_on_base
        else "",
    )
