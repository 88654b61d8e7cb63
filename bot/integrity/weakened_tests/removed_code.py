"""Finds the deleted tests whose function was removed too: with nothing left to test, they had to go.

A test counts only when *all* that it imports of the project is gone on head and nothing there still speaks
of it. Whether the removed function was anybody's but the project's own is told beside: removing what is
public is for a person to approve. Python and JavaScript are read; in doubt a function is used, and public.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from bot.diff.kinds import is_test_file
from bot.diff.lines import TextReader
from bot.diff.python_source import parse_python
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.reading.public_use import (
    IMPORT,
    MOST_FILES,
    Name,
    imported_by_script,
    is_reached,
    speaks_of,
)
from bot.task.ties import test_name
from bot.text.words import whole_name, words_of
from bot.values import RetiredTest, TestChange, TestComparison

_READ = (".py", *SCRIPT.suffixes)
_SET_UP = re.compile(
    r"\b(?:beforeEach|beforeAll|before|setup|setUp|setUpClass|setup_method|setUpModule)\s*\("
    r"|\bautouse\s*=\s*True"
)
_PLAIN_FIXTURES = {"", "self", "tmp_path", "tmpdir", "monkeypatch", "capsys", "capfd", "caplog"}


def find_gone(names: Collection[str], base: TextReader, head: TextReader) -> frozenset[str]:
    """Those names of which code that base ships speaks, and none that head ships."""
    if not names:
        return frozenset()
    known, left = (
        [path for path in tree.paths() if path.endswith(_READ) and not is_test_file(path)]
        for tree in (base, head)
    )
    if max(len(known), len(left)) > MOST_FILES:
        return frozenset()
    return frozenset(
        name
        for name in names
        if any(_is_spoken_of(base, path, name) for path in known)
        and not any(_is_spoken_of(head, path, name) for path in left)
    )


def _is_spoken_of(tree: TextReader, path: str, name: str) -> bool:
    """Whether code has a name; a command's may be that of its function: `import-legacy`, `import_legacy`."""
    text = tree.read(path)
    return text is None or any(
        one in text and speaks_of(path, text, one) for one in {name, name.replace("-", "_")}
    )


def find_retired(
    tests: Sequence[TestComparison],
    base: TextReader,
    head: TextReader,
    asked: frozenset[str] = frozenset(),
) -> tuple[RetiredTest, ...]:
    """The deleted tests that fail on head for no other reason than that what they test is gone.

    `asked` are names that are gone, as a demand wants it: who spoke of one went with it.
    """
    deleted = [
        test
        for test in tests
        if test.change is TestChange.PASS_TO_FAIL and test.head_on_head is None
    ]
    known, left = base.paths() if deleted else (), head.paths() if deleted else ()
    if max(len(known), len(left)) > MOST_FILES:
        return ()
    gone: dict[Name, bool] = {}
    found: list[RetiredTest] = []
    for test in deleted:
        names = _subjects(test, base, frozenset(known))
        for name in names - gone.keys():
            gone[name] = _is_gone(name, base, head, left)
        is_of_gone = bool(names) and all(gone[name] for name in names)
        if spoken_of := sorted(name for name in asked if _is_about(test, base, name)):
            functions, called = tuple(spoken_of), words_of(test_name(test.id))
            is_of_gone = is_of_gone or any(words_of(one) == called for one in functions)
            # What such a call is given is only made for it.
            rest = replace(test, source=_without_calls(test.source, functions))
            is_of_gone = is_of_gone or (bool(names) and not _subjects(rest, base, frozenset(known)))
            found.append(
                RetiredTest(test.id, functions, is_public=True, may_test_more=not is_of_gone)
            )
        elif is_of_gone:
            is_public = any(is_reached(name, base, known) for name in names)
            functions = tuple(sorted({name.name or name.path for name in names}))
            paths = {name.path for name in names}
            files = tuple(sorted(paths)) if paths.isdisjoint(left) else ()
            found.append(RetiredTest(test.id, functions, is_public, files=files))
    return tuple(found)


# --- what a test tests -----------------------------------------------------------------------


def _is_about(test: TestComparison, base: TextReader, name: str) -> bool:
    """Whether a test speaks of a name, or uses a helper of its file that does."""
    word = whole_name(name)
    if word.search(test.source):
        return True
    text = base.read(test.path) or "" if test.path.endswith(".py") else ""
    helpers = (
        one
        for one in (parse_python(text) or ast.Module([], [])).body
        if isinstance(one, ast.FunctionDef | ast.ClassDef) and not one.name.startswith("test")
    )
    return any(
        whole_name(one.name).search(test.source)
        and word.search(ast.get_source_segment(text, one) or "")
        for one in helpers
    )


def _without_calls(source: str, functions: Collection[str]) -> str:
    """Return code without the calls of some functions, with all that they are given."""
    left, at = "", 0
    for call in re.finditer(rf"(?<![\w$])(?:{'|'.join(map(re.escape, functions))})\(", source):
        if call.start() < at:
            continue
        left, at, depth = left + source[at : call.start()], call.end(), 1
        while depth and at < len(source):
            depth += (source[at] == "(") - (source[at] == ")")
            at += 1
        if depth:
            return source  # a bracket in a text
    return left + source[at:]


def _subjects(test: TestComparison, base: TextReader, known: frozenset[str]) -> frozenset[Name]:
    """What a test uses of the project's modules, by itself or by what its file shares with it."""
    text = base.read(test.path)
    if not text or not test.source:
        return frozenset()
    read = _imported_by_python if test.path.endswith(".py") else imported_by_script
    if not test.path.endswith(_READ):
        return frozenset()
    imported = dict(read(test.path, text, known))
    used = {name for name in imported if whole_name(name).search(test.source)}
    if len(used) < len(imported):
        # what its file defines beside it, or sets up before it, may use any of them
        shared = IMPORT.sub("", text).replace(test.source.partition("\n")[2] or test.source, "")
        defined = set(re.findall(r"\b(?:function|def|const|let|var|class)\s+([\w$]+)", shared))
        helpers = (one for one in defined if not one.startswith("test"))
        if _SET_UP.search(shared) or any(whole_name(one).search(test.source) for one in helpers):
            used = set(imported)
    # pytest gives a test what a fixture made, perhaps with other code of the project
    found = re.search(r"\bdef\s+\w+\(([^)]*)\)", test.source) if test.path.endswith(".py") else None
    given = {
        one.partition(":")[0].partition("=")[0].strip()
        for one in (found[1] if found else "").split(",")
    }
    listed = re.findall(r"parametrize\(\s*(?:[\[(]\s*)?((?:['\"][\w, ]*['\"],?\s*)+)", text)
    values = {word for one in listed for word in re.findall(r"\w+", one)}
    if given - values - _PLAIN_FIXTURES:
        return frozenset()
    names: set[Name] = set()
    for name in used:
        one = imported[name]
        members = re.findall(rf"(?<![\w$.]){re.escape(name)}\.([\w$]+)", test.source)
        names |= {Name(one.path, one.name or member) for member in members or [one.name]}
    return frozenset(names)


def _imported_by_python(path: str, text: str, known: frozenset[str]) -> Iterator[tuple[str, Name]]:
    for node in ast.walk(parse_python(text) or ast.Module([], [])):
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                whole = _module(f"{node.module}.{alias.name}", known)
                place = _module(node.module or "", known)
                if whole or place:
                    yield (
                        alias.asname or alias.name,
                        Name(whole or place, "" if whole else alias.name),
                    )
        elif isinstance(node, ast.Import):
            for alias in node.names:
                place = _module(alias.name, known)
                if place and (alias.asname or "." not in alias.name):
                    yield alias.asname or alias.name, Name(place, "")


def _module(dotted: str, known: frozenset[str]) -> str:
    stem = dotted.replace(".", "/")
    tried = (f"{top}{stem}{end}" for top in ("", "src/") for end in (".py", "/__init__.py"))
    return next((one for one in tried if one in known and not is_test_file(one)), "")


# --- whether it is gone ----------------------------------------------------------------------


def _is_gone(name: Name, base: TextReader, head: TextReader, left: Sequence[str]) -> bool:
    """Whether a function of base's is defined, used and spoken of nowhere in head's code."""
    if not name.name:
        return _is_gone_module(name.path, head, left)
    if len(name.name) < 3:
        return False
    text, named = base.read(name.path) or "", re.escape(name.name)
    is_defined = re.search(
        rf"\b(?:function\s*\*?|const|let|var|class|def)\s+{named}(?![\w$])", text
    ) or re.search(rf"\bexports\.{named}\s*=|^{named}\s*=", text, re.M)
    if not is_defined:
        return False
    for path in left:
        if not path.endswith(_READ):
            continue
        now = head.read(path)
        if now is None or (name.name in now and speaks_of(path, now, name.name)):
            return False
    return True


def _is_gone_module(path: str, head: TextReader, left: Sequence[str]) -> bool:
    """Whether a module is taken whole, head does not have it, and no text of head's code names it."""
    stem = posixpath.basename(path).partition(".")[0]
    if path in left or stem == "index":
        return False
    named = re.compile(rf"['\"`/]{re.escape(stem)}(?:\.[cm]?[jt]sx?)?['\"`]")
    code = (head.read(one) for one in left if one.endswith(_READ))
    return not any(text is None or named.search(text) for text in code)
