"""Runs a project's tests on one side and reports every test, by the driver of its runner.

The threats and the honest limits stand in `sandbox.harness`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from sandbox.base import Command, Completed, Killed, Mount, Sandbox
from sandbox.test_runs.four_runs import is_below
from sandbox.test_runs.node_tests import NODE_RUNNERS, NODE_TESTS
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.test_runs.run_records import (
    NO_TESTS,
    end_of_output,
    joined_calls,
    read_channel,
    read_records,
    unique,
)
from sandbox.test_runs.test_order import TestDriver, TestOrder, calling, local, of_the_tree
from sandbox.toolchains import layers
from sandbox.toolchains.tree import Tree
from sandbox.values import FAILING, Observation, Outcome, TestResult, TestRun, TestRunner

HARNESS_VERSION = "23"
"""Part of the key under which a caller may keep a run; changes when outcomes may."""


async def run_tests(sandbox: Sandbox, order: TestOrder) -> Observation:
    """Run the tests by every call of the project. A failing, lying or hanging project is data.

    Raises SandboxError only.
    """
    recipe = order.environment.recipe
    seen: list[Observation] = []
    left_s = order.limits.timeout_s
    for call in recipe.calls:
        environment = calling(order.environment, call)
        limits = replace(order.limits, timeout_s=max(1.0, left_s))
        paths = order.paths
        if recipe.more_calls and call.runner is TestRunner.NODE:
            # What another call runs, by a runner, is no program of its own.
            paths = tuple(path for path in paths if path in call.arguments)
        one_order = replace(order, environment=environment, limits=limits, paths=paths)
        seen.append(await _run(sandbox, one_order))
        left_s -= seen[-1].seconds
        if seen[-1].tests is None or not seen[-1].tests.complete:
            break  # what is missing already keeps the whole from proving anything
    return seen[0] if len(seen) == 1 else joined_calls(tuple(seen))


async def _run(sandbox: Sandbox, order: TestOrder) -> Observation:
    driver = TEST_DRIVERS.get(order.environment.recipe.runner)
    if driver is None:
        said = f"On {order.side} there are no tests that Assay knows how to run."
        return Observation(order.side, problem=said)
    if order.environment.failure is not None:
        said = f"On {order.side} nothing could be built, so no test could run."
        return Observation(order.side, problem=said)
    placed = local(order)
    completed = await sandbox.run(driver.command(placed))
    killed = _KILLED[completed.killed].format(order.limits) if completed.killed else ""
    tests = driver.read(placed, completed, killed)
    if tests is not None:
        tests = of_the_tree(tests, order.environment.recipe.root)
    exit_code, problem = completed.exit_code, f"The test command {killed}." if killed else ""
    if tests is not None:
        # The tests' own: 0 when all is well, 1 when a test failed. Our launcher's says nothing.
        has_failed = any(result.outcome in FAILING for result in tests.results)
        exit_code, problem = int(has_failed) if tests.complete else None, tests.problem
    output = (completed.stdout + b"\n" + completed.stderr).decode("utf-8", "replace")
    return Observation(
        side=order.side,
        command=driver.shown(placed),
        exit_code=exit_code,
        output=output.replace("\0", "\ufffd").strip(),
        seconds=completed.seconds,
        timed_out=completed.killed is Killed.TIMEOUT,
        out_of_memory=completed.killed is Killed.MEMORY,
        truncated=completed.truncated,
        tests=tests,
        problem=problem,
    )


_KILLED = {
    Killed.TIMEOUT: "timed out after {0.timeout_s:g} s",
    Killed.MEMORY: "was killed at the memory limit of {0.memory_mb} MB",
    Killed.DISK: "was killed at the disk limit of {0.disk_mb} MB",
    Killed.ENTRIES: "was killed for making more than {0.entries} files",
    Killed.CHANNEL: "was killed for writing too much to the results' channel",
}


# --- runs pytest and unittest by a harness outside the tree; see `sandbox.harness` for its limits ---


def _command(order: TestOrder) -> Command:
    """The harness by the project's own interpreter; orders go by standard input."""
    recipe = order.environment.recipe
    own = (
        order.plugins if order.plugins is not None and recipe.runner is TestRunner.PYTEST else None
    )
    variables = () if own is None else (("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),)
    lent: list[str] = []  # the other side's site-packages as they stand inside
    lent_mounts: tuple[Mount, ...] = ()
    if order.fallback:
        layer = Path(order.fallback.dependencies_layer)
        found = layer.glob("lib/python3*/site-packages")
        lent = [f"{layers.LENT}/{folder.relative_to(layer)}" for folder in found]
        lent_mounts = (Mount(order.fallback.dependencies_layer, layers.LENT),)
    orders = {
        "runner": recipe.runner.value,
        "arguments": (*(own or ()), *recipe.test_arguments),
        "paths": order.paths,
        "only": order.only,
        "crossed": order.guest is not None,
        "environment": dict(layers.variables(order.environment, variables)),
        "lent": lent,
    }
    # PYTHONPATH and the like wait for the child: the supervisor must not load the tree's modules.
    hash_seed = (("PYTHONHASHSEED", "0"),)
    python = (f"{layers.DEPENDENCIES}/bin/python", "-S", "launch.py")
    return order.started_by(python, orders, (*order.mounts, *lent_mounts), hash_seed)


def _shown(order: TestOrder) -> str:
    recipe = order.environment.recipe
    # A folder that the project names would be run whole beside the chosen files of it.
    words = [
        word
        for before, word in pairwise(("", *recipe.test_arguments))
        if before.startswith("-")
        or not any(is_below(one, (word.rstrip("/"),)) for one in order.paths)
    ]
    words += order.paths
    of_files = order.paths and all(path.endswith(".py") for path in order.paths)
    if recipe.runner is TestRunner.UNITTEST and of_files:
        words = [*order.paths]  # `discover` takes no files, and runs all that it finds
    return shlex.join(["python", "-m", recipe.runner.value, *words])


PYTHON_TESTS = TestDriver(
    _command,
    lambda _, done, killed: read_channel(done.channel, killed, end_of_output(done)),
    _shown,
)
"""pytest and unittest."""


# --- runs a configured shell line as the tests; only its exit code speaks -------------------------


def _line_command(order: TestOrder) -> Command:
    return Command(
        argv=("/bin/sh", "-c", _shown_line(order)),
        mounts=order.mounts,
        cwd=order.start,
        environment=layers.variables(order.environment),
        network=order.network,
        limits=order.limits,
    )


def _shown_line(order: TestOrder) -> str:
    return order.environment.recipe.test_arguments[0]


SHELL_TESTS = TestDriver(_line_command, lambda *_: None, _shown_line)
"""A line of the repository's configuration."""


# --- compiled languages and shells, by the supervisor (see `sandbox.harness.supervisor`) -------------------


_MOST_FILES = 5000
_TIME_SHARE = 0.9  # of the run's limit: the supervisor wants to say what hung
_SUFFIXES: dict[TestRunner, tuple[str, ...]] = {
    TestRunner.BATS: (".bats",),
    TestRunner.CARGO: (".rs",),
    TestRunner.GO: (".go",),
    TestRunner.JUNIT: (".java",),
    TestRunner.SCRIPTS: (".sh",),
}
_KEPT_SHOWN = {
    TestRunner.CARGO: "cargo test --offline",
    TestRunner.CTEST: "cmake -S . -B build && cmake --build build && ctest --test-dir build",
    TestRunner.GO: "go test ./...",
    TestRunner.JUNIT: "javac ... && java org.junit.runner.JUnitCore ...",
}


def _kept_command(order: TestOrder) -> Command:
    recipe = order.environment.recipe
    orders = {
        "runner": recipe.runner.value,
        "arguments": recipe.test_arguments,
        "top": order.start,
        "tests": test_files(Path(order.tree), recipe.root, recipe.runner),
        "paths": order.paths,
        "environment": dict(layers.variables(order.environment)),
        "time_s": order.limits.timeout_s * _TIME_SHARE,
    }
    return order.started_by(("python3", "-I", "-S", "supervisor/main.py"), orders, order.mounts)


def test_files(tree: Path, root: str, runner: TestRunner) -> tuple[str, ...]:
    """Return the test files that a runner may run, relative to the project's folder."""
    suffixes = _SUFFIXES.get(runner)
    found = []
    for path in Tree(tree / root).files():
        whole = f"{root}/{path}" if root else path
        if classify(whole) is PathKind.TEST and (not suffixes or path.endswith(suffixes)):
            found.append(path)
    return tuple(found[:_MOST_FILES])


def _shown_kept(order: TestOrder) -> str:
    recipe = order.environment.recipe
    if recipe.runner is TestRunner.MAKE:
        return shlex.join(recipe.test_arguments)
    if recipe.runner in _KEPT_SHOWN:
        return _KEPT_SHOWN[recipe.runner]
    files = order.paths or test_files(Path(order.tree), recipe.root, recipe.runner)
    program = "bats" if recipe.runner is TestRunner.BATS else "sh -c"
    return shlex.join([program, *files[:20]])


@dataclass(slots=True)
class _KeptReading:
    results: list[TestResult] = field(default_factory=list)
    running: str = ""
    count: int | None = None  # of results, when the supervisor came to its end
    problem: str = ""
    forged: bool = False


def _read_kept(_: TestOrder, completed: Completed, killed: str) -> TestRun:
    """Return what a finished or killed run proves; `killed` says which limit ended it, if one did."""
    reading = _KeptReading()
    if broken := read_records(completed.channel, lambda record: _take(record, reading)):
        reading.forged, reading.problem = True, f"the record is broken ({broken})"
    problem = _kept_problem(reading, killed)
    return TestRun(
        complete=not problem,
        results=unique(tuple(reading.results)),
        problem=problem or ("" if reading.results else NO_TESTS),
        forged=reading.forged,
    )


def _take(record: dict[str, object], reading: _KeptReading) -> None:
    if reading.count is not None:
        raise ValueError("a record after the end")
    kind = record["kind"]
    if kind == "running":
        reading.running = str(record["what"])
    elif kind == "result":
        result = TestResult(
            id=str(record["id"]),
            outcome=Outcome(str(record["outcome"])),
            seconds=float(str(record["seconds"])),
            message=str(record["message"]),
            path=str(record["path"]),
            line=int(str(record["line"])),
            source=str(record["source"]),
        )
        reading.results.append(result)
    elif kind == "end":
        reading.count = int(str(record["count"]))
        reading.problem = str(record["problem"])
        reading.forged = bool(record["forged"])
    else:
        raise ValueError("an unknown record")


def _kept_problem(reading: _KeptReading, killed: str) -> str:
    if reading.forged:
        return f"The results cannot be trusted: {reading.problem}."
    if killed:
        return f"The test run {killed} in `{reading.running[:200]}`."
    if reading.count is None:
        what = f"in `{reading.running[:200]}`" if reading.running else "before it ran anything"
        return f"The test run ended {what}, before its end."
    if reading.count != len(reading.results):
        return f"{reading.count} results were announced, {len(reading.results)} are there."
    return reading.problem


KEPT_TESTS = TestDriver(_kept_command, _read_kept, _shown_kept)
"""One driver for all runners that the supervisor knows."""


_KEPT = (*_SUFFIXES, TestRunner.CTEST, TestRunner.MAKE)
TEST_DRIVERS: dict[TestRunner, TestDriver] = {
    **dict.fromkeys((TestRunner.PYTEST, TestRunner.UNITTEST), PYTHON_TESTS),
    **dict.fromkeys(_KEPT, KEPT_TESTS),
    **dict.fromkeys(NODE_RUNNERS, NODE_TESTS),
    TestRunner.COMMAND: SHELL_TESTS,
}
"""Every runner that Assay can start; TestRunner.NONE is the only one without a driver."""
