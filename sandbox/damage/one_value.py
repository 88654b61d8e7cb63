"""Runs tests on base and on head with other values in place of some: is the change seen with these, too?"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from sandbox.base import Sandbox
from sandbox.concurrently import concurrently
from sandbox.damage.making import other_values
from sandbox.damage.trial import Concerned, Trials, base_with_tests_of_head, tree_of
from sandbox.test_runs.four_runs import unparametrized
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Environment, Side, TestResult, TestRun

BothResults = tuple[TestResult, TestResult]
"""What a test did with base's code, and with head's."""


async def with_other_values(
    sandbox: Sandbox,
    trials: Trials,
    concerned: Concerned,
    base: Environment,
    values: Collection[str],
) -> list[dict[str, BothResults]]:
    """Return what each test does where others stand for these values, once for each way to change them.

    Empty where the tests do not have the values. What could not be run or found again is left out. Raises
    SandboxError.
    """
    head, checkout = concerned.environment, trials.checkout
    if base.recipe.calls != head.recipe.calls:
        return []  # neither run would tell of the other
    paths = tuple(sorted(set(concerned.tests.values())))
    copies = await other_values(sandbox, checkout.head_tree, paths, values)
    if not copies:
        return []
    folder = trials.workspace / "one-value"
    fallback = head if head.dependencies_layer != base.dependencies_layer else None
    order = replace(trials.order, limits=trials.limits, only=concerned.only)
    done: list[dict[str, BothResults]] = []
    try:
        old = await asyncio.to_thread(base_with_tests_of_head, checkout, folder / "code")
        for copy in copies:
            trees = [
                str(await asyncio.to_thread(tree_of, code, copy, folder / name))
                for name, code in (("base", old), ("head", Path(checkout.head_tree)))
            ]
            asked = replace(order, paths=tuple(path for path, _ in copy.files))
            of_base = replace(asked, side=Side.BASE, tree=trees[0], environment=base)
            of_head = replace(asked, tree=trees[1], environment=head)
            runs = await concurrently(
                _run(sandbox, replace(of_base, fallback=fallback, guest=head)),
                _run(sandbox, of_head),
            )
            done.append(dict(_paired(concerned, *runs)))
            for name in ("base", "head"):
                await asyncio.to_thread(shutil.rmtree, folder / name, ignore_errors=True)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return done


async def _run(sandbox: Sandbox, order: TestOrder) -> TestRun:
    """Run the tests; without any result where the run is not whole."""
    done = (await run_tests(sandbox, order)).tests
    return done if done and done.complete and not done.forged else TestRun(False, ())


def _paired(
    concerned: Concerned, on_base: TestRun, on_head: TestRun
) -> Iterator[tuple[str, BothResults]]:
    """Find the tests again: the id of one with parameters may have the value in it, so their order tells."""
    known, base, head = map(_by_name, (concerned.seen, on_base, on_head))
    for test_id in concerned.tests:
        name = unparametrized(test_id)
        place = next((n for n, one in enumerate(known.get(name, ())) if one.id == test_id), None)
        found = [side.get(name, []) for side in (base, head)]
        if place is not None and all(len(one) == len(known[name]) for one in found):
            yield test_id, (found[0][place], found[1][place])


def _by_name(run: TestRun) -> dict[str, list[TestResult]]:
    found: dict[str, list[TestResult]] = {}
    for one in run.results:
        found.setdefault(unparametrized(one.id), []).append(one)
    return found
