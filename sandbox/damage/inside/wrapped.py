"""Statements that a change puts into a `with` that base does not have: each runs without it.

What a lock is for shows only where two threads meet, which no test can bring about; what only measures or
reports shows nothing in a result. They are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import tree_sitter

from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Source, text_of, walk

_MOST = 3
_LEFT_OUT = re.compile(
    r"(?i)lock|mutex|condition|span|trac|tim(?:er|ed|ing)|profil|metric|measur|progress|status|spinner|log"
    r"|warnings|no_grad|inference|autocast|record"
)
_LOCK = rb"\b%s\b[^=\n]{0,60}=[^=\n]{0,60}(?:Lock|Condition)\b"


def unwrapped(sources: list[Source]) -> Iterator[Damage]:
    """Yield each new `with` of which its statements use no name, as a plain block."""
    for source, node, told in islice(_new_ones(sources), _MOST):
        colon = next(one for one in node.children if one.type == ":")
        line = node.start_point[0] + 1
        yield Damage(
            source.number,
            "unwrapped",
            line,
            source.symbol(line),
            node.start_byte,
            colon.start_byte,
            b"if True",
            f"`{shown(told)}` is left out",
            is_telling=False,
            names=tuple(dict.fromkeys(_names(node))),
        )


def _new_ones(sources: list[Source]) -> Iterator[tuple[Source, tree_sitter.Node, str]]:
    for source in sources:
        read = source.root if source.language == "python" else None
        for node in walk(read) if read else ():
            clause = node.named_children[0] if node.type == "with_statement" else None
            if clause is None or not any(
                a <= node.start_point[0] + 1 and clause.end_point[0] + 1 <= b
                for a, b in source.ranges
            ):
                continue
            told = f"with {text_of(clause)}"
            called = [*_names(node)]
            is_left_out = any(map(_LEFT_OUT.search, called)) or any(
                re.search(_LOCK % re.escape(one.encode()), source.text) for one in called
            )
            is_bound = any(one.type == "as_pattern" for one in walk(clause))
            if not called or is_left_out or is_bound or told.encode() in source.before:
                continue
            yield source, node, told


def _names(node: tree_sitter.Node) -> Iterator[str]:
    """Yield of each thing that is entered its last name: `Semaphore` of `asyncio.Semaphore(2)`."""
    for item in node.named_children[0].named_children:
        entered = item.child_by_field_name("value")
        called = entered.child_by_field_name("function") if entered else None
        last = re.search(r"(\w+)\W*\Z", text_of(called or entered)) if entered else None
        if last:
            yield last[1]
