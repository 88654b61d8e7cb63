"""What left one test is looked for in the new ones, and only there."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import FourWay, TestChange
from bot.values import rules as rule
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import NOTHING_ASKED, Tree, changed, inspect, rules_of
from tests.bot.verdict.cases import PASSED, SKIPPED, comparison

TWO_CLASSES = """class TestFirst:
    def test_basic(self):
        assert first([7, 8]) == 7

    def test_empty(self):
        assert first([]) is None


class TestLast:
    def test_basic(self):
        values = collect(range(3))
        assert last(values) == 2
        assert last(values, skip=1) == 1
"""
KEPT = """def test_strip():
    text = 'a -- b'
    assert strip(text) == 'a '
"""
HINTS = """    text = 'a --+ b'
    assert strip(text) == text
    text = '#+ b'
    assert strip(text) == text
"""


def test_a_test_of_another_class_is_no_successor_by_its_name_alone():
    gone = TWO_CLASSES.replace(
        "    def test_basic(self):\n        assert first([7, 8]) == 7\n\n", ""
    )
    assert rules_of(TWO_CLASSES, gone) == {rule.TEST_DELETED}


def test_a_new_test_of_the_same_name_must_be_about_the_same():
    gone = TWO_CLASSES.replace("        assert first([7, 8]) == 7\n", "        pass\n").replace(
        "TestFirst:\n    def test_basic", "TestFirst:\n    def test_other"
    )
    new = (
        gone
        + "\n\nclass TestThird:\n    def test_basic(self):\n        x = dict(zip('ab', 'cd'))\n"
    )
    assert rule.TEST_DELETED in rules_of(TWO_CLASSES, new)


def test_a_renamed_test_that_asks_more_is_followed():
    before = "def test_negative():\n    with raises(ValueError):\n        windows([1, 2, 3], -1)\n"
    more = "    with raises(ValueError):\n        windows(sorted({5, 6, 7}), 0)\n"
    after = before.replace("test_negative", "test_invalid_size") + more + more + more
    assert rules_of(before, after) == set()
    assert rules_of(before, after.replace("-1", "0")) == {rule.TEST_DELETED}


def test_one_new_test_succeeds_one_vanished_test():
    body = "    def test_basic(self):\n        assert first([7, 8]) == 7\n"
    before = f"class A:\n{body}\n\nclass B:\n{body}"
    assert rules_of(before, f"class C:\n{body}") == {rule.TEST_DELETED}
    assert rules_of(before, f"class C:\n{body}\n\nclass D:\n{body}") == set()


def test_assertions_that_moved_to_a_new_test_are_not_gone():
    assert rules_of(KEPT + HINTS, f"{KEPT}\n\ndef test_hints():\n{HINTS}") == set()


@pytest.mark.parametrize(
    "new",
    [
        f"@pytest.mark.skip\ndef test_hints():\n{HINTS}",
        f"def test_hints():\n    return\n{HINTS}",
        f"def helper():\n{HINTS}",
        "def test_hints():\n    text = 'z'\n    assert strip(text) == text\n",
    ],
)
def test_what_does_not_run_or_is_other_code_holds_nothing(new):
    assert rule.ASSERTION_REMOVED in rules_of(KEPT + HINTS, f"{KEPT}\n\n{new}")


def test_a_loss_on_the_way_to_another_file_is_told_where_it_is():
    before, old, new = KEPT + HINTS, "tests/test_old.py", "tests/test_new.py"
    after = f"import pytest\n\n\n{KEPT}{HINTS.partition('    text = ' + repr('#+ b'))[0]}"
    diff = Diff((changed(old, before, "X = 1\n"), changed(new, None, after)))
    base, head = Tree({old: before}), Tree({old: "X = 1\n", new: after})
    found = inspect_integrity(diff, base, head, FourWay(()), NOTHING_ASKED)
    assert [(f.rule, f.path, f.line) for f in found] == [(rule.ASSERTION_REMOVED, new, 4)]


OLD_CLASS = """class OldTestCase(TestCase):
    @unittest.skip('lost its parent')
    def test_nested(self):
        assert nested('ab') == ['a']
"""
NEW_CLASS = OLD_CLASS.replace("OldTestCase(TestCase)", "TestNested").replace(
    "unittest", "pytest.mark"
)


@pytest.mark.parametrize(
    ("after", "found"),
    [
        (NEW_CLASS, set()),
        (NEW_CLASS.replace("== ['a']", "!= []"), {rule.ASSERTION_LOOSENED}),
        (NEW_CLASS + NEW_CLASS.replace("TestNested", "TestMore"), {rule.NEW_TEST_SKIPPED}),
        (
            NEW_CLASS.replace("    def", "    @pytest.mark.skip\n    def"),
            {rule.NEW_TEST_SKIPPED, rule.TEST_SKIPPED},
        ),
    ],
)
def test_a_test_that_was_skipped_in_another_class_is_no_new_one(after, found):
    assert rules_of(OLD_CLASS, after) >= found
    assert bool(rules_of(OLD_CLASS, after)) is bool(found)


def test_a_test_that_was_skipped_in_another_file_is_no_new_one():
    old, new = "tests/test_old.py", "tests/test_new.py"
    for one, found in ((NEW_CLASS, set()), (OLD_CLASS.replace("nested", "other"), None)):
        diff = Diff((changed(new, None, one), changed(old, OLD_CLASS, "X = 1\n")))
        trees = Tree({old: OLD_CLASS}), Tree({old: "X = 1\n", new: one})
        rules = {o.rule for o in inspect_integrity(diff, *trees, FourWay(()), NOTHING_ASKED)}
        assert rules == found if found is not None else rule.NEW_TEST_SKIPPED in rules


def test_a_condition_that_became_always_is_told():
    before = OLD_CLASS.replace("skip('lost", "skipIf(OLD, 'lost")
    assert rules_of(before, NEW_CLASS) == {rule.NEW_TEST_SKIPPED}


@pytest.mark.parametrize(
    ("mark", "is_told"),
    [
        ("pytest.mark.xfail(VERSION < (1, 2), reason='new')", False),
        ("mark.xfail(condition=VERSION < (1, 2), reason='new')", False),
        ("pytest.mark.xfail(reason='new')", True),
        ("pytest.mark.xfail(reason=WHY)", True),
        ("pytest.mark.xfail(True, reason='new')", True),
        ("pytest.mark.xfail(not False, reason='new')", True),
        ("pytest.mark.xfail('new')", True),
        ("pytest.mark.xfail", True),
        ("pytest.xfail(WHY)", True),
    ],
)
def test_a_failure_that_is_expected_only_somewhere_is_not_told(mark, is_told):
    found = rules_of("", f"@{mark}\ndef test_first():\n    assert first([7]) == 7\n")
    assert found == ({rule.NEW_TEST_SKIPPED} if is_told else set())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("{ skip: 'not before v2' }", "`skip: 'not before v2'`"),
        ("{ skip: \"not 'here'\" }", "`skip: \"not 'here'\"`"),
        ("{ skip: `runIf and skipif(x)` }", "`skip: `runIf and skipif(x)``"),
        ("{ skip: true }", "`skip: true`"),
    ],
)
def test_the_reason_of_a_skip_is_told_whole_and_is_no_condition(options, told):
    text = f"test('circles', {options}, (t) => {{\n  t.equal(draw('x'), 1);\n}});\n"
    (found,) = inspect("", text, path="test/cmp.js")
    assert found.rule == rule.NEW_TEST_SKIPPED
    assert told in found.message


def test_the_reason_of_a_skip_in_python_is_no_condition():
    for mark in ("skip(reason='skipif(x) or importorskip')", "skip('runIf')"):
        text = f"@pytest.mark.{mark}\ndef test_first():\n    assert first([7]) == 7\n"
        assert rules_of("", text) == {rule.NEW_TEST_SKIPPED}


NEEDING = """def test_london():
    try:
        import zones
    except ModuleNotFoundError:
        pytest.skip('zones unavailable')
    assert first([7]) == 7
"""


@pytest.mark.parametrize(
    ("on_head", "is_told"), [((PASSED,), False), ((SKIPPED,), True), ((PASSED, SKIPPED), True)]
)
def test_a_new_test_that_ran_here_is_not_called_skipped(on_head, is_told):
    tests = [
        comparison(f"test_london[{at}]", TestChange.FAIL_TO_PASS, head_on_head=one)
        for at, one in enumerate(on_head)
    ]
    found = {one.rule for one in inspect("", NEEDING, *tests)}
    assert found == ({rule.NEW_TEST_SKIPPED} if is_told else set())
