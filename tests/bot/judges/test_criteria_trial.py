"""The Verifier's rule: a criterion is kept when it is stable and sees damage; the score is its mean."""

from __future__ import annotations

import ast

import pytest

from bot.evidence.test_plan.whole import graded_reason
from bot.judges.criteria_grading import try_criteria, variation, worsened
from bot.values import Conclusion, Criterion, Grade, Grading

ORDERED = Criterion("errors", "Errors are handled", ("no", "Some", "all"))
CODE = """\
def price(cents, rate):
    if cents == 0 and rate > 1:
        return 0
    total = cents + rate

    return total


def name():
    return "shop"
"""
DIFF = """\
--- shop.py (modified)
+++ shop.py
@@ -1,2 +1,4 @@
 import os
+def price(cents):
+    if cents == 0:
+        return 0
 x = 1 == 1
@@ -10,1 +12,2 @@
 y = 2
+z = x + y
--- other.py (modified)
+++ other.py
@@ -1,1 +1,2 @@
 a = 1
+b = True
"""


def grading(*points: float) -> Grading:
    return Grading((Grade(ORDERED, points),))


def test_accepted_values_are_points_by_their_position() -> None:
    assert [ORDERED.points(one) for one in ("no", " some", "ALL", "most")] == [0.0, 2.0, 4.0, None]


@pytest.mark.parametrize(
    ("good", "bad", "damaged", "why"),
    [
        ((4, 4, 4), (0, 0, 2), (2, 2, 2), ""),
        ((4, 4, 2), (4, 0, 0), (0, 2, 0), ""),
        ((4, 0, 0, 4), (0, 0), (0, 0), "not stable"),
        ((4, 4, 4), (0, 0, 0), (4, 4, 4), "does not see"),
        ((4, 4, 4), (0, 0, 0), (), "does not see"),
        ((2, 2, 2), (4, 4, 4), (0, 0, 0), "prefers the bad"),
        ((0, 0, 0), (0, 0, 0), (0, 0, 0), "nothing"),
        ((4,), (0, 0), (0, 0), "less than twice"),
        ((), (0, 0), (0, 0), "less than twice"),
    ],
)
def test_what_is_kept(
    good: tuple[float, ...], bad: tuple[float, ...], damaged: tuple[float, ...], why: str
) -> None:
    (trial,) = try_criteria(grading(*good), grading(*bad), (grading(4, 4), grading(*damaged)))
    assert why in trial.why_not
    assert bool(trial.why_not) is bool(why)


def test_the_coefficient_of_variation() -> None:
    assert variation((2.0, 4.0)) == pytest.approx(1 / 3)
    assert variation((4.0, 4.0, 4.0)) == 0
    assert variation((0.0, 0.0)) is None


def test_a_worsened_file() -> None:
    ways = {one.how: one.text for one in worsened(CODE)}
    assert list(ways) == ["half of it dropped", "functions emptied", "operators swapped"]
    assert "name" not in ways["half of it dropped"]
    emptied = ast.parse(ways["functions emptied"])
    assert [ast.unparse(one) for one in emptied.body] == [
        "def price(cents, rate):\n    ...",
        "def name():\n    ...",
    ]
    assert "cents != 0 or rate <= 1" in ways["operators swapped"]
    assert "cents - rate" in ways["operators swapped"]


def test_a_worsened_diff_differs_only_in_what_it_adds() -> None:
    ways = {one.how: one.text for one in worsened(DIFF)}
    dropped = ways["half of it dropped"]
    assert "price" in dropped and "b = True" in dropped and "z = x" not in dropped
    assert "+++ other.py" in dropped
    assert "+def price(cents):\n+    ...\n x = 1 == 1" in ways["functions emptied"]
    swapped = ways["operators swapped"]
    assert "+    if cents != 0:" in swapped and " x = 1 == 1" in swapped and "b = False" in swapped


def test_nothing_can_be_worse_than_nothing() -> None:
    assert worsened("") == ()


@pytest.mark.parametrize(
    ("points", "least", "expected"),
    [
        ([(4.0,), (2.0,)], 3.0, Conclusion.SUCCESS),
        ([(4.0,), (2.0,)], 3.5, Conclusion.FAILURE),
        ([(4.0,), ()], 3.0, Conclusion.ACTION_REQUIRED),
        ([(0.0,), ()], 3.0, Conclusion.FAILURE),
        ([(), ()], 1.0, Conclusion.ACTION_REQUIRED),
        ([], 1.0, Conclusion.ACTION_REQUIRED),
    ],
)
def test_the_least_score_without_a_plan(
    points: list[tuple[float, ...]], least: float, expected: Conclusion
) -> None:
    graded = Grading(tuple(Grade(ORDERED, one) for one in points))
    assert graded_reason(graded, least).conclusion is expected


def test_a_preference_is_no_part_of_the_score() -> None:
    wish = Grade(ORDERED, (0.0,), is_preference=True)
    assert Grading((Grade(ORDERED, (4.0,)), wish)).score == 4.0
    assert Grading((wish,)).score is None
