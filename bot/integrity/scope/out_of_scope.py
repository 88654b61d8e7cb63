"""Finds files that nothing asked speaks of.

A file belongs to the task when a demand shares a telling word with its name or its changed lines, or when
it shares an identifier in its changed lines, which few files have, with a file that belongs (advice).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from bot.diff.kinds import is_shipped_source
from bot.diff.lines import added_lines, removed_lines
from bot.integrity.reading.inspection import Inspection, make_finding
from bot.text.words import Vocabulary, words_of
from bot.values.rules import OUT_OF_SCOPE
from sandbox.values import FileChange, Finding

MOST_FILES = 200  # a larger change is about everything, or generated
FEWEST_WORDS = 2  # a demand with fewer telling words says nothing about files
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{3,}")
_COMMON_SHARE = 0.5  # an identifier in more than half of many files ties nothing together


def files_out_of_scope(inspection: Inspection) -> Iterator[Finding]:
    """Changed source files without any tie to the task, where other files do have one."""
    demands = inspection.requirements.beside_baseline
    said = words_of("\n".join(one.with_detail for one in demands))
    files = [c for c in inspection.diff.files if c.hunks]
    if len(said) < FEWEST_WORDS or len(files) > MOST_FILES or inspection.diff.truncated:
        return
    shipped: list[FileChange] = []
    names: dict[str, set[str]] = {}
    for change in files:
        lines = [line for _, line in (*added_lines(change), *removed_lines(change))]
        names[change.path] = {name for line in lines for name in _IDENTIFIER.findall(line)}
        # more than blank lines came or went
        if is_shipped_source(change.path) and any(line.strip() for line in lines):
            shipped.append(change)
    asked = Vocabulary(said)
    related = {
        change.path
        for change in files
        if any(map(asked.knows, words_of(f"{change.path} {' '.join(names[change.path])}")))
    }
    spoken = [change for change in shipped if change.path in related]
    if not spoken:
        return  # the demand uses other words than the code: nothing can be told
    # what shares a telling identifier with a related file is related, until nothing more does
    frequency = Counter(name for found in names.values() for name in found)
    common = {n for n, count in frequency.items() if count > max(2, _COMMON_SHARE * len(names))}
    more = set(related)
    while more:
        known = set().union(*(names[path] for path in more)) - common
        left = ((path, found) for path, found in names.items() if path not in related)
        more = {path for path, found in left if not found.isdisjoint(known)}
        related |= more
    for change in shipped:
        if change.path not in related:
            message = (
                "Nothing that was asked speaks of this file, and no other changed file needs it."
            )
            start = change.hunks[0].new_start
            yield make_finding(OUT_OF_SCOPE, change, start, message)
