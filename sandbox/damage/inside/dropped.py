"""What head drops, each as on base again: promises that it lets go, and arguments outside of functions.

A promise is let go in a callback of `forEach`, or of a `map` whose result nobody takes. It is awaited again,
for what stands behind it to happen afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from sandbox.damage.inside.languages import FUNCTIONS
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.parts import Place, Step, counts, is_for_people, steps
from sandbox.damage.inside.source import (
    Clock,
    LineEdit,
    Source,
    function_around,
    name_of,
    parents,
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


_GIVEN = ("arguments", "argument_list")


def dropped_arguments(source: Source, edits: list[LineEdit], clock: Clock) -> Iterator[Damage]:
    """Yield what a call outside of functions is given on base and no longer on head, each given again."""
    rows = source.text.splitlines(keepends=True)
    for edit in edits:
        if source.root is None or clock.is_over or not (edit.gone and edit.came):
            continue
        if any(map(source.symbol, range(edit.first + 1, edit.end + 1))):
            continue
        start, stop = (len(b"".join(rows[:at])) for at in (edit.first, edit.end))
        put = b"".join(edit.gone)
        text = source.text[:start] + put + source.text[stop:]
        root = clock.parse(text, source.language)
        if root is None:
            continue
        was = Place.of(text, root, start, start + len(put))
        now = Place.of(source.text, source.root, start, stop)
        for step in steps(was.pieces, now.pieces):
            called = _call_without(step)
            if called is None:
                continue
            given = text[step.gone[0].start : step.gone[-1].end]
            names = {text_of(one.node).strip("'\"") for one in step.gone if counts(one)}
            line = source.text.count(b"\n", 0, step.at) + 1
            shown_as = shown(given.decode(errors="replace").strip(", \n"))
            symbol = text_of(called.named_children[-1] if called.named_children else called)
            told = f"`{shown(symbol)}(…)` is given `{shown_as}`, as on base"
            here = source.number, "altered", line, symbol, step.at, step.at
            yield Damage(*here, given, told, is_telling=False, names=(symbol, *sorted(names)))


def _call_without(step: Step) -> tree_sitter.Node | None:
    """Return what base calls with whole arguments that are gone, with nothing in their place; else None."""
    is_aside = not any(map(counts, step.gone)) or any(map(is_for_people, step.gone))
    if step.came or is_aside or function_around(step.gone[0].node) is not None:
        return None
    start, end = step.gone[0].start, step.gone[-1].end
    around = (one for one in parents(step.gone[0].node) if one.end_byte > end)
    given = next(around, None)
    if given is None or given.type not in _GIVEN or given.parent is None:
        return None
    cut = (one for one in given.named_children if one.start_byte < end and one.end_byte > start)
    is_whole = all(start <= one.start_byte and one.end_byte <= end for one in cut)
    return part(given.parent, "function", "constructor") if is_whole else None
