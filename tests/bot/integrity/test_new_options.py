"""What was asked for, and works only where callers give an option of which nobody spoke."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import (
    Category,
    FourWay,
    Requirement,
    Requirements,
    TestChange,
    TestComparison,
    Trust,
    rules,
)
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

ASKED = "`merge` keeps nested settings"
PYTHON = "def merge(one, other):\n    return {**one, **other}\n"
DEEP = PYTHON.replace("other)", "other, deep=False)").replace(
    "    return", "    if deep:\n        return nested(one, other)\n    return"
)
SCRIPT = "export function merge(one, other) {\n  return { ...one, ...other };\n}\n"


def found(path: str, sides: tuple[str, str], test: str, asked: str = ASKED) -> bool:
    """Whether a person is asked about a change that makes one test pass."""
    before, after = sides
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    turned = TestComparison(
        "tests/test_it.py::test_it",
        TestChange.FAIL_TO_PASS,
        path="tests/test_it.py",
        source=test,
    )
    findings = inspect_integrity(
        Diff((changed(path, before, after),)),
        Tree({path: before}),
        Tree({path: after}),
        FourWay((turned,)),
        wanted,
    )
    return any(one.rule == rules.OPTION_UNASKED for one in findings)


@pytest.mark.parametrize(
    ("path", "sides", "test"),
    [
        ("merge.py", (PYTHON, DEEP), "def test_it():\n    assert merge(A, B, deep=True) == C\n"),
        (
            "config.py",
            ("class Config:\n    a = 1\n", "class Config:\n    a = 1\n    deep = False\n"),
            "def test_it(monkeypatch):\n    monkeypatch.setattr(Config, 'deep', True)\n",
        ),
        (
            "merge.mjs",
            (SCRIPT, SCRIPT.replace("other) {", "other, { deep = false } = {}) {")),
            "test('it', () => {\n  assert.equal(merge(a, b, { deep: true }), c);\n});",
        ),
        (
            "merge.mjs",
            (SCRIPT, SCRIPT.replace("  return", "  if (other.x || options.deep) f();\n  return")),
            "test('it', () => {\n  assert.equal(merge(a, b, { deep: true }), c);\n});",
        ),
    ],
)
def test_it_is_asked_about(path: str, sides: tuple[str, str], test: str) -> None:
    assert found(path, sides, test)
    assert not found(path, sides, test, "`merge` takes an option to keep nested settings")
    assert not found(path, sides, test, "Merge deep, so that nested settings stay")
    assert not found(path, sides, "def test_it():\n    assert merge(A, B) == C\n")


@pytest.mark.parametrize(
    ("sides", "test"),
    [
        ((PYTHON, PYTHON + "\n\ndef both(one, deep=1):\n    pass\n"), "both(A, deep=2)"),
        (
            (PYTHON, PYTHON.replace("    return", "    deep = one\n    return")),
            "deep = merge(A, B)",
        ),
        ((DEEP, DEEP.replace("deep=False", "deep=True")), "merge(A, B, deep=True)"),
    ],
)
def test_what_is_no_new_option_is_left_alone(sides: tuple[str, str], test: str) -> None:
    assert not found("merge.py", sides, f"def test_it():\n    {test}\n")
