"""Which calls a task shows with what they give: demanded, to be kept, or complained of."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.task.shown_calls import examples_of
from bot.values import ExampleKind, TaskSource, Trust
from tests.bot.verdict.cases import requirements

EXPECTED, KEPT, REPORTED = ExampleKind.EXPECTED, ExampleKind.KEPT, ExampleKind.REPORTED


def shown(text: str, title: str = "", demands: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    """(kind, call, result or error) of each."""
    source = TaskSource("issue #7", title, text, Trust.ASKER)
    found = examples_of(source, demands)
    return [(one.kind, one.said_call, one.error or one.said_result) for one in found]


@pytest.mark.parametrize(
    ("text", "kind", "call", "result"),
    [
        ("`f(1)` should return `2`.", EXPECTED, "f(1)", "2"),
        ('``slug("A B")`` must give ``a_b``', EXPECTED, 'slug("A B")', "a_b"),
        ("`f(-1)` should raise `ValueError` too", EXPECTED, "f(-1)", "ValueError"),
        ("`f(-1)` must be rejected with a ValueError.", EXPECTED, "f(-1)", "ValueError"),
        ("`f(-1)` should throw `errors.Refused`", EXPECTED, "f(-1)", "Refused"),
        ("`shop.Cart(3).total()` should be `3`", EXPECTED, "shop.Cart(3).total()", "3"),
        ("`f(0)` must still return `[]`", KEPT, "f(0)", "[]"),
        ("`f(0)` should continue to return `[]`", KEPT, "f(0)", "[]"),
        ("`f(0)` stays `[]`.", KEPT, "f(0)", "[]"),
        ("`f(0)` currently returns `3`.", REPORTED, "f(0)", "3"),
        ("`f(0)` raises `KeyError` today.", REPORTED, "f(0)", "KeyError"),
    ],
)
def test_a_sentence_shows(text: str, kind: ExampleKind, call: str, result: str) -> None:
    assert shown(text) == [(kind, call, result)]


def test_instead_says_both() -> None:
    both = [(REPORTED, "mean([1, 2])", "1"), (EXPECTED, "mean([1, 2])", "1.5")]
    assert shown("`mean([1, 2])` returns `1` instead of `1.5`.") == both
    assert shown("`mean([1, 2])` gives `1` but should give `1.5`.") == both


def test_it_is_the_call_before() -> None:
    text = "`split(9, 0)` raises `ZeroDivisionError` today. It should raise `ValueError`."
    assert shown(text) == [
        (REPORTED, "split(9, 0)", "ZeroDivisionError"),
        (EXPECTED, "split(9, 0)", "ValueError"),
    ]


def test_a_listed_demand_needs_no_should() -> None:
    demand = "`f(1)` returns 2"
    assert shown(demand) == []
    assert shown(demand, demands=(demand,)) == [(EXPECTED, "f(1)", "2")]
    assert shown("", demands=("`f(1)` → `2`",)) == [(EXPECTED, "f(1)", "2")]


@pytest.mark.parametrize(
    "text",
    [
        "`f(1)` returns `2`.",
        "`f(1)` should not return `2`.",
        "`f(1)` should return `2` or `3`.",
        "`f(1)` should return the value of `x`.",
        "`f(x for x in y)` should return `2`.",
        "`f(lambda: 1)` should return `2`.",
        "`f(1).__class__` should be `2`.",
        "`__import__('os').system('x')` should be `0`.",
        "`f` should be `2`.",
        "`f(1)` should return `g(2)`.",
        "`f(1)` should be faster than `2`.",
        "> `f(1)` should return `2`.",
        "## Nice to have\n`f(1)` should return `2`.",
        "It should return `2`.",
    ],
)
def test_what_shows_nothing_that_can_be_called(text: str) -> None:
    assert shown(text) == []


SESSION = """```pycon
>>> import tally
>>> tally.f(1)
2
>>> f(-1)
Traceback (most recent call last):
  ...
ValueError: no
>>> f("a")
'b'
>>> cart = f(3)
>>> f(4)
<Cart of 4>
>>> f(5)
[1,
 2]
```"""
IN_SESSION = [
    (EXPECTED, "tally.f(1)", "2"),
    (EXPECTED, "f(-1)", "ValueError"),
    (EXPECTED, 'f("a")', "'b'"),
]


@pytest.mark.parametrize(
    "above", ["## Expected behavior\n", "**Expected**\n\n", "It should give:\n\n"]
)
def test_a_session_shows_what_is_expected(above: str) -> None:
    assert shown(above + SESSION) == IN_SESSION


@pytest.mark.parametrize(
    "above", ["", "## Actual\n", "## To reproduce\n", "I get:\n\n", "## Expected and actual\n"]
)
def test_a_session_elsewhere_shows_nothing(above: str) -> None:
    assert shown(above + SESSION) == []


def test_only_those_who_ask_show() -> None:
    text = "`f(1)` should return `2`."
    assert len(requirements("Fix f", text).examples) == 1
    assert requirements("Fix f", text, trust=Trust.AUTHOR).examples == ()


@given(st.text("\0`f(1) should return2,instead of.It\n", max_size=300))
def test_any_words_show_something_or_nothing(text: str) -> None:
    for kind, call, result in shown(text, demands=(text,)):
        assert kind in ExampleKind
        assert call
        assert result


def test_long_words_take_no_long_time() -> None:
    began = time.monotonic()
    for piece in ("`f(1)` should ", "now then always ", "`f(1)` returns `2` ", "It ", "`" * 3):
        shown(piece * 20_000, demands=(piece * 20_000,))
    assert time.monotonic() - began < 20
