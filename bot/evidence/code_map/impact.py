"""Which definitions a diff changes, who uses them, and which tests reach them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.diff.paths import is_test_path
from bot.evidence.code_map.index import CodeIndex, Symbol, innermost
from bot.values import ChangedSymbol, CodePlace, Impact
from sandbox.code_map.facts import Code, Definition, SourceFile
from sandbox.values import Diff, FileChange

_SYMBOLS, _CALLERS, _TESTS = 60, 20, 200
_HOPS = 3  # from a changed symbol through its callers to a test
_MOST_VISITED = 400


def changed_symbols(code: Code, diff: Diff) -> dict[Symbol, str]:
    """Return what the diff adds, changes or removes in the sources (not in tests), in its order."""
    base = {file.path: file for file in code.base}
    head = {file.path: file for file in code.head}
    found: dict[Symbol, str] = {}
    for change in diff.files:
        if not is_test_path(change.path):
            found.update(_changed(change, base, head))
    return found


def impact(code: Code, changed: Mapping[Symbol, str], index: CodeIndex) -> Impact:
    """Return the changed symbols with their users and tests on head, capped."""
    shown = list(changed.items())[:_SYMBOLS]
    reached = tuple(_reached(symbol, how, index) for symbol, how in shown)
    return Impact(reached, len(changed) - len(shown), code.remarks)


def _changed(
    change: FileChange, base: Mapping[str, SourceFile], head: Mapping[str, SourceFile]
) -> Iterator[tuple[Symbol, str]]:
    before, after = base.get(change.old_path or change.path), head.get(change.path)
    known = _names(before)
    touched: dict[Symbol, str] = {}
    for line, _ in new_lines(change) if after else ():
        if after and (symbol := innermost(after, line)):
            how = "changed" if symbol.definition.name in known else "added"
            touched[symbol] = how
    if before:
        gone = known - _names(after)
        for definition in before.facts.definitions:
            if definition.name in gone:
                touched[Symbol(change.path, definition)] = "removed"
    yield from touched.items()


def _names(file: SourceFile | None) -> set[str]:
    return {definition.name for definition in file.facts.definitions} if file else set()


def new_lines(change: FileChange) -> Iterator[tuple[int, str]]:
    """The lines on head that were added, and where something was taken out, with the diff's text."""
    for hunk in change.hunks:
        line = hunk.new_start
        for text in hunk.lines:
            if text.startswith("+"):
                yield line, text
            if text.startswith("-"):
                yield (max(line - 1, 1) if _ends(hunk.lines, text) else line), text
            else:
                line += not text.startswith("\\")


def _ends(lines: tuple[str, ...], text: str) -> bool:
    return bool(lines) and lines[-1] is text


def _reached(symbol: Symbol, how: str, index: CodeIndex) -> ChangedSymbol:
    """Follow the users of a symbol upwards until the tests."""
    callers: dict[CodePlace, None] = {}
    tests: dict[CodePlace, None] = {}
    seen, edge = {symbol}, [symbol]
    for hop in range(_HOPS):
        users = [user for one in edge for user in users_of(one, index) if user not in seen]
        edge = []
        for user in users:
            if is_test_path(user.path):
                tests[user.place] = None
            elif hop == 0:
                callers[user.place] = None
            if user not in seen and len(seen) < _MOST_VISITED:
                seen.add(user)
                edge += [user] if _leads_on(user) else []
    shown = tuple(callers)[:_CALLERS], tuple(tests)[:_TESTS]
    return ChangedSymbol(symbol.place, how, *shown, len(callers), len(tests))


def users_of(symbol: Symbol, index: CodeIndex) -> Iterator[Symbol]:
    """The definitions that use a symbol; a line outside of all of them stands for itself."""
    for path, line in index.users(symbol):
        around = index.around(path, line)
        if around is not None:
            yield around
        elif not index.is_import(path, line):
            yield Symbol(path, Definition("", "", line, line))


def _leads_on(user: Symbol) -> bool:
    return bool(user.definition.name) and not is_test_path(user.path)
