"""Values of a literal that a change makes others: of an entry, a keyword argument, a default, an attribute.

Both sides are compared as trees: statements, entries and parameters by what names them, wherever they stand,
others where they are written the same but for such values. Python, JavaScript, TypeScript and JSON.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import tree_sitter

from sandbox.damage.inside.languages import FUNCTIONS
from sandbox.damage.inside.source import TYPES, tokens

_LANGUAGES = ("python", "javascript", "typescript", "tsx")
_MOST_NODES = 20_000
_MOST_CHILDREN = 400
_LONGEST = 200  # bytes of a value
_NUMBERS = frozenset(("integer", "float", "number"))
_LEAVES = _NUMBERS | frozenset((
    "string", "true", "false", "none", "null", "undefined", "identifier", "attribute", "member_expression",
    "unary_operator", "unary_expression",
))  # fmt: skip
_NAMES = frozenset(("identifier", "attribute", "member_expression"))
_LISTS = frozenset((
    "dictionary", "list", "tuple", "set", "expression_list", "argument_list", "parameters", "block", "module",
    "object", "array", "arguments", "formal_parameters", "statement_block", "program", "class_body",
    "enum_body", "object_pattern",
))  # fmt: skip
"""Nodes whose children are entries or statements."""
_OF_VALUES = frozenset((
    "dictionary", "list", "tuple", "set", "expression_list", "argument_list", "object", "array", "arguments",
))  # fmt: skip
_COLLECTIONS = frozenset(("list", "tuple", "set", "array"))
_OF_STATEMENTS = frozenset((
    "block", "module", "statement_block", "program", "class_body",
))  # fmt: skip
_NAMED_BY = {
    "pair": "key",
    "keyword_argument": "name",
    "default_parameter": "name",
    "typed_default_parameter": "name",
    "assignment_pattern": "left",
    "object_assignment_pattern": "left",
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
    "assignment": "left",
    "assignment_expression": "left",
    "variable_declarator": "name",
    "field_definition": "property",
    "public_field_definition": "name",
    "enum_assignment": "name",
    "class_definition": "name",
    "class_declaration": "name",
    "class": "name",
    **dict.fromkeys(FUNCTIONS, "name"),
}
"""By the type of a node: its field that says which one it is."""
_AROUND_ONE = frozenset((
    "expression_statement", "lexical_declaration", "variable_declaration", "export_statement",
    "decorated_definition", "parenthesized_expression", "decorator",
))  # fmt: skip
_FIELDS = ("value", "right", "arguments", "parameters", "body", "declaration", "definition")
_VERSION = re.compile(r"(?i)_*version(?:_?(?:info|tuple))?_*")
_RELEASE = re.compile(rb"['\"]?v?\d+(?:\.\d+)*[\w.+-]{0,20}['\"]?")
_NUMBER_BY_PART = re.compile(
    rb"[\w.]{0,40}[(\[](?:\d+|['\"]\w{0,20}['\"])(?:,(?:\d+|['\"]\w{0,20}['\"])){0,7},?[)\]]"
)
"""`(1, 2, 3)`, or `Version(1, 2, 3, "final")`; without its layout."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A value on base and on head, and what names it; "" where nothing does."""

    was: tree_sitter.Node
    now: tree_sitter.Node
    name: str


def entries(language: str, was: tree_sitter.Node, now: tree_sitter.Node) -> list[Entry]:
    """Return the values of head's tree that are others than in base's, in the order of the text."""
    if language not in _LANGUAGES:
        return []
    found, seen = [], 0
    waiting: list[tuple[Entry, bool]] = [(Entry(was, now, ""), False)]
    while waiting:
        one, is_value = waiting.pop()
        seen += 1
        if seen > _MOST_NODES:
            return []
        if one.was.text == one.now.text or one.now.type in TYPES:
            continue
        if is_release(one.name, *_texts(one)):
            continue
        if one.was.type in _LEAVES and one.now.type in _LEAVES:
            if is_value and _is_other(one):
                found.append(one)
        elif _has_less(one):
            found.append(one)
        elif one.was.type == one.now.type:
            inner = is_value or one.now.type in _OF_VALUES or one.now.type in _NAMED_BY
            inner = inner and one.now.type not in _OF_STATEMENTS
            waiting += [(below, inner) for below in _pairs(one)]
    return sorted(found, key=lambda one: one.now.start_byte)


def _is_other(one: Entry) -> bool:
    """Tell whether two values differ by more than how they are written."""
    was, now = _texts(one)
    if max(len(was), len(now)) > _LONGEST or now[:2].lower() in (b"r'", b'r"'):
        return False  # patterns are places of their own
    return _value(one.was) != _value(one.now)


def _has_less(one: Entry) -> bool:
    """Tell whether head's list or set of literals only lacks entries that base's has."""
    was, now = _children(one.was), _children(one.now)
    is_short = max(map(len, _texts(one))) <= 2 * _LONGEST and one.was.type == one.now.type
    if not is_short or one.now.type not in _COLLECTIONS or not len(was) > len(now) > 0:
        return False
    is_plain = all(entry.type in _LEAVES - _NAMES for entry in was)
    return is_plain and not Counter(o.text for o in now) - Counter(o.text for o in was)


def _texts(one: Entry) -> tuple[bytes, bytes]:
    return one.was.text or b"", one.now.text or b""


def is_release(name: str, was: bytes, now: bytes) -> bool:
    """Tell whether a value says which release this is: nothing does otherwise by it."""
    if _VERSION.fullmatch(name) is None or max(len(was), len(now)) > _LONGEST:
        return False
    return all(
        _RELEASE.fullmatch(one) or _NUMBER_BY_PART.fullmatch(b"".join(one.split()))
        for one in (was, now)
    )


def _value(node: tree_sitter.Node) -> object:
    """Return what a number or a text is, however it is written; of all else what is written."""
    written = (node.text or b"").decode(errors="replace")
    if node.type == "string" or node.type in _NUMBERS:
        try:
            return ast.literal_eval(written)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return written
    return b"".join(tokens(node))


def _children(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return [one for one in node.named_children if "comment" not in one.type]


def _pairs(one: Entry) -> Iterator[Entry]:
    """Yield what stands below both sides in the same place."""
    was, now = _children(one.was), _children(one.now)
    if one.now.type in _LISTS:
        yield from _of_list(was[:_MOST_CHILDREN], now[:_MOST_CHILDREN])
        return
    name = _name(one.now) or one.name
    signs = ([c.text for c in o.children if not c.is_named] for o in (one.was, one.now))
    if len(was) == len(now) and next(signs) == next(signs):
        is_same = [a.text == b.text for a, b in zip(was, now, strict=True)]
        is_call = one.now.child_by_field_name("arguments") is not None
        if not is_call or all(is_same[:-1]):  # else another function is called
            yield from (Entry(a, b, name) for a, b in zip(was, now, strict=True))
    elif one.now.type in _NAMED_BY:
        for field in _FIELDS:
            a, b = (o.child_by_field_name(field) for o in (one.was, one.now))
            if a is not None and b is not None:
                yield Entry(a, b, name)


def _of_list(was: Sequence[tree_sitter.Node], now: Sequence[tree_sitter.Node]) -> Iterator[Entry]:
    """Pair entries by their names, and those without one by their places among each other."""
    old, new = [_key(one) for one in was], [_key(one) for one in now]
    counts = Counter(old), Counter(new)
    single = {key for key in old if key and counts[0][key] == counts[1][key] == 1}
    named = {key: one for key, one in zip(old, was, strict=True) if key in single}
    for key, one in zip(new, now, strict=True):
        if key in single:
            yield Entry(named[key], one, _name(one))
    keyed = (zip(was, old, strict=True), zip(now, new, strict=True))
    # Of what has a name of its own on one side only, nobody knows what it was.
    rest = [
        [o for o, key in side if not key or counts[0][key] == counts[1][key] > 1] for side in keyed
    ]
    yield from _in_order(*rest)


def _in_order(was: list[tree_sitter.Node], now: list[tree_sitter.Node]) -> Iterator[Entry]:
    texts, others = ([one.text for one in side] for side in (was, now))
    for kind, a, b, c, d in SequenceMatcher(None, texts, others, autojunk=False).get_opcodes():
        if kind != "replace":
            continue
        old, new = was[a:b], now[c:d]
        shapes, more = ([_shape(one) for one in side] for side in (old, new))
        same = SequenceMatcher(None, shapes, more, autojunk=False).get_matching_blocks()
        pairs = [(old[i + n], new[j + n]) for i, j, size in same for n in range(size)]
        is_values = old[0].parent is not None and old[0].parent.type in _OF_VALUES
        if is_values:  # one more shifts them all
            pairs = [*zip(old, new, strict=True)] if len(old) == len(new) else []
        yield from (Entry(one, other, "") for one, other in pairs)


def _shape(node: tree_sitter.Node) -> tuple[str, ...]:
    """Return what is written in a node, with a mark for each number, text and set of named entries."""
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        if one.type in _LEAVES - _NAMES:
            found.append("#")
        elif one.type in ("dictionary", "object"):
            found.append("{")
        elif one.type in ("keyword_argument", ","):
            pass
        elif not one.children:
            found.append((one.text or b"").decode(errors="replace"))
        else:
            waiting += reversed(one.children)
    return tuple(found)


def _key(node: tree_sitter.Node) -> tuple[str, str] | None:
    """Return what tells a node from those beside it; None for one without a name."""
    around = node
    for _ in range(4):
        named = around.child_by_field_name(_NAMED_BY.get(around.type, "name"))
        if around.type in _NAMED_BY and named is not None:
            if named.type in ("object_pattern", "array_pattern"):
                return None
            return around.type, (named.text or b"").decode(errors="replace").strip("'\"")
        called = around.child_by_field_name("function")
        if called is not None and around is not node:
            return "call", (called.text or b"").decode(errors="replace")
        inner = _children(around)
        if around.type not in _AROUND_ONE or not inner:
            return None
        around = inner[-1]
    return None


def _name(node: tree_sitter.Node) -> str:
    key = _key(node)
    return key[1] if key and key[0] != "call" else ""
