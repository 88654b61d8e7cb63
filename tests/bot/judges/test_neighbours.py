"""Neighbours of literals: what a special-cased answer gets wrong."""

from __future__ import annotations

from bot.judges.inputs import MOST_LITERALS, near_inputs
from bot.text.clipping import steady

PYTEST = '''
    def test_price():
        """The price of 99 things."""
        assert price(4, "cash", 8.5) == 99
'''
JEST = "test('doubles', () => { expect(price(4, 'cash', -8.5)).toBe(7) }) // v1.2.3"


def found(*sources: str) -> dict[str, tuple[str, ...]]:
    return {one.literal: one.near for one in near_inputs(sources)}


def test_numbers_texts_and_fractions_have_neighbours() -> None:
    near = found(PYTEST)
    assert set(near) == {"4", "'cash'", "8.5"}
    assert {"5", "3", "0", "-4"} <= set(near["4"])
    assert {"''", "'CASH'", "'äß 日本 🙂'", "'hsac'"} <= set(near["'cash'"])
    assert {"9.5", "0.0"} <= set(near["8.5"])


def test_other_languages_are_read_by_how_literals_are_written() -> None:
    near = found(JEST)
    assert set(near) == {"4", "'cash'", "-8.5"}


def test_what_the_tests_show_already_is_no_neighbour() -> None:
    near = found("assert price(4) == price(5)", "assert price(3) == price(0)")
    assert not {"3", "5", "0"} & set(near["4"])


def test_hostile_sources_are_bounded() -> None:
    many = "\n".join(f"assert f({n}) == {n}" for n in range(5_000))
    near = near_inputs([many, "(" * 100_000, "x = " + "9" * 100_000, "'" + "a" * 100_000])
    assert len(near) == MOST_LITERALS
    assert all(len(one.near) < 8 for one in near)
    assert max(len(one.literal) for one in near) < 20


def test_only_times_and_addresses_are_taken_out_of_an_output() -> None:
    assert steady("== 2 passed in 0.03s ==") == steady("== 2 passed in 11.30s ==")
    assert steady("Ran 3 tests in 0.001s\nOK") == steady("Ran 3 tests in 0.2s\nOK")
    assert steady("duration_ms 12.5") == steady("duration_ms 8.125")
    assert steady("<f at 0x7f31ec8eea10>") == steady("<f at 0x55aaec8e1010>")
    for kept in ("sold in 3 shops", "after 2 days", "0.03", "took 2 apples", "version 1.2", "0x1f"):
        assert steady(kept) == kept
