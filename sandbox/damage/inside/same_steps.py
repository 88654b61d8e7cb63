"""Tells whether statements of Python do with a part as on base what they do on head, read step by step.

A value may have a name or none, a function that the change adds may be called or not, and a list may be made
in one step or in several: the same calls come in the same order, and the same values are left. What is
computed only for readers that are gone says nothing of a change, either.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_Term = tuple[object, ...]
"""A value, as it is computed of what there was before."""
_MARKS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_IN_TURN = (
    *(ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List, ast.Starred, ast.Slice),
    *(ast.Attribute, ast.Subscript, *_MARKS),
)
"""All that these have is evaluated once, as it is written."""
_COMPUTED = (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript)
_AT_TIMES = (ast.BoolOp, ast.Compare, ast.IfExp)
_MAKING = (ast.Assign, ast.AugAssign, ast.Expr, ast.For)
_RUNS = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda)
_SHARING = (
    *("Global", "Nonlocal", "Try", "TryStar"),
    *("FunctionDef", "AsyncFunctionDef", "ClassDef", "Lambda"),
)
"""What lets other code see a function's variables between two steps."""
_OF_TEXTS = ("str", "repr", "len")
_RESULT = "return"
_DEEPEST = 5  # of added functions that call others of them


class SidesOfFile:
    """A file on both sides."""

    def __init__(self, base: bytes, head: bytes) -> None:
        self._trees = [_tree(base), _tree(head)]

    def are_same(self, with_part: bytes) -> bool:
        """Tell whether head does the same with a part as on base; False where nobody knows."""
        base, head = self._trees
        other = _tree(with_part)
        try:
            if base is None or head is None or other is None:
                return False
            before, now, then = _functions(base), _functions(head), _functions(other)
            names = [one for one in then if _said(then[one]) != _said(now.get(one))]
            if len(names) != 1 or names[0] not in {*before} & {*now}:
                return False
            name = names[0]
            if _rest(head, now[name]) != _rest(other, then[name]):
                return False
            added = {key: one for key, one in now.items() if key not in before}
            return _is_same(name, (before[name], now[name], then[name]), added)
        except _UNREADABLE:
            return False


def _tree(text: bytes) -> ast.Module | None:
    try:
        return ast.parse(text)
    except _UNREADABLE:
        return None


def _functions(tree: ast.Module) -> dict[str, _Function]:
    """Return the functions of a module and the methods of its classes by their names, which differ."""
    found: dict[str, _Function] = {}
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else []
        for one in (node, *inner):
            if isinstance(one, _Function):
                name = f"{node.name}.{one.name}" if isinstance(node, ast.ClassDef) else one.name
                if name in found:
                    raise ValueError(name)
                found[name] = one
    return found


def _said(node: ast.AST | None) -> str:
    return ast.dump(node) if node else ""


def _rest(tree: ast.Module, function: _Function) -> list[str]:
    """Return what a module says beside its imports and what one function does."""
    own = ", ".join(map(_said, function.body))
    kept = (one for one in tree.body if not isinstance(one, ast.Import | ast.ImportFrom))
    return [_said(one).replace(own, "") for one in kept]


def _names(nodes: Sequence[ast.AST], *, read: bool) -> list[str]:
    """Return the names that are read, or given a value, as often as they are."""
    found = (one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name))
    return [one.id for one in found if isinstance(one.ctx, ast.Load) == read]


def _taken(function: _Function) -> list[str]:
    given = function.args
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _is_same(name: str, sides: Sequence[_Function], added: dict[str, _Function]) -> bool:
    before, now, then = sides
    if any(type(each).__name__ in _SHARING for one in now.body for each in ast.walk(one)):
        return False
    on_head, on_base = _apart(_body(now), _body(then))
    beside = Counter(_names(now.body, read=True)) - Counter(_names(on_head, read=True))
    if not on_head:
        readers = Counter(_names(before.body, read=True)) - Counter(_names(on_base, read=True))
        return _is_for_nobody(on_base, {*readers} - {*beside})
    head, base = _Steps(name, now, added), _Steps(name, now, added)
    for one in on_head:
        head.make(one)
    for one in on_base:
        base.make(one)
    kept = {*beside, *head.before, *base.before, _RESULT} & {*head.values, *base.values}
    is_left = all(head.variable(one) == base.variable(one) for one in kept)
    return is_left and head.calls == base.calls and head.made == base.made


def _body(function: _Function) -> list[ast.stmt]:
    return function.body[ast.get_docstring(function, clean=False) is not None :]


def _apart(some: list[ast.stmt], others: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Return the statements that are not the same, the innermost ones."""
    one, other = list(some), list(others)
    for last in (0, -1):
        while one and other and _said(one[last]) == _said(other[last]):
            del one[last], other[last]
    if len(one) == len(other) == 1 and type(one[0]) is type(other[0]):
        fields = [
            field
            for field, value in ast.iter_fields(one[0])
            if _all_said(value) != _all_said(getattr(other[0], field))
        ]
        if len(fields) == 1 and fields[0] in ("body", "orelse", "finalbody"):
            return _apart(getattr(one[0], fields[0]), getattr(other[0], fields[0]))
    return one, other


def _all_said(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [_said(one) if isinstance(one, ast.AST) else repr(one) for one in values]


def _is_for_nobody(statements: list[ast.stmt], unread: set[str]) -> bool:
    """Tell whether statements only make what base alone reads, and texts for it."""
    nodes = [each for one in statements for each in ast.walk(one)]
    given = {*_names(statements, read=False)}
    loops = [one.target for one in nodes if isinstance(one, ast.For)]
    calls = [one.func for one in nodes if isinstance(one, ast.Call)]
    is_known = all(_makes_texts(one) or _adds_to(one) in given for one in calls)
    places = [one.ctx for one in nodes if isinstance(one, ast.Attribute | ast.Subscript)]
    is_own = all(isinstance(one, ast.Load) for one in places)
    is_making = all(isinstance(one, _MAKING) for one in nodes if isinstance(one, ast.stmt))
    is_plain = is_making and not any(isinstance(one, _RUNS) for one in nodes)
    is_unread = bool(given & unread) and given <= unread.union(_names(loops, read=False))
    return is_known and is_own and is_plain and is_unread


def _makes_texts(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        return isinstance(called.value, ast.Constant)
    return isinstance(called, ast.Name) and called.id in _OF_TEXTS


def _adds_to(called: ast.expr) -> str:
    """Return the variable to which a call adds an item; "" for any other."""
    is_adding = isinstance(called, ast.Attribute) and called.attr == "append"
    return called.value.id if is_adding and isinstance(called.value, ast.Name) else ""  # type: ignore


@dataclass(slots=True)
class _Steps:
    """What statements leave: the `values` of variables, and the `calls` with the objects that these get.

    All is said of what there was `before`, of which these variables are read. Nothing is known of what may
    be left out or made again: ValueError. What is `read` something else may know; each list is a `new` one.
    `made` are all values that are not just there, as making one may raise an error.
    """

    name: str
    function: _Function
    added: dict[str, _Function]
    values: dict[str, _Term] = field(default_factory=dict)
    calls: list[tuple[_Term, _Term]] = field(default_factory=list)
    new: Iterator[int] = field(default_factory=count)
    depth: int = 0
    read: set[str] = field(default_factory=set)
    before: set[str] = field(default_factory=set)
    made: set[_Term] = field(default_factory=set)

    def make(self, one: ast.stmt) -> None:
        """Make a statement."""
        if _RESULT in self.values or self.depth > _DEEPEST:
            raise ValueError(one)
        if isinstance(one, ast.Return) and one.value:
            self.values[_RESULT] = self.value(one.value)
        elif isinstance(one, ast.Expr):
            call = one.value
            name = _adds_to(call.func) if isinstance(call, ast.Call) else ""
            if name in self.lists and isinstance(call, ast.Call) and len(call.args) == 1:
                self.add(name, [self.value(call.args[0])])
            else:
                self.value(call)
        elif isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
            name, more = one.target.id, self.value(one.value)
            if name in self.lists and isinstance(one.op, ast.Add):
                self.add(name, more[2:] if more[0] == "List" else [("all of", more)])
            else:
                before = self.variable(name)
                self.values[name] = (_said(one.op), before, more)
                self.calls.append((self.values[name], (before, more)))
        elif isinstance(one, ast.Assign) and all(isinstance(o, ast.Name) for o in one.targets):
            value = self.value(one.value)
            self.values |= dict.fromkeys(_names(one.targets, read=False), value)
        elif isinstance(one, ast.Assign) and [*map(type, one.targets)] == [ast.Attribute]:
            value, place = self.value(one.value), self.value(one.targets[0])
            self.calls.append((("gets", place, value), (place[1], value)))
        else:
            raise ValueError(one)

    @property
    def lists(self) -> set[str]:
        """Return the variables that are lists: they begin as one, and nothing else is put in their place."""
        nodes = [*ast.walk(self.function)]
        begun = [o for o in nodes if isinstance(o, ast.Assign) and isinstance(o.value, ast.List)]
        begun = [one for one in begun if [*map(type, one.targets)] == [ast.Name]]
        grown = [one.target for one in nodes if isinstance(one, ast.AugAssign)]
        given = Counter(_names(self.function.body, read=False))
        given -= Counter(one.id for one in grown if isinstance(one, ast.Name))
        return {
            name for one in begun for name in _names(one.targets, read=False) if given[name] == 1
        }

    def add(self, name: str, more: Sequence[object]) -> None:
        """Add items to a list that nothing else knows."""
        if name in self.read:
            raise ValueError(name)
        before = self.variable(name)
        is_known = before[0] in ("List", "more of")
        self.values[name] = (*(before if is_known else ("more of", before)), *more)

    def variable(self, name: str) -> _Term:
        """Return what a variable is."""
        self.before |= {name} - self.values.keys()
        return self.values.get(name, ("variable", name))

    def value(self, node: ast.AST) -> _Term:
        """Evaluate an expression."""
        if isinstance(node, ast.Name):
            self.read.add(node.id)
            return self.variable(node.id)
        if isinstance(node, ast.Constant):
            return "Constant", repr(node.value)
        if isinstance(node, ast.JoinedStr):
            return self.text(node)
        if isinstance(node, ast.Call):
            return self.called(node)
        is_plain = not any(isinstance(one, (ast.Call, *_RUNS)) for one in ast.walk(node))
        if not isinstance(node, _IN_TURN) and not (isinstance(node, _AT_TIMES) and is_plain):
            raise ValueError(node)
        parts: list[object] = [type(node).__name__]
        parts += [next(self.new)] if isinstance(node, ast.List) else []
        for _, one in ast.iter_fields(node):
            several = one if isinstance(one, list) else [one]
            parts += [self.value(o) if isinstance(o, ast.AST) else repr(o) for o in several]
        if isinstance(node, ast.Attribute | ast.Subscript):
            # Whoever gets an object may change what it has.
            parts.append(sum(parts[1] in objects for _, objects in self.calls))
        value = tuple(one for one in parts if one != ("Load",))
        self.made |= {value} if isinstance(node, _COMPUTED) else set()
        return value

    def text(self, node: ast.JoinedStr) -> _Term:
        """Put a text together, also of texts that stand in it."""
        parts: list[object] = []
        for one in node.values:
            made: Sequence[object] = [getattr(one, "value", "")]
            if isinstance(one, ast.FormattedValue):
                form = self.value(one.format_spec) if one.format_spec else ()
                inner = self.value(one.value)
                is_text = inner[0] == "text" and one.conversion == -1 and not form
                made = inner[1:] if is_text else [(inner, one.conversion, form)]
            for each in made:
                last = parts.pop() if parts else ""
                if isinstance(each, str) and isinstance(last, str):
                    parts.append(last + each)
                else:
                    parts += [last, each]
        return "text", *(one for one in parts if one != "")

    def called(self, call: ast.Call) -> _Term:
        """Make a call; of a function that is added, its statements."""
        key, own = ast.unparse(call.func), _taken(self.function)[:1]
        objects: list[_Term] = []
        called: _Term
        if isinstance(call.func, ast.Attribute):
            objects, called = [self.value(call.func.value)], ("its", call.func.attr)
        else:
            called = self.value(call.func)
        within = self.name.rpartition(".")[0]
        is_own = bool(within and own) and objects == [("variable", own[0])]
        given = [self.value(one) for one in call.args]
        named = {str(one.arg): self.value(one.value) for one in call.keywords}
        if found := self.added.get(f"{within}.{call.func.attr}" if is_own else key):  # type: ignore[attr-defined]
            return self.inside(found, [*objects, *given], named)
        everything = (*objects, *given, *named.values())
        self.calls.append(((called, len(given), *named, *everything), everything))
        return "result", len(self.calls)

    def inside(self, found: _Function, given: list[_Term], named: dict[str, _Term]) -> _Term:
        """Make the statements of a plain function that is added."""
        taken, body = _taken(found), _body(found)
        own = {*taken, *_names(body, read=False)}
        outer = {*_taken(self.function), *_names(self.function.body, read=False)}
        values = dict(zip(taken, given, strict=False)) | named
        is_plain = isinstance(found, ast.FunctionDef) and not found.decorator_list
        is_plain = is_plain and not found.args.vararg and not found.args.kwarg
        is_filled = values.keys() == {*taken} and len(given) + len(named) == len(taken)
        if not (is_plain and is_filled) or outer.intersection(_names(body, read=True)) - own:
            raise ValueError(found.name)
        name = f"{self.name.rpartition('.')[0]}.{found.name}"
        steps = _Steps(name, found, self.added, values, self.calls, self.new, self.depth + 1)
        steps.made = self.made
        for one in body:
            steps.make(one)
        return steps.values.get(_RESULT, ("Constant", "None"))
