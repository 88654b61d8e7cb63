"""Runs trees written by hand under the supervisor, in the real sandbox."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.base import Limits, Sandbox
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.toolchains import ECOSYSTEMS
from sandbox.values import Environment, Observation, Recipe, Side, TestRun, TestRunner

_ECOSYSTEM = {
    TestRunner.GO: "go",
    TestRunner.CARGO: "rust",
    TestRunner.CTEST: "cmake",
    TestRunner.MAKE: "make",
    TestRunner.BATS: "shell",
    TestRunner.SCRIPTS: "shell",
    TestRunner.JUNIT: "java",
}
MAKE_TEST = ("make", "test")


def needs(*programs: str, jars: tuple[str, ...] = ()) -> None:
    """Skip where the sandbox, which sees Debian's folders only, lacks a program or a jar."""
    for jar in jars:
        if not Path("/usr/share/java", jar).exists():
            pytest.skip(f"{jar} is not in /usr/share/java (packages junit4, junit5)")
    for program in programs:
        if shutil.which(program, path="/usr/local/bin:/usr/bin:/bin") is None:
            pytest.skip(f"{program} is not installed in /usr/bin, where the sandbox could see it")


@dataclass(frozen=True)
class Kept:
    """Writes a tree and runs its tests."""

    sandbox: Sandbox
    folder: Path

    def observe(
        self, runner: TestRunner, files: dict[str, str], *, timeout_s: float = 120.0
    ) -> Observation:
        tree = self.folder / "tree"
        for path, text in files.items():
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        arguments = MAKE_TEST if runner is TestRunner.MAKE else ()
        recipe = Recipe(_ECOSYSTEM[runner], (), (), (), runner, arguments, "")
        variables = ECOSYSTEMS[recipe.ecosystem].observing(recipe, False)
        environment = Environment(Side.HEAD, recipe, "", "", "", variables)
        limits = Limits(timeout_s=timeout_s, output_bytes=100_000)
        order = TestOrder(Side.HEAD, str(tree), environment, (), limits)
        return asyncio.run(run_tests(self.sandbox, order))

    def run(
        self, runner: TestRunner, files: dict[str, str], *, timeout_s: float = 120.0
    ) -> TestRun:
        observation = self.observe(runner, files, timeout_s=timeout_s)
        assert observation.tests is not None, observation.problem
        return observation.tests


def told(run: TestRun) -> dict[str, str]:
    """Return the outcomes by the last part of the ids."""
    assert len({result.id for result in run.results}) == len(run.results)
    return {result.id.split("::", 1)[-1]: result.outcome.value for result in run.results}
