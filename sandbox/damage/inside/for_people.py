"""Texts that only people read: of an error, of a log, or of how a program is used."""

from __future__ import annotations

import re

import tree_sitter

from sandbox.damage.inside.source import Piece, function_around, walk

HELP = (b"help", b"description", b"epilog", b"usage", b"summary")
"""Names of texts that say how a program is used."""
_RAISING = ("raise_statement", "throw_statement")
_LOGGING = re.compile(rb"(?:\A|(?<!console)\.)(?:log|debug|info|warn(?:ing)?|trace|verbose)\Z")
"""Functions that log; what a console shows is what a program prints."""
_MOST_AROUND = 7
GIVEN = ("assignment", "variable_declarator", "field_definition", "public_field_definition")
"""Nodes that give a name a value."""
CONTENTS = ("string_content", "string_fragment")


def is_for_people(piece: Piece) -> bool:
    """Tell whether this is of a text that a name such as `help` has, of an error's message, or of a log's."""
    node: tree_sitter.Node | None = piece.node
    if not (piece.type.startswith("string") or piece.type in "'\""):
        return False
    is_word = piece.type in CONTENTS and b" " not in piece.text
    for _ in range(_MOST_AROUND):
        if node is None:
            break
        names = (node.child_by_field_name(one) for one in ("name", "key", "left"))
        if any((one.text or b"").strip(b"'\"") in HELP for one in names if one is not None):
            return True
        if not is_word and (_tells(node) or _is_only_told(node)):
            return True
        node = node.parent
    return False


def _tells(node: tree_sitter.Node) -> bool:
    """Tell whether this raises an error, or logs."""
    called = node.child_by_field_name("function")
    is_logged = called is not None and _LOGGING.search(called.text or b"") is not None
    return node.type in _RAISING or is_logged


def _is_only_told(given: tree_sitter.Node) -> bool:
    """Tell whether a name gets its value here that the function around it uses for such texts only."""
    name, around = _target(given), function_around(given)
    if around is None or name is None or name.type != "identifier":
        return False
    named = [one for one in walk(around) if one.type == "identifier" and one.text == name.text]
    uses = [one for one in named if one.parent is None or _target(one.parent) != one]
    return bool(uses) and all(_is_told(one, around) for one in uses)


def _target(given: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return what gets a value here."""
    if given.type not in GIVEN:
        return None
    return given.child_by_field_name("left") or given.child_by_field_name("name")


def _is_told(node: tree_sitter.Node, around: tree_sitter.Node) -> bool:
    while node.parent is not None and node != around:
        node = node.parent
        if _tells(node):
            return True
    return False
