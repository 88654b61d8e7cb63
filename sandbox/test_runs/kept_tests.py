"""Runs the tests of compiled languages and of shells by the keeper, and says what its record proves.

See `sandbox.harness.keeper`.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.base import Command, Completed, Mount
from sandbox.harness import chain
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.test_runs.run_records import NO_TESTS
from sandbox.test_runs.test_order import TestDriver, TestOrder, held_tests
from sandbox.toolchains import layers
from sandbox.toolchains.tree import Tree
from sandbox.values import Outcome, TestResult, TestRun, TestRunner

_HARNESS = Path(__file__).parent.parent / "harness"
_HARNESS_TARGET = "/opt/assay/sandbox/harness"
_CHANNEL_BYTES = 256 << 20
_MOST_FILES = 5000
_TIME_SHARE = 0.9  # of the run's limit: the keeper wants to say what hung
_SUFFIXES: dict[TestRunner, tuple[str, ...]] = {
    TestRunner.BATS: (".bats",),
    TestRunner.CARGO: (".rs",),
    TestRunner.GO: (".go",),
    TestRunner.JUNIT: (".java",),
    TestRunner.SCRIPTS: (".sh",),
}
_SHOWN = {
    TestRunner.CARGO: "cargo test --offline",
    TestRunner.CTEST: "cmake -S . -B build && cmake --build build && ctest --test-dir build",
    TestRunner.GO: "go test ./...",
    TestRunner.JUNIT: "javac ... && java org.junit.runner.JUnitCore ...",
}


def _command(order: TestOrder) -> Command:
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
    return Command(
        argv=("python3", "-I", "-S", f"{_HARNESS_TARGET}/keeper/main.py"),
        mounts=(*order.mounts, *held_tests(order.tree), Mount(str(_HARNESS), _HARNESS_TARGET)),
        cwd=order.start,
        stdin=json.dumps(orders).encode() + b"\n",
        network=order.network,
        limits=order.limits,
        channel_bytes=_CHANNEL_BYTES,
    )


def test_files(tree: Path, root: str, runner: TestRunner) -> tuple[str, ...]:
    """Return the test files that a runner may run, relative to the project's folder."""
    suffixes = _SUFFIXES.get(runner)
    found = []
    for path in Tree(tree / root).files():
        whole = f"{root}/{path}" if root else path
        if classify(whole) is PathKind.TEST and (not suffixes or path.endswith(suffixes)):
            found.append(path)
    return tuple(found[:_MOST_FILES])


def _read(_: TestOrder, completed: Completed, killed: str) -> TestRun:
    return read_journal(completed.channel, killed)


def _shown(order: TestOrder) -> str:
    recipe = order.environment.recipe
    if recipe.runner is TestRunner.MAKE:
        return shlex.join(recipe.test_arguments)
    if recipe.runner in _SHOWN:
        return _SHOWN[recipe.runner]
    files = order.paths or test_files(Path(order.tree), recipe.root, recipe.runner)
    program = "bats" if recipe.runner is TestRunner.BATS else "sh -c"
    return shlex.join([program, *files[:20]])


KEPT_TESTS = TestDriver(_command, _read, _shown)
"""One driver for all runners that the keeper knows."""


@dataclass(slots=True)
class _KeptReading:
    results: list[TestResult] = field(default_factory=list)
    running: str = ""
    count: int | None = None  # of results, when the keeper came to its end
    problem: str = ""
    forged: bool = False


def read_journal(channel: bytes, killed: str = "") -> TestRun:
    """Return what a finished or killed run proves; `killed` says which limit ended it, if one did."""
    reading = _KeptReading()
    reader = chain.Reader(channel[: chain.KEY_BYTES])
    try:
        for body in reader.feed(channel[chain.KEY_BYTES :]):
            _take(json.loads(body), reading)
    except (chain.Broken, ValueError, TypeError, KeyError, RecursionError) as error:
        reading.forged, reading.problem = True, f"the record is broken ({error})"
    problem = _problem(reading, killed)
    used: dict[str, int] = {}  # results of the same id are numbered, so that an id names one
    named = []
    for one in reading.results:
        used[one.id] = count = used.get(one.id, 0) + 1
        named.append(one if count == 1 else replace(one, id=f"{one.id}#{count}"))
    return TestRun(
        complete=not problem,
        results=tuple(named),
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


def _problem(reading: _KeptReading, killed: str) -> str:
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
