"""What the harness says of projects that use unittest."""

from __future__ import annotations

import pytest

from sandbox.values import TestRunner
from tests.sandbox.harness.conftest import Bench, by_id

pytestmark = pytest.mark.real

CASES = '''
import unittest

class Plain(unittest.TestCase):
    def test_passes(self):
        """Says that one is one."""
        self.assertEqual(1, 1)

    def test_fails(self):
        self.assertEqual(1, 2)

    def test_breaks(self):
        raise RuntimeError("broken")

    @unittest.skip("not today")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_known_bug(self):
        self.fail()

    @unittest.expectedFailure
    def test_mended(self):
        pass

    def test_parts(self):
        for value in range(3):
            with self.subTest(value=value):
                self.assertNotEqual(value, 1)

    def test_leaves(self):
        raise SystemExit(0)

class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_awaits(self):
        self.assertTrue(True)

    async def test_awaits_in_vain(self):
        self.assertTrue(False)

class Unready(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("no database")

    def test_one(self):
        pass

class Untidy(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        raise RuntimeError("cannot clean up")

    def test_one(self):
        pass

@unittest.skip("whole class")
class Idle(unittest.TestCase):
    def test_one(self):
        self.fail()
'''


def test_every_outcome_is_told_apart(bench: Bench) -> None:
    files = {
        "tests/__init__.py": "",
        "tests/test_cases.py": CASES,
        "tests/test_broken.py": "import nowhere\n",
        "tests/test_idle.py": "import unittest\nraise unittest.SkipTest('not here')\n",
    }
    observation = bench.run(files, runner=TestRunner.UNITTEST)
    run = observation.tests
    assert run is not None
    assert (run.complete, run.problem) == (True, "")
    found = {r.id.removeprefix("tests.test_cases."): r.outcome.value for r in run.results}
    assert found == {
        "Plain.test_passes": "passed",
        "Plain.test_fails": "failed",
        "Plain.test_breaks": "failed",
        "Plain.test_skipped": "skipped",
        "Plain.test_known_bug": "xfailed",
        "Plain.test_mended": "failed",
        "Plain.test_parts": "failed",
        "Plain.test_leaves": "failed",
        "Asynchronous.test_awaits": "passed",
        "Asynchronous.test_awaits_in_vain": "failed",
        "Unready.test_one": "error",
        "Untidy.test_one": "passed",
        "tearDownClass (tests.test_cases.Untidy)": "error",
        "Idle.test_one": "skipped",
        "tests/test_broken.py": "error",
        "tests/test_idle.py": "skipped",
    }
    results = by_id(run)
    passes = results["tests.test_cases.Plain.test_passes"]
    assert (passes.path, passes.line) == ("tests/test_cases.py", 5)
    assert "Says that one is one." in passes.source
    assert "No module named 'nowhere'" in results["tests/test_broken.py"].message
    assert "no database" in results["tests.test_cases.Unready.test_one"].message


def test_selected_files_only(bench: Bench) -> None:
    one = "import unittest\nclass T(unittest.TestCase):\n    def test(self): pass\n"
    files = {"tests/__init__.py": "", "tests/test_a.py": one, "tests/test_b.py": one}
    found = bench.run(
        files,
        runner=TestRunner.UNITTEST,
        arguments=("discover", "-s", "tests", "-t", "."),
        paths=("tests/test_b.py",),
    )
    assert found.tests is not None
    assert [result.id for result in found.tests.results] == ["tests.test_b.T.test"]
    assert found.command == "python -m unittest tests/test_b.py"  # `discover` takes no files


def test_the_program_under_test_is_called_as_unittest_calls_it(bench: Bench) -> None:
    test = (
        "import sys, unittest\nclass T(unittest.TestCase):\n"
        "    def test(self): self.assertEqual(sys.argv[0], 'python -m unittest')\n"
    )
    found = bench.run({"test_a.py": test}, runner=TestRunner.UNITTEST, arguments=("discover",))
    assert found.tests is not None
    assert [result.outcome.value for result in found.tests.results] == ["passed"], found


def test_a_suite_of_files_with_examples(bench: Bench) -> None:
    suite = (
        "import doctest, unittest\n\ndef everything():\n"
        "    return doctest.DocFileSuite('docs/sums.txt', 'docs/rest.txt', module_relative=False)\n"
    )
    files = {
        "suite.py": suite,
        "docs/sums.txt": ">>> 1 + 1\n2\n",
        "docs/rest.txt": ">>> 5 % 3\n1\n",
    }
    options = {"runner": TestRunner.UNITTEST, "arguments": ("suite.everything",)}
    run = bench.results(files, **options)
    told = {one.path: (one.outcome.value, one.is_doctest, one.source) for one in run.results}
    assert run.complete
    assert told["docs/sums.txt"] == ("passed", True, ">>> 1 + 1\n2\n")
    assert told["docs/rest.txt"][0] == "failed"
    (only,) = bench.results(files, paths=("docs/sums.txt",), **options).results
    assert only.path == "docs/sums.txt"


def test_load_tests_and_a_start_folder(bench: Bench) -> None:
    text = CASES + "\ndef load_tests(loader, tests, pattern):\n"
    text += "    return loader.loadTestsFromName('Plain.test_passes', __import__(__name__))\n"
    run = bench.results(
        {"checks/test_cases.py": text, "checks/test_broken.py": "import nowhere\n"},
        runner=TestRunner.UNITTEST,
        arguments=("discover", "-s", "checks"),
    )
    found = {result.id: (result.path, result.outcome.value) for result in run.results}
    assert found == {
        "test_cases.Plain.test_passes": ("checks/test_cases.py", "passed"),
        "checks/test_broken.py": ("checks/test_broken.py", "error"),
    }


@pytest.mark.parametrize(
    "code",
    [
        "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None",
        "import unittest\nunittest.TestCase.run = lambda self, result: result.addSuccess(self)",
        "import unittest\nunittest.TestCase._callTestMethod = lambda *a: None",
        "import unittest\nunittest.TestResult.addFailure = lambda *a: None",
        "import os\nos._exit(0)",
    ],
)
def test_a_bent_unittest_is_seen(bench: Bench, code: str) -> None:
    case = (
        "import unittest, app\nclass T(unittest.TestCase):\n"
        "    def test(self):\n        self.assertEqual(app.one(), 1)\n"
    )
    files = {"test_app.py": case, "app.py": f"{code}\ndef one():\n    return 2\n"}
    run = bench.results(files, runner=TestRunner.UNITTEST)
    passed = [result for result in run.results if result.outcome.value == "passed"]
    assert not run.complete or not passed
