"""Reads the tests that a judge wrote: what does each assertion rest on, something done or something there?

Python is read by its syntax tree; of other languages only which names are called.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.diff.python_source import parse_python
from bot.evidence.own_steps.hollow_lines import is_looking

MOST_NODES = 4_000
"""Of a syntax tree: about 600 lines. What follows is not linear in them."""
_TESTING = frozenset(("pytest", "unittest", "hypothesis", "mock", "_pytest", "doctest"))
_STARTING = frozenset(("subprocess", "runpy", "pexpect"))
_PEEKING_WORDS = (
    "hasattr getattr dir vars callable isinstance issubclass type id repr str print len set sorted "
    "list tuple bool any all getsource getsourcelines getdoc signature getmembers open exists "
    "is_file is_dir read_text read_bytes isfile isdir listdir glob rglob iterdir find_spec"
)
_PEEKING = frozenset(_PEEKING_WORDS.split())
_READING_CODE = frozenset(("getsource", "getsourcelines", "getdoc", "str", "repr", "dir", "vars"))
_CAPTURED = frozenset(("capsys", "capfd", "caplog", "recwarn", "capsysbinary"))
_GIVEN = frozenset(("tmp_path", "tmpdir", "monkeypatch", "request", "self", "tmp_path_factory"))
_BLOCKS = ("raises", "warns", "assertraises", "assertraisesregex", "assertwarns", "assertlogs")
_CALLED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*)\s*\(")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRING = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`")
_TITLE = re.compile(rf"\b(?:(?:test|it|describe|suite)\s*\(\s*|from\s+)(?:{_STRING.pattern})")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Claim:
    """One assertion. `is_done` says that it rests on a call into the project; `names` stand in all that it
    rests on, `looked_at` are names and files whose being there it asserts. `line` 0: of no one line."""

    path: str
    line: int
    is_done: bool
    names: tuple[str, ...]
    looked_at: frozenset[str]


def claims_of(path: str, text: str) -> list[Claim]:
    """Every assertion of one file of the judge; none where it cannot be read."""
    if not path.endswith(".py"):
        return _read_plainly(path, text)
    tree = parse_python(text)
    if tree is None or sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        return []
    reading = _Reading(path, tree)
    return [reading.claim(node, within) for node, within in _assertions(tree)]


def _read_plainly(path: str, text: str) -> list[Claim]:
    """One claim for a file in another language: what it calls, and the texts in it but its tests' titles."""
    code = _TITLE.sub("(", _COMMENT.sub(" ", text))
    called = _CALLED.findall(code)
    names = (*called, *(one.strip("'\"`") for one in _STRING.findall(code)))
    return [Claim(path, 0, True, names, frozenset())] if called else []


def _assertions(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each assertion with the function (or module) that it stands in."""
    functions = [node for node in ast.walk(tree) if isinstance(node, _Function)]
    inside = {id(child) for one in functions for child in ast.walk(one) if child is not one}
    for owner in (*functions, tree):
        for node in ast.walk(owner):
            is_nested = isinstance(owner, ast.Module) and id(node) in inside
            if not is_nested and _is_assertion(node):
                yield node, owner


def _is_assertion(node: ast.AST) -> bool:
    if isinstance(node, ast.With | ast.AsyncWith):
        return any(_name(item.context_expr).casefold() in _BLOCKS for item in node.items)
    if isinstance(node, ast.Raise):
        return _name(node.exc) == "AssertionError"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = _name(node.value)
        return called.startswith("assert") or called in ("fail", "exit", *_BLOCKS)
    return isinstance(node, ast.Assert)


def _name(node: ast.AST | None) -> str:
    """The last name of what is called or raised."""
    while isinstance(node, ast.Call):
        node = node.func
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


@dataclass(slots=True)
class _Reading:
    """One file: which names come from the project, and what every variable and helper is made of."""

    path: str
    tree: ast.Module
    project: set[str] = field(default_factory=set)
    starting: set[str] = field(default_factory=set)
    made_of: dict[str, list[ast.AST]] = field(default_factory=dict)
    fixtures: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
            elif isinstance(node, _Function):
                self.made_of.setdefault(node.name, []).extend(node.body)
            elif isinstance(node, ast.With | ast.AsyncWith):
                self._catch(node)
            for name, value in _bound(node):
                self.made_of.setdefault(name, []).append(value)
        self.fixtures = self._fixtures()

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        is_from = isinstance(node, ast.ImportFrom)
        for alias in node.names:
            package = (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
            root = package.split(".", 1)[0]
            bound = alias.asname or (alias.name if is_from else root)
            if root in _STARTING or (root == "os" and alias.name in ("system", "popen")):
                self.starting.add(bound)
            elif root not in sys.stdlib_module_names and root not in _TESTING:
                self.project.add(bound)

    def _catch(self, node: ast.With | ast.AsyncWith) -> None:
        """What `with raises(…) as error` catches is made of what its block does."""
        for item in node.items:
            target = item.optional_vars
            if isinstance(target, ast.Name) and _name(item.context_expr).casefold() in _BLOCKS:
                self.made_of.setdefault(target.id, []).extend(node.body)

    def claim(self, node: ast.AST, within: ast.AST) -> Claim:
        """What one assertion rests on, followed through variables and helpers of the file."""
        rests_on = self._followed(self._subject(node, within))
        if not self._is_done(rests_on) and self._is_left_behind(rests_on, within):
            rests_on = self._followed([within])
        line = getattr(node, "lineno", 0)
        done, names = self._is_done(rests_on), tuple(_names_in(rests_on))
        return Claim(self.path, line, done, names, frozenset(self._looked_at(rests_on)))

    def _subject(self, node: ast.AST, within: ast.AST) -> list[ast.AST]:
        """What an assertion looks at; of one that only fails, the branches that lead to it."""
        if isinstance(node, ast.With | ast.AsyncWith):
            return list(node.body)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            subject: list[ast.AST] = [*call.args, *(one.value for one in call.keywords)]
        else:
            subject = [node.test] if isinstance(node, ast.Assert) else []
        if any(not isinstance(one, ast.Constant) for one in subject):
            return subject
        return [one for one in ast.walk(within) if _leads_to(one, node)]

    def _followed(self, nodes: list[ast.AST]) -> list[ast.AST]:
        found, waiting, seen = list(nodes), list(nodes), set[str]()
        while waiting:
            for one in ast.walk(waiting.pop()):
                name = _variable(one)
                if name in self.made_of and name not in seen:
                    seen.add(name)
                    found += self.made_of[name]
                    waiting += self.made_of[name]
        return found

    def _is_done(self, nodes: list[ast.AST]) -> bool:
        """Whether something of the project is called, or handed to what calls it."""
        calls = (one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Call))
        return any(self._is_of_project(call) for call in calls)

    def _is_of_project(self, call: ast.Call) -> bool:
        name, root = _name(call), _root(call.func)
        if name in _PEEKING:
            return False
        if root in self.starting or (root == "os" and name in ("system", "popen")):
            return not is_looking(" ".join(_texts([call])))
        if root in self.project or name in ("import_module", "run_path", "run_module", "exec"):
            return name != "import_module"
        if self._is_handed_over(root) or self._is_alias(call.func):
            return True
        return any(_root(argument) in self.project for argument in call.args)

    def _is_alias(self, func: ast.expr) -> bool:
        """Whether what is called is a variable that is another name for something of the project."""
        made_of = self.made_of.get(func.id, []) if isinstance(func, ast.Name) else []
        return any(
            isinstance(one, ast.Name | ast.Attribute) and _root(one) in self.project
            for one in made_of
        )

    def _is_handed_over(self, root: str) -> bool:
        """Whether a name is an object that the project made, or a fixture of the project's own."""
        if root in self.made_of:
            return self._is_made_by_project(root)
        return root in self.fixtures

    def _is_made_by_project(self, name: str) -> bool:
        waiting, seen = [name], {name}
        while waiting:
            for node in self.made_of.get(waiting.pop(), []):
                for one in ast.walk(node):
                    if self._is_plain_call(one):
                        return True
                    other = _variable(one)
                    if other in self.made_of and other not in seen:
                        seen.add(other)
                        waiting.append(other)
        return False

    def _is_plain_call(self, node: ast.AST) -> bool:
        """Whether something imported from the project is called, or a module of it is loaded."""
        if not isinstance(node, ast.Call) or _name(node) in _PEEKING:
            return False
        return _root(node.func) in self.project or _name(node) == "import_module"

    def _fixtures(self) -> set[str]:
        """Parameters that neither the file, nor pytest itself, nor a parametrization gives."""
        found: set[str] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, _Function) and node.name.startswith("test"):
                listed = {
                    word for text in _texts(node.decorator_list) for word in re.split(r"\W+", text)
                }
                found |= {one.arg for one in node.args.args} - listed
        return found - _CAPTURED - _GIVEN - set(self.made_of)

    def _is_left_behind(self, rests_on: list[ast.AST], within: ast.AST) -> bool:
        """Whether an assertion looks at what a call into the project wrote or printed before."""
        names = {_variable(one) for node in rests_on for one in ast.walk(node)}
        calls = [one for one in ast.walk(within) if isinstance(one, ast.Call)]
        own = [call for call in calls if self._is_of_project(call)]
        given = {
            _variable(one)
            for call in own
            for part in (*call.args, *(k.value for k in call.keywords))
            for one in ast.walk(part)
        }
        return bool(own) and bool(names & (_CAPTURED | (given - self.project - {""})))

    def _looked_at(self, nodes: list[ast.AST]) -> Iterator[str]:
        """Attributes of the project, and files, that are looked at without a call; not words in code."""
        calls = {
            _name(one) for node in nodes for one in ast.walk(node) if isinstance(one, ast.Call)
        }
        if calls & _READING_CODE:
            return
        for node in nodes:
            for one in ast.walk(node):
                if isinstance(one, ast.Attribute) and _root(one) in self.project:
                    yield one.attr
                elif isinstance(one, ast.Call) and _name(one) in ("hasattr", "getattr"):
                    yield from _texts(one.args[1:2])
                elif isinstance(one, ast.Call) and _name(one) in ("Path", "open", "exists"):
                    yield from _texts(one.args[:1])


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The variables that a statement binds, with what they are made of."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            for one in ast.walk(target):
                if name := _variable(one):
                    yield name, node.value
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value:
        if name := _variable(node.target):
            yield name, node.value
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        for one in ast.walk(node.target):
            if name := _variable(one):
                yield name, node.iter
    elif isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
        yield node.optional_vars.id, node.context_expr


def _variable(node: ast.AST) -> str:
    """A name, or an attribute of `self`; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"self.{node.attr}" if node.value.id == "self" else ""
    return ""


def _root(node: ast.AST) -> str:
    """The first name of `a.b(c)[0].d`; through `getattr(a, "b")` too."""
    while True:
        if name := _variable(node):
            return name
        if isinstance(node, ast.Call) and _name(node) == "getattr" and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute | ast.Subscript | ast.Await | ast.Starred):
            node = node.value
        else:
            return ""


def _leads_to(node: ast.AST, target: ast.AST) -> bool:
    is_branch = isinstance(node, ast.If | ast.Try | ast.For | ast.While)
    return is_branch and any(one is target for one in ast.walk(node))


def _texts(nodes: list[ast.expr] | list[ast.Call]) -> list[str]:
    return [
        one.value
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]


def _names_in(nodes: list[ast.AST]) -> Iterator[str]:
    """Identifiers, and texts that are passed on."""
    for node in nodes:
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                yield one.id
            elif isinstance(one, ast.Attribute):
                yield one.attr
            elif isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield one.value
            yield from _special(one)


_BUILTINS = "hash len str repr bool iter next abs int float bytes round reversed format"
_BY_BUILTIN = {name: f"__{name}__" for name in _BUILTINS.split()}
_BY_OPERATOR: dict[type[ast.AST], str] = {
    **{ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.Div: "__truediv__"},
    **{
        ast.FloorDiv: "__floordiv__",
        ast.Mod: "__mod__",
        ast.Pow: "__pow__",
        ast.MatMult: "__matmul__",
    },
    **{ast.BitAnd: "__and__", ast.BitOr: "__or__", ast.BitXor: "__xor__", ast.USub: "__neg__"},
    **{
        ast.Eq: "__eq__",
        ast.NotEq: "__ne__",
        ast.Lt: "__lt__",
        ast.LtE: "__le__",
        ast.Gt: "__gt__",
    },
    **{ast.GtE: "__ge__", ast.In: "__contains__", ast.NotIn: "__contains__"},
}


def _special(node: ast.AST) -> Iterator[str]:
    """The special method that an operator, an index or a built-in function calls."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from [_BY_BUILTIN[node.func.id]] if node.func.id in _BY_BUILTIN else []
    operators = [node.op] if isinstance(node, ast.BinOp | ast.UnaryOp) else getattr(node, "ops", [])
    yield from (_BY_OPERATOR[type(one)] for one in operators if type(one) in _BY_OPERATOR)
    if isinstance(node, ast.Subscript):
        yield "__getitem__"
