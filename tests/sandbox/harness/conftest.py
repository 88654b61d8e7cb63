"""One tiny environment (a venv with this interpreter's own pytest) and trees written by hand."""

from __future__ import annotations

import asyncio
import importlib.metadata
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Limits, Sandbox
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Environment, Observation, Recipe, Side, TestResult, TestRun, TestRunner

SANDBOX_PYTHON = "/usr/bin/python3"  # ours may stand where the sandbox cannot see it
PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")


@dataclass(frozen=True)
class Bench:
    """Writes trees and runs their tests in the real sandbox."""

    sandbox: Sandbox
    folder: Path
    dependencies: Path

    def tree(self, files: dict[str, str], name: str = "tree") -> Path:
        root = self.folder / name
        for path, text in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        root.mkdir(parents=True, exist_ok=True)
        return root

    def environment(
        self,
        runner: TestRunner = TestRunner.PYTEST,
        arguments: Sequence[str] = (),
        root: str = "",
    ) -> Environment:
        recipe = Recipe("python", (), (), (), runner, tuple(arguments), "", root=root)
        variables = (("PATH", "/env/deps/bin:/usr/bin:/bin"), ("HOME", "/tmp"))
        return Environment(Side.HEAD, recipe, "", str(self.dependencies), "", variables)

    def run(
        self,
        files: dict[str, str],
        *,
        runner: TestRunner = TestRunner.PYTEST,
        arguments: Sequence[str] = (),
        paths: tuple[str, ...] = (),
        timeout_s: float = 60.0,
        root: str = "",
    ) -> Observation:
        environment = self.environment(runner, arguments, root)
        limits = Limits(timeout_s=timeout_s, output_bytes=100_000)
        tree = str(self.tree(files))
        order = TestOrder(Side.HEAD, tree, environment, paths, limits)
        return asyncio.run(run_tests(self.sandbox, order))

    def results(self, files: dict[str, str], **options: object) -> TestRun:
        observation = self.run(files, **options)  # type: ignore[arg-type]
        assert observation.tests is not None, observation.problem
        return observation.tests


def by_id(run: TestRun) -> dict[str, TestResult]:
    assert len({result.id for result in run.results}) == len(run.results)
    return {result.id: result for result in run.results}


def outcomes(run: TestRun) -> dict[str, str]:
    return {result.id.split("::", 1)[-1]: result.outcome.value for result in run.results}


@pytest.fixture(scope="session")
def dependencies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    venv = tmp_path_factory.mktemp("deps") / "venv"
    subprocess.run([SANDBOX_PYTHON, "-m", "venv", "--without-pip", venv], check=True)
    site = next(venv.glob("lib/python3*/site-packages"))
    for name in PACKAGES:
        for file in importlib.metadata.files(name) or ():
            if file.parts[0] != ".." and "__pycache__" not in file.parts:
                target = site / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), target)
    subprocess.run([venv / "bin" / "python", "-m", "compileall", "-q", site], check=True)
    for path in [venv.parent.parent, venv.parent, venv]:
        path.chmod(0o755)
    return venv


@pytest.fixture
def bench(dependencies: Path, tmp_path: Path) -> Bench:
    for path in [tmp_path, *tmp_path.parents[:2]]:
        path.chmod(0o755)
    return Bench(open_sandbox("auto", tmp_path / "state"), tmp_path, dependencies)


Outcomes = Callable[[TestRun], dict[str, str]]
