"""Finds methods of texts that do another thing than they seem to.

In JavaScript `text.replace('~', '\\~')` with a text, or with a pattern without `g`, leaves the second `~` as
it is (CodeQL: js/incomplete-sanitization): of some 11,500 commits of 80 projects 16 newly did so, most by
mistake. In Python `text.lstrip('Dr. ')` takes letters away, and not a text, so that "Drew" becomes "ew":
three changes in the histories of 70 projects have it, all by mistake.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from bot.diff.lines import added_lines
from bot.integrity.reading.inspection import Inspection, make_finding, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.text.clipping import clip_line
from bot.values.rules import LETTERS_STRIPPED, ONLY_FIRST_REPLACED
from sandbox.values import Finding

_SIGN = r"\\?[^\w\s\\'\"`/]|\\\\|\\['\"`/]|['\"`/]|%[0-9A-Fa-f]{2}"
_REPLACED = re.compile(
    rf"(?<!['\"`])\.replace\(\s?(?:(['\"`])(?P<text>{_SIGN})\1|/(?P<pattern>{_SIGN})/(?![a-z]{{0,5}}g)[a-z]{{0,6}})\s?,"
)
_IN_A_LOOP = re.compile(r"\b(?:while|do)\b")
_OF_THE_FIRST = re.compile(
    r"(?i)\b(?:first|once|single|leading|trailing|prefix\w*|suffix\w*|(?:start|begin|end)(?:s|ning|ing)?|extensions?)\b"
)
_STRIPS = ("strip", "lstrip", "rstrip")
_LONGEST_LINE = 2_000
_SHOWN_CHARS = 60


def replaced_only_first(inspection: Inspection) -> Iterator[Finding]:
    """Calls that base does not have, where the task speaks of nothing that is there once."""
    if _OF_THE_FIRST.search(words_of_task(inspection)):
        return
    for change in inspection.shipped(SCRIPT.suffixes):
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


def stripped_letters(inspection: Inspection) -> Iterator[Finding]:
    """Calls with a word in Python, where `removeprefix` or `removesuffix` is what takes a word away."""
    for change in inspection.shipped((".py",)):
        before = inspection.before(change) or ""
        nodes = inspection.trees.nodes(inspection.after(change))
        for call in (one for one in nodes if isinstance(one, ast.Call)):
            text = _stripped(call)
            # who strips more letters of the same than base does knows what it does
            is_known = repr(text)[1:-1] in before or f"{ast.unparse(call.func)}(" in before
            if text and not is_known:
                message = (
                    f"`{clip_line(ast.unparse(call), _SHOWN_CHARS)}` takes away each of the letters of "
                    f"`{clip_line(text, _SHOWN_CHARS)}`, wherever they stand there, and not this text."
                )
                yield make_finding(LETTERS_STRIPPED, change, call.lineno, message)


def _stripped(call: ast.Call) -> str:
    """Return the word that a call strips a text of; empty where it is no word, or letters in a row."""
    first = call.args[0] if len(call.args) == 1 else None
    is_strip = isinstance(call.func, ast.Attribute) and call.func.attr in _STRIPS
    if not is_strip or not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return ""
    letters = sorted({one.lower() for one in first.value if one.isalpha()})
    is_row = bool(letters) and ord(letters[-1]) - ord(letters[0]) == len(letters) - 1
    return first.value if letters and not is_row else ""
