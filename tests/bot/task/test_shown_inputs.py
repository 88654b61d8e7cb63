"""Which of the inputs that a task shows stand in the code of tests."""

from __future__ import annotations

import time

import pytest

from bot.task.inputs import (
    alike,
    has_alike,
    kept_beside,
    like_shown,
    needs_more,
    stands_in,
    untested_input,
)
from bot.values import Category, Requirement, Trust

TEST = "def test_name():\n    assert parse('x').name() == 'y'\n"


def wanted(text: str) -> Requirement:
    """A demand of behavior."""
    return Requirement("R1", text, Category.BEHAVIOUR, "issue #1", Trust.ASKER)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("For `db.s.t.col` it returns the part after the first dot, `'s'`.", "db.s.t.col"),
        ("For `urn:a|b`, `parse` gives `a`.", "urn:a|b"),
        ("`a|b` should be rejected.", "a|b"),
        ("`<@a.com>` is wrongly accepted.", "<@a.com>"),
        ("`'1e+400'` must not be accepted.", "1e+400"),
        ("`https://a.com/x y` is parsed as two.", "https://a.com/x y"),
    ],
)
def test_an_input_that_no_test_has(text: str, found: str) -> None:
    assert untested_input(wanted(text), TEST) == found
    assert untested_input(wanted(text), TEST.replace("'x'", f'"{found}"')) == ""


def test_an_input_of_the_same_shape_is_as_good() -> None:
    text = wanted("For `db.s.t.col` it returns `'s'`.")
    assert untested_input(text, TEST.replace("'x'", "'a.b.c.d'")) == ""
    assert untested_input(text, TEST.replace("'x'", "'a.b.c'")) == "db.s.t.col"


@pytest.mark.parametrize(
    "text",
    [
        "`parse` should be rejected.",
        "`parse()` should be an error.",
        "`a.py` is parsed as text.",
        "`src/a.js` is read twice.",
        "`--quiet` should be accepted.",
        "`no-var` should be allowed.",
        "`list[int]` should be accepted.",
        "`Promise<void>` is treated as text.",
        "`sep=';'` must be accepted.",
        "`key: value` is parsed as text.",
        "With `no-groups: false` it becomes an option.",
        "`1.2.3` is accepted.",
        "For `os.path.join` it returns `'x'`.",
        "For `tally.bill.split` the result is wrong.",
        "`a|b` must still be accepted.",
        "`a|b` is mentioned.",
        "`x => x + 1` should be accepted.",
        "For `w + b > 100`, the value is wrong.",
        "Should `a|b` be rejected?",
        "```\n`a|b` should be rejected.\n```",
    ],
)
def test_what_is_no_input(text: str) -> None:
    assert untested_input(wanted(text), TEST) == ""


@pytest.mark.parametrize(
    "tests",
    [
        "",
        "def test(): assert f(1) == 2",
        "def test(): assert f(open('x').read()) == 'y'",
        "@pytest.mark.parametrize('x', CASES)\ndef test(x): assert f('a') == 'b'",
        "test.each(CASES)('is %s', x => {expect(f(x)).toBe('b')})",
    ],
)
def test_data_may_stand_elsewhere(tests: str) -> None:
    assert untested_input(wanted("`a|b` should be rejected."), tests) == ""


@pytest.mark.parametrize(
    ("call", "tests", "found"),
    [
        ("queue.add(fn, {timeout: 0})", "queue.add(async () => 1, { timeout: 0 })", True),
        ("queue.add(fn, {timeout: 0})", "queue.add(async () => 0, {timeout: -1})", False),
        ("queue.add(fn, {timeout: 0})", "queue.add(fn, {timeout: 0.5})", False),
        ("deck.due(day, {max: 10})", "deck.due(day, { max: 4 })", True),
        ("deck.due(day, {max: 10})", "deck.due(day, { most: 10 })", False),
        ("f('a b', sep='x')", 'f("a b",\n  sep="x")', True),
        ("f('a b', sep='x')", "f('a b')", False),
        ("size(1024**2 - 1, True)", "[([1024 ** 2 - 1, True], '1.0 MiB')]", True),
        ("size(1024**2 - 1, True)", "[([1024**2, True], '1.0 MiB')]", False),
        ("f('a\\\\b')", "f('a\\\\b')", True),
        ("f(12345)", "f(123456)", False),
        ("f(12345)", "f(12345)", True),
        ("f(1)", "f(2)", None),
        ("f('')", "f('')", True),
        ("f(x)", "f(1)", None),
        ("f", "f", None),
        ("f(12345)", "f(load_data('x'))", None),
    ],
)
def test_the_values_of_a_call(call: str, tests: str, found: bool | None) -> None:
    assert stands_in(call, tests) is found


@pytest.mark.parametrize(
    ("call", "found"),
    [("queue.add(fn, 3)", True), ("add(fn, 3)", True), ("add(1, 'x')", False), ("add", False)],
)
def test_a_call_that_needs_more_than_is_said(call: str, found: bool) -> None:
    assert needs_more(call) is found


def test_long_words_take_no_long_time() -> None:
    began = time.process_time()
    for piece in ("`a|b` should ", "For `a|b` ", "'", '"x', "parametrize(", "w|"):
        untested_input(wanted(piece * 10_000), piece * 10_000)
        stands_in("f('a b')", piece * 10_000)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Lines such as `=-`, `-=` or `==-` are none, and `==` is.",
            (("=-", "-="), ("=-", "==-"), ("-=", "==-")),
        ),
        (
            "`http://@a.org` is valid, `http://^@a.org` is not.",
            (("http://@a.org", "http://^@a.org"),),
        ),
        (
            "`{:,d}` parses `12,345` and `-12,345`; `{:d}` does not.",
            (("{:,d}", "{:d}"), ("12,345", "-12,345")),
        ),
        ("`Hello World!` becomes `Hello World?`.", ()),
        (
            "`-1` is the option `1`. All are numbers, `-1.5` and `-.5` included. `-2` stays as it is.",
            (("-1", "-1.5"), ("-1", "-.5"), ("-1.5", "-.5")),
        ),
        ("In `3.10` it is 12 instead of `3.9`.", ()),
        ("`cut_text` and `cut_texts` are wrong for `a b`.", ()),
        ("`http://@a.org` must stay valid, as `http://b@a.org` does.", ()),
    ],
)
def test_inputs_that_look_like_each_other(text: str, found: tuple[tuple[str, str], ...]) -> None:
    assert alike(wanted(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "`match('/a', '/**/a/b')` is wrong. That goes for `/**/a/**/b`, too.",
            (("/**/a/b", "/**/a/**/b"),),
        ),
        ("`match('/a', '/**/a/b')` is wrong. `/**/a/c` stays as it is.", ()),
        ("`match('/**/a/b')` is wrong, unlike `match('/**/a/c')`.", ()),
        ("`match('ab')` is wrong, `/**/a/b` is not.", ()),
    ],
)
def test_inputs_that_look_like_what_a_call_is_shown_with(
    text: str, found: tuple[tuple[str, str], ...]
) -> None:
    assert like_shown(wanted(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`~1.2` accepts `1.2.0-rc`. `~1.2.3` keeps its bound.", (("~1.2", "~1.2.3"),)),
        ("`~1.2` accepts `1.2.0-rc`. `~1.2.3` stays as it is without the option.", ()),
        ("`~1.2` accepts `1.2.0-rc`. `a b` stays as it is.", ()),
        ("`~1.2` is wrong. `~1.2` stays as it is.", ()),
    ],
)
def test_inputs_that_stay_beside_those_that_do_not(
    text: str, found: tuple[tuple[str, str], ...]
) -> None:
    assert kept_beside([wanted(text)]) == found


@pytest.mark.parametrize(
    ("shown", "is_alike"), [("cache/*", True), ("*.tmp", False), ("cache", False), ("a-b", False)]
)
def test_a_text_with_the_same_signs_stands_for_one_that_is_shown(
    shown: str, is_alike: bool
) -> None:
    assert has_alike(shown, "assert create(root, ignore=['sub/*', 'sub', 'x-y'])") is is_alike
