"""What is taken out of changed lines that have no value to change; nothing where a place would be left."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.damage.making import make_damages
from sandbox.damage.values import STRIPPED
from tests.sandbox.linters.changes import changed

pytestmark = pytest.mark.real

ENTRY = (
    "class Entry:\n    def __init__(self, project, note=''):\n        self.project = project\n"
    "        self.note = note\n"
)
DATA = (
    "from dataclasses import dataclass\n\n\n"
    "@dataclass\nclass Entry:\n    project: str\n    note: str = ''\n"
)
OWN = "export function own(t) {\n  return t.replace(/x/, '');\n}\n"
WIDTH = "export function width(t) {\n  return own(t).length;\n}\n"
STRIP = WIDTH.replace("own(t)", "strip(t)")
TAKEN = f"import {{strip}} from 'x';\n{STRIP}"
LONG = "def f(a):\n{}    b = f(a)\n\n{}    return b\n"
CALLED = LONG.format("", "").replace("= f(", "= g(")
CASES = {
    "dataclass": (
        "py", ENTRY, DATA,
        {"`@dataclass` is taken out", "`project: str` is taken out", "`note: str = ''` is taken out"},
    ),
    "another default": ("py", ENTRY, DATA.replace("= ''", "= None"), set()),
    "no default": ("py", ENTRY, DATA.replace(" = ''", ""), set()),
    "a field less": ("py", ENTRY, DATA.replace("    note: str = ''\n", ""), set()),
    "an argument less": (
        "py", LONG.format("", "    a.close()\n").replace("f(a)", "f(a, d)"),
        LONG.format("", "    a.close()\n").replace("f(a)", "g(a)") + "d = a\n", set(),
    ),
    "library": ("js", WIDTH + OWN, TAKEN, {"`strip(t)` becomes `t`"}),
    "it is still named": ("js", WIDTH + OWN, f"{TAKEN}go(own);\n", set()),
    "a value": ("js", WIDTH + OWN, TAKEN.replace("length", "length + 1"), set()),
    "another line": ("py", "a = 1\nb = f(a)\nc = a\n", "a = 1\nb = g(a)\nd = a\n", set()),
    "a condition": (
        "py", "def f(a):\n    if a:\n        go()\n    return len(a)\n", "def f(a):\n    return sum(a)\n",
        set(),
    ),
    "a check before": ("py", LONG.format("    check(a)\n", ""), CALLED, set()),
    "a check behind": ("py", LONG.format("", "    check(a)\n"), CALLED, set()),
    "a call of what stays": ("py", LONG.format("", ""), CALLED, set()),
    "a call": ("py", "b = old(a)\n", "b = new(a)\n", {"`new(a)` becomes `a`"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
async def test_what_is_taken_out_of_changed_lines(tmp_path: Path, name: str) -> None:
    suffix, base, head, wanted = CASES[name]
    path = f"a.{suffix}"
    checkout = changed(tmp_path, {path: base}, {path: head})
    made = await make_damages(
        open_sandbox("bubblewrap", tmp_path / "state"), checkout, {path}, ("Entry",)
    )
    assert {one.damage.what for one in made if one.damage.kind == STRIPPED} == wanted
