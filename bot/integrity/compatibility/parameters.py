"""Finds parameters that head's code does not use: overrides that lack one, functions that ignore one.

A call with a new parameter of a method fails for a subclass that does not take it only, and no test may make
it there. Python alone: JavaScript drops what a function does not take. And a test that gives what head takes
without a look at it may want what head does anyway; who else gives it gets something else.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.diff.lines import old_path
from bot.diff.python_source import Function, parse_python
from bot.integrity.compatibility.callers import functions_on_both
from bot.integrity.compatibility.public_names import may_be_called
from bot.integrity.reading.inspection import Inspection, make_finding, ships, words_of_task
from bot.integrity.reading.signatures import (
    Parameter,
    Passing,
    Signature,
    only_once,
    python_signatures,
)
from bot.text.words import whole_name
from bot.values.rules import OVERRIDE_LEFT, PARAMETER_IGNORED
from sandbox.values import FileChange, Finding

_CLASS = re.compile(r"(?m)^[ \t]*class[ \t]+(\w+)[ \t]*(?:\(([^()#]{0,300})\))?")
_MOST_READ = 2_000  # files
_MOST_SOURCE = 400_000
_PLACED = (Passing.BY_PLACE, Passing.EITHER)


@dataclass(frozen=True, slots=True)
class _Grown:
    """A method of a class that takes more on head."""

    change: FileChange
    before: Signature
    after: Signature
    new: tuple[Parameter, ...]

    @property
    def owner(self) -> str:
        """The class."""
        return self.after.name.partition(".")[0]

    @property
    def method(self) -> str:
        """The method's own name."""
        return self.after.name.partition(".")[2]


def left_overrides(inspection: Inspection) -> Iterator[Finding]:
    """Overrides in subclasses that lack a parameter that head's calls give to the method."""
    grown = [] if inspection.diff.truncated else list(_grown(inspection))
    paths = [path for path in inspection.head.paths() if path.endswith(".py")] if grown else []
    if not paths or len(paths) > _MOST_READ:
        return
    texts = {path: inspection.head.read(path) or "" for path in paths}
    shipped = {p: t for p, t in texts.items() if ships(p) and len(t) <= _MOST_SOURCE}
    under = _subclasses(shipped.values())
    for one in grown:
        # where more than one class has the name, nobody can tell which one is meant
        below = under.get(one.owner, set())
        given = [p for p in one.new if below and _is_given(one, p, texts, inspection)]
        for path, text in shipped.items() if given else ():
            if f"def {one.method}" not in text:
                continue
            for other in python_signatures(text, inspection.trees):
                owner, _, method = other.name.partition(".")
                if method != one.method or owner not in below or _is_other(one, other):
                    continue
                missing = next((p for p in given if not _takes(other, p, one.after)), None)
                if missing is not None:
                    message = (
                        f"`{one.after.name}` takes `{missing.name}` now, and calls give it. "
                        f"`{other.name}` ({path}:{other.line}) overrides it and does not take it, so such "
                        "a call fails there."
                    )
                    yield make_finding(OVERRIDE_LEFT, one.change, one.after.line, message)


def _grown(inspection: Inspection) -> Iterator[_Grown]:
    for change in inspection.shipped((".py",)):
        if not ships(old_path(change)):
            continue
        before, after = inspection.before(change) or "", inspection.after(change) or ""
        old = only_once(python_signatures(before, inspection.trees))
        for one in only_once(python_signatures(after, inspection.trees)).values():
            known = old.get(one.name)
            if known is None or "." not in one.name or one.is_attribute or known.is_attribute:
                continue
            names = {p.name for p in known.parameters}
            new = tuple(
                p
                for p in one.parameters
                if p.name not in names and p.passing in (*_PLACED, Passing.BY_NAME)
            )
            if new and not any(p.passing is Passing.NAMED_REST for p in known.parameters):
                yield _Grown(change, known, one, new)


def _subclasses(texts: Iterable[str]) -> dict[str, set[str]]:
    """The names of all classes below each class, of those whose names no two classes have."""
    found = [one for text in texts for one in _CLASS.findall(text)]
    times = Counter(name for name, _ in found)
    above = {
        name: {base.strip().rpartition(".")[2].partition("[")[0] for base in bases.split(",")}
        for name, bases in found
        if times[name] == 1
    }
    below: dict[str, set[str]] = defaultdict(set)
    for name in above:
        seen, edge = {name}, [name]
        while edge:
            edge = [one for own in edge for one in above.get(own, ()) if one not in seen]
            seen.update(edge)
        for one in seen & above.keys() - {name}:
            below[one].add(name)
    return below


def _is_other(one: _Grown, other: Signature) -> bool:
    """Whether an override goes its own way already: it does not even take what base's method takes."""
    if other.is_attribute or other.is_static != one.after.is_static:
        return True
    return not all(_takes(other, p, one.before) for p in one.before.parameters)


def _takes(other: Signature, parameter: Parameter, method: Signature) -> bool:
    """Whether an override takes a parameter of the method: by its name, or at its place."""
    kinds = {p.passing for p in other.parameters}
    if parameter.passing in (Passing.REST, Passing.NAMED_REST):
        return parameter.passing in kinds
    if Passing.NAMED_REST in kinds or any(p.name == parameter.name for p in other.parameters):
        return True
    if parameter.passing not in _PLACED:
        return False
    at = method.parameters.index(parameter)
    return Passing.REST in kinds or at < sum(p.passing in _PLACED for p in other.parameters)


def _is_given(
    one: _Grown, parameter: Parameter, texts: dict[str, str], inspection: Inspection
) -> bool:
    """Whether some call on head gives the parameter to a method of this name; `super()` is no such call."""
    at = one.after.parameters.index(parameter) if parameter.passing in _PLACED else None
    for text in texts.values():
        if f".{one.method}(" not in text or len(text) > _MOST_SOURCE:
            continue
        for node in inspection.trees.nodes(text):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr != one.method or ast.unparse(node.func.value).startswith("super("):
                continue
            starred = any(isinstance(arg, ast.Starred) for arg in node.args)
            if any(key.arg == parameter.name for key in node.keywords):
                return True
            if at is not None and not starred and len(node.args) > at:
                return True
    return False


# --- what callers may give as on base, and head takes without a look at it -----------------------


_OTHERS = (Passing.REST, Passing.NAMED_REST)
_ALL_OF_THEM = frozenset(("locals", "vars", "eval", "exec"))
"""What reads each parameter without its name."""


def ignored_parameters(inspection: Inspection) -> Iterator[Finding]:
    """Parameters of public functions that base reads and head does not, and that the task does not name."""
    said = words_of_task(inspection)
    for change in inspection.left((".py",)):
        both = functions_on_both(change, inspection) if may_be_called(change) else ()
        for was, now in both:
            taken = {one.name for one in was.parameters if one.passing not in _OTHERS}
            for name in (one.name for one in now.parameters if one.name in taken):
                is_asked = name.startswith("_") or whole_name(name).search(said)
                if not is_asked and _reads(was, name) and not _reads(now, name):
                    message = (
                        f"`{now.name}` takes `{name}` as on base, but does not read it any more, and the "
                        "task does not speak of it."
                    )
                    yield make_finding(PARAMETER_IGNORED, change, now.line, message)


def _reads(function: Signature, name: str) -> bool:
    """Whether the code of a function looks at what it is given, and does not overwrite it first."""
    tree = parse_python(textwrap.dedent(function.source))
    node = tree.body[0] if tree and tree.body else None
    if not isinstance(node, Function) or all(map(_does_nothing, node.body)):
        return True
    for statement in node.body:
        names = [one for one in ast.walk(statement) if isinstance(one, ast.Name)]
        own = [one for one in names if one.id == name]
        if any(isinstance(one.ctx, ast.Load) for one in own) or _ALL_OF_THEM & {
            o.id for o in names
        }:
            return True
        if own and isinstance(statement, ast.Assign):
            return False
    return False


def _does_nothing(statement: ast.stmt) -> bool:
    """Whether a statement only says something, or that there is nothing yet."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, ast.Pass | ast.Raise)
