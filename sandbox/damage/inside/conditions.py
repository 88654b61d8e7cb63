"""Conditions of a change that ask for a certain value: each made always true, and always false.

A test that tells the two sides of `size < 16` apart fails with one of them. What only asks for a type, a
platform, a version or what an imported module has is left out: one machine cannot see both sides of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import tree_sitter

from sandbox.damage.inside.languages import CONDITIONED, NUMBER, OPERATION, TEXT
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Source, text_of, walk

_MOST = 6
_SMALL = 2  # what honest code asks for everywhere
_WORD = re.compile(r"\w{2}|\w.*\w")  # not "-" and ",;:"
_COMPARING = frozenset((
    "==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not in", "is", "is not",
))  # fmt: skip
_JOINING = frozenset(("&&", "||", "and", "or", "!", "not"))
_AROUND = re.compile(r"parenthesized|boolean_operator|binary|unary|not_operator|conjunction")
_CALLED = re.compile(r"call(?:_expression)?\Z|method_invocation\Z")
_TOLD_APART = re.compile(
    r"\btypeof\b|\binstanceof\b|__name__|"
    r"(?:\A|[.\]?(\s!])(?:type|kind|code|errno|nodeType|tag|platform|version_info|implementation)\b"
)
_IMPORTED = rb"(?m)^[ \t]*import (?:\* as )?%s\b|^[ \t]*import [\w.]{1,80} as %s\b|\b%s = require\("
_ALWAYS = {"python": ("True", "False"), "c": ("1", "0"), "cpp": ("1", "0"), "bash": (":", "! :")}


def conditions(sources: list[Source]) -> Iterator[Damage]:
    """Yield each condition on a value that no file had on base, made always true and then always false."""
    before = b"\n".join(one.before for one in sources)
    found = (
        (source, node, values)
        for source in sources
        if source.root is not None
        for node, values in _new_ones(source, source.root, before)
    )
    for source, node, values in islice(found, _MOST):
        line = node.start_point[0] + 1
        place = (
            source.number,
            "condition",
            line,
            source.symbol(line),
            node.start_byte,
            node.end_byte,
        )
        true, false = _ALWAYS.get(source.language, ("true", "false"))
        for text, says in ((true, "true"), (false, "false")):
            told = f"`{shown(text_of(node))}` is always {says}"
            yield Damage(*place, text.encode(), told, is_telling=False, names=values)


def _new_ones(
    source: Source, root: tree_sitter.Node, before: bytes
) -> Iterator[tuple[tree_sitter.Node, tuple[str, ...]]]:
    """Yield the outermost conditions in the lines of a change, each with the values that it asks for.

    These are texts, and numbers that stand alone.
    """
    end = 0
    for node in walk(root):
        line, written = node.start_point[0] + 1, text_of(node)
        is_changed = any(a <= line <= b for a, b in source.ranges)
        if node.start_byte < end or not is_changed or not _is_condition(node):
            continue
        if written.encode() in before or _TOLD_APART.search(written):
            continue
        if _asks_module(node, source):
            continue
        end = node.end_byte
        values = []
        for one in filter(is_value, walk(node)):
            is_other = _is_given if TEXT.search(one.type) else _is_reckoned  # unlike `2 ** n`
            if not is_other(one, node) and not _was_asked(text_of(one), source, before):
                values.append(text_of(one))
        if values:
            yield node, tuple(values)


def _asks_module(condition: tree_sitter.Node, source: Source) -> bool:
    """Tell whether a condition asks what an imported module has: `'x' in zlib`, `hasattr(os, 'x')`."""
    if OPERATION.search(condition.type):
        operator = next((text_of(one) for one in condition.children if not one.is_named), "")
        asked = condition.named_children[-1] if operator == "in" else None
    else:
        function = condition.child_by_field_name("function")
        given = condition.child_by_field_name("arguments")
        is_asking = function is not None and text_of(function) == "hasattr" and given is not None
        asked = next(iter(given.named_children), None) if is_asking and given else None
    if asked is None or asked.type != "identifier":
        return False
    name = re.escape(text_of(asked).encode())
    return re.search(_IMPORTED % (name, name, name), source.text) is not None


def _was_asked(value: str, source: Source, before: bytes) -> bool:
    """Tell whether base has a value: a text anywhere, a number near what changed (`> 18` becomes `>= 18`)."""
    if not NUMBER.match(value):
        return value.encode() in before
    number = re.compile(rb"(?<![\w.])%s(?![\w.])" % re.escape(value.encode()))
    return any(number.search(text) for _, _, text in source.hunks)


def _is_condition(node: tree_sitter.Node) -> bool:
    """Tell whether a node is a comparison, or a call whose answer a condition asks for."""
    if not node.is_named:
        return False
    if OPERATION.search(node.type):
        return any(not one.is_named and text_of(one) in _COMPARING for one in node.children)
    return bool(_CALLED.search(node.type)) and _is_asked(node)


def _is_asked(node: tree_sitter.Node) -> bool:
    around = node.parent
    while around is not None and _AROUND.search(around.type):
        operators = {text_of(one) for one in around.children if not one.is_named}
        if operators & _JOINING:
            return True
        if not operators <= {"(", ")"}:
            return False
        node, around = around, around.parent
    if around is None or around.type == "if_clause":  # of a comprehension
        return around is not None
    asked = around.child_by_field_name("condition")
    if around.type == "conditional_expression" and asked is None:  # Python's has no fields
        asked = next(iter(around.named_children[1:2]), None)
    return around.type in CONDITIONED and asked == node


def is_value(node: tree_sitter.Node) -> bool:
    """Tell whether a node is a text with a word in it, or a number that few ask for."""
    written = text_of(node)
    if TEXT.search(node.type):
        return bool(_WORD.search(written))
    is_number = not node.children and node.is_named and NUMBER.match(written)
    return bool(is_number) and float(written) > _SMALL


def _is_given(text: tree_sitter.Node, condition: tree_sitter.Node) -> bool:
    """Tell whether a text is given to another call, whose result the condition asks for."""
    around = text.parent
    while around is not None and around != condition:
        if _CALLED.search(around.type):
            return True
        around = around.parent
    return False


def _is_reckoned(number: tree_sitter.Node, condition: tree_sitter.Node) -> bool:
    """Tell whether a number is a part of what is computed from names, or an index."""
    # A side of a comparison, or an argument or the subject of a call.
    operand, around, is_call = number, number.parent, _CALLED.search(condition.type)
    while around is not None and around != condition:
        if is_call and around.parent == condition:
            break
        operand, around = around, around.parent
    return any("identifier" in one.type for one in walk(operand))
