"""The worker's lines are hostile: whatever they hold, facts come out well-formed or not at all."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sandbox.base import Command, Completed, Killed
from sandbox.code_map.code import parse, plain, read_facts, read_told
from sandbox.code_map.inventory import InventoryFile

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=200),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)
GOOD = [[["total", "function", 1, 3]], {"parse": [2]}, {"os": [1]}]


@given(st.lists(JSON, max_size=6), st.binary(max_size=50))
def test_any_line_is_read_or_skipped(lines: list[object], noise: bytes) -> None:
    channel = noise + b"\n".join(json.dumps(one).encode() for one in lines)
    told = read_told(channel, files=3)
    assert all(0 <= number < 3 for number in (*told.facts, *told.gave_up))
    for facts in told.facts.values():
        assert read_facts(json.loads(json.dumps(plain(facts)))) == facts


def test_facts_are_checked_piece_by_piece() -> None:
    pieces = [
        ["good", "function", 2, 9],
        ["", "function", 1, 1],
        ["no kind", "virus", 1, 1],
        ["no kind", ["class"], 1, 1],
        ["no kind", {}, 1, 1],
        ["no line", "class", -1, 1],
        ["no line", "class", True, 1],
        ["long" * 100, "class", 1, 1],
        ["short", "class"],
        {"name": "x"},
        ["backwards", "class", 5, 1],
    ]
    facts = read_facts([pieces, {"use": [1, 0, "2", None, 10**9], "": [1], "no": 3}, {}])
    assert facts is not None
    assert [(d.name, d.line, d.end_line) for d in facts.definitions] == [
        ("good", 2, 9),
        ("backwards", 5, 5),
    ]
    assert facts.uses == {"use": (1,)}


class Dying:
    """A sandbox whose worker dies at `killer.py` each time it comes to it."""

    name = "dying"

    def __init__(self) -> None:
        self.runs = 0

    async def run(self, command: Command) -> Completed:
        self.runs += 1
        told: list[bytes] = []
        for number, (path, _) in enumerate(json.loads(command.stdin)):
            told.append(json.dumps([number]).encode())
            if path == "killer.py":
                return Completed(None, b"", b"", 1.0, Killed.MEMORY, channel=b"\n".join(told))
            told.append(json.dumps([number, *GOOD]).encode())
        return Completed(0, b"", b"", 1.0, channel=b"\n".join(told))


def listed(*paths: str) -> list[InventoryFile]:
    return [InventoryFile(path, "python", path) for path in paths]


async def test_a_file_that_kills_its_worker_costs_only_itself() -> None:
    sandbox = Dying()
    parsed = await parse(sandbox, Path("/t"), listed("a.py", "killer.py", "b.py", "c.py"))
    assert set(parsed.facts) == {"a.py", "b.py", "c.py"}
    assert parsed.problems == ["The parser was stopped at killer.py: it used too much memory."]
    assert sandbox.runs == 2


async def test_a_tree_of_killers_is_given_up() -> None:
    sandbox = Dying()
    parsed = await parse(sandbox, Path("/t"), listed(*["killer.py"] * 20, "a.py"))
    assert sandbox.runs == 5
    assert parsed.problems[-1] == "16 source files were not parsed."
