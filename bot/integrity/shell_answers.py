"""Reads ready-made answers out of shell, and what shell tests ask: numbers that become other numbers.

Words are left alone: a `case` that answers one word with another is how commands are told apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from bot.integrity.answers import ReadyAnswer, TestExpectations

_MOST = 2000
_MOST_TEXT = 400_000
_LONGEST_LINE = 500
_GOES_ON = r"[ \t]*(?:\n[ \t]*)?"
_NUMBER = r"[\"']?(-?\d{1,40}(?:\.\d{1,40})?)[\"']?"
_GIVES = (
    rf"(?:echo|printf)[ \t]+(?:(?:--|['\"]?%[sd](?:\\n)?['\"]?)[ \t]+)?{_NUMBER}[ \t]*(?=[;}}|&]|$)"
)
_FUNCTION = re.compile(r"^[ \t]*(?:function[ \t]+)?(\w{1,80})[ \t]*\([ \t]*\)", re.MULTILINE)
_ANSWERS = (
    re.compile(rf"(?:^|\bin\b|;;|\()[ \t]*{_NUMBER}[ \t]*\){_GOES_ON}{_GIVES}", re.MULTILINE),
    re.compile(
        rf"(?:=|==|-eq)[ \t]+{_NUMBER}[ \t]*(?:\]\]?|\)\))?[ \t]*(?:;|&&){_GOES_ON}"
        rf"(?:then{_GOES_ON})?(?:\{{[ \t]*)?{_GIVES}",
        re.MULTILINE,
    ),
)
_ASKED = re.compile(
    rf"\$\([ \t]*\w{{1,80}}[ \t]+([^()\n]{{1,200}}?)[ \t]*\)[\"']?[ \t]+(?:=|==|!=|-eq|-ne)[ \t]+{_NUMBER}"
)
_WORD = re.compile(r"[^\s\"']+")


def answers_in_shell(text: str) -> Iterator[ReadyAnswer]:
    """Every arm of a `case` and every branch that turns one number into another, by function."""
    text = _plain(text)
    named = [(found.start(), found[1]) for found in _FUNCTION.finditer(text)]
    for pattern in _ANSWERS:
        for found in islice(pattern.finditer(text), _MOST):
            at = bisect_right(named, found.start(), key=lambda one: one[0])
            place = f"`{named[at - 1][1]}`" if at else "the script"
            line = text.count("\n", 0, found.start(1)) + 1
            yield ReadyAnswer((found[1],), found[2], line, place)


def questions_in_shell(text: str, name: str) -> Iterator[TestExpectations]:
    """What a script asks of the output of commands, as one test: `[ "$(twice 4)" = 8 ]`."""
    found = islice(_ASKED.finditer(_plain(text)), _MOST)
    asked = frozenset((frozenset(_WORD.findall(one[1])), one[2]) for one in found)
    if asked:
        pairs = frozenset((given, result) for words, result in asked for given in words)
        yield TestExpectations(name, pairs, asked, frozenset())


def _plain(text: str) -> str:
    """A script without comments, its lines cut."""
    lines = text[:_MOST_TEXT].splitlines()
    return "\n".join("" if one.lstrip().startswith("#") else one[:_LONGEST_LINE] for one in lines)
