"""Terms of a change with a number that base does not have: each left out of what is computed.

`2 * n - n // 20011` becomes `2 * n`, and `min(n, 65535)` becomes `n`. What a comparison asks for is a
condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import tree_sitter

from sandbox.damage.inside.languages import OPERATION, TEXT
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Clock, Source, text_of, walk

_MOST = 4
_LEAVING_OUT = frozenset(("+", "-", "&", "|", "^", "%", "<<", ">>", ">>>"))
_COMPARING = frozenset(("==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not in"))
_BOUND = frozenset(("min", "max", "Math.min", "Math.max"))
_NUMBER = re.compile(r"(?:0[xX][\da-fA-F_]+|[\d_]+(?:\.[\d_]+)?)\Z")
_SMALL = 2  # what honest code computes with everywhere
_OF_A_BYTE = 255  # what is put into bytes comes out as it does with this mask


def terms(sources: list[Source], clock: Clock) -> Iterator[Damage]:
    """Yield each new term with a number that neither base nor what the change takes away has."""
    gone = b"\n".join(text for one in sources for _, _, text in one.hunks)
    found = (one for source in sources for one in _of_file(source, gone, clock))
    yield from islice(found, _MOST)


def _of_file(source: Source, gone: bytes, clock: Clock) -> Iterator[Damage]:
    before = source.before + b"\n" + gone
    for node in walk(source.root) if source.root else ():
        line = node.start_point[0] + 1
        if clock.is_over:
            return
        if not node.is_named or not any(a <= line <= b for a, b in source.ranges):
            continue
        kept, left_out = _sides(node)
        if kept is None or left_out is None:
            continue
        numbers = tuple(dict.fromkeys(filter(_is_telling, map(text_of, walk(left_out)))))
        if not numbers or any(_has(one, before) for one in numbers):
            continue
        if not _is_compared(node) and not any(TEXT.search(one.type) for one in walk(node)):
            put = text_of(kept)
            yield Damage(
                source.number,
                "term",
                line,
                source.symbol(line),
                node.start_byte,
                node.end_byte,
                f"({put})".encode(),
                f"`{shown(text_of(node))}` is only `{shown(put)}`",
                is_telling=False,
                names=numbers,
            )


def _sides(node: tree_sitter.Node) -> tuple[tree_sitter.Node | None, tree_sitter.Node | None]:
    """Return what stays of a computation and what is left out of it; nothing of what is none."""
    if OPERATION.search(node.type):
        operators = {text_of(one) for one in node.children if not one.is_named}
        sides = node.child_by_field_name("left"), node.child_by_field_name("right")
        return sides if operators <= _LEAVING_OUT else (None, None)
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if called is None or given is None or text_of(called) not in _BOUND:
        return None, None
    values = [one for one in given.named_children if one.type != "comment"]
    kept = [one for one in values if not _is_number(one)]
    bounds = [one for one in values if _is_number(one)]
    return (kept[0], bounds[0]) if len(kept) == len(bounds) == 1 else (None, None)


def _is_compared(node: tree_sitter.Node) -> bool:
    around = node.parent
    while around is not None and (OPERATION.search(around.type) or "parenthes" in around.type):
        if any(not one.is_named and text_of(one) in _COMPARING for one in around.children):
            return True
        around = around.parent
    return False


def _is_number(node: tree_sitter.Node) -> bool:
    return not node.children and _NUMBER.match(text_of(node)) is not None


def _is_telling(written: str) -> bool:
    """Tell whether a text is a number that few compute with."""
    if not _NUMBER.match(written):
        return False
    plain = written.replace("_", "")
    value = int(plain, 16) if plain[:2].lower() == "0x" else float(plain or 0)
    return value > _SMALL and value != _OF_A_BYTE


def _has(number: str, text: bytes) -> bool:
    return re.search(rb"(?<![\w.])%s(?![\w.])" % re.escape(number.encode()), text) is not None
