"""Parameters that callers of base may give, and of which head takes no notice."""

from __future__ import annotations

import pytest

from tests.bot.integrity.test_callers import ASKED
from tests.bot.integrity.test_protections import told

BASE = (
    "def price(cents, discount=0):\n    if discount:\n        cents -= discount\n    return cents\n"
)
IGNORED = "def price(cents, discount=0):\n    return cents * 2\n"


@pytest.mark.parametrize(
    ("head", "is_ignored"),
    [
        (IGNORED, True),
        (BASE.replace("    if", "    discount = 3\n    if"), True),
        (BASE.replace("    if", "    del discount\n    discount = 3\n    if"), True),
        (BASE.replace("    if", "    discount = discount or 3\n    if"), False),
        (BASE.replace("    if", "    if cents > 9:\n        discount = 3\n    if"), False),
        (IGNORED.replace("cents *", "total(**locals()) + cents *"), False),
        ("def price(cents, discount=0):\n    raise NotImplementedError\n", False),
        ("def price(cents):\n    return cents\n", False),
        ("def price(cents, _discount=0):\n    return cents\n", False),
    ],
)
def test_a_parameter_that_has_no_effect_any_more(head: str, is_ignored: bool) -> None:
    rules = told(BASE, head)
    assert ("parameter-ignored" in rules) is is_ignored


def test_a_parameter_of_which_the_task_speaks_may_be_ignored() -> None:
    assert "parameter-ignored" in told(BASE, IGNORED, ASKED)
    assert "parameter-ignored" not in told(BASE, IGNORED, "`discount` has no effect any more")


def test_methods_and_constructors_are_read_too() -> None:
    base = "class Price:\n    def __init__(self, cents, unit):\n        self.all = cents, unit\n"
    base += "\n    def told(self, unit):\n        return self.all, unit\n"
    constructor = base.replace("cents, unit\n", "cents\n")
    assert "parameter-ignored" in told(base, constructor)
    assert "parameter-ignored" in told(base, base.replace("self.all, unit", "self.all"))
    assert "parameter-ignored" not in told(base, base.replace("self.all, unit", "unit, self.all"))


def test_what_takes_all_others_is_none() -> None:
    base = "def price(cents, **more):\n    return cents + len(more)\n"
    assert "parameter-ignored" not in told(base, base.replace(" + len(more)", ""))
