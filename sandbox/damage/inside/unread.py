"""Tells what of a change nobody reads: values of names that get another one, or that nothing else has."""

from __future__ import annotations

import re
from collections.abc import Sequence

import tree_sitter

from sandbox.damage.inside.languages import FUNCTIONS
from sandbox.damage.inside.source import Piece, Source, part, text_of, walk

_GIVES = ("assignment", "assignment_expression")
_SHARING = ("global_statement", "nonlocal_statement", "function_definition", "lambda")
"""What lets other code read a function's own names."""
_RUNS = ("await", "await_expression", "yield", "yield_expression", "new_expression")


def is_overwritten(root: tree_sitter.Node, put: Sequence[Piece]) -> bool:
    """Tell whether what is put back gives a name (of Python) a value that nobody reads.

    What next has the name gives it another one; or nothing else has it, and what is run for it is run anyway.
    """
    first = root.descendant_for_byte_range(put[0].start, put[-1].end) if put else None
    while first is not None and first.type != "expression_statement":
        first = first.parent
    name = _given_name(first) if first is not None else ""
    if first is None or not name:
        return False
    if (first.start_byte, first.end_byte) != (put[0].start, put[-1].end):
        return False
    around = first.parent
    while around is not None and around.type not in FUNCTIONS:
        if around.type == "try_statement":  # its handler may read the first value
            return False
        around = around.parent
    inside = [*walk(around)] if around is not None else []
    if not inside or any(one.type in _SHARING for one in inside[1:]):
        return False
    node = first.next_named_sibling
    while node is not None and name not in map(text_of, walk(node)):
        node = node.next_named_sibling
    if node is not None:
        return _given_name(node) == name
    return _is_needless(first, inside, name)


def _is_needless(given: tree_sitter.Node, inside: list[tree_sitter.Node], name: str) -> bool:
    """Tell whether nothing else of a function has a name, and what is run for its value is run besides."""
    others = [one for one in inside if not given.start_byte <= one.start_byte < given.end_byte]
    texts, right = {*map(text_of, others)}, part(given.named_children[0], "right")
    if right is None or name in texts:
        return False
    runs = any("call" in one.type or one.type in _RUNS for one in walk(right))
    return not runs or text_of(right) in texts


def _given_name(statement: tree_sitter.Node) -> str:
    """Return the name to which a whole statement gives a value, without reading it; "" for any other."""
    given = statement.named_children[0] if statement.named_children else None
    if statement.type != "expression_statement" or given is None or given.type != "assignment":
        return ""
    left, right = given.child_by_field_name("left"), given.child_by_field_name("right")
    if left is None or right is None or left.type != "identifier":
        return ""
    return "" if text_of(left) in map(text_of, walk(right)) else text_of(left)


def is_unnamed(gone: Sequence[Piece], source: Source) -> bool:
    """Tell whether all that is gone gives a plain value to a private attribute that head has no word of."""
    node: tree_sitter.Node | None = gone[0].node if gone else None
    while node is not None and node.end_byte < gone[-1].end:
        node = node.parent
    if node is None or (node.start_byte, node.end_byte) != (gone[0].start, gone[-1].end):
        return False
    given = node.named_children[0] if node.type == "expression_statement" else node
    left, right = given.child_by_field_name("left"), given.child_by_field_name("right")
    if given.type not in _GIVES or left is None or right is None:
        return False
    name = part(left, "attribute", "property")
    words = text_of(name) if name is not None else ""
    is_plain = all("call" not in one.type and one.type not in _RUNS for one in walk(right))
    is_named = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", source.text.decode(errors="replace"))
    return words[:1] in ("_", "#") and is_plain and is_named is None


def names_an_error(gone: Sequence[Piece]) -> bool:
    """Tell whether all that is gone is a caught error's name: `except OSError as error`, `catch (error)`.

    A handler that reads it on head would have kept it.
    """
    words = [one.text for one in gone]
    if not (words[:1] == [b"as"] and len(words) == 2) and words[::2] != [b"(", b")"]:
        return False
    node: tree_sitter.Node | None = gone[1].node
    while node is not None and node.type in ("identifier", "as_pattern_target", "as_pattern"):
        node = node.parent
    return node is not None and node.type in ("except_clause", "catch_clause")
