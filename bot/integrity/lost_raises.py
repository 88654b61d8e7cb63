"""Finds handlers of base that raise, perhaps on one condition only, and that only go on on head.

No test of the change may get to where all fails. The task has to say that the error is passed over: that it
speaks of what fails is not enough.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from bot.diff.lines import is_gone, is_new
from bot.diff.python_source import Function, named_functions
from bot.integrity.inspection import Inspection, Trees, make_finding
from bot.integrity.public_names import words_of_task
from bot.integrity.reach import ships
from bot.integrity.swallowed_errors import only_logs, swallowed_errors
from bot.text.words import sentences
from bot.values.rules import ERROR_SWALLOWED
from sandbox.values import Finding

_GOES_ON = re.compile(
    r"(?i)\b(?:ignor\w*|swallow\w*|toler\w+|lenient\w*|silen\w+|suppress\w*|fall\w*[ -]?backs?|graceful\w*|"
    r"best[- ]effort|robust\w*|crash\w*|traceback\w*|unavailable|revert\w*|pass\w* over)\b"
)
_OF_ERRORS = re.compile(
    r"(?i)errors?\b|exceptions?\b|\b(?:rais\w+|throw\w*|thrown|reject\w*|fail\w*|giv\w+ up)\b"
)
_NOT = re.compile(
    r"(?i)\b(?:no|not|never|without|instead|rather|longer|skip\w*|returns?|empty|None|stops?|default)\b"
    r"|n['\u2019]t\b"
)
_LOGS = re.compile(r"(?:self\.)?_?(?:log|logger|logging|LOG|LOGGER|warnings|print)\b")
_Handlers = dict[tuple[str, str], ast.ExceptHandler]


def lost_raises(inspection: Inspection) -> Iterator[Finding]:
    """Handlers that let an error out on base, and drop it on head."""
    said = words_of_task(inspection)
    goes_on = _GOES_ON.search(said) or any(
        _OF_ERRORS.search(one) and _NOT.search(one) for one in sentences(said)
    )
    if goes_on or inspection.diff.truncated:
        return
    found: list[Finding] = []
    for change in inspection.diff.files:
        is_known = change.path.endswith(".py") and ships(change.path)
        if is_gone(change) or is_new(change) or not is_known:
            continue
        sides = inspection.before(change), inspection.after(change)
        for name, line in _lost(*sides, inspection.trees):
            message = (
                f"`{name}` raises where this is caught on base. Here the error is only passed over, and "
                "the task does not say that it is."
            )
            found.append(make_finding(ERROR_SWALLOWED, change, line, message))
    known = {(one.path, one.line) for one in swallowed_errors(inspection)} if found else set()
    yield from (one for one in found if (one.path, one.line) not in known)


def _lost(before: str | None, after: str | None, trees: Trees) -> Iterator[tuple[str, int]]:
    old, new = trees.of(before), trees.of(after)
    functions = dict(named_functions(old.body if old else []))
    for name, node in named_functions(new.body if new else []):
        base = functions.get(name)
        if base is None:
            continue
        handlers = _handlers(base)
        raising = {key for key, one in handlers.items() if _raises(one)}
        # raised elsewhere, after a loop, say: the error still comes out
        if not raising or _raises(node) - _raises(base):
            continue
        for key, handler in _handlers(node).items():
            if key in raising and only_logs(handler, _LOGS, _USED):
                yield name, handler.lineno


def _handlers(function: Function) -> _Handlers:
    """The handlers of a function by what may fail (its calls) and the errors that they catch."""
    found: _Handlers = {}
    tries = (one for one in ast.walk(function) if isinstance(one, ast.Try))
    for handler, stmt in ((o, stmt) for one in tries for o in one.handlers for stmt in one.body):
        errors = ast.unparse(handler.type) if handler.type else ""
        calls = (part for part in ast.walk(stmt) if isinstance(part, ast.Call))
        found.update({(ast.unparse(call), errors): handler for call in calls})
    return found


def _raises(node: ast.AST) -> frozenset[str]:
    """The `raise` statements of some code, as text."""
    return frozenset(ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Raise))


_USED = (ast.Call, ast.Raise, ast.Await, ast.Yield, ast.YieldFrom, ast.Assign, ast.AugAssign)
