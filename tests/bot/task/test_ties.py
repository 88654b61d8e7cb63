"""Ties between requirements and tests: real pairs of merged pull requests tie, strangers do not.

The pairs are titles and test names of merged pull requests of tenacity, sqlparse, pluggy and
marshmallow. Over 194 such pull requests (the last 60 of each that touch source and tests) the
threshold of 0.4 ties 56 % to a test of their own, and 2 % of 698 titles to another one's.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.task.code_names import asked_code, code_around, named_code
from bot.task.refusals import leaves_error_unasked
from bot.task.ties import THRESHOLD, speaks_of, tie_tests
from bot.text.words import Vocabulary, code_words, stem, words_of
from bot.values import Category, Requirement, TestChange, Trust
from tests.bot.verdict.cases import KEPT, comparison, requirements

PAIRS = [
    ("Accept empty message in retry_if_exception_message", "test_retry_if_exception_message_empty_message"),
    ("Escape backslashes in output formatters.", "test_php_escapes_backslashes"),
    ("Fix get_real_name for names with more than two dotted parts", "test_get_real_name_multi_part_dotted"),
    ("fix: make Retrying and retry strategies picklable", "test_retry_strategies_picklable"),
    ("Improve splitting of Transact SQL when using GO keyword", "test_split_transact_go"),
    ("Fix parsing of backticks (fixes #588).", "test_splitting_at_and_backticks_issue588"),
    ("Deprecate __version__ and related attributes", "test_version_attributes_deprecated"),
    ("Raise SQLParseError instead of RecursionError.", "test_max_recursion_raises_sqlparse_error"),
    ("Fix boolean handle unhashable exception", "test_boolean_can_dump_unhashable"),
    ("Comments don't swallow the semicolon (#1213)", "test_semicolon_after_comment_stays_in_place"),
]  # fmt: skip
TESTS = [
    comparison(name, TestChange.FAIL_TO_PASS, f"def {name}():\n    assert run()\n")
    for _, name in PAIRS
]


def asked(*texts: str):
    body = "".join(f"- [ ] {text}\n" for text in texts)
    return [r for r in requirements("several things", body).items if r.id.startswith("R")]


@pytest.mark.parametrize(("title", "name"), PAIRS)
def test_a_title_ties_to_its_own_test_and_to_no_other(title, name):
    (requirement,) = asked(title)
    ties = tie_tests([requirement], TESTS, (*TESTS, *KEPT))
    assert [tie.test_id.rsplit("::", 1)[1] for tie in ties] == [name]
    assert ties[0].score >= THRESHOLD
    assert "matched on: " in ties[0].why


TOPIC = "For each node, expose `.start_pos` and `.end_pos`, as in `[a](b)`."


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("test_start_pos_end_pos_properties", "matched on: end_pos, start_pos"),
        ("test_start_position", ""),
        ("test_node", ""),
    ],
)
def test_a_topic_ties_to_the_test_that_bears_a_name_which_its_text_writes_as_code(name, why):
    (topic,) = [one for one in requirements("Source mapping", TOPIC).items if one.id == "R1"]
    test = comparison(name, TestChange.FAIL_TO_PASS, f"def {name}():\n    assert run()\n")
    assert [tie.why for tie in tie_tests([topic], [test], (test, *KEPT))] == ([why] if why else [])


@pytest.mark.parametrize(
    ("name", "is_tied"),
    [
        ("formats digits (%i)", True),
        ("formats %integers", False),
        ("formats digits (%d)", False),
        ("formats i", False),
    ],
)
def test_a_demand_ties_to_the_test_whose_title_has_its_code_with_signs(name, is_tied):
    (demand,) = asked("Support the `%i` token")
    code = f"it('{name}', () => {{\n  expect(run()).toBe(1)\n}})\n"
    test = comparison(name, TestChange.FAIL_TO_PASS, code)
    assert [tie.why for tie in tie_tests([demand], [test], (test, *KEPT))] == [
        "matched on: %i"
    ] * is_tied


def test_an_option_is_one_name_and_what_only_controls_a_measurement_is_none():
    text = "With `unique-deps-size` sizes are reused.\n\nThe plain `size` case is a regression control."
    (asked,) = [one for one in requirements("perf: reuse", text).items if one.id == "R1"]
    assert asked_code(asked) == {"unique_deps_size"}


TWO = (
    "`parse_amount` accepts thousands separators, such as `1,234.50`",
    "`parse_amount` raises `ValueError` for negative amounts",
)


@pytest.mark.parametrize(
    ("name", "code", "tied"),
    [
        (
            "test_parse_amount_accepts_thousands_separators",
            "assert parse_amount('1,234.50') == 1",
            0,
        ),
        ("test_thousands_separators", "assert parse_amount('1,234') == 123400", 0),
        ("test_parse_amount_refuses_negative_amounts", "pytest.raises(ValueError)", 1),
        ("test_negative", "with pytest.raises(ValueError): parse_amount('-3.20')", 1),
        ("test_parse_amount", "assert parse_amount('12') == 1200", None),
        ("test_parse_amount_strips_spaces", "assert parse_amount(' 12 ') == 1200", None),
        ("test_format_amount_writes_two_digits", "assert format_amount(1) == '0.01'", None),
    ],
)
def test_of_two_requirements_about_one_function_only_the_meant_one_is_tied(name, code, tied):
    test = comparison(name, TestChange.FAIL_TO_PASS, f"def {name}():\n    {code}\n")
    old = comparison("test_parse_amount_reads", TestChange.PASS_TO_PASS, "parse_amount('12.50')")
    found = asked(*TWO)
    ties = tie_tests(found, [test], (test, old, *KEPT))
    assert [tie.requirement_id for tie in ties] == ([] if tied is None else [found[tied].id])


LONG = (
    "Three-letter names for months (`jan` to `dec`) and for weekdays (`sun` to `sat`), in upper or lower "
    "case, wherever a number of that field can stand: alone, in lists and in ranges",
    "`Schedule.parse` should know the nicknames `@hourly`, `@daily` and `@monthly`",
)


@pytest.mark.parametrize(
    ("name", "is_tied"),
    [
        ("test_named_months_and_weekdays", True),
        ("test_weekday_names", True),
        ("test_months", False),  # one word, and the other demand has it
        ("test_weekday_of_a_leap_year", False),
    ],
)
def test_of_a_long_demand_a_test_is_that_only_its_words_name(name, is_tied):
    test = comparison(name, TestChange.FAIL_TO_PASS, f"def {name}():\n    assert f('x') == 1\n")
    found = asked(*LONG)
    ties = tie_tests(found, [test], (test, *KEPT))
    assert [tie.requirement_id for tie in ties] == [found[0].id] * is_tied


FRACTIONS = (
    "Pure fractions are read, `0/5` and `1/2` too",
    "Mixed fractions are read: `5 0/2` is 5, `2 1/5` is 2.2",
)
MIXED = """
@pytest.mark.parametrize(
    ("text", "value"),
    [pytest.param("5 0/2", 5, id="pure fractions"), ("2 1/5", 2.2)],
    ids=["pure fraction", "pure"],
)
def test_mixed_fractions(text, value):
    assert number(text) == value
"""


def test_digits_and_ids_of_cases_tie_nothing():
    found = asked(*FRACTIONS)
    test = comparison("test_mixed_fractions[pure fractions-5 0/2]", TestChange.FAIL_TO_PASS, MIXED)
    ties = tie_tests(found, [test], (test, *KEPT))
    assert [tie.requirement_id for tie in ties] == [found[1].id]
    (digits,) = asked("`0/5` is 0, and `1/2` is 0.5")
    assert not tie_tests([digits], [test], (test, *KEPT))
    assert not speaks_of(digits, test)


def test_words_of_any_test_tie_nothing():
    (plain,) = asked("Any number is given by name as a string")
    test = comparison("test_number_string", TestChange.FAIL_TO_PASS, "assert number('name') == 'a'")
    assert not tie_tests([plain], [test], (test, *KEPT))
    assert not speaks_of(plain, test)


def test_a_number_that_is_part_of_a_name_ties():
    found = asked("Digests by sha256 are read", "Digests by sha512 are read")
    test = comparison(
        "test_sha512_digests", TestChange.FAIL_TO_PASS, "assert digest('x', 'sha512')"
    )
    ties = tie_tests(found, [test], (test, *KEPT))
    assert [tie.requirement_id for tie in ties] == [found[1].id]


def test_explicit_mentions():
    (named,) = asked("make test_split_even pass")
    test = comparison("test_split_even", TestChange.FAIL_TO_PASS, "def test_split_even(): ...")
    (tie,) = tie_tests([named], [test], [test])
    assert (tie.explicit, tie.score) == (True, 1.0)
    (issue,) = [r for r in requirements("Odd crash").items if r.id == "R1"]
    for name, source in [("test_issue7", ""), ("test_crash", "# see #7"), ("test_gh_7", "")]:
        test = comparison(name, TestChange.FAIL_TO_PASS, source or f"def {name}(): ...")
        assert tie_tests([issue], [test], [test])[0].explicit
    for name, source in [("test_issue70", ""), ("test_7", ""), ("test_x", "n = 7")]:
        test = comparison(name, TestChange.FAIL_TO_PASS, source or f"def {name}(): ...")
        assert not any(tie.explicit for tie in tie_tests([issue], [test], [test]))


def test_an_issue_number_ties_nothing_when_the_issue_lists_several_things():
    test = comparison("test_issue7", TestChange.FAIL_TO_PASS, "def test_issue7(): ...")
    assert tie_tests(asked(*TWO), [test], [test]) == ()


def test_a_word_that_a_name_of_code_writes_as_two_is_spoken_of():
    body = "    assert accessor.calls == 1\n"
    test = comparison("test_single", TestChange.FAIL_TO_PASS, f"def test_single():\n{body}")
    for name, is_spoken_of in (("TestGetItemSpeed", True), ("TestItemGetSpeed", False)):
        named = replace(test, id=f"tests/test_a.py::{name}::test_single")
        assert speaks_of(asked("Optimize getitem")[0], named) is is_spoken_of


def test_speaking_of_the_same_thing():
    (requirement,) = asked("split refuses zero people")
    assert speaks_of(requirement, comparison("test_split", TestChange.FAIL_TO_PASS))
    assert not speaks_of(requirement, comparison("test_banana", TestChange.FAIL_TO_PASS, "peel()"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Beside `total`: the mean of no prices is 0.", set()),
        ("Unlike `parse`, `load(text)` keeps the order.", {"load", "text"}),
        ("Use `fetch` instead of the existing `get`.", {"fetch"}),
        ("Something like `parse('x')` returns None.", {"parse"}),
        ("Cap it at `most`; the oldest goes (`has` doesn't count).", {"most"}),
        ("Tabs become spaces, also in what `custom_format` returns.", set()),
        ("Guard `put` with the check that `take` already makes.", {"put"}),
        ("A line break makes a list that `kit verify` cannot read.", set()),
        ("`total` refuses to take `None`.", {"total"}),
    ],
)
def test_what_a_demand_is_only_compared_with_is_not_what_it_is_about(text, names):
    (requirement,) = asked(text)
    assert named_code(requirement) == names


def test_what_an_author_tells_of_the_trouble_only_shows_it() -> None:
    told = "For no bytes `take()` gave nothing, as in:\n\n```\nshow(take())\n```"
    (requirement,) = asked("Read a packet without a code")
    asked_for = replace(requirement, detail=told)

    assert code_around(replace(asked_for, trust=Trust.AUTHOR)) == {"take", "show"}
    assert code_around(asked_for) == {"show"}


def test_what_is_kept_is_not_what_a_demand_is_about():
    kept = "`size` is measured, too. What the table holds (`rows`) keeps its tabs."
    (requirement,) = asked("Tabs break the alignment")

    assert named_code(replace(requirement, detail=kept)) == {"size"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Add snake_case shims for isClosed & closesAt (#7)", {"snake_case"}),
        ("Add `sum_up`, an alias of `total`.", {"sum_up"}),
        ("re-add .any method as alias to .isClosed", set()),
        ("Add an alias for `total`, and `mean` raises a ValueError.", {"total", "mean"}),
        ("The alias for `total` that `mean` calls is gone", {"total", "mean"}),
        ("Let `total` round", {"total"}),
    ],
)
def test_what_an_alias_stands_for_is_not_what_is_asked_for(text, names):
    (requirement,) = asked(text)
    assert asked_code(requirement) & {"isClosed", "closesAt", *names} == names


@pytest.mark.parametrize(
    ("one", "other"),
    [("raises", "raised"), ("amounts", "amount"), ("copies", "copy"), ("parsing", "parse")],
)  # fmt: skip
def test_endings_are_cut(one, other):
    assert Vocabulary(frozenset({stem(one)})).knows(stem(other))


def test_identifiers_are_split_and_literals_are_read():
    assert words_of("getRealName HTTPServer parse_amount") >= {"real", "nam", "pars", "amount"}
    assert {"empti", "negat"} <= code_words("assert f('') == -1")
    assert "zero" in words_of("split(10, 0)")


@given(st.lists(st.text(max_size=40), max_size=4), st.text(max_size=60))
def test_any_words_are_tied_or_not(texts, source):
    wanted = [
        r
        for r in requirements("x", "".join(f"- [ ] a{t}\n" for t in texts)).items
        if r.id[0] == "R"
    ]
    test = comparison("test_any", TestChange.FAIL_TO_PASS, source)
    assert all(THRESHOLD <= tie.score <= 1 for tie in tie_tests(wanted, [test], [test]))


def test_a_test_with_a_title_is_tied_by_its_words_and_not_by_a_common_one():
    wanted = [
        r for r in asked("Emit `add` when a task.is added", "The logo is purple") if r.id[0] == "R"
    ]
    titled = comparison("x", TestChange.FAIL_TO_PASS, "queue.add(); assert(emitted);")
    title = replace(titled, id="test/a.js::emits add when a task.is added", path="test/a.js")
    word = replace(titled, id="test/a.js::is", path="test/a.js", source="unrelated")
    ties = tie_tests(wanted, [title, word], [title, word])
    assert [(tie.requirement_id, tie.test_id) for tie in ties] == [(wanted[0].id, title.id)]
    assert not any(tie.explicit and tie.test_id == word.id for tie in ties)


def test_a_member_that_is_called_as_a_builtin_is_what_a_demand_is_about():
    (requirement,) = asked("`proxy.compile(names)` leaves its argument, as `compile` and `list` do")
    assert named_code(requirement) == {"proxy", "compile", "names"}


def test_a_test_is_of_the_one_demand_whose_function_it_calls_and_is_named_after() -> None:
    wanted = tuple(
        Requirement(f"R{n}", text, Category.BEHAVIOUR, "the task", Trust.ASKER)
        for n, text in enumerate(
            ("`dropUnit(name)` says whether it was there", "`units(of)` sorts"), 1
        )
    )
    source = "it('forgets', () => {\n  expect(dropUnit('mile')).toBe(true);\n});"
    known = comparison("x", TestChange.FAIL_TO_PASS, source)
    test = replace(
        known, id="test/registry.test.ts::dropUnit > forgets", path="test/registry.test.ts"
    )
    (tie,) = tie_tests(wanted, [test], [test])
    assert (tie.requirement_id, tie.why) == ("R1", "it is named after `dropUnit`, which it calls")
    uncalled = replace(test, source=source.replace("dropUnit", "drop"))
    assert not tie_tests(wanted, [uncalled], [uncalled])
    bare = (replace(wanted[0], text="`dropUnit` says whether it was there"), wanted[1])
    assert tie_tests(bare, [test], [test]) == (tie,)
    both = (wanted[0], replace(wanted[1], text="`dropUnit(name)` sorts"))
    assert not tie_tests(both, [test], [test])


def test_a_test_of_python_is_named_after_a_function_by_a_part_of_its_name() -> None:
    wanted = tuple(
        Requirement(f"R{n}", text, Category.BEHAVIOUR, "the task", Trust.ASKER)
        for n, text in enumerate(
            (
                "Please add `Cache.purge()`, which says how many went",
                "`Cache.purge_all(now)` is quick",
            ),
            1,
        )
    )

    def tied(name: str, source: str) -> set[str]:
        known = comparison("x", TestChange.FAIL_TO_PASS, f"def {name}():\n    {source}\n")
        test = replace(known, id=f"tests/test_cache.py::{name}", path="tests/test_cache.py")
        return {
            one.requirement_id for one in tie_tests(wanted, [test], [test]) if one.explicit is False
        }

    assert tied("test_purge_of_nothing", "assert Cache().purge() == 0") == {"R1"}
    assert tied("test_purge_all", "cache.purge(); assert cache.purge_all(0)") == {"R2"}
    assert not tied("test_purged", "assert Cache().purge() == 0")


@pytest.mark.parametrize(
    ("demand", "is_left"),
    [
        ("`parse` must raise `CronError` for `@often`", True),
        ("`parse` should know `@daily`. An unknown name must raise `CronError`.", False),
        ("`@often` is no name. It must raise `CronError`.", True),
    ],
)
def test_a_demand_for_an_error_alone_leaves_other_tests_out(demand, is_left):
    (one,) = asked(demand)
    test = comparison("test_daily", TestChange.FAIL_TO_PASS, "assert parse('@daily') == 1")
    assert leaves_error_unasked(one, test) is is_left


SIGNED = (
    "`put(name, payload, priority=0)`: `take` returns the job with the highest priority first",
    "`put(name, payload, delay=0)`: a job is not returned before `delay` seconds have passed",
    "`Relay(inbox, *, delay=None)`: passes it on",
)


@pytest.mark.parametrize(
    ("code", "tied"),
    [
        ("pool.put('a', 1, priority=2)", 0),
        ("pool.put('a', 1, delay=5)", 1),
        ("Relay(box, delay=5).run()", 2),
        ("pool.put('a', 1)", None),
        ("pool.input('a', priority=2)", None),
    ],
)
def test_a_test_is_of_the_demand_whose_function_it_calls_with_what_only_that_takes(
    code: str, tied: int | None
) -> None:
    name = "test_order"
    test = comparison(name, TestChange.FAIL_TO_PASS, f"def {name}():\n    {code}\n")
    found = asked(*SIGNED)
    ties = tie_tests(found, [test], (test, *KEPT))
    assert [tie.requirement_id for tie in ties] == ([] if tied is None else [found[tied].id])


ENDING = (
    "From `until` on the grant counts no more: `allows` and `roles_of` behave as if it were not there",
    "`allows` and `roles_of` take `at=` (an aware datetime), so that one can ask about another moment",
    "Granting a role again replaces the end: `grant(...)` makes it permanent, another `until` moves it",
    "A name with a backslash or a line feed starts its line with a backslash; reading gives the name back",
)


@pytest.mark.parametrize(
    ("name", "code", "tied"),
    [
        (
            "test_it",
            "p.grant(until=E); assert p.allows(at=E - 1); assert not p.roles_of(at=E)",
            ["R1", "R2"],
        ),
        ("test_it", "p.grant(until=E); assert not p.roles_of(at=E)", []),
        ("test_it", "p.grant(1, until=E); p.grant(1)", []),  # two names, as any test may use
        ("test_backslash_before_n", "assert read(write('a\\n')) == 'a\\n'", ["R4"]),
        ("test_backslash_of_windows_drives", "assert read(write('a\\n')) == 'a\\n'", []),
    ],
)
def test_a_long_demand_is_shown_by_a_test_that_uses_its_names_or_that_only_it_speaks_of(
    name: str, code: str, tied: list[str]
) -> None:
    wanted = asked(*ENDING)
    test = comparison(name, TestChange.FAIL_TO_PASS, f"def {name}():\n    {code}\n")
    ties = tie_tests(wanted, [test], (test, *KEPT))
    assert [tie.requirement_id for tie in ties] == [f"R{int(one[1])}" for one in tied]
    held = replace(test, change=TestChange.PASS_TO_PASS)
    assert not tie_tests(wanted, [held], (held, *KEPT))
