"""Trees that try to look green. None may yield a complete run in which the failing test passes."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.values import Outcome
from tests.sandbox.harness.conftest import Bench

pytestmark = pytest.mark.real

HONEST = """
import app

def test_first():
    assert app.one() == 1

def test_second():
    assert app.one() == 1

def test_third():
    assert True
"""
WRONG = "def one():\n    return 2\n"
ONE_ID = "test_app.py::test_second"


def app(code: str) -> dict[str, str]:
    """A wrong program that also does `code` when it is imported."""
    return {"test_app.py": HONEST, "app.py": code + "\n" + WRONG}


def conftest(code: str) -> dict[str, str]:
    return {"test_app.py": HONEST, "app.py": WRONG, "conftest.py": "import pytest\n" + code}


def called(code: str) -> dict[str, str]:
    """A wrong program that does `code` when it is called."""
    body = "".join(f"    {line}\n" for line in code.splitlines())
    return {"test_app.py": HONEST, "app.py": f"def one():\n{body}    return 2\n"}


FORGE_EVERY_DESCRIPTOR = """
import os, json
def spray():
    line = json.dumps({"kind": "finish", "number": 0, "outcome": "passed", "message": "",
                       "seconds": 0.0}).encode()
    for fd in range(3, 1024):
        try:
            os.write(fd, line)
        except OSError:
            pass
"""
FORGE_INIT = """
import os
for fd in range(0, 64):
    for process in (1, os.getppid()):
        try:
            with open(f"/proc/{process}/fd/{fd}", "wb", buffering=0) as file:
                file.write(b"x" * 100)
        except OSError:
            pass
"""
PASS_REPORTS = """
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    report = result.get_result()
    report.outcome, report.longrepr = "passed", None
"""
CLEAR_CALLS = """
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    call.excinfo = None
    yield
"""
SWALLOW_CALL = """
@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True
"""
CATCH_CALL = """
@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    result = yield
    result.force_result(True)
"""
CATCH_RUNTEST_CALL = """
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    result = yield
    result.force_result(None)
"""
SWALLOW_PROTOCOL = """
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    return True
"""
UNREGISTER = """
def pytest_collection_finish(session):
    manager = session.config.pluginmanager
    for plugin in list(manager.get_plugins()):
        if type(plugin).__name__ == "PytestWatch":
            manager.unregister(plugin)
"""
PATCH_RUNNER = """
import _pytest.runner, _pytest.python, _pytest.reports
_pytest.python.Function.runtest = lambda self: None
"""
PATCH_REPORTS = """
import _pytest.reports
_pytest.reports.TestReport.outcome = property(lambda self: "passed", lambda self, value: None)
"""
PATCH_CALLS = """
import _pytest.runner
keep = _pytest.runner.CallInfo.from_call.__func__
def from_call(cls, func, when, reraise=None):
    def quiet():
        try:
            return func()
        except Exception:
            return None
    return keep(cls, quiet, when, reraise)
_pytest.runner.CallInfo.from_call = classmethod(from_call)
"""
PATCH_WRITE = """
import os, json, time, hashlib
os.write = lambda *a: 0
json.dumps = lambda *a, **k: '{"outcome": "passed"}'
time.perf_counter = lambda: 0.0
"""
FORKS = "import os\nif os.fork() == 0:\n    pass"
HANG_AT_EXIT = """
import threading, time, atexit
threading.Thread(target=lambda: time.sleep(3600)).start()
atexit.register(lambda: time.sleep(3600))
"""

ENTRY_POINT = {
    "assay_green.py": "import pytest\n" + PASS_REPORTS + CATCH_CALL,
    "assay_green-1.dist-info/entry_points.txt": "[pytest11]\ngreen = assay_green\n",
    "assay_green-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: assay-green\nVersion: 1\n",
}
PTH = {
    "green.pth": "import green_start\n",
    "green_start.py": PATCH_RUNNER + PATCH_CALLS + PATCH_WRITE,
}
SITECUSTOMIZE = {"sitecustomize.py": PATCH_RUNNER + PATCH_CALLS + PATCH_WRITE}

# Ways to stop the run or to silence the harness: what comes back must be incomplete.
STOPPING = {
    "exit on import": app("import os\nos._exit(0)"),
    "exit in a call": called("import os\nos._exit(0)"),
    "system exit on import": app("import sys\nsys.exit(0)"),
    "exit in conftest": conftest("import os\nos._exit(0)"),
    "system exit in conftest": conftest("import sys\nsys.exit(0)"),
    "exit from a thread": called("import os, threading\nthreading.Thread(target=os._exit, "
                                 "args=(0,)).start()\nimport time\ntime.sleep(5)"),
    "pytest.exit": called("import pytest\npytest.exit('done', 0)"),
    "kills itself": called("import os\nos.kill(os.getpid(), 9)"),
    "kills the supervisor": called("import os\nos.kill(os.getppid(), 9)\nimport time\ntime.sleep(5)"),
    "kills everything": called("import os\nos.kill(-1, 9)"),
    "stops the session": conftest("def pytest_runtest_teardown(item):\n"
                                  "    item.session.shouldstop = 'enough'\n"),
    "unregisters the plugin": conftest(UNREGISTER),
    "writes to every descriptor": app(FORGE_EVERY_DESCRIPTOR + "spray()"),
    "empties the session": conftest("def pytest_runtest_logstart(nodeid, location): pass\n"
                                    "def pytest_runtestloop(session):\n    return True\n"),
}  # fmt: skip

# Ways to bend results: the run may be complete, but the failing test must not pass.
BENDING = {
    "honest": app(""),
    "exit in a test": called("import sys\nsys.exit(0)"),
    "rewrites reports": conftest(PASS_REPORTS),
    "clears exceptions": conftest(CLEAR_CALLS),
    "swallows the call": conftest(SWALLOW_CALL),
    "catches the call": conftest(CATCH_CALL),
    "catches runtest": conftest(CATCH_RUNTEST_CALL),
    "swallows the protocol": conftest(SWALLOW_PROTOCOL),
    "patches Function": app(PATCH_RUNNER),
    "patches Function in conftest": conftest(PATCH_RUNNER),
    "patches CallInfo": app(PATCH_CALLS),
    "patches TestReport": app(PATCH_REPORTS),
    "patches os.write": app(PATCH_WRITE),
    "writes through proc": app(FORGE_INIT),
    "forks on import": app(FORKS),
    "forks in a test": called(FORKS),
    "hangs at exit": app(HANG_AT_EXIT),
    "forged junit file": {**app(""), "junit.xml": "<testsuite failures='0'/>"},
    "prints success": app("print('3 passed in 0.01s')"),
    "deselects": conftest("def pytest_collection_modifyitems(items):\n    del items[1]\n"),
    "hides by -k": {**app(""), "pytest.ini": "[pytest]\naddopts = -k 'not second'\n"},
    "stops at the first": {**app(""), "pytest.ini": "[pytest]\naddopts = -x\n"},
    "only collects": {**app(""), "pytest.ini": "[pytest]\naddopts = --co\n"},
    "adds xfail": conftest("def pytest_collection_modifyitems(items):\n"
                           "    for i in items: i.add_marker(pytest.mark.xfail)\n"),
    "deletes its files": called("import os\nfor name in os.listdir('.'):\n"
                                "    if name.endswith('.py'): os.path.exists(name) and os.remove(name)"),
    "floods the output": called("import sys\nfor _ in range(100):\n"
                                "    sys.__stdout__.write('x' * 10**6)"),
    "closes descriptors": called("import os\nos.closerange(3, 100)"),
    "equality is always true": app("class Always(int):\n    __eq__ = lambda *a: False\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", STOPPING)
def test_a_run_that_is_cut_short_proves_nothing(bench: Bench, name: str) -> None:
    observation = bench.run(STOPPING[name])
    run = observation.tests
    assert run is not None
    assert not run.complete, run
    assert run.problem.endswith(".")
    assert observation.exit_code is None


@pytest.mark.parametrize("name", BENDING)
def test_a_failing_test_does_not_pass(bench: Bench, name: str) -> None:
    run = bench.results(BENDING[name])
    bent = {result.id: result.outcome for result in run.results}
    assert bent.get(ONE_ID) not in (Outcome.PASSED, Outcome.XPASSED) or run.forged, run
    assert run.complete or run.problem
    print(name, run.complete, run.forged, run.problem, bent)


@pytest.mark.parametrize("files", [ENTRY_POINT, PTH, SITECUSTOMIZE], ids=["entry", "pth", "site"])
def test_an_installed_project_that_bends_the_runner(
    bench: Bench, tmp_path: Path, files: dict[str, str]
) -> None:
    """What head's project installs beside the dependencies is loaded before any test."""
    spoiled = tmp_path / "spoiled"
    shutil.copytree(bench.dependencies, spoiled, symlinks=True)
    (site,) = spoiled.glob("lib/python*/site-packages")
    bench.tree(files, str(site))
    run = replace(bench, dependencies=spoiled).results(app(""))
    bent = {result.id: result.outcome for result in run.results}
    assert bent.get(ONE_ID) is not Outcome.PASSED or run.forged, run


def test_the_keys_cannot_be_read_from_inside(bench: Bench) -> None:
    """Everything under /proc that the tests may open holds neither keys nor the way to the host."""
    spy = """
import os
def test_spy():
    supervisor = str(os.getppid())
    readable = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        for name in ["mem", "environ", "maps", *(f"fd/{n}" for n in range(256))]:
            path = f"/proc/{process}/{name}"
            try:
                open(path, "rb").close()
            except OSError:
                continue
            readable.append((process, os.readlink(path) if "fd/" in path else name))
    print("READABLE", [what for process, what in readable if process in (supervisor, "1")])
    assert 0
"""
    assert "READABLE []" in bench.run({"test_spy.py": spy}).output
