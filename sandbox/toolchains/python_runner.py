"""How a Python project's tests are run: pytest, unittest, or a line of the configuration."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import PurePosixPath

from sandbox.toolchains.ecosystem import Runner, SetupHints
from sandbox.toolchains.python_calls import RunnerLine, understood
from sandbox.toolchains.python_ci import TestHints
from sandbox.toolchains.tree import Tree
from sandbox.values import TestCall, TestRunner

_PYTEST_TRACE = re.compile(
    r"^[ \t]*(import pytest|from pytest\b|@pytest\.)|^(async )?def test_", re.M
)
_UNITTEST_TRACE = re.compile(r"^[ \t]*(import unittest|from unittest\b)|\bTestCase\)", re.M)
_UNITTEST_MAIN = re.compile(
    r"^[ \t]{0,8}unittest\.main\((?:module\s?=\s?)?[\"']([\w.]{1,200})[\"']", re.M
)
_READ_TEST_FILES = 400
_SHELL = re.compile(r"[|&;<>$`(){}\n\0]")
_MOST_CALLS = 5
_BENCHMARK = re.compile(r"bench|perf|profil", re.I)


def choose_runner(tree: Tree, hints: tuple[TestHints, ...], requirements: set[str]) -> Runner:
    """Choose from the tree's test files; `requirements` are the normalised names that get installed."""
    named = [(path, PurePosixPath(path).name) for path in tree.files() if path.endswith(".py")]
    of_unittest = [call for hint in hints for call in _calls(tree, hint.calls, TestRunner.UNITTEST)]
    words = [pair for call in of_unittest for pair in pairwise(call.arguments)]
    patterns = ["test*", "*_test.py", "*_tests.py", "conftest.py"]
    patterns += [value for option, value in words if option in ("-p", "--pattern")]
    tests = [path for path, name in named if any(fnmatchcase(name, one) for one in patterns)]
    texts = [tree.read(path) for path in tests[:_READ_TEST_FILES]]
    why = ""
    if is_configured := _configures_pytest(tree):
        why = "the repository configures it"
    elif "pytest" in requirements:
        why = "the development dependencies name it"
    elif any(PurePosixPath(path).name == "conftest.py" for path in tests):
        why = "there is a conftest.py"
    elif any(_PYTEST_TRACE.search(text) for text in texts):
        why = "the test files are written for it"
    if why and (tests or is_configured):
        reason = f"Tests run with pytest, because {why}."
        return _as_called(tree, hints, Runner(TestRunner.PYTEST, (), reason), tests)
    if any(_UNITTEST_TRACE.search(text) for text in texts):
        reason = (
            "Tests run with unittest, because the test files import it and nothing names pytest."
        )
        choice = _as_called(tree, hints, Runner(TestRunner.UNITTEST, (), reason), tests)
        # unittest finds tests only in packages; a plain folder must be named.
        folders = [PurePosixPath(path).parts[0] for path in tests if "/" in path]
        plain = [folder for folder in folders if not tree.has(f"{folder}/__init__.py")]
        found = ("discover", "-s", plain[0]) if plain and len(folders) == len(tests) else ()
        return replace(choice, arguments=choice.arguments or found)
    for path in (path for path, name in named if name == "__main__.py" and "test" in path):
        if own := _UNITTEST_MAIN.search(tree.read(path)):
            reason = f"Tests run with unittest on `{own[1]}`, as `{path}` does."
            return Runner(TestRunner.UNITTEST, (own[1],), reason)
    nothing = Runner(TestRunner.NONE, (), "No test files were found, so no tests are run.")
    return _as_called(tree, hints, nothing, tests)


def _as_called(
    tree: Tree, hints: tuple[TestHints, ...], choice: Runner, tests: list[str]
) -> Runner:
    """Add how the project itself calls the tests: the place that runs most of them, and more.

    More is every call for doctests, and what another job of CI runs of the other tests.
    """
    places = [(hint, _calls(tree, hint.calls, choice.runner)) for hint in hints]
    of_tests = [
        (hint, own)
        for hint, own in places
        if not hint.is_aside and not all(_is_benchmark(call) for call in own)
    ]
    # Of equals the first with arguments; a call of one folder's tests does not stand for all.
    widest = max(
        of_tests,
        key=lambda one: (len(_covered(tree, one[1], tests)), any(c.arguments for c in one[1])),
        default=(None, ()),
    )
    source, main = widest[0].source if widest[0] else "", widest[1]
    reason = choice.reason
    if any(call.arguments for call in main):
        is_bare = not all(call.arguments for call in main)  # beside others, the program is named
        words = [((call.runner.value,) if is_bare else ()) + call.arguments for call in main]
        lines = " and ".join(f"`{shlex.join(one)}`" for one in words)
        reason += f" Its {'calls' if is_bare else 'arguments'} {lines} come from {source}."
    found = list(main or (TestCall(choice.runner, choice.arguments),))
    for hint in hints:
        asking = tuple(call for call in hint.calls if call.asks_for_doctests)
        others = _calls(tree, hint.calls, choice.runner) if hint.is_of_ci else ()
        further = [call for call in others if not _is_benchmark(call)]
        for call in (*_calls(tree, asking, TestRunner.PYTEST), *further):
            is_news = not _covered(tree, (call,), tests) <= _covered(tree, found, tests)
            line = RunnerLine(call.runner.value, " ".join(call.arguments))
            if call not in found and (is_news or line.asks_for_doctests):
                found.append(call)
                told = shlex.join((call.runner.value, *call.arguments))
                reason += f" `{told}` is run as {hint.source} does."
    if 2 * len(_covered(tree, found, tests)) < len(tests):
        found.insert(0, TestCall(choice.runner))
        reason += " Everything else is run too: these calls name less than half of the test files."
    if found == [TestCall(TestRunner.PYTEST)] and (apart := _folders_apart(tree, tests)):
        found = [TestCall(TestRunner.PYTEST, arguments) for arguments in apart]
        reason += (
            " Its folders are run one by one: pytest cannot load two files of one name together."
        )
    calls = [call for call in found if not _is_held(call, found)]
    calls = [call for call in calls if call.runner is not TestRunner.NONE] or calls
    over = len(calls) - _MOST_CALLS
    left_out = f"{over} further call(s) of the project's tests are not run." if over > 0 else ""
    first, *more = calls[:_MOST_CALLS]
    return Runner(first.runner, first.arguments, reason, tuple(more), left_out)


def _folders_apart(tree: Tree, tests: list[str]) -> list[tuple[str, ...]]:
    """Return the arguments of a call for each folder of tests, where pytest cannot run them together.

    A file that is in no package is loaded by its bare name, so that a second one of it (`unit/test_api.py`,
    `functional/test_api.py`) is refused. Projects that have such files run each folder by itself.
    """
    texts = map(tree.read, ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg"))
    if any(word in text for text in texts for word in ("import-mode", "testpaths")):
        return []
    loaded = [
        one
        for one in map(PurePosixPath, tests)
        if any(fnmatchcase(one.name, pattern) for pattern in ("test_*.py", "*_test.py"))
        and not any(part.startswith(".") for part in one.parts)
    ]
    places: dict[str, list[str]] = {}
    for one in loaded:
        if not tree.has(str(one.parent / "__init__.py")):
            places.setdefault(one.name, []).append(str(one.parent))
    alike = [one for folders in places.values() if len(folders) > 1 for one in folders]
    if not alike:
        return []
    top = PurePosixPath(posixpath.commonpath(alike))
    below = {one: one.relative_to(top).parts if one.is_relative_to(top) else () for one in loaded}
    folders = sorted({str(top / parts[0]) for parts in below.values() if len(parts) > 1})
    # One call is of everything else, so that a folder that head adds is run, too.
    alone = folders if min(map(len, below.values())) < 2 else folders[:-1]
    calls = [tuple(f"--ignore={one}" for one in alone), *((one,) for one in alone)]
    return calls if 1 < len(calls) <= _MOST_CALLS else []


def _is_benchmark(call: TestCall) -> bool:
    return bool(_BENCHMARK.search(" ".join(call.arguments)))


def _covered(tree: Tree, calls: Iterable[TestCall], tests: list[str]) -> set[str]:
    """Return the test files that these calls run, as far as their paths tell."""
    found: set[str] = set()
    for call in calls:
        paths = [word.partition("::") for word in call.arguments if not word.startswith("-")]
        tops = [path for path, colons, _ in paths if not colons and tree.has(path)]
        whole = not paths or not any(tree.has(path) for path, _, _ in paths)
        found.update(
            test
            for test in tests
            if whole or any(test == top or test.startswith(f"{top}/") for top in tops)
        )
    return found


def _calls(tree: Tree, calls: Iterable[RunnerLine], runner: TestRunner) -> tuple[TestCall, ...]:
    """Return the calls of this runner; one of `doctest` is a call of pytest for the same files."""
    named = {
        "pytest": TestRunner.PYTEST,
        "doctest": TestRunner.PYTEST,
        "unittest": TestRunner.UNITTEST,
    }
    found = [
        TestCall(runner, understood(tree, call)) for call in calls if named[call.runner] is runner
    ]
    return tuple(dict.fromkeys(found))


def _is_held(call: TestCall, others: Iterable[TestCall]) -> bool:
    """Tell whether another call runs the same and doctests besides."""
    own = [word for word in call.arguments if not word.startswith("--doctest")]
    return any(
        other != call
        and other.runner is call.runner
        and [word for word in other.arguments if not word.startswith("--doctest")] == own
        and set(other.arguments) > set(call.arguments)
        for other in others
    )


def configured_runner(line: str) -> Runner:
    """Return the runner of the trusted configuration's `test` line, all its arguments kept."""
    reason = f"Tests run with `{line}`, because the repository's configuration says so."
    words = [] if _SHELL.search(line) else shlex.split(line)
    if words[:1] == ["pytest"]:
        return Runner(TestRunner.PYTEST, tuple(words[1:]), reason)
    if words[1:3] == ["-m", "pytest"] and words[0].startswith("python"):
        return Runner(TestRunner.PYTEST, tuple(words[3:]), reason)
    if words[1:3] == ["-m", "unittest"] and words[0].startswith("python"):
        return Runner(TestRunner.UNITTEST, tuple(words[3:]), reason)
    return Runner(TestRunner.COMMAND, (line,), reason)


_OF_PYTEST = {"setup.cfg": "tool:pytest", "pytest.ini": "pytest", "tox.ini": "pytest"}


def _configures_pytest(tree: Tree) -> bool:
    is_in_ini = any(tree.ini(file).has_section(one) for file, one in _OF_PYTEST.items())
    is_in_toml = tree.toml("pyproject.toml").table("tool").has("pytest")
    return is_in_ini or is_in_toml or tree.has("pytest.ini")


@dataclass(frozen=True, slots=True)
class Added:
    """What Assay itself adds: resolved together with the project's dependencies, or after them."""

    together: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def missing_runner(
    runner: Runner, names: set[str], setup: SetupHints
) -> tuple[Added, tuple[str, ...]]:
    """Return the plug-ins, and pytest when the tests need it and nothing is known to install it; the reason.

    A project that names `py` for another tool may hold it at a version that hides pytest's own module.
    """
    runners = {runner.runner, *(call.runner for call in runner.more)}
    if TestRunner.PYTEST not in runners or "pytest" in names or setup.install:
        return Added(runner.plugins), ()
    why = "`pytest` is added, because the tests need it and nothing installs it."
    if "py" not in names:
        return Added(("pytest", *runner.plugins)), (why,)
    also = "`py` is brought up to date with it: pytest does not start beside an old one."
    return Added(runner.plugins, ("--upgrade-package", "py", "pytest", "py")), (why, also)


# --- tests that a project has for Django's own runner: its plug-in and the settings ------------------


_PLUGIN = "pytest-django"
_KEY = "DJANGO_SETTINGS_MODULE"
# The words of a line, or of a list as in noxfile.py: `"django-admin", "test"`.
_CALL = re.compile(
    r"(?:\bdjango-admin(?:\.py)?|\bmanage\.py|-m[\"',\s]{1,9}django)[\"',\s]{1,9}test\b(?P<rest>[^\n]{0,400})"
    r"|\.run_tests\("
)
_OPTION = re.compile(r"--settings[=\s\"',]{1,9}([A-Za-z_][\w.]{0,200})")
_SETTINGS = re.compile(
    rf"\b{_KEY}[\"'\])]{{0,3}}\s{{0,9}}[,=:]\s{{0,9}}[\"']?([A-Za-z_][\w.]{{0,200}})"
)
_REQUIRED = re.compile(r"[\"'\s]django(?=[<>=!~\"'\s;])", re.IGNORECASE)
_PLACES = ("tox.ini", "pyproject.toml", "setup.cfg", "noxfile.py", "Makefile")
_WORKFLOWS = ".github/workflows"
_SCRIPTS = ("runtests.py", "run_tests.py", "manage.py")
# `tests.py` as well, which pytest itself does not look for.
_FILES = "--override-ini=python_files=test*.py"


def with_django(
    tree: Tree, hints: tuple[TestHints, ...], runner: Runner, names: set[str]
) -> Runner:
    """Return the runner with Django's settings and the plug-in that reads them, where the tests need both.

    `names` are the normalised names that get installed. Projects that bring the plug-in, or that call pytest
    and set no settings for it, are left as they are.
    """
    of_tests = runner.runner in (TestRunner.PYTEST, TestRunner.UNITTEST)
    # What setup.py asks for is known only when it is run.
    is_of_django = "django" in names or _REQUIRED.search(tree.read("setup.py"))
    if not (of_tests and is_of_django) or _PLUGIN in names:
        return runner
    options = tree.toml("pyproject.toml").table("tool", "pytest", "ini_options")
    is_set = any(tree.ini(file).has_option(one, _KEY) for file, one in _OF_PYTEST.items())
    if runner.runner is TestRunner.PYTEST and (is_set or options.has(_KEY)):
        why = f" `{_PLUGIN}` is added, because pytest's settings have `{_KEY}`."
        return replace(runner, reason=runner.reason + why, plugins=(_PLUGIN,))
    if any(call.runner == "pytest" for hint in hints for call in hint.calls):
        return runner
    place, settings = _called(tree)
    if not settings:
        return runner
    reason = (
        f"Tests run with pytest, `{_PLUGIN}` and the settings `{settings}`, because {place} runs them with "
        "Django."
    )
    arguments = (f"--ds={settings}", _FILES)
    return Runner(TestRunner.PYTEST, arguments, reason, plugins=(_PLUGIN,))


def _called(tree: Tree) -> tuple[str, str]:
    """Return the first place that starts Django's tests, and the settings, where these are in the tree."""
    workflows = [path for end in (".yml", ".yaml") for path in tree.listing(_WORKFLOWS, end)]
    places = (*_PLACES, *workflows, ".travis.yml", *_SCRIPTS)
    texts = {path: text for path in places if (text := tree.read(path))}
    calling = ((path, found) for path, text in texts.items() if (found := _CALL.search(text)))
    place, call = next(calling, ("", None))
    if call is None:
        return "", ""
    option = _OPTION.search(call["rest"] or "")
    named = [option[1]] if option else []
    for text in (texts[place], *texts.values()):
        named += _SETTINGS.findall(text)
    for name in named:
        path = name.replace(".", "/")
        ends = (f"{path}.py", f"{path}/__init__.py")
        if any(tree.has(f"{top}{end}") for top in ("", "src/") for end in ends):
            return place, name
    return place, ""
