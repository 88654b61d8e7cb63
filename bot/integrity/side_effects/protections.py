"""Finds what protects on base and is gone on head: a lock, values apart from a query.

And what a new context manager gives back only where nothing fails in its block. No test sees that two threads
meet, few give a value that is SQL, and none may get to where all fails. Python is read by its syntax tree.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.diff.lines import old_path
from bot.diff.python_source import Function, called_names
from bot.integrity.reading.inspection import Inspection, make_finding, ships, words_of_task
from bot.text.clipping import clip_line
from bot.values.rules import GUARD_REMOVED, RELEASE_LEFT_OUT
from sandbox.values import Finding, Side

_SHOWN_CHARS = 80
_LOCK = re.compile(
    r"(?i)(?:^|[._])r?(?:lock|mutex|semaphore|critical_section)(?:_\w{1,80})?(?:\(|$)|\btransaction\b"
)
"""What holds others off while something is done."""
_OF_LOCKS = re.compile(
    r"(?i)\b(?:\w*lock\w*|mutex\w*|semaphores?|thread\w*|concurren\w*|races?|parallel\w*|async\w*|atomic\w*|"
    r"transaction\w*)\b"
)
_OF_QUERIES = re.compile(
    r"(?i)\b(?:inject\w*|placeholders?|bind\w*|escap\w*|quot\w*|sanitiz\w*|raw|trust\w*)\b"
)
_QUERY = re.compile(r"(?i)\b(?:select|insert|update|delete|where|from|values|like)\b")
_GIVES_BACK = re.compile(
    r"(?:^|_)(?:release|close|unlock|free|restore|reset|put|pop|remove|discard|disconnect|rollback|stop|exit|"
    r"unsubscribe|unregister|detach|leave|terminate|kill|clean_?up|teardown|unlink|rmtree|chdir|setattr)\Z"
)
_EXECUTES = ("execute", "executemany", "executescript")


def lost_protections(inspection: Inspection) -> Iterator[Finding]:
    """Locks of base that nobody holds any more, and queries into whose text values are written now."""
    said, trees = words_of_task(inspection), inspection.trees
    files = inspection.left((".py",))
    heads = (tree for one in files if (tree := trees.of(inspection.after(one))))
    functions = [one for tree in heads for one in ast.walk(tree) if isinstance(one, Function)]
    holding = [one for one in functions if _held(one)]
    held = _Held(
        frozenset(one.name for one in holding),
        frozenset(name for one in holding for name in called_names(one)),
    )
    for change in files:
        if not ships(old_path(change)):
            continue
        now = dict(trees.functions(inspection.after(change)))
        for name, base in trees.functions(inspection.before(change)):
            lost: list[tuple[str, int]] = []
            if name in now and not _OF_LOCKS.search(said):
                lost += _no_longer_held(base, now[name], held)
            if name in now and not _OF_QUERIES.search(said):
                lost += _no_longer_apart(base, now[name])
            for text, line in lost:
                shown = clip_line(text, _SHOWN_CHARS)
                message = f"`{shown}`, which base has, is gone, and the task does not speak of it."
                yield make_finding(GUARD_REMOVED, change, line, message, Side.BASE)


def kept_on_errors(inspection: Inspection) -> Iterator[Finding]:
    """Context managers that a change adds or edits, and that keep what they took where their block fails."""
    for change in inspection.shipped((".py",)):
        sides = (inspection.before(change), inspection.after(change))
        old, new = (dict(inspection.trees.functions(text)) for text in sides)
        for name, node in new.items():
            if not any("contextmanager" in ast.unparse(one) for one in node.decorator_list):
                continue
            known = {text for text, _ in _given_back(old[name])} if name in old else set[str]()
            for text, line in _given_back(node):
                if text not in known:
                    message = (
                        f"Where the block of `with {name.rpartition('.')[2]}` fails, "
                        f"`{clip_line(text, _SHOWN_CHARS)}` is not reached: the `yield` is in no `try`."
                    )
                    yield make_finding(RELEASE_LEFT_OUT, change, line, message)
                    break


def _given_back(function: Function) -> Iterator[tuple[str, int]]:
    """Yield what undoes something behind a `yield` that is in no `try`, with its line."""
    blocks: list[list[ast.stmt]] = [function.body]
    for block in blocks:
        blocks += [one.body for one in block if isinstance(one, ast.With | ast.AsyncWith | ast.If)]
        values = [one.value if isinstance(one, ast.Expr | ast.Assign) else None for one in block]
        at = next((at for at, one in enumerate(values) if isinstance(one, ast.Yield)), len(block))
        given = {ast.unparse(o) for one in block[:at] for o in _targets(one)}
        for one in block[at + 1 :]:
            call = one.value if isinstance(one, ast.Expr) else None
            call = call.value if isinstance(call, ast.Await) else call
            is_undone = any(
                ast.unparse(o) in given and not isinstance(o, ast.Name) for o in _targets(one)
            )
            name = ast.unparse(call.func).rpartition(".")[2] if isinstance(call, ast.Call) else ""
            if is_undone or _GIVES_BACK.search(name):
                yield ast.unparse(one), one.lineno


def _targets(stmt: ast.stmt) -> list[ast.expr]:
    if isinstance(stmt, ast.Assign):
        return stmt.targets
    return [stmt.target] if isinstance(stmt, ast.AugAssign) else []


@dataclass(frozen=True, slots=True)
class _Held:
    """The functions of head that hold a lock, and those that such a one calls, by their last names."""

    holding: frozenset[str]
    called: frozenset[str]


def _no_longer_held(base: Function, head: Function, held: _Held) -> list[tuple[str, int]]:
    """Return the locks of a function, where head takes none in it, in what it newly calls, or around it."""
    newly = called_names(head).keys() - called_names(base).keys()
    is_held_beside = not held.holding.isdisjoint(newly) or base.name in held.called
    if _held(head) or is_held_beside or any(_called(head, "acquire")):
        return []
    return [(f"with {text}:", line) for text, line in _held(base).items()]


def _held(node: ast.AST) -> dict[str, int]:
    """The locks that `with` holds, as written, with their lines."""
    blocks = (one for one in ast.walk(node) if isinstance(one, ast.With | ast.AsyncWith))
    texts = ((ast.unparse(item.context_expr), one.lineno) for one in blocks for item in one.items)
    return {text: line for text, line in texts if _LOCK.search(text)}


def _no_longer_apart(base: ast.AST, head: ast.AST) -> list[tuple[str, int]]:
    """Return the queries that are given values, where head gives none and puts a text together."""
    now = list(_called(head, *_EXECUTES))
    if not now or any(len(one.args) > 1 or one.keywords for one in now):
        return []
    made = (one for one in ast.walk(head) if isinstance(one, ast.JoinedStr | ast.BinOp))
    parts = (part for one in made for part in ast.walk(one) if isinstance(part, ast.Constant))
    if not any(isinstance(one.value, str) and _QUERY.search(one.value) for one in parts):
        return []
    found = (one for one in _called(base, *_EXECUTES) if len(one.args) > 1)
    return [(ast.unparse(one), one.lineno) for one in found]


def _called(node: ast.AST, *names: str) -> Iterator[ast.Call]:
    """The calls of methods that have one of these names."""
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
    return (o for o in calls if isinstance(o.func, ast.Attribute) and o.func.attr in names)
