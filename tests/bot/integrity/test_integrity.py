"""Weakened tests and made-up results are found; honest edits are left alone."""

from __future__ import annotations

import difflib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.integrity import inspect_integrity
from bot.integrity.reading.test_code import assertions_in, read_tests
from bot.integrity.weakened_tests.adaptation import find_adapted
from bot.values import FourWay, Requirements, TestChange, Trust
from bot.values import rules as rule
from sandbox.values import ChangeStatus, Diff, FileChange, Hunk, Severity
from tests.bot.verdict.cases import (
    FAILED,
    KEPT,
    PASSED,
    PATH,
    SKIPPED,
    comparison,
    conclusion_of,
    gate_of,
    observed,
    requirements,
)

NOTHING_ASKED = Requirements(())


class Tree(dict):
    """One side's files."""

    def read(self, path: str) -> str | None:
        return self.get(path)

    def read_bytes(self, path: str) -> bytes | None:
        text = self.get(path)
        return text if text is None or isinstance(text, bytes) else text.encode()

    def paths(self) -> tuple[str, ...]:
        return tuple(self)


def changed(path: str, before: str | None, after: str | None) -> FileChange:
    status = ChangeStatus.MODIFIED
    if before is None:
        status = ChangeStatus.ADDED
    elif after is None:
        status = ChangeStatus.DELETED
    old, new = (before or "").splitlines(), (after or "").splitlines()
    lines = [line for line in difflib.ndiff(old, new) if line[0] in " +-"]
    hunk = Hunk(1, len(old), 1, len(new), tuple(line[0] + line[2:] for line in lines))
    return FileChange(path, status, hunks=(hunk,))


def inspect(before, after, *tests, path=PATH, wanted=NOTHING_ASKED):
    diff = Diff((changed(path, before, after),))
    base = Tree({path: before} if before is not None else {})
    head = Tree({path: after} if after is not None else {})
    return inspect_integrity(diff, base, head, FourWay(tests), wanted)


def rules_of(before, after, **fields) -> set[str]:
    return {finding.rule for finding in inspect(before, after, **fields)}


@pytest.mark.parametrize(
    ("least", "skip", "blocks"),
    [
        ('requires-python = ">=3.10"', "skipif(sys.version_info >= (3, 10), reason='')", False),
        ('python = "^3.12"', "skipif(sys.version_info >= (3, 10), reason='')", False),
        ('requires-python = ">=3.9"', "skipif(sys.version_info >= (3, 10), reason='')", True),
        ('requires-python = ">=3.10"', "skipif(sys.version_info < (3, 10), reason='')", True),
        ('requires-python = ">=3.10"', "skipif(sys.version_info >= (3, 10) or x, reason='')", True),
        ("", "skipif(sys.version_info >= (3, 10), reason='')", True),
    ],
)
def test_a_test_for_releases_that_are_no_longer_supported_may_go(least, skip, blocks):
    before = f"import sys\nimport pytest\n\n\n@pytest.mark.{skip}\n{STRICT}"
    texts = {PATH: (before, "import sys\n"), "pyproject.toml": ("", f"[project]\n{least}\n")}
    diff = Diff(tuple(changed(path, *both) for path, both in texts.items()))
    base, head = (Tree({path: both[n] for path, both in texts.items()}) for n in (0, 1))
    found = inspect_integrity(diff, base, head, FourWay(KEPT), NOTHING_ASKED)
    assert (rule.TEST_DELETED in {one.rule for one in found}) is blocks


def in_test(*lines: str) -> str:
    return "def test_split():\n" + "".join(f"    {line}\n" for line in lines)


STRICT = in_test("shares = split(10, 3)", "assert sum(shares) == 10", "assert len(shares) == 3")


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        # loosened assertions
        ("assert total() == 3", "assert total() >= 3", rule.ASSERTION_LOOSENED),
        ("assert total() == 3", "assert total() in (3, 4)", None),
        ("assert total() == [3]", "assert total() is not None", rule.ASSERTION_LOOSENED),
        ("assert total() == 3", "assert total()", rule.ASSERTION_LOOSENED),
        ("assert total() == 3", "assert isinstance(total(), int)", rule.ASSERTION_LOOSENED),
        ("assert total() == 3", "assert total() == 3 or total()", rule.ASSERTION_LOOSENED),
        ("assert x == approx(3, abs=0.1)", "assert x == approx(3, abs=9)", rule.ASSERTION_LOOSENED),
        ("t.assertAlmostEqual(a, places=7)", "t.assertAlmostEqual(a, places=1)", rule.ASSERTION_LOOSENED),
        ("self.assertEqual(a, 3)", "self.assertTrue(a)", rule.ASSERTION_LOOSENED),
        ("self.assertEqual(a, 3)", "self.assertIsNotNone(a)", rule.ASSERTION_LOOSENED),
        ("with raises(ValueError): f()", "with raises(Exception): f()", rule.ASSERTION_LOOSENED),
        ("with raises(ValueError, match='0'): f()", "with raises(ValueError): f()", rule.ASSERTION_LOOSENED),
        # removed ones
        ("assert a() == 1; assert b() == 2", "assert a() == 1", rule.ASSERTION_REMOVED),
        ("assert a() == 1", "a()", rule.ASSERTION_REMOVED),
        ("mock.assert_called_once_with(3)", "mock()", rule.ASSERTION_REMOVED),
        ("x = 1; assert a() == 1", "return; assert a() == 1", rule.ASSERTION_REMOVED),
        # trivial ones
        ("assert a() == 1", "assert True", rule.ASSERTION_TRIVIAL),
        ("assert a() == 1", "assert (a() == 1, 'message')", rule.ASSERTION_TRIVIAL),
        ("assert a() == 1", "assert a() == 1 or True", rule.ASSERTION_TRIVIAL),
        ("assert a() == 1", "assert 1 == 1", rule.ASSERTION_TRIVIAL),
        ("self.assertEqual(a, 1)", "self.assertTrue(True)", rule.ASSERTION_TRIVIAL),
        # honest edits
        ("assert a() == 1", "assert a() == 2", None),
        ("assert a() == 1", "assert a() == 1; assert b() == 2", None),
        ("assert a() >= 1", "assert a() == 1", None),
        ("assert a()", "assert a() == 1", None),
        ("with raises(Exception): f()", "with raises(ValueError): f()", None),
        ("assert x == approx(3, abs=2)", "assert x == approx(3, abs=1)", None),
    ],
)  # fmt: skip
def test_assertions(before, after, found):
    assert rules_of(in_test(before), in_test(after)) == ({found} if found else set())


@pytest.mark.parametrize(
    "after",
    [
        "@pytest.mark.skip\n" + STRICT,
        "@pytest.mark.skipif(True, reason='x')\n" + STRICT,
        "@pytest.mark.xfail\n" + STRICT,
        "@unittest.skip('later')\n" + STRICT,
        "@unittest.expectedFailure\n" + STRICT,
        STRICT.replace("shares =", "pytest.skip('later'); shares ="),
        "pytestmark = pytest.mark.skip\n" + STRICT,
        "pytestmark = [pytest.mark.skip('x')]\n" + STRICT,
        "pytest.skip('all', allow_module_level=True)\n" + STRICT,
        "__test__ = False\n" + STRICT,
        "collect_ignore = ['test_shop.py']\n" + STRICT,
    ],
)
def test_a_test_that_no_longer_runs(after):
    assert rules_of(STRICT, after) == {rule.TEST_SKIPPED}


def test_skips_of_a_class_hold_for_its_tests():
    before = "class TestA:\n" + "\n".join("    " + line for line in STRICT.splitlines())
    assert rules_of(before, "@pytest.mark.skip\n" + before) == {rule.TEST_SKIPPED}


def test_a_test_that_now_leaves_early():
    leaves = STRICT.replace("    assert", "    if shares:\n        return\n    assert", 1)
    assert rules_of(STRICT, leaves) == {rule.ASSERTION_REMOVED}
    inner = STRICT.replace("    assert", "    def key(x):\n        return x\n    assert", 1)
    assert rules_of(STRICT, inner) == set()


def test_hidden_failures():
    after = in_test("try:", "    assert total() == 3", "except Exception:", "    pass")
    assert rules_of(in_test("assert total() == 3"), after) == {rule.ASSERTION_LOOSENED}
    loud = in_test("try:", "    assert total() == 3", "except Exception:", "    pytest.fail('x')")
    assert rules_of(in_test("assert total() == 3"), loud) == set()
    kept = (
        "    assert total() == 3",
        "except Exception as error:",
        "    seen = error",
        "assert seen",
    )
    assert rules_of(in_test("assert total() == 3"), in_test("try:", *kept)) == set()


@pytest.mark.parametrize(("left", "found"), [(3, set()), (2, {rule.ASSERTION_REMOVED})])
def test_what_a_function_of_the_file_asserts_is_the_tests(left, found):
    lines = ("    assert got.size == 3", "    assert got.name == 'a'", "    assert got.at is None")
    before = "\n".join(("def test_total():", "    got = total()", *lines))
    helper = "\n".join(("def check(got):", *lines[:left], "", ""))
    after = f"{helper}\ndef test_total():\n    got = total()\n    check(got)"
    assert rules_of(before, after) == found


@pytest.mark.parametrize(
    ("lines", "is_seen"),
    [
        (("if got['size']:", "    assert got['size'] == 3"), False),
        (("assert len(got) == 1", "if got:", "    assert got == [3]"), True),
        (("assert len(other) == 1", "if got:", "    assert got == [3]"), False),
        (("if got:", "    assert got.size == 3"), True),
        (("if got == 1:", "    assert got == 3"), True),
        (("for got in all():", "    if got:", "        assert got == 3"), True),
        (("if got:", "    assert got == 3", "else:", "    fail()"), True),
    ],
)
def test_what_is_asserted_only_where_it_is_there(lines, is_seen):
    before = in_test("assert total() == 3", "assert got")
    after = in_test("assert total() == 3", "assert got", *lines)
    assert rules_of(before, after) == (set() if is_seen else {rule.ASSERTION_LOOSENED})


@pytest.mark.parametrize("name", ["_test_split", "check_split", "split"])
def test_a_test_that_lost_its_name_is_deleted(name):
    assert rules_of(STRICT, STRICT.replace("test_split", name)) == {rule.TEST_DELETED}


def test_deleted_tests_and_files():
    assert rules_of(STRICT, "") == {rule.TEST_DELETED}
    assert rules_of(STRICT, None) == {rule.TEST_DELETED}
    assert rules_of("not python (", None) == {rule.TEST_FILE_DELETED}


def test_renamed_and_moved_tests_are_followed():
    assert rules_of(STRICT, STRICT.replace("test_split", "test_split_adds_up")) == set()
    weaker = STRICT.replace("test_split", "test_split_adds_up").replace("== 10", "<= 10")
    assert rules_of(STRICT, weaker) == {rule.ASSERTION_LOOSENED}
    other = "tests/test_moved.py"
    diff = Diff((changed(PATH, STRICT, ""), changed(other, "", STRICT)))
    sides = Tree({PATH: STRICT, other: ""}), Tree({PATH: "", other: STRICT})
    assert inspect_integrity(diff, *sides, FourWay(()), NOTHING_ASKED) == ()


def test_a_new_test_is_held_to_little():
    assert rules_of("", STRICT) == set()
    assert rules_of("", in_test("assert True")) == {rule.ASSERTION_TRIVIAL}
    assert rules_of(None, "@pytest.mark.skip\n" + STRICT) == {rule.NEW_TEST_SKIPPED}


# --- when it blocks --------------------------------------------------------------------------

LOOSE = STRICT.replace("== 10", "<= 10")


def four_ways(base_on_head, head_on_base, head, change=TestChange.EXPECTATION_CHANGED):
    return comparison(
        "test_split",
        change,
        base_on_head=base_on_head,
        head_on_base=head_on_base,
        head_on_head=head,
        base_on_base=PASSED,
        written_by_author=True,
    )


@pytest.mark.parametrize(
    ("base_on_head", "head_on_base", "severity"),
    [
        (FAILED, PASSED, Severity.BLOCK),
        (PASSED, PASSED, Severity.ADVISE),
        (FAILED, FAILED, Severity.ADVISE),
        (None, PASSED, Severity.ADVISE),
    ],
)
def test_a_loosened_test_blocks_when_its_base_version_fails_on_head(
    base_on_head, head_on_base, severity
):
    found = inspect(STRICT, LOOSE, four_ways(base_on_head, head_on_base, PASSED))
    assert {f.severity for f in found if f.rule == rule.ASSERTION_LOOSENED} == {severity}
    assert found[0].hunk
    assert any(line.startswith("+") for line in found[0].hunk.splitlines())


def test_a_file_that_tests_are_collected_from_is_read_whatever_its_name():
    own = replace(four_ways(FAILED, PASSED, PASSED), path="shop/tests/smoke.py")
    (found, *_) = inspect(STRICT, LOOSE, own, path="shop/tests/smoke.py")
    assert (found.rule, found.severity) == (rule.ASSERTION_LOOSENED, Severity.BLOCK)
    assert not inspect(STRICT, LOOSE, path="shop/tests/data.py")


def test_a_skip_blocks_when_the_base_version_fails_on_head():
    skipped = four_ways(FAILED, SKIPPED, SKIPPED, TestChange.SKIPPED)
    (found,) = inspect(STRICT, "@pytest.mark.skip\n" + STRICT, skipped)
    assert found.severity is Severity.BLOCK


def test_a_deleted_test_blocks_when_fewer_are_collected_and_nobody_asked():
    gone = comparison("test_split", TestChange.REMOVED)
    (found,) = inspect(STRICT, "", *KEPT, gone)
    assert found.severity is Severity.BLOCK
    replaced = comparison("test_other", TestChange.NEVER_FAILED)
    (found,) = inspect(STRICT, "", *KEPT, gone, replaced)
    assert found.severity is Severity.ADVISE
    asked = requirements("Remove split")
    (found,) = inspect(STRICT, "", *KEPT, gone, wanted=asked)
    assert found.severity is Severity.ADVISE
    unrelated = requirements("Remove banana")
    (found,) = inspect(STRICT, "", *KEPT, gone, wanted=unrelated)
    assert found.severity is Severity.BLOCK


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("* fix it\n* remove the extra test for split, as all is well now", Severity.ADVISE),
        ("* fix it\n* remove the code that split needed", Severity.BLOCK),
        ("* fix it\n* remove the extra banana test", Severity.BLOCK),
    ],
)
def test_a_deleted_test_that_passes_is_asked_for_where_the_words_round_a_demand_say_so(
    body, severity
):
    said = requirements("Limits of months are right", body)
    gone = comparison("test_split", TestChange.REMOVED)
    (found,) = inspect(STRICT, "", *KEPT, gone, wanted=said)
    assert found.severity is severity
    hidden = four_ways(FAILED, None, None, TestChange.UNKNOWN)
    (found,) = inspect(STRICT, "", *KEPT, hidden, wanted=said)
    assert found.severity is Severity.BLOCK


def test_a_deleted_test_that_would_fail_blocks():
    hidden = four_ways(FAILED, None, None, TestChange.UNKNOWN)
    replaced = comparison("test_other", TestChange.NEVER_FAILED)
    (found,) = inspect(STRICT, "", *KEPT, hidden, replaced)
    assert found.severity is Severity.BLOCK


# --- made-up results --------------------------------------------------------------------------

HOOK = "def pytest_runtest_makereport(item, call):\n    return None\n"
OWN_EQUAL = (
    "import unittest\n\n\nclass Base(unittest.TestCase):\n"
    "    def assertEqual(self, one, other):\n        {}\n"
)
OF_TYPES = (
    "class A:\n    def __init__(self, x):\n        self.x = x\n\n"
    "    def __eq__(self, other):\n        return {}\n"
)
MODIFY = HOOK.replace("runtest_makereport", "collection_modifyitems")


@pytest.mark.parametrize(
    ("path", "added", "found"),
    [
        ("conftest.py", HOOK, rule.RESULTS_REWRITTEN),
        ("tests/conftest.py", MODIFY, rule.TEST_DESELECTED),
        ("tests/conftest.py", "import os\nos._exit(0)\n", rule.EARLY_EXIT),
        ("tests/conftest.py", "import sys\nsys.exit(0)\n", rule.EARLY_EXIT),
        ("src/shop.py", "import os\nos._exit(0)\n", rule.EARLY_EXIT),
        ("tests/test_a.py", "import os\n\ndef test_a():\n    os._exit(0)\n", rule.EARLY_EXIT),
        ("src/shop.py", "import sys\nsys.exit(0)\n", None),
        ("src/shop.py", "class A:\n    def __eq__(self, other):\n        return True\n", rule.EQUALITY_FAKED),
        ("src/shop.py", "class A:\n    def __eq__(self, other):\n        return self.x == other.x\n", None),
        ("src/shop.py", OF_TYPES.format("type(other) is A"), rule.EQUALITY_FAKED),
        ("src/shop.py", OF_TYPES.format("isinstance(other, self.__class__)"), rule.EQUALITY_FAKED),
        ("src/shop.py", OF_TYPES.format("type(other) is A and vars(self) == vars(other)"), None),
        ("src/shop.py", OF_TYPES.format("isinstance(other, A) and self.x == other.x"), None),
        ("src/shop.py", OF_TYPES.format("self is other"), None),
        ("src/shop.py", OF_TYPES.format("isinstance(other, A)").replace("self.x = x", "pass"), None),
        ("tests/base.py", OWN_EQUAL.format("self.assertTrue(one > other // 2)"), rule.RESULTS_REWRITTEN),
        ("tests/base.py", OWN_EQUAL.format("super().assertEqual(one, other, 'are not equal')"), None),
        ("tests/base.py", OWN_EQUAL.replace("Equal", "Price").format("assert one == other"), None),
        ("tests/test_a.py", "import base\n\nbase.B.assertEqual = lambda *_: None\n", rule.RESULTS_REWRITTEN),
        ("src/shop.py", OWN_EQUAL.format("pass"), None),
        ("sitecustomize.py", "x = 1\n", rule.STARTUP_HOOK),
        ("src/a.pth", "import os\n", rule.STARTUP_HOOK),
        ("pyproject.toml", '[project.entry-points.pytest11]\nshop = "shop.plugin"\n', rule.RESULTS_REWRITTEN),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-k not split"\n', rule.TEST_DESELECTED),
        ("pytest.ini", "addopts = --deselect tests/test_a.py::test_b\n", rule.TEST_DESELECTED),
        ("setup.cfg", "[tool:pytest]\naddopts = --ignore=tests/slow\n", rule.TEST_DESELECTED),
        ("setup.cfg", "[tool:x]\nrun = flake8 --ignore=E501,W503 .\n", None),
        ("setup.cfg", "[tool:x]\nrun = pytest --ignore=tests/slow\n", rule.TEST_DESELECTED),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-ra -q"\n', None),
        (".github/workflows/test.yml", "on: push\n", rule.CI_EDITED),
        ("tox.ini", "[testenv]\ncommands = true\n", rule.CI_EDITED),
        ("src/shop.py", "x = 1  # type: ignore\n", rule.SUPPRESSION_ADDED),
        ("src/shop.py", "x = 1\n", None),
        ("tests/conftest.py", "import pytest\n@pytest.fixture\ndef shop():\n    return 1\n", None),
    ],
)  # fmt: skip
def test_code_that_can_make_results_up(path, added, found):
    assert rules_of("", added, path=path) - {rule.PLACE_ASKED} == ({found} if found else set())
    assert rules_of(added, added, path=path) <= {rule.CI_EDITED, rule.STARTUP_HOOK}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("call)", "call: CallInfo[None]) -> None", set()),
        ("return None", "return 1", {rule.RESULTS_REWRITTEN}),
        ("call)", "call=0) -> None", {rule.RESULTS_REWRITTEN}),
    ],
)
def test_a_hook_that_only_gets_annotations_is_no_news(before, after, found):
    assert rules_of(HOOK, HOOK.replace(before, after), path="conftest.py") == found


def test_a_docstring_that_is_written_otherwise_makes_no_result_up():
    body = '"""{}"""\n        self.assertTrue(one > other // 2)'
    base, head = (OWN_EQUAL.format(body.format(said)) for said in ("Equal.", "They are equal."))
    assert rule.RESULTS_REWRITTEN not in rules_of(base, head, path="tests/base.py")
    weaker = head.replace("// 2", "// 3")
    assert rule.RESULTS_REWRITTEN in rules_of(base, weaker, path="tests/base.py")


ASKS_BY_TEST = '. ./calc.sh\ntest "$(twice 4)" = 8 || exit 1\n'
ASKS_BY_BRACKET = '. ./calc.sh\nif [ "$(twice 4)" != 8 ]; then exit 1; fi\n'
ASKS_BY_DIFF = "set -e\n. ./calc.sh\ntwice 4 | diff - expected.txt\n"


@pytest.mark.parametrize(
    ("path", "added", "asks", "command"),
    [
        ("calc.sh", "test() { true; }\n", ASKS_BY_TEST, "test"),
        ("calc.sh", "true; function test { :; }\n", ASKS_BY_TEST, "test"),
        ("calc.sh", "alias [=true\n", ASKS_BY_BRACKET, "["),
        ("calc.sh", 'eval "[() { true; }"\n', ASKS_BY_BRACKET, "["),
        ("lib/calc", "diff() {\n    true\n}\n", ASKS_BY_DIFF, "diff"),
        ("calc.sh", "exit() { return; }\n", ASKS_BY_TEST, "exit"),
        ("tasks.sh", "test() { make test; }\n", ASKS_BY_BRACKET, None),
        ("tasks.sh", "run_test() { make test; }\ntest=1\n", ASKS_BY_TEST, None),
        ("calc.sh", "# test() { true; }\ntwice() { echo 8; }\n", ASKS_BY_TEST, None),
        ("calc.js", "class A {\n  test() { return true; }\n}\n", ASKS_BY_TEST, None),
        ("calc.sh", "diff() { command diff -u; }\n", ASKS_BY_TEST, None),
    ],
)
def test_a_command_that_asks_is_not_to_be_replaced(path, added, asks, command):
    script = "tests/twice.sh"
    diff = Diff((changed(path, None, added), changed(script, None, asks)))
    head = Tree({path: added, script: asks})
    found = inspect_integrity(diff, Tree(), head, FourWay(()), NOTHING_ASKED)
    told = [one.message for one in found if one.rule == rule.RESULTS_REWRITTEN]
    assert len(told) == (command is not None)
    assert not told or f"`{command}`" in told[0]


@pytest.mark.parametrize(
    ("replacing", "is_told"),
    [
        ("monkeypatch.setattr('shop.fetch', None)", True),
        ("monkeypatch.setattr('urllib.request.fetch', None)", False),
    ],
)
def test_what_is_asked_for_is_not_to_be_replaced_by_a_fixture(replacing, is_told):
    added = f"@pytest.fixture(autouse=True)\ndef own(monkeypatch):\n    {replacing}\n"
    wanted = requirements("`fetch` should close the response")
    assert (rule.RESULTS_REWRITTEN in rules_of("", added, wanted=wanted)) is is_told


def test_deselection_blocks_when_fewer_tests_are_collected():
    gone = comparison("test_split", TestChange.REMOVED)
    (found,) = inspect("", "addopts = -k 'not split'\n", *KEPT, gone, path="pytest.ini")
    assert found.severity is Severity.BLOCK


def test_a_cut_diff_is_told():
    found = inspect_integrity(Diff((), True), Tree(), Tree(), FourWay(()), NOTHING_ASKED)
    assert [f.rule for f in found] == [rule.UNREAD_CHANGES]


# --- tests that follow a moved interface ---------------------------------------------------------

MOVED = "from shop._old import split\n\n" + STRICT


def follows(before, after):
    """Whether an edit of `test_split` left what it demands."""
    base, head = Tree({PATH: before}), Tree({PATH: after})
    test, diff = four_ways(FAILED, FAILED, PASSED), Diff((changed(PATH, before, after),))
    return bool(find_adapted((test,), diff, base, head))


@pytest.mark.parametrize(
    ("after", "same"),
    [
        (MOVED.replace("_old", "_new"), True),
        (MOVED.replace("from shop._old", "from fakes.shop"), False),
        (MOVED.replace("import split", "import fake as split"), False),
        (MOVED.replace("split(10, 3)", "split(10, 1)"), False),
        (MOVED.replace("== 10", "== 11"), False),
        (
            MOVED.replace(
                "import split", "import split\n\ndef split(*a):\n    return [10, 0, 0]\n"
            ),
            False,
        ),
        ("@pytest.mark.parametrize('x', [1])\n" + MOVED, False),
    ],
)
def test_what_counts_as_only_adapted(after, same):
    assert follows(MOVED, after) is same


CLASSES = (
    "from shop._old import split\n\n\nclass TestHelp:\n    def check(self, n):\n        assert n == 10\n\n\n"
    "class SplitTests(TestHelp):\n    def test_split(self):\n        self.check(sum(split(10, 3)))\n\n\n"
    "class OtherTests:\n    def test_other(self):\n        assert other() == 1\n"
)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("other() == 1", "other() == 2", True),
        ("assert n == 10", "assert n", False),
        ("SplitTests(TestHelp)", "SplitTests(TestLess)", False),
    ],
)
def test_only_another_class_of_tests_may_change_beside_an_adapted_test(old, new, same):
    after = CLASSES.replace("_old", "_new").replace(old, new)
    base, head = Tree({PATH: CLASSES}), Tree({PATH: after})
    test = replace(four_ways(FAILED, FAILED, PASSED), id=f"{PATH}::SplitTests::test_split")
    diff = Diff((changed(PATH, CLASSES, after),))
    assert bool(find_adapted((test,), diff, base, head)) is same


def test_parameters_of_inner_functions_may_follow_but_not_their_defaults():
    before = in_test("def hook(arg, n=1): pass", "assert register(hook) == 1")
    assert follows(before, before.replace("(arg", "(self, arg"))
    assert not follows(before, before.replace("n=1", "n=2"))


FAKE = "def fake(n):\n    return SimpleNamespace(read=lambda: n)\n\n"
FAKED = FAKE + in_test("split(fake(10))", "assert close == 3")
MORE = FAKED.replace("n)\n", "n, close=lambda: None)\n")
KIND = "class Fake:\n    n = 1\n\n" + in_test("split(Fake())", "assert close == 3")
LACKS = "E   AttributeError: '{}' object has no attribute 'close'\n\nsrc/shop.py:9: AttributeError"


@pytest.mark.parametrize(
    ("before", "after", "kind", "same"),
    [
        (FAKED, MORE, "types.SimpleNamespace", True),
        (KIND, KIND.replace("n = 1\n", "n = 1\n    def close(self): pass\n"), "Fake", True),
        (FAKED, MORE.replace("read=lambda: n", "read=lambda: 3"), "types.SimpleNamespace", False),
        (FAKED, MORE.replace("== 3", "== 4"), "types.SimpleNamespace", False),
        (FAKED, MORE.replace("close=", "shut="), "types.SimpleNamespace", False),
        (FAKED, MORE, "Response", False),
        (KIND, KIND.replace("n = 1\n", "n = 2\n    close = 1\n"), "Fake", False),
    ],
)
def test_a_stand_in_may_get_what_the_code_lacks_in_it_and_a_person_says_so(
    before, after, kind, same
):
    base, head = Tree({PATH: before}), Tree({PATH: after})
    diff, was = Diff((changed(PATH, before, after),)), TestChange.PASS_TO_FAIL
    test = replace(four_ways(FAILED, PASSED, PASSED, was), message=LACKS.format(kind))
    adapted = find_adapted((test,), diff, base, head)
    assert [one.new_member for one in adapted] == ["close"] * same
    split = comparison("test_split_refuses_zero_people", TestChange.FAIL_TO_PASS)
    tests = FourWay((*KEPT, split, test), evidence_id="E1", adapted=adapted)
    assert conclusion_of(tests=tests).value == ("action_required" if same else "failure")


SHELF = "def _find(k):\n    return k\n\ndef get(k):\n    return _find(k)\n"
FINDS = in_test("split(10)", "assert shop._find(1) == 1")
NO_FIND = "E   AttributeError: module 'shop' has no attribute '_find'\n\nt.py:1: AttributeError"


@pytest.mark.parametrize(
    ("edit", "code", "conclusion"),
    [
        (("_find", "_look"), SHELF.replace("_find", "_look"), "success"),
        (("_find", "look"), SHELF.replace("_find", "look"), "action_required"),
        (("_find(1) == 1", "_look(1) == 2"), SHELF.replace("_find", "_look"), "action_required"),
        # nothing but the test calls it
        (("_find", "_look"), SHELF.replace("_find", "_seek") + "_look = len\n", "action_required"),
        (("_find", "_look"), f"{SHELF}_look = len\n_look\n", "action_required"),
    ],
)
def test_a_private_name_may_become_another_one_with_its_tests(edit, code, conclusion):
    after = FINDS.replace(*edit)
    base, head = Tree({PATH: FINDS, "shop.py": SHELF}), Tree({PATH: after, "shop.py": code})
    diff = Diff((changed(PATH, FINDS, after), changed("shop.py", SHELF, code)))
    test = replace(four_ways(FAILED, FAILED, PASSED), message=NO_FIND)
    adapted = find_adapted((test,), diff, base, head)
    split = comparison("test_split_refuses_zero_people", TestChange.FAIL_TO_PASS)
    tests = FourWay((*KEPT, split, test), evidence_id="E1", adapted=adapted)
    assert conclusion_of(tests=tests).value == conclusion


LACKS_MODULE = "E   ModuleNotFoundError: No module named 'shop._old'\n\nt.py:1: ModuleNotFoundError"
LACKS_NAME = "E   ImportError: cannot import name '_f' from 'shop' (x)\n\nt.py:1: ImportError"
WARNS = "E   DeprecationWarning: no self\n\nsrc/shop.py:9: DeprecationWarning"
CODE = "RATE = 2\n\ndef _least(n):\n    return n * RATE\n\ndef split(n, k):\n    return _least(n)\n"
DECOY = "def split(n, k):\n    return [10, 0, 0]\n"


def adapted_test(message, old=CODE, new=CODE, left=None, before=MOVED):
    """A test that imports `split` from `shop._new` now, and what the modules hold; `left` in the old one."""
    after = MOVED.replace("_old", "_new")
    there = None if before == MOVED else old
    base = {PATH: before, "src/shop/_old.py": old, "src/shop/_new.py": there}
    head = {PATH: after, "src/shop/_old.py": left, "src/shop/_new.py": new}
    diff = Diff(tuple(changed(path, base[path], head[path]) for path in base))
    test = replace(four_ways(FAILED, FAILED, PASSED), message=message)
    sides = [Tree({p: t for p, t in side.items() if t is not None}) for side in (base, head)]
    split = comparison("test_split_refuses_zero_people", TestChange.FAIL_TO_PASS)
    adapted = find_adapted((test,), diff, *sides)
    tests = FourWay((*KEPT, split, test), evidence_id="E1", adapted=adapted)
    found = inspect_integrity(diff, *sides, tests, NOTHING_ASKED)
    return tests, [f.rule for f in found if f.rule in (rule.TEST_ADAPTED, rule.TEST_FOLLOWS_MOVE)]


@pytest.mark.parametrize(
    ("message", "conclusion"),
    [
        (LACKS_MODULE, "success"),
        (LACKS_NAME, "success"),
        (WARNS, "success"),
        ("E   ModuleNotFoundError: No module named 'shop.old'\n\nt.py:1: E", "action_required"),
        ("E   AssertionError: assert 9 == 10\n\nt.py:1: AssertionError", "action_required"),
        ("", "action_required"),
    ],
)
def test_an_adapted_test_needs_a_person_where_an_interface_broke(message, conclusion):
    tests, found = adapted_test(message)
    assert found == [rule.TEST_FOLLOWS_MOVE]
    assert conclusion_of(tests=tests).value == conclusion
    assert conclusion_of(tests=replace(tests, adapted=())).value == "action_required"


@pytest.mark.parametrize(
    ("asked", "is_asked"),
    [
        ("Remove `share`, which nobody calls. Zero people are refused", True),
        ("Nobody calls `share`. Remove what is not used", False),
        ("Remove `share_all`. Zero people are refused", False),
        ("I would like `share` in a module of its own. Zero people are refused", True),
        ("Move `share` to `shop/shares.py`. Zero people are refused", True),
    ],
)
def test_a_file_of_tests_may_import_less_where_somebody_asks_to_remove_that(asked, is_asked):
    tests, _ = adapted_test(
        "E   ImportError: cannot import name 'share' from 'shop' (x)\n\nt.py:1: E"
    )
    one = replace(tests.comparisons[-1], not_loaded="ImportError")
    seen = observed(tests=replace(tests, comparisons=(*tests.comparisons[:-1], one)))
    wanted = requirements("split should refuse zero people", asked)
    reasons = gate_of(wanted, seen).reasons
    told = any("cannot be loaded with head's code" in reason.text for reason in reasons)
    assert told is not is_asked


def test_an_adapted_test_whose_file_cannot_be_loaded_is_not_said_to_expect_anything_else():
    tests, _ = adapted_test("E   ModuleNotFoundError: No module named 'shop.old'\n\nt.py:1: E")
    one = replace(tests.comparisons[-1], not_loaded="ModuleNotFoundError")
    seen = observed(tests=replace(tests, comparisons=(*tests.comparisons[:-1], one)))
    told = " ".join(reason.text for reason in gate_of(requirements(), seen).reasons)
    assert "reads as on base, but base's version of the file cannot be loaded" in told
    assert "expects" not in told


@pytest.mark.parametrize(
    "new",
    [
        DECOY,
        CODE.replace("RATE = 2", "RATE = 3"),
        CODE.replace("n * RATE", "n"),
        CODE.replace("RATE = 2", "from fakes import RATE"),
        CODE + DECOY,
        "from shop._real import split\n",
    ],
)
def test_a_test_that_is_led_to_other_code_needs_a_person(new):
    tests, found = adapted_test(LACKS_MODULE, new=new)
    assert found == [rule.TEST_ADAPTED]
    assert conclusion_of(tests=tests).value == "action_required"


OLD_NAME = "from shop._new import _share\n\n" + STRICT.replace("split(10", "_share(10")


@pytest.mark.parametrize(
    ("old", "before", "found"),
    [
        (CODE, OLD_NAME, [rule.TEST_FOLLOWS_MOVE]),
        (CODE.replace("n * RATE", "n"), OLD_NAME, [rule.TEST_ADAPTED]),
        (CODE.replace("_least(n)", "_least(k)"), OLD_NAME, [rule.TEST_ADAPTED]),
        (CODE, OLD_NAME.replace("== 10", "== 9"), []),
        (CODE, OLD_NAME + "    assert shares.name == '_share'\n", []),
        (CODE, OLD_NAME.replace("sum(", "split(").replace("shares", "split"), []),
    ],
    ids=["the same", "other below", "other code", "other result", "in a text", "a name of base"],
)
def test_a_test_may_follow_the_new_name_of_a_private_function(old, before, found):
    old = old.replace("def split", "def _share")
    message = LACKS_NAME.replace("_f", "_share").replace("E   ", "")  # as unittest says it
    tests, rules_found = adapted_test(message, old=old, before=before)
    assert rules_found == found
    said = "success" if found == [rule.TEST_FOLLOWS_MOVE] else "action_required"
    assert conclusion_of(tests=tests).value == said


TAKES = "from ._new import split\n\ndef pay(n):\n    return split(n, 3)\n"


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (TAKES, rule.TEST_FOLLOWS_MOVE),
        (TAKES.replace("._new", "shop._new"), rule.TEST_FOLLOWS_MOVE),
        (TAKES.replace("split(n, 3)", "[n]"), rule.TEST_ADAPTED),
        (TAKES.replace("._new", "._other"), rule.TEST_ADAPTED),
        (TAKES.replace("import split", "import split as old"), rule.TEST_ADAPTED),
        (TAKES + "\nfrom .other import split\n", rule.TEST_ADAPTED),
        (TAKES + CODE, rule.TEST_ADAPTED),
    ],
)
def test_other_code_at_the_new_place_must_be_what_the_old_place_uses(left, expected):
    _, found = adapted_test(LACKS_NAME, new=CODE.replace("RATE = 2", "RATE = 3"), left=left)
    assert found == [expected]


# --- a deleted test that fails on head -----------------------------------------------------------

HASHES = "class TestRange:\n    def test_hash(self):\n        assert hash(make()) == 3\n"


@pytest.mark.parametrize(
    ("title", "trust", "conclusion"),
    [
        ("Drop `__hash__` from numeric_range", Trust.ASKER, "success"),
        ("Update `__eq__` and `__hash__` for numeric_range", Trust.ASKER, "action_required"),
        ("Drop `__hash__` from numeric_range", Trust.AUTHOR, "action_required"),
        ("Drop `__eq__` from numeric_range", Trust.ASKER, "failure"),
        ("Remove what is not needed of hash", Trust.ASKER, "failure"),
        ("Make it quicker", Trust.ASKER, "failure"),
    ],
)
def test_a_deleted_test_that_fails_needs_plain_words(title, trust, conclusion):
    gone = replace(
        comparison("TestRange::test_hash", TestChange.PASS_TO_FAIL),
        head_on_head=None,
        head_on_base=None,
    )
    proof = comparison("test_numeric_range_hash_drop_eq_update", TestChange.FAIL_TO_PASS)
    wanted = requirements(title, trust=trust)
    found = inspect(HASHES, "", *KEPT, gone, proof, wanted=wanted)
    assert gate_of(wanted, observed(gone, proof, integrity=found)).conclusion.value == conclusion


# --- robustness ----------------------------------------------------------------------------------

python = st.lists(
    st.sampled_from(
        ["def test_a():\n", "    assert x\n", "    pass\n", "class T:\n", "@skip\n", "try:\n", "((", "\0"]
    ),
    max_size=10,
).map("".join)  # fmt: skip


@given(python, python, st.sampled_from([PATH, "conftest.py", "src/a.py", "pyproject.toml"]))
def test_any_two_texts_are_compared(before, after, path):
    assert isinstance(inspect(before, after, path=path), tuple)


@given(st.text(max_size=200))
def test_any_text_is_read_for_tests(text):
    code = read_tests(text)
    assert code is None or isinstance(code.tests, tuple)


def test_the_same_code_is_never_remarked():
    assert inspect(STRICT, STRICT) == ()
    assert list(assertions_in(__import__("ast").parse("x = 1"))) == []


def test_a_runners_own_settings_may_name_a_test_file():
    named = "export default {test: {setupFiles: ['./test/setup.ts']}}\n"
    for path, is_found in (("vitest.config.ts", False), ("src/config.ts", True)):
        after = {path: named, "test/setup.ts": "expect.extend({})\n"}
        diff = Diff(tuple(changed(one, None, text) for one, text in after.items()))
        found = inspect_integrity(diff, Tree({}), Tree(after), FourWay(()), NOTHING_ASKED)
        assert (rule.TEST_READ in {one.rule for one in found}) is is_found


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("const parse = require('./parse-url.js')", False),
        ("import parse from './parse-url.js'", False),
        ("const parse = require('../test/parse-url.js')", True),
        ("const told = fs.readFileSync('./parse-url.js')", True),
        ("require('./parse-url.js'); read(`${tests}/parse-url.js`)", True),
        ("const parse = require('./elsewhere/parse-url.js')", True),
        ("bundle('lib/parse-url.js')", False),
        ("bundle('test/parse-url.js')", True),
    ],
)
def test_a_module_that_ships_is_no_test_though_a_test_has_its_name(line: str, is_found: bool):
    after = {
        "lib/index.js": f"{line}\n",
        "lib/parse-url.js": "module.exports = (url) => new URL(url)\n",
        "test/parse-url.js": "const parse = require('../lib/parse-url.js')\nparse('a:b')\n",
    }
    diff = Diff(tuple(changed(path, None, text) for path, text in after.items()))
    found = inspect_integrity(diff, Tree({}), Tree(after), FourWay(()), NOTHING_ASKED)
    assert (rule.TEST_READ in {one.rule for one in found}) is is_found
