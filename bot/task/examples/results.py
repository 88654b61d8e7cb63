"""Reads what a task shows by example, and which results a test asks for, so that the two can be compared.

``slugify("Hello World")`` should give ``hello_world``: a call with literal arguments and its result. Calls
and results are kept as Python's own parser writes them back; it reads expressions of JavaScript as well.
"""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from bot.diff.python_source import Function, last_name, parse_python
from bot.task.examples.values import expression, read_value
from bot.text.words import sentences, unwrapped

_MOST_LINES = 2_000
_LONGEST = 1_000  # of a sentence
_CODE = re.compile(r"`([^`\n]{1,200})`")
_QUOTE = re.compile(r"['\"]")
_SPELLED = {"true": "True", "false": "False", "null": "None", "undefined": "None", "nil": "None"}
_EQUALITIES = frozenset(
    ("assertequal", "assertequals", "assertis", "assertlistequal", "assertdictequal", "asserttupleequal",
     "assertsetequal", "assertsequenceequal", "assertmultilineequal", "equal", "equals", "strictequal",
     "deepequal", "deepstrictequal", "is", "same", "eq", "eql", "tobe", "toequal", "tostrictequal")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LiteralEquality:
    """One equality of a test: a call with literal arguments, the result that it must have, and how.

    Where all that is compared is read, `call` is any code beside a literal. `before` is the result that an
    edited one had on base, where only that changed.
    """

    call: str
    result: str
    how: str
    before: str = ""


# --- a task's words ---------------------------------------------------------------------------


def code_sentences(text: str) -> list[str]:
    """The sentences and lines of a text, every code between single backticks; a stop in one ends nothing."""
    single = re.sub(r"``\s?(.+?)\s?``", r"`\1`", text.replace("\0", ""))
    return _split(unwrapped(single), sentences)


def clauses(sentence: str) -> list[str]:
    """The parts of a sentence before and behind its colons and semicolons; one in a code parts nothing."""
    return _split(sentence.replace("\0", ""), re.compile(r"[:;]\s").split)


def _split(text: str, split: Callable[[str], list[str]]) -> list[str]:
    codes = (match[0] for match in _CODE.finditer(text))
    return [re.sub("\0", lambda _: next(codes), one) for one in split(_CODE.sub("\0", text))]


class Sentence:
    """A sentence with its codes taken out, so that patterns see where each stands: \0, its number, \0."""

    def __init__(self, words: str) -> None:
        self.said = words[:_LONGEST]
        plain, numbers = self.said.replace("\0", ""), count()
        self.codes: list[str] = [code.strip() for code in _CODE.findall(plain)]
        self.masked = _CODE.sub(lambda _: f"\0{next(numbers)}\0", plain)


def spellings(text: str) -> tuple[str, ...]:
    """A result as code would write it; bare words may be meant as a string, with or without its escapes."""
    node = expression(text)
    plain = _SPELLED.get(text, text if node is None else "")
    read = {plain, *(() if node is None else (ast.unparse(node),))}
    if node is None or isinstance(node, ast.Name | ast.BinOp | ast.Attribute):
        read.add(repr(text))
    if "\\" in text and not _QUOTE.search(text) and (escaped := read_value(f'"{text}"')):
        read.add(repr(escaped[0]))
    return tuple(sorted(read - {""}))


def plain_call(node: ast.expr | None) -> str:
    """A call with literal arguments as one text, without what stands before its last name; "" for another."""
    node = node.value if isinstance(node, ast.Await) else node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return ""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    names = {n.id for one in given for n in ast.walk(one) if isinstance(n, ast.Name)}
    calls = any(isinstance(n, ast.Call | ast.Lambda) for one in given for n in ast.walk(one))
    if calls or not names <= _SPELLED.keys():
        return ""
    return ast.unparse(ast.Call(ast.Name(last_name(node.func)), node.args, node.keywords))


# --- a test's code ----------------------------------------------------------------------------


def asked_in(source: str) -> tuple[LiteralEquality, ...]:
    """Every equality of a test between a call with literal arguments and a result."""
    tree = _function(source)
    if tree is None:
        lines = source.splitlines()[:_MOST_LINES]
        return tuple(one for line in lines if (one := _asked_by(_line(line))))
    found = [_asked_by(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    for names, rows in _tables(tree):
        for row in rows:
            if bound := _bound(names, row):
                found += _with_row(tree, bound)
    return tuple(one for one in found if one is not None)


def newly_asked(before: str, after: str, *, of_any: bool = False) -> tuple[LiteralEquality, ...]:
    """The equalities whose results an edit changes; empty where it changes anything else of the test.

    Those `of_any` code that is compared with a literal, also by `in`; or of calls with literals alone.
    """
    old, new = _function(before), _function(after)
    if (old is None) is not (new is None):
        return ()
    if old and new:
        new.name = old.name  # a test may be renamed with what it expects
    try:
        pairs = list(
            _edited_lines(before, after, of_any)
            if old is None or new is None
            else _edited(old, new, of_any)
        )
    except _Differs:
        return ()
    return tuple(dict.fromkeys(pairs))


class _Differs(ValueError):
    """More was edited than results."""


def _function(source: str) -> Function | None:
    tree = parse_python(textwrap.dedent(source))
    node = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return node if isinstance(node, Function) else None


def _edited(old: ast.stmt, new: ast.stmt, of_any: bool) -> Iterator[LiteralEquality]:
    """Walk two statements that must be the same but for results. Raises _Differs."""
    if ast.dump(old) == ast.dump(new):
        return
    before, after = _asked_by(old, of_any), _asked_by(new, of_any)
    if before and after:
        yield _became(before, after)
        return
    if type(old) is not type(new):
        raise _Differs
    blocks = [name for name in ("body", "orelse", "finalbody") if getattr(old, name, None)]
    rows = _changed_rows(old, new)
    heads = [_head(one, blocks, is_tabled=bool(rows)) for one in (old, new)]
    if heads[0] != heads[1] or not (blocks or rows):
        raise _Differs
    for was, row in rows:
        asked = list(_with_row(new, row, of_any))
        earlier = {(one.call, one.how): one.result for one in _with_row(old, was, of_any)}
        if not asked:
            raise _Differs
        yield from (replace(one, before=earlier.get((one.call, one.how), "")) for one in asked)
    for name in blocks:
        one, other = getattr(old, name), getattr(new, name, [])
        if len(one) != len(other):
            raise _Differs
        for pair in zip(one, other, strict=True):
            yield from _edited(*pair, of_any)


def _became(before: LiteralEquality, after: LiteralEquality) -> LiteralEquality:
    """What an equality of the same code asks for now. Raises _Differs where it is of other code."""
    if (before.call, before.how) != (after.call, after.how):
        raise _Differs
    return replace(after, before=before.result)


def _head(node: ast.stmt, blocks: list[str], *, is_tabled: bool) -> str:
    """What a statement says beside its blocks, and beside its table of parameters."""
    left_out = {*blocks, *(("decorator_list",) if is_tabled else ())}
    fields = [value for name, value in ast.iter_fields(node) if name not in left_out]
    listed = [value if isinstance(value, list) else [value] for value in fields]
    return repr([[ast.dump(n) if isinstance(n, ast.AST) else n for n in nodes] for nodes in listed])


_Row = dict[str, ast.expr]


def _tables(node: ast.AST) -> list[tuple[list[str], list[ast.expr]]]:
    """The names and rows of each `parametrize`; one that cannot be read has no rows."""
    found = []
    for one in getattr(node, "decorator_list", ()):
        if (
            isinstance(one, ast.Call)
            and ast.unparse(one.func).endswith("parametrize")
            and len(one.args) > 1
        ):
            names, rows = one.args[0], one.args[1]
            listed = names.elts if isinstance(names, ast.List | ast.Tuple) else [names]
            texts = [
                n.value for n in listed if isinstance(n, ast.Constant) and isinstance(n.value, str)
            ]
            split = [part.strip() for text in texts for part in text.split(",") if part.strip()]
            found.append((split, rows.elts if isinstance(rows, ast.List | ast.Tuple) else []))
    return found


def _bound(names: list[str], row: ast.expr) -> _Row | None:
    values = row.elts if isinstance(row, ast.Tuple | ast.List) and len(names) > 1 else [row]
    return dict(zip(names, values, strict=True)) if len(names) == len(values) else None


def _changed_rows(old: ast.stmt, new: ast.stmt) -> list[tuple[_Row, _Row]]:
    """The rows of a table that differ, where nothing else of the decorators does. Raises _Differs."""
    before, after = _tables(old), _tables(new)
    if [names for names, _ in before] != [names for names, _ in after]:
        raise _Differs
    changed: list[tuple[_Row, _Row]] = []
    for (names, rows), (_, others) in zip(before, after, strict=True):
        if len(rows) != len(others):
            raise _Differs
        for one, other in zip(rows, others, strict=True):
            if ast.dump(one) != ast.dump(other):
                rows_of_both = _bound(names, one), _bound(names, other)
                if rows_of_both[0] is None or rows_of_both[1] is None:
                    raise _Differs
                changed.append((rows_of_both[0], rows_of_both[1]))
    decorators = [getattr(node, "decorator_list", []) for node in (old, new)]
    if changed and len(decorators[0]) != len(decorators[1]):
        raise _Differs
    plain = [
        [ast.dump(d) for d in side if "parametrize" not in ast.unparse(d)] for side in decorators
    ]
    if changed and plain[0] != plain[1]:
        raise _Differs
    return changed


def _with_row(function: ast.AST, row: _Row, of_any: bool = False) -> Iterator[LiteralEquality]:
    """The equalities of a test with the values of one row in place of their names."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Expr):
            filled = _Filled(row).visit(ast.parse(ast.unparse(node)).body[0])
            asked = _asked_by(filled, of_any)
            if asked:
                yield asked


class _Filled(ast.NodeTransformer):
    def __init__(self, row: _Row) -> None:
        self._row = row

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._row.get(node.id, node)


def _edited_lines(before: str, after: str, of_any: bool) -> Iterator[LiteralEquality]:
    """The same for a language whose lines alone are read. Raises _Differs."""
    old, new = (text.splitlines()[:_MOST_LINES] for text in (before, after))
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if b - a != d - c:
            raise _Differs
        for one, other in zip(old[a:b], new[c:d], strict=True):
            asked, now = _asked_by(_line(one), of_any), _asked_by(_line(other), of_any)
            if not asked or not now:
                raise _Differs
            yield _became(asked, now)


def _line(text: str) -> ast.stmt | None:
    """One line as an expression of Python, where `assert` is no name."""
    node = expression(re.sub(r"^\s*assert(?=[.(])", "assert_", text))
    return ast.Expr(node) if node is not None else None


def _asked_by(node: ast.stmt | None, of_any: bool = False) -> LiteralEquality | None:
    """Read one statement: `assert f(1) == 2`, `assertEqual(f(1), 2)`, `expect(f(1)).toBe(2)`."""
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
        test = node.test
        read = ast.Eq | ast.Is | ast.In if of_any else ast.Eq | ast.Is
        if len(test.ops) == 1 and isinstance(test.ops[0], read):
            how = type(test.ops[0]).__name__
            return _asked(test.left, test.comparators[0], how, of_any)
    value = node.value if isinstance(node, ast.Expr) else None
    value = value.value if isinstance(value, ast.Await) else value
    if not isinstance(value, ast.Call) or not value.args:
        return None
    func = value.func
    name = last_name(func)
    if name.lower() not in _EQUALITIES:
        return None
    # What `expect(…)` at the root of a chain is given is looked at.
    root: ast.expr = func
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Call) and getattr(root.func, "id", "") == "expect" and root.args:
        is_whole = len(value.args) == 1
        how = ast.unparse(func).removeprefix(ast.unparse(root)) if of_any else name
        return _asked(root.args[0], value.args[0], how, of_any) if is_whole else None
    return _asked(value.args[0], value.args[1], name, of_any) if len(value.args) > 1 else None


def _asked(one: ast.expr, other: ast.expr, how: str, of_any: bool) -> LiteralEquality | None:
    for code, result in ((one, other), (other, one)):
        call = plain_call(code)
        if of_any:
            call = ast.unparse(code) if _is_literal(result) and not _is_literal(code) else ""
        if call:
            return LiteralEquality(call, ast.unparse(result), how)
    return None


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.UnaryOp)
