"""What a place of base needs to run that head has no more: imports, fields, constants and other places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from sandbox.damage.inside.make import Damage
from sandbox.damage.inside.source import Source

_LONGEST_HUNK = 400  # lines
_MOST_EDITS = 12
_NAME = re.compile(rb"#?[A-Za-z_]\w*")
_DEFINES = re.compile(
    rb"\b(?:def|class|function|const|let|var)[ \t]+([A-Za-z_]\w*)"
    rb"|\b(?:self|this)\.([A-Za-z_]\w*)[ \t]*(?::[^=\n]{1,80})?=(?!=)"
    rb"|(?m:^)[ \t]*(?:static[ \t]+)?(#?[A-Za-z_]\w*)[ \t]*(?::[^=\n]{1,80})?(?:=(?!=)|;)"
)
_LOADS = re.compile(
    rb"(?:from\s[\w.]+\s)?import\s[^(]*$|import\b.*['\"];?$|(?:const|let|var)\b.*\brequire\(['\"][^'\"]+['\"]\);?$"
)
_MODULE = re.compile(rb"['\"]([^'\"]+)['\"]")


@dataclass(frozen=True, slots=True)
class _Edit:
    """What a change makes of some lines: the bytes of head, and what base has there."""

    start: int
    end: int
    gone: bytes
    came: bytes


def with_needed(one: Damage, source: Source) -> Damage:
    """Put back what only base has for a place, too: else tests would see that a name is not there."""
    return _with_imports(_with_others(one, source), source)


def _with_others(one: Damage, source: Source) -> Damage:
    """Put back the lines that define a name which the place needs and head's file has nowhere.

    Where such a name only became another one, nothing is lost.
    """
    lost = _lost(one.text, source) - _defined(one.text)
    edits = [o for o in _edits(source) if o.gone.strip() not in one.text] if lost else []
    needed: list[_Edit] = []
    while len(needed) < _MOST_EDITS:
        others = (
            o for o in edits if o not in needed and (o.end <= one.start or o.start >= one.end)
        )
        more = [o for o in others if lost & _defined(o.gone)]
        if not more:
            break
        if any(map(_only_renames, more)):
            return one
        needed += more
        lost |= _lost(b"".join(o.gone for o in more), source)
    if not needed or len(needed) >= _MOST_EDITS:
        return one
    whole = sorted((*needed, _Edit(one.start, one.end, one.text, b"")), key=lambda o: o.start)
    text, at = b"", whole[0].start
    for edit in whole:
        if edit.start < at:
            return one
        text += source.text[at : edit.start] + edit.gone
        at = edit.end
    return replace(one, start=whole[0].start, end=at, text=text)


def _lost(text: bytes, source: Source) -> set[bytes]:
    """Return the names of a text of base that head's file has nowhere, not even in a comment."""
    now = {*_NAME.findall(source.text)}
    return {name for name in _NAME.findall(text) if name not in now}


def _defined(text: bytes) -> set[bytes]:
    """Return the names that lines give a value; what they import is looked at by itself."""
    rows = b"\n".join(row for row in text.splitlines() if not _LOADS.match(row))
    return {name for found in _DEFINES.findall(rows) for name in found if name}


def _edits(source: Source) -> Iterator[_Edit]:
    """Yield all lines that base has and head has not, with what came in their place."""
    rows = source.text.splitlines(keepends=True)
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    for first, count, text in source.hunks:
        at, before = max(first, 1) - 1, text.splitlines(keepends=True)
        if max(count, len(before)) > _LONGEST_HUNK or at + count >= len(starts):
            continue
        matcher = SequenceMatcher(None, before, rows[at : at + count], autojunk=False)
        for kind, old, until, begin, end in matcher.get_opcodes():
            if kind in ("replace", "delete"):
                came = b"".join(rows[at + begin : at + end])
                place = starts[at + begin], starts[at + end]
                yield _Edit(*place, b"".join(before[old:until]), came)


def _only_renames(edit: _Edit) -> bool:
    """Tell whether lines are the same but for names, each of which became one other name everywhere."""
    old, new = (re.findall(rb"#?\w+|\S", side) for side in (edit.gone, edit.came))
    pairs = {pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]}
    is_name = all(_NAME.fullmatch(word) for pair in pairs for word in pair)
    return len(old) == len(new) and is_name and len({one for one, _ in pairs}) == len(pairs)


def _with_imports(one: Damage, source: Source) -> Damage:
    """Put back what only base imports for a place, too: else tests would see that a name is not there."""
    before, after = (_imports(text) for text in (source.before, source.text))
    used = {*_NAME.findall(one.text)}.difference(*after.values())
    gone = (line for line in before if line not in after and line not in one.text)
    lost = [line for line in gone if before[line] & used]
    if not lost:
        return one
    if source.language == "python":
        indent = one.text[: len(one.text) - len(one.text.lstrip())]
        put = b"".join(indent + line.strip() + b"\n" for line in lost)
        return replace(one, text=put + one.text)
    # Of one module everything is loaded by one statement, at the top.
    modules = [_MODULE.findall(line)[-1:] for line in lost]
    own = [line for line in after if _MODULE.findall(line)[-1:] in modules]
    start = source.text.find(own[0]) if own else 0
    end = start + len(own[0]) if own else 0
    if len(own) > 1 or end > one.start:
        return one
    put = b"\n".join(line.strip() for line in lost) + (b"" if own else b"\n")
    return replace(one, start=start, text=put + source.text[end : one.start] + one.text)


def _imports(text: bytes) -> dict[bytes, set[bytes]]:
    """Return the lines at the top level that load something, each with the names in it."""
    return {line: {*_NAME.findall(line)} for line in text.splitlines() if _LOADS.match(line)}
