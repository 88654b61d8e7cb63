"""Finds public classes that lose a base class, where the task does not speak of that.

Callers catch an error or tell an object by its base: `except ValueError` sees no error that is none.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.diff.lines import is_gone, old_path
from bot.integrity.inspection import Inspection, Trees, make_finding
from bot.integrity.public_names import exported_names, may_be_called, words_of_task
from bot.integrity.removed_code import is_public
from bot.integrity.script_signatures import script_classes
from bot.task.alternatives import ERRORS_OF_JAVASCRIPT
from bot.values.rules import BASE_CLASS_LOST
from sandbox.values import Finding

_OF_CLASSES = re.compile(
    r"(?i)\b(?:inherit\w*|subclass\w*|base[- ]class\w*|superclass\w*|parents?|hierarch\w+|breaking|"
    r"incompatib\w+|revert\w*|refactor\w*|mixins?)\b"
)
_OF_TYPES = frozenset(("Generic", "Protocol", "ABC", "object"))
"""What no caller asks for: how a class is typed or made."""
_ERRORS_OF_SCRIPT = ERRORS_OF_JAVASCRIPT | {"AggregateError"}


@dataclass(frozen=True, slots=True)
class _Class:
    """A class with what it is derived from, as written."""

    name: str
    line: int
    bases: tuple[str, ...]


def lost_base_classes(inspection: Inspection) -> Iterator[Finding]:
    """Public classes that are no longer derived from what they were derived from on base."""
    said = words_of_task(inspection)
    if _OF_CLASSES.search(said) or inspection.diff.truncated:
        return
    for change in inspection.diff.files:
        if is_gone(change) or not may_be_called(change):
            continue
        before, after = inspection.before(change) or "", inspection.after(change) or ""
        head = {one.name: one for one in _classes(change.path, after, inspection.trees)}
        public = _exported(old_path(change), before)
        for one in _classes(old_path(change), before, inspection.trees):
            lost = _lost(one, head) if public is None or one.name in public else ""
            if re.search(rf"^[ \t]*{re.escape(lost)}[ \t]*[:=]", before, re.MULTILINE):
                continue  # another name for a type
            is_named = lost and re.search(rf"\b{re.escape(lost)}\b", said)
            if not lost or is_named or not is_public(old_path(change), one.name, inspection.base):
                continue
            message = (
                f"`{one.name}` is a `{lost}` on base and none now: who tells it by that does not see it any "
                "more, and the task does not speak of it."
            )
            yield make_finding(BASE_CLASS_LOST, change, head[one.name].line, message)


def _exported(path: str, text: str) -> set[str] | None:
    return None if path.endswith(".py") else exported_names(path, text)


def _classes(path: str, text: str, trees: Trees) -> Iterator[_Class]:
    if not path.endswith(".py"):
        for one in script_classes(text):
            yield _Class(one.name, one.line, (one.extends,) if one.extends else ())
        return
    tree = trees.of(text)
    for node in tree.body if tree else ():
        if isinstance(node, ast.ClassDef):
            bases = tuple(ast.unparse(one).partition("[")[0] for one in node.bases)
            yield _Class(node.name, node.lineno, bases)


def _lost(one: _Class, head: dict[str, _Class]) -> str:
    """The base class that a class has no longer; empty where head may have it by another one."""
    if one.name.startswith("_") or one.name not in head:
        return ""
    above, unknown = _above(head[one.name], head)
    if unknown:
        return ""
    names = (base for base in one.bases if not _is_own_matter(base))
    return next((base for base in names if not _is_above(base.rpartition(".")[2], above)), "")


def _is_own_matter(base: str) -> bool:
    """Whether a base class is for types, private, or a part that classes are put together from."""
    name = base.rpartition(".")[2]
    return name in _OF_TYPES or name.startswith("_") or name.endswith("Mixin")


def _above(one: _Class, head: dict[str, _Class]) -> tuple[set[str], bool]:
    """All that a class is derived from in its file, and whether something of it stands elsewhere."""
    seen: set[str] = set()
    waiting, unknown = list(one.bases), False
    while waiting:
        name = waiting.pop().rpartition(".")[2]
        if name in seen:
            continue
        seen.add(name)
        if name in head:
            waiting += head[name].bases
        elif not _is_own_matter(name):
            is_known = name in _ERRORS_OF_SCRIPT or isinstance(getattr(builtins, name, None), type)
            unknown = unknown or not is_known
    return seen, unknown


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
