"""Which of the things that a demand names side by side its tests leave out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.task.alternatives import (
    named_together,
    side_by_side,
    untested_alternatives,
)
from bot.task.refusals import refused_beyond
from bot.values import Category, Requirement, Trust

LEFT_OUT = {
    "settings": (
        "Quotes must be escaped with `form='python'` and `form='php'`.",
        "assert dump(1, form='python')",
        ("form='php'", "form='python'"),
    ),
    "options": (
        "It should be so for `basename` and for `matchBase`.",
        "is({basename: true})",
        ("matchBase", "basename"),
    ),
    "a list": (
        'Each must be folded: `"\\r"`, `"\\v"`, `"\\u2028"`.',
        '["\\r", "\\v"]',
        ('"\\u2028"', '"\\r"'),
    ),
    "two that should": (
        "Both names, `load`, and `dump` must be found.",
        "load()",
        ("dump", "load"),
    ),
    "in one list": (
        "It is so in `one`, `two` and in `three`.",
        "one three",
        ("two", "one"),
    ),
    "what comes to something": (
        "Decode `Mapping` and `Bag` to `dict`, `Set` to `set`.",
        "WithMapping(1), WithBag(2), set()",
        ("Set", "Mapping"),
    ),
    "values of a variable": (
        "`CACHE=0` or `CACHE=false` should switch it off.",
        "assert.equal(options({ CACHE: '0' }).cache, false)",
        ("CACHE=false", "CACHE=0"),
    ),
    "what there is and should be": (
        "`one` and `two` must be taken, as today.",
        "one",
        ("two", "one"),
    ),
    "functions": (
        "pack() and unpack() take a prefix for the name",
        "assert unpack(b'')",
        ("pack", "unpack"),
    ),
}
NOTHING = {
    "all": ("Both `one` and `two` must work.", "one two"),
    "none": ("Both `one` and `two` must work.", "three"),
    "what there is": ("It knows `one`, `two` and `three`. `four` is missing.", "one, four"),
    "either": ("It raises `TypeError` or `ValueError`.", "raises(TypeError)"),
    "values of a variable": ("`CACHE=0` or `CACHE=no` is off.", "{CACHE: '0'}, 'CACHE=no'"),
    "variables": ("`CACHE=0` or `DEBUG=1` is needed.", "{CACHE: '0'}"),
    "kept": ("`load` and `dump` must keep working.", "load()"),
    "apart": ("`load` is wrong. `dump` is right.", "load()"),
    "a value and a call": ("It gives `'ids'` and `f('B')` is fine.", "'ids'"),
    "shown": ("It is wrong.\n\n```\n`one`, `two`\n```\n", "one"),
    "two clauses": ("It should be a `BadData`, and `poll` should log it.", "raises(BadData)"),
    "methods": ("`Watcher.poll` and `Watcher.run` must log it.", "w.poll(), w.run()"),
    "private": ("Drop stale `align` and `valign` keys", "assert 'a' not in (t.align, t._valign)"),
    "private functions": ("The parts (`_load`, `_dump`) must move to `both`.", "_load()"),
    "two sides of one thing": ("So it is in arrays of `items`, with `type` set.", "type"),
    "digits": ("`1` and `2` are wrong.", "1"),
    "and so on": ("Every key schema: `Regex`, `And`, `Or` and so on.", "Regex"),
    "between": ("A set of `rules`, placed between `load` and `dump`, should win.", "load()"),
    "such as": ("Wrong for names such as `load` and `dump`.", "load()"),
    "what it comes to": (
        "`list` becomes `tuple`, `Map` becomes `dict`.",
        "{list: tuple, WithMap: 1}",
    ),
    "neither": ("Rename `load` to `read`, `dump` and `save` stay.", "read, dump"),
    "a name and a text": ('It means the key\'s for a `Key` and "none" otherwise.', "Key"),
    "results": (r"It gives `\~/*.txt`, `\~b*` and `\~/a\~b*`.", r"\~/*.txt"),
    "one thing of both": ("It may be derived from `kty` and `crv`.", "kty"),
    "or similar": ("It must take `load`, `dump` (or similar).", "load()"),
}


def wanted(text: str) -> Requirement:
    """A demand of behavior."""
    return Requirement("R1", text, Category.BEHAVIOUR, "issue #1", Trust.ASKER)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_tests_leave_out_is_named(name: str) -> None:
    text, code, found = LEFT_OUT[name]
    assert untested_alternatives(wanted(text), code) == found


PLAIN = {
    "two": ("Add price and discount helpers", "shop.price(4)", ("discount", "price")),
    "one of them marked": ("Add `price` and discount", "shop.price(4)", ("discount", "price")),
    "both tested": ("Add price and discount helpers", "price(4), discount(4, 1)", None),
    "in no list": ("Add a price that may discount", "shop.price(4)", None),
    "a part of a name": ("Add price-tags and discount", "shop.price(4)", None),
    "in quotes": ('Say "price and discount" there', "shop.price(4)", None),
}


@pytest.mark.parametrize("name", PLAIN)
def test_names_of_what_a_change_adds_count_without_being_marked(name: str) -> None:
    text, code, found = PLAIN[name]
    assert untested_alternatives(wanted(text), code, {"price", "discount"}) == found
    assert untested_alternatives(wanted(text), code) is None


@pytest.mark.parametrize("name", NOTHING)
def test_where_nothing_is_listed_nothing_is_left_out(name: str) -> None:
    text, code = NOTHING[name]
    assert untested_alternatives(wanted(text), code) is None


SIDE_BY_SIDE = {
    "signs": ("It should give `'ab'`, with `-` as with `_`.", (("-", "_"),)),
    "options": ("It takes `left=True` and `right=True`.", (("left", "right"),)),
    "texts": ("It works for `'a b'`, `'php'` and `'python'`.", (("php", "python"),)),
    "mixed": ("Cut at `;`, `word` and `,`.", ((";", ","),)),
    "inputs": ("`1.x.5`, `x.1` and `*.1` are invalid.", (("1.x.5", "x.1", "*.1"),)),
    "results": ("`1.x.5` is read as `1.x`, and `x.1` as `*`.", ()),
    "names": ("`a.b`, `c.d`, `e-f`, `--g`, `h.py` and `i/j` are read.", ()),
    "code": ("`f(1)` and `f(2)` are wrong.", ()),
    "apart": ("`load` is wrong. `dump` is right.", ()),
    "same": ("`roman(9)` gives `'IX'`. The same goes for 4 and 40.", (("9", "4", "40"),)),
    "versions": ("`f(9)` fails. The same goes for Python 3.10 and 3.11.", ()),
    "from": ("100 euros or more ship for free: `post(120)` is 0.", (("120", "100"),)),
    "up_to": ("It takes at most 10 items, as `take(3)`.", (("3", "10"),)),
    "outside": ("100 or more ship for free; `post(80)` is 5.", ()),
}


@pytest.mark.parametrize("name", SIDE_BY_SIDE)
def test_words_and_signs_that_stand_side_by_side_are_found(name: str) -> None:
    text, found = SIDE_BY_SIDE[name]
    assert side_by_side(wanted(text)) == found


BEYOND = {
    "zero": ("A negative `n` should raise `ValueError`.", "f('ab', -1)", "f('ab', 0)", "negative"),
    "asked": ("A negative `n` should raise `ValueError`.", "f('ab', -1)", "f('ab', -2)", ""),
    "bound": ("It should refuse numbers above 9.", "f(12)", "f(9)", "above 9"),
    "both_sides": ("It raises an error below 0 or above 100.", "f(-1)", "f(101)", ""),
    "beside": ("It raises an error below 0 or above 100.", "f(1000, -1)", "f(0, -1)", ""),
    "between": ("It raises an error below 0 or above 100.", "f(101)", "f(100)", "above 100"),
    "included": ("A negative `n`, or zero, should raise `ValueError`.", "f(-1)", "f(0)", ""),
    "message": ('A negative `n` raises "must be at least 0".', "f(-1)", "f(0)", "negative"),
    "another": ("A negative `n` should raise `ValueError`.", "f(-1, 3)", "f(0, 4)", ""),
    "no_refusal": ("A negative `n` counts from the end.", "f(-1)", "f(0)", ""),
}


@pytest.mark.parametrize("name", BEYOND)
def test_a_number_beyond_those_that_are_to_be_refused_is_found(name: str) -> None:
    text, tested, near, found = BEYOND[name]
    assert refused_beyond(wanted(text), tested, near) == found


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Fix `Map.get` and `find`", "", [("get", "find")]),
        (
            "Rows",
            "`find`, `count` and `first` fail. `one` and `two` are tools.",
            [("find", "count", "first")],
        ),
        ("`find` and `count` give different results", "", []),
        ("Rows", "`find` and `count` should behave as `first` does.", []),
        ("`set` and `list` fail", "", []),  # not of the project
        ("`find` should use `count`", "", []),
        (
            "Rows",
            "Both should find it: `load` by its name, and `find` by its path.",
            [("load", "find")],
        ),
        ("Rows", "Both `load` and `find` should use `count`.", [("load", "find")]),
    ],
)
def test_the_names_of_which_the_same_is_asked(
    title: str, text: str, found: list[tuple[str, ...]]
) -> None:
    asked = replace(wanted(title), detail=text)
    assert list(named_together(asked)) == found
    assert not list(named_together(replace(asked, trust=Trust.AUTHOR)))


def test_what_there_is_stands_in_the_place_of_nothing() -> None:
    known = "`apply` knows `add`, `remove` and `test`. "
    assert side_by_side(wanted(f"{known}`copy` is missing.")) == ()
    assert side_by_side(wanted("It must take `add` and `remove`.")) == (("add", "remove"),)
