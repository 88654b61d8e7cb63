"""The plug-in in the oldest and the newest of every major pytest that it works with."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from uv import find_uv_bin

from tests.sandbox.harness.conftest import SANDBOX_PYTHON, Bench, by_id, outcomes
from tests.sandbox.harness.test_pytest_runs import EVERY_OUTCOME, OUTCOMES

pytestmark = [pytest.mark.real, pytest.mark.slow]

DOCTEST = '''"""
>>> 1 + 1
3
"""


def add(a, b):
    """
    >>> add(1, 2)
    3
    """
    return a + b
'''
FILES = {
    "test_all.py": EVERY_OUTCOME,
    "calc.py": DOCTEST,
    "README.rst": ">>> 1\n1\n",
    "sub/test_bad.py": "from calc import nothing\n",
    "sub/test_left.py": "def test_left(): assert False\n",
}
ARGUMENTS = ("--doctest-modules", "--doctest-glob=*.rst")
EXPECTED = {
    **OUTCOMES,
    "calc": "failed",
    "calc.add": "passed",
    "README.rst": "passed",
}
OLD_PYTHON = "3.9"
"""The newest that pytest 6.0 to 6.2.4 rewrite assertions in."""


def installed(folder: Path, python: str, version: str) -> None:
    wanted = f"pytest{version}"
    command = [find_uv_bin(), "pip", "install", "--quiet", "--compile-bytecode"]
    command += ["--break-system-packages", "--python", python, wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        pytest.skip(f"{wanted} cannot be installed here: {done.stderr[-200:]}")


def environment(folder: Path, version: str) -> Path:
    place = folder / "env"
    subprocess.run([SANDBOX_PYTHON, "-m", "venv", "--without-pip", place], check=True)
    installed(folder, str(place / "bin" / "python"), version)
    return place


def old_environment(folder: Path, version: str) -> Path:
    """Copy a whole older Python, which the sandbox does not see where it stands."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    prefix = next(versions.glob(f"{OLD_PYTHON}.*"), None)
    if prefix is None:
        pytest.skip(f"this machine has no Python {OLD_PYTHON} in {versions}")
    place = folder / "env"
    ignored = shutil.ignore_patterns("test", "tests", "idlelib", "__pycache__", "*.a")
    shutil.copytree(prefix, place, symlinks=True, ignore=ignored)
    installed(folder, str(place / "bin" / f"python{OLD_PYTHON}"), version)
    start = place / "bin" / "python"
    start.unlink(missing_ok=True)
    own = f"/env/deps/bin/python{OLD_PYTHON}"
    start.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH=/env/deps/lib exec {own} "$@"\n')
    start.chmod(0o755)
    return place


@pytest.mark.parametrize(
    ("version", "make"),
    [
        ("==6.0.0", old_environment),
        ("==6.2.4", old_environment),
        ("==6.2.5", environment),
        ("==7.0.0", environment),
        ("==7.4.*", environment),
        ("==8.0.0", environment),
        ("==8.*", environment),
        (">=9", environment),
    ],
    ids=["6.0", "6.2.4", "6.2.5", "7.0", "7.4", "8.0", "8", "newest"],
)
def test_every_outcome_in_this_version(bench: Bench, tmp_path: Path, version: str, make) -> None:  # type: ignore[no-untyped-def]
    bench = replace(bench, dependencies=make(tmp_path, version))
    run = bench.results(FILES, arguments=ARGUMENTS)
    assert (run.complete, run.problem, run.forged) == (True, "", False)
    found = outcomes(run)
    assert {name: found.get(name) for name in EXPECTED} == EXPECTED
    results = by_id(run)
    assert results["calc.py::calc.add"].is_doctest
    assert (
        results["sub/test_bad.py"].raised == "ImportError: cannot import name 'nothing' from 'calc'"
    )
    assert "assert [1, 2] == [1, 3]" in results["test_all.py::test_fails"].message

    some = bench.results(FILES, arguments=ARGUMENTS, paths=("calc.py", "sub/test_left.py"))
    assert outcomes(some) == {"calc": "failed", "calc.add": "passed", "test_left": "failed"}


def test_a_pytest_too_old_for_this_python_is_told_as_it_fails(bench: Bench, tmp_path: Path) -> None:
    bench = replace(bench, dependencies=environment(tmp_path, "==6.0.2"))
    run = bench.results({"test_a.py": "def test_a(): assert True\n"})
    assert run.complete
    assert run.results[0].raised == 'TypeError: required field "lineno" missing from alias'
