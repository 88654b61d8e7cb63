"""The set of labelled pull requests in tests/bench/patches keeps the rules that its README names."""

from __future__ import annotations

from collections import Counter

import pytest

from bot.bench.cases import CaseKind, Label, LabelledCase, read_cases
from tests.bot.commands.running import ROOT

FOLDER = ROOT / "tests" / "bench" / "patches"
MOST_LINES = 60


@pytest.fixture(scope="module")
def cases() -> tuple[LabelledCase, ...]:
    return read_cases(FOLDER)


def test_it_is_large_enough(cases: tuple[LabelledCase, ...]) -> None:
    assert len(cases) >= 60 and len({case.repository for case in cases}) >= 8
    assert {case.kind for case in cases} == set(CaseKind) - {CaseKind.LABELLED}
    assert len({case.inputs() for case in cases}) == len(cases)


def test_right_ones_are_merges_and_wrong_ones_are_made_of_them(
    cases: tuple[LabelledCase, ...],
) -> None:
    right = Counter((case.base, case.head) for case in cases if case.label is Label.RIGHT)
    assert set(right.values()) == {1}
    for case in cases:
        assert (case.delta is None) is (case.label is Label.RIGHT)
        assert (case.base, case.head) in right


def test_what_is_set_aside_is_of_other_repositories(cases: tuple[LabelledCase, ...]) -> None:
    held_out = [case for case in cases if case.held_out]
    learned_from = {case.repository for case in cases if not case.held_out}
    assert learned_from.isdisjoint(case.repository for case in held_out)
    assert len({case.repository for case in held_out}) >= 10
    labels = Counter(case.label for case in held_out)
    assert labels[Label.RIGHT] >= 16 and labels[Label.WRONG] >= 30


def test_deltas_are_small_and_each_is_used(cases: tuple[LabelledCase, ...]) -> None:
    used = {case.delta for case in cases if case.delta}
    assert used == set((FOLDER / "deltas").iterdir())
    for delta in used:
        assert len(delta.read_text().splitlines()) <= MOST_LINES, delta.name
