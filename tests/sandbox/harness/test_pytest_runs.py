"""What the harness says of honest projects that use pytest."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from sandbox.values import Outcome, TestRun
from tests.sandbox.harness.conftest import SANDBOX_PYTHON, Bench, by_id, outcomes

pytestmark = pytest.mark.real

EVERY_OUTCOME = '''
import pytest

def test_passes():
    """Says that one is one."""
    assert 1 == 1

def test_fails():
    assert [1, 2] == [1, 3]

@pytest.fixture
def broken():
    raise RuntimeError("no database")

def test_setup_breaks(broken):
    pass

@pytest.fixture
def messy():
    yield
    raise RuntimeError("cannot clean up")

def test_teardown_breaks(messy):
    pass

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

def test_skips_itself():
    pytest.skip("later")

@pytest.mark.xfail(reason="known bug")
def test_known_bug():
    assert False

@pytest.mark.xfail(reason="known bug")
def test_mended():
    pass

@pytest.mark.xfail(strict=True, reason="known bug")
def test_mended_strictly():
    pass

@pytest.mark.parametrize("value", [1, 2, 3])
def test_values(value):
    assert value < 3
'''
OUTCOMES = {
    "test_passes": "passed",
    "test_fails": "failed",
    "test_setup_breaks": "error",
    "test_teardown_breaks": "error",
    "test_skipped": "skipped",
    "test_skips_itself": "skipped",
    "test_known_bug": "xfailed",
    "test_mended": "xpassed",
    "test_mended_strictly": "failed",
    "test_values[1]": "passed",
    "test_values[2]": "passed",
    "test_values[3]": "failed",
}
"""What each test of `EVERY_OUTCOME` ends with."""


def test_every_outcome_is_told_apart(bench: Bench) -> None:
    observation = bench.run({"test_all.py": EVERY_OUTCOME})
    run = observation.tests
    assert run is not None
    assert outcomes(run) == OUTCOMES
    assert (run.complete, run.problem, run.forged) == (True, "", False)
    assert observation.exit_code == 1
    passes = by_id(run)["test_all.py::test_passes"]
    assert (passes.path, passes.line) == ("test_all.py", 4)
    assert "Says that one is one." in passes.source
    fails = by_id(run)["test_all.py::test_fails"]
    assert "assert [1, 2] == [1, 3]" in fails.message
    assert "At index 1 diff: 2 != 3" in fails.message


def test_files_that_cannot_be_collected_are_errors_and_the_others_run(bench: Bench) -> None:
    run = bench.results(
        {
            "tests/test_good.py": "def test_it(): pass\n",
            "tests/test_bad.py": "import nowhere\ndef test_it(): pass\n",
            "tests/test_syntax.py": "def test_it(:\n",
            "tests/test_idle.py": "import pytest\npytest.skip('not here', allow_module_level=True)\n",
        }
    )
    assert run.complete
    assert {result.id: result.outcome.value for result in run.results} == {
        "tests/test_good.py::test_it": "passed",
        "tests/test_bad.py": "error",
        "tests/test_syntax.py": "error",
        "tests/test_idle.py": "skipped",
    }
    results = by_id(run)
    assert "No module named 'nowhere'" in results["tests/test_bad.py"].message
    assert results["tests/test_idle.py"].message == "Skipped: not here"


def test_a_project_below_the_settings_of_the_whole_has_ids_of_the_tree(bench: Bench) -> None:
    """pytest's root is where the settings are, above the folder that it is started in."""
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-ra'\n",
        "packages/one/test_good.py": "def test_it(): pass\n",
        "packages/one/test_bad.py": "import nowhere\ndef test_it(): pass\n",
    }
    run = bench.results(files, root="packages/one")
    assert {(result.id, result.path) for result in run.results} == {
        ("packages/one/test_good.py::test_it", "packages/one/test_good.py"),
        ("packages/one/test_bad.py", "packages/one/test_bad.py"),
    }


def test_the_source_of_generated_code_is_found(bench: Bench) -> None:
    """Where the tree keeps it: `linecache` is one and the same for it and for `inspect`."""
    test = (
        "import inspect, linecache\n\n\ndef test_it():\n    text = 'def made(): return 1\\n'\n"
        "    linecache.cache['<made>'] = (len(text), None, [text], '<made>')\n    space = {}\n"
        "    exec(compile(text, '<made>', 'exec'), space)\n"
        "    assert inspect.getsource(space['made']) == text\n"
    )
    assert outcomes(bench.results({"test_made.py": test})) == {"test_it": "passed"}


def test_a_conftest_that_cannot_be_loaded_is_an_error_of_its_own(bench: Bench) -> None:
    files = {"tests/conftest.py": "import nowhere\n", "tests/test_a.py": "def test_it(): pass\n"}
    run = bench.results(files)
    assert run.complete
    assert [(r.id, r.path, r.outcome.value) for r in run.results] == [
        ("tests/conftest.py", "tests/conftest.py", "error")
    ]
    assert run.results[0].message == "ModuleNotFoundError: No module named 'nowhere'"


@pytest.mark.parametrize(
    ("conftest", "problem"),
    [
        ("import _pytest.runner as it\n\ndel it.runtestprotocol\n",
         "Assay's own plug-in failed in pytest {0}: AttributeError: module '_pytest.runner' has no "
         "attribute 'runtestprotocol'."),
        ("def pytest_collection_modifyitems(items):\n    raise KeyError('order')\n",
         "An internal error ended pytest {0}: KeyError: order."),
    ],
    ids=["ours", "theirs"],
)  # fmt: skip
def test_what_ends_pytest_itself_is_told(bench: Bench, conftest: str, problem: str) -> None:
    run = bench.results({"conftest.py": conftest, "test_a.py": "def test_a(): pass\n"})
    assert not run.complete
    assert run.problem == problem.format(pytest.__version__)


def test_tests_may_take_away_the_folder_that_they_are_in(bench: Bench) -> None:
    gone = (
        "import os\nimport tempfile\n\n\ndef test_a():\n    with tempfile.TemporaryDirectory() as place:\n"
        "        os.chdir(place)\n\n\ndef test_b():\n    assert 1\n"
    )
    run = bench.results({"test_a.py": gone})
    assert run.complete, run.problem
    assert outcomes(run) == {"test_a": "passed", "test_b": "passed"}


def test_a_test_that_calls_the_hook_for_uncaught_exceptions_ends_nothing(bench: Bench) -> None:
    shown = (
        "import sys\n\n\ndef test_shown():\n    try:\n        int('x')\n    except ValueError:\n"
        "        sys.excepthook(*sys.exc_info())\n\n\ndef test_after():\n    assert not 1\n"
    )
    run = bench.results({"test_a.py": shown})
    assert (run.complete, run.problem) == (True, "")
    assert [one.outcome for one in run.results] == [Outcome.PASSED, Outcome.FAILED]


def test_a_pytest_that_cannot_be_imported(bench: Bench, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    subprocess.run([SANDBOX_PYTHON, "-m", "venv", "--without-pip", broken], check=True)
    site = next(broken.glob("lib/python3*/site-packages"))
    (site / "pytest.py").write_text("raise AttributeError('too old')\n")
    problem = (
        replace(bench, dependencies=broken).run({"test_a.py": "def test_it(): pass\n"}).problem
    )
    assert problem == "Pytest could not be started: AttributeError: too old."


def test_a_tree_without_tests(bench: Bench) -> None:
    observation = bench.run({"app.py": ""})
    assert observation.tests is not None
    assert (observation.tests.complete, observation.tests.results) == (True, ())
    assert observation.problem == "No tests were collected."


def test_an_environment_without_pytest(bench: Bench, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([SANDBOX_PYTHON, "-m", "venv", "--without-pip", bare], check=True)
    observation = replace(bench, dependencies=bare).run({"test_a.py": "def test_it(): pass\n"})
    assert observation.tests is not None
    assert not observation.tests.complete
    assert observation.problem == "Pytest is not installed in the environment."


def test_arguments_that_pytest_refuses(bench: Bench) -> None:
    observation = bench.run({"test_a.py": "def test_it(): pass\n"}, arguments=("--nonsense",))
    assert observation.problem.startswith(
        "pytest refused its arguments before any test ran. It said: "
    )
    assert observation.problem.endswith("error: unrecognized arguments: --nonsense.")
    assert "unrecognized arguments: --nonsense" in observation.output


def test_a_test_that_never_ends(bench: Bench) -> None:
    text = "import time\ndef test_a(): pass\ndef test_b(): time.sleep(600)\ndef test_c(): pass\n"
    observation = bench.run({"test_slow.py": text}, timeout_s=10)
    assert observation.tests is not None
    assert observation.timed_out
    assert not observation.tests.complete
    assert observation.problem == ("The test run timed out after 10 s in test_slow.py::test_b.")
    assert outcomes(observation.tests) == {"test_a": "passed", "test_b": "error"}


def test_only_the_files_asked_for(bench: Bench) -> None:
    one = "def test_it(): pass\n"
    files = {
        "tests/unit/test_a.py": one,
        "tests/unit/test_b.py": one,
        "tests/deep/test_c.py": one,
        "tests/deep/test_d.py": "import nowhere\n",
        "pytest.ini": "[pytest]\ntestpaths = tests\n",
    }
    run = bench.results(files, paths=("tests/unit/test_b.py", "tests/deep/test_c.py"))
    assert run.complete
    assert [r.id for r in run.results] == ["tests/deep/test_c.py::test_it",
                                           "tests/unit/test_b.py::test_it"]  # fmt: skip
    run = bench.results(files, paths=("tests/deep",), arguments=("tests/unit/test_a.py", "tests"))
    assert {r.id for r in run.results} == {"tests/deep/test_c.py::test_it", "tests/deep/test_d.py"}
    arguments = ("--ignore", "tests", "tests", "-k", "it")
    asked = bench.run(files, paths=("tests/deep/test_c.py",), arguments=arguments)
    assert asked.command == "python -m pytest --ignore tests -k it tests/deep/test_c.py"


MIXED = '''
import unittest
import pytest

class TestGroup:
    @pytest.mark.parametrize("text", ["a/b", "ä", "x::y", "[z]"])
    def test_ids(self, text):
        assert text

class Case(unittest.TestCase):
    def test_passes(self):
        self.assertEqual(1, 1)

    def test_fails(self):
        self.assertEqual(1, 2)

    def test_parts(self):
        for value in range(3):
            with self.subTest(value=value):
                self.assertNotEqual(value, 1)

    @unittest.expectedFailure
    def test_known_bug(self):
        self.fail()

class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_awaits(self):
        self.assertTrue(True)

    async def test_awaits_in_vain(self):
        self.assertTrue(False)

def test_subtests(subtests):
    for value in range(3):
        with subtests.test(value=value):
            assert value != 1

def test_good_subtests(subtests):
    with subtests.test("one"):
        assert True

def helper():
    """
    >>> helper()
    1
    """
    return 2
'''


def test_classes_unittest_subtests_and_doctests(bench: Bench) -> None:
    run = bench.results({"test_mixed.py": MIXED}, arguments=("--doctest-modules",))
    assert run.complete, run.problem
    assert outcomes(run) == {
        "TestGroup::test_ids[a/b]": "passed",
        "TestGroup::test_ids[\\xe4]": "passed",
        "TestGroup::test_ids[x::y]": "passed",
        "TestGroup::test_ids[[z]]": "passed",
        "Case::test_passes": "passed",
        "Case::test_fails": "failed",
        "Case::test_parts": "failed",
        "Case::test_known_bug": "xfailed",
        "Asynchronous::test_awaits": "passed",
        "Asynchronous::test_awaits_in_vain": "failed",
        "test_subtests": "failed",
        "test_good_subtests": "passed",
        "test_mixed.helper": "failed",
    }
    doctest = by_id(run)["test_mixed.py::test_mixed.helper"]
    assert doctest.path == "test_mixed.py"
    assert ">>> helper()" in doctest.source


AWAITING = """
import asyncio
import inspect

def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        names = pyfuncitem._fixtureinfo.argnames
        asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
        return True
"""
REPEATING = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for attempt in range(3):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not any(report.failed for report in reports):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    return True
"""


def test_honest_plugins_are_understood(bench: Bench) -> None:
    run = bench.results(
        {
            "one/conftest.py": AWAITING,
            "one/test_async.py": "async def test_good(tmp_path): assert tmp_path\n"
            "async def test_bad(): assert False\n",
            "two/conftest.py": REPEATING,
            "two/test_again.py": "calls = []\ndef test_third_time():\n"
            "    calls.append(1)\n    assert len(calls) == 3\n"
            "def test_never():\n    assert False\n",
        }
    )
    assert run.complete
    assert outcomes(run) == {
        "test_good": "passed",
        "test_bad": "failed",
        "test_third_time": "passed",
        "test_never": "failed",
    }


LINTING = """
import pytest


class File(pytest.File):
    def collect(self):
        yield Item.from_parent(self, name="ruff::format")


class Item(pytest.Item):
    def runtest(self):
        assert "( " not in self.path.read_text()


def pytest_collect_file(file_path, parent):
    return File.from_parent(parent, path=file_path) if file_path.suffix == ".py" else None
"""


def test_what_a_linter_says_is_told_apart(bench: Bench) -> None:
    test = "def test_one():\n    assert ( 1 )\n"
    files = {"pytest_ruff.py": LINTING, "conftest.py": "pytest_plugins = ['pytest_ruff']\n"}
    run = bench.results({**files, "test_a.py": test})

    lint = {one.id: one.outcome.value for one in run.results if one.is_lint}
    assert (lint["test_a.py::ruff::format"], lint["conftest.py::ruff::format"]) == (
        "failed",
        "passed",
    )
    assert outcomes(run)["test_one"] == "passed"
    assert [one.is_lint for one in run.results if one.id == "test_a.py::test_one"] == [False]


FUSSY = """
import pytest

@pytest.fixture(autouse=True, scope="session")
def server():
    yield 1

@pytest.fixture(autouse=True)
def needs_a_class(request):
    assert request.cls.NAME

def pytest_runtest_setup(item):
    item.cls.NAME.upper()

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    item.cls.NAME.upper()
    yield
"""


def test_hooks_that_only_know_their_own_tests_do_not_spoil_the_run(bench: Bench) -> None:
    text = "class TestIt:\n    NAME = 'x'\n    def test_it(self): pass\n"
    run = bench.results({"conftest.py": FUSSY, "test_it.py": text})
    assert (run.complete, run.problem) == (True, "")
    assert outcomes(run) == {"TestIt::test_it": "passed"}


def test_warnings_as_errors_and_strict_settings(bench: Bench) -> None:
    ini = "[pytest]\nfilterwarnings = error\naddopts = --strict-markers --strict-config -p no:cacheprovider\n"
    run = bench.results({"pytest.ini": ini, "test_it.py": "def test_it(): pass\n"})
    assert (run.complete, outcomes(run)) == (True, {"test_it": "passed"})


def test_garbage_is_collected_while_tests_run(bench: Bench) -> None:
    files = {"test_it.py": "import gc\n\ndef test_collects():\n    assert gc.isenabled()\n"}
    assert outcomes(bench.results(files)) == {"test_collects": "passed"}


def test_a_program_under_test_is_called_as_it_is_where_pytest_is_typed(bench: Bench) -> None:
    test = (
        "import argparse\n\ndef test_it():\n    assert argparse.ArgumentParser().prog == 'pytest'\n"
    )
    assert outcomes(bench.results({"test_it.py": test})) == {"test_it": "passed"}


def test_a_long_failure_keeps_its_end(bench: Bench) -> None:
    text = "def test_it():\n    raise ValueError('start ' + 'x' * 200_000 + ' the end')\n"
    (result,) = bench.results({"test_it.py": text}).results
    assert len(result.message) < 4100
    assert "the end" in result.message


def test_a_test_that_is_named_for_a_whole_file_has_a_short_name(bench: Bench) -> None:
    parameters = '("x" * 2_000_000 + "a", "x" * 2_000_000 + "b")'
    text = f"import pytest\n\n@pytest.mark.parametrize('v', {parameters})\ndef test_v(v): pass\n"
    run = bench.results({"test_v.py": text})
    assert (run.complete, run.forged, len(run.results)) == (True, False, 2)
    names = {one.id for one in run.results}
    assert len(names) == 2 and max(map(len, names)) < 1100


def test_a_thousand_tests(bench: Bench) -> None:
    text = "import pytest\n@pytest.mark.parametrize('n', range(1000))\ndef test_n(n): pass\n"
    run = bench.results({"test_many.py": text})
    assert (run.complete, len(run.results)) == (True, 1000)
    adapter = TypeAdapter(TestRun)
    assert adapter.validate_json(adapter.dump_json(run)) == run


def test_every_parameter_set_has_the_code_of_its_function(bench: Bench) -> None:
    text = "import pytest\n\n@pytest.mark.parametrize('n', range(3))\ndef test_it(n):\n    assert n < 9\n"
    run = bench.results({"test_a.py": text, "test_b.py": text.replace("< 9", "< 7")})
    assert len(run.results) == 6
    assert all("< 9" in r.source for r in run.results if r.path == "test_a.py")
    assert all("< 7" in r.source for r in run.results if r.path == "test_b.py")
