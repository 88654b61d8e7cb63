"""The second look for shells and Makefiles, whose calls nobody records: the whole run once more elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace

from sandbox.base import Sandbox
from sandbox.elsewhere.driver import SOMEBODY, Looking, moved
from sandbox.elsewhere.values import Difference, SecondLook
from sandbox.test_runs.test_order import TestOrder, local, of_the_tree
from sandbox.test_runs.unit_tests import KEPT_TESTS
from sandbox.values import Environment, Outcome, TestResult, TestRunner

WHOLE = (TestRunner.SCRIPTS, TestRunner.MAKE)
"""The runners whose tests run once more as they are."""
_OF_MAKE = ("MAKELEVEL", "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "LD_PRELOAD", "ASSAY_EXITS")
_UNSET = "\\ ".join(f"-u\\ {name}" for name in _OF_MAKE)
_NO_MAKE = f"-- SHELL=/usr/bin/env .SHELLFLAGS={_UNSET}\\ sh\\ -c"
_START = ("sh", "-c", 'mkdir -p "$HOME" && exec "$@"', "sh")


async def run_again(sandbox: Sandbox, looking: Looking) -> SecondLook:
    """Compare what the tests that speak for the change say in two places. Raises SandboxError.

    A test differs that passes in one place and fails in the other, twice. It counts where base's own
    tests pass in both: else it may be the other place that is at fault.
    """
    head, tree = looking.head, looking.checkout.head_tree
    there = await _run(sandbox, looking, head, tree, is_elsewhere=True)
    told = {one: there[one] for one in looking.tests if one in there}
    failing = [one for one, result in told.items() if result.outcome is Outcome.FAILED]
    if failing:
        again = await _run(sandbox, looking, head, tree, is_elsewhere=True)
        here = await _run(sandbox, looking, head, tree, is_elsewhere=False)
        failing = [
            one
            for one in failing
            if one in _with(again, Outcome.FAILED) & _with(here, Outcome.PASSED)
        ]
    if failing:
        if looking.base is None:
            return SecondLook()
        base, tree = replace(looking, paths=()), looking.checkout.base_tree
        here = await _run(sandbox, base, looking.base, tree, is_elsewhere=False)
        there = await _run(sandbox, base, looking.base, tree, is_elsewhere=True)
        passing = _with(here, Outcome.PASSED)
        if not passing or not passing <= _with(there, Outcome.PASSED):
            return SecondLook()
    found = (
        Difference(one, "", "passed", "failed", told[one].path, one, is_whole=True)
        for one in failing
    )
    return SecondLook(len(told), tuple(found))


def _with(results: dict[str, TestResult], outcome: Outcome) -> set[str]:
    return {one for one, result in results.items() if result.outcome is outcome}


async def _run(
    sandbox: Sandbox, looking: Looking, environment: Environment, tree: str, *, is_elsewhere: bool
) -> dict[str, TestResult]:
    """Return the results by their ids; none where the run was not complete.

    Elsewhere is a tree in another folder, another user, and none of make's variables.
    """
    order = TestOrder(environment.side, tree, environment, looking.paths, looking.limits)
    command = KEPT_TESTS.command(local(order))
    if is_elsewhere:
        orders = json.loads(command.stdin)
        known = {name: moved(value) for name, value in orders["environment"].items()}
        orders["environment"] = {"MAKEFLAGS": _NO_MAKE, **known, **SOMEBODY}
        orders["top"] = moved(orders["top"])
        command = replace(
            command,
            argv=(*_START, *command.argv),
            mounts=tuple(replace(one, target=moved(one.target)) for one in command.mounts),
            cwd=moved(command.cwd),
            environment=(*command.environment, *SOMEBODY.items()),
            stdin=json.dumps(orders).encode() + b"\n",
        )
    completed = await sandbox.run(command)
    run = KEPT_TESTS.read(order, completed, completed.killed or "")
    if run is None or not run.complete:
        return {}
    return {one.id: one for one in of_the_tree(run, environment.recipe.root).results}
