"""One side's files by path, name and import: who defines a name, and who most likely means that one.

Names are resolved as a reader would: a use means a definition of the same file, of a file that the
using file imports (by way of at most two others), or the only definition of that name. It is a hint,
not a compiler: dynamic dispatch and shadowed names are not seen.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import commonprefix, dirname
from types import MappingProxyType

from bot.diff.paths import is_test_path
from bot.text.words import name_words
from bot.values import CodePlace
from sandbox.code_map.facts import Definition, SourceFile
from sandbox.test_runs.four_runs import is_below

_STEP = re.compile(r"[./\\:]+")
_LAST_STEP = re.compile(r"[./\\:]+[^./\\:]*\Z")
STAND_FOR_FOLDER = {"__init__", "index", "mod", "lib", "main"}
_HOPS = 3
_MOST_CANDIDATES = 5
_SAME_PACKAGE = {"go", "java", "c_sharp", "kotlin", "scala", "swift"}
"""Languages whose files see their folder without import."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition in its file."""

    path: str
    definition: Definition

    @property
    def place(self) -> CodePlace:
        """The symbol as a report names it."""
        found = self.definition
        return CodePlace(self.path, found.line, found.name, found.kind)


class CodeIndex:
    """Looks up symbols, their users, and which file imports which."""

    def __init__(
        self, files: Iterable[SourceFile], packages: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """`packages` are the folders of the repository's packages by the name of their import."""
        self._packages = packages
        self.files = {file.path: file for file in files}
        self._defined: dict[str, list[str]] = defaultdict(list)  # the files of a name, each once
        self._used: dict[str, list[str]] = defaultdict(list)
        self._by_stem: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        self._reached: dict[str, frozenset[str]] = {}
        for path, file in self.files.items():
            for name in dict.fromkeys(found.name for found in file.facts.definitions):
                self._defined[name].append(path)
            for name in file.facts.uses:
                self._used[name].append(path)
            # What a file may be called in an import: its path, its folder (a package).
            pure = PurePosixPath(path)
            stem, folders = pure.name.split(".", 1)[0] or pure.name, pure.parts[:-1]
            self._by_stem[stem].append(((*folders, stem), path))
            is_by_folder = pure.suffix in (".go", ".java", ".cs", ".kt", ".swift")
            if folders and (stem in STAND_FOR_FOLDER or is_by_folder):
                self._by_stem[folders[-1]].append((folders, path))

    @cached_property
    def sources(self) -> dict[str, SourceFile]:
        """The files that are no tests, by path."""
        return {path: file for path, file in self.files.items() if not is_test_path(path)}

    @cached_property
    def symbols(self) -> Counter[str]:
        """How many symbols outside of the tests have a name."""
        files = self.sources.values()
        return Counter(found.name for file in files for found in file.facts.definitions)

    @cached_property
    def vocabulary(self) -> Counter[str]:
        """How many symbols and files outside of the tests have a word in their names."""
        seen = Counter(word for path in self.sources for word in name_words(path))
        for name, count in self.symbols.items():
            for word in name_words(name):
                seen[word] += count
        return seen

    def defined(self, name: str) -> Sequence[Symbol]:
        """Every definition of a name."""
        return [
            Symbol(path, found)
            for path in self._defined.get(name, ())
            for found in self.files[path].facts.definitions
            if found.name == name
        ]

    def users(self, symbol: Symbol) -> Iterator[tuple[str, int]]:
        """Where a symbol is most likely used: (path, line)."""
        name = symbol.definition.name
        is_only = {symbol.path, *self._defined.get(name, ())} == {symbol.path}
        for path in self._used.get(name, ()):
            if is_only or path == symbol.path or self.sees(path, symbol.path):
                yield from ((path, line) for line in self.files[path].facts.uses[name])

    def around(self, path: str, line: int) -> Symbol | None:
        """The innermost definition that a line stands in."""
        return innermost(self.files[path], line) if path in self.files else None

    def is_import(self, path: str, line: int) -> bool:
        """Whether something is imported on a line."""
        return any(line in lines for lines in self.files[path].facts.imports.values())

    def sees(self, path: str, target: str) -> bool:
        """Whether a file can use another's names: by its imports, or because they share a package."""
        if self.files[path].language in _SAME_PACKAGE and dirname(path) == dirname(target):
            return True
        if target in self.reach(path):
            return True
        return is_below(target, tuple(self.imported_packages(path)))

    def reach(self, path: str) -> frozenset[str]:
        """The files that one imports, also by way of at most two others."""
        if path not in self._reached:
            seen, edge = {path}, {path}
            for _ in range(_HOPS):
                edge = {target for one in edge for target in self.imported(one)} - seen
                seen |= edge
            self._reached[path] = frozenset(seen - {path})
        return self._reached[path]

    def imported_packages(self, path: str) -> set[str]:
        """The folders of the repository's packages that a file imports by their names."""
        found: set[str] = set()
        for module in self.files[path].facts.imports if self._packages else ():
            # The package that the module's name begins with, where it is one of ours.
            name = module
            while name and name not in self._packages:
                name = _LAST_STEP.sub("", name, count=1) if _LAST_STEP.search(name) else ""
            if folder := self._packages.get(name, ""):
                found.add(folder)
        return found

    def imported(self, path: str) -> set[str]:
        """The files that one file imports itself."""
        file = self.files[path]
        found = {target for module in file.facts.imports for target in self._targets(module, file)}
        if file.language != "python":
            return found - {path}
        # `from package import module` names modules, which look like any other name.
        modules = {line: name for name, lines in file.facts.imports.items() for line in lines}
        for name, lines in file.facts.uses.items():
            for module in {modules[line] for line in lines if line in modules}:
                steps = (*_steps(module), name)
                place = _starting_folder(module, file) if module.startswith(".") else None
                for known, target in self._by_stem.get(name, ()):
                    is_near = _shared(steps, known) >= min(len(steps), len(known), 2)
                    if is_near if place is None else known == (*place, *steps):
                        found.add(target)
        return found - {path}

    def _targets(self, module: str, user: SourceFile) -> list[str]:
        """The files that a module's name ends like; none when too many do.

        A relative import means the file at that place. Any other one of Python means the file that stands so
        in a folder around the using file, or beside it where that is in no package (a `conftest`), whatever
        else of the repository is called so.
        """
        steps = _steps(module)
        is_relative = module.startswith(".")
        for folder in self._starting_folders(module, user) if steps else ():
            place = (*folder, *steps)
            exact = [path for known, path in self._by_stem[steps[-1]] if known == place]
            exact = exact or (self._dotted(module, folder) if is_relative else [])
            if exact or (is_relative and user.language == "python"):
                return exact
        while steps:
            found = [(_shared(steps, known), path) for known, path in self._by_stem[steps[-1]]]
            if found:
                most = max(shared for shared, _ in found)
                best = [path for shared, path in found if shared == most]
                return best if len(best) <= _MOST_CANDIDATES or most == len(steps) else []
            steps = steps[:-1]  # `use crate::amounts::parse`: the last step is a name
        return []

    def _dotted(self, module: str, folder: tuple[str, ...]) -> list[str]:
        """The files that are named with more than one dot: `./jest.config` means `jest.config.ts`."""
        inner, _, name = module.rpartition("/")
        stem, dot, _ = name.partition(".")
        if not (stem and dot):
            return []
        steps = (one for one in inner.split("/") if one not in ("", ".", ".."))
        place = (*folder, *steps, stem)
        return [
            path
            for known, path in self._by_stem.get(stem, ())
            if known == place and PurePosixPath(path).name.startswith(f"{name}.")
        ]

    def _starting_folders(self, module: str, user: SourceFile) -> list[tuple[str, ...]]:
        """The folders that an import may count from, the nearest first; none where only the end tells."""
        if module.startswith("."):
            return [_starting_folder(module, user)]
        if user.language != "python":
            return []
        own = PurePosixPath(user.path).parent
        is_package = str(own / "__init__.py") in self.files
        return [one.parts for one in (*(() if is_package else (own,)), *own.parents)]


def innermost(file: SourceFile, line: int) -> Symbol | None:
    """The smallest definition of a file that a line stands in."""
    found = [d for d in file.facts.definitions if d.line <= line <= d.end_line]
    if not found:
        return None
    return Symbol(file.path, min(found, key=lambda d: (d.end_line - d.line, -d.line)))


def _steps(module: str) -> tuple[str, ...]:
    plain = re.sub(r"\.(?:[cm]?[jt]sx?|h|hh|hpp|php|rb|lua|sh|bash|d)$", "", module)
    return tuple(step for step in _STEP.split(plain) if step and step.isprintable())


def _starting_folder(module: str, user: SourceFile) -> tuple[str, ...]:
    """The folder that the steps of an import count from, relative to the using file: `..x`, `../x`."""
    own = PurePosixPath(user.path).parts[:-1]
    if user.language == "python":
        up = max(len(module) - len(module.lstrip(".")) - 1, 0)
    else:
        up = sum(part == ".." for part in PurePosixPath(module).parts)
    return own[: max(len(own) - up, 0)]


def _shared(steps: tuple[str, ...], known: tuple[str, ...]) -> int:
    return len(commonprefix((steps[::-1], known[::-1])))
