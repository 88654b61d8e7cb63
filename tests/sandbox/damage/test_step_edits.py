"""What a judge's step is run on: as on base, in other words, damaged; and bounded for hostile files."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.damage.making import DamagedCopy, StepEdits, make_step_edits
from sandbox.damage.values import Damage
from tests.sandbox.linters.changes import changed

pytestmark = [pytest.mark.real, pytest.mark.slow]
BASE = {
    "m.py": (
        "import math\n\n\ndef half(x):\n    return math.floor(x / 2)\n\n\nclass A:\n    def b(self, x):\n"
        "        return half(x)\n\n    def c(self):\n        return 1\n\n\ndef d(x):\n    return e(x)\n\n\n"
        "def e(x):\n    return x\n"
    )
}
HEAD = {
    "m.py": (
        "class A:\n    def b(self, x):\n        return 2 * x\n\n    def c(self):\n"
        "        return 1  # one\n\n\ndef d(x):\n    return e(x)\n\n\ndef e(x):\n    return x + 1\n"
    )
}


async def made(
    folder: Path, base: dict[str, str], head: dict[str, str], *named: str
) -> tuple[StepEdits, float]:
    checkout = changed(folder, base, head)
    began = time.monotonic()
    sandbox = open_sandbox("bubblewrap", folder / "state")
    return await make_step_edits(sandbox, checkout, head, named), time.monotonic() - began


def run(copy: DamagedCopy | None) -> dict[str, object]:
    assert copy is not None
    ((_, text),) = copy.files
    names: dict[str, object] = {"__file__": "m.py", "__name__": "m"}
    exec(compile(text, "m.py", "exec"), names)  # noqa: S102 (this file wrote it)
    return names


def of(name: str):
    return lambda damage: name in damage.names and damage.is_changed


async def test_a_definition_is_as_on_base_with_all_that_it_needs(tmp_path: Path) -> None:
    edits, _ = await made(tmp_path, BASE, HEAD, "b")
    copies = edits.near(of("b"))
    assert copies is not None and edits.near(of("c")) is None, "a comment is no change"
    names = run(copies.restored)
    assert (names["A"]().b(5), names["e"](1)) == (2, 2), "the rest stays head's"
    same = run(copies.same)
    assert same["A"]().b(5) == 10 and b"class" not in copies.same.files[0][1]
    kinds = {one.damage.kind: one for one in copies.damages}
    assert {"emptied", "result", "nothing", "unsteady", "constant", "operator"} <= set(kinds)
    assert all(one.damage.names == ("A", "b") for one in copies.damages)
    unsteady = run(kinds["unsteady"])["A"]()
    assert unsteady.b(5) != unsteady.b(5) and isinstance(unsteady.b(5), int)


async def test_what_runs_for_a_name_that_did_not_change(tmp_path: Path) -> None:
    edits, _ = await made(tmp_path, BASE, HEAD, "d")
    assert edits.near(of("d")) is None
    assert edits.near(lambda damage: "d" in damage.names), (
        "what must stay may be damaged all the same"
    )
    found = {one.damage.symbol: run(one) for one in edits.beneath}
    assert set(found) == {"b", "e"}
    assert (found["e"]["d"](1), found["e"]["e"](1)) == (None, 2), "only where `d` has called it"


async def test_a_new_definition_is_on_no_base(tmp_path: Path) -> None:
    head = {"m.js": "function a(x) { return x; }\nfunction b(x) { return 2 * x; }\n"}
    edits, _ = await made(tmp_path, {"m.js": "function a(x) { return x; }\n"}, head, "b")
    copies = edits.near(of("b"))
    assert copies is not None and copies.restored is None and edits.beneath == ()
    assert copies.same.files != ((("m.js"), head["m.js"].encode()),)
    assert {one.damage.is_new for one in copies.damages} == {True}


UNITS = (
    "import re\n\nLETTERS = 'hm'\n_PART = re.compile(rf'(\\d+)([{LETTERS}])')\n"
    "_OF = {'h': 60, 'm': 1}\nLEAST = 1\n\n\n"
    'def minutes(text):\n    """Return the minutes."""\n    parts = _PART.findall(text)\n'
    "    return sum(int(number) * _OF[unit] for number, unit in parts)\n\n\n"
    "def known(LETTERS): return LETTERS\n\n\ndef units(): return sorted(_OF)\n"
)


async def test_a_function_is_as_on_base_with_the_values_beside_it(tmp_path: Path) -> None:
    """The table has a unit more, and no function changed: `minutes` does something else all the same."""
    head = UNITS.replace("'hm'", "'dhm'").replace("{'h'", "{'d': 1440, 'h'")
    edits, _ = await made(tmp_path, {"m.py": UNITS}, {"m.py": head}, "minutes")
    copies = edits.near(of("minutes"))
    assert copies is not None and "emptied" in {one.damage.kind for one in copies.damages}
    names = run(copies.restored)
    assert (names["minutes"]("2d"), names["minutes"]("2h")) == (0, 120)
    assert names["_OF"]["d"] == 1440 and names["units"]() == ["d", "h", "m"], "only in `minutes`"
    assert edits.near(of("known")) is None, "its name is its own"


async def test_a_changed_function_has_base_s_values_too(tmp_path: Path) -> None:
    head = UNITS.replace("'hm'", "'dhm'").replace("{'h'", "{'d': 1440, 'h'")
    head = head.replace(
        "    return sum", "    if not parts:\n        raise ValueError\n    return sum"
    )
    edits, _ = await made(tmp_path, {"m.py": UNITS}, {"m.py": head}, "units")
    copies = edits.near(of("minutes"))
    assert copies is not None and run(copies.restored)["minutes"]("2d") == 0
    inline = edits.near(of("units"))
    assert inline is not None and run(inline.restored)["units"]() == ["h", "m"]


async def test_hostile_files_end_in_time(tmp_path: Path) -> None:
    def nested(text: str) -> str:
        deep = "".join(f"{' ' * n}def f{n}(a):\n" for n in range(90))
        return f"{deep}{' ' * 90}return {text}\n" * 60

    names = "".join(f"def f{n}(a):\n    return a < {n}\n" for n in range(8_000))
    base = {"nested.py": nested("1"), "many.py": names, "line.js": "f(1);" * 90_000}
    head = {
        "nested.py": nested("2"),
        "many.py": names.replace("<", ">"),
        "line.js": "f(2);" * 90_000,
    }
    edits, seconds = await made(tmp_path, base, head, "f1")
    assert seconds < 70

    def is_near(damage: Damage) -> bool:
        return bool(damage.names)

    copies = edits.near(is_near)
    assert copies is None or len(copies.damages) <= 60
