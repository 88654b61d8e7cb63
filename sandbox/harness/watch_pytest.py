"""Runs pytest in this process with a plugin of ours that records what every test does."""

from __future__ import annotations

import ast
import importlib
import os
import sys
import types
import unittest
from collections.abc import Callable, Generator
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from sandbox.harness import canary, describe
from sandbox.harness.chain import Recorder
from sandbox.harness.item_watch import Exceptions, ItemWatch

_OURS = "Assay's own plug-in"
_Hook = TypeVar("_Hook", bound="Callable[..., Any]")

# Options that hide tests, stop early or run them elsewhere, with the value that does not.
_NEUTRAL: dict[str, object] = {
    "maxfail": 0, "collectonly": False, "continue_on_collection_errors": True,
    "lf": False, "failedfirst": False, "newfirst": False, "stepwise": False,
    "setuponly": False, "setupplan": False, "usepdb": False, "trace": False,
    "numprocesses": None, "dist": "no", "tx": [], "distload": False, "looponfail": False,
    "forked": False, "cov_source": None, "no_cov": True, "color": "no",
    "randomly_reorganize": False, "randomly_seed": 0, "hypothesis_seed": "0",
}  # fmt: skip


_LINTERS = frozenset((
    "pytest_black", "pytest_checkdocs", "pytest_codestyle", "pytest_flake8", "pytest_flakes", "pytest_isort",
    "pytest_mypy", "pytest_pep8", "pytest_pycodestyle", "pytest_pydocstyle", "pytest_pylint", "pytest_ruff",
))  # fmt: skip
"""Plug-ins whose items say what a linter finds in a file."""


def hook(**options: object) -> Callable[[_Hook], _Hook]:
    """Mark a hook as pytest's own decorator does, without importing pytest."""

    def mark(function: _Hook) -> _Hook:
        marks = {"hookwrapper": False, "optionalhook": False, "tryfirst": False, "trylast": False}
        function.__dict__["pytest_impl"] = {**marks, "specname": None, **options}
        return function

    return mark


def run(recorder: Recorder, orders: dict[str, Any]) -> int:
    """Run pytest to its end and return its exit status."""
    try:
        import pytest  # noqa: PLC0415 - the environment's, which may have none
    except ImportError as error:
        missing = error.name in ("pytest", "_pytest")
        text = "pytest is not installed in the environment"
        if not missing:
            text = f"pytest cannot be imported: {describe.tail(str(error.msg))}"
        recorder.record("problem", text=text)
        return 4
    plugin = (Watch6 if int(pytest.__version__.split(".")[0]) < 7 else PytestWatch)(
        recorder, orders["paths"], orders["only"], pytest
    )
    if orders["crossed"]:
        _pass_over_unknown_warnings()
    plugin.canaries = Canaries(pytest, orders["nonce"], plugin.exceptions, recorder)
    refused = __import__("pluggy").PluginValidationError
    try:
        # programs under test name themselves by it, as they do where `pytest` is typed
        sys.argv[:] = [
            os.path.join(os.path.dirname(sys.executable), "pytest"),  # noqa: PTH118, PTH120
            *orders["arguments"],
        ]
        return int(pytest.main(list(orders["arguments"]), plugins=[plugin]))
    except refused as error:
        is_own = getattr(error, "plugin", None) is plugin
        who = f"{_OURS} is refused by" if is_own else "a plug-in is refused by"
        recorder.record(
            "problem", text=f"{who} pytest {pytest.__version__}: {describe.raised(error)}"
        )
        return 4


class _OfOtherSide(Warning):
    """Stands for a kind of warning that only the other side's code has, so that nothing raises it."""


def _pass_over_unknown_warnings() -> None:
    """Let pytest run where `filterwarnings` of one side names what the other side's code does not have."""
    config = importlib.import_module("_pytest.config")
    resolve = getattr(config, "_resolve_warning_category", None)  # pytest 6.2 and newer
    if resolve is None:
        return

    def category(name: str) -> type[Warning]:
        try:
            return resolve(name)  # type: ignore[no-any-return]
        except (ImportError, AttributeError):
            return _OfOtherSide

    config._resolve_warning_category = category  # type: ignore[attr-defined]


class WatchBase:
    """The plugin. Every hook wraps, so nothing that answers first can hide an event from it."""

    canaries: Canaries

    def __init__(self, recorder: Recorder, paths: list[str], only: list[str], pytest: Any) -> None:
        self._record = recorder.record
        self._paths = tuple(paths)
        self._only = frozenset(only)
        self._root = os.getcwd()  # noqa: PTH109
        self._function = pytest.Function
        self._version = str(pytest.__version__)
        self._sources = describe.Sources()
        self._collected: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._watches: dict[int, ItemWatch] = {}
        self._used: dict[str, int] = {}
        self._raised: dict[str, str] = {}
        self._above = ""  # the project's folder below pytest's own root, where that is above it
        skipped = (pytest.skip.Exception, unittest.SkipTest)
        self.exceptions = Exceptions(skipped, pytest.xfail.Exception)

    # --- starting --------------------------------------------------------------------------

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: Any) -> Generator[None, Any, None]:
        """Switch coverage off before it starts, and report a conftest.py that cannot be loaded."""
        early_config.known_args_namespace.cov_source = None
        result = yield
        if result.excinfo and type(result.excinfo[1]).__name__ == "ConftestImportFailure":
            failure = result.excinfo[1]
            cause = getattr(failure, "cause", None) or failure.excinfo[1]
            path = self._relative(str(failure.path))
            message = describe.tail(f"{type(cause).__name__}: {cause}")
            raised = describe.raised(cause)
            self._record("conftest_error", id=path, path=path, message=message, raised=raised)

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config: Any) -> Generator[None, Any, None]:
        """Take out of force what hides tests."""
        self._neutralise(config)
        top = str(getattr(config, "rootpath", None) or config.rootdir)
        above = os.path.relpath(self._root, top).replace(os.sep, "/")
        self._above = "" if above == "." else f"{above}/"
        yield

    def _neutralise(self, config: Any) -> None:
        for name, value in _NEUTRAL.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)

    # --- collecting ------------------------------------------------------------------------

    def selected(self, path: str) -> bool:
        """Tell whether a file is among those that were asked for (all, when none were)."""
        relative = self._relative(path)
        return not self._paths or any(
            relative == wanted or relative.startswith(wanted + "/") or wanted == "."
            for wanted in self._paths
        )

    def _wanted(self, item: Any) -> bool:
        named = not self._only or str(item.nodeid).partition("[")[0] in self._only
        return named and self.selected(_path(item))

    def ignored(self, path: str) -> bool | None:
        """Answer pytest_ignore_collect: True for a file that was not asked for."""
        return True if os.path.isfile(path) and not self.selected(path) else None  # noqa: PTH113

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_itemcollected(self, item: Any) -> Generator[None, Any, None]:
        """Remember the item, whoever removes it later."""
        self._collected[id(item)] = item
        yield

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: Any) -> Generator[None, Any, None]:
        """Keep what kept a file from being collected, before it becomes text."""
        result = yield
        if result.excinfo is None:
            call = getattr(result.get_result(), "call", None)
            error = getattr(getattr(call, "excinfo", None), "value", None)
            if isinstance(error, BaseException):
                self._raised[str(collector.nodeid)] = describe.raised(error)

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_collectreport(self, report: Any) -> Generator[None, Any, None]:
        """Record files that cannot be collected and files that skip themselves."""
        if report.outcome != "passed":
            kind = "collect_error" if report.outcome == "failed" else "collect_skip"
            named = str(report.nodeid)
            named = named[len(self._above) :] if named.startswith(self._above) else named
            path = named.split("::")[0]
            said = report.longrepr
            if isinstance(said, tuple) and said:  # a skip comes as (file, line, reason)
                said = said[-1]
            message = describe.tail(str(said))
            told = {"id": named or ".", "path": path, "message": message}
            self._record(kind, raised=self._raised.get(str(report.nodeid), ""), **told)
        yield

    # --- running ---------------------------------------------------------------------------

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> Generator[None, Any, None]:
        """Record what will run before anything runs; run the canaries before and after."""
        self._neutralise(session.config)
        session.items[:] = [item for item in session.items if self._wanted(item)]
        for item in session.items:
            if id(item) in self._watches:
                continue
            needs_call = isinstance(item, self._function) and not hasattr(item, "addSubTest")
            needs_call = needs_call and not hasattr(item, "addFailure")
            self._numbers[id(item)] = len(self._watches)
            self._watches[id(item)] = ItemWatch(item, self.exceptions, needs_call)
            self._collected[id(item)] = item
            self._record("test", **self._description(item))
        for key, item in self._collected.items():
            if key not in self._watches and self._wanted(item):
                self._record("deselected", **self._description(item))
        self._record("collected", count=len(self._watches))
        if not self._watches:
            yield  # nothing to control
            return
        self.canaries.run(session)
        yield
        self.canaries.run(session)

    @hook(tryfirst=True)
    def pytest_internalerror(self, excinfo: Any) -> None:
        """Say what ended pytest itself, and whether it was this plug-in."""
        own = describe.is_own(excinfo.tb)
        who = f"{_OURS} failed in" if own else "an internal error ended"
        said = describe.raised(excinfo.value)
        self._record("problem", text=f"{who} pytest {self._version}: {said}")

    def _description(self, item: Any) -> dict[str, object]:
        line, source = self._sources.of(getattr(item, "obj", None))
        example = getattr(item, "dtest", None)
        if example is not None:
            line, source = (example.lineno or 0) + 1, str(example.docstring)[:2000]
        name = describe.name(item.nodeid)
        self._used[name] = self._used.get(name, 0) + 1
        if self._used[name] > 1:
            name = f"{name}#{self._used[name]}"
        told = {"id": name, "path": self._relative(_path(item)), "line": line, "source": source}
        if type(item).__module__.partition(".")[0] in _LINTERS:
            told["lint"] = True
        return {**told, "doctest": True} if example is not None else told

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, None]:
        """Record the start, and after all phases and repeats the outcome."""
        if id(item) not in self._watches:
            yield
            return
        number = self._numbers[id(item)]
        self._record("start", number=number)
        started = perf_counter()
        yield
        found, message = self._watches[id(item)].verdict()
        seconds = round(perf_counter() - started, 6)
        self._record("finish", number=number, outcome=found, message=message, seconds=seconds)

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        """Keep the exception as it came, and the report as it left all other plugins."""
        raised = call.excinfo.value if call.excinfo else None
        result = yield
        watch = self._watches.get(id(item)) or self.canaries.watch_of(item)
        if watch is not None and result.excinfo is None:
            watch.reported(call.when, raised, result.get_result())

    def _relative(self, path: str) -> str:
        inside = os.path.relpath(path, self._root).replace(os.sep, "/")
        return path if inside.startswith("../") else inside


class PytestWatch(WatchBase):
    """For pytest 7 and later."""

    @hook(tryfirst=True)
    def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
        """Leave out the files that were not asked for."""
        return self.ignored(str(collection_path))


class Watch6(WatchBase):
    """For pytest 6, whose paths are py.path.local."""

    @hook(tryfirst=True)
    def pytest_ignore_collect(self, path: Any) -> bool | None:
        """Leave out the files that were not asked for."""
        return self.ignored(str(path))


def _path(item: Any) -> str:
    return str(getattr(item, "path", None) or item.fspath)


# --- the canaries, through pytest's own machinery, out of sight of reporters and fixtures ----------


class Canaries:
    """Makes canary items and runs them; each outcome is recorded."""

    def __init__(self, pytest: Any, nonce: str, exceptions: Exceptions, recorder: Recorder) -> None:
        self._pytest = pytest
        self._nonce = nonce
        self._exceptions = exceptions
        self._record = recorder.record
        self._root = Path.cwd()  # tests may take away the folder that they have gone to
        self._watches: dict[int, ItemWatch] = {}

    def watch_of(self, item: Any) -> ItemWatch | None:
        """Return the watch of a canary item, None for any other."""
        return self._watches.get(id(item))

    def run(self, session: Any) -> None:
        """Run every canary once. They are not in `session.items` and no reporter hears of them.

        Nobody reads how one fails, and finding the source of what has no file takes long.
        """
        option = session.config.option
        style, option.tbstyle = getattr(option, "tbstyle", "auto"), "no"
        try:
            self._run(session)
        finally:
            option.tbstyle = style

    def _run(self, session: Any) -> None:
        runtestprotocol = __import__("_pytest.runner", fromlist=["runtestprotocol"]).runtestprotocol
        for item in list(self._items(self._module(session))):
            item.fixturenames = []
            plain = not hasattr(item, "addFailure")
            watch = self._watches[id(item)] = ItemWatch(item, self._exceptions, plain)
            try:
                runtestprotocol(item, log=False, nextitem=None)
            except Exception:
                # Hooks of the tree run in here and may raise anything. What they raise is no test's
                # outcome: a canary without one makes the whole run prove nothing.
                found = canary.UNKNOWN
            else:
                found = watch.seen() if canary.must_pass(item.name) else watch.verdict()[0]
            self._record("canary", name=item.name, outcome=found)
        self._watches.clear()

    def _module(self, session: Any) -> Any:
        """Compile the canaries as pytest compiles a test module: with its assertions rewritten."""
        from _pytest.assertion.rewrite import rewrite_asserts  # noqa: PLC0415 - the environment's

        name = f"test_{self._nonce}"
        text = canary.source(self._nonce, with_pytest=True)
        tree = ast.parse(text)
        rewrite_asserts(tree, text.encode(), f"{name}.py", session.config)
        module = types.ModuleType(name)
        exec(compile(tree, f"{name}.py", "exec"), module.__dict__)  # noqa: S102
        path = self._root / f"{name}.py"

        class CanaryModule(self._pytest.Module):  # type: ignore[misc,name-defined]
            """A module that is in memory only."""

            def _getobj(self) -> Any:
                return module

        if int(self._pytest.__version__.split(".")[0]) < 7:
            local = type(session.fspath)(str(path))
            return CanaryModule.from_parent(session, fspath=local)
        return CanaryModule.from_parent(session, path=path)

    def _items(self, collector: Any) -> Any:
        for node in collector.collect():
            if hasattr(node, "runtest"):
                yield node
            else:
                yield from self._items(node)
