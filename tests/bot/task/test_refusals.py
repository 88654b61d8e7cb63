"""What a demand says of calls that are refused, and what tests show of it."""

from __future__ import annotations

import time

import pytest

from bot.task.refusals import demanded_error, other_error, untested_nothing, untested_side
from bot.values import Category, Requirement, Trust

BOTH = "`share` throws a RangeError for a percent below 0 or above 100"
TEST = (
    "\ntest('share throws a RangeError below 0', () => {\n  assert.throws(() => share(9, 101));\n})"
)


def wanted(text: str) -> Requirement:
    """A demand of behavior."""
    return Requirement("R1", text, Category.BEHAVIOUR, "issue #1", Trust.ASKER)


@pytest.mark.parametrize(
    ("text", "call", "side"),
    [
        (BOTH, "share(9, 101)", "below 0"),
        (BOTH, "share(9, -1)", "above 100"),
        ("`f` raises ValueError for more than 7 or less than -3.5.", "f(9)", "below -3.5"),
        ("`f` rejects a negative age and one over `130`", "f(-1)", "above 130"),
        ("`f` rejects a negative age and one over `130`", "f(131)", "negative"),
    ],
)
def test_a_side_on_which_nothing_is_refused(text: str, call: str, side: str) -> None:
    assert untested_side(wanted(text), [call], f"f(lambda: {call})") == side
    assert untested_side(wanted(text), [call, "f(-4)", "f(1e3, 1_000)"], "") == ""


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        (BOTH, "throws(() => share(9, -1))"),
        (BOTH, "throws(() => share(9, -Infinity))"),
        (BOTH, "throws(() => share(9, -LEAST))"),
        (BOTH, "throws(() => share(9, least - 1))"),
        ("`f` raises ValueError for less than 3 or more than 20 letters", ""),
        ("`f` returns 0 below 0 or above 100", ""),
        ("`f` still raises ValueError below 0 or above 100", ""),
        ("`f` raises ValueError above 100", ""),
    ],
)
def test_where_nobody_can_tell_no_side_is_missing(text: str, tests: str) -> None:
    assert untested_side(wanted(text), ["f(9, 101)"], tests) == ""


def test_without_a_refused_call_no_side_is_missing() -> None:
    assert untested_side(wanted(BOTH), [], "") == ""


@pytest.mark.parametrize(
    ("text", "raised", "found"),
    [
        (BOTH, "Error", ("RangeError", "Error")),
        (BOTH, "TypeError", ("RangeError", "TypeError")),
        ("`f` raises ValueError for text", "TypeError", ("ValueError", "TypeError")),
        ("`f` raises `ShopError` for text", "KeyError", ("ShopError", "KeyError")),
    ],
)
def test_another_error_than_the_demanded_one(
    text: str, raised: str, found: tuple[str, str]
) -> None:
    assert other_error(wanted(text), [raised], (), TEST) == found
    assert other_error(wanted(text), [raised, found[0]], (), TEST) is None
    assert other_error(wanted(text), [raised], (), f"{TEST}, {found[0]})") is None
    assert other_error(wanted(text), [raised], [found[0]], TEST) is None  # it is what is wrong


@pytest.mark.parametrize(
    ("text", "raised"),
    [
        (BOTH, "WrongPercent"),
        ("`f` throws an Error", "TypeError"),
        ("`f` raises LookupError", "KeyError"),
        ("`f` raises ValueError", "JSONDecodeError"),
        ("`f` raises TypeError or ValueError", "TypeError"),
        ("`f` must still raise ValueError", "TypeError"),
        ("`f` refuses text", "TypeError"),
        ("`f` raises `ShopError` for text", "ExceptionGroup"),
    ],
)
def test_what_may_be_the_demanded_error(text: str, raised: str) -> None:
    assert other_error(wanted(text), [raised], (), TEST) is None


def test_hostile_text_is_read_in_time() -> None:
    started = time.monotonic()
    for text in (f"below 1 or {'a ' * 20_000}", "below 1 or " * 5_000, "aError" * 10_000):
        untested_side(wanted(text), ["f(2)"], "test('" * 10_000)
        other_error(wanted(text), ["Error"], (), "test('" * 10_000)
        other_error(wanted(BOTH), ["Error"], (), "test('" * 10_000 + '"""' * 10_001)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("`run` should reject with an `AggregateError`", "AggregateError"),
        ("`run` should run all and then reject with an `AggregateError`", "AggregateError"),
        ("It must close the file and raise a ValueError", "ValueError"),
        ("It must be rejected with a TypeError", "TypeError"),
        ("It should run all, as one rejects with a TypeError", ""),
        ("It should run all and note the TypeError", ""),
    ],
)
def test_the_error_that_a_sentence_wants_raised(text: str, error: str) -> None:
    assert demanded_error(wanted(text)) == error


@pytest.mark.parametrize(
    ("tests", "value"),
    [
        ("drained(1);", "undefined"),
        ("drained.bind(null, 1)();", "undefined"),
        ("work((one, cb) => cb(null, one));", "undefined"),
        ("queue.drain = undefined;", ""),
        ("drained(null);", ""),
    ],
)
def test_a_value_that_is_missing_and_no_test_has(tests: str, value: str) -> None:
    text = "When `drain` is undefined, `drained` has to work."
    assert untested_nothing(wanted(text), tests) == value
    assert untested_nothing(wanted("`drained` works when `drain` is undefined."), tests) == ""
