"""What a place of base needs to run on head: imports, fields, constants, other places, and arguments."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate

import tree_sitter

from sandbox.damage.inside.make import Damage
from sandbox.damage.inside.source import Clock, LineEdit, Source, part, said, text_of

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


def with_needed(one: Damage, source: Source, edits: list[LineEdit]) -> Damage:
    """Put back what only base has for a place, too: else tests would see that a name is not there.

    `edits` are all that the change makes of the file's lines.
    """
    return _with_imports(_with_others(one, source, edits), source)


def _with_others(one: Damage, source: Source, edits: list[LineEdit]) -> Damage:
    """Put back the lines that define a name which the place needs and head's file has nowhere.

    Where such a name only became another one, nothing is lost.
    """
    now = {*_NAME.findall(source.text)}  # in comments, too
    lost = {*_NAME.findall(one.text)} - now - _defined(one.text)
    starts = [0, *accumulate(map(len, source.text.splitlines(keepends=True)))]
    left = [
        (starts[edit.first], starts[edit.end], b"".join(edit.gone), b"".join(edit.came))
        for edit in (edits if lost else ())
        if b"".join(edit.gone).strip() not in one.text
        if starts[edit.end] <= one.start or starts[edit.first] >= one.end
    ]
    needed: list[tuple[int, int, bytes]] = []
    while more := [edit for edit in left if lost & _defined(edit[2])]:
        if any(_is_renamed(gone, came) for _, _, gone, came in more):
            return one
        needed += (edit[:3] for edit in more)
        if len(needed) >= _MOST_EDITS:
            return one
        left = [edit for edit in left if edit not in more]
        lost |= {*_NAME.findall(b"".join(gone for _, _, gone, _ in more))} - now
    if not needed:
        return one
    whole = sorted((*needed, (one.start, one.end, one.text)), key=lambda edit: edit[0])
    text, at = b"", whole[0][0]
    for start, end, put in whole:
        if start < at:
            return one
        text += source.text[at:start] + put
        at = end
    return replace(one, start=whole[0][0], end=at, text=text)


def _defined(text: bytes) -> set[bytes]:
    """Return the names that lines give a value; what they import is looked at by itself."""
    rows = b"\n".join(row for row in text.splitlines() if not _LOADS.match(row))
    return {name for found in _DEFINES.findall(rows) for name in found if name}


def other_names(gone: bytes, came: bytes) -> set[tuple[bytes, bytes]] | None:
    """Return which name stands for which where texts are the same but for names; else None."""
    old, new = (re.findall(rb"#?\w+|\S", side) for side in (gone, came))
    pairs = {pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]}
    is_name = all(_NAME.fullmatch(word) for pair in pairs for word in pair)
    return pairs if len(old) == len(new) and is_name else None


def _is_renamed(gone: bytes, came: bytes) -> bool:
    """Tell whether lines are the same but for names, each of which became one other name everywhere."""
    pairs = other_names(gone, came)
    return pairs is not None and len({one for one, _ in pairs}) == len(pairs)


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


def with_arguments(put: bytes, source: Source, start: int, stop: int, clock: Clock) -> bytes:
    """Give calls of base what head's calls of the same functions, in the same place, have besides.

    Else tests would see that it is missing, and nothing of what else became of the place. Where that is all,
    the place is as it was.
    """
    now = _calls(source.root, start, stop) if source.root is not None else {}
    other = (o for o, given in now.items() if o.encode() + (given.text or b"") not in put)
    if not any(f"{called}(".encode() in put for called in other):
        return put
    text = source.text[:start] + put + source.text[stop:]
    root = clock.parse(text, source.language)
    if root is None:
        return put
    made = put
    for called, given in reversed(_calls(root, start, start + len(put)).items()):
        old, new = ([*map(text_of, one.named_children)] for one in (given, now.get(called, given)))
        if len(old) < len(new) and new[: len(old)] == old:
            first, last = (at - start for at in given.byte_range)
            made = made[:first] + (now[called].text or b"") + made[last:]
    is_all = b"".join(made.split()) == b"".join(source.text[start:stop].split())
    return put if is_all else made


def _calls(root: tree_sitter.Node, start: int, stop: int) -> dict[str, tree_sitter.Node]:
    """Return what is given in the calls between two bytes, by what is called there, once each."""
    found: dict[str, list[tree_sitter.Node]] = {}
    for node in said(root, start, stop):
        called, given = part(node, "function"), part(node, "arguments")
        if called is not None and given is not None and start <= node.start_byte < stop:
            found.setdefault(text_of(called), []).append(given)
    return {called: some[0] for called, some in found.items() if len(some) == 1}
