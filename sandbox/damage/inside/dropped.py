"""Promises that base awaits and that head lets go: in a callback of `forEach`, or of a `map` whose result
nobody takes. Each is awaited again, for what stands behind it to happen afterwards, as on base.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from sandbox.damage.inside.languages import FUNCTIONS
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import (
    Clock,
    Source,
    function_around,
    name_of,
    part,
    text_of,
    walk,
)

_LANGUAGES = ("javascript", "typescript", "tsx")
_LOOPS = ("forEach", "map")
_SAID = ("await", "awaits", "awaited", "waits", "waiting", "background", "parallel", "concurrently")
"""Words of whoever speaks of what is waited for."""


def dropped_promises(source: Source, clock: Clock) -> Iterator[Damage]:
    """Yield head with each of these loops awaited."""
    is_read = source.language in _LANGUAGES and source.root is not None and bool(source.hunks)
    loops = list(_loops(source)) if is_read else []
    was = clock.parse(source.before, source.language) if loops else None
    awaited = _awaited(was) if was is not None else set()
    for call, callback, function in loops:
        made = {text_of(one) for node in walk(callback) if (one := _called(node)) is not None}
        looped = call.child_by_field_name("function")
        given = call.child_by_field_name("arguments")
        if looped is None or given is None or not {(function, one) for one in made} & awaited:
            continue
        over = looped.child_by_field_name("object")
        listed, behind = (one.text or b"" if one is not None else b"" for one in (over, given))
        line = call.start_point[0] + 1
        put = b"await Promise.all(" + listed + b".map" + behind + b")"
        here = source.number, "altered", line, function, call.start_byte, call.end_byte
        told = f"`{shown(text_of(looped))}(…)` is awaited, as on base"
        yield Damage(*here, put, told, is_telling=False, names=_SAID)


def _loops(source: Source) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node, str]]:
    """Yield changed loops whose result nobody takes: the call, its callback, and the function around it."""
    for node in walk(source.root) if source.root is not None else ():
        looped = node.child_by_field_name("function") if node.type == "call_expression" else None
        name = part(looped, "property")
        lines = node.start_point[0] + 1, node.end_point[0] + 1
        is_alone = node.parent is not None and node.parent.type == "expression_statement"
        is_loop = name is not None and text_of(name) in _LOOPS
        if not (is_loop and is_alone and source.is_changed(*lines)):
            continue
        given = node.child_by_field_name("arguments")
        first = given.named_children[0] if given is not None and given.named_children else None
        around = function_around(node)
        is_awaited = around is not None and _is_async(around)
        if first is not None and first.type in FUNCTIONS and is_awaited and _gives(first):
            yield node, first, name_of(around) if around is not None else ""


def _gives(callback: tree_sitter.Node) -> bool:
    """Tell whether a callback gives a promise back."""
    body = callback.child_by_field_name("body")
    return _is_async(callback) or (body is not None and body.type == "call_expression")


def _awaited(root: tree_sitter.Node) -> set[tuple[str, str]]:
    """Return what a function awaits by itself: its name, and what it calls."""
    found = set()
    for node in walk(root):
        if node.type == "await_expression" and node.named_children:
            called, around = _called(node.named_children[-1]), function_around(node)
            if called is not None and around is not None:
                found.add((name_of(around), text_of(called)))
    return found


def _called(node: tree_sitter.Node) -> tree_sitter.Node | None:
    return node.child_by_field_name("function") if node.type == "call_expression" else None


def _is_async(function: tree_sitter.Node) -> bool:
    return any(one.type == "async" for one in function.children)
