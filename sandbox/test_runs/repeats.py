"""Runs tests again: for flakes, for those that hang alone, and with the packages of their own side."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.base import TREE, Sandbox
from sandbox.test_runs.four_runs import (
    FourRuns,
    OtherRunner,
    Repeat,
    aligned,
    failed,
    is_whole_file,
    other_series,
    passed,
)
from sandbox.test_runs.path_kinds import SCRIPTS, PathKind, classify
from sandbox.test_runs.test_order import TestOrder, calling
from sandbox.test_runs.unit_tests import run_tests
from sandbox.toolchains import layers
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, Observation, Outcome, TestResult, TestRun, TestRunner

_MOST_ROUNDS = 5
_ROUNDS_WHEN_STEADY = 2
_ROUNDS_OF_NEWS_WHEN_STEADY = 1  # what head's own tests show is seen twice in all
_MANY = 20  # tests that change together are no flakes: one more round shows it


@dataclass(slots=True)
class _Tally:
    """How often each test passed on one side, in how many rounds."""

    passes: Counter[str] = field(default_factory=Counter)
    runs: Counter[str] = field(default_factory=Counter)

    def add(self, run: TestRun, suspects: list[TestResult]) -> None:
        """Count one round; a round in which a test has no result does not count for it."""
        outcomes = {result.id: result.outcome for result in run.results}
        for suspect in suspects:
            outcome = outcomes.get(suspect.id)
            self.runs[suspect.id] += outcome is not None
            self.passes[suspect.id] += passed(outcome)

    def copy(self) -> _Tally:
        """Return the count so far."""
        return _Tally(Counter(self.passes), Counter(self.runs))

    def take_back(self, other: _Tally, test_ids: Iterable[str]) -> None:
        """Take an earlier count of some tests out of this one."""
        for one in test_ids:
            self.passes[one] -= other.passes[one]
            self.runs[one] -= other.runs[one]

    def is_steady(self, test_id: str, *, passes: bool) -> bool:
        """Tell whether a test passed in every round that had it, or in none."""
        return self.passes[test_id] == (self.runs[test_id] if passes else 0)


async def base_repeats(
    sandbox: Sandbox, runs: FourRuns, on_base: TestOrder, crossed: TestOrder, on_head: TestOrder
) -> tuple[Repeat, ...]:
    """Repeat every base test that disagrees between the sides, on base's and on head's code.

    `crossed` is head's code under base's tests, `on_head` head's own tree: each test is repeated in the
    tree that its outcome is from. In the other one it may pass because that lacks what broke it.
    First only their files run. A test that then passes may have failed because of the tests before it, so
    the next rounds run everything. Of one that then fails on base, which needs the tests before it, only
    these count. One run at a time: a test of time must not fail because of what runs
    beside it.
    """
    suspects = disagreeing(runs)
    if not suspects:
        return ()
    base, head = _Tally(), _Tally()
    across = [s for s in suspects if runs.is_crossed(s)]
    own = [s for s in suspects if s not in across]
    trees = ((on_base, suspects, base), (crossed, across, head), (on_head, own, head))
    # What the rounds of their files alone gave, once there are others.
    alone: tuple[_Tally, _Tally] | None = None
    for done in range(1, _MOST_ROUNDS + 1):
        for order, of_tree, tally in trees:
            if of_tree:
                paths = () if alone else tuple(sorted({one.path for one in of_tree}))
                seen = await run_tests(sandbox, replace(order, paths=paths))
                tally.add(aligned(seen.tests or TestRun(False, ()), runs.base_on_base), of_tree)
        steady = all(
            base.is_steady(s.id, passes=passed(s.outcome))
            and head.is_steady(s.id, passes=not passed(s.outcome))
            for s in suspects
        )
        if not steady:
            alone = alone or (base.copy(), head.copy())
        elif done >= _ROUNDS_WHEN_STEADY or len(suspects) > _MANY:
            break
    lonely = {
        s.id
        for s in suspects
        if alone and passed(s.outcome) and not alone[0].passes[s.id] and base.passes[s.id]
    }
    if alone:
        base.take_back(alone[0], lonely)
        head.take_back(alone[1], lonely)
    return tuple(
        Repeat(
            *(s.id, base.passes[s.id], base.runs[s.id], head.passes[s.id], head.runs[s.id]),
            needs_others=s.id in lonely,
        )
        for s in suspects
    )


async def head_repeats(sandbox: Sandbox, runs: FourRuns, on_head: TestOrder) -> tuple[Repeat, ...]:
    """Repeat every head test that would speak for or against the change, until it is known to be steady.

    A test that changes its mind is run five times more, with its file alone, on head's own code; with all
    others where one needs them on base.
    """
    suspects = telling(runs)
    if not suspects:
        return ()
    tally = _Tally()
    lonely = {one.id for one in runs.repeats if one.needs_others}
    is_alone = not any(one.id in lonely for one in suspects)
    paths = {suspect.path for suspect in suspects} if is_alone else ()
    order = replace(on_head, paths=tuple(sorted(paths)))
    for done in range(1, _MOST_ROUNDS + 1):
        seen = await run_tests(sandbox, order)
        tally.add(aligned(seen.tests or TestRun(False, ()), runs.head_on_head), suspects)
        steady = all(tally.is_steady(s.id, passes=passed(s.outcome)) for s in suspects)
        if steady and done >= _ROUNDS_OF_NEWS_WHEN_STEADY:
            break
    return tuple(Repeat(s.id, 0, 0, tally.passes[s.id], tally.runs[s.id]) for s in suspects)


def telling(runs: FourRuns) -> list[TestResult]:
    """Return head's tests that would prove the change or fail it: red on one side only, or new and red.

    A test of base is new and red where only head's version of it fails.
    """
    on_base, of_base = runs.head_test_on_base(), runs.base_test_on_head()
    known = {test.id for test in runs.base_on_base.results}
    found = []
    for test in runs.head_on_head.results:
        other, before = on_base.find(test.id, test.path), of_base.find(test.id, test.path)
        proves = passed(test.outcome) and other is not None and failed(other.outcome)
        is_new = test.id not in known or (before is not None and passed(before.outcome))
        if proves or (failed(test.outcome) and is_new and not is_whole_file(test)):
            found.append(test)
    return found


def disagreeing(runs: FourRuns) -> list[TestResult]:
    """Return base's tests that pass with the code of one side and fail with that of the other."""
    on_head = runs.base_test_on_head()
    found = []
    for test in runs.base_on_base.results:
        other = on_head.find(test.id, test.path)
        outcome = other.outcome if other else None
        broke = passed(test.outcome) and failed(outcome)
        mended = failed(test.outcome) and passed(outcome)
        if broke or mended:
            found.append(test)
    return found


# --- new tests that have no result with base's code because one of them hangs there -----------------
# Their runners tell no test before its file has ended, so nobody knows which one hangs: they run alone.


_BY_NAME = {
    TestRunner.NODE_TEST: "--test-name-pattern",
    TestRunner.VITEST: "--testNamePattern",
}
_MOST_ALONE = 4
_LEAST_ALONE_S = 20.0
_LONGER_THAN_HEAD = 3
_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\/]")


async def with_hanging_tests(
    sandbox: Sandbox,
    on_base: TestOrder,
    seen: tuple[Observation | None, Observation],
    runs: FourRuns,
) -> FourRuns:
    """Add what the first new tests without a result show alone; one that does not end fails.

    `seen` is how head's tests ran with base's code, and with head's. Raises SandboxError.
    """
    crossed, head = seen
    if crossed is None or not crossed.timed_out or runs.head_on_base is None:
        return runs
    known, on_base_code = {one.id for one in runs.base_on_base.results}, runs.head_test_on_base()
    silent = [
        one
        for one in runs.head_on_head.results
        if passed(one.outcome) and one.id not in known
        if on_base_code.find(one.id, one.path) is None
    ]
    longest_s = min(on_base.limits.timeout_s, _LEAST_ALONE_S + _LONGER_THAN_HEAD * head.seconds)
    order = replace(on_base, limits=replace(on_base.limits, timeout_s=longest_s))
    alone = [await _alone(sandbox, order, one) for one in silent[:_MOST_ALONE]]
    told = (*runs.head_on_base.results, *(one for one in alone if one))
    return replace(runs, head_on_base=replace(runs.head_on_base, results=told))


async def _alone(sandbox: Sandbox, order: TestOrder, test: TestResult) -> TestResult | None:
    call = next((one for one in order.environment.recipe.calls if one.runner in _BY_NAME), None)
    titles = test.id.partition("::")[2].split(" > ")
    if call is None or not titles[0]:
        return None
    # Before Node 22 a pattern is held against the title alone, without those of the suites round it.
    named = " ".join(titles) if call.runner is TestRunner.VITEST else titles[-1]
    escaped = _SPECIAL.sub(r"\\\g<0>", named)
    pattern = f"{_BY_NAME[call.runner]}=(?:^|\\s){escaped}$"
    own = replace(call, arguments=(*call.arguments, pattern))
    environment = calling(order.environment, own)
    seen = await run_tests(sandbox, replace(order, environment=environment, paths=(test.path,)))
    if seen.timed_out:
        said = f"Run alone, it did not end within {order.limits.timeout_s:.0f} s."
        return replace(test, outcome=Outcome.ERROR, message=said)
    results = seen.tests.results if seen.tests else ()
    return next((one for one in results if one.id == test.id), None)


# --- crosswise runs with the packages of the tests' own side, where the other's keep them away -----
# That is so with another major version of the runner, and of a package that the tests alone import: their
# files then cannot be loaded, for no reason of the code (Node).


_IMPORTED = re.compile(
    r"""\b(?:from|import|require)\b\s{0,9}\(?\s{0,9}['"]((?:@[\w.-]{1,100}/)?[\w][\w.-]{0,100})['"/]"""
)
_MOST_FILES = 5000
_AT_RUN_TIME = ("dependencies", "peerDependencies", "optionalDependencies")


@dataclass(frozen=True, slots=True)
class OwnPackages:
    """What such runs need: the environments of both sides, and both trees (base's first)."""

    sandbox: Sandbox
    base: Environment
    head: Environment
    trees: tuple[Path, Path]

    async def of_base(self, on_head: TestOrder, runs: FourRuns) -> FourRuns:
        """Tell which tests of base broke only with head's packages.

        A runner drops parts of its interface, and base's tests still use them. They run once more on head's
        code, with base's packages; what base does not have comes from head's.
        """
        runner = other_series(runs.base_on_base.runner, runs.head_on_head.runner)
        broken = {
            one.id: one.path
            for one in disagreeing(runs)
            if passed(one.outcome) and runs.is_crossed(one)
        }
        if runner is None:
            files = _not_loaded(runs.base_on_head)
            broken = {test: path for test, path in broken.items() if path in files}
        if not broken:
            return runs
        changed = runner or await self._package(self.trees[0], set(broken.values()))
        if changed is None:
            return runs
        packages = replace(on_head.environment, dependencies_layer=self.base.dependencies_layer)
        paths = tuple(sorted(set(broken.values())))
        order = replace(on_head, environment=packages, fallback=self.head, paths=paths)
        tests = (await run_tests(self.sandbox, order)).tests
        if tests is None or not tests.complete or (runner and tests.runner != runner.base):
            return runs
        results = aligned(tests, runs.base_on_base).results
        held = frozenset(one.id for one in results if one.id in broken and passed(one.outcome))
        return replace(runs, other_runner=changed, held_by_packages=held)

    async def of_head(self, on_base: TestOrder, runs: FourRuns) -> FourRuns:
        """Let head's tests show on base's code what they can, where a package of theirs kept them from it.

        They run once more with head's packages; what head does not have comes from base's. That they could
        not be loaded with base's proves nothing of the code.
        """
        known = {one.path for one in runs.head_on_head.results if not is_whole_file(one)}
        paths = tuple(sorted(_not_loaded(runs.head_on_base) & known))
        if not paths or runs.head_on_base is None:
            return runs
        if await self._package(self.trees[1], set(paths)) is None:
            return runs
        packages = replace(on_base.environment, dependencies_layer=self.head.dependencies_layer)
        order = replace(on_base, environment=packages, fallback=self.base, paths=paths)
        tests = (await run_tests(self.sandbox, order)).tests
        shown = tests if tests is not None and tests.complete else TestRun(False, ())
        results = (
            *(one for one in runs.head_on_base.results if one.id not in paths),
            *(one for one in aligned(shown, runs.head_on_head).results if one.path in paths),
        )
        return replace(runs, head_on_base=replace(runs.head_on_base, results=results))

    async def _package(self, tree: Path, paths: set[str]) -> OtherRunner | None:
        files = [tree / path for path in sorted(paths)]
        if not all(one.is_file() and not one.is_symlink() for one in files):
            return None
        return await asyncio.to_thread(other_package, self.base, self.head, self.trees, files)


def _not_loaded(run: TestRun | None) -> set[str]:
    """Return the files that were not loaded."""
    results = run.results if run else ()
    return {one.path for one in results if is_whole_file(one) and one.outcome is Outcome.ERROR}


def other_package(
    base: Environment, head: Environment, trees: tuple[Path, Path], tests: Iterable[Path]
) -> OtherRunner | None:
    """Return both versions of a package that all of these files of tests import, and no other code does.

    None, too, where any package that head's code imports is another one on base: then a test may fail for
    what became of that. `trees` are base's and head's.
    """
    imported = [{*_IMPORTED.findall(one.read_text(errors="replace"))} for one in tests]
    if not imported or base.recipe.ecosystem != "node" or base.recipe.root != head.recipe.root:
        return None
    read = [Tree(one / base.recipe.root) for one in trees]
    used = [_used(one) for one in read]
    installed = [_installed(one) for one in (base, head)]
    if any(one is None for one in used):
        return None
    of_base, of_head = (one or set() for one in used)

    def versions(name: str) -> list[str]:
        manifests = (one.json(f"{name}/package.json") if one else None for one in installed)
        return [one.text("version")[:40] if one else "" for one in manifests]

    if any(len(set(versions(name))) > 1 for name in of_head):
        return None
    for name in sorted(set.intersection(*imported) - of_base - of_head):
        if changed := other_series(*(f"{name} {version}" for version in versions(name))):
            return changed
    return None


def _used(tree: Tree) -> set[str] | None:
    """Return the packages that the code of a project imports or declares; None where it is too much."""
    paths = [path for path in tree.files() if path.endswith(SCRIPTS)]
    if len(paths) > _MOST_FILES:
        return None
    sources = (path for path in paths if classify(path) is PathKind.SOURCE)
    found = {name for path in sources for name in _IMPORTED.findall(tree.read(path))}
    manifest = tree.json("package.json")
    return found.union(*(manifest.table(field).names() for field in _AT_RUN_TIME))


def _installed(environment: Environment) -> Tree | None:
    """Return the folder of the packages that an environment has."""
    place = f"{TREE}/{environment.recipe.root}".rstrip("/") + "/node_modules"
    mounts = layers.kept(environment.dependencies_layer)
    return next((Tree(Path(one.source)) for one in mounts if one.target == place), None)
