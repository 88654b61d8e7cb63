"""Runs the tests of compiled languages and of shells by the keeper; see `sandbox.harness.keeper`."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from sandbox.base import Command, Completed, Mount
from sandbox.environments import layers
from sandbox.environments.tree import Tree
from sandbox.models import TestRun, TestRunner
from sandbox.tools.kept_records import read_journal
from sandbox.tools.path_kinds import PathKind, classify
from sandbox.tools.test_order import TestDriver, TestOrder, held_tests

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
