"""The set of labelled pull requests in tests/bench/patches keeps the rules that its README names."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from bot.bench.cases import Kind, Label, LabelledCase, read_cases
from tests.bot.commands.running import ROOT

FOLDER = ROOT / "tests" / "bench" / "patches"
MOST_LINES = 60


@pytest.fixture(scope="module")
def cases() -> tuple[LabelledCase, ...]:
    return read_cases(FOLDER)


def test_it_is_large_enough(cases: tuple[LabelledCase, ...]) -> None:
    assert len(cases) >= 60 and len({case.repository for case in cases}) >= 8
    assert {case.kind for case in cases} == set(Kind)
    assert len({case.inputs() for case in cases}) == len(cases)


def test_right_ones_are_merges_and_wrong_ones_are_made_of_them(
    cases: tuple[LabelledCase, ...],
) -> None:
    right = Counter((case.base, case.head) for case in cases if case.label is Label.RIGHT)
    assert set(right.values()) == {1}
    for case in cases:
        assert (case.delta is None) is (case.label is Label.RIGHT)
        assert (case.base, case.head) in right


def test_half_is_set_aside_by_rule(cases: tuple[LabelledCase, ...]) -> None:
    merges = {(case.base, case.head): case for case in cases if case.label is Label.RIGHT}
    for case in cases:
        merge = merges[case.base, case.head]
        is_even = int(hashlib.sha256(merge.id.encode()).hexdigest(), 16) % 2 == 0
        assert case.held_out is is_even, case.id


def test_deltas_are_small_and_each_is_used(cases: tuple[LabelledCase, ...]) -> None:
    used = {case.delta for case in cases if case.delta}
    assert used == set((FOLDER / "deltas").iterdir())
    for delta in used:
        assert len(delta.read_text().splitlines()) <= MOST_LINES, delta.name
