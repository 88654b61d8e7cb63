"""Cuts program text of C-like and shell-like languages into code and words, and finds matching brackets.

No grammar: only strings, comments and brackets are known, which is what finding a test's body takes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

_C_LIKE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)"
    r"|(?<!\\)(?:\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)",
    re.DOTALL,
)
_SHELL_LIKE = re.compile(r"(?:(?<=\s)|^)#[^\n]*|(?<!\\)\"(?:\\.|[^\"\\])*\"|'[^']*'", re.MULTILINE)
_OPENING = "({["
_BRACKETS = re.compile(r"[(){}\[\]]")


@dataclass(frozen=True, slots=True)
class Text:
    """A program text three times, position for position: as it is, with comments blanked out (`code`),
    and with words blanked out too (`bare`)."""

    whole: str
    code: str
    bare: str
    line_ends: tuple[int, ...]
    closings: dict[int, int]

    def line_at(self, position: int) -> int:
        """The line of a position, from 1."""
        return bisect_left(self.line_ends, position) + 1

    def end_of_block(self, opening: int) -> int:
        """Where the bracket at `opening` closes; the end of the text when it never does."""
        return self.closings.get(opening, len(self.bare))


def read_text(source: str, *, is_shell: bool = False) -> Text:
    """Blank out comments, and strings beside them, so that only code is left where code is asked for."""
    pattern = _SHELL_LIKE if is_shell else _C_LIKE

    def without_comment(match: re.Match[str]) -> str:
        return _blank(match.group()) if match.group()[0] in "/#" else match.group()

    def without_word(match: re.Match[str]) -> str:
        text = match.group()
        return _blank(text) if text[0] in "/#" else text[0] + _blank(text[1:-1]) + text[-1]

    bare = pattern.sub(without_word, source)
    ends = tuple(match.start() for match in re.finditer("\n", source))
    return Text(source, pattern.sub(without_comment, source), bare, ends, _closings(bare))


def _closings(bare: str) -> dict[int, int]:
    """For every opening bracket the position after the one that closes it; kinds are not told apart."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for match in _BRACKETS.finditer(bare):
        if match.group() in _OPENING:
            waiting.append(match.start())
        elif waiting:
            found[waiting.pop()] = match.end()
    return found


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
