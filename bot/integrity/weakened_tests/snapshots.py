"""Finds the texts in files of snapshots that a test of JavaScript is compared with, where they change."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath

from bot.diff.lines import Texts
from bot.values import ChangedSnapshot, TestComparison

_ENTRY = re.compile(
    r"^exports\[`(?P<name>(?:[^`\\]|\\.)*) \d+`\] = `(?P<text>(?:[^`\\]|\\.)*)`;$", re.MULTILINE
)
_ESCAPED = re.compile(r"\\([`\\$])")


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    text: str
    line: int


def with_snapshots(
    tests: Sequence[TestComparison], base: Texts, head: Texts, changed: Sequence[str]
) -> tuple[TestComparison, ...]:
    """The tests, those that read as on base and whose base version fails on head with what changed of theirs.

    The files are those that jest and vitest write: `__snapshots__/NAME.snap` beside the test. Where a test
    has more or fewer snapshots than on base, none is told.
    """

    @cache
    def entries(path: str) -> tuple[list[_Entry], list[_Entry]]:
        return _entries(base.read(path)), _entries(head.read(path))

    return tuple(_with_own(one, entries, changed) for one in tests)


def _with_own(
    test: TestComparison,
    entries: Callable[[str], tuple[list[_Entry], list[_Entry]]],
    changed: Sequence[str],
) -> TestComparison:
    file = PurePosixPath(test.path)
    path = str(file.parent / "__snapshots__" / f"{file.name}.snap")
    if not test.is_edited or test.source != test.source_before or path not in changed:
        return test
    titles = test.id.partition("::")[2]
    names = (titles, titles.replace(" > ", " "))  # as vitest writes them, and jest
    old, new = ([one for one in side if one.name in names] for side in entries(path))
    if [one.name for one in old] != [one.name for one in new]:
        return test
    both = zip(old, new, strict=True)
    told = (ChangedSnapshot(path, b.line, a.text, b.text) for a, b in both if a.text != b.text)
    return replace(test, snapshots=tuple(told))


def _entries(text: str | None) -> list[_Entry]:
    found: list[_Entry] = []
    for entry in _ENTRY.finditer(text or ""):
        name, shown = (_ESCAPED.sub(r"\1", entry[group]) for group in ("name", "text"))
        line = entry.string.count("\n", 0, entry.start("text")) + 1
        found.append(_Entry(name, shown, line + int(shown.startswith("\n"))))
    return found
