"""The sample project of these tests: no dependency, one function, a suite that takes no time."""

from __future__ import annotations

CALC = '''"""Sums."""


def total(prices):
    """Add up prices."""
    return sum(prices)
'''

TESTS = """import unittest

from calc import total


class TotalTest(unittest.TestCase):
    def test_total_adds_up(self):
        self.assertEqual(total([1, 2]), 3)
"""

PROJECT = {"calc.py": CALC, "test_calc.py": TESTS}

FIX = {
    "calc.py": CALC
    + '''

def mean(prices):
    """Return the mean of prices; 0 for none."""
    return total(prices) / len(prices) if prices else 0
''',
    "test_mean.py": """import unittest

from calc import mean


class MeanTest(unittest.TestCase):
    def test_mean_of_no_prices_is_zero(self):
        self.assertEqual(mean([]), 0)
""",
}
"""Adds `mean` with a test of its own: every requirement of ASKED is met."""

ASKED = "mean of no prices is zero"
"""A title whose requirement the test of FIX is tied to."""

BREAKS = {"calc.py": CALC.replace("sum(prices)", "sum(prices) + 1")}
"""A regression: base's test fails on head."""
