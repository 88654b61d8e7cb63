"""Which definitions a diff changes, who uses them, and which tests reach them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from bot.diff.lines import added_lines, numbered_lines, removed_lines
from bot.diff.paths import is_automation, is_changelog, is_document, is_test_path
from bot.evidence.code_map.index import STAND_FOR_FOLDER, CodeIndex, Symbol, innermost
from bot.values import ChangedSymbol, CodePlace, Dependent, Impact
from sandbox.code_map.facts import Code, Definition, SourceFile
from sandbox.values import Diff, FileChange, Side

_SYMBOLS, _CALLERS, _TESTS = 60, 20, 200
_HOPS = 3  # from a changed symbol through its callers to a test
_MOST_VISITED = 400
_CALLED = frozenset(("function", "method"))
_KEPT = re.compile(
    r"\b(?:self|cls|this)\.(#?\w+)(?:\[[^\]\n]{0,80}\])?(?:: [^=\n]{1,80})? ?[-+*/|&]?=(?!=)"
)
"""What a line keeps in an object."""


def changed_symbols(code: Code, diff: Diff) -> dict[Symbol, str]:
    """Return what the diff adds, changes or removes in the sources (not in tests), in its order."""
    base = {file.path: file for file in code.base}
    head = {file.path: file for file in code.head}
    found: dict[Symbol, str] = {}
    for change in diff.files:
        if is_test_path(change.path):
            continue
        before, after = base.get(change.old_path or change.path), head.get(change.path)
        known = _names(before)
        if after:
            for line, _ in new_lines(change):
                if symbol := innermost(after, line):
                    found[symbol] = "changed" if symbol.definition.name in known else "added"
        gone = known - _names(after)
        for definition in before.facts.definitions if before else ():
            if definition.name in gone:
                found[Symbol(change.path, definition)] = "removed"
    return found


def impact(code: Code, changed: Mapping[Symbol, str], index: CodeIndex) -> Impact:
    """Return the changed symbols with their users and tests on head, capped."""
    shown = list(changed.items())[:_SYMBOLS]
    reached: list[ChangedSymbol] = []
    for symbol, how in shown:
        # The users of a symbol are followed upwards until the tests.
        # Each by its words: the variants of one function are one name.
        callers: dict[str, CodePlace] = {}
        tests: dict[str, CodePlace] = {}
        seen, edge = {symbol}, [symbol]
        for hop in range(_HOPS):
            users = [user for one in edge for user in users_of(one, index) if user not in seen]
            edge = []
            for user in users:
                is_test = is_test_path(user.path)
                if is_test:
                    tests.setdefault(user.place.words, user.place)
                elif hop == 0:
                    callers.setdefault(user.place.words, user.place)
                if user not in seen and len(seen) < _MOST_VISITED:
                    seen.add(user)
                    edge += [user] if user.definition.name and not is_test else []
        places = tuple(callers.values())[:_CALLERS], tuple(tests.values())[:_TESTS]
        reached.append(ChangedSymbol(symbol.place, how, *places, len(callers), len(tests)))
    return Impact(tuple(reached), len(changed) - len(shown), code.remarks)


def untouched(
    together: Iterable[tuple[str, ...]], changed: Iterable[Symbol], diff: Diff, index: CodeIndex
) -> Iterator[tuple[str, str]]:
    """Yield of names that stand `together` one that nothing of the diff reaches, and one that it does.

    Sources of head define both. A definition is reached that changed or that uses, by names, what did.
    Nothing is said where more uses it than is followed.
    """
    is_touched = _reach(changed, diff, index)
    for names in together:
        places = {
            name: [o for o in index.defined(name) if not is_test_path(o.path)] for name in names
        }
        reached = {
            name: is_touched is None or any(map(is_touched, found))
            for name, found in places.items()
            if found
        }
        left = next((name for name, is_reached in reached.items() if not is_reached), "")
        other = next((name for name, is_reached in reached.items() if is_reached), "")
        if left and other:
            yield left, other


def unreached(
    names: Iterable[str], changed: Iterable[Symbol], diff: Diff, index: CodeIndex
) -> Iterator[str]:
    """Yield the names of functions that nothing of the diff reaches, nor what it keeps in objects."""
    # a class is touched by what changes between its methods, not by an empty line there
    told = {
        symbol
        for change in diff.files
        if (file := index.files.get(change.path))
        for line, text in new_lines(change)
        if text[1:].strip() and (symbol := innermost(file, line))
    }
    changed = [
        one for one in changed if one in told or one not in index.defined(one.definition.name)
    ]
    edited = (
        one for change in diff.files for one in (*added_lines(change), *removed_lines(change))
    )
    kept = {name for _, text in edited for name in _KEPT.findall(text)}
    is_touched = _reach(changed, diff, index)
    if is_touched is None:
        return
    for name in names:
        places = [one for one in index.defined(name) if not is_test_path(one.path)]
        are_functions = all(one.definition.kind in _CALLED for one in places)
        if not places or not are_functions or any(map(is_touched, places)):
            continue
        if not any(_uses(one, kept, index) for one in places):
            yield name


def _uses(one: Symbol, names: Iterable[str], index: CodeIndex) -> bool:
    """Whether a definition has one of the names in its lines."""
    own, uses = one.definition, index.files[one.path].facts.uses
    return any(own.line <= line <= own.end_line for name in names for line in uses.get(name, ()))


def _reach(
    changed: Iterable[Symbol], diff: Diff, index: CodeIndex
) -> Callable[[Symbol], bool] | None:
    """Return what tells whether a diff reaches a definition; None where more uses it than is followed."""
    seen, whole = set(changed), {d.path for d in diff.files if _changes_a_whole_file(d, index)}
    edge = list(seen)
    while edge and len(seen) < _MOST_PROJECTS_VISITED:
        users = {
            user for one in edge for user in users_of(one, index) if not is_test_path(user.path)
        }
        edge = [one for one in users - seen if one.definition.name]
        seen |= users

    def is_touched(one: Symbol) -> bool:
        own = one.definition
        others = (other.definition for other in seen if other.path == one.path)
        return (
            any(other.line <= own.end_line and own.line <= other.end_line for other in others)
            or one.path in whole
            or any(index.sees(one.path, path) for path in whole)
        )

    return None if edge else is_touched


def _names(file: SourceFile | None) -> set[str]:
    return {definition.name for definition in file.facts.definitions} if file else set()


def new_lines(change: FileChange) -> Iterator[tuple[int, str]]:
    """The lines on head that were added, and where something was taken out, with the diff's text."""
    for hunk in change.hunks:
        for line, text in numbered_lines(hunk, Side.HEAD):
            if text.startswith("+"):
                yield line, text
            if text.startswith("-"):
                yield (max(line - 1, 1) if hunk.lines[-1] is text else line), text


def users_of(symbol: Symbol, index: CodeIndex) -> Iterator[Symbol]:
    """The definitions that use a symbol; a line outside of all of them stands for itself."""
    for path, line in index.users(symbol):
        around = index.around(path, line)
        if around is not None:
            yield around
        elif not index.is_import(path, line):
            yield Symbol(path, Definition("", "", line, line))


# --- other projects of the repository that use what a diff changes: their tests can break too ------


_PROJECT_HOPS = 6
_MOST_PROJECTS_VISITED = 2_000
_MOST_NAMES = 5
_COMMENT = ("#", "//", "/*", "*", "--")
_IMPORT = re.compile(
    r"(?:import|from|use|using|require|include|package|(?:const|let|var)\b.*\brequire\()\b"
)
_LOCK = re.compile(r"(?:\.lock|package-lock\.json|pnpm-lock\.yaml|go\.sum)\Z")


class Links:
    """Which project imports from which other one, by the files' own imports."""

    def __init__(self, index: CodeIndex, project_of: Callable[[str], str]) -> None:
        self._index = index
        self._projects = {path: project_of(path) for path in index.files}
        self._project_of = project_of
        self._imported: dict[str, set[str]] = {}

    def project(self, path: str) -> str:
        """The project that a file stands in."""
        if path not in self._projects:
            self._projects[path] = self._project_of(path)
        return self._projects[path]

    @property
    def all(self) -> set[str]:
        """Every project that has code."""
        return {self.project(path) for path in self._index.files}

    def has(self, user: str, used: str) -> bool:
        """Whether some file of one project imports something of another."""
        if user not in self._imported:
            own = [path for path in self._index.files if self.project(path) == user]
            files = {target for path in own for target in self._index.imported(path)}
            packages = {one for path in own for one in self._index.imported_packages(path)}
            inside = {f"{one}/-" for one in packages}
            self._imported[user] = {self.project(one) for one in files | inside}
        return used in self._imported[user]


def dependents(
    diff: Diff, changed: Mapping[Symbol, str], index: CodeIndex, project_of: Callable[[str], str]
) -> tuple[Dependent, ...]:
    """Return the other projects that use a changed definition, or import a file that changed elsewhere.

    `project_of` names the project of a file. A name alone is no use: the project must also import
    something of the other one.
    """
    links = Links(index, project_of)
    found: dict[str, dict[str, None]] = {}
    concerned: dict[Symbol, None] = {}
    for symbol, how in changed.items():
        # A definition, and those around it: a class changes with its methods, old or new.
        if how != "added":
            concerned[symbol] = None
        file, own = index.files.get(symbol.path), symbol.definition
        for one in file.facts.definitions if file and how != "removed" else ():
            if one != own and one.line <= own.line and own.end_line <= one.end_line:
                concerned[Symbol(symbol.path, one)] = None
    for symbol in concerned:
        for folder in _using(symbol, index, links):
            found.setdefault(folder, {})[symbol.definition.name] = None
    for change in diff.files:
        using: set[str] = set()
        if _changes_a_whole_file(change, index):
            project = links.project(change.path)
            others = (path for path in index.files if links.project(path) != project)
            using = {links.project(path) for path in others if index.sees(path, change.path)}
        for folder in (*using, *_shipped_with(change.path, index, links)):
            found.setdefault(folder, {})[change.path] = None
    return tuple(
        Dependent(folder, tuple(names)[:_MOST_NAMES]) for folder, names in sorted(found.items())
    )


def _using(symbol: Symbol, index: CodeIndex, links: Links) -> set[str]:
    """Follow the users of a symbol upwards, through whichever projects they stand in."""
    own = links.project(symbol.path)
    seen, edge = {symbol}, [symbol]
    for _ in range(_PROJECT_HOPS):
        users: list[Symbol] = []
        for one in edge:
            at = links.project(one.path)
            for user in (*users_of(one, index), *_renaming(one, index)):
                around = links.project(user.path)
                is_real = around == at or links.has(around, at)
                if is_real and user not in seen and len(seen) < _MOST_PROJECTS_VISITED:
                    seen.add(user)
                    users.append(user)
        edge = [one for one in users if one.definition.name and not is_test_path(one.path)]
    return {links.project(one.path) for one in seen} - {own}


def _renaming(symbol: Symbol, index: CodeIndex) -> Iterator[Symbol]:
    """Where a name is imported and not used: under another name, anything in that file may use it."""
    lines: dict[str, list[int]] = {}
    for path, line in index.users(symbol):
        lines.setdefault(path, []).append(line)
    for path, used in lines.items():
        if path != symbol.path and all(index.is_import(path, line) for line in used):
            yield Symbol(path, Definition("", "", used[0], used[0]))
            yield from (Symbol(path, one) for one in index.files[path].facts.definitions)


def _changes_a_whole_file(change: FileChange, index: CodeIndex) -> bool:
    """Whether a line outside of all definitions changed: a value, a re-export, a call."""
    file = index.files.get(change.path)
    if file is None or is_test_path(change.path):
        return False
    # What such a file imports is what it exports.
    hands_on = PurePosixPath(change.path).stem in STAND_FOR_FOLDER
    for line, text in new_lines(change):
        said = text[1:].strip()
        is_code = bool(said) and not said.startswith(_COMMENT)
        if is_code and innermost(file, line) is None and (hands_on or not _IMPORT.match(said)):
            return True
    return False


def _shipped_with(path: str, index: CodeIndex, links: Links) -> Iterator[str]:
    """The projects that import the one in which a file changed that is no code: a manifest, data."""
    is_aside = is_document(path) or is_changelog(path) or is_automation(path) or is_test_path(path)
    if path in index.files or is_aside or _LOCK.search(path):
        return
    own = links.project(path)
    yield from (one for one in links.all - {own} if links.has(one, own))
