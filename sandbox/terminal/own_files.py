"""Runs a judge's own files on one side: placed beside the code in a fresh tree, never over it.

A judge is a model: what it writes may be wrong. `own_fault` says when a failure is its own mistake (a
name that does not exist, a test that does not parse) and shows nothing of the code under test.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.base import Sandbox
from sandbox.errors import CheckoutError
from sandbox.repository.combine import combine
from sandbox.repository.names import inside
from sandbox.terminal.bash import ShellRun, run_shell
from sandbox.test_runs.four_runs import is_whole_file
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import FAILING, NOT_RUNNABLE, Observation, Outcome, TestResult, TestRunner

MOST_FILES = 5
MOST_CHARACTERS = 40_000
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,7}")
_MARK = "judge"
_SINGLE_TESTS = (
    TestRunner.PYTEST, TestRunner.UNITTEST, TestRunner.NODE_TEST, TestRunner.MOCHA,
    TestRunner.JEST, TestRunner.VITEST, TestRunner.AVA, TestRunner.JASMINE, TestRunner.TAP,
    TestRunner.TAPE, TestRunner.UVU,
)  # fmt: skip
"""Runners whose harness can run named files alone and tells every test's own result."""
_ARGUMENTS = {TestRunner.PYTEST: ("--tb=short",)}


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file of the judge: its path in the tree, and its text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class OwnRun:
    """The judge's files on one side. Without a line of the `shell` the project's test runner runs them.

    `workspace` is an empty host folder of this run, which goes when it is over.
    """

    shell: ShellRun
    files: tuple[OwnFile, ...]
    workspace: Path


def placing_problem(files: tuple[OwnFile, ...], trees: tuple[str, ...]) -> str:
    """Why the files cannot be placed in these trees, as one sentence; empty when they can."""
    if not 0 < len(files) <= MOST_FILES or len({one.path for one in files}) < len(files):
        return f"Between one and {MOST_FILES} files are run, each named once."
    for one in files:
        if not _NAME.fullmatch(one.path) or _MARK not in Path(one.path).name.casefold():
            return f"A file of the judge has `{_MARK}` in its name, in plain letters."
        if len(one.text) > MOST_CHARACTERS or "\0" in one.text:
            return f"A file of the judge is text of at most {MOST_CHARACTERS} characters."
        if any(_is_taken(Path(tree), one.path) for tree in trees):
            return f"{one.path} is already there; a file of the judge replaces nothing."
    return ""


def _is_taken(tree: Path, path: str) -> bool:
    try:
        target = inside(tree, path)
    except CheckoutError:
        return True
    between = list(target.parents)[: len(target.relative_to(tree).parts) - 1]
    is_open = all(not one.is_symlink() and (one.is_dir() or not one.exists()) for one in between)
    return not is_open or target.is_symlink() or target.exists()


async def run_own_files(sandbox: Sandbox, run: OwnRun) -> Observation:
    """Run them and say what they showed; whatever fails is data. Raises SandboxError only."""
    tree = await asyncio.to_thread(_placed, run)
    try:
        placed = replace(run.shell, tree=tree)
        if placed.line:
            seen = await run_shell(sandbox, placed)
        else:
            seen = await _by_runner(sandbox, placed, run.files)
    finally:
        await asyncio.to_thread(shutil.rmtree, run.workspace, ignore_errors=True)
    # Shell lines that write the files and run them: what a doubting person can paste.
    lines = []
    for one in run.files:
        end = "JUDGE"
        while end in one.text:
            end += "_"
        folder = str(Path(one.path).parent)
        made = [] if folder == "." else [f"mkdir -p {shlex.quote(folder)}"]
        text = one.text.removesuffix("\n")
        lines += [*made, f"cat > {shlex.quote(one.path)} <<'{end}'", text, end]
    return replace(seen, command="\n".join([*lines, seen.command]))


def _placed(run: OwnRun) -> str:
    """Make the tree with the files in it; `placing_problem` was asked before.

    What a killed run left there may hold other files of the same name.
    """
    shutil.rmtree(run.workspace, ignore_errors=True)
    own = run.workspace / "own"
    for one in run.files:
        target = inside(own, one.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(one.text, encoding="utf-8")
    paths = [one.path for one in run.files]
    return str(combine(Path(run.shell.tree), own, paths, run.workspace / "tree"))


async def _by_runner(sandbox: Sandbox, run: ShellRun, files: tuple[OwnFile, ...]) -> Observation:
    environment = run.environment
    runner = environment.recipe.runner if environment else TestRunner.NONE
    if environment is None or runner not in _SINGLE_TESTS:
        problem = "The project has no test runner that runs single files; name a command."
        return Observation(run.side, problem=problem)
    recipe = environment.recipe
    arguments = _ARGUMENTS.get(runner, recipe.test_arguments)
    environment = replace(
        environment, recipe=replace(recipe, test_arguments=arguments, more_calls=())
    )
    names = {one.path: Path(one.path).name.casefold() for one in files}
    # By its name a test for the project's runner.
    paths = tuple(path for path, name in names.items() if "test" in name or "spec" in name)
    if any(recipe.root and not path.startswith(f"{recipe.root}/") for path in paths):
        problem = f"The project stands in {recipe.root}: a test of the judge does too."
        return Observation(run.side, problem=problem)
    order = TestOrder(run.side, run.tree, environment, paths, run.limits, network=run.network)
    seen = await run_tests(sandbox, order)
    # A test that was skipped, or is expected to fail, says nothing (a conftest can do that).
    results = seen.tests.results if seen.tests else ()
    idle = [one.id for one in results if one.outcome not in (Outcome.PASSED, *FAILING)]
    problem = f"{idle[0]} was not run to a result of its own." if idle else ""
    if not results:
        problem = "No test of the judge was found in what it wrote."
    return replace(seen, problem=seen.problem or problem)


# --- whose fault a failure is -----------------------------------------------------------------

_FRAME = re.compile(r'^(?: *File "([^"\n]+)", line \d+|([^\s:][^\n:]*):\d+: in )', re.MULTILINE)
_PYTEST_ERROR = re.compile(r"^E +(.+)$", re.MULTILINE)
_ASSERTED = ("assert ", "AssertionError", "Failed: ")
_UNPARSED = re.compile(r"\b(SyntaxError|IndentationError|TabError)\b")
_FIXTURE = re.compile(r"^E +fixture '.*' not found", re.MULTILINE)
_SCRIPT_FAULT = re.compile(
    r"SyntaxError|ReferenceError|Cannot find (module|package)|ERR_MODULE_NOT_FOUND"
    r"|TypeError: .{1,200} is not a (function|constructor)"
)
_SCRIPT_PLACE = re.compile(r"(?<![\w./@-])([\w./@-]+\.[cm]?[jt]sx?):\d+")
_CUT = "... "  # how a message begins whose beginning the harness left out
_NO_TESTS_RUN = (2, 3, 4, 5)  # pytest's own codes


def own_fault(seen: Observation, files: tuple[OwnFile, ...]) -> str:
    """Why a failed run shows only a mistake in the judge's own files; empty when it shows more."""
    paths = tuple(one.path for one in files)
    if seen.exit_code in (None, 0):
        return ""
    if seen.tests is None:
        return _fault_of_line(seen, paths)
    bad = [one for one in seen.tests.results if one.outcome in FAILING]
    faults = [_fault_of_test(one, seen.output, paths) for one in bad]
    return faults[0] if faults and all(faults) else ""


def _fault_of_line(seen: Observation, paths: tuple[str, ...]) -> str:
    if seen.exit_code in NOT_RUNNABLE:
        return "The command could not be started."
    if "pytest" in seen.command and seen.exit_code in _NO_TESTS_RUN:
        return "pytest did not get to run the judge's tests."
    for path in paths:
        refused = re.search(rf"{re.escape(path)}:\d+(:\d+)?: .*(error|undefined)", seen.output)
        if refused:
            return f"The judge's own file does not compile: {refused[0][:200]}"
    return _fault_in(seen.output, paths)


def _fault_of_test(result: TestResult, output: str, paths: tuple[str, ...]) -> str:
    message = result.message
    if not result.path.endswith(".py"):
        return _fault_of_script(message, output if is_whole_file(result) else message, paths)
    if _FIXTURE.search(message):
        return "A test of the judge asks for a fixture that does not exist."
    is_whole = not message.startswith(_CUT)
    if is_whole and not (_frames(message) or _named(message)):
        return "A test of the judge did not get to run."
    return _fault_in(message, paths)


def _fault_in(text: str, paths: tuple[str, ...]) -> str:
    """The fault that a traceback shows: its last frame is the judge's own, and asserts nothing."""
    frames = _frames(text)
    lines = [line for line in text.rstrip().splitlines() if line and not line[0].isspace()]
    error = lines[-1] if lines else ""
    if by_pytest := _PYTEST_ERROR.search(text):
        error = by_pytest[1]
    if _UNPARSED.search(text) and any(_is_one_of(path, paths) for path in _named(text)):
        return f"The judge's own file does not parse: {error[:200]}"
    if frames:
        is_own = _is_one_of(frames[-1], paths) and not error.startswith(_ASSERTED)
        return f"The judge's own file fails by itself: {error[:200]}" if is_own else ""
    return _fault_of_script(text, text, paths)


def _fault_of_script(message: str, text: str, paths: tuple[str, ...]) -> str:
    """A name or a module that does not exist, met first in the judge's own file (JavaScript)."""
    found = _SCRIPT_FAULT.search(message) or _SCRIPT_FAULT.search(text)
    places = _SCRIPT_PLACE.findall(text)
    is_own = bool(places) and _is_one_of(places[0], paths)
    return f"The judge's own file fails by itself: {found[0][:200]}" if found and is_own else ""


def _frames(text: str) -> list[str]:
    return [native or short for native, short in _FRAME.findall(text)]


def _named(text: str) -> list[str]:
    return re.findall(r'File "([^"\n]+)"', text)


def _is_one_of(name: str, paths: tuple[str, ...]) -> bool:
    return any(name == path or name.endswith(f"/{path}") for path in paths)
