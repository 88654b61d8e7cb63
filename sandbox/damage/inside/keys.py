"""Keys and cases that a change adds: what an answer is looked up by, or what a switch asks for.

Each has another word in its place. Of a long table, of which tests look at some, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from sandbox.damage.inside.conditions import is_value
from sandbox.damage.inside.languages import TEXT
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Source, text_of, walk

_MOST = 6
_KEYED = re.compile(r"(?:pair|switch_case|case_clause|case_statement)\Z")


def keys(sources: list[Source]) -> Iterator[Damage]:
    """Yield the keys that no file had on base, where they are few."""
    before = b"\n".join(one.before for one in sources)
    found = [
        (source, node)
        for source in sources
        if source.root is not None
        for node in _new_ones(source, source.root)
        if text_of(node).encode() not in before
    ]
    for source, node in found if len(found) <= _MOST else ():
        line, value = node.start_point[0] + 1, text_of(node)
        put = b"damaged" if TEXT.search(node.type) else b"1" + value.encode()
        place = source.number, "key", line, source.symbol(line), node.start_byte, node.end_byte
        told = f"`{shown(value)}` is another key"
        yield Damage(*place, put, told, is_telling=False, names=(value,))


def _new_ones(source: Source, root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    for node in walk(root):
        line = node.start_point[0] + 1
        if not _KEYED.match(node.type) or not any(a <= line <= b for a, b in source.ranges):
            continue
        key = node.child_by_field_name("key") or node.child_by_field_name("value")
        first = key or next(iter(node.named_children), None)
        yield from filter(is_value, walk(first) if first is not None else ())
