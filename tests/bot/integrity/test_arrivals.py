"""What left one test is looked for in the new ones, and only there."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import FourWay
from bot.values import rules as rule
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import NOTHING_ASKED, Tree, changed, rules_of

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
