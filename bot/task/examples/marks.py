"""Reads what a comment beside code says of its result: "should be 3", "=> 2 instead of 3", "currently 2"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.task.examples.values import read_value
from bot.values import ExampleKind

_LONGEST = 300
_MARK_EXPECTED = re.compile(
    r"(?:but {1,4})?(?:(?:this|it) {1,4})?"
    r"(?:should|must|shall|ought to|expected|expect|desired|want(?:ed)?)\b:? {0,4}"
    r"(?P<still>still {1,4}|stay {1,4}|remain {1,4})?"
    r"(?:(?:now|to|instead) {1,4})?"
    r"(?:be|return|give|print|output|equal|yield|produce|get|raise|throw)?:? {1,4}",
    re.IGNORECASE,
)
_MARK_KEPT = re.compile(
    r"(?:still|stays|remains|unchanged)\b:? {0,4}(?:is|returns|gives)?:? {0,4}", re.IGNORECASE
)
_MARK_ACTUAL = re.compile(
    r"(?:currently|actual(?:ly)?|today|got|wrong(?:ly)?|bug|incorrect(?:ly)?)\b:? {0,4}"
    r"(?:is|returns|gives|prints|raises|throws)?:? {0,4}",
    re.IGNORECASE,
)
_MARK_IS = re.compile(
    r"(?:=+>|-+>|→|⇒|(?:returns?|gives?|prints?|yields?|outputs?|raises|throws|evaluates to|result)\b:?)"
    r" {0,4}",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?P<turn>should (?:be|return|give|print|raise)|expected|instead of|rather than)\b:?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SaidResult:
    """One thing that is said of a piece of code: a result as text, and in which sense."""

    kind: ExampleKind
    result: str


def is_demand(comment: str) -> bool:
    """Whether a comment says what should be."""
    return _MARK_EXPECTED.match(comment) is not None


def said_in(comment: str, kind: ExampleKind) -> Iterator[SaidResult]:
    """Read "should be 3", "=> 2 instead of 3", "currently 2"; `kind` is what a plain "=> 2" says here."""
    comment = comment.strip()[:_LONGEST]
    turn_before = _MARK_IS.match(comment) or _MARK_ACTUAL.match(comment)
    expected = _MARK_EXPECTED.match(comment)
    if not expected and turn_before:
        inner = _MARK_EXPECTED.match(comment, turn_before.end())
        if inner and _MARK_IS.match(comment):
            expected = inner
    marked = expected or _MARK_KEPT.match(comment) or turn_before
    if not marked:
        value = read_value(comment)
        is_telling = value is not None and isinstance(value[0], list | tuple | dict | str)
        if value and (kind is ExampleKind.EXPECTED or (is_telling and kind is ExampleKind.SHOWN)):
            yield SaidResult(kind, comment)
        return
    rest = comment[marked.end() :]
    turn = _TURN.search(rest)
    first = (
        rest[: turn.start()].rstrip(" ,;(#-\u2013\u2014").removesuffix("but").rstrip(" ,;")
        if turn
        else rest
    )
    second = rest[turn.end() :].strip(" :)") if turn else ""
    is_back = turn is not None and turn["turn"].lower() in ("instead of", "rather than")
    if expected:
        is_kept = expected["still"] is not None
        yield SaidResult(ExampleKind.KEPT if is_kept else ExampleKind.EXPECTED, first)
        if turn and is_back:
            yield SaidResult(ExampleKind.REPORTED, second)
    elif turn:
        yield SaidResult(ExampleKind.REPORTED, first)
        yield SaidResult(ExampleKind.EXPECTED, second)
    elif _MARK_ACTUAL.match(comment):
        yield SaidResult(ExampleKind.REPORTED, first)
    else:
        yield SaidResult(ExampleKind.KEPT if _MARK_KEPT.match(comment) else kind, first)
