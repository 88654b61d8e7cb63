"""A parameter that a method gets, and that its overrides in subclasses have to take, too."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

BASE = "class Exporter:\n    def export(self, rows, end=''):\n        return rows\n"
GROWN = BASE.replace("end=''", "end='', header=None")
CALL = "from shop.base import Exporter\n\n\ndef show(one):\n    return one.export([], header=1)\n"
OVERRIDE = (
    "from shop.base import Exporter\n\n\nclass Html({}):\n    def export({}):\n        return 1\n"
)
LEFT = OVERRIDE.format("Exporter", "self, rows, end=''")


def found(others: dict[str, str], head: str = GROWN) -> list[str]:
    """What is said of `shop/base.py`, which changes beside other files."""
    asked = Requirement("R1", "`export` takes a `header`", Category.BEHAVIOUR, "#1", Trust.ASKER)
    sides = (Tree({"shop/base.py": one, **others}) for one in (BASE, head))
    diff = Diff((changed("shop/base.py", BASE, head),))
    findings = inspect_integrity(diff, *sides, FourWay(()), Requirements((asked,)))
    return [one.message for one in findings if one.rule == rules.OVERRIDE_LEFT]


@pytest.mark.parametrize("path", ["shop/show.py", "tests/test_show.py"])
def test_an_override_that_does_not_take_it_is_told(path: str) -> None:
    (message,) = found({"shop/html.py": LEFT, path: CALL})
    assert message.startswith(
        "`Exporter.export` takes `header` now, and calls give it. `Html.export`"
    )
    assert "shop/html.py:5" in message


def test_a_class_far_below_is_told_and_one_of_a_name_twice_is_not() -> None:
    middle = "import shop.base as base\n\n\nclass Text(base.Exporter, strict=True):\n    pass\n"
    below = LEFT.replace("(Exporter)", "(Text)")
    files = {"shop/text.py": middle, "shop/html.py": below, "shop/show.py": CALL}
    assert found(files)
    assert not found({**files, "shop/other.py": "class Exporter:\n    pass\n"})


@pytest.mark.parametrize(
    ("others", "head"),
    [
        ({"shop/html.py": LEFT}, GROWN),  # nobody gives it
        ({"shop/html.py": LEFT, "shop/show.py": CALL.replace("one.", "super().")}, GROWN),
        ({"shop/html.py": LEFT, "shop/show.py": CALL}, BASE),
        ({"shop/html.py": LEFT.replace("Exporter)", "Other)"), "shop/show.py": CALL}, GROWN),
        *(
            ({"shop/html.py": OVERRIDE.format("Exporter", takes), "shop/show.py": CALL}, GROWN)
            for takes in (
                "self, rows, end='', header=None",
                "self, rows, end='', *, header",
                "self, rows, end='', **more",
                "self, *args, **more",
                "self, rows, end, top=None",  # at its place
                "self, rows",  # it went its own way already
            )
        ),
    ],
)
def test_what_takes_it_or_is_called_without_it_is_not(others: dict[str, str], head: str) -> None:
    assert not found(others, head)
