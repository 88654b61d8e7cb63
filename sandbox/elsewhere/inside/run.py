"""Runs tests and records their calls, or makes recorded calls again in a test: `python -S run.py`.

The orders come as one line of JSON on standard input, what was seen goes to the channel.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import unittest
from typing import Any

sys.path[0] = "/opt/assay"
from sandbox.elsewhere.inside.calls import LIKE_DATES, OF_DATES, CallsAgain, Repeats, place  # noqa: E402
from sandbox.elsewhere.inside.recorder import CallRecorder  # noqa: E402

_LARGEST = 1 << 20
AGAIN: CallsAgain | None = None
"""What the test file that is laid over the tree's takes its calls from."""


def main() -> None:
    """Do what the orders say and leave."""
    channel = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    orders = json.loads(sys.stdin.readline())
    gc.disable()  # till the tests are loaded
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    _set_up(orders)
    tree = orders["tree"]
    if orders["calls"]:
        sys.modules["assay_again"] = sys.modules["__main__"]
        global AGAIN  # noqa: PLW0603 - the laid file has no other way to it
        AGAIN = CallsAgain(channel, orders["calls"], Repeats(3, 0.0))
        AGAIN.tell({"place": place(tree)})
        _run(orders)
    else:
        recorder = CallRecorder(tree, orders["tests"], orders["wanted"], orders["touched"])
        recorder.stand_ins.named = orders["named"]
        failed = _run(orders, recorder)
        calls = list(recorder.calls.values())
        _note_timeless(calls, tree)
        told = {"place": place(tree), "sys_path": sys.path, "calls": calls, "failed": failed}
        told["blinded"] = [{"path": path, "test": test} for path, test in recorder.blinded]
        told["misfits"] = recorder.stand_ins.misfits
        told["with_functions"] = recorder.stubs.calls(recorder.unread)
        told["replaced"] = recorder.stand_ins.replaced
        told["unread"] = [{"path": path, "test": test} for path, test in recorder.unread]
        data = json.dumps(told).encode() + b"\n"
        while data:
            data = data[os.write(channel, data) :]
    os._exit(0)


def _note_timeless(calls: list[dict[str, Any]], tree: str) -> None:
    """Say of each call whether neither it nor its test has to do with dates, as far as one can read."""
    of_dates = {call["path"] for call in calls}
    for path in sorted(of_dates):
        with contextlib.suppress(OSError):  # what cannot be read may have to do with dates
            name = os.path.join(tree, path)  # noqa: PTH118
            with open(name, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                text = file.read(_LARGEST)
            if not OF_DATES.search(text):
                of_dates.remove(path)
    for call in calls:
        told = call["arguments"] + call["outcome"]
        is_bare = call["arguments"] == "((), {})"
        call["timeless"] = not (is_bare or call["path"] in of_dates or LIKE_DATES.search(told))


def _set_up(orders: dict[str, Any]) -> None:
    """Do what the interpreter would have done without -S, as the harness does for tests."""
    for name in list(sys.modules):
        if name.split(".")[0] == "sandbox":  # the tree may have one of its own
            del sys.modules[name]
    os.environ.clear()
    os.environ.update(orders["environment"])
    given = orders["environment"].get("PYTHONPATH", "")
    sys.path[:1] = [part for part in given.split(os.pathsep) if part]
    import site  # noqa: PLC0415 - runs the .pth files of the environment

    site.main()
    sys.path.append(os.getcwd())  # noqa: PTH109
    sys.path.extend(one for one in orders.get("sys_path", ()) if one not in sys.path)


_NEUTRAL: dict[str, object] = {
    "numprocesses": None,
    "dist": "no",
    "tx": [],
    "no_cov": True,
    "maxfail": 0,
}


class _Only:
    """Leaves the tests of some files, and runs them here; a plug-in of pytest's."""

    def __init__(self, orders: dict[str, Any], recorder: CallRecorder | None) -> None:
        self._recorder = recorder
        self._wanted = {os.path.join(orders["tree"], path) for path in orders["paths"]}  # noqa: PTH118
        self._only = frozenset(orders.get("only", ()))
        self._cases = frozenset(orders.get("cases", ()))
        self._of_cases = {one.partition("[")[0] for one in self._cases}
        self.passed = 0
        self.failed = False

    def pytest_load_initial_conftests(self) -> None:
        """Look on from here, where the first code of the tests is loaded: to look on takes long."""
        if self._recorder:
            self._recorder.start()

    def pytest_cmdline_main(self, config: Any) -> None:
        """Run in this process, before the options of other plug-ins count."""
        for name, value in _NEUTRAL.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)

    def _unasked(self, path: str) -> bool | None:
        return True if os.path.isfile(path) and path not in self._wanted else None  # noqa: PTH113

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out what was not asked for."""
        kept = []
        for one in items:
            name = str(one.nodeid).partition("[")[0]
            is_named = not self._only or name in self._only
            is_case = name not in self._of_cases or one.nodeid in self._cases
            if str(one.fspath) in self._wanted and is_named and is_case:
                kept.append(one)
        items[:] = kept

    def kept(self, suite: Any) -> unittest.TestSuite:
        """Return what was asked for of unittest's tests."""
        kept: unittest.TestSuite = type(suite)()
        for part in suite:
            if hasattr(part, "__iter__"):
                kept.addTest(self.kept(part))
            elif _file_of(part) in self._wanted and (not self._only or part.id() in self._only):
                kept.addTest(part)
        return kept

    def pytest_runtest_setup(self) -> None:
        """Look on, whatever was done while the files were loaded."""
        if self._recorder:
            self._recorder.start()

    def pytest_runtest_call(self, item: Any) -> None:
        """Look on, whatever the fixtures did."""
        self._look_on(item)
        if self._recorder:
            self._recorder.begun(str(item.fspath), _name_of(item))

    def pytest_runtest_teardown(self, item: Any) -> None:
        """See whether the test was seen to its end."""
        self._look_on(item, is_over=True)

    def _look_on(self, item: Any, *, is_over: bool = False) -> None:
        if self._recorder:
            self._recorder.look_on(str(item.fspath), _name_of(item), is_over=is_over)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note whether all that ran passed."""
        self.failed = self.failed or report.outcome != "passed"
        self.passed += report.when == "call"


def _name_of(item: Any) -> str:
    return str(getattr(item, "originalname", None) or item.name)


def _file_of(test: Any) -> str:
    module = sys.modules.get(type(test).__module__)
    return os.path.abspath(getattr(module, "__file__", None) or "")  # noqa: PTH100


class _OnlySince7(_Only):
    """For pytest 7 and later."""

    def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
        """Load no other file of tests."""
        return self._unasked(str(collection_path))


class _OnlyBefore7(_Only):
    """For pytest 6, whose paths are py.path.local."""

    def pytest_ignore_collect(self, path: Any) -> bool | None:
        """Load no other file of tests."""
        return self._unasked(str(path))


class _Result(unittest.TestResult):
    """What unittest's tests report to; it lets a recorder look on in each of them."""

    def __init__(self, recorder: CallRecorder | None) -> None:
        super().__init__()
        self._recorder = recorder

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        """Look on, whatever was done before."""
        super().startTest(test)
        if self._recorder:
            self._recorder.start()
            self._recorder.begun(_file_of(test), test.id().rpartition(".")[2])

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        """See whether the test was seen to its end."""
        if self._recorder:
            self._recorder.look_on(_file_of(test), test.id().rpartition(".")[2], is_over=True)
        super().stopTest(test)


class _Loaded(unittest.TestProgram):
    """unittest's own command line, stopped before it runs anything."""

    test: unittest.TestSuite

    def runTests(self) -> None:  # noqa: N802 - unittest's name
        """Do nothing: only what is wanted of the suite is run."""


def _run(orders: dict[str, Any], recorder: CallRecorder | None = None) -> bool:
    """Run the tests; say whether one of them did not pass, or none ran."""
    arguments = list(orders["arguments"])
    only = _Only(orders, recorder)
    try:
        if orders["runner"] == "pytest":
            import pytest  # noqa: PLC0415 - the environment's

            is_old = int(pytest.__version__.split(".")[0]) < 7
            only = (_OnlyBefore7 if is_old else _OnlySince7)(orders, recorder)
            with contextlib.suppress(AttributeError):  # as the harness does for tests
                gc.freeze()
            gc.enable()
            pytest.main(arguments, plugins=[only])
        else:
            gc.enable()
            sys.path.insert(0, os.getcwd())  # noqa: PTH109 - as python -m does
            if recorder:
                recorder.start()
            program = _Loaded(module=None, argv=["python -m unittest", *arguments], exit=False)
            result = only.kept(program.test).run(_Result(recorder))
            only.failed = bool(result.errors or result.failures or result.skipped)
            only.passed = result.testsRun
    except BaseException as error:  # whatever the tree raises
        sys.stderr.write(repr(error) + "\n")
    if recorder:
        recorder.stop()
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    return only.failed or not only.passed


if __name__ == "__main__":
    main()
