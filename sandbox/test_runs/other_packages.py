"""Runs tests crosswise with the packages of their own side, where the other side's keep them from running.

That is so with another major version of the runner, and of a package that the tests alone import: their
files then cannot be loaded, for no reason of the code (Node).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.base import TREE, Sandbox
from sandbox.test_runs.four_runs import (
    FourRuns,
    OtherRunner,
    aligned,
    is_whole_file,
    other_series,
    passed,
)
from sandbox.test_runs.path_kinds import SCRIPTS, PathKind, classify
from sandbox.test_runs.repeats import disagreeing
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.toolchains import layers
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, Outcome, TestRun

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
    versions = [_Versions(one) for one in (base, head)]
    if any(one is None for one in used):
        return None
    of_base, of_head = (one or set() for one in used)
    if any(versions[0].of(name) != versions[1].of(name) for name in of_head):
        return None
    for name in sorted(set.intersection(*imported) - of_base - of_head):
        before, after = (f"{name} {one.of(name)}" for one in versions)
        if changed := other_series(before, after):
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


class _Versions:
    """Tells the versions of the packages that an environment has."""

    def __init__(self, environment: Environment) -> None:
        place = f"{TREE}/{environment.recipe.root}".rstrip("/") + "/node_modules"
        mounts = layers.kept(environment.dependencies_layer)
        self._folder = next((Path(one.source) for one in mounts if one.target == place), None)

    def of(self, name: str) -> str:
        """Return a package's version, "" without it."""
        folder = self._folder
        return Tree(folder / name).json("package.json").text("version")[:40] if folder else ""
