"""Calls that are made at length besides those that base and head make briefly."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Limits
from sandbox.elsewhere.driver import Looking
from sandbox.elsewhere.python import PythonDriver
from sandbox.elsewhere.sides import AtLength, Replay
from sandbox.elsewhere.told import Recorded
from sandbox.linters.reading import Node
from sandbox.values import Checkout, Diff, Environment, Recipe, Side, TestRunner

pytestmark = pytest.mark.real

BRIEF = Recorded("shop", "price", 0, "((4,), {})", "test_shop.py", "test_price", "", "price(4)")
LONG = replace(BRIEF, arguments="((5,), {})", shown="price(5)")
PRICE = "def price(cents):\n    return 2 * cents\n"
SLOW = "import time\n\ndef price(cents):\n    time.sleep(9 * (cents == 5))\n    return 2 * cents\n"


@pytest.mark.parametrize(("code", "at_length"), [(PRICE, "returned 10"), (SLOW, None)])
def test_the_first_program_on_head_makes_the_calls_at_length_too(
    tmp_path: Path, code: str, at_length: str | None
) -> None:
    python, tree = tmp_path / "deps" / "bin" / "python", tmp_path / "tree"
    python.parent.mkdir(parents=True)
    python.symlink_to("/usr/bin/python3")
    tree.mkdir()
    (tree / "shop.py").write_text(code)
    recipe = Recipe("python", (), (), (), TestRunner.PYTEST, (), "")
    base, head = (
        Environment(side, recipe, "", str(tmp_path / "deps"), "", ())
        for side in (Side.BASE, Side.HEAD)
    )
    checkout = Checkout("b", "a", "b", str(tree), str(tree), Diff(()))
    limits = Limits(timeout_s=4)
    looking = Looking(checkout, head, base, ("test_shop.py",), (), (), tmp_path, limits)
    asked = AtLength((LONG,))
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    replay = Replay(sandbox, PythonDriver(), looking, Node({"sys_path": ["/work/tree"]}), asked)
    runs = asyncio.run(replay.runs([BRIEF]))
    assert [[one.text for one in run.outcomes.values()] for run in runs] == [["returned 8"]] * 2
    assert (asked.run.outcomes[0].text if asked.run else None) == at_length
