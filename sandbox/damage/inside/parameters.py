"""Parameters that a change adds to a function of base: each is its default first, whatever is given.

`def pages(urls, limit=5)` begins with `limit = 5`. A test that shows what the parameter is for fails then.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import tree_sitter

from sandbox.damage.inside.make import Damage, entered, shown
from sandbox.damage.inside.source import Clock, Function, Source, functions, text_of, walk

_MOST = 3
_SCRIPTS = ("javascript", "typescript", "tsx")
_DEFAULTED = frozenset((
    "default_parameter", "typed_default_parameter", "assignment_pattern", "object_assignment_pattern",
    "required_parameter", "optional_parameter",
))  # fmt: skip
_HELD = (
    "accessibility_modifier",
    "override_modifier",
    "readonly",
)  # what a constructor keeps at once


def parameters(sources: list[Source], words: frozenset[str], clock: Clock) -> Iterator[Damage]:
    """Yield each new parameter with a default that the tests name, set to its default."""
    yield from islice((one for source in sources for one in _of_file(source, words, clock)), _MOST)


def _of_file(source: Source, words: frozenset[str], clock: Clock) -> Iterator[Damage]:
    if source.root is None or source.language not in ("python", *_SCRIPTS) or not source.before:
        return
    before = clock.parse(source.before, source.language)
    known: dict[str, set[str]] = {}
    for one in functions(before) if before else ():
        known.setdefault(one.name, set()).update(name for name, _ in _taken(one))
    for function in source.functions:
        if not source.is_changed(function.first, function.last) or function.name not in known:
            continue
        for name, default in _taken(function):
            if default and name in words and name not in known[function.name]:
                yield from _at_default(source, function, name, default)


def _taken(function: Function) -> Iterator[tuple[str, str]]:
    """Yield what a function takes, also in an object, with its default; "" where it has none."""
    taken = function.node.child_by_field_name("parameters")
    waiting = [*taken.named_children] if taken is not None else []
    single = function.node.child_by_field_name("parameter")
    waiting += [single] if single is not None else []
    while waiting:
        node = waiting.pop(0)
        bound = next(
            (
                one
                for field in ("name", "left", "pattern")
                if (one := node.child_by_field_name(field))
            ),
            node,
        )
        if bound.type == "object_pattern":
            waiting += bound.named_children
        elif "identifier" in bound.type and not any(one.type in _HELD for one in node.children):
            value = node.child_by_field_name("value") or node.child_by_field_name("right")
            is_plain = node.type in _DEFAULTED and value is not None
            yield text_of(bound), text_of(value) if is_plain and value else ""
        elif node.type == "typed_parameter":
            yield next((text_of(o) for o in walk(node) if o.type == "identifier"), ""), ""


def _at_default(source: Source, function: Function, name: str, default: str) -> Iterator[Damage]:
    what = f"`{name}` of `{function.name}` is always `{shown(default)}`"
    body, is_script = function.body, source.language in _SCRIPTS
    put = f"{name} = {default}{';' if is_script else ''}"
    made = entered(source, function, "parameter", put, what)
    if is_script and body.type != "statement_block":
        made = iter([_in_front(source, function, f"({name} = {default}, {text_of(body)})", what)])
    for one in made:
        yield Damage(
            one.file, one.kind, one.line, one.symbol, one.start, one.end, one.text, one.what,
            is_telling=False, names=(name,),
        )  # fmt: skip


def _in_front(source: Source, function: Function, put: str, what: str) -> Damage:
    body: tree_sitter.Node = function.body
    place = source.number, "parameter", function.first, function.name
    return Damage(*place, body.start_byte, body.end_byte, put.encode(), what)
