"""Tells whether a demand speaks plainly of what a deleted test was about.

A deleted test whose base version fails on head hides a break, unless the break was asked for. Plainly
means: the demand spells an identifier, and the test's own name is made of that identifier's words.
"""

from __future__ import annotations

import re

from bot.task.ties import test_name
from bot.text.words import sentences, words_of
from bot.values import Category, Requirement, TestComparison

_IDENTIFIER = re.compile(
    r"`([^`\n]{2,80})`|(?<!\w)(__\w+__|\w+(?:\.\w+)+|[a-z]+(?:_\w+)+|[a-z]+[A-Z]\w*|\w+(?=\(\)))"
)
_REMOVING = re.compile(
    r"(?i)\b(?:remov(?:e|es|ed|al|ing)|drop(?:s|ped|ping)?|delet(?:e|es|ed|ing)|get rid of|"
    r"no longer|retir(?:e|es|ed|ing)|obsolete)\b"
)


def names_subject(requirement: Requirement, test: TestComparison) -> bool:
    """Whether the demand spells the identifier that a test is named after."""
    return requirement.category is not Category.BASELINE and any(
        _is_named_after(test, sentence) for sentence in _sentences(requirement)
    )


def asks_to_remove(requirement: Requirement, test: TestComparison) -> bool:
    """Whether somebody who may ask does so, in one sentence, to remove a test's subject."""
    return (
        requirement.trust.is_asked
        and requirement.category is not Category.BASELINE
        and any(
            _REMOVING.search(sentence) and _is_named_after(test, sentence)
            for sentence in _sentences(requirement)
        )
    )


def asks_to_remove_function(requirement: Requirement, function: str) -> bool:
    """Whether somebody who may ask does so, in one sentence, to remove a function by its name."""
    named = re.compile(rf"(?<![\w$]){re.escape(function)}(?![\w$])")
    return requirement.trust.is_asked and any(
        _REMOVING.search(sentence) and named.search(sentence)
        for sentence in _sentences(requirement)
    )


def _sentences(requirement: Requirement) -> list[str]:
    return sentences(f"{requirement.text}\n{requirement.detail}")


def _is_named_after(test: TestComparison, sentence: str) -> bool:
    name = words_of(test_name(test.id))
    scope = words_of(" ".join(test.id.split("[", 1)[0].split("::")[1:-1]))
    for match in _IDENTIFIER.finditer(sentence):
        words = words_of(match.group(1) or match.group(2))
        if name and name & words and words <= name | scope and name <= words | scope:
            return True
    return False
