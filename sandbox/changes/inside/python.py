"""Compares two texts of a Python module by their syntax trees."""

from __future__ import annotations

import ast
import copy
import io
import itertools
import sys
import tokenize
from collections.abc import Iterator

from sandbox.changes.inside.comments import about_types, examples, obeyed
from sandbox.changes.inside.project import CREDITS, ChangedProject
from sandbox.changes.inside.unused import IdleImports, fold_versions

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_TYPING = frozenset(("typing", "typing_extensions", "_typeshed", "collections.abc", "__future__"))
_LIBRARY = frozenset(sys.stdlib_module_names) - {"__future__"}
_READS_NOTHING = frozenset((
    "property", "staticmethod", "classmethod", "abstractmethod", "override", "final", "cache", "lru_cache",
    "cached_property", "setter", "getter", "deleter", "contextmanager", "asynccontextmanager",
    "total_ordering", "dataclass",
))  # fmt: skip
"""Decorators that look neither at docstrings nor at annotations: `dataclass` reads those of classes alone."""


def compare_python(before: bytes, after: bytes, project: ChangedProject, path: str) -> str:
    """Return the kind of change, or "" where the program may have changed. Raises what parsing raises."""
    old, new = ast.parse(before), ast.parse(after)
    old_comments, new_comments = _comments(before), _comments(after)
    if obeyed(old_comments) != obeyed(new_comments) or project.reads_its_text:
        return ""
    is_typed = about_types(old_comments) != about_types(new_comments)
    if _dump(old) == _dump(new):
        return "types" if is_typed else "comments" if old_comments != new_comments else "formatting"
    if not _may_change_words(old, new, project):
        return ""
    for tree in (old, new):
        for node in _documented(tree):
            if _docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
        if not project.reads_credits:
            tree.body = [one for one in tree.body if not _is_credit(one)]
    if _dump(old) == _dump(new):
        return "types" if is_typed else "comments"
    return _by_use(old, new, project, path)


def _by_use(old: ast.Module, new: ast.Module, project: ChangedProject, path: str) -> str:
    """Tell "types", or "unused", from what may change the program."""
    are_read = project.reads_annotations
    if not are_read and _is_same_but_for_types(copy.deepcopy(old), copy.deepcopy(new)):
        return "types"
    for tree in (old, new):
        fold_versions(tree, project.lowest_python)
    idle = IdleImports(path, project, _LIBRARY)
    bare, now = copy.deepcopy(old), copy.deepcopy(new)
    idle.drop(bare, now)
    if _dump(bare) == _dump(now):
        return "unused"
    return "types" if not are_read and _is_same_but_for_types(old, new, idle) else ""


def _comments(text: bytes) -> list[str]:
    tokens = tokenize.tokenize(io.BytesIO(text).readline)
    try:
        return [one.string for one in tokens if one.type == tokenize.COMMENT]
    except tokenize.TokenError as error:
        raise ValueError("it cannot be read as tokens") from error


def _dump(tree: ast.Module) -> list[str]:
    """Every statement of a module; imports of the standard library that stand together in any order.

    Of such imports it is what they bind, or as they stand where one of them hides another.
    """
    dumped: list[str] = []
    for is_sorted, nodes in itertools.groupby(tree.body, _is_of_the_library):
        together = list(nodes)
        named = [
            (getattr(node, "module", ""), one.name, one.asname or "")
            for node in together
            if isinstance(node, ast.Import | ast.ImportFrom)
            for one in node.names
        ]
        whole = {name.split(".")[0] for module, name, asname in named if not module and not asname}
        single = [asname or name for module, name, asname in named if module or asname]
        hides = "*" in single or len({*single}) < len(single) or whole & {*single}
        if is_sorted and not hides:
            dumped += sorted(map(repr, named))
        else:
            dumped += map(ast.dump, together)
    return dumped


def _is_of_the_library(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        modules = [] if node.level or node.module == "__future__" else [node.module or ""]
    else:
        modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
    return bool(modules) and all(m.split(".")[0] in sys.stdlib_module_names for m in modules)


# --- docstrings ------------------------------------------------------------------------------


def _documented(tree: ast.Module) -> Iterator[_Documented]:
    return (node for node in ast.walk(tree) if isinstance(node, _Documented))


def _docstring(node: _Documented) -> str | None:
    return ast.get_docstring(node, clean=False)


def _is_credit(node: ast.stmt) -> bool:
    """Whether a line only says who made the module: `__credits__ = ["A name"]`."""
    if not isinstance(node, ast.Assign):
        return False
    if not all(isinstance(one, ast.Name) and one.id in CREDITS for one in node.targets):
        return False
    words = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
    return all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in words)


def _may_change_words(old: ast.Module, new: ast.Module, project: ChangedProject) -> bool:
    """Whether no docstring differs that is run as a test, or that somebody may read."""
    before = [(node, _docstring(node)) for node in _documented(old)]
    after = [(node, _docstring(node)) for node in _documented(new)]
    if [words for _, words in before] == [words for _, words in after]:
        return True
    shown, now = ([examples([w]) for _, w in words if w] for words in (before, after))
    if any(one and one not in now for one in shown):  # a new one is no more than a test
        return False
    if project.reads_docstrings:
        return False
    if len(before) != len(after):  # what came or went may be there for types alone
        return [words for _, words in before if words] == [words for _, words in after if words]
    pairs = zip(before, after, strict=True)
    return not any(
        words != now and (_is_read(one) or _is_read(other)) for (one, words), (other, now) in pairs
    )


def _is_read(node: _Documented) -> bool:
    """Whether a decorator gets to see it."""
    return not isinstance(node, ast.Module) and not _is_plainly_decorated(node)


def _is_plainly_decorated(node: _Function | ast.ClassDef) -> bool:
    return all(_name(one) in _READS_NOTHING for one in node.decorator_list)


def _name(node: ast.expr) -> str:
    """The last name of what a decorator calls: `functools.lru_cache(1)` → `lru_cache`."""
    node = node.func if isinstance(node, ast.Call) else node
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


# --- types -----------------------------------------------------------------------------------


def _is_same_but_for_types(
    old: ast.Module, new: ast.Module, idle: IdleImports | None = None
) -> bool:
    before, after = _Untyped(), _Untyped()
    one, other = before.visit(old), after.visit(new)
    if idle:
        idle.drop(one, other)
    if before.is_live or after.is_live or _dump(one) != _dump(other):
        return False
    # An alias that went, or means something else, may be in use in another module.
    if before.aliases.items() - after.aliases.items():
        return False
    rebound = {name for name, _ in before.bound.items() ^ after.bound.items()}
    used = {node.id for node in ast.walk(other) if isinstance(node, ast.Name)}
    # `__all__` and `getattr` name things by strings.
    constants = (node.value for node in ast.walk(other) if isinstance(node, ast.Constant))
    used |= {value for value in constants if isinstance(value, str)}
    return not rebound & used


_GENERIC = frozenset(("dict", "frozenset", "list", "set", "tuple", "type"))
_INERT = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.BitOr, ast.Tuple, ast.List, ast.Load,
    ast.Starred, ast.UnaryOp, ast.USub,
)  # fmt: skip
"""What runs nothing, in an annotation."""


class _Untyped(ast.NodeTransformer):
    """Takes out annotations that run nothing, and what is imported for them alone.

    `bound` are the names that those imports bind, each with what it means; `aliases` those of types among
    them; `is_live` says that an annotation runs something.
    """

    def __init__(self) -> None:
        self.bound: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.is_live = False

    def _drop(self, annotation: ast.expr | None) -> None:
        self.is_live |= annotation is not None and not all(
            isinstance(node, _INERT) for node in ast.walk(annotation)
        )

    def _is_typings(self, node: ast.expr, name: str) -> bool:
        """Whether an expression is what the typing module calls so."""
        root = node.value if isinstance(node, ast.Attribute) else node
        return _name(node) == name and isinstance(root, ast.Name) and root.id in self.bound

    def visit_Name(self, node: ast.Name) -> ast.AST:
        self.is_live |= node.id in ("TYPE_CHECKING", "overload") and isinstance(node.ctx, ast.Store)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST | None:
        return self._function(node)

    def _function(self, node: _Function) -> ast.AST | None:
        is_overload = len(node.decorator_list) == 1 and self._is_typings(
            node.decorator_list[0], "overload"
        )
        # A stub has no body, and defaults that run nothing.
        defaults = (*node.args.defaults, *(one for one in node.args.kw_defaults if one))
        body = [one.value if isinstance(one, ast.Expr) else one for one in node.body]
        is_stub = all(isinstance(one, ast.Constant | ast.Pass) for one in (*defaults, *body))
        if is_overload and is_stub:
            for annotation in (node.returns, *(one.annotation for one in _arguments(node))):
                self._drop(annotation)
            return None
        if _is_plainly_decorated(node):
            self._drop(node.returns)
            node.returns = None
            for argument in _arguments(node):
                self._drop(argument.annotation)
                argument.annotation = None
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST | None:
        """Annotations in a class's own body stay: dataclasses, models and named tuples are made of them.

        A protocol of stubs alone is there for annotations.
        """
        root = node.bases[0] if len(node.bases) == 1 else None
        root = root.value if isinstance(root, ast.Subscript) else root
        is_protocol = root is not None and self._is_typings(root, "Protocol")
        if is_protocol and not (node.decorator_list or node.keywords) and _is_stub(node):
            for one in ast.walk(node):
                if isinstance(one, ast.arg | ast.AnnAssign):
                    self._drop(one.annotation)
                elif isinstance(one, _Function):
                    self._drop(one.returns)
            self.bound[node.name] = "a protocol"
            return None
        node.body = [
            one if isinstance(one, ast.AnnAssign) else self.visit(one) for one in node.body
        ]
        node.body = [one for one in node.body if one is not None] or [ast.Pass()]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """A variable that is set; without a value it may only make a name local."""
        if node.value is None:
            return node
        self._drop(node.annotation)
        self.generic_visit(node)
        return ast.Assign(targets=[node.target], value=node.value, type_comment=None)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """What only annotations speak of: `T = TypeVar("T")`, and `Line = List[str]`."""
        self.generic_visit(node)
        made, target = node.value, node.targets[0]
        is_sole = isinstance(target, ast.Name) and len(node.targets) == 1
        if isinstance(made, ast.Subscript) and isinstance(target, ast.Name) and is_sole:
            is_known = _name(made.value) in _GENERIC or _name(made.value) in self.bound
            if is_known and all(isinstance(one, _INERT) for one in ast.walk(made)):
                self.bound[target.id] = self.aliases[target.id] = ast.dump(made)
                return None
        if not (isinstance(made, ast.Call) and isinstance(target, ast.Name)):
            return node
        given = (*made.args, *(one.value for one in made.keywords))
        is_inert = all(isinstance(one, _INERT) for part in given for one in ast.walk(part))
        is_variable = any(self._is_typings(made.func, one) for one in ("TypeVar", "ParamSpec"))
        if not is_variable or not is_inert or len(node.targets) > 1:
            return node
        self.bound[target.id] = "a variable of types"
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        if node.level or node.module not in _TYPING:
            return node
        if node.module == "__future__" and [one.name for one in node.names] != ["annotations"]:
            return node
        self.bound |= {
            one.asname or one.name: f"{node.module}.{one.name}"
            for one in node.names
            if one.name != "*"
        }
        return node if any(one.name == "*" for one in node.names) else None

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        if [one.name for one in node.names] not in (["typing"], ["typing_extensions"]):
            return node
        self.bound |= {one.asname or one.name: one.name for one in node.names}
        return None

    def visit_If(self, node: ast.If) -> ast.AST | None:
        """What only a type checker imports."""
        is_checking = self._is_typings(node.test, "TYPE_CHECKING") and not node.orelse
        if not is_checking or not all(
            isinstance(one, ast.Import | ast.ImportFrom) for one in node.body
        ):
            self.generic_visit(node)
            node.body = node.body or [ast.Pass()]
            return node
        names = (one for found in node.body for one in getattr(found, "names", ()))
        self.bound |= {(one.asname or one.name).split(".")[0]: "nothing that runs" for one in names}
        return None


def _is_stub(node: ast.ClassDef) -> bool:
    """Whether a class only says what there is: its functions have neither a body nor defaults."""
    functions = [one for one in node.body if isinstance(one, _Function)]
    is_plain = not any(
        one.decorator_list or one.args.defaults or any(one.args.kw_defaults) for one in functions
    )
    inner = (one for function in functions for one in function.body)
    beside = (one for one in node.body if not isinstance(one, _Function))
    return is_plain and all(
        isinstance(one, ast.Pass)
        or (isinstance(one, ast.AnnAssign) and one.value is None)
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in (*inner, *beside)
    )


def _arguments(node: _Function) -> list[ast.arg]:
    return [one for one in ast.walk(node.args) if isinstance(one, ast.arg)]
