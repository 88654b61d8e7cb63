"""Runs a project's tests on one side and reports every test, by the driver of its runner.

The threats and the honest limits stand in `sandbox.harness`.
"""

from __future__ import annotations

from dataclasses import replace

from sandbox.base import Completed, Killed, Limits, Sandbox
from sandbox.test_runs.joined_calls import joined_calls
from sandbox.test_runs.kept_tests import KEPT_TESTS
from sandbox.test_runs.node_tests import NODE_TESTS
from sandbox.test_runs.python_tests import PYTHON_TESTS
from sandbox.test_runs.shell_tests import SHELL_TESTS
from sandbox.test_runs.test_order import TestDriver, TestOrder, local, of_the_tree
from sandbox.values import Observation, Outcome, TestRun, TestRunner

HARNESS_VERSION = "4"
"""Part of the key under which a caller may keep a run; changes when outcomes may."""

TEST_DRIVERS: dict[TestRunner, TestDriver] = {
    TestRunner.PYTEST: PYTHON_TESTS,
    TestRunner.UNITTEST: PYTHON_TESTS,
    TestRunner.BATS: KEPT_TESTS,
    TestRunner.CARGO: KEPT_TESTS,
    TestRunner.CTEST: KEPT_TESTS,
    TestRunner.GO: KEPT_TESTS,
    TestRunner.JUNIT: KEPT_TESTS,
    TestRunner.MAKE: KEPT_TESTS,
    TestRunner.SCRIPTS: KEPT_TESTS,
    TestRunner.NODE_TEST: NODE_TESTS,
    TestRunner.MOCHA: NODE_TESTS,
    TestRunner.JEST: NODE_TESTS,
    TestRunner.VITEST: NODE_TESTS,
    TestRunner.AVA: NODE_TESTS,
    TestRunner.JASMINE: NODE_TESTS,
    TestRunner.TAP: NODE_TESTS,
    TestRunner.TAPE: NODE_TESTS,
    TestRunner.UVU: NODE_TESTS,
    TestRunner.NODE: NODE_TESTS,
    TestRunner.COMMAND: SHELL_TESTS,
}
"""Every runner that Assay can start; TestRunner.NONE is the only one without a driver."""

_BAD = (Outcome.FAILED, Outcome.ERROR)


async def run_tests(sandbox: Sandbox, order: TestOrder) -> Observation:
    """Run the tests by every call of the project. A failing, lying or hanging project is data.

    Raises SandboxError only.
    """
    recipe = order.environment.recipe
    seen: list[Observation] = []
    left_s = order.limits.timeout_s
    for call in recipe.calls:
        one = replace(recipe, runner=call.runner, test_arguments=call.arguments, more_calls=())
        environment = replace(order.environment, recipe=one)
        limits = replace(order.limits, timeout_s=max(1.0, left_s))
        seen.append(await _run(sandbox, replace(order, environment=environment, limits=limits)))
        left_s -= seen[-1].seconds
        if seen[-1].tests is None or not seen[-1].tests.complete:
            break  # what is missing already keeps the whole from proving anything
    return seen[0] if len(seen) == 1 else joined_calls(tuple(seen))


async def _run(sandbox: Sandbox, order: TestOrder) -> Observation:
    driver = TEST_DRIVERS.get(order.environment.recipe.runner)
    if driver is None:
        return _nothing(order, f"On {order.side} there are no tests that Assay knows how to run.")
    if order.environment.failure is not None:
        return _nothing(order, f"On {order.side} nothing could be built, so no test could run.")
    placed = local(order)
    completed = await sandbox.run(driver.command(placed))
    killed = _killed(completed, order.limits)
    tests = driver.read(placed, completed, killed)
    if tests is not None:
        tests = of_the_tree(tests, order.environment.recipe.root)
    problem = f"The test command {killed}." if killed and tests is None else ""
    observation = _observation(order, completed, tests)
    return replace(
        observation, command=driver.shown(placed), problem=observation.problem or problem
    )


def _observation(order: TestOrder, completed: Completed, tests: TestRun | None) -> Observation:
    output = (completed.stdout + b"\n" + completed.stderr).decode("utf-8", "replace")
    return Observation(
        side=order.side,
        command="",
        exit_code=_exit_code(completed, tests),
        output=output.replace("\0", "\ufffd").strip(),
        seconds=completed.seconds,
        timed_out=completed.killed is Killed.TIMEOUT,
        truncated=completed.truncated,
        tests=tests,
        problem=tests.problem if tests else "",
    )


def _exit_code(completed: Completed, tests: TestRun | None) -> int | None:
    """The tests' own: 0 when all is well, 1 when a test failed. Our launcher's says nothing."""
    if tests is None:
        return completed.exit_code
    if not tests.complete:
        return None
    return int(any(result.outcome in _BAD for result in tests.results))


def _nothing(order: TestOrder, problem: str) -> Observation:
    return Observation(order.side, "", None, "", 0.0, problem=problem)


def _killed(completed: Completed, limits: Limits) -> str:
    if completed.killed is Killed.TIMEOUT:
        return f"timed out after {limits.timeout_s:g} s"
    if completed.killed is Killed.MEMORY:
        return f"was killed at the memory limit of {limits.memory_mb} MB"
    if completed.killed is Killed.DISK:
        return f"was killed at the disk limit of {limits.disk_mb} MB"
    if completed.killed is Killed.ENTRIES:
        return f"was killed for making more than {limits.entries} files"
    return "was killed for writing too much to the results' channel" if completed.killed else ""
