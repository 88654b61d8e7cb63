"""The words of a change's lines, the names that only head knows, and what calls give without these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from sandbox.elsewhere.told import CallOutcome, Recorded, both_sides
from sandbox.elsewhere.values import CRASHES, RAISED, OtherResult, Otherwise
from sandbox.toolchains.tree import Tree
from sandbox.values import Checkout, Diff

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_PRIVATE = re.compile(r"'(_\w+)': ")
_LEFT = " and left "
_SEVERAL = 2
_LARGEST = 1 << 20  # characters of a file that is read for its names
_REFUSED = re.compile(rf"{RAISED} (?!(?:{'|'.join(CRASHES)})\b)\S")
_OF_AN_OBJECT = re.compile(
    r"(?:\binstance\('[\w.:]{1,400}', | and left |\Areturned [A-Za-z_]\w* )\{"
)
"""What an object's attributes are told behind."""
_TOKEN = re.compile(
    r"'(?:[^'\\]|\\.?)*+(?:'|\Z)|\"(?:[^\"\\]|\\.?)*+(?:\"|\Z)|, |[^'\"()\[\]{},]++|.", re.DOTALL
)
"""What is told, in pieces; a text that is cut goes to its end."""

_MOST_WORDS = 12
_WRITTEN = re.compile(r"(?<![\w.])-?\d{1,9}(?![\w.])|\"([^\"\\\n]{1,40})\"|'([^'\\\n]{1,40})'")
_PATTERN = re.compile(
    r"(?<![\w)\]/*])/((?:[^/\\\n*]|\\.)(?:[^/\\\n]|\\.){1,60})/[dgimsuvy]{0,8}(?![\w/])|\br[\"']([^\"'\n]{2,60})"
)
"""A regular expression of JavaScript or Python; of it the plain words count."""
_PLAIN = re.compile(r"(?<![\\A-Za-z0-9])[A-Za-z0-9]{2,40}")


def added_code(diff: Diff, tests: Collection[str]) -> str:
    """Return the lines that a change adds to files that are no tests'."""
    return "\n".join(
        line[1:]
        for file in diff.files
        if file.path not in tests
        for hunk in file.hunks
        for line in hunk.lines
        if line.startswith("+")
    )


def literals(text: str) -> tuple[object, ...]:
    """Return the words and numbers of a text of code."""
    found: dict[object, None] = {}
    for match in islice(_PATTERN.finditer(text), _MOST_WORDS):
        found.update(dict.fromkeys(_PLAIN.findall(match[1] or match[2])))
    for match in islice(_WRITTEN.finditer(text), 20 * _MOST_WORDS):
        quoted = match[1] or match[2]
        found.setdefault(quoted or int(match[0]))
    return tuple(islice(found, _MOST_WORDS))


def new_names(checkout: Checkout, tests: Collection[str]) -> frozenset[str]:
    """Return the names in these lines that the files which change do not have on base."""
    names, base = (
        set(_NAME.findall(added_code(checkout.diff, tests))),
        Tree(Path(checkout.base_tree)),
    )
    for one in (one for one in checkout.diff.files if one.path not in tests):
        text = base.read(one.old_path or one.path)
        if len(text) > _LARGEST:
            return frozenset()
        names.difference_update(_NAME.findall(text))
    return frozenset(names)


def changed_defaults(
    calls: Sequence[Recorded],
    plain: Mapping[Recorded, tuple[Recorded, ...]],
    base: Mapping[Recorded, CallOutcome | None],
    head: Mapping[Recorded, CallOutcome | None],
    names: Collection[str],
) -> Iterator[OtherResult]:
    """Yield calls that base answers, or refuses, and head otherwise: those of tests without new arguments.

    Of each of the tests' `calls` `plain` has that, and calls near it. Where a call of the tests gives just
    what head does, they show that it is meant; and so they do where they make several calls of the function
    as one could before, which come otherwise, too, or one that is not refused any more. That an object has an
    attribute more, of the `names` that only head knows, is no other answer, and no call can be without what a
    function now needs: what takes that from callers says so.
    """
    told = ((plain[call][0] if call in plain else call, head.get(call)) for call in calls)
    shown = {(one.name, one.arguments, outcome.all) for one, outcome in told if outcome}
    known = (one for one in calls if one not in plain)
    changed = Counter[str]()
    for one in known:
        if both := _otherwise(base.get(one), head.get(one), names):
            # One that is not refused any more is enough.
            changed[one.name] += _SEVERAL if re.match(RAISED, both[0]) else 1
    for call, (first, *near) in plain.items():
        on_head = head.get(first)
        is_shown = on_head and (first.name, first.arguments, on_head.all) in shown
        is_meant = is_shown and _otherwise(base.get(first), on_head, names)
        if is_meant or changed[call.name] >= _SEVERAL:
            continue
        for one in (first, *near):
            if both := _otherwise(base.get(one), head.get(one), names):
                yield OtherResult(Otherwise.DEFAULT, both_sides(one.shown, *both), call.path)
                break


def _otherwise(
    base: CallOutcome | None, head: CallOutcome | None, names: Collection[str]
) -> tuple[str, str] | None:
    """Return what base answers and what comes of head, where that is something else; None where it is not."""
    if not base or not head or base.unsteady or head.unsteady:
        return None
    if head.unbound:
        return None
    if re.match(RAISED, base.all):
        # An error that only head knows is mostly a kind of base's.
        is_other = base.all != head.all and {*_NAME.findall(head.all)}.isdisjoint(names)
        return (base.all, head.all) if is_other and _REFUSED.match(base.all) else None
    is_same = head.all in (base.all, _by_other_names(base.all, head.all))
    is_same = is_same or base.all == without_attributes(head.all, names)
    return None if is_same else (base.all, head.all)


def _by_other_names(told: str, other: str) -> str:
    """Return what base told; the private attributes that it left have the names that head has for them."""
    said, _, state = told.partition(_LEFT)
    own, others = (
        [*dict.fromkeys(_PRIVATE.findall(one))] for one in (state, other.partition(_LEFT)[2])
    )
    gone = [one for one in own if one not in others]
    came = [one for one in others if one not in own]
    for old, new in zip(gone, came, strict=False):
        state = state.replace(f"'{old}': ", f"'{new}': ")
    return f"{said}{_LEFT}{state}" if state else told


def without_attributes(told: str, names: Collection[str]) -> str:
    """Return what is told of a call without those attributes of objects in it that have one of the names."""
    states = {one.end() - 1 for one in _OF_AN_OBJECT.finditer(told)}
    kept: list[str] = []
    around: list[bool] = []  # of each open bracket: does it hold an object's attributes
    left_out = 0  # how deep the attribute stands that is left out
    for token in _TOKEN.finditer(told):
        text = token[0]
        is_its_end = left_out == len(around) and text in (", ", "}")
        if left_out and is_its_end:
            left_out = 0
            if text == ", ":
                continue
            if kept[-1] == ", ":
                kept.pop()
        if text in "([{":
            around.append(token.start() in states)
        elif text in ")]}" and around:
            around.pop()
        elif not left_out and around and around[-1] and text[1:-1] in names:
            left_out = len(around) if told.startswith(": ", token.end()) else 0
        if not left_out:
            kept.append(text)
    return "".join(kept)
