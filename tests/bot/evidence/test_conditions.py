"""Conditions on a value that no test needs: whose verdict they touch, and when a task speaks of the value."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.said_values import is_mentioned, is_said
from bot.values import DamageSeen, TestChange, Verdict, VerdictOutcome
from sandbox.damage.values import (
    ALTERED,
    CONDITION,
    EXTENDED,
    KEY,
    NARROWED,
    PASSED_OVER,
    Damage,
    DamageTrial,
    OneValue,
)
from sandbox.elsewhere.values import BothSides, SecondLook, TestedInput
from tests.bot.verdict.cases import PATH, SPLIT, comparison, observed, requirements, verdict_of

NAME = "test_split_refuses_zero_people"
TASK = "- [ ] `split` refuses zero people\n"
TEST = comparison(NAME, TestChange.FAIL_TO_PASS, SPLIT.source)
OTHER = comparison("test_tips_are_rounded", TestChange.FAIL_TO_PASS, SPLIT.source)
HELD = comparison("test_total", TestChange.PASS_TO_PASS, SPLIT.source)


def noticed(
    symbol: str, *, path: str = "src/shop.py", by: tuple[str, ...] = (TEST.id,)
) -> DamageTrial:
    return DamageTrial(Damage(path, "emptied", 3, symbol, f"`{symbol}` does nothing"), by)


def on(*values: str, symbol: str = "split", path: str = "src/shop.py") -> Damage:
    what = "`people < 16` is always true"
    return Damage(path, CONDITION, 7, symbol, what, is_telling=False, names=values)


def asking(symbol: str, path: str = "src/shop.py") -> DamageTrial:
    return DamageTrial(on("16", symbol=symbol, path=path), unnoticed=("a", "b", TEST.id))


def verdict(unneeded: DamageTrial, *trials: DamageTrial) -> Verdict:
    seen = DamageSeen(trials, evidence_id="D1", unneeded=(unneeded,))
    known = observed(TEST, OTHER, HELD, damage=seen)
    wanted = requirements("Splitting", f"{TASK}- [ ] Tips are rounded\n")
    return verdict_of("R1", wanted, known)


def test_a_condition_that_nothing_needs_is_not_satisfied() -> None:
    found = verdict(asking("split"), noticed("split"))
    assert found.outcome is VerdictOutcome.UNVERIFIED
    assert (
        "all 3 tests pass, too, where `people < 16` is always true (src/shop.py:7)" in found.reason
    )
    assert "D1" in found.evidence_ids and found.next_step


@pytest.mark.parametrize(
    ("demand", "differs", "outcome"),
    [
        ("Improve the performance of `split`", False, VerdictOutcome.SATISFIED),
        ("perf: split without copies", False, VerdictOutcome.SATISFIED),
        ("Make `split` faster", False, VerdictOutcome.SATISFIED),
        ("Make `split` faster", True, VerdictOutcome.UNVERIFIED),
        ("Give `split` a performance report", False, VerdictOutcome.UNVERIFIED),
        ("Improve `split`", False, VerdictOutcome.UNVERIFIED),
        ("Optimize what `split` gives", False, VerdictOutcome.UNVERIFIED),
    ],
)
def test_what_is_only_to_be_faster_may_do_the_same_in_another_way(
    demand: str, differs: bool, outcome: VerdictOutcome
) -> None:
    what = "`return [*parts, one]` is still there"
    damage = Damage("src/shop.py", ALTERED, 7, "split", what, is_telling=False, names=("split",))
    unneeded = (DamageTrial(damage, unnoticed=("a", TEST.id)),)
    near = BothSides("split(1, 2)", "returned 1", f"returned {2 if differs else 1}")
    tested = BothSides("split(9, 2)", "returned 4", "returned 5")
    inputs = (TestedInput(tested, "split", PATH, NAME, ("9", "2"), (near,)),)
    seen = DamageSeen((noticed("split"),), evidence_id="D1", unneeded=unneeded)
    known = observed(TEST, damage=seen, second_look=SecondLook(inputs=inputs))

    assert verdict_of("R1", requirements("It", f"- [ ] {demand}\n"), known).outcome is outcome


ELSEWHERE = noticed("name", path="src/other.py")
BY_OTHER = noticed("split", by=(OTHER.id,))


@pytest.mark.parametrize(
    ("unneeded", "trials", "outcome"),
    [
        (asking("other"), (noticed("split"),), VerdictOutcome.UNVERIFIED),  # nobody else is nearer
        (asking("split"), (ELSEWHERE,), VerdictOutcome.UNVERIFIED),
        (asking("split"), (BY_OTHER, ELSEWHERE), VerdictOutcome.SATISFIED),
        (asking("split"), (BY_OTHER, noticed("a")), VerdictOutcome.SATISFIED),
        # Who only sees that it is there proves nothing of the change.
        (asking("split"), (noticed("split", by=(HELD.id,)), ELSEWHERE), VerdictOutcome.UNVERIFIED),
    ],
)
def test_it_is_asked_of_the_demand_whose_tests_are_nearest(
    unneeded: DamageTrial, trials: tuple[DamageTrial, ...], outcome: VerdictOutcome
) -> None:
    assert verdict(unneeded, *trials).outcome is outcome


SAID = {
    ("16",): "At most 16 people.",
    ("16", "20"): "From 16 to 20.",
    ("fooBar",): "Only fooBar has an alias.",
    ("utf-8",): "Files in `utf-8` are read.",
    ("hello world",): "It says hello world.",
    (
        "a",
    ): 'The mode "a" adds to it.\n\n```python\nif mode == "a":\n    split(\n        a=1,\n    )\n```\n',
    ("slow", "tools"): "Remove useless tools.mark.slow decorators.",
}
UNSAID = {
    ("16",): "See #16, 1.16 and v16.",
    ("16", "20"): "At most 16.",
    ("fooBar",): "With `{ fooBar: 1 }` it fails.\n\n```\nfooBar\n```\n",
    ("a",): 'It is a bug: "a" is undefined.\n\n```\na: int\nif a := 3:\n    print(a)\n```\n',
    ("total",): "The name `total` is lost.\n\n>>> total = split(1)\n",
    ("red",): "A red button.",
    ("slow",): "It is slow.",
    ("com",): "See a.shop.com, https://b.shop.com/x and mail@c.shop.com.",
    ("txt",): "Read data.txt.",
    (" world",): "Hello",
}


@pytest.mark.parametrize("values", SAID)
def test_the_task_speaks_of_a_value(values: tuple[str, ...]) -> None:
    assert is_said(on(*values), requirements("It works", SAID[values]))


@pytest.mark.parametrize("values", UNSAID)
def test_what_the_task_only_shows_in_code_is_no_word_about_it(values: tuple[str, ...]) -> None:
    assert not is_said(on(*values), requirements("It works", UNSAID[values]))


@pytest.mark.parametrize(
    ("on_base", "is_so"),
    [
        ("this.size = decimal(buffer, 124, 12)\n", True),
        ("if key in ('size', 'mode'):\n", True),
        ("sizes = read(size)\n", False),
        ("", False),
    ],
)
def test_a_plain_word_of_a_demand_that_the_code_has_as_a_field_is_said(
    on_base: str, is_so: bool
) -> None:
    wanted = requirements("Headers", "- [ ] Refuse to let a header's size be less than 0\n")
    assert is_said(on("size"), wanted, on_base) is is_so
    assert not is_said(on("mode"), wanted, on_base)


@pytest.mark.parametrize(
    ("task", "is_so"),
    [
        ("- [ ] `total` adds up the prices of an order\n", False),
        ("- [ ] `total` adds up the prices, and skips what is no number\n", True),
        ("- [ ] `total` gives 0 for an invalid order\n", True),
        ("- [ ] `total` adds up the prices\n\nUntil now it was a ValueError.\n", True),
        ("- [ ] `total` adds up the prices; a negative price is a `ValueError`.\n", False),
        ("- [ ] `total` adds up the prices; text is not a `ValueError` any more.\n", True),
        ("- [ ] `total` leaves out what costs nothing, as if it were not there\n", False),
        ("- [ ] `total` is 0 where the order is not there\n", True),
    ],
)
def test_a_task_that_speaks_of_errors_may_want_one_passed_over(task: str, is_so: bool) -> None:
    what = "`except ValueError` lets the error through"
    damage = Damage("src/shop.py", PASSED_OVER, 7, "total", what, names=("ValueError",))
    assert is_said(damage, requirements("Orders", task)) is is_so


@pytest.mark.parametrize(
    ("task", "is_so"),
    [
        ("It is a bug if a name is lost.\n\n```\nif a := 1:\n    print(a)\n```\n", False),
        ("Only `a` is lost.\n\n```\nif a := 1:\n    print(a)\n```\n", False),
        ("Only `a` may be lost.", True),
        ("Only 'a' may be lost.\n\n```\nlose('a')\n```\n", True),
    ],
)
def test_a_variable_of_the_shown_code_is_no_such_text(task: str, is_so: bool) -> None:
    what = "`name == 'a'` is always true"
    damage = Damage("src/names.py", NARROWED, 7, "lose", what, names=("a",))
    assert is_said(damage, requirements("Names", task)) is is_so


@pytest.mark.parametrize(
    ("task", "is_so"),
    [
        ("Escaped characters are allowed. `a\\*b` is a link.", False),
        ("Escaped characters are allowed, but not an escaped `*`.", True),
        ("Only `*` may be escaped. Others stay as they are.", True),
        ("Others stay as they are unless they are escaped. An escaped `*` is a star.", False),
    ],
)
def test_a_task_that_restricts_it_to_a_text_may_want_a_narrow_condition(
    task: str, is_so: bool
) -> None:
    what = "`char in '*'` is always true"
    damage = Damage("src/links.py", NARROWED, 7, "parse", what, names=("*",))
    assert is_said(damage, requirements("Links", task)) is is_so


@pytest.mark.parametrize(
    ("on_base", "is_so"), [("if header.size:\n    return\n", True), ("return header\n", False)]
)
def test_a_narrow_condition_may_ask_for_what_a_demand_names_in_plain_words(
    on_base: str, is_so: bool
) -> None:
    task = "- [ ] Check the size of headers. Others are read only later\n"
    damage = Damage("src/tar.py", NARROWED, 7, "read", "it is always true", names=("size",))
    assert is_said(damage, requirements("Headers", task), on_base) is is_so


def for_one_value(damage: Damage, *tests: str) -> Verdict:
    seen = DamageSeen(
        (noticed("split"),), evidence_id="D1", one_value=(OneValue(damage, tests, 3),)
    )
    return verdict_of("R1", requirements("Splitting", TASK), observed(TEST, damage=seen))


def test_a_test_that_sees_nothing_without_the_value_of_a_condition_does_not_satisfy() -> None:
    found = for_one_value(on("16"), TEST.id)

    assert found.outcome is VerdictOutcome.UNVERIFIED
    assert "src/shop.py:7 asks for `16` (`people < 16`), of which the task does not" in found.reason
    assert "(tried 3 times)" in found.reason
    assert "D1" in found.evidence_ids and found.next_step


def test_nor_one_that_sees_nothing_without_a_key() -> None:
    key = Damage(
        "src/shop.py", KEY, 7, "", "`ada` is another key", is_telling=False, names=("ada",)
    )

    assert "src/shop.py:7 has the key `ada`, of which" in for_one_value(key, TEST.id).reason


def test_a_condition_that_other_tests_see_past_is_satisfied() -> None:
    assert for_one_value(on("16"), "another").outcome is VerdictOutcome.SATISFIED


@pytest.mark.parametrize(
    ("values", "task"),
    [(("mailto",), "Read mailto addresses"), (("16", "Ada"), "Ada pays for 16.")],
)
def test_a_value_is_mentioned_by_any_word_of_the_task(values: tuple[str, ...], task: str) -> None:
    assert is_mentioned(on(*values), requirements("Splitting", f"- [ ] {task}\n"))
    shown = "- [ ] Read mailtos of Adas for 160\n\n```\nmailto:16 Ada\n```\n"
    assert not is_mentioned(on(*values), requirements("Splitting", shown))


@pytest.mark.parametrize(
    ("title", "body", "names", "said"),
    [
        ("`fetch` should close the response", "", ("fetch",), False),
        ("`fetch` should close the response", "", ("fetch", "cache"), False),
        (
            "`fetch` should close the response",
            "The `cache` is filled later.",
            ("fetch", "cache"),
            True,
        ),
        ("`fetch` should close the response", "", ("fetch", "response"), True),
        ("Close what is open", "`fetch` may leave it to its caller.", ("fetch",), True),
        ("`fetch` raises ValueError", "", ("wait_for", "ValueError", "cost", "self"), False),
        ("Write what `fetch` gets", "", ("save", "write", "replace", "unlink", "suffix"), False),
        ("Write what `fetch` gets", "", ("save", "write", "replace", "unlink"), True),
    ],
)
def test_a_demand_that_names_a_function_speaks_of_no_statement_in_it(
    title: str, body: str, names: tuple[str, ...], *, said: bool
) -> None:
    damage = Damage("src/shop.py", ALTERED, 7, "fetch", "it is still there", False, names=names)
    assert is_said(damage, requirements(title, body)) is said


@pytest.mark.parametrize(
    ("demand", "function", "is_so"),
    [
        ("`Cache.purge()` drops each expired entry", "delete", False),
        ("`Cache.purge(entry)` drops what is expired", "delete", False),
        ("`Cache.purge()` drops each expired entry, as `delete` does", "delete", True),
        ("`Cache.purge()` drops each expired entry", "_delete", True),
        ("An expired entry is dropped", "delete", True),
    ],
)
def test_who_names_some_functions_of_a_file_speaks_of_no_others(
    demand: str, function: str, is_so: bool
) -> None:
    names, on_base = ("entry", "expired"), f"def {function}(key): ...\ndef purge(): ...\n"
    damage = Damage(
        "src/cache.py", ALTERED, 7, f"Cache.{function}", "it is there", False, names=names
    )
    assert is_said(damage, requirements("Cache", f"- [ ] {demand}\n"), on_base) is is_so
    calling = replace(damage, names=("entry", "purge"))
    assert is_said(calling, requirements("Cache", f"- [ ] {demand}\n"), on_base)


@pytest.mark.parametrize("kind", [ALTERED, EXTENDED])
def test_how_a_change_calls_its_own_variables_is_no_word_of_the_task(kind: str) -> None:
    task = "- [ ] A failure stays for that key only, and the next `load` asks again\n"
    names = ("constructor", "String", "key")
    damage = Damage("src/cache.js", kind, 7, "constructor", "it is there", False, names=names)

    assert is_said(damage, requirements("Failures", task))
    assert not is_said(replace(damage, parameters=("key",)), requirements("Failures", task))
