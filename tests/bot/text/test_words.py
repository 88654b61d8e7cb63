"""Sentences of texts whose lines somebody wrapped by hand."""

from __future__ import annotations

from bot.task.examples.results import clauses
from bot.text.words import sentences, unwrapped

LONG = "Without a backslash each sign keeps the meaning that it has today: `a<b` is"


def test_a_long_line_that_ends_within_a_sentence_goes_on() -> None:
    assert sentences(f"{LONG}\nstill no link. It stays.") == [
        f"{LONG} still no link.",
        "It stays.",
    ]


def test_short_lines_lists_and_headings_are_lines() -> None:
    for text in (
        "`a` is\nstill no link",
        f"{LONG}\n- still",
        f"{LONG}:\nstill",
        f"{LONG}\n\nstill",
    ):
        assert unwrapped(text) == text


def test_a_colon_in_a_code_parts_nothing() -> None:
    assert clauses("Both stay: `[x]: a` is no link; `b` neither") == [
        "Both stay",
        "`[x]: a` is no link",
        "`b` neither",
    ]
