"""Modules of the tree in whose place tests put something that the tree itself does not have.

`jest.mock('../src/tax', () => ({rateFor: …}))` where no `rateFor` is in `src/tax.js`, and a module of the
change in whose place a test puts one of its own in `sys.modules`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from sandbox.elsewhere.new_names import added_code
from sandbox.elsewhere.values import MadeUp
from sandbox.toolchains.tree import Tree
from sandbox.values import Checkout

_MOST_CHARS = 4_000  # of a factory
_MOST = 20
_MOCK = re.compile(
    r"\b(?:(?:jest|vi|vitest)\.(?:do|unstable_)?[mM]ock(?:Module)?|mock\.module)\(\s{0,40}"
    r"[\"'](\.{1,2}/[^\"'\n]{1,200})[\"']\s{0,40},"
)
_LITERAL = re.compile(r"\(\{|\breturn \{|\bnamedExports:\s{0,9}\{")
_KEY = re.compile(r"[\s]*(?:async\s+)?([A-Za-z_$][\w$]*)\s*[:(,}]")
_ENDINGS = ("", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", ".mts", "/index.js", "/index.ts")
_EXPORTED = re.compile(r"^export\s|\bexports\.\w+\s*=|\bmodule\.exports\s*=\s*\{", re.MULTILINE)
_FROM_ANOTHER = re.compile(
    r"\bexport\s*\*|\bexport\s+default\b|\.\.\.|\bmodule\.exports\s*=(?!\s*\{)|__exportStar|\bassign\(|"
    r"\bdefineProperty\(|\bexports\["
)
"""What may give a module members whose names do not stand in it."""
_OF_MODULES = ("default", "__esModule")
_QUOTES = "\"'`"
_IN_PLACE = re.compile(
    r"\bsys\.modules(?:\[|,\s{0,40}|,\s{0,40}\{\s{0,40})[\"']([\w.]{1,200})[\"'](?:\]\s{0,9}=|\s{0,9}[,:])"
    r"\s{0,40}(?!None\b)(?:(\w{1,60})[ \t]*(?=\n)|[\w({])"
)
"""What is put there; where it is one name, that name."""


def made_up(
    checkout: Checkout, paths: Collection[str], tests: Collection[str]
) -> tuple[MadeUp, ...]:
    """Return what files of head's tests (`paths`, out of all `tests`) put in a module's place."""
    added = added_code(checkout.diff, tests)
    changed = {one.path for one in checkout.diff.files} - {*tests}
    tree, found = Tree(Path(checkout.head_tree)), list[MadeUp]()
    for path in paths:
        text = tree.read(path)
        if path.endswith(".py"):
            found += _in_place(text, path, changed)
        else:
            found += _without(text, path, tree, added)
    return tuple(found[:_MOST])


def _without(text: str, path: str, tree: Tree, added: str) -> Iterator[MadeUp]:
    """Yield the members that lines of the change name and that the module itself does not have."""
    for mock in _MOCK.finditer(text):
        rest = text[mock.end() : mock.end() + _MOST_CHARS]
        start = _LITERAL.search(rest)
        real = _module(tree, posixpath.normpath(posixpath.join(posixpath.dirname(path), mock[1])))
        if start is None or "virtual:" in rest or not _EXPORTED.search(real):
            continue
        if _FROM_ANOTHER.search(real):
            continue
        for name in _keys(rest[start.end() :]):
            if name not in _OF_MODULES and _has(name, added) and not _has(name, real):
                yield MadeUp(mock[1], name, path)


def _keys(text: str) -> Iterator[str]:
    """Yield the keys of an object that is written out, from behind its brace."""
    depth, at, is_key = 1, 0, True
    while at < len(text) and depth:
        if is_key and depth == 1 and (key := _KEY.match(text, at)):
            yield key[1]
        is_key = False
        letter = text[at]
        if letter in _QUOTES:
            end = text.find(letter, at + 1)
            at = end if end > 0 else len(text)
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 1:
            is_key = True
        at += 1


def _in_place(text: str, path: str, changed: set[str]) -> Iterator[MadeUp]:
    """Yield the modules of the change for which a file puts something else into `sys.modules`."""
    for one in _IN_PLACE.finditer(text):
        file = one[1].replace(".", "/")
        ends = (f"/{file}.py", f"/{file}/__init__.py")
        leaf = re.escape(one[1].rpartition(".")[2])
        itself = (
            rf"^[ \t]*{one[2]}[ \t]*=[ \t]*(?:[\w.]{{0,200}}\.)?(?:{leaf}|sys\.modules\b.*)[ \t]*$"
        )
        if one[2] and (one[2] == leaf or re.search(itself, text, re.MULTILINE)):
            continue  # what was there is put back
        if any(f"/{each}".endswith(ends) for each in changed):
            yield MadeUp(one[1], "", path)


def _has(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None


def _module(tree: Tree, path: str) -> str:
    """Return the text of the module that a path without its ending, or with that of JavaScript, means."""
    bare = re.sub(r"\.[cm]?js\Z", "", path)
    names = dict.fromkeys(f"{one}{end}" for one in (path, bare) for end in _ENDINGS)
    return next((text for name in names if (text := tree.read(name))), "")
