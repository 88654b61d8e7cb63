"""Finds new JavaScript that replaces the first of a sign in a text, as if it replaced them all.

`text.replace('~', '\\~')` with a text, or with a pattern without `g`, leaves the second `~` as it is: of some
11,500 commits of 80 projects 16 newly did so, most of them by mistake (CodeQL: js/incomplete-sanitization).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.diff.lines import added_lines, is_gone
from bot.integrity.reading.inspection import Inspection, make_finding, ships, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.text.clipping import clip_line
from bot.values.rules import ONLY_FIRST_REPLACED
from sandbox.values import Finding

_SIGN = r"\\?[^\w\s\\'\"`/]|\\\\|\\['\"`/]|['\"`/]|%[0-9A-Fa-f]{2}"
_REPLACED = re.compile(
    rf"(?<!['\"`])\.replace\(\s?(?:(['\"`])(?P<text>{_SIGN})\1|/(?P<pattern>{_SIGN})/(?![a-z]{{0,5}}g)[a-z]{{0,6}})\s?,"
)
_IN_A_LOOP = re.compile(r"\b(?:while|do)\b")
_OF_THE_FIRST = re.compile(
    r"(?i)\b(?:first|once|single|leading|trailing|prefix\w*|suffix\w*|(?:start|begin|end)(?:s|ning|ing)?|extensions?)\b"
)
_LONGEST_LINE = 2_000
_SHOWN_CHARS = 60


def replaced_only_first(inspection: Inspection) -> Iterator[Finding]:
    """Calls that base does not have, where the task speaks of nothing that is there once."""
    if _OF_THE_FIRST.search(words_of_task(inspection)):
        return
    for change in inspection.diff.files:
        if is_gone(change) or not change.path.endswith(SCRIPT.suffixes) or not ships(change.path):
            continue
        before = "".join((inspection.before(change) or "").split())
        for number, line in added_lines(change):
            found = _REPLACED.search(line[:_LONGEST_LINE])
            if found is None or "".join(found[0].split()) in before or _IN_A_LOOP.search(line):
                continue
            sign = (found["text"] or found["pattern"]).removeprefix("\\") or "\\"
            message = (
                f"`{clip_line(line.strip(), _SHOWN_CHARS)}` replaces the first `{sign}` of a text only, and "
                "the task does not speak of the first."
            )
            yield make_finding(ONLY_FIRST_REPLACED, change, number, message)
