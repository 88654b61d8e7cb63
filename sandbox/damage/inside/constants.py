"""Tells which functions of a Python file do something else because a value outside of them changed.

A unit in a table or a pattern beside a function is what the function does: as on base it has base's values.
They are bound inside of it, so that nothing else on the copy sees them.
"""

from __future__ import annotations

from collections.abc import Mapping

import tree_sitter

from sandbox.damage.inside.source import text_of, tokens, walk

MOST_BOUND = 20


def altered(
    own: Mapping[str, tree_sitter.Node], before: Mapping[str, tree_sitter.Node]
) -> dict[str, tree_sitter.Node]:
    """Return base's assignments, by name, that head has with another value, or that are made of such a one.

    `own` and `before` are the assignments outside of everything, on head and on base, in their order.
    """
    found: dict[str, tree_sitter.Node] = {}
    for name, node in before.items():
        twin = own.get(name)
        if twin is None or name in _identifiers(node.child_by_field_name("right")):
            continue
        is_other = tokens(twin) != tokens(node)
        if is_other or not found.keys().isdisjoint(_identifiers(node)):
            found[name] = node
    return dict(list(found.items())[:MOST_BOUND])


def used(function: tree_sitter.Node, values: Mapping[str, tree_sitter.Node]) -> tuple[str, ...]:
    """Return which of these values a function reads from outside of itself, with those they are made of."""
    body = function.child_by_field_name("body")
    if not values or body is None or function.type != "function_definition":
        return ()
    own = _identifiers(function.child_by_field_name("parameters"))
    for one in walk(body):  # what it binds itself, or takes from a scope that it says
        if one.type in ("assignment", "augmented_assignment", "for_statement"):
            own |= _identifiers(one.child_by_field_name("left"))
        elif one.type in ("global_statement", "nonlocal_statement"):
            own |= _identifiers(one)
    read = _identifiers(body) & values.keys() - own
    for name in reversed([*values]):
        if name in read:
            read |= _identifiers(values[name]) & values.keys() - own
    return tuple(name for name in values if name in read)


def with_values(
    function: tree_sitter.Node, text: bytes, values: Mapping[str, tree_sitter.Node]
) -> bytes:
    """Return a function of base with the values that it reads in front of its body, behind the docstring."""
    body = function.child_by_field_name("body")
    read = used(function, values)
    statements = [one for one in body.named_children if one.type != "comment"] if body else []
    if len(statements) > 1 and text_of(statements[0])[-1:] in ("'", '"'):
        del statements[0]
    if not read or not statements:
        return text[function.start_byte : function.end_byte]
    at = statements[0].start_byte
    is_inline = statements[0].start_point[0] == function.start_point[0]
    between = b"; " if is_inline else b"\n" + text[text.rfind(b"\n", 0, at) + 1 : at]
    put = [text[values[name].start_byte : values[name].end_byte] + between for name in read]
    return text[function.start_byte : at] + b"".join(put) + text[at : function.end_byte]


def _identifiers(node: tree_sitter.Node | None) -> set[str]:
    """Return the names that are read by themselves: no attributes, no names of arguments."""
    found = set()
    for one in walk(node) if node is not None else ():
        around = one.parent
        if one.type != "identifier" or around is None:
            continue
        of_other = {"attribute": "attribute", "keyword_argument": "name"}.get(around.type)
        if of_other is None or around.child_by_field_name(of_other) != one:
            found.add(text_of(one))
    return found
