"""Finds the deleted tests whose function was removed too: with nothing left to test, they had to go.

A test counts only when *all* that it imports of the project is gone on head and nothing there still speaks
of it. Whether the removed function was anybody's but the project's own is told beside: removing what is
public is for a person to approve. Python and JavaScript are read; in doubt a function is used, and public.
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.diff.kinds import is_test_file
from bot.diff.lines import Texts
from bot.diff.paths import is_document
from bot.diff.python_source import parse_python
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.reading.tokens import Token, is_mark, read_tokens
from bot.text.words import whole_name
from bot.values import RetiredTest, TestChange, TestComparison

_MOST_FILES = 5000
_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", ".tsx", ".jsx", "/index.js", "/index.ts")
_IMPORT = re.compile(
    r"\bimport\s+(?P<names>(?:[^\s'\";()]+\s+){1,200}?)from\s*['\"](?P<place>[^'\"\n]+)['\"]"
    r"|\b(?:const|let|var)\s+(?P<bound>\{[^{}]*\}|[\w$]+)\s*=\s*(?:await\s+)?"
    r"(?:require(?:Inject)?|proxyquire|rewire|esmock|(?:t|tap)\.mock(?:Require|Import)?)"
    r"\(\s*['\"](?P<from>[^'\"\n]+)['\"]\s*[,)]"
)
_TAKEN = re.compile(r"(\}\s*=\s*)?\b(?:require|import)\(\s*['\"]([^'\"\n]+)['\"]\s*\)")
_READ = (".py", *SCRIPT.suffixes)
_SET_UP = re.compile(
    r"\b(?:beforeEach|beforeAll|before|setup|setUp|setUpClass|setup_method|setUpModule)\s*\("
    r"|\bautouse\s*=\s*True"
)
_PLAIN_FIXTURES = {"", "self", "tmp_path", "tmpdir", "monkeypatch", "capsys", "capfd", "caplog"}
_INTERNAL = re.compile(r"@(?:private|package|internal)\b|@api\s+private\b")
_HANDS_ON = re.compile(r"\bexport\s*\*|module\.exports\s*=\s*require\b|\.\.\.\s*require\b")


class Files(Texts, Protocol):
    """The files of one side's tree, also by their names."""

    def paths(self) -> tuple[str, ...]:
        """The paths of all files that are not hidden or vendored."""
        ...


@dataclass(frozen=True, slots=True)
class _Name:
    """A name of a module of the project; "" is the module as a whole."""

    path: str
    name: str


def find_gone(names: Collection[str], base: Files, head: Files) -> frozenset[str]:
    """Those names of which code that base ships speaks, and none that head ships."""
    if not names:
        return frozenset()
    known, left = (
        [path for path in tree.paths() if path.endswith(_READ) and not is_test_file(path)]
        for tree in (base, head)
    )
    if max(len(known), len(left)) > _MOST_FILES:
        return frozenset()
    return frozenset(
        name
        for name in names
        if any(_is_spoken_of(base, path, name) for path in known)
        and not any(_is_spoken_of(head, path, name) for path in left)
    )


def _is_spoken_of(tree: Files, path: str, name: str) -> bool:
    text = tree.read(path)
    return text is None or (name in text and _speaks_of(path, text, name))


def find_retired(
    tests: Sequence[TestComparison], base: Files, head: Files, asked: frozenset[str] = frozenset()
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
    if max(len(known), len(left)) > _MOST_FILES:
        return ()
    gone: dict[_Name, bool] = {}
    found: list[RetiredTest] = []
    for test in deleted:
        names = _subjects(test, base, frozenset(known))
        for name in names - gone.keys():
            gone[name] = _is_gone(name, base, head, left)
        is_of_gone = bool(names) and all(gone[name] for name in names)
        if spoken_of := sorted(name for name in asked if _is_about(test, base, name)):
            functions = tuple(spoken_of)
            found.append(
                RetiredTest(test.id, functions, is_public=True, may_test_more=not is_of_gone)
            )
        elif is_of_gone:
            is_public = any(_is_public(name, base, known) for name in names)
            functions = tuple(sorted({name.name or name.path for name in names}))
            found.append(RetiredTest(test.id, functions, is_public))
    return tuple(found)


# --- what a test tests -----------------------------------------------------------------------


def _is_about(test: TestComparison, base: Files, name: str) -> bool:
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


def _subjects(test: TestComparison, base: Files, known: frozenset[str]) -> frozenset[_Name]:
    """What a test uses of the project's modules, by itself or by what its file shares with it."""
    text = base.read(test.path)
    if not text or not test.source:
        return frozenset()
    read = _imported_by_python if test.path.endswith(".py") else _imported_by_script
    if not test.path.endswith(_READ):
        return frozenset()
    imported = dict(read(test.path, text, known))
    used = {name for name in imported if whole_name(name).search(test.source)}
    if len(used) < len(imported):
        # what its file defines beside it, or sets up before it, may use any of them
        shared = _IMPORT.sub("", text).replace(test.source.partition("\n")[2] or test.source, "")
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
    names: set[_Name] = set()
    for name in used:
        one = imported[name]
        members = re.findall(rf"(?<![\w$.]){re.escape(name)}\.([\w$]+)", test.source)
        names |= {_Name(one.path, one.name or member) for member in members or [one.name]}
    return frozenset(names)


def _imported_by_script(path: str, text: str, known: frozenset[str]) -> Iterator[tuple[str, _Name]]:
    for match in _IMPORT.finditer(text):
        place = match["place"] or match["from"]
        module = _resolved(posixpath.dirname(path), place, known)
        if not module or is_test_file(module):
            continue
        said = match["names"] or match["bound"]
        listed = re.search(r"\{([^{}]*)\}", said)
        for part in listed[1].split(",") if listed else ():
            words = [word for word in re.split(r"\s+as\s+|\s*:\s*|\s+", part.strip()) if word]
            if words and words[0] != "type":
                yield words[-1], _Name(module, words[0])
        for whole in re.findall(r"[\w$]+", re.sub(r"\{[^{}]*\}|\*\s+as\b", "", said)):
            yield whole, _Name(module, "")


def _resolved(folder: str, place: str, known: frozenset[str]) -> str:
    if not place.startswith("."):
        return ""
    stem = posixpath.normpath(posixpath.join(folder, place))
    stem = "" if stem == "." else stem
    tried = [f"{stem}{ending}".lstrip("/") for ending in _ENDINGS]
    tried += [re.sub(r"\.([cm]?)js\Z", r".\1ts", stem)]
    return next((one for one in tried if one in known), "")


def _imported_by_python(path: str, text: str, known: frozenset[str]) -> Iterator[tuple[str, _Name]]:
    for node in ast.walk(parse_python(text) or ast.Module([], [])):
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                whole = _module(f"{node.module}.{alias.name}", known)
                place = _module(node.module or "", known)
                if whole or place:
                    yield (
                        alias.asname or alias.name,
                        _Name(whole or place, "" if whole else alias.name),
                    )
        elif isinstance(node, ast.Import):
            for alias in node.names:
                place = _module(alias.name, known)
                if place and (alias.asname or "." not in alias.name):
                    yield alias.asname or alias.name, _Name(place, "")


def _module(dotted: str, known: frozenset[str]) -> str:
    stem = dotted.replace(".", "/")
    tried = (f"{top}{stem}{end}" for top in ("", "src/") for end in (".py", "/__init__.py"))
    return next((one for one in tried if one in known and not is_test_file(one)), "")


# --- whether it is gone ----------------------------------------------------------------------


def _is_gone(name: _Name, base: Files, head: Files, left: Sequence[str]) -> bool:
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
        if now is None or (name.name in now and _speaks_of(path, now, name.name)):
            return False
    return True


def _is_gone_module(path: str, head: Files, left: Sequence[str]) -> bool:
    """Whether a module is taken whole, head does not have it, and no text of head's code names it."""
    stem = posixpath.basename(path).partition(".")[0]
    if path in left or stem == "index":
        return False
    named = re.compile(rf"['\"`/]{re.escape(stem)}(?:\.[cm]?[jt]sx?)?['\"`]")
    code = (head.read(one) for one in left if one.endswith(_READ))
    return not any(text is None or named.search(text) for text in code)


def _speaks_of(path: str, text: str, name: str) -> bool:
    """Whether code uses a name: not where it is only a key or a member of something else's."""
    if path.endswith(".py"):
        tree = parse_python(text)
        said = ("id", "attr", "name", "arg", "value")
        return tree is None or any(
            name in [getattr(node, one, None) for one in said] for node in ast.walk(tree)
        )
    tokens = read_tokens(text, is_script=True)
    modules = {m["bound"] or m["names"] or "" for m in _IMPORT.finditer(text)}
    bound = {word for said in modules for word in re.findall(r"[\w$]+", said)}
    return any(
        (token.kind == "text" and token.value == name)
        or (token.kind == "pattern" and whole_name(name).search(token.value) is not None)
        or (token.kind == "name" and token.value == name and not _is_own(tokens, at, bound, path))
        for at, token in enumerate(tokens)
    )


def _is_own(tokens: list[Token], at: int, imported: set[str], path: str) -> bool:
    """Whether the name at a place is a key, or a member of what was not imported as a module."""
    if is_mark(tokens, at - 1, ".", "?."):
        owner = tokens[at - 2] if at >= 2 else None
        is_known = owner is not None and owner.kind == "name" and owner.value not in imported
        return is_known and owner is not None and owner.value not in ("exports", "module")
    is_key = is_mark(tokens, at - 1, "{", ",") and is_mark(tokens, at + 1, ":")
    is_typed = path.endswith((".d.ts", ".d.mts", ".d.cts")) and is_mark(tokens, at + 1, "?", ":")
    return is_key or is_typed


# --- whose it was ----------------------------------------------------------------------------


def is_public(path: str, name: str, base: Files) -> bool:
    """Whether users of the project could have called a name of a module; in doubt they could."""
    known = base.paths()
    return len(known) > _MOST_FILES or _is_public(_Name(path, name), base, known)


def _is_public(name: _Name, base: Files, known: Sequence[str]) -> bool:
    """Whether users of the project could have called it; so it is unless something says otherwise."""
    parts = re.split(r"[/.]", name.path)
    if name.name.startswith("_") and not name.name.startswith("__"):
        return False
    if name.path.endswith(".py"):
        is_private = any(p.startswith("_") and not p.startswith("__") for p in parts)
        return not is_private and not _is_left_out(name, base, known)
    text = base.read(name.path) or ""
    defined = re.search(
        rf"/\*\*(?:(?!\*/).)*\*/\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?"
        rf"(?:function\s*\*?|const|let|var|class)\s+{re.escape(name.name)}(?![\w$])",
        text,
        re.S,
    )
    if defined and _INTERNAL.search(defined.group()):
        return False
    return _is_handed_on(name, base, known) or not _is_behind_exports(name, base, frozenset(known))


def _is_left_out(name: _Name, base: Files, known: Sequence[str]) -> bool:
    """Whether its package lists what is public without it, and no document and no test speaks of it."""
    folders = name.path.split("/")[:-1]
    tops = ("/".join((*folders[:n], "__init__.py")) for n in range(1, len(folders) + 1))
    top = next((one for one in tops if one in known), "")
    text = base.read(top) or "" if top else ""
    listed = re.search(
        r"^__all__\s*(?::[^=\n]{1,60})?=\s*[\[(]([^\])]{0,20000})[\])]\s*$", text, re.M
    )
    module = name.path.removeprefix(top.removesuffix("__init__.py")).split("/")[0]
    said = whole_name(name.name)
    if not listed or said.search(text) or whole_name(module.removesuffix(".py")).search(listed[1]):
        return False
    readers = (one for one in known if is_document(one) or is_test_file(one))
    return not any(said.search(base.read(one) or "") for one in readers)


def _is_handed_on(name: _Name, base: Files, known: Sequence[str]) -> bool:
    """Whether another module passes the function on, or takes its module as a whole."""
    exported = re.compile(
        rf"\bexport\s*\{{[^}}]*(?<![\w$]){re.escape(name.name)}(?![\w$])"
        rf"|\bexports\.{re.escape(name.name)}(?![\w$])"
    )
    stem = posixpath.basename(name.path).partition(".")[0]
    for path in known:
        text = base.read(path) if path.endswith(SCRIPT.suffixes) and path != name.path else None
        if not text or is_test_file(path) or (stem not in text and name.name not in text):
            continue
        listed, folder = frozenset(known), posixpath.dirname(path)
        imported = dict(_imported_by_script(path, text, listed)).values()
        taken = {_resolved(folder, one, listed) for apart, one in _TAKEN.findall(text) if not apart}
        if exported.search(text) or _Name(name.path, "") in imported or name.path in taken:
            return True
    return False


def _is_behind_exports(name: _Name, base: Files, known: frozenset[str]) -> bool:
    """Whether the package's `exports` lead neither to its module nor to a file that speaks of it."""
    folder = posixpath.dirname(name.path)
    while folder and posixpath.join(folder, "package.json") not in known:
        folder = posixpath.dirname(folder)
    try:
        manifest = json.loads(base.read(posixpath.join(folder, "package.json")) or "")
    except (ValueError, RecursionError):
        return False
    exports = manifest.get("exports") if isinstance(manifest, dict) else None
    entries = [posixpath.normpath(posixpath.join(folder, one)) for one in _leaves(exports)]
    if not entries or any("*" in one for one in entries):
        return False
    for entry in entries:
        text = base.read(entry)
        if text is None or entry == name.path or _HANDS_ON.search(text):
            return False
        if entry.endswith(SCRIPT.suffixes) and _speaks_of(entry, text, name.name):
            return False
    return True


def _leaves(exports: object, depth: int = 0) -> Iterator[str]:
    if isinstance(exports, str):
        yield exports
    elif isinstance(exports, dict | list) and depth < 8:
        for one in exports.values() if isinstance(exports, dict) else exports:
            yield from _leaves(one, depth + 1)
