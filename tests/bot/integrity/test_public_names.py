"""Public names that a change takes away without a word."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

ASKED = "`price` returns twice the cents"
PYTHON = """class Shop:
    def close(self):
        return self

    def _count(self):
        return 1


def price(cents):
    return cents


def label(name):
    return name


def _small(cents):
    return cents
"""
SCRIPT = """export function price(cents) {
  return cents;
}

export const label = (name) => name;

function small(cents) {
  return cents;
}
"""
LISTED = "const price = 1;\nconst label = 2;\nmodule.exports = {price, label};\n"


def found(
    files: dict[str, tuple[str, str]], asked: str = ASKED, trust: Trust = Trust.ASKER
) -> list[str]:
    """What is said of names that are gone."""
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", trust),))
    base, head = (Tree({path: both[at] for path, both in files.items()}) for at in (0, 1))
    diff = Diff(tuple(changed(path, *both) for path, both in files.items()))
    findings = inspect_integrity(diff, base, head, FourWay(()), wanted)
    return [one.message for one in findings if one.rule == rules.PUBLIC_NAME_REMOVED]


def without(text: str, *parts: str) -> str:
    """A text without these parts of it."""
    for part in parts:
        assert part in text
        text = text.replace(part, "")
    return text


LABEL, CLOSE = "def label(name):\n    return name\n", "    def close(self):\n        return self\n"


@pytest.mark.parametrize(
    ("path", "base", "part", "name"),
    [
        ("shop.py", PYTHON, LABEL, "label"),
        ("shop.py", PYTHON, CLOSE, "Shop.close"),
        ("src/shop.js", SCRIPT, "export const label = (name) => name;\n", "label"),
        (
            "src/shop.cjs",
            "exports.price = 1;\nexports.label = 2;\n",
            "exports.label = 2;\n",
            "label",
        ),
        ("index.js", LISTED, ", label", "label"),
    ],
)
def test_a_public_name_that_is_gone_is_told(path: str, base: str, part: str, name: str) -> None:
    both = {path: (base, without(base, part) + "\n")}
    (said,) = found(both)
    assert said.startswith(f"`{name}`, which base has for everybody, is gone")
    assert not found(both, f"{ASKED}, and `{name}` goes")
    assert not found(both, "Drop what nobody uses")
    assert found(both, "Drop what nobody uses", Trust.AUTHOR)


@pytest.mark.parametrize(
    ("path", "base", "head"),
    [
        ("shop.py", PYTHON, without(PYTHON, "    def _count(self):\n        return 1\n")),
        ("shop.py", PYTHON, without(PYTHON, "def _small(cents):\n    return cents\n")),
        ("shop.py", PYTHON, PYTHON.replace(LABEL, "label = str\n")),
        ("shop.py", PYTHON, f"from names import label\n{without(PYTHON, LABEL)}"),
        ("_shop.py", PYTHON, without(PYTHON, LABEL)),
        ("tests/test_shop.py", PYTHON, without(PYTHON, LABEL)),
        ("scripts/shop.py", PYTHON, without(PYTHON, LABEL)),
        ("src/shop.js", SCRIPT, without(SCRIPT, "function small(cents) {\n  return cents;\n}\n")),
        (
            "src/shop.js",
            SCRIPT,
            SCRIPT.replace("export const label = (name) => name;", "export {label};"),
        ),
        ("index.js", LISTED, LISTED.replace("{price, label}", "{label, price}")),
        ("index.js", LISTED, "module.exports = {price: () => 2, label: (name) => name};\n"),
        ("index.js", "module.exports = {};\n", "exports.price = 1;\n"),
        ("index.js", LISTED, "const all = {label: 2};\nmodule.exports = {price: 1, ...all};\n"),
        ("index.js", LISTED, "module.exports = Object.assign(price, {label: 2});\n"),
    ],
)
def test_what_stays_or_was_nobodys_is_not(path: str, base: str, head: str) -> None:
    assert not found({path: (base, head)})


def test_what_moves_is_not_gone() -> None:
    moved = {"shop.py": (PYTHON, without(PYTHON, LABEL)), "names.py": ("\n", LABEL)}
    assert not found(moved)


@pytest.mark.parametrize(
    ("listed", "told_in", "is_told"),
    [
        ('__all__ = ["shop", "cli"]\n', "", False),
        ('__all__ = ["shop", "tools"]\n', "", True),
        ('from .tools import label\n\n__all__ = ["shop"]\n', "", True),
        ('__all__ = ["shop"]\n', "docs/tools.md", True),
        ('__all__ = ["shop"]\n', "tests/test_tools.py", True),
        ("", "", True),
    ],
)
def test_what_a_package_leaves_out_of_its_list_is_its_own(
    listed: str, told_in: str, is_told: bool
) -> None:
    files = {
        "kit/__init__.py": (listed, "from . import shop\n"),
        "kit/tools.py": (PYTHON, without(PYTHON, LABEL)),
        "README.md": ("A kit.\n", "A kit.\n"),
    }
    if told_in:
        files[told_in] = ("label()\n", "price()\n")

    assert bool(found(files)) is is_told
