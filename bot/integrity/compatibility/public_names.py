"""Finds what a change takes from callers without a word in the task: public names, and bases of classes.

Whoever uses the project may call what it exports, and often no test does. Python and JavaScript are read;
what another changed file defines has only moved. Callers catch an error or tell an object by its base:
`except ValueError` sees no error that is none.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from bot.diff.lines import old_path
from bot.diff.python_source import Definition, parse_python
from bot.integrity.reading.inspection import Inspection, Trees, make_finding, ships, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.reading.public_use import is_public
from bot.integrity.reading.script_signatures import DerivedClass, script_classes
from bot.task.refusals import ERRORS_OF_JAVASCRIPT
from bot.text.words import whole_name
from bot.values.rules import BASE_CLASS_LOST, HASH_LOST, PUBLIC_NAME_REMOVED
from sandbox.values import FileChange, Finding, Side

_MOST_NAMES = 20  # each may take a look at all files of base
_EXPORTED = re.compile(
    r"^export\s+(?:default\s+)?(?:async\s+)?(?:function\s*\*?|class|const|let|var)\s+(?P<declared>[A-Za-z$][\w$]*)"
    r"|^(?:module\.)?exports\.(?P<member>[A-Za-z$][\w$]*)\s*="
    r"|^(?:export|module\.exports\s*=)\s*\{(?P<listed>[^{}().]{0,4000})\}",
    re.MULTILINE,
)
_WHOLE = re.compile(
    r"^(?:module\.)?exports\s*=\s*(?:(?:module\.)?exports\s*=\s*)?(?:new\s+)?(?P<taken>[A-Za-z_$][\w$]*)"
    r"|^export\s+default\s+(?P<given>[A-Za-z_$][\w$]*)",
    re.MULTILINE,
)
_HANDS_ON = re.compile(r"^export\s*\*|\.\.\.\s*require\b", re.MULTILINE)
_UNREAD = re.compile(
    r"exports\s*=(?!\s*\{[^{}().]{0,4000}\})|exports\[|\bObject\.(?:assign|define)", re.MULTILINE
)
"""Exports that are put together: there a name that is still written counts as exported."""
_GOING = re.compile(
    r"(?i)\b(?:remov|drop|delet|deprecat|obsolete|get rid|no longer|retir|renam|replac|merg|consolidat|"
    r"mov(?:e|ing)|refactor|rewrit|restructur|simplif|clean|inlin|extract|split|unif)"
)
"""What speaks of names that go."""
_OF_CLASSES = re.compile(
    r"(?i)\b(?:inherit\w*|subclass\w*|base[- ]class\w*|superclass\w*|parents?|hierarch\w+|breaking|"
    r"incompatib\w+|revert\w*|refactor\w*|mixins?)\b"
)
_OF_TYPES = frozenset(("Generic", "Protocol", "ABC", "object"))
"""What no caller asks for: how a class is typed or made."""
_ERRORS_OF_SCRIPT = ERRORS_OF_JAVASCRIPT | {"AggregateError"}


def removed_public_names(inspection: Inspection) -> Iterator[Finding]:
    """Public functions, classes and methods that no changed file has on head, and of which nobody speaks."""
    said = words_of_task(inspection)
    files = [one for one in inspection.diff.files if may_be_called(one)]
    if not files or _GOING.search(said) or inspection.diff.truncated:
        return
    left = [(one.path, inspection.after(one) or "") for one in inspection.diff.files]
    looked_at = 0
    for change in files:
        kept = dict(public_names(change.path, inspection.after(change) or ""))
        for name, line in public_names(old_path(change), inspection.before(change) or ""):
            if name in kept or looked_at >= _MOST_NAMES:
                continue
            looked_at += 1
            bare = name.rpartition(".")[2]
            is_said = whole_name(bare).search(said)
            is_there = is_said or any(_has(*one, bare) for one in left)
            if is_there or not is_public(old_path(change), bare, inspection.base):
                continue
            message = f"`{name}`, which base has for everybody, is gone, and the task does not speak of it."
            yield make_finding(PUBLIC_NAME_REMOVED, change, line, message, Side.BASE)


def may_be_called(change: FileChange) -> bool:
    """Whether others may call what a file of base defines."""
    path = old_path(change)
    is_private = any(part.startswith("_") and part != "__init__.py" for part in path.split("/"))
    stem = path.rpartition("/")[2].removesuffix(".py")
    is_known = path.endswith(SCRIPT.suffixes) or (path.endswith(".py") and stem.isidentifier())
    return is_known and not is_private and ships(path)


def public_names(path: str, text: str) -> Iterator[tuple[str, int]]:
    """Yield what a text defines for everybody, or exports, with its lines."""
    if path.endswith(".py"):
        tree = parse_python(text)
        yield from _of_python(tree.body if tree else [], "")
        return
    for found in _EXPORTED.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if single := found["declared"] or found["member"]:
            yield single, line
            continue
        for one in found["listed"].split(","):  # `a, b as c, d: value` exports a, c, d
            words = one.partition(":")[0].split()
            if words and words[-1].replace("$", "_").isidentifier():
                yield words[-1], line


def exported_names(path: str, text: str) -> set[str]:
    """The names that a module of JavaScript exports, or that are what it exports."""
    whole = {one["taken"] or one["given"] for one in _WHOLE.finditer(text)}
    return whole | {name for name, _ in public_names(path, text)}


def _of_python(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, int]]:
    for one in body:
        if not isinstance(one, Definition):
            continue
        if not one.name.startswith("_"):
            yield f"{owner}{one.name}", one.lineno
            if isinstance(one, ast.ClassDef) and not owner:
                yield from _of_python(one.body, f"{one.name}.")


def _has(path: str, text: str, name: str) -> bool:
    """Whether a file defines, imports or hands on a name: in JavaScript it has to export it."""
    if not path.endswith(".py"):
        is_written = _UNREAD.search(text) and whole_name(name).search(text)
        return bool(is_written or _HANDS_ON.search(text)) or name in dict(public_names(path, text))
    named = rf"(?<![\w.]){re.escape(name)}(?!\w)"
    bound = rf"\b(?:def|class|import)\b[^\n]*{named}|^[ \t]*{named}(?:,?$|\s*(?::[^=\n]+)?=(?!=))"
    return name in text and re.search(bound, text, re.MULTILINE) is not None


def lost_base_classes(inspection: Inspection) -> Iterator[Finding]:
    """Public classes that are no longer derived from what they were derived from on base."""
    said = words_of_task(inspection)
    if _OF_CLASSES.search(said) or inspection.diff.truncated:
        return
    for change in inspection.left():
        if not may_be_called(change):
            continue
        before, after = inspection.before(change) or "", inspection.after(change) or ""
        head = {one.name: one for one in _classes(change.path, after, inspection.trees)}
        path = old_path(change)
        public = None if path.endswith(".py") else exported_names(path, before)
        for one in _classes(path, before, inspection.trees):
            lost = _lost(one, head) if public is None or one.name in public else ""
            if re.search(rf"^[ \t]*{re.escape(lost)}[ \t]*[:=]", before, re.MULTILINE):
                continue  # another name for a type
            is_named = lost and re.search(rf"\b{re.escape(lost)}\b", said)
            if not lost or is_named or not is_public(path, one.name, inspection.base):
                continue
            message = (
                f"`{one.name}` is a `{lost}` on base and none now: who tells it by that does not see it any "
                "more, and the task does not speak of it."
            )
            yield make_finding(BASE_CLASS_LOST, change, head[one.name].line, message)


def _classes(path: str, text: str, trees: Trees) -> Iterator[DerivedClass]:
    if not path.endswith(".py"):
        yield from script_classes(text)
        return
    tree = trees.of(text)
    for node in tree.body if tree else ():
        if isinstance(node, ast.ClassDef):
            bases = list(node.bases)
            first = bases[0] if len(bases) == 1 else None
            called = ast.unparse(first.func) if isinstance(first, ast.Call) else ""
            if isinstance(first, ast.Call) and called.rpartition(".")[2] == "with_metaclass":
                bases = first.args[1:]  # how Python 2 and 3 write a class that has both
            names = (ast.unparse(one).partition("[")[0] for one in bases)
            yield DerivedClass(node.name, node.lineno, tuple(names))


def _lost(one: DerivedClass, head: dict[str, DerivedClass]) -> str:
    """The base class that a class has no longer; empty where head may have it by another one."""
    if one.name.startswith("_") or one.name not in head:
        return ""
    above: set[str] = set()  # all that it is derived from now
    waiting = list(head[one.name].bases)
    while waiting:
        base = waiting.pop()
        if _is_made(base):
            return ""
        name = base.rpartition(".")[2]
        if name in above:
            continue
        above.add(name)
        if name in head:
            waiting += head[name].bases
        elif not _is_own_matter(name):
            is_known = name in _ERRORS_OF_SCRIPT or isinstance(getattr(builtins, name, None), type)
            if not is_known:
                return ""  # it stands in another file
    names = (base for base in one.bases if not (_is_made(base) or _is_own_matter(base)))
    return next((base for base in names if not _is_above(base.rpartition(".")[2], above)), "")


def _is_made(base: str) -> bool:
    """Whether a base class has no name of its own: a call makes it, or a list has it."""
    return "(" in base or base.startswith("*")


def _is_own_matter(base: str) -> bool:
    """Whether a base class is for types, private, or a part that classes are put together from."""
    name = base.rpartition(".")[2]
    return name in _OF_TYPES or name.startswith("_") or name.endswith("Mixin")


def _is_above(base: str, above: set[str]) -> bool:
    """Whether a class is among others, or one of Python's own above one of them."""
    kind = getattr(builtins, base, None)
    if base == "Error" and above & _ERRORS_OF_SCRIPT:  # JavaScript's own are all derived from it
        return True
    known = [getattr(builtins, one, None) for one in above]
    is_known = isinstance(kind, type) and any(
        isinstance(one, type) and issubclass(one, kind) for one in known
    )
    return base in above or is_known


def lost_hashes(inspection: Inspection) -> Iterator[Finding]:
    """Classes of Python that newly compare their objects, which cannot be hashed without `__hash__` then."""
    if _OF_HASHES.search(words_of_task(inspection)):
        return
    for change in inspection.shipped((".py",)):
        sides = (inspection.before(change), inspection.after(change))
        old, new = ({one.name: one for one in _compared(text, inspection.trees)} for text in sides)
        for name, node in new.items():
            before, now = (_bound_in(one) if one else set() for one in (old.get(name), node))
            is_lost = "__eq__" in now - before and "__hash__" not in now
            if name in old and is_lost and not {*map(ast.unparse, node.bases)} & _NEVER_HASHED:
                message = (
                    f"`{name}` newly has `__eq__` and no `__hash__`: its objects can be no keys and in no "
                    "set any more. The task does not speak of that."
                )
                yield make_finding(HASH_LOST, change, node.lineno, message)


_OF_HASHES = re.compile(r"(?i)\b(?:\w*hash\w*|sets?|mutable)\b")
_NEVER_HASHED = frozenset(("dict", "list", "set", "bytearray", "UserDict", "UserList", "Exception"))


def _compared(text: str | None, trees: Trees) -> Iterator[ast.ClassDef]:
    """Yield the classes at the top of a text whose methods only they themselves define."""
    tree = trees.of(text)
    for node in tree.body if tree else ():
        if isinstance(node, ast.ClassDef) and not node.decorator_list and not node.keywords:
            yield node


def _bound_in(node: ast.ClassDef) -> set[str]:
    """Return the names that a class gives a value."""
    named = {one.name for one in node.body if isinstance(one, Definition)}
    targets = (one for stmt in node.body if isinstance(stmt, ast.Assign) for one in stmt.targets)
    return named | {one.id for one in targets if isinstance(one, ast.Name)}
