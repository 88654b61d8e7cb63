"""Runs a project's tests on one side and reports every test, by a harness outside the tree.

The threats and the honest limits stand in `sandbox.harness`.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.base import (
    TREE,
    Command,
    Completed,
    Killed,
    Limits,
    Mount,
    MountMode,
    Network,
    Sandbox,
)
from sandbox.environments import layers
from sandbox.models import Environment, Observation, Outcome, Side, TestRun, TestRunner
from sandbox.tools.run_records import read_channel

HARNESS_VERSION = "1"
"""Part of the key under which a caller may keep a run; changes when outcomes may."""

_HARNESS = Path(__file__).parent.parent / "harness"
_HARNESS_TARGET = "/opt/assay/sandbox/harness"
_CHANNEL_BYTES = 256 << 20  # a hundred thousand tests
_BAD = (Outcome.FAILED, Outcome.ERROR)


@dataclass(frozen=True, slots=True)
class TestOrder:
    """What to run: a tree (host folder), the environment of its side, and only `paths` if given.

    `paths` are files or folders relative to the tree ("" is all of it); the runner's own
    arguments still apply. `lender` is the other side's environment when its tests run here: what only
    they import (a dependency that the change drops or adds) comes from there, after everything else.
    """

    __test__ = False
    side: Side
    tree: str
    environment: Environment
    paths: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    lender: Environment | None = None
    network: Network = Network.NONE


async def run_tests(sandbox: Sandbox, order: TestOrder) -> Observation:
    """Run the tests. A failing, lying or hanging project is data; raises SandboxError only."""
    runner = order.environment.recipe.runner
    if runner is TestRunner.NONE:
        return _nothing(order, f"On {order.side} there are no tests that Assay knows how to run.")
    if order.environment.failure is not None:
        return _nothing(order, f"On {order.side} nothing could be built, so no test could run.")
    if runner is TestRunner.COMMAND:
        return await _run_shell_line(sandbox, order)
    completed = await sandbox.run(_command(order))
    tests = read_channel(completed.channel, _killed(completed, order.limits))
    return _observation(order, completed, tests)


def _command(order: TestOrder) -> Command:
    """The harness by the project's own interpreter; orders go by standard input."""
    variables = dict(layers.variables(order.environment))
    python = f"{layers.DEPENDENCIES}/bin/python"
    orders = {
        "runner": order.environment.recipe.runner.value,
        "arguments": order.environment.recipe.test_arguments,
        "paths": () if "" in order.paths else order.paths,
        "environment": variables,
        "lent": _lent_paths(order.lender),
    }
    return Command(
        argv=(python, "-S", f"{_HARNESS_TARGET}/launch.py"),
        mounts=(
            Mount(order.tree, TREE, MountMode.COPY_ON_WRITE),
            *layers.mounts(order.environment),
            *_lent_mounts(order.lender),
            Mount(str(_HARNESS), _HARNESS_TARGET),
        ),
        # PYTHONPATH and the like wait for the child: the keeper must not load the tree's modules.
        environment=(("PYTHONHASHSEED", "0"),),
        stdin=json.dumps(orders).encode() + b"\n",
        network=order.network,
        limits=order.limits,
        channel_bytes=_CHANNEL_BYTES,
    )


def _lent_mounts(lender: Environment | None) -> tuple[Mount, ...]:
    return (Mount(lender.dependencies_layer, layers.LENT),) if lender else ()


def _lent_paths(lender: Environment | None) -> tuple[str, ...]:
    """Return the lender's site-packages as they stand inside."""
    if lender is None:
        return ()
    layer = Path(lender.dependencies_layer)
    found = layer.glob("lib/python3*/site-packages")
    return tuple(f"{layers.LENT}/{folder.relative_to(layer)}" for folder in found)


async def _run_shell_line(sandbox: Sandbox, order: TestOrder) -> Observation:
    """Run a configured shell line; only its exit code speaks."""
    completed = await sandbox.run(
        Command(
            argv=("/bin/sh", "-c", shown(order)),
            mounts=(
                Mount(order.tree, TREE, MountMode.COPY_ON_WRITE),
                *layers.mounts(order.environment),
            ),
            environment=layers.variables(order.environment),
            network=order.network,
            limits=order.limits,
        )
    )
    killed = _killed(completed, order.limits)
    return _observation(order, completed, None, f"The test command {killed}." if killed else "")


def shown(order: TestOrder) -> str:
    """Return the command as a person would repeat it; never executed except for COMMAND."""
    recipe = order.environment.recipe
    if recipe.runner is TestRunner.COMMAND:
        return recipe.test_arguments[0]
    return shlex.join(
        ["python", "-m", recipe.runner.value, *recipe.test_arguments, *filter(None, order.paths)]
    )


def _observation(
    order: TestOrder, completed: Completed, tests: TestRun | None, problem: str = ""
) -> Observation:
    output = (completed.stdout + b"\n" + completed.stderr).decode("utf-8", "replace")
    return Observation(
        side=order.side,
        command=shown(order),
        exit_code=_exit_code(completed, tests),
        output=output.replace("\0", "\ufffd").strip(),
        seconds=completed.seconds,
        timed_out=completed.killed is Killed.TIMEOUT,
        truncated=completed.truncated,
        tests=tests,
        problem=tests.problem if tests else problem,
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
    return "was killed for writing too much to the results' channel" if completed.killed else ""
