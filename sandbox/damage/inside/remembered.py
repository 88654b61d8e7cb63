"""Results that a change has remembered (`@functools.cache`): each worked out anew instead.

A test that shows what that is for fails then. What is the same each time may be remembered: only functions
count that stood there before and ask for what can be another thing later, such as files or the clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import tree_sitter

from sandbox.damage.inside.make import Damage
from sandbox.damage.inside.source import Source, name_of, text_of, walk

_MOST = 3
_REMEMBERS = re.compile(r"@(?:\w+\.)?((?:lru_|ttl_)?cache|cached(?:_property)?)\b")
_OF_CHANGING = re.compile(
    r"\b(?:open|exists|is_file|is_dir|read_(?:text|bytes)|stat|getmtime|listdir|scandir|iterdir|r?glob|walk"
    r"|environ|getenv|getcwd|cwd|time|monotonic|now|today|utcnow|urlopen|execute|fetch\w*|self)\b"
)


def remembered(sources: list[Source]) -> Iterator[Damage]:
    """Yield each new decorator that remembers what such a function gives, as not there."""
    for source, node, function in islice(_new_ones(sources), _MOST):
        text, line = text_of(node), node.start_point[0] + 1
        is_property = "cached_property" in text
        start = node.start_byte
        end = node.end_byte if is_property else function.start_byte
        put = b"@property" if is_property else b""
        name = name_of(function)
        what = f"`{name}` is worked out each time"
        place = source.number, "remembered", line, name, start, end
        yield Damage(*place, put, what, is_telling=False, names=(name,))


def _new_ones(
    sources: list[Source],
) -> Iterator[tuple[Source, tree_sitter.Node, tree_sitter.Node]]:
    """Yield such decorators that a change adds, each with the function that it stands before."""
    read = [(one, one.root) for one in sources if one.root and one.language == "python"]
    for source, node in ((one, node) for one, root in read for node in walk(root)):
        line = node.start_point[0] + 1
        is_new = node.type == "decorator" and any(a <= line <= b for a, b in source.ranges)
        after = node.next_named_sibling if is_new else None
        if after is None or not _REMEMBERS.match(text_of(node)):
            continue
        was_there = rf"\bdef {re.escape(name_of(after))}\b".encode() if name_of(after) else b""
        is_known = was_there and re.search(was_there, source.before)
        if is_known and after.type == "function_definition" and _OF_CHANGING.search(text_of(after)):
            yield source, node, after
