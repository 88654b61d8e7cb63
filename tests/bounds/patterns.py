"""Finds every regular expression of the product, how it is used, and the text that it is slowest on.

No growth is computed from the pattern: each one is tried on repetitions of what it mentions, small first,
the worst of them large. Time is the thread's own processor time, so a busy machine changes little.
"""

from __future__ import annotations

import ast
import importlib
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

ROOT = Path(__file__).parents[2]
# What runs inside the sandbox is ended there; the rest reads nothing of strangers.
_LEFT_OUT = (
    "bot/bench",
    "bot/demo",
    "bot/doctor",
    "bot/demo/forge",
    "sandbox/harness",
    "sandbox/code_map/inside",
)
_KEPT = (
    "sandbox/harness/readers",
    "sandbox/harness/supervisor/cargo.py",
    "sandbox/harness/supervisor/ctest.py",
    "sandbox/harness/supervisor/go.py",
)
_ANCHORED = frozenset({"match", "fullmatch"})
SMALL, LARGE = 600, 100_000
_ATOMS = 22


@dataclass(frozen=True, slots=True)
class Used:
    """A regular expression, where it stands, and whether it is only tried at a text's beginning."""

    where: str
    pattern: str
    flags: int
    anchored: bool


def modules() -> Iterator[Path]:
    """The modules of the product that read strangers' text outside the sandbox."""
    for package in ("bot", "sandbox"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            left_out = name.startswith(_LEFT_OUT) or "/inside/" in name
            if name.startswith(_KEPT) or not left_out:
                yield path


def used_patterns() -> list[Used]:
    """Every regular expression of those modules, each once."""
    sources = {path: path.read_text() for path in modules()}
    everywhere = _methods("\n".join(sources.values()))
    found: dict[tuple[str, int, bool], Used] = {}
    for path, text in sources.items():
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        methods = {**everywhere, **{k: v for k, v in _methods(text).items() if k.startswith("_")}}
        for one in (*_held(module, methods), *_called(module, text)):
            found.setdefault((one.pattern, one.flags, one.anchored), one)
    return list(found.values())


def _methods(text: str) -> dict[str, set[str]]:
    """How the names of patterns are used anywhere: `_NAME.search(` is `{"_NAME": {"search"}}`."""
    found: dict[str, set[str]] = {}
    for name, method in re.findall(r"\b(\w+)\.(match|fullmatch|search|\w+)\b", text):
        found.setdefault(name, set()).add(method)
    return found


def _held(module: str, methods: dict[str, set[str]]) -> Iterator[Used]:
    for name, value in vars(importlib.import_module(module)).items():
        if isinstance(value, re.Pattern):
            kinds = methods.get(name, set()) - {"pattern"}
            yield from _used(f"{module}.{name}", value, bool(kinds) and kinds <= _ANCHORED)
        elif not name.startswith("__"):
            for pattern in _inner(value, 0):
                yield from _used(f"{module}.{name}[]", pattern, anchored=False)


def _inner(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth > 4 or isinstance(value, str | bytes | type):
        return
    elif isinstance(value, dict):
        for one in value.values():
            yield from _inner(one, depth + 1)
    elif isinstance(value, tuple | list | frozenset):
        for one in value:
            yield from _inner(one, depth + 1)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _inner(getattr(value, field.name, None), depth + 1)


def _used(where: str, pattern: re.Pattern[Any], anchored: bool) -> Iterator[Used]:
    text = pattern.pattern
    flags = pattern.flags
    if isinstance(text, bytes):
        text, flags = text.decode("latin-1"), flags | re.ASCII
    yield Used(where, text, flags, anchored)


def _called(module: str, text: str) -> Iterator[Used]:
    """Patterns that are written where they are used: `re.search(r"...", text)`."""
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        of, first = node.func.value, node.args[0] if node.args else None
        if not (isinstance(of, ast.Name) and of.id == "re" and isinstance(first, ast.Constant)):
            continue
        if not isinstance(first.value, str) or node.func.attr in ("compile", "escape"):
            continue
        flags = 0
        for one in (*node.args[1:], *(word.value for word in node.keywords)):
            names = [n.attr for n in ast.walk(one) if isinstance(n, ast.Attribute)]
            for name in names:
                value = getattr(re, name, None)
                flags |= int(value) if isinstance(value, re.RegexFlag) else 0
        pattern = re.compile(first.value, flags)
        where = f"{module}:{node.lineno}"
        yield Used(where, pattern.pattern, pattern.flags, node.func.attr in _ANCHORED)


class TooSlow(Exception):
    """A text took more processor time than it may."""


@contextmanager
def at_most(limit_s: float) -> Iterator[None]:
    """End what takes more of the processor's time; in the main thread only. Raises TooSlow."""

    def stop(_number: int, _frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(used: Used, compiled: re.Pattern[str], text: str) -> float:
    """The processor time that reading this text takes."""
    began = time.thread_time()
    if used.anchored:
        compiled.match(text)
        compiled.fullmatch(text)
    else:
        for _ in compiled.finditer(text):
            pass
    return time.thread_time() - began


def worst_texts(used: Used) -> list[str]:
    """The repetitions that took longest when they were small, made large."""
    compiled = re.compile(used.pattern, used.flags)
    characters: dict[str, None] = {}
    words: list[str] = []
    _mentioned(_parser.parse(used.pattern, used.flags), characters, words)
    atoms = [*dict.fromkeys([*"a0 \n(.`", *characters])][:_ATOMS]
    atoms += [word for word in dict.fromkeys(words) if len(word) > 1][:8]
    units = [*atoms, *(one + other for one in atoms for other in atoms if one != other)]
    before = ["", *list(dict.fromkeys(words))[:3]]
    tried = []
    for unit in units:
        for start in before:
            text = start + unit * (SMALL // len(unit)) + "\0"
            tried.append((seconds(used, compiled, text), start, unit))
    tried.sort(reverse=True)
    return [start + unit * (LARGE // len(unit)) + "\0" for _, start, unit in tried[:3]]


def _mentioned(parsed: Any, characters: dict[str, None], words: list[str]) -> None:
    """Collect the characters and the words that a parsed pattern mentions."""
    word = ""
    for kind, value in parsed:
        if kind is _constants.LITERAL:
            word += chr(value)
            characters[chr(value)] = None
            continue
        if word:
            words.append(word)
        word = ""
        if kind is _constants.NOT_LITERAL:
            characters[chr(value)] = None
        elif kind is _constants.IN:
            _members(value, characters)
        elif kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            _mentioned(value[2], characters, words)
        elif kind is _constants.SUBPATTERN:
            _mentioned(value[3], characters, words)
        elif kind is _constants.BRANCH:
            for branch in value[1]:
                _mentioned(branch, characters, words)
        elif kind in (_constants.ASSERT, _constants.ASSERT_NOT):
            _mentioned(value[1], characters, words)
        elif kind is _constants.ATOMIC_GROUP:
            _mentioned(value, characters, words)
    if word:
        words.append(word)


def _members(members: Any, characters: dict[str, None]) -> None:
    for kind, value in members:
        if kind is _constants.LITERAL:
            characters[chr(value)] = None
        elif kind is _constants.RANGE:
            characters[chr(value[0])] = None
