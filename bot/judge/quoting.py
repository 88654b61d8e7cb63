"""Holds what a model says a source demands to the source's own words.

A quotation counts only where people can read it: not in comments, code blocks, titles of sections, nor
under headings that say nothing is demanded there. It is widened to its sentence when the rest of the
sentence turns its meaning ("Do not" before "remove it").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.judge.boilerplate import normalised
from bot.judge.markdown import read_document
from bot.judge.words import words_of
from bot.models import TaskSource

LEAST_WORDS = 2
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")
_NOTHING_ASKED = re.compile(
    r"out of scope|non-?goals|alternatives?|won'?t|reprod|^steps\b|^versions?\b|environment|"
    r"traceback|\blogs?\b|what i (?:have )?tried",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:no|not|never|neither|nor|without|unless|except|instead|only|if|whether|don't|won't|"
    r"shouldn't|mustn't|isn't|cannot|can't)\b",
    re.IGNORECASE,
)
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'})


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words of a source: as they were quoted, and the whole sentence round them."""

    words: str
    sentence: str

    @property
    def safe(self) -> str:
        """The quoted words, or the sentence where it says more than they do about whether."""
        is_whole = _turning(self.sentence) <= _turning(self.words)
        return self.words if is_whole else self.sentence


def find_quotation(
    source: TaskSource, quoted: str, skipped: frozenset[str] = frozenset()
) -> Quotation | None:
    """Find quoted words in a source, whatever the case and the spacing; None where they are not.

    `skipped` are the normalised lines of the repository's templates: nobody wrote them for this task.
    """
    wanted = _plain(quoted)
    if len(words_of(quoted)) < LEAST_WORDS:
        return None
    for passage in _passages(source):
        if wanted in _plain(passage) and normalised(passage) not in skipped:
            return Quotation(" ".join(quoted.split()), _sentence_round(passage, wanted))
    return None


def _passages(source: TaskSource) -> Iterator[str]:
    yield source.title
    for passage in read_document(source.text).passages:
        if not any(_NOTHING_ASKED.search(heading) for heading in passage.headings):
            yield passage.text


def _sentence_round(passage: str, wanted: str) -> str:
    """The fewest sentences, one after another, that hold the wanted words."""
    sentences = [one for one in _SENTENCE.split(passage) if one.strip()]
    for length in range(1, len(sentences) + 1):
        for start in range(len(sentences) - length + 1):
            told = " ".join(sentences[start : start + length])
            if wanted in _plain(told):
                return told.strip()
    return passage


def _plain(text: str) -> str:
    return " ".join(text.translate(_QUOTES).casefold().split())


def _turning(text: str) -> frozenset[str]:
    return frozenset(match.casefold() for match in _TURNS.findall(text))
