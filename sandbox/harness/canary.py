"""Tests of our own that go through the tree's test machinery: most of them must fail.

Whoever patches assertions, `pytest.raises`, `unittest.TestCase` or the runner so that everything
passes makes these pass too. Their names come from the host for each run.
"""

from __future__ import annotations

PASS_MARK = "must_pass"
UNKNOWN = "unknown"  # the project's own hooks kept the canary from running: it says nothing

FUNCTIONS = """
import pytest

def test_{nonce}_compare_must_fail():
    value = ["{nonce}", 1]
    assert value == ["{nonce}", 2]

def test_{nonce}_raises_must_fail():
    with pytest.raises(ValueError):
        len("{nonce}")

def test_{nonce}_error_must_fail():
    raise LookupError("{nonce}")

def test_{nonce}_must_pass():
    value = "{nonce}"
    assert value.startswith("{nonce}"[:3])
"""

CASES = """
import unittest

class Test{nonce}(unittest.TestCase):
    def test_equal_must_fail(self):
        self.assertEqual("{nonce}", 2)

    def test_true_must_fail(self):
        self.assertTrue([])

    def test_raises_must_fail(self):
        with self.assertRaises(ValueError):
            len("{nonce}")

    def test_must_pass(self):
        self.assertIn("{nonce}", ["{nonce}"])
"""


def source(nonce: str, with_pytest: bool) -> str:
    """Return the source of a module of canaries; `nonce` is a valid part of an identifier."""
    return ((FUNCTIONS if with_pytest else "") + CASES).replace("{nonce}", nonce)


def must_pass(name: str) -> bool:
    """Tell whether a canary is one of those made to pass."""
    return name.endswith(PASS_MARK)
