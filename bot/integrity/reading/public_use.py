"""Tells who may use a name of a module: what imports it, what speaks of it, and whether users can reach it.

In doubt they can. Python and JavaScript are read.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.diff.kinds import is_test_file
from bot.diff.lines import TextReader
from bot.diff.paths import is_document
from bot.diff.python_source import parse_python
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.reading.tokens import Token, is_mark, read_tokens
from bot.text.json_reading import json_object
from bot.text.words import whole_name

MOST_FILES = 5000
ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", ".tsx", ".jsx", "/index.js", "/index.ts")
"""What an import of a script may leave out."""
IMPORT = re.compile(
    r"\bimport\s+(?P<names>(?:[^\s'\";()]+\s+){1,200}?)from\s*['\"](?P<place>[^'\"\n]+)['\"]"
    r"|\b(?:const|let|var)\s+(?P<bound>\{[^{}]*\}|[\w$]+)\s*=\s*(?:await\s+)?"
    r"(?:require(?:Inject)?|proxyquire|rewire|esmock|(?:t|tap)\.mock(?:Require|Import)?)"
    r"\(\s*['\"](?P<from>[^'\"\n]+)['\"]\s*[,)]"
)
_TAKEN = re.compile(r"(\}\s*=\s*)?\b(?:require|import)\(\s*['\"]([^'\"\n]+)['\"]\s*\)")
_INTERNAL = re.compile(r"@(?:private|package|internal)\b|@api\s+private\b")
_HANDS_ON = re.compile(
    r"(?:\bexport\s*\*[\w$\s]*?from\s*|(?:module\.exports\s*=|\.\.\.)\s*require\()\s*['\"]([^'\"\n]+)"
    r"|(?:module\.exports\s*=|\.\.\.)\s*require\b"
)
_EXPORT = re.compile(
    r"\bexport\s+(?:type\s+)?\{[^{}]{0,20000}\}|\bexport\s+(?:default|const|let|var)\b(?:.|\n(?=[\s\])}])){0,20000}"
    r"|\bexport\b[^\n]*"
)
"""A statement of a module that exports; of a function or a class its first line."""
_BUILT = ("dist", "build", "out", "lib", "esm", "cjs", "types")


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a module of the project; "" is the module as a whole."""

    path: str
    name: str


def imported_by_script(path: str, text: str, known: frozenset[str]) -> Iterator[tuple[str, Name]]:
    """Yield the names that a script binds to what it imports of the `known` files, each with what it is."""
    for match in IMPORT.finditer(text):
        place = match["place"] or match["from"]
        module = resolved(posixpath.dirname(path), place, known)
        if not module or is_test_file(module):
            continue
        said = match["names"] or match["bound"]
        listed = re.search(r"\{([^{}]*)\}", said)
        for part in listed[1].split(",") if listed else ():
            words = [word for word in re.split(r"\s+as\s+|\s*:\s*|\s+", part.strip()) if word]
            if words and words[0] != "type":
                yield words[-1], Name(module, words[0])
        for whole in re.findall(r"[\w$]+", re.sub(r"\{[^{}]*\}|\*\s+as\b", "", said)):
            yield whole, Name(module, "")


def resolved(folder: str, place: str, known: frozenset[str]) -> str:
    """Return the file that an import of a script in a folder means; "" where it is none of the project's."""
    if not place.startswith("."):
        return ""
    stem = posixpath.normpath(posixpath.join(folder, place))
    stem = "" if stem == "." else stem
    tried = [f"{stem}{ending}".lstrip("/") for ending in ENDINGS]
    tried += [re.sub(r"\.([cm]?)js\Z", r".\1ts", stem)]
    return next((one for one in tried if one in known), "")


def speaks_of(path: str, text: str, name: str) -> bool:
    """Whether code uses a name: not where it is only a key or a member of something else's."""
    if path.endswith(".py"):
        tree = parse_python(text)
        said = ("id", "attr", "name", "arg", "value")
        return tree is None or any(
            name in [getattr(node, one, None) for one in said] for node in ast.walk(tree)
        )
    tokens = read_tokens(text, is_script=True)
    modules = {m["bound"] or m["names"] or "" for m in IMPORT.finditer(text)}
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


def is_public(path: str, name: str, base: TextReader) -> bool:
    """Whether users of the project could have called a name of a module; in doubt they could."""
    known = base.paths()
    return len(known) > MOST_FILES or is_reached(Name(path, name), base, known)


def is_reached(name: Name, base: TextReader, known: Sequence[str]) -> bool:
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


def _is_left_out(name: Name, base: TextReader, known: Sequence[str]) -> bool:
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


def _is_handed_on(name: Name, base: TextReader, known: Sequence[str]) -> bool:
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
        imported = dict(imported_by_script(path, text, listed)).values()
        taken = {resolved(folder, one, listed) for apart, one in _TAKEN.findall(text) if not apart}
        if exported.search(text) or Name(name.path, "") in imported or name.path in taken:
            return True
    return False


def _is_behind_exports(name: Name, base: TextReader, known: frozenset[str]) -> bool:
    """Whether the package's `exports` lead neither to its module nor to a file that speaks of it."""
    folder = posixpath.dirname(name.path)
    while folder and posixpath.join(folder, "package.json") not in known:
        folder = posixpath.dirname(folder)
    exports = json_object(base.read(posixpath.join(folder, "package.json"))).get("exports")
    entries = [posixpath.normpath(posixpath.join(folder, one)) for one in _leaves(exports)]
    if not entries or any("*" in one for one in entries):
        return False
    entries = [_source_of(one, known) for one in entries]
    waiting, seen = [*entries], set[str]()
    while waiting:
        entry = waiting.pop()
        text = base.read(entry)
        if text is None or entry == name.path:
            return False
        if entry in seen or not entry.endswith(SCRIPT.suffixes):
            continue
        seen.add(entry)
        handed = [one[1] or "." for one in _HANDS_ON.finditer(text)]
        folder = posixpath.dirname(entry)
        waiting += [resolved(folder, one, known) for one in handed if one.startswith(".")]
        # behind a star is what a module exports, and not what it only uses
        exported = _EXPORT.findall(text) if entry not in entries else ()
        if speaks_of(entry, "\n".join(exported) or text, name.name):
            return False
    return True


def _source_of(entry: str, known: frozenset[str]) -> str:
    """Return what an entry of `exports` is built from, where it is not in the tree.

    `dist/a.js` is `src/a.ts`, and `dist/lib/a.js` may be `lib/a.ts`.
    """
    *folders, name = entry.split("/")
    at = next((at for at, one in enumerate(folders) if one in _BUILT), None)
    if entry in known or at is None:
        return entry
    inner = [one for one in folders[at + 1 :] if one not in (*_BUILT, "src")]
    for above in (["src"], []) if inner else (["src"],):
        place = "/".join((*folders[:at], *above, *inner, name.partition(".")[0]))
        found = next((f"{place}{one}" for one in ENDINGS if f"{place}{one}" in known), "")
        if found:
            return found
    return entry


def _leaves(exports: object, depth: int = 0) -> Iterator[str]:
    if isinstance(exports, str):
        yield exports
    elif isinstance(exports, dict | list) and depth < 8:
        for one in exports.values() if isinstance(exports, dict) else exports:
            yield from _leaves(one, depth + 1)
