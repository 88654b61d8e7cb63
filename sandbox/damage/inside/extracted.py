"""Calls of functions that do nothing but return an expression: what stands there is that expression.

Python and JavaScript only, and only where no program can tell the two apart. An argument is evaluated before
the function begins, so it is a value, a variable that surely has one and that no other function sets, or what
is evaluated first anyway. A name of the expression has to mean the same in both places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain

import tree_sitter

from sandbox.damage.inside.languages import FUNCTIONS, IMPORTS
from sandbox.damage.inside.parts import Place, steps
from sandbox.damage.inside.source import Piece, Source, parameters_of, pieces, said, text_of, walk

_LANGUAGES = ("python", "javascript", "typescript", "tsx")
_MOST_CALLS = 12  # of a place
_MOST_PIECES = 400  # of a place
_CALLS = ("call", "call_expression")
_VALUES = frozenset((
    "number", "integer", "float", "string", "true", "false", "null", "none", "undefined",
))  # fmt: skip
_MEMBERS = ("member_expression", "attribute")
_DEFINED = ("function_declaration", "function_definition", "arrow_function", "function_expression")
_BOUND_TO_PLACE = frozenset((
    "this", "super", "await", "await_expression", "yield", "yield_expression", "named_expression", "regex",
    "assignment_expression", "augmented_assignment_expression", "update_expression", "meta_property",
    "lambda", "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
    "class", "jsx_element", "jsx_self_closing_element", "jsx_fragment", *FUNCTIONS,
))  # fmt: skip
"""Nodes that depend on the function around them, set something, or have names of their own."""
_OF_FUNCTION = frozenset((
    "arguments", "await", "eval", "exec", "locals", "vars", "dir", "super", "__class__", "_getframe",
    "currentframe", "stack", "warn", "caller", "yield",
))  # fmt: skip
"""Names of what looks at the function that it stands in, or means something else in some."""
_SETTING = {
    "assignment": ("left",), "assignment_expression": ("left",), "augmented_assignment": ("left",),
    "augmented_assignment_expression": ("left",), "for_statement": ("left",), "for_in_statement": ("left",),
    "for_in_clause": ("left",), "update_expression": ("argument",), "named_expression": ("name",),
    "variable_declarator": ("name",), "catch_clause": ("parameter",), "lambda": ("parameters",),
    "class_definition": ("name",), "class_declaration": ("name",), "class": ("name",),
    "enum_declaration": ("name",), "internal_module": ("name",),
    **dict.fromkeys(FUNCTIONS, ("name", "parameters", "parameter")),
}  # fmt: skip
"""Where a name gets what it stands for."""
_SET_WHOLE = (
    *("as_pattern_target", "case_pattern", "delete_statement"),
    *("global_statement", "nonlocal_statement"),
)
_BLOCKS = ("block", "statement_block")
_TAKEN = ("identifier", "shorthand_property_identifier_pattern")


@dataclass(frozen=True, slots=True)
class Returning:
    """A function at the top of a file that only returns an expression."""

    name: str
    node: tree_sitter.Node
    parameters: tuple[str, ...]
    value: tree_sitter.Node


def put_back(was: Place, now: Place, source: Source) -> tuple[Place, list[tuple[int, int]]]:
    """Return a place with the expressions of base in the place of such calls, and where these calls are."""
    found: list[tuple[int, int]] = []
    too_long = max(len(was.pieces), len(now.pieces)) > _MOST_PIECES
    if source.language not in _LANGUAGES or not now.pieces or too_long:
        return now, found
    start, end = now.pieces[0].start, now.pieces[-1].end
    nodes = (one for one in said(now.root, start, end) if one.type in _CALLS)
    calls = [one for one in nodes if start <= one.start_byte and one.end_byte <= end]
    for call in calls[:_MOST_CALLS]:
        function = _called(call, now.root)
        words = _in_its_place(call, function) if function else None
        if function is None or words is None:
            continue
        filled = [_with(now, call, one) for one in (words, [b"(", *words, b")"])]
        standing = [one for one in filled if _stands(was, one, call, function)]
        if standing and _means_the_same(call, function):
            now = min(standing, key=lambda one: len(steps(was.pieces, one.pieces)))
            found.append((call.start_byte, call.end_byte))
    return now, found


def _called(call: tree_sitter.Node, root: tree_sitter.Node) -> Returning | None:
    """Return the function that a call by its bare name is of."""
    named = call.child_by_field_name("function")
    if named is None or named.type != "identifier":
        return None
    for top in root.children:
        one = top.child_by_field_name("declaration") if top.type == "export_statement" else top
        declared = [*one.named_children] if one and one.type.endswith("_declaration") else []
        for node in (one, *(o.child_by_field_name("value") for o in declared)):
            if node is None or node.type not in _DEFINED:
                continue
            parent, own = node.parent, node.child_by_field_name("name")
            if parent is not None and parent.type == "variable_declarator":
                # A name of its own hides another one in it.
                own = None if own is not None else parent.child_by_field_name("name")
            if own is None or own.text != named.text:
                continue
            if node.type != "function_declaration" and node.start_byte > call.start_byte:
                return None  # it may be called before it is there
            return _returning(node, text_of(own))
    return None


def _returning(node: tree_sitter.Node, name: str) -> Returning | None:
    body = node.child_by_field_name("body")
    single = node.child_by_field_name("parameter")
    taken = node.child_by_field_name("parameters")
    if body is None or any(one.type == "async" for one in node.children):
        return None
    given = [single] if single else [*taken.named_children] if taken else []
    names = (text_of(single),) if single else parameters_of(node)
    plain = ("identifier", "typed_parameter", "required_parameter")
    is_plain = all(o.type in plain and _is_plain(o) for o in given)
    if not is_plain or not len(given) == len(names) == len({*names}):
        return None
    if body.type in _BLOCKS:
        said_in_it = [one for one in body.named_children if one.type != "comment"]
        if node.type == "function_definition" and len(said_in_it) == 2:
            first = said_in_it[0]
            is_text = [one.type for one in first.named_children] == ["string"]
            said_in_it = said_in_it[1:] if is_text else said_in_it
        if len(said_in_it) != 1 or said_in_it[0].type != "return_statement":
            return None
        values = [one for one in said_in_it[0].named_children if one.type != "comment"]
        body = values[0] if len(values) == 1 else None
    while body is not None and body.type == "parenthesized_expression":
        body = next((one for one in body.named_children if one.type != "comment"), None)
    return Returning(name, node, names, body) if body is not None else None


def _is_plain(parameter: tree_sitter.Node) -> bool:
    """Tell whether it is a name, with or without a type."""
    inner = parameter.child_by_field_name("pattern") or next(iter(parameter.named_children), None)
    has_value = parameter.child_by_field_name("value") is not None
    return not has_value and (inner is None or inner.type == "identifier")


def _in_its_place(call: tree_sitter.Node, function: Returning) -> list[bytes] | None:
    """Return what the expression is with the arguments of a call; None where that might be something else."""
    taken = call.child_by_field_name("arguments")
    given = [one for one in (taken.named_children if taken else ()) if one.type != "comment"]
    nodes = [*said(function.value)]
    if len(given) != len(function.parameters) or any(o.type in _BOUND_TO_PLACE for o in nodes):
        return None
    named = [one for one in nodes if "identifier" in one.type]
    if any(text_of(one) in _OF_FUNCTION for one in named):
        return None
    arguments = dict(zip(function.parameters, given, strict=True))
    uses = [one for one in named if text_of(one) in arguments and _is_use(one)]
    if any(one.type != "identifier" for one in uses):  # `{a}` has the name in it
        return None
    first = next((one for node in nodes for one in pieces(node)), None)
    for name, argument in arguments.items():
        used = [one for one in uses if text_of(one) == name]
        if argument.type in _MEMBERS:
            is_first = first is not None and [first.node] == used
            if not is_first or not _is_read_first(used[0], argument, function.value):
                return None
        elif not (_is_value(argument) or _is_sure(argument, call)):
            return None
    replaced = {one.id: arguments[text_of(one)] for one in uses}
    written = (said(replaced[one.id]) if one.id in replaced else (one,) for one in nodes)
    return [one.text for leaf in chain.from_iterable(written) for one in pieces(leaf)]


def _is_use(node: tree_sitter.Node) -> bool:
    """Tell whether a name stands for a variable, and is not one of a member or an argument."""
    parent = node.parent
    is_member = parent is not None and (
        (parent.type == "attribute" and parent.child_by_field_name("attribute") == node)
        or (parent.type == "keyword_argument" and parent.child_by_field_name("name") == node)
    )
    return node.type in ("identifier", "shorthand_property_identifier") and not is_member


def _is_value(node: tree_sitter.Node) -> bool:
    return node.type in _VALUES and all(one.type != "interpolation" for one in node.children)


def _is_read_first(
    use: tree_sitter.Node, member: tree_sitter.Node, value: tree_sitter.Node
) -> bool:
    """Tell whether nothing is evaluated before a member that stands first in an expression."""
    kinds = ("identifier", "property_identifier", "this", ".", *_MEMBERS)
    node, parent = use, use.parent
    is_called = parent is not None and parent.type in (*_CALLS, "new_expression")
    while node != value and parent is not None and parent.type != "conditional_expression":
        node, parent = parent, parent.parent
    return node == value and not is_called and all(one.type in kinds for one in walk(member))


def _is_sure(argument: tree_sitter.Node, call: tree_sitter.Node) -> bool:
    """Tell whether a name has a value where a call stands, which no other function sets."""
    above = [*_above(call)]
    depth = next((n for n, one in enumerate(above) if one.type in FUNCTIONS), None)
    if depth is None or argument.type != "identifier" or text_of(argument) in _OF_FUNCTION:
        return False
    around, above = above[depth], above[:depth]
    body = around.child_by_field_name("body")
    if body is None or call.start_byte < body.start_byte or any("class" in o.type for o in above):
        return False
    given = {name for one in above for name in _given_before(one, call)}
    if argument.text not in given | {*_taken_by(around)}:
        return False
    for node in walk(around):
        if node.text == argument.text and node.type in _TAKEN and _is_set(node):
            between = next((one for one in _above(node) if one.type in FUNCTIONS), None)
            if between != around or any(one.type in _SET_WHOLE for one in _above(node)):
                return False
    return True


def _above(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def _taken_by(function: tree_sitter.Node) -> Iterator[bytes]:
    """Yield the names of what a function takes."""
    taken = function.child_by_field_name("parameters")
    for one in taken.named_children if taken is not None else ():
        fields = (one.child_by_field_name(name) for name in ("name", "left", "pattern"))
        inner = one.named_children[:1] if one.type == "typed_parameter" else ()
        for named in (one, *fields, *inner):
            if named is not None and named.type == "identifier":
                yield named.text or b""
    single = function.child_by_field_name("parameter")
    if single is not None and single.type == "identifier":
        yield single.text or b""


def _given_before(around: tree_sitter.Node, call: tree_sitter.Node) -> Iterator[bytes]:
    """Yield the names that a block, or a loop, around a call has given a value before it."""
    if around.type in _BLOCKS:
        before = [one for one in around.named_children if one.end_byte <= call.start_byte]
    else:
        first = around.child_by_field_name("initializer")
        before = [first] if first is not None and first.end_byte <= call.start_byte else []
    targets: list[tree_sitter.Node | None] = []
    for one in before:
        for inner in one.named_children:
            if inner.type == "variable_declarator":
                targets.append(inner.child_by_field_name("name"))
            elif inner.type == "assignment" and inner.child_by_field_name("right") is not None:
                targets.append(inner.child_by_field_name("left"))
    body = around.child_by_field_name("body")
    is_inside = body is not None and body.start_byte <= call.start_byte < body.end_byte
    is_own = around.type == "for_statement" or around.child_by_field_name("kind") is not None
    if is_inside and is_own and "for" in around.type:
        targets.append(around.child_by_field_name("left"))
    for target in targets:
        for named in (target, *target.named_children) if target is not None else ():
            is_pattern = named == target or (target is not None and "pattern" in target.type)
            if named.type in _TAKEN and is_pattern:
                yield named.text or b""


def _is_set(node: tree_sitter.Node) -> bool:
    """Tell whether a name may get here what it stands for."""
    for parent in _above(node):
        fields = _SETTING.get(parent.type, ())
        if any(parent.child_by_field_name(name) == node for name in fields):
            return True
        if parent.type in _SET_WHOLE or IMPORTS.search(parent.type):
            return True
        node = parent
    return False


def _means_the_same(call: tree_sitter.Node, function: Returning) -> bool:
    """Tell whether every name of the expression is the file's own also where the call stands."""
    above = [*_above(call)]
    root, top = above[-1], (call, *above)[-2]
    uses = (one for one in said(function.value) if "identifier" in one.type)
    names = {one.text or b"" for one in uses}
    is_mangled = any(one.startswith(b"__") and not one.endswith(b"__") for one in names)
    is_of_object = root.type == "program" and any(one.type == "with_statement" for one in above)
    if is_mangled or is_of_object:
        return False
    free = names - {one.encode() for one in function.parameters}
    own = 0
    for node in walk(root):
        if node.type == "wildcard_import" and node.start_byte > function.node.start_byte:
            return False
        if node.type not in ("identifier", "shorthand_property_identifier_pattern"):
            continue
        is_here = top.start_byte <= node.start_byte < top.end_byte
        if not (node.text or b"").isascii() or b"\\" in (node.text or b""):
            return False  # one name can be written in several ways
        if is_here and node.text == b"eval":
            return False
        is_own = node.text == function.name.encode()
        if (is_own or (is_here and node.text in free)) and _is_set(node):
            own += is_own
            if own > 1 or not is_own:
                return False
    return own == 1


def _with(place: Place, call: tree_sitter.Node, words: list[bytes]) -> Place:
    """Return a place with words in the place of a call."""
    start, end, line = call.start_byte, call.end_byte, call.start_point[0] + 1
    new = [Piece(one, start, end, line, call) for one in words]
    before = [one for one in place.pieces if one.start < start]
    return replace(place, pieces=[*before, *new, *(o for o in place.pieces if o.start >= end)])


def _stands(was: Place, now: Place, call: tree_sitter.Node, function: Returning) -> bool:
    """Tell whether the words in the place of a call are an expression by itself on base, too."""
    here = [n for n, one in enumerate(now.pieces) if one.node == call]
    old, new = [one.text for one in was.pieces], [one.text for one in now.pieces]
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        if not block.b <= here[0] <= here[-1] < block.b + block.size:
            continue
        first, last = (was.pieces[one - block.b + block.a] for one in (here[0], here[-1]))
        node = was.root.descendant_for_byte_range(first.start, last.end)
        if node is not None and node.type == "parenthesized_expression":
            is_all = (node.start_byte, node.end_byte) == (first.start, last.end)
            inner = [one for one in node.named_children if one.type != "comment"]
            return is_all and [one.type for one in inner] == [function.value.type]
        return (
            node is not None
            and (node.start_byte, node.end_byte) == (first.start, last.end)
            and node.type == function.value.type
        )
    return False
