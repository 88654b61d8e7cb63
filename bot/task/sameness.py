"""Tells whether two demands say the same: the rule by which duplicates are merged."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from bot.task.boilerplate import normalised
from bot.text.words import words_of

SAME_TEXT_RATIO = 95.0
_TELLING = re.compile(r"`[^`]*`|\d+|\b(?:no|not|never|without|only|all|any)\b|n't")


def says_the_same(one: str, other: str) -> bool:
    """Alike in words and equal in every number, code span and negation."""
    a, b = normalised(one), normalised(other)
    if a == b:
        return True
    return crucial(one) == crucial(other) and fuzz.ratio(a, b) >= SAME_TEXT_RATIO


def has_the_same_words(one: str, other: str) -> bool:
    """Made of the same telling words, numbers, code spans and negations, in whatever order."""
    return crucial(one) == crucial(other) and words_of(one) == words_of(other)


def crucial(text: str) -> list[str]:
    """What turns a demand into another one: its numbers, code spans and negations, sorted."""
    return sorted(_TELLING.findall(text.casefold()))
