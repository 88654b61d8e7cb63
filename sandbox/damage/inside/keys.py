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
    found: list[tuple[Source, tree_sitter.Node]] = []
    for source, root in ((one, one.root) for one in sources if one.root is not None):
        for node in walk(root):
            line = node.start_point[0] + 1
            if not _KEYED.match(node.type) or not any(a <= line <= b for a, b in source.ranges):
                continue
            key = node.child_by_field_name("key") or node.child_by_field_name("value")
            first = key or next(iter(node.named_children), None)
            values = filter(is_value, walk(first)) if first is not None else ()
            found += [(source, one) for one in values if text_of(one).encode() not in before]
    for source, node in found if len(found) <= _MOST else ():
        line, value = node.start_point[0] + 1, text_of(node)
        put = b"damaged" if TEXT.search(node.type) else b"1" + value.encode()
        place = source.number, "key", line, source.symbol(line), node.start_byte, node.end_byte
        told = f"`{shown(value)}` is another key"
        yield Damage(*place, put, told, is_telling=False, names=(value,))
