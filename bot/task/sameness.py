"""Tells whether two demands say the same: the rule by which duplicates are merged."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from bot.task.wording import normalised
from bot.text.words import stem, words_of

SAME_TEXT_RATIO = 95.0
_TELLING = re.compile(
    r"`[^`]*`|\d+|\b(?:no|not|never|without|only|all|any|true|false|in|out|up|down|on|off|before|after"
    r"|more|less|can|may)\b|n't"
)
_WORD = re.compile(r"\w+")
_FILLING_WORDS = (
    "a an the must should shall will would has have to be is are it that please does do"
)
_FILLING = frozenset(_FILLING_WORDS.split())


def says_the_same(one: str, other: str) -> bool:
    """Alike in words and equal in every number, code span and negation."""
    a, b = normalised(one), normalised(other)
    if a == b:
        return True
    if crucial(one) != crucial(other):
        return False
    return fuzz.ratio(a, b) >= SAME_TEXT_RATIO or _essence(a) == _essence(b)


def has_the_same_words(one: str, other: str) -> bool:
    """Made of the same telling words, numbers, code spans and negations, in whatever order."""
    return crucial(one) == crucial(other) and words_of(one) == words_of(other)


def crucial(text: str) -> list[str]:
    """What turns a demand into another one: its numbers, code spans and negations, sorted."""
    return sorted(_TELLING.findall(text.casefold()))


def _essence(text: str) -> list[str]:
    """The words in their order, without endings and without those that only make it a demand."""
    return [stem(word) for word in _WORD.findall(text.casefold()) if word not in _FILLING]
