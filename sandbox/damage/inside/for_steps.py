"""Makes what a judge's step is run with: in other words, as on base, and damaged near what it is about."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

import tree_sitter

from sandbox.damage.inside.languages import FUNCTIONS, IMPORTS, WORD
from sandbox.damage.inside.make import Damage, changed_functions, entered, ranked
from sandbox.damage.inside.results import unsteady
from sandbox.damage.inside.source import (
    Clock,
    Source,
    name_of,
    parameters_of,
    parents,
    part,
    text_of,
    tokens,
    walk,
)

_MOST_READ, _MOST_NAMES = 4_000, 40


def in_other_words(sources: list[Source]) -> Iterator[Damage]:
    """What only looks different, a file each."""
    for source in sources:
        start, end, text = same(source)
        what = "the same in other words"
        yield Damage(source.number, "same", 1, "", start, end, text, what, is_telling=False)


def for_a_step(sources: list[Source], named: frozenset[str], clock: Clock) -> Iterator[Damage]:
    """What a judge's step is run on: copies that look different, then what is as on base, then damages."""
    twins = {one.number: Twins.of(one, clock) for one in sources}
    yield from in_other_words(sources)
    for number, twin in twins.items():
        for one, text in twin.changed():
            line, what = one.node.start_point[0] + 1, f"`{one.name}` as on base"
            place = number, "restored", line, one.name, one.node.start_byte, one.node.end_byte
            taken = parameters_of(one.node)
            yield Damage(*place, text, what, is_telling=False, names=one.key, parameters=taken)
        if lost := twin.lost():
            end = len(twin.source.text)
            yield Damage(number, "lost", 1, "", end, end, lost, "what base has besides", False)
    for source in sources:
        source.named = named | twins[source.number].by_values
    for damage in ranked(sources, named, named):
        twin = twins[damage.file]
        names = twin.names(damage.line)
        is_beside = damage.kind in ("reverted", "raises") and twin.own
        if is_beside or damage.kind == "near":  # a step may well ask for less than the very number
            continue
        is_changed = not twin.is_same(damage.line)
        if is_changed or named.intersection(names):
            words = () if twin.own else _words_at(twin.source, damage.line)
            taken = twin.parameters(damage.line)
            yield replace(damage, names=names or words, is_changed=is_changed, parameters=taken)
    for source in sources:
        if source.language == "python":
            yield from _of_python(source, twins[source.number], named)


_BENEATH = (
    'if [1 for c in [[__import__("sys")._getframe(1)]] for f in c if (f.f_back is None or '
    'c.append(f.f_back) is None) and "judge" not in f.f_code.co_filename.rpartition("/")[2] and '
    '{{f.f_code.co_name, f.f_locals.get("self").__class__.__name__}} & {{{names}}}]: return'
)
"""Leaves a function where one of some names, or a method of such a class, has called it; a judge's own does
not count."""


def _of_python(source: Source, twin: Twins, named: frozenset[str]) -> Iterator[Damage]:
    """Functions that never give the same twice, and that do nothing where they run for what is named."""
    names = ", ".join(repr(one) for one in sorted(named)[:_MOST_NAMES] if one.isidentifier())
    for one in changed_functions(source):
        own = twin.names(one.first)
        if twin.is_same(one.first):
            continue
        if found := unsteady(source, one):
            start, end, text = found
            what, put = f"`{one.name}` returns another value at each call", text.encode()
            place = source.number, "unsteady", one.first, one.name, start, end
            taken = twin.parameters(one.first)
            yield Damage(*place, put, what, is_telling=False, names=own, parameters=taken)
        if not names or named.intersection(own):
            continue
        what = f"`{one.name}` does nothing where it is run for what is asked for"
        for damage in entered(source, one, "beneath", _BENEATH.format(names=names), what):
            # Else all of the line would stand behind the condition.
            if not damage.text.endswith(b"; "):
                yield replace(damage, names=own)


def _words_at(source: Source, line: int) -> tuple[str, ...]:
    """Return what the changed lines of a file name that has no definitions."""
    rows = source.text.decode(errors="replace").splitlines()
    shown = [row for a, b in source.ranges if a <= line <= b for row in rows[a - 1 : b]]
    return tuple(dict.fromkeys(WORD.findall("\n".join(shown)[:_MOST_READ])))[:_MOST_NAMES]


# --- what a changed file was: base's twin of each definition, and copies of head that only look different


_CLASSES = ("class", "struct", "enum", "trait", "interface", "impl", "object_d", "module")
_VALUES = ("assignment", "variable_declarator", "const_spec", "var_spec")
_MOST, _MOST_AROUND = 2_000, 40


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, or a name with its value outside of any; `within` are the names that it stands in."""

    name: str
    within: tuple[str, ...]
    node: tree_sitter.Node

    @property
    def key(self) -> tuple[str, ...]:
        """Return what base's twin of it has too."""
        return *self.within, self.name


@dataclass(slots=True)
class Twins:
    """The definitions of one file of head, and base's by their names."""

    source: Source
    own: list[Definition]
    before: dict[tuple[str, ...], Definition]
    text_before: bytes
    root_before: tree_sitter.Node | None
    values: dict[str, tree_sitter.Node] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Source, clock: Clock) -> Twins:
        """Read the definitions of both sides; of a file that cannot be read there are none."""
        before = source.before
        root = clock.parse(before, source.language) if before and source.language else None
        own = list(definitions(source.root)) if source.root is not None else []
        found = {one.key: one for one in definitions(root)} if root is not None else {}
        values: dict[str, tree_sitter.Node] = {}
        if source.language == "python":
            values = altered(_outermost(own), _outermost(found.values()))
        return cls(source, own, found, before, root, values)

    @property
    def by_values(self) -> frozenset[str]:
        """Return the functions that do something else because a value beside them is not as on base."""
        return frozenset(one.name for one in self.own if used(one.node, self.values))

    def around(self, line: int) -> Definition | None:
        """Return the innermost definition around a line."""
        found = [o for o in self.own if _first(o.node) <= line <= o.node.end_point[0] + 1]
        return min(found, key=lambda o: o.node.end_byte - o.node.start_byte, default=None)

    def names(self, line: int) -> tuple[str, ...]:
        """Return the names of what stands around a line, the outermost first."""
        found = self.around(line)
        return found.key if found else ()

    def parameters(self, line: int) -> tuple[str, ...]:
        """Return what the innermost function around a line takes."""
        found = self.around(line)
        return parameters_of(found.node) if found else ()

    def is_same(self, line: int) -> bool:
        """Tell whether what stands around a line says on base what it says on head."""
        found = self.around(line)
        twin = self.before.get(found.key) if found else None
        if found is None or twin is None:
            return False
        return tokens(found.node) == tokens(twin.node) and not used(found.node, self.values)

    def changed(self) -> Iterator[tuple[Definition, bytes]]:
        """Yield each definition that is not as on base, with base's text; of nested ones the innermost.

        A function gets base's values of what it reads with it, and only there.
        """
        for one in self.own:
            twin = self.before.get(one.key)
            if twin is None or self.around(_first(one.node)) is not one:
                continue
            text = with_values(twin.node, self.text_before, self.values)
            if tokens(one.node) != tokens(twin.node) or used(twin.node, self.values):
                yield one, text

    def lost(self) -> bytes:
        """Return what base's definitions may need and head has no more: top-level ones, imports."""
        if self.root_before is None or self.source.root is None or self.source.language != "python":
            return b""
        own = {text_of(one) for one in self.source.root.children}
        kept = {one.key for one in self.own}
        parts = [
            self.text_before[one.node.start_byte : one.node.end_byte]
            for one in self.before.values()
            if not one.within and one.key not in kept
        ]
        parts += [
            self.text_before[one.start_byte : one.end_byte]
            for one in self.root_before.children
            if IMPORTS.search(one.type) and text_of(one) not in own and "future" not in one.type
        ]
        return b"".join(b"\n\n" + one + b"\n" for one in parts)


def _outermost(found: Iterable[Definition]) -> dict[str, tree_sitter.Node]:
    """Return the values that stand outside of everything, by their names."""
    return {one.name: one.node for one in found if not one.within and one.node.type in _VALUES}


def definitions(root: tree_sitter.Node) -> Iterator[Definition]:
    """Yield functions that have a name, and values outside of functions."""
    count = 0
    for node in walk(root):
        is_value = node.type in _VALUES
        if count == _MOST or not node.is_named or not (is_value or node.type in FUNCTIONS):
            continue
        around = [*islice(parents(node), _MOST_AROUND)]
        if is_value:
            if any(one.type in FUNCTIONS for one in around):
                continue
            left = part(node, "left", "name")
            name = text_of(left)[:80] if left is not None else ""
        else:
            name = name_of(node)
        is_named_by_value = not is_value and node.parent is not None and node.parent.type in _VALUES
        if not name or is_named_by_value:
            continue
        count += 1
        within = []  # the innermost first
        for one in around:
            if one.type in FUNCTIONS:
                within.append(name_of(one))
            elif one.is_named and one.type.startswith(_CLASSES):
                named = part(one, "name", "type")
                within.append(text_of(named)[:80] if named is not None else "")
        yield Definition(name, tuple(filter(None, reversed(within))), node)


def _first(node: tree_sitter.Node) -> int:
    return node.start_point[0] + 1


_COMPILES = b"""
import ast
tree = ast.parse(text)
for one in ast.walk(tree):
    if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
        has_doc = ast.get_docstring(one, clean=False) is not None
        first = one.body[0]
        idle = ast.Expr(ast.Name("__name__", ast.Load()))
        one.body.insert(int(has_doc), ast.fix_missing_locations(ast.copy_location(idle, first)))
made = compile(tree, file, "exec")
"""
"""Compiles `text`, with a statement more in each function that does nothing: its code is another, too."""
_STUB = (
    b'exec((lambda given: (exec(__import__("base64").b64decode("%s"), given), given["made"])[1])('
    b'{"text": __import__("base64").b64decode("%s"), "file": __file__}))\n'
)


def same(source: Source) -> tuple[int, int, bytes]:
    """Return (start, end, text) of a copy that does what the file does, and does not say the same.

    Of Python nothing is left to be read, and functions are compiled to other code; of other languages the
    changed functions have one line more.
    """
    text = source.text
    if source.language == "python":
        shebang = text[: text.find(b"\n") + 1] if text.startswith(b"#!") else b""
        return 0, len(text), shebang + _STUB % tuple(map(base64.b64encode, (_COMPILES, text)))
    changed = [one for one in source.functions if source.is_changed(one.first, one.last)]
    for one in changed:
        at = one.body.start_byte
        if text[at : at + 1] == b"{":
            return at + 1, at + 1, b"\n"
    return len(text), len(text), b"\n"


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
