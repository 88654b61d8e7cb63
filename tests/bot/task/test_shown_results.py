"""What an issue shows by example and allows, and what an edited test asks for: only the same is the same."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from bot.task.examples.calls import shown_results
from bot.task.examples.results import newly_asked
from bot.task.permissions import (
    asks_to_remove_function,
    lets_go,
    permitted_changes,
    removed_names,
    speaks_of_test,
)
from bot.task.ties import test_name as name_of
from bot.values import PermittedChange, TaskSource, TestChange, Trust
from tests.bot.verdict.cases import comparison, requirements


def source(text: str, title: str = "") -> TaskSource:
    return TaskSource("issue #7", title, text, Trust.ASKER)


@pytest.mark.parametrize(
    ("text", "call", "result"),
    [
        ('``slugify("A B")`` should give ``hello_world``.', "slugify('A B')", "'hello_world'"),
        ("- `total([1, 2])` must return `3`", "total([1, 2])", "3"),
        ("Now `a.parse('x', strict=True)` should be `None`!", "parse('x', strict=True)", "None"),
        ("`isOn(1)` should return `true`.", "isOn(1)", "True"),
        ("`name()` should now print \"Ada\".", "name()", "'Ada'"),
        ("`half(3)` has to return 1.5", "half(3)", "1.5"),
        ("`now(0)` should be `Decimal('1')`", "now(0)", "Decimal('1')"),
        ('`table("C:\\\\a.csv")` should give `C:\\\\a.md`', r"table('C:\\a.csv')", r"'C:\\a.md'"),
        ('`table("C:\\\\a.csv")` should give `C:\\\\a.md`', r"table('C:\\a.csv')", r"'C:\\\\a.md'"),
        (r"`cell('a b')` should give `a\tb`", "cell('a b')", r"'a\tb'"),
    ],
)  # fmt: skip
def test_what_a_sentence_shows(text: str, call: str, result: str) -> None:
    (shown,) = shown_results(source(text))
    assert shown.call == call
    assert result in shown.results
    assert shown.origin == "issue #7"


@pytest.mark.parametrize(
    "text",
    [
        "`f(1)` gives `2`, which is wrong.",
        "`f(1)` should not give `2`.",
        "`f(1)` should give `2` or `3`.",
        "`f(x)` should give `2`.",
        "`f(g(1))` should give `2`.",
        "> `f(1)` should give `2`.",
        "<!-- `f(1)` should give `2`. -->",
        "`f` should give `2`.",
        "```\n`f(1)` should give `2`\n```",
        "`f(" + "(" * 190 + "` should give `2`.",
    ],
)
def test_what_shows_nothing(text: str) -> None:
    assert not list(shown_results(source(text)))


PLAIN = "def test_it():\n    a = 1\n    with x:\n        assert f(1) == 2\n"
TABLE = (
    "@pytest.mark.parametrize('n, w', [(1, 2), (3, 4)])\ndef test_it(n, w):\n    assert f(n) == w\n"
)
SCRIPT = "test('it', () => {\n  expect(f(1)).toEqual({'a': 2});\n})"


@pytest.mark.parametrize(
    ("before", "old", "new", "asked"),
    [
        (PLAIN, "== 2", "== 3", [("f(1)", "3")]),
        (TABLE, "(3, 4)", "(3, 5)", [("f(3)", "5")]),
        (SCRIPT, "2", "3", [("f(1)", "{'a': 3}")]),
        ("test('it', () => {\n  assert.equal(f(1), 2);\n})", "2", "3", [("f(1)", "3")]),
        (PLAIN, "== 2", "!= 2", []),
        (PLAIN, "== 2", "== 3 or True", []),
        (PLAIN, "f(1) == 2", "f(2) == 3", []),
        (PLAIN, "a = 1", "a = 2", []),
        (PLAIN, "with x", "with y", []),
        (PLAIN, "def test_it", "@skip\ndef test_it", []),
        (PLAIN, "    a = 1\n", "", []),
        (TABLE, ", (3, 4)", "", []),
        (TABLE, "(3, 4)", "(5, 6)", [("f(5)", "6")]),
        (TABLE, "== w", "== w or 1", []),
        (SCRIPT, "toEqual", "toMatchObject", []),
        (SCRIPT, "expect(f(1))", "expect(f(1)).not", []),
        (SCRIPT, "test(", "test.skip(", []),
    ],
)  # fmt: skip
def test_what_an_edit_asks_for_anew(before, old, new, asked) -> None:
    assert before.count(old) >= 1
    found = newly_asked(before, before.replace(old, new))
    assert [(one.call, one.result) for one in found] == asked


DIGEST = comparison(
    "test_digest_of_words", TestChange.EXPECTATION_CHANGED,
    "def test_digest_of_words():\n    assert digest('ab') == 195\n", path="tests/test_slug.py",
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "speaks"),
    [
        ("The test which pins exact digest values may change.", True),
        ("`test_digest_of_words` has to change.", True),
        ("`test_digest_of_words` may be updated.", True),
        ("The expectations in tests/test_slug.py should be adjusted.", True),
        ("The tests in `test_other.py` may change.", False),
        ("The digest test needs to be updated.", True),
        ("The test of the parser's digest may change.", False),
        (
            "The tests of digest and size that expect a plain sum have to change, this is intended.",
            True,
        ),
        ("Tests for `digest` must change.", True),
        ("The tests of size and sum have to change.", False),
        ("The tests of digest sums must not change.", False),
        ("Existing tests may change.", False),
        ("No test of the digest may change.", False),
        ("The digest test can't be updated.", False),
        ("The digest may change.", False),
    ],
)
def test_which_test_a_sentence_lets_change(sentence: str, speaks: bool) -> None:
    found = list(permitted_changes(source(sentence)))
    assert any(speaks_of_test(one, DIGEST) for one in found) is speaks


SAME_FILE = comparison(
    "test_types_are_told_apart", TestChange.EXPECTATION_CHANGED,
    "def test_types_are_told_apart():\n    assert digest(1) == digest('1')\n", path="tests/test_digest.py",
)  # fmt: skip
PINNED = "def test_digest_of_words():\n    assert digest('ab') == 195\n"


@pytest.mark.parametrize(
    ("sentence", "speaks"),
    [
        ("The expectation that `digest` of `ab` is 195 is to be changed to 196.", True),
        ("The expectation that `digest` is the sum may go.", True),
        ("The expectation about `digest` and `size` may go.", False),
    ],
)
def test_an_expectation_is_of_the_tests_that_have_lost_it(sentence: str, speaks: bool) -> None:
    (permitted,) = permitted_changes(source(sentence))
    changed = PINNED.replace("195", "196") + "    assert size('ab') == 2\n"
    pinned = replace(DIGEST, source_before=PINNED, source=changed)

    assert speaks_of_test(permitted, pinned) is speaks


@pytest.mark.parametrize(
    "sentence",
    [
        "The test that pins an exact digest can get a new value.",
        "The digest itself may change: the test that pins it exactly may have another value.",
        "The test which pins the literal digest may change.",
    ],
)
def test_one_test_that_is_described_is_not_its_whole_file(sentence: str) -> None:
    (permitted,) = permitted_changes(source(sentence))
    pinned = replace(DIGEST, path=SAME_FILE.path, source_before=PINNED)
    assert speaks_of_test(permitted, pinned)
    assert not speaks_of_test(permitted, SAME_FILE)


def test_a_test_that_pins_nothing_is_not_the_one_that_pins() -> None:
    (permitted,) = permitted_changes(source("The test that pins an exact digest may change."))
    before = "def test_digest_of_words():\n    assert digest('a b') != digest('b a')\n"
    assert not speaks_of_test(permitted, replace(DIGEST, source_before=before))


@pytest.mark.parametrize("end", (";", "."))
def test_this_test_is_the_one_that_was_just_named(end: str) -> None:
    named = f"`{name_of(DIGEST.id)}` pins what is read{end} this test may change."
    assert [speaks_of_test(one, DIGEST) for one in permitted_changes(source(named))] == [True]
    other = f"`test_other` pins what is read{end} this test may change."
    assert [speaks_of_test(one, DIGEST) for one in permitted_changes(source(other))] == [False]
    kept = f"`{name_of(DIGEST.id)}` must not change{end} that test may go."
    assert not list(permitted_changes(source(kept)))


@pytest.mark.parametrize(
    ("said", "speaks"),
    [("ten days", True), ("six days", False), ("ten weeks", False), ("10 days", True)],
)
def test_numbers_in_words_are_those_that_the_test_of_base_expects(said: str, speaks: bool) -> None:
    before = "it('supports days', () => {\n  expect(ms(864000000)).toBe('10d');\n});\n"
    test = comparison(
        "supports days", TestChange.EXPECTATION_CHANGED, before.replace("10d", "1w"), path="ms.test.js"
    )  # fmt: skip
    (permitted,) = permitted_changes(source(f"Tests that expect {said} may change."))
    assert speaks_of_test(permitted, replace(test, source_before=before)) is speaks


@pytest.mark.parametrize(
    ("row", "goes"), [("[00T]", True), ("[01R]", True), ("[12345]", False), ("", False)]
)
def test_the_row_of_a_value_that_a_permission_points_back_to_may_go(row: str, goes: bool) -> None:
    said = "`00T` and `01R` are refused. Tests that expect them to be refused may change. `12345` is none."
    (permitted,) = permitted_changes(source(said))
    assert lets_go(permitted, replace(DIGEST, id=f"{DIGEST.id}{row}")) is goes


def test_what_may_go() -> None:
    (permitted,) = permitted_changes(source("The test of the digest may be removed."))
    assert permitted == PermittedChange("The test of the digest may be removed.", "issue #7", True)
    assert speaks_of_test(permitted, DIGEST)


def test_long_hostile_texts_are_read_in_no_time() -> None:
    began = time.monotonic()
    for text in ("test " * 13_000, "`f(1)` should " * 4_000, "`" * 60_000, "the test may " * 5_000):
        list(permitted_changes(source(text)))
        list(shown_results(source(text)))
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Remove outputPath from the cli", {"outputPath"}),
        ("Remove ASCII_SPACE", {"ASCII_SPACE"}),
        ("Remove Plugin.add_options", {"add_options"}),
        ("chore(types): remove deprecated debugMode option (#840)", {"debugMode"}),
        ("Drop the `plain()` and `Text.bare` functions.", {"plain", "bare"}),
        ("Remove `bad` from `version` type, add fallback message (#258)", set()),
        ("Remove `typing_extensions` dependency on Python 3.9", set()),
        ("remove `LOGIN_DISABLED` config", {"LOGIN_DISABLED"}),
        ("Drop Python 3.9", set()),
        ("Get rid of import-legacy", {"import-legacy"}),
        ("Remove the `import-legacy` command", {"import-legacy"}),
        ("Remove import-legacy, it is slow", set()),
        ("fix: remove sourcehut bugstemplate (#213)", set()),
        ("Do not remove add_options", set()),
    ],
)
def test_the_names_that_a_demand_wants_gone(title, names):
    (asked,) = (one for one in requirements(title).items if one.text.startswith(title[:4]))
    assert removed_names(asked) == names


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        (
            "same_person is dead code",
            "Nothing calls `people.same_person`. Delete it.",
            {"same_person"},
        ),
        (
            "`load` and `dump` are not used any more",
            "So please remove them soon",
            {"load", "dump"},
        ),
        ("same_person is dead code", "Nothing calls `people.same_person`.", set()),
        ("same_person is slow", "Nobody should call it. Delete it.", set()),
    ],
)
def test_what_is_dead_is_wanted_gone_where_somebody_says_so(title, text, names):
    (asked,) = requirements(title, text).beside_baseline
    assert removed_names(asked) == names
    is_asked = asks_to_remove_function(asked, "same_person")
    assert is_asked is ("`people.same_person`" in text and "Delete" in text)
