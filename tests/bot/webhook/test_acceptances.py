"""How the words behind `/judge accept` are read."""

from __future__ import annotations

import pytest

from bot.values import (
    Category,
    Conclusion,
    GateReason,
    GateResult,
    Judgement,
    Requirement,
    Requirements,
    Trust,
)
from bot.webhook.grammar import read_words


def _judgement() -> Judgement:
    ids = ("B1", "R1", "R2", "api-stable")
    items = tuple(Requirement(id_, id_, Category.BEHAVIOUR, "issue", Trust.ASKER) for id_ in ids)
    reasons = (GateReason("expectation", Conclusion.ACTION_REQUIRED, "It changed.", tests=("t",)),)
    gate = GateResult(Conclusion.ACTION_REQUIRED, "", reasons)
    return Judgement(Requirements(items, ()), (), gate)


@pytest.mark.parametrize(
    ("text", "subjects", "reason"),
    [
        ("R2 I read it", ("R2",), "I read it"),
        ("r2, R1: I read it", ("R2", "R1"), "I read it"),
        ("R1 and R2 because it is so", ("R1", "R2"), "it is so"),
        ("R1 R1 R2 - so", ("R1", "R2"), "so"),
        ("R1 and nothing else", ("R1",), "and nothing else"),
        ("R1 R9 no", ("R1", "R9"), "no"),
        ("api-stable it is", ("api-stable",), "it is"),
        ("expectation it is meant", ("expectation",), "it is meant"),
        ("R1 expectation management", ("R1",), "expectation management"),
        ("nonsense it is", ("nonsense",), "it is"),
        ("R2", ("R2",), ""),
        ("R2 because", ("R2",), ""),
        ("", (), ""),
        ("and R2 it works", ("and", "R2"), "it works"),
    ],
)
def test_ids_come_first_and_the_rest_is_the_reason(
    text: str, subjects: tuple[str, ...], reason: str
) -> None:
    read = read_words(text, _judgement())
    assert (read.subjects, read.reason) == (subjects, reason)


def test_a_reason_is_short_and_holds_no_secret_and_nothing_invisible() -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    assert token not in read_words(f"R1 see {token}", _judgement()).reason
    assert read_words("R1 a\x1b[31mb\u200bc", _judgement()).reason == "abc"
    assert len(read_words("R1 " + "long " * 1_000, _judgement()).reason) <= 500
