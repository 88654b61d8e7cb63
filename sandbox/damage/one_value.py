"""Runs tests on base and on head with other values in place of some: is the change seen with these, too?"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.base import Limits, Network, Sandbox
from sandbox.concurrently import concurrently
from sandbox.damage.making import other_values
from sandbox.damage.trial import tree_of
from sandbox.repository.combine import combine
from sandbox.test_runs.crosswise import find_crosswise
from sandbox.test_runs.four_runs import unparametrized
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Checkout, Environment, Side, TestResult, TestRun


@dataclass(frozen=True, slots=True)
class WithOthers:
    """What runs need: the tests of one project by their ids ({id: path}), and head's own run of them.

    `workspace` is an own folder, `limits` are those of one run. `only` are names where tests run alone.
    """

    checkout: Checkout
    base: Environment
    head: Environment
    tests: Mapping[str, str]
    seen: TestRun
    workspace: Path
    limits: Limits = field(default_factory=Limits)
    network: Network = Network.NONE
    only: tuple[str, ...] = ()


BothResults = tuple[TestResult, TestResult]
"""What a test did with base's code, and with head's."""


async def with_other_values(
    sandbox: Sandbox, asked: WithOthers, values: Collection[str]
) -> list[dict[str, BothResults]]:
    """Return what each test does where others stand for these values, once for each way to change them.

    Empty where the tests do not have the values. What could not be run or found again is left out. Raises
    SandboxError.
    """
    if asked.base.recipe.calls != asked.head.recipe.calls:
        return []  # neither run would tell of the other
    paths = tuple(sorted(set(asked.tests.values())))
    copies = await other_values(sandbox, asked.checkout.head_tree, paths, values)
    base, head = Path(asked.checkout.base_tree), Path(asked.checkout.head_tree)
    folder = asked.workspace / "one-value"
    done: list[dict[str, BothResults]] = []
    if not copies:
        return done
    try:
        crosswise = await asyncio.to_thread(find_crosswise, base, head)
        old = await asyncio.to_thread(combine, base, head, crosswise.swapped, folder / "code")
        for copy in copies:
            trees = {
                side: str(await asyncio.to_thread(tree_of, code, copy, folder / side.value))
                for side, code in ((Side.BASE, old), (Side.HEAD, head))
            }
            paths = tuple(path for path, _ in copy.files)
            sides = [_run(sandbox, asked, side, tree, paths) for side, tree in trees.items()]
            on_base, on_head = await concurrently(*sides)
            done.append(dict(_paired(asked, on_base, on_head)))
            for side in trees:
                await asyncio.to_thread(shutil.rmtree, folder / side.value, ignore_errors=True)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return done


async def _run(
    sandbox: Sandbox, asked: WithOthers, side: Side, tree: str, paths: tuple[str, ...]
) -> TestRun:
    """Run the tests in a tree; those of head on base's code bring what only they need."""
    own, guest = (asked.base, asked.head) if side is Side.BASE else (asked.head, None)
    lender = guest if guest and guest.dependencies_layer != own.dependencies_layer else None
    order = TestOrder(side, tree, own, paths, asked.limits, lender, asked.network, guest)
    done = await run_tests(sandbox, replace(order, only=asked.only))
    if done.tests is None or done.tests.forged or not done.tests.complete:
        return TestRun(False, ())
    return done.tests


def _paired(
    asked: WithOthers, on_base: TestRun, on_head: TestRun
) -> Iterator[tuple[str, BothResults]]:
    """Find the tests again: the id of one with parameters may have the value in it, so their order tells."""
    known, base, head = map(_by_name, (asked.seen, on_base, on_head))
    for test_id in asked.tests:
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
