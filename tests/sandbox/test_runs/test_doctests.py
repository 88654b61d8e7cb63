"""One side's examples on the other side's code, as text."""

from __future__ import annotations

import ast

import pytest

from sandbox.test_runs.crosswise import with_doctests

HEAD = '''"""Head.

>>> 2
2
"""
from __future__ import annotations


@staticmethod
def plain(a,
          b): return a


class Shop:
    @property
    def name(self):
        """Héad

        >>> Shop().name
        'head'
        """
        return "é"

    def price(self):
        return 1
'''
BASE = '''"""Base.

>>> 1
1
"""


def plain(a):
    r"""Raw.

    >>> plain(1)
    1
    """
    return a


class Shop:
    def name(self):
        """Base >>> in one line"""

    def price(self):
        """
        >>> Shop().price()
        1
        """
        return 1


class Gone:
    """
    >>> Gone()
    """

    def close(self):
        pass
'''


def docs(text: str) -> dict[str, str | None]:
    tree = ast.parse(text)
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    return {getattr(node, "name", ""): ast.get_docstring(node) for node in nodes}


def code(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [
                one for one in body if ast.get_docstring(node) is None or one is not body[0]
            ]
    return ast.unparse(tree)


def test_docstrings_with_examples_move_and_no_code_does() -> None:
    made = with_doctests(HEAD, BASE)
    assert code(made) == code(HEAD)
    assert docs(made) == {
        "": "Base.\n\n>>> 1\n1",
        "plain": "Raw.\n\n>>> plain(1)\n1",
        "Shop": None,
        "name": "Base >>> in one line",
        "price": ">>> Shop().price()\n1",
    }


def test_what_the_other_code_lacks_fails_as_a_missing_name() -> None:
    extended = BASE.replace(
        "class Gone", "    def more(self):\n        '>>> Shop().more()'\n\n\nclass Gone", 1
    )
    made = with_doctests(HEAD, extended, stand_ins=True)
    names: dict[str, object] = {}
    exec(made.replace("@staticmethod\n", ""), names)  # noqa: S102 - written above
    assert docs(made)["Gone"] == ">>> Gone()"
    shop = names["Shop"]
    assert callable(shop)
    with pytest.raises(NameError, match="'more' is not defined"):
        shop().more()
    gone = names["Gone"]
    assert callable(gone)
    with pytest.raises(NameError, match="'Gone' is not defined"):
        gone()


@pytest.mark.parametrize("other", [HEAD, "def broken(:\n", "x = " + "(" * 5000, "\0", ""])
def test_nothing_is_made_where_nothing_differs_or_can_be_read(other: str) -> None:
    assert with_doctests(HEAD, other) == ""
