"""Python is spoiled where it can be parsed, and only there."""

from __future__ import annotations

import pytest

from bot.bench.merges import Trick
from bot.bench.sabotage import candidates, weakened
from bot.bench.tricks import PYTHON_TRICKS, hard_coded

_DEEP = "x = 1" + " + 1" * 100_000


@pytest.mark.parametrize("text", [_DEEP, "x = " + "-" * 50_000 + "1", "x = (", "x = '\0'"])
def test_what_cannot_be_parsed_is_left_as_it_is(text: str) -> None:
    assert candidates({"a.py": text}, [text], {}) == ()
    assert weakened(text, {"test_a"}) == text
    assert hard_coded({"test_a.py": text}, {"a.py": text}) == {}


@pytest.mark.parametrize("trick", PYTHON_TRICKS, ids=lambda trick: trick.name)
def test_a_trick_does_not_fail_for_a_test_file_that_cannot_be_parsed(trick: Trick) -> None:
    trick.play({"test_a.py": _DEEP}, {})
