"""Tells what of a change only says the same in other words: other names, other spellings, and dead values."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import tree_sitter

from sandbox.damage.inside.languages import CONDITIONED, FUNCTIONS
from sandbox.damage.inside.parts import Place, Step, is_for_people
from sandbox.damage.inside.source import (
    Clock,
    Piece,
    Source,
    function_around,
    name_of,
    parents,
    part,
    pieces,
    text_of,
    tokens,
    walk,
)
from sandbox.damage.inside.unread import is_unnamed, names_an_error

_EMPTY = {b"set", b"dict", b"list", b"{}", b"[]", b""}
_GETS = re.compile(rb"\.get\([^()\n]+,\s*\Z")
_GETS_NONE = re.compile(rb"\.get\([^()\n]+,\s*(?:\{\}|\[\]|\w+\(\))\)?\Z")
_LONGEST = 120
_LEAST_NAMED = 3  # words and marks of an expression
_COPIED = ([b".", b"copy", b"(", b")"], [b"[", b":", b"]"])
"""Two ways to copy a list."""
_OPTIONAL = (
    *("default_parameter", "typed_default_parameter"),
    *("assignment_pattern", "optional_parameter"),
)
_DECLARED = ([b"const"], [b"let"], [b"var"])
_QUOTES = re.compile(rb"([A-Za-z]{0,2})(?:'{1,3}|\"{1,3})")
_PLACED = (
    *("parameters", "formal_parameters", "lambda_parameters", "typed_parameter"),
    *("required_parameter", "optional_parameter"),
    *("list_splat_pattern", "dictionary_splat_pattern", "rest_pattern"),
    *("pattern_list", "array_pattern", "as_pattern_target"),
)
"""Nodes in which a name is one of a function's own."""
_NAMED = ("name", "left", "parameter")
_NAMING = (
    *("default_parameter", "typed_default_parameter", "assignment_pattern", "arrow_function"),
    *("assignment", "variable_declarator", "for_statement", "for_in_statement", "for_in_clause"),
)
"""Nodes that give such a name in one of their fields."""


def is_said_otherwise(step: Step, source: Source, clock: Clock) -> bool:
    """Tell whether what is gone has another name or spelling, is a text for people, or can be no more.

    `a ** (b - 1)` is `a ** c`, behind `c = b - 1`; `a.copy()` is `a[:]`; `let a` is `const a`.
    """
    gone, came = ([one.text for one in side] for side in (step.gone, step.came))
    if all(is_for_people(one) for one in (*step.gone, *step.came)):
        return True
    if (
        _are_quotes(gone, came)
        or _is_asked_otherwise(step.gone, step.came)
        or _is_default(step, source)
    ):
        return True
    if _is_renamed(step, source, clock) or _is_function_renamed(step, source, clock):
        return True
    is_dead = not came and (
        _is_unread(step.gone, source) or is_unnamed(step.gone, source) or names_an_error(step.gone)
    )
    if is_dead or any(gone in ways and came in ways for ways in (_COPIED, _DECLARED)):
        return True
    if gone[:1] == [b"("] and gone[-1:] == [b")"]:
        gone = gone[1:-1]
    if len(gone) < _LEAST_NAMED or len(came) != 1 or source.root is None:
        return False
    written = b" ".join(one.text for node in walk(source.root) for one in pieces(node))
    return b" ".join((b"", *came, b"=", *gone, b"")) in written


def _are_quotes(gone: list[bytes], came: list[bytes]) -> bool:
    """Tell whether the same texts stand in other quotes."""
    if [one.removeprefix(b"node:") for one in came] == gone and len(gone) == 1:
        return True  # a module of Node's own
    both = [[_QUOTES.fullmatch(one) for one in side] for side in (gone, came)]
    marks = [[one[1] if one else None for one in side] for side in both]
    return bool(gone) and marks[0] == marks[1] and None not in marks[0]


def _is_default(step: Step, source: Source) -> bool:
    """Tell whether something empty stands for what is missing, as before: `items ?? []`, `of.get(it, {})`."""
    sides = {b"".join(one.text for one in side).strip(b"()") for side in (step.gone, step.came)}
    if sides <= _EMPTY:
        # By itself a bracket is one of `set()`, the rest of which is another part.
        begun = _GETS_NONE if sides == {b""} else _GETS
        return begun.search(source.text[max(step.at - _LONGEST, 0) : step.at]) is not None
    if {*(one.text for one in step.gone), *(one.text for one in step.came)} != {b"||", b"??"}:
        return False
    around = [one.node.parent for one in (*step.gone, *step.came)]
    return all(one is not None and one.children[-1].type in ("array", "object") for one in around)


def _is_renamed(step: Step, source: Source, clock: Clock) -> bool:
    """Tell whether a name of a function's own is another one now, everywhere in that function."""
    if not len(step.gone) == len(step.came) == 1 or source.root is None:
        return False
    old, new = step.gone[0], step.came[0]
    # One without a name belongs to the function around it: `filter(e => e.all)`.
    named = (o for o in parents(new.node) if o.type in FUNCTIONS and name_of(o))
    around = next(named, function_around(new.node))
    if {old.type, new.type} != {"identifier"} or around is None:
        return False
    if new.text not in _own(around) or old.text in _words(around):
        return False
    same = _named(clock.parse(source.before, source.language), name_of(around))
    return len(same) == 1 and old.text in _own(same[0]) and new.text not in _words(same[0])


def _is_function_renamed(step: Step, source: Source, clock: Clock) -> bool:
    """Tell whether a call has the name that the same function has now, which base has not.

    Another one may have the old name on head.
    """
    if not len(step.gone) == len(step.came) == 1 or source.root is None:
        return False
    old, new = step.gone[0], step.came[0]
    around = [function_around(one.node) for one in (old, new)]
    if not (_is_called(old.node) and _is_called(new.node)) or new.text in source.before:
        return False
    if any(
        one is None or side.text in _own(one) for one, side in zip(around, (old, new), strict=True)
    ):
        return False
    sides = (clock.parse(source.before, source.language), old), (source.root, new)
    named = [_named(tree, text_of(name.node)) for tree, name in sides]
    if [len(one) for one in named] != [1, 1]:
        return False
    was, now = (tokens(_decorated(one), with_types=False) for (one,) in named)
    return [new.text if word == old.text else word for word in was] == now


def _is_called(node: tree_sitter.Node) -> bool:
    """Tell whether a node is the name of what a call runs: a function, or one of the object's own."""
    around = node.parent
    called = node
    if around is not None and around.type in ("attribute", "member_expression"):
        if text_of(around.children[0]) not in ("this", "self"):
            return False
        called, around = around, around.parent
    return around is not None and around.child_by_field_name("function") == called


def _named(root: tree_sitter.Node | None, name: str) -> list[tree_sitter.Node]:
    """Return the functions of a name; none of no tree."""
    found = (one for one in walk(root) if one.type in FUNCTIONS and one.is_named) if root else ()
    return [one for one in found if name_of(one) == name]


def _decorated(function: tree_sitter.Node) -> tree_sitter.Node:
    """Return a function with its decorators."""
    above = function.parent
    return above if above is not None and above.type == "decorated_definition" else function


def _up_to(kind: Collection[str], node: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """Return a node, or the innermost around it in its function, that is of some type."""
    while node is not None and node.type not in kind:
        node = node.parent if node.type not in FUNCTIONS else None
    return node


def _words(function: tree_sitter.Node) -> set[bytes]:
    return {one.text or b"" for one in walk(function) if "identifier" in one.type}


def _own(function: tree_sitter.Node) -> set[bytes]:
    """Return the names that a function gives its parameters and variables."""
    return {one.text or b"" for one in walk(function) if _is_own(one)}


def _is_own(name: tree_sitter.Node) -> bool:
    around = name.parent
    if name.type != "identifier" or around is None:
        return False
    named = around.type in _NAMING and name in map(around.child_by_field_name, _NAMED)
    return named or around.type in _PLACED


def own_names(place: Place) -> tuple[str, ...]:
    """Return the names that a place itself gives to variables, and to what private functions take."""
    found = dict.fromkeys(o.node for o in place.pieces if _is_own(o.node) and not _is_taken(o.node))
    return tuple(dict.fromkeys(map(text_of, found)))


def _is_taken(name: tree_sitter.Node) -> bool:
    """Tell whether a name is a parameter of a function that others may call, and so may be known to them."""
    function = function_around(name)
    body = part(function, "body")
    is_before = body is not None and name.start_byte < body.start_byte
    return function is not None and is_before and name_of(function)[:1] not in ("", "_", "#")


def _is_unread(gone: Sequence[Piece], source: Source) -> bool:
    """Tell whether all that is gone is an optional parameter that its function on head does not read."""
    named = [one.node for one in gone if one.type == "identifier"]
    node = _up_to(_OPTIONAL, named[0] if named else None)
    if node is None:
        return False
    whole = node.parent.parent if node.parent is not None else None
    is_all = all(
        node.start_byte <= one.start and one.end <= node.end_byte
        for one in gone
        if one.text != b","
    )
    if not is_all or whole is None or whole.type not in FUNCTIONS:
        return False
    same = _named(source.root, name_of(whole))
    return bool(same) and not any(named[0].text in _words(one) for one in same)


def without_refused(was: Place, source: Source) -> Place:
    """Leave out of a place what asserts that for which head's function raises an error of its own."""
    return replace(was, pieces=[one for one in was.pieces if not _is_refused(one.node, source)])


def only_refuses(step: Step) -> bool:
    """Tell whether nothing is gone, and all that came is a guard that raises an error."""
    return not step.gone and all(_is_in_guard(one.node) for one in step.came)


def _is_in_guard(piece: tree_sitter.Node) -> bool:
    node: tree_sitter.Node | None = piece
    while node is not None and not (node.type == "if_statement" and _refuses(node)):
        node = node.parent if node.type not in FUNCTIONS else None
    return node is not None


def _is_refused(piece: tree_sitter.Node, source: Source) -> bool:
    node = _up_to(("assert_statement",), piece)
    around = function_around(node) if node is not None else None
    if node is None or around is None:
        return False
    name, asserted = name_of(around), text_of(node.named_children[0])
    same = _named(source.root, name)
    guards = (one for o in same for one in walk(o) if one.type == "if_statement")
    return bool(name) and len(same) == 1 and any(_refuses(one, asserted) for one in guards)


def _refuses(guard: tree_sitter.Node, asserted: str = "") -> bool:
    """Tell whether a guard raises an error where something, or what was asserted, does not hold."""
    condition, body = part(guard, "condition"), part(guard, "consequence")
    if condition is None or body is None or condition.type != "not_operator":
        return False
    last = body.named_children[-1] if body.named_children else body
    said = text_of(condition.named_children[-1])
    return last.type == "raise_statement" and asserted in ("", said)


# --- what asks the same of a length in other words (of JavaScript and TypeScript) ----------------


_SIDES = 3  # of a comparison, with what stands between them
_JOINING = ("&&", "||")
_GIVES_TEXT = frozenset((
    *("toString", "trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "join", "padStart"),
    *("padEnd", "repeat", "normalize", "toFixed"),
))  # fmt: skip


def _is_asked_otherwise(gone: Sequence[Piece], came: Sequence[Piece]) -> bool:
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
        named = part(one, "name", "pattern")
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
