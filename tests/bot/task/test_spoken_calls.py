"""Which calls a task complains of, or wants otherwise, without a result that can be compared."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.task.examples.calls import examples_of
from bot.values import Example, ExampleKind, TaskSource, Trust

CHANGING, SHOWN = ExampleKind.CHANGING, ExampleKind.SHOWN


def spoken(text: str, title: str = "f is wrong") -> list[tuple[ExampleKind, str, bool]]:
    """(kind, call, is it complained of because it raises) of what has no result."""
    found = examples_of(TaskSource("issue #7", title, text, Trust.ASKER), ())
    return [
        (one.kind, one.said_call, bool(one.error))
        for one in found
        if isinstance(one, Example) and one.kind in (CHANGING, SHOWN) and not one.results
    ]


@pytest.mark.parametrize(
    "text",
    [
        "`f('a|b')` should be refused.",
        "`f('a|b')` must not strip the end.",
        "For example, `f('a|b')` should give only the first part.",
        "`f('a|b')`, negative numbers and `g` should be rejected with a `TypeError`, as in `h`.",
        "`f('a|b')` and all others should be escaped.",
        "`f(1)` should be `3`. Same problem with others (`f('a|b')`).",
        "It should be `'1.0 MB'`. The same happens for `f('a|b')`, too.",
    ],
)
def test_what_must_change(text: str) -> None:
    assert spoken(text) == [(CHANGING, "f('a|b')", False)]


@pytest.mark.parametrize(
    "text",
    [
        "`f('a')` crashes.",
        "`f('a')` fails with a traceback.",
        "For instance `f('a')` breaks.",
        "`f('a')` should work.",
        "`f('a')` should be accepted.",
        "`f('a')` must not raise.",
        "`f('a')` shouldn't fail.",
        "It is worse: `f('a')` blows up.",
    ],
)
def test_what_must_raise_no_more(text: str) -> None:
    assert spoken(text) == [(CHANGING, "f('a')", True)]


def test_each_of_a_list_must_raise_no_more() -> None:
    both = [(CHANGING, "f('a')", True), (CHANGING, "f('b')", True)]
    assert spoken("`f('a')` and `f('b')` crash.") == both


@pytest.mark.parametrize(
    "text",
    [
        "`f('a:b')` takes `b` for the name.",
        "`f('a:b')` drops the end.",
        "`f('a:b')` returns `a`; it should be more.",
        "Currently `f('a:b')` wrongly ignores what follows.",
        "Names are cut: `f('a:b')` gives only the first part.",
        "`f('a:b')` does not escape the colon.",
        "`f('a:b')` is false.",
        "`f('a:b')` is silently accepted.",
        "## Actual\n\n`f('a:b')` is parsed as a name.",
    ],
)
def test_what_may_be_complained_of_is_shown(text: str) -> None:
    assert spoken(text) == [(SHOWN, "f('a:b')", False)]


@pytest.mark.parametrize(
    "text",
    [
        "`f('a')` works.",
        "`f('a')` still works, and must keep working.",
        "`f('a')` is fine as it is.",
        "`f('a')` stays as it is.",
        "`f('a')` already returns only the first part.",
        "Use `f('a')` instead.",
        "Like `f('a')` does, `g` should be strict.",
        "`g` should be as strict as `f('a')`.",
        "`f('a')` should be the same as `f('b')`.",
        "Unlike others, `f('a')` drops the end.",
        "`f('a')` drops the end, but `f('b')` does not.",
        "`f('a')` and `f('b')` give different results.",
        "`f('a')` takes a list of names.",
        "`f('a')` accepts names.",
        "`f('a')` returns the name if there is one.",
        "When strict, `f('a')` should be refused.",
        "With `strict`, `f('a')` should be refused.",
        "`f('a')` fails when it is called twice.",
        "`f('a')` fails to be fast.",
        "`f('a')` crashes on Windows.",
        "`f('a')` warns.",
        "`f('a')` should not log anything.",
        "`f('a')` should be documented.",
        "`f('a')` should return an iterator.",
        "`f('a')` is slow.",
        "`f('a')` leaks memory.",
        "Should `f('a')` be refused?",
        "Why does `f('a')` drop the end?",
        "I am not sure whether `f('a')` should be refused.",
        "`f()` drops the end.",
        "`f(x)` drops the end.",
        "`f` drops the end.",
        "`f('a')` must still be refused. The same goes for `f('b')`.",
        "`f('a')` works. The same goes for `f('b')`.",
        "Nothing is said. The same as `f('b')`.",
        "## Nice to have\n\n`f('a')` should be refused.",
        "## Steps to reproduce\n\n`f('a')` drops the end.",
        "> `f('a')` should be refused.",
        "`f('a')` splits at `:`. Add an option `sep` for other signs.",
        "`f('a')` returns a list. It would be nice to have a tuple.",
    ],
)
def test_what_is_not_complained_of(text: str) -> None:
    assert spoken(text) == []


@pytest.mark.parametrize(
    "title", ["Add a separator", "feat: support tuples", "f is slow", "Fix the types of f"]
)
def test_a_title_says_that_calls_may_stay_as_they_are(title: str) -> None:
    assert spoken("`f('a:b')` returns the first part.", title) == []


def test_a_call_with_a_result_is_compared_with_that() -> None:
    assert spoken("`f('a')` should return `'b'`. `f('a')` drops the end.") == []


@given(st.text("\0`f('a') should drop,same goes.for:It crashes\n", max_size=300))
def test_any_words_speak_of_something_or_nothing(text: str) -> None:
    for kind, call, _ in spoken(text):
        assert kind in (CHANGING, SHOWN)
        assert call


def test_long_words_take_no_long_time() -> None:
    began = time.process_time()
    for piece in ("`f('a')` should ", "`f('a')`, ", "`f('a')` and ", "The same ", ": `f('a')` "):
        spoken(piece * 10_000)
    assert time.process_time() - began < 5
