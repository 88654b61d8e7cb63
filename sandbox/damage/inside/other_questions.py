"""Tells what of a change asks the same of a length in other words (of JavaScript and TypeScript)."""

from __future__ import annotations

from collections.abc import Sequence

import tree_sitter

from sandbox.damage.inside.languages import CONDITIONED
from sandbox.damage.inside.source import Piece, function_around, text_of, walk

_SIDES = 3  # of a comparison, with what stands between them
_JOINING = ("&&", "||")
_GIVES_TEXT = frozenset((
    *("toString", "trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "join", "padStart"),
    *("padEnd", "repeat", "normalize", "toFixed"),
))  # fmt: skip


def is_asked_otherwise(gone: Sequence[Piece], came: Sequence[Piece]) -> bool:
    """Tell whether a condition that a length is above 0 asks for the length itself on one side.

    So it may ask for a text instead of its length. (`a.length !== 0` is met without any length, too.)
    """
    written = gone or came
    compared = written[-1].node.parent if written and not (gone and came) else None
    if compared is None or not _compares(compared) or not _is_condition(compared):
        return False
    length = compared.children[0]
    if [one.start for one in written] == [one.start_byte for one in compared.children[1:]]:
        return True
    subject = length.children[0]
    is_whole = [one.text for one in written] == [b".", b"length", b">", b"0"]
    return is_whole and written[0].start == subject.end_byte and _is_text_by_name(subject)


def _compares(node: tree_sitter.Node) -> bool:
    """Tell whether a node asks that a length is above 0."""
    if node.type != "binary_expression" or len(node.children) != _SIDES:
        return False
    left, operator, right = node.children
    name = left.child_by_field_name("property") if left.type == "member_expression" else None
    return name is not None and [name.text, operator.text, right.text] == [b"length", b">", b"0"]


def _is_condition(node: tree_sitter.Node) -> bool:
    """Tell whether only the truth of a node counts."""
    around = node.parent
    while around is not None:
        operators = {text_of(one) for one in around.children if not one.is_named}
        if around.type == "unary_expression" and "!" in operators:
            return True
        is_joined = around.type == "binary_expression" and operators & {*_JOINING}
        if not is_joined and around.type != "parenthesized_expression":
            return around.type in CONDITIONED and around.child_by_field_name("condition") == node
        node, around = around, around.parent
    return False


def _is_text_by_name(name: tree_sitter.Node) -> bool:
    """Tell whether a name stands for a text alone: a constant of its function, or a typed parameter."""
    function = function_around(name)
    if function is None or name.type != "identifier":
        return False
    found = []
    for one in walk(function):
        named = one.child_by_field_name("name") or one.child_by_field_name("pattern")
        if one.type in ("variable_declarator", "required_parameter") and named is not None:
            found += [one] if named.text == name.text else []
        elif one.type in ("formal_parameters", "object_pattern", "array_pattern", "arrow_function"):
            found += [one for inner in one.children if inner.text == name.text]
    if len(found) != 1:
        return False
    kind, value = found[0].child_by_field_name("type"), found[0].child_by_field_name("value")
    if found[0].type == "required_parameter":
        return kind is not None and text_of(kind).lstrip(": ") == "string" and value is None
    is_constant = found[0].parent is not None and found[0].parent.children[0].text == b"const"
    return is_constant and value is not None and _is_text(value)


def _is_text(node: tree_sitter.Node) -> bool:
    """Tell whether an expression gives a text whatever it reads."""
    if node.type == "ternary_expression":
        condition, value, other = (
            node.child_by_field_name(one) for one in ("condition", "consequence", "alternative")
        )
        if condition is None or value is None or other is None:
            return False
        is_asked = text_of(condition).replace('"', "'") == f"typeof {text_of(value)} === 'string'"
        return (is_asked or _is_text(value)) and _is_text(other)
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        return _is_text(node.named_children[0])
    called = node.child_by_field_name("function") if node.type == "call_expression" else None
    if called is not None:
        method = called.child_by_field_name("property")
        return text_of(called) == "String" or (
            method is not None and text_of(method) in _GIVES_TEXT
        )
    return node.type in ("string", "template_string")
