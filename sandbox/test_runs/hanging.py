"""Runs new tests alone that have no result with base's code because one of them hangs there.

Their runners tell no test before its file has ended, so nobody knows which one hangs.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sandbox.base import Sandbox
from sandbox.test_runs.four_runs import FourRuns, passed
from sandbox.test_runs.test_order import TestOrder, calling
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Observation, Outcome, TestResult, TestRunner

_BY_NAME = {
    TestRunner.NODE_TEST: "--test-name-pattern",
    TestRunner.VITEST: "--testNamePattern",
}
_MOST = 4
_LEAST_S = 20.0
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
    longest_s = min(on_base.limits.timeout_s, _LEAST_S + _LONGER_THAN_HEAD * head.seconds)
    order = replace(on_base, limits=replace(on_base.limits, timeout_s=longest_s))
    alone = [await _alone(sandbox, order, one) for one in silent[:_MOST]]
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
