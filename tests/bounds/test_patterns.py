"""No regular expression that reads strangers' text takes more than linear time on what it is worst at."""

from __future__ import annotations

import re

import pytest

from tests.bounds.patterns import LARGE, TooSlow, Used, at_most, seconds, used_patterns, worst_texts

_LIMIT_S = 2.0
"""For LARGE characters. A linear one takes milliseconds; a quadratic one a hundred times more."""


def _problem(used: Used, limit_s: float = _LIMIT_S) -> str:
    compiled = re.compile(used.pattern, used.flags)
    text = ""
    try:
        with at_most(5 * limit_s):
            texts = worst_texts(used)
        for text in texts:
            with at_most(limit_s):
                seconds(used, compiled, text)
    except TooSlow:
        return (
            f"{used.where}: {len(text) or 'a few hundred'} characters {text[:30]!r}: {used.pattern}"
        )
    return ""


@pytest.mark.slow
def test_every_pattern_reads_long_texts_in_linear_time() -> None:
    patterns = used_patterns()

    assert len(patterns) > 300
    assert [problem for used in patterns if (problem := _problem(used))] == []


@pytest.mark.slow
def test_a_quadratic_pattern_would_be_found() -> None:
    for pattern in (r"\w+\(", r"^\s*x", r"a.*b.*c", r"(?:[._-]\w+)*!"):
        used = Used("here", pattern, int(re.MULTILINE), anchored=False)

        # It takes minutes; waiting for a fortieth of the limit tells as much.
        assert _problem(used, _LIMIT_S / 40), pattern
    assert not _problem(Used("here", r"(?<!\w)\w+\(", 0, anchored=False))
    assert LARGE >= 100_000
