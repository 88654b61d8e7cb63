"""How a Python project's tests are run: pytest, unittest, or a line of the configuration."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath

from sandbox.environments.python_ci import TestHints
from sandbox.environments.tree import Tree
from sandbox.models import TestRunner

_PYTEST_TRACE = re.compile(
    r"^[ \t]*(import pytest|from pytest\b|@pytest\.)|^(async )?def test_", re.M
)
_UNITTEST_TRACE = re.compile(r"^[ \t]*(import unittest|from unittest\b)|\bTestCase\)", re.M)
_READ_TEST_FILES = 400
_SHELL = re.compile(r"[|&;<>$`(){}\n\0]")
# Options of pytest that change which tests there are or whether they can run; the value follows.
_KEPT = ("-m", "-k", "-p", "-W", "-o", "--ignore", "--ignore-glob", "--deselect", "--import-mode")
_KEPT_ALONE = ("--asyncio-mode", "--doctest-modules", "--doctest-glob", "--pyargs", "--strict")
# Options about looks, speed and coverage: dropped, because the result does not depend on them.
_DROPPED_WITH_VALUE = ("-n", "--numprocesses", "-r", "--maxfail", "--cov-report", "--cov-config")
_DROPPED = re.compile(
    r"-[vqsxl]+|-n\w+|-r\w+|--(cov|no-cov|durations|junit|color|tb|verbose|quiet|"
    r"showlocals|maxfail|exitfirst|benchmark|timeout|capture|dist|html)[\w-]*(=.*)?"
)


@dataclass(frozen=True, slots=True)
class RunnerChoice:
    """The runner, its arguments, and the sentence that says why."""

    runner: TestRunner
    arguments: tuple[str, ...]
    reason: str


def choose_runner(tree: Tree, hints: tuple[TestHints, ...], requirements: set[str]) -> RunnerChoice:
    """Choose from the tree's test files; `requirements` are the normalised names that get installed."""
    tests = [path for path in tree.files() if _is_test_file(path)]
    texts = [tree.read(path) for path in tests[:_READ_TEST_FILES]]
    why = _why_pytest(tree, tests, texts, requirements)
    if why and (tests or _has_pytest_section(tree)):
        return _with_arguments(
            tree, hints, TestRunner.PYTEST, f"Tests run with pytest, because {why}."
        )
    if any(_UNITTEST_TRACE.search(text) for text in texts):
        reason = (
            "Tests run with unittest, because the test files import it and nothing names pytest."
        )
        choice = _with_arguments(tree, hints, TestRunner.UNITTEST, reason)
        return choice if choice.arguments else _discovered(tree, tests, reason)
    return RunnerChoice(TestRunner.NONE, (), "No test files were found, so no tests are run.")


def configured_runner(line: str) -> RunnerChoice:
    """Return the runner of the trusted configuration's `test` line, all its arguments kept."""
    reason = f"Tests run with `{line}`, because the repository's configuration says so."
    words = [] if _SHELL.search(line) else shlex.split(line)
    if words[:1] == ["pytest"]:
        return RunnerChoice(TestRunner.PYTEST, tuple(words[1:]), reason)
    if words[1:3] == ["-m", "pytest"] and words[0].startswith("python"):
        return RunnerChoice(TestRunner.PYTEST, tuple(words[3:]), reason)
    if words[1:3] == ["-m", "unittest"] and words[0].startswith("python"):
        return RunnerChoice(TestRunner.UNITTEST, tuple(words[3:]), reason)
    return RunnerChoice(TestRunner.COMMAND, (line,), reason)


def _is_test_file(path: str) -> bool:
    name = PurePosixPath(path).name
    if not name.endswith(".py"):
        return False
    return name.startswith("test") or name.endswith("_test.py") or name == "conftest.py"


def _has_pytest_section(tree: Tree) -> bool:
    return bool(
        tree.has("pytest.ini")
        or tree.toml("pyproject.toml").table("tool").has("pytest")
        or tree.ini("tox.ini").has_section("pytest")
        or tree.ini("setup.cfg").has_section("tool:pytest")
    )


def _why_pytest(tree: Tree, tests: list[str], texts: list[str], requirements: set[str]) -> str:
    if _has_pytest_section(tree):
        return "the repository configures it"
    if "pytest" in requirements:
        return "the development dependencies name it"
    if any(PurePosixPath(path).name == "conftest.py" for path in tests):
        return "there is a conftest.py"
    if any(_PYTEST_TRACE.search(text) for text in texts):
        return "the test files are written for it"
    return ""


def _with_arguments(
    tree: Tree, hints: tuple[TestHints, ...], runner: TestRunner, reason: str
) -> RunnerChoice:
    for hint in hints:
        for command in hint.commands:
            name, _, rest = command.partition(" ")
            arguments = _plain_arguments(tree, rest) if name == runner.value else None
            if arguments:
                said = f" Its arguments `{shlex.join(arguments)}` come from {hint.source}."
                return RunnerChoice(runner, arguments, reason + said)
    return RunnerChoice(runner, (), reason)


def _plain_arguments(tree: Tree, text: str) -> tuple[str, ...] | None:
    """Return what of a call matters, or None when something in it is not understood."""
    if _SHELL.search(text):
        return None
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    kept: list[str] = []
    remaining = iter(words)
    for word in remaining:
        option = word.split("=", 1)[0]
        if option in _DROPPED_WITH_VALUE and "=" not in word:
            next(remaining, None)
        elif option in _KEPT:
            kept += [word] if "=" in word else [word, next(remaining, "")]
        elif (
            option in _KEPT_ALONE
            or (not word.startswith("-") and _is_inside(tree, word))
            or word == "discover"
        ):
            kept.append(word)
        elif not _DROPPED.fullmatch(word):
            return None
    return tuple(kept)


def _is_inside(tree: Tree, word: str) -> bool:
    return not word.startswith("/") and tree.has(word.split("::", 1)[0])


def _discovered(tree: Tree, tests: list[str], reason: str) -> RunnerChoice:
    """unittest finds tests only in packages; a plain folder must be named."""
    folders = [PurePosixPath(path).parts[0] for path in tests if "/" in path]
    plain = [folder for folder in folders if not tree.has(f"{folder}/__init__.py")]
    arguments = ("discover", "-s", plain[0]) if plain and len(folders) == len(tests) else ()
    return RunnerChoice(TestRunner.UNITTEST, arguments, reason)
