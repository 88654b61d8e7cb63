"""Runs unittest in this process with a result of ours that records what every test does."""

from __future__ import annotations

import os
import sys
import types
import unittest
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from sandbox.harness import canary, describe, outcome
from sandbox.harness.chain import Recorder

_ROOT = os.getcwd()  # noqa: PTH109 - tests may take away the folder that they have gone to
_LOADER = "unittest.loader."  # tests that stand for a module that failed or skipped while loading

_NOTHING = "unittest reported nothing for this test."


def run(recorder: Recorder, orders: dict[str, Any]) -> int:
    """Load and run what `python -m unittest <arguments>` would, and return the exit status."""
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - as python -m does
    program = _Loading(orders["arguments"])
    watch = UnittestWatch(recorder, orders["paths"], orders["only"], orders["nonce"])
    suite = watch.announce(program.test)
    for part in (_canaries(orders["nonce"]), suite, _canaries(orders["nonce"])):
        part(watch)
    return 0


class _Loading(unittest.TestProgram):
    """unittest's own command line, stopped before it runs anything."""

    test: unittest.TestSuite

    def __init__(self, arguments: list[str]) -> None:
        sys.argv[:] = ["python -m unittest", *arguments]  # tests see what they would see there
        super().__init__(module=None, argv=list(sys.argv), exit=False)

    def runTests(self) -> None:  # noqa: N802 - unittest's name
        """Do nothing: the suite is run by our own result."""


class UnittestWatch(unittest.TestResult):
    """Records every event of every test; a test is finished when the next one starts."""

    def __init__(self, recorder: Recorder, paths: list[str], only: list[str], nonce: str) -> None:
        super().__init__()
        self._record = recorder.record
        self._paths = tuple(paths)
        self._only = frozenset(only)
        self._nonce = nonce
        self._sources = describe.Sources()
        self._all: list[Any] = []
        self._started_tests: list[Any] = []  # kept alive, so that nothing takes over an id()
        self._numbers: dict[int, int] = {}  # of the tests that have no result yet
        self._found: dict[int, tuple[str, str]] = {}
        self._started = 0.0

    # --- before anything runs --------------------------------------------------------------

    def announce(self, suite: Any) -> unittest.TestSuite:
        """Record every test that was asked for; return a suite of these, in the same grouping."""
        kept = self._kept(suite)
        self._all = list(_tests(kept))
        for number, test in enumerate(self._all):
            self._numbers[id(test)] = number
            name, path, line, source = test.id(), _path(test), 0, ""
            example = getattr(test, "_dt_test", None)
            if name.startswith(_LOADER):
                name = path
            elif example is not None:
                line, source = (example.lineno or 0) + 1, str(example.docstring)[:2000]
            else:
                method = getattr(test, getattr(test, "_testMethodName", ""), None)
                line, source = self._sources.of(method)
            told = {"doctest": True} if example is not None else {}
            self._record("test", id=name, path=path, line=line, source=source, **told)
        self._record("collected", count=len(self._numbers))
        return kept

    def _kept(self, suite: Any) -> unittest.TestSuite:
        kept: unittest.TestSuite = type(suite)()
        for part in suite:
            if hasattr(part, "__iter__"):
                kept.addTest(self._kept(part))
                continue
            path = _path(part)
            is_below = not self._paths or any(
                wanted in (".", path) or path.startswith(wanted + "/") for wanted in self._paths
            )
            if is_below and (
                not self._only or part.id() in self._only or part.id().startswith(_LOADER)
            ):
                kept.addTest(part)
        return kept

    # --- while it runs ---------------------------------------------------------------------

    def startTest(self, test: Any) -> None:  # noqa: N802
        """Take note of the start."""
        super().startTest(test)
        self._started = perf_counter()
        self._started_tests.append(test)
        self._found[id(test)] = (outcome.ERROR, _NOTHING)
        if id(test) in self._numbers:
            self._record("start", number=self._numbers[id(test)])

    def stopTest(self, test: Any) -> None:  # noqa: N802
        """Record the worst that was heard of the test."""
        super().stopTest(test)
        found, message = self._found[id(test)]
        if found == outcome.FAILED and test.id().startswith(_LOADER):
            found = outcome.ERROR
        if id(test) in self._numbers:
            self._finish(test, found, message)
        elif self._nonce in test.id():
            self._record("canary", name=test.id(), outcome=found)

    def _finish(self, test: Any, found: str, message: str) -> None:
        seconds = round(perf_counter() - self._started, 6)
        number = self._numbers.pop(id(test))
        self._record("finish", number=number, outcome=found, message=message, seconds=seconds)

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        """Nothing went wrong, unless something was heard before."""
        self._hear(test, outcome.PASSED, "")

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        """An assertion did not hold."""
        self._hear(test, outcome.FAILED, self._text(test, err))

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        """Something else was raised, by the test or by what a class or module sets up."""
        if id(test) in self._found:
            self._hear(test, outcome.FAILED, self._text(test, err))
        else:
            self._fixture_failed(test, outcome.ERROR, self._text(test, err))

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        """The test, or the class or module it stands in, asks to be skipped."""
        if id(test) in self._found:
            self._hear(test, outcome.SKIPPED, str(reason))
        else:
            self._fixture_failed(test, outcome.SKIPPED, str(reason))

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        """A failure that the test expects."""
        self._hear(test, outcome.XFAILED, self._text(test, err))

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        """unittest counts this as a failure."""
        self._hear(test, outcome.FAILED, "This test was expected to fail and passed.")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        """A part of a test went wrong."""
        if err is not None:
            self._hear(test, outcome.FAILED, f"{subtest}\n{self._text(test, err)}")

    def _hear(self, test: Any, found: str, message: str) -> None:
        before, said = self._found[id(test)]
        if said == _NOTHING or (found != before and outcome.worse(before, found) == found):
            self._found[id(test)] = (found, message)

    def _fixture_failed(self, holder: Any, found: str, message: str) -> None:
        """Take what class or module fixtures raise: `setUpClass (package.module.Class)`.

        The tests behind a failed set-up never start, so this is their result.
        """
        name = str(getattr(holder, "description", holder))
        where = name.partition("(")[2].rstrip(")")
        behind = []
        for test in self._all:
            kind = type(test)
            if where in (kind.__module__, f"{kind.__module__}.{kind.__qualname__}"):
                behind.append(test)
        for test in [test for test in behind if id(test) in self._numbers]:
            self._record("start", number=self._numbers[id(test)])
            self._started = perf_counter()
            self._finish(test, found, f"{name}\n{message}")
        if found == outcome.ERROR and name.startswith("tearDown"):
            path = _path(behind[0]) if behind else where
            self._record("collect_error", id=name, path=path, message=message)

    def _text(self, test: Any, err: Any) -> str:
        return describe.tail(str(self._exc_info_to_string(err, test)))  # type: ignore[attr-defined]


def _tests(suite: Any) -> Iterator[Any]:
    for part in suite:
        if hasattr(part, "__iter__"):
            yield from _tests(part)
        else:
            yield part


def _path(test: Any) -> str:
    """Return the file of a test relative to the tree; of one that cannot be loaded, its guess."""
    name = test.id()
    if name.startswith(_LOADER):
        return _guess(name[len(_LOADER) :].partition(".")[2].replace(".", "/"))
    if example := getattr(test, "_dt_test", None):
        return _relative(str(example.filename))
    module = sys.modules.get(type(test).__module__)
    file = getattr(module, "__file__", None)
    return _relative(str(file)) if file else _guess(type(test).__module__.replace(".", "/"))


def _guess(stem: str) -> str:
    for folder in sys.path:
        for name in (f"{stem}.py", f"{stem}/__init__.py"):
            if os.path.isfile(os.path.join(folder, name)):  # noqa: PTH113, PTH118
                return _relative(os.path.join(folder, name))  # noqa: PTH118
    return f"{stem}.py"


def _relative(path: str) -> str:
    inside = os.path.relpath(path, _ROOT).replace(os.sep, "/")
    return path if inside.startswith("../") else inside


def _canaries(nonce: str) -> unittest.TestSuite:
    module = types.ModuleType(f"test_{nonce}")
    exec(canary.source(nonce, with_pytest=False), module.__dict__)  # noqa: S102
    sys.modules[module.__name__] = module
    try:
        return unittest.TestLoader().loadTestsFromModule(module)
    finally:
        del sys.modules[module.__name__]
