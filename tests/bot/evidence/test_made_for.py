"""When a change that is seen at the tested inputs only stops, and when one input may stand alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.made_for import LEAST_NEAR
from bot.values import Decider, TestChange, Verdict, VerdictOutcome
from sandbox.elsewhere.values import SEVERAL, BothSides, SecondLook, TestedInput, Unmeasured
from tests.bot.verdict.cases import PATH, SPLIT, comparison, observed, requirements, verdict_of

NAME = "test_split_refuses_zero_people"
TASK = "- [ ] `split` refuses zero people\n"


def an_input(value: str, near: int = LEAST_NEAR, differing: int = 0, **fields) -> TestedInput:
    """A call of `pay` that the test makes, with so many calls near it."""
    around = tuple(
        BothSides(f"pay({value}, {n})", "returned 1", f"returned {2 if n < differing else 1}")
        for n in range(near)
    )
    both = BothSides(f"pay({value})", "returned 1", "returned 2")
    return TestedInput(both, "pay", PATH, NAME, (value,), around, **fields)


def verdict(*inputs: TestedInput, task: str = TASK, **fields) -> Verdict:
    test = comparison(NAME, TestChange.FAIL_TO_PASS, SPLIT.source, **fields)
    seen = observed(test, second_look=SecondLook(inputs=inputs))
    return verdict_of("R1", requirements("Splitting", task), seen)


def test_an_input_that_stands_alone_is_not_satisfied() -> None:
    found = verdict(an_input("77"))
    assert found.outcome is VerdictOutcome.UNVERIFIED
    assert "`pay(77)`" in found.reason and "0 of 20 calls" in found.reason
    assert found.next_step


def not_plain(function: str) -> TestedInput:
    nothing = BothSides("", "", "")
    return TestedInput(nothing, function, PATH, NAME, problem=Unmeasured.NO_PLAIN_INPUT)


@pytest.mark.parametrize(
    ("function", "outcome"), [("pay", "unverified"), ("tip", "satisfied"), ("", "satisfied")]
)
def test_what_is_no_plain_value_excuses_no_plain_one_of_the_same_function(
    function: str, outcome: str
) -> None:
    assert verdict(an_input("77"), not_plain(function)).outcome == outcome


@pytest.mark.parametrize(
    ("function", "outcome"), [(None, "unverified"), ("pay", "satisfied"), ("", "satisfied")]
)
def test_what_is_no_plain_value_may_show_a_refusal(function: str | None, outcome: str) -> None:
    one = an_input("77", differing=LEAST_NEAR, errors=("ValueError",))
    refused = BothSides("pay(0)", "returned 1", "raised ValueError")
    others = () if function is None else (not_plain(function),)
    found = verdict(
        replace(one, near=(*one.near, refused)), *others, task="- [ ] `split` shares it out\n"
    )
    assert found.outcome == outcome, found.reason


def rates(*answered: str) -> TestedInput:
    """A text with numbers that base refuses, and the same with others; head answers the named ones."""
    near = [f"rate('{n} per second')" for n in (4, 6, 10, 57)]
    asked = BothSides("rate('5 per second')", "raised ValueError", "returned 5")
    return TestedInput(
        asked,
        "rate",
        PATH,
        NAME,
        ("'5 per second'",),
        tuple(replace(asked, call=one) for one in near if one in answered),
        still=tuple(
            BothSides(one, "raised ValueError", "raised ValueError")
            for one in (*near, "rate('5 per secone')", "rate('5 per')", "rate('per second')")
            if one not in answered
        ),
    )


def test_a_text_that_is_refused_with_any_other_number_is_not_satisfied() -> None:
    found = verdict(rates())
    assert found.outcome is VerdictOutcome.UNVERIFIED
    assert "refuses, as base does, all 4 calls with other numbers" in found.reason
    assert verdict(rates("rate('6 per second')")).outcome is VerdictOutcome.SATISFIED
    assert verdict(rates("rate('10 per second')")).outcome is VerdictOutcome.SATISFIED


def test_a_test_of_base_is_believed() -> None:
    found = verdict(an_input("77"), written_by_author=False)
    assert (found.outcome, found.decided_by) == (VerdictOutcome.SATISFIED, Decider.ORACLE)


SATISFIED = {
    "broad": (an_input("77", differing=3),),
    "few": (an_input("77", near=LEAST_NEAR - 1),),
    "boundary": (an_input("77", moves_boundary=True),),
    "not measured": (an_input("77"), an_input("78", problem=Unmeasured.NEW)),
    "one is broad": (an_input("77", near=40), an_input("78", near=60, differing=30)),
    "zero": (an_input("0"),),
}


@pytest.mark.parametrize("name", SATISFIED)
def test_what_is_broad_or_not_measured_stops_nothing(name: str) -> None:
    assert verdict(*SATISFIED[name]).outcome is VerdictOutcome.SATISFIED


def of_two(number: str, near_number: int = 0) -> TestedInput:
    """`pay(text, number)`: all differs where the text is another one, and so much where the number is."""
    other = tuple(BothSides(f"pay('{n}', {number})", "1", "2", slot=0) for n in range(15))
    around = tuple(
        BothSides(f"pay('a', {100 + n})", "1", "2" if n < near_number else "1", slot=1)
        for n in range(15)
    )
    both = BothSides(f"pay('a', {number})", "1", "2")
    return TestedInput(both, "pay", PATH, NAME, ("'a'", number), other + around)


def test_one_value_of_one_argument_is_not_satisfied() -> None:
    found = verdict(of_two("-7"))
    assert found.outcome is VerdictOutcome.UNVERIFIED
    assert "none of 15 calls with another value than `-7`" in found.reason
    assert verdict(of_two("-7", near_number=1)).outcome is VerdictOutcome.SATISFIED
    assert verdict(of_two("-7"), task=f"{TASK}It is -7.\n").outcome is VerdictOutcome.SATISFIED


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("`pay(9, {unit: 'cents'})`", VerdictOutcome.SATISFIED),
        ("`pay(9, 'cents')`", VerdictOutcome.UNVERIFIED),
        ("`pay(9, {unit: 'cent'})`", VerdictOutcome.UNVERIFIED),
    ],
)
def test_an_option_may_be_for_the_word_that_the_task_gives_it(
    said: str, outcome: VerdictOutcome
) -> None:
    one = of_two("'cents'")
    of_option = tuple(replace(o, member="unit") if o.slot == 1 else o for o in one.near)
    found = verdict(replace(one, near=of_option), task=f"{TASK}As in {said}.\n")
    assert found.outcome is outcome


NAMED = {
    "77": "the number 77 is wrong.",
    "-3": "it fails for -3",
    "'XK'": "the country XK is missing",
    "'.webp'": "`.webp` is an image",
    "'red'": "the color `red` is missing",
    "''": "an empty name is refused",
    "[]": "there is nothing to sum up",
    "None": "the argument is optional: none is allowed",
    "1": "in the singular",
    "'\\n'": "a line break alone",
    "'ß'": "see pay('ß')",
    "[5]": "a list of a single element",
    "Decimal('0.5')": "half a cent, 0.5, is lost",
}
UNNAMED = {
    "77": "see #77, R77, v77, 77.5, 177 and `pay(77)`",
    "'XK'": "XKCD and `pay('XK')`",
    "'red'": "a red button",
    "'Hello World'": "it says Hello World",
    "[7, 8]": "as in pay([7, 8])",
    "''": "many names are refused",
}


@pytest.mark.parametrize("value", NAMED)
def test_an_input_that_the_task_names_may_stand_alone(value: str) -> None:
    task = f"{TASK}\n{NAMED[value]}\n"
    assert verdict(an_input(value), task=task).outcome is VerdictOutcome.SATISFIED


@pytest.mark.parametrize("value", UNNAMED)
def test_an_input_that_the_task_only_shows_or_does_not_mean_may_not(value: str) -> None:
    task = TASK.replace("zero", "too many") + f"\n{UNNAMED[value]}\n"
    assert verdict(an_input(value), task=task).outcome is VerdictOutcome.UNVERIFIED


def test_a_number_that_is_negated_is_no_other_value() -> None:
    one = of_two("7")
    negated = BothSides("pay('a', -7)", "1", "2", slot=1, is_alike=True)
    found = verdict(replace(one, near=(*one.near, negated)))
    assert found.outcome is VerdictOutcome.UNVERIFIED
    assert "none of 15 calls with another value than `7`" in found.reason
    other = replace(negated, call="pay('a', 8)", is_alike=False)
    assert verdict(replace(one, near=(*one.near, other))).outcome is VerdictOutcome.SATISFIED


def with_key(text: str, key: str, others: int = 6) -> TestedInput:
    """`pay(text)`: all differs where the text has the key, and so much where it has not."""
    having = tuple(BothSides(f"pay('{key}{n}')", "1", "2") for n in range(8))
    without = tuple(BothSides(f"pay('x{n}')", "1", "1") for n in range(others))
    both = BothSides(f"pay('{text}')", "1", "2")
    return TestedInput(both, "pay", PATH, NAME, (repr(text),), having + without, keys=(key,))


def test_a_text_that_the_change_compares_with_and_that_nobody_speaks_of_is_not_satisfied() -> None:
    found = verdict(with_key("b2b_market", "b2b"))
    assert found.outcome is VerdictOutcome.UNVERIFIED
    assert "none of 6 calls with inputs near the tested ones without `b2b`" in found.reason
    few, named = with_key("b2b_market", "b2b", others=4), f"{TASK}Of B2B only.\n"
    assert verdict(few).outcome is VerdictOutcome.SATISFIED
    assert verdict(with_key("b2b_market", "b2b"), task=named).outcome is VerdictOutcome.SATISFIED
    other = with_key("c2c_market", "c2c")
    assert verdict(with_key("b2b_market", "b2b"), other).outcome is VerdictOutcome.SATISFIED


ANSWER = "Response 404, which many get"


@pytest.mark.parametrize(("alike", "outcome"), [(True, "satisfied"), (False, "unverified")])
def test_one_answer_to_many_inputs_tells_no_more_than_one(alike: bool, outcome: str) -> None:
    one = an_input("77")
    told = [f"returned {ANSWER}{'' if alike else f' {n}'}" for n in range(LEAST_NEAR)]
    near = tuple(replace(o, on_base=t, on_head=t) for o, t in zip(one.near, told, strict=True))

    assert verdict(replace(one, near=near)).outcome == outcome


@pytest.mark.parametrize(
    ("on_base", "outcome"), [("[{name: 'a', kind: 'b'}]", "satisfied"), ("[]", "unverified")]
)
def test_nothing_found_in_many_inputs_tells_no_more_than_once_where_base_found_much(
    on_base: str, outcome: str
) -> None:
    one = an_input("77")
    nothing = tuple(replace(o, on_base="returned []", on_head="returned []") for o in one.near)
    tested = replace(one.tested, on_base=f"returned {on_base}")

    assert verdict(replace(one, tested=tested, near=nothing)).outcome == outcome


@pytest.mark.parametrize(("differs", "outcome"), [(True, "satisfied"), (False, "unverified")])
def test_a_call_with_several_other_arguments_is_one_with_another_value(
    differs: bool, outcome: str
) -> None:
    one = an_input("77", near=0)
    seen = [BothSides(f"pay(77, {n})", "returned 1", f"returned {n + 2}", 1) for n in range(5)]
    alone = [BothSides(f"pay({n})", "returned 1", "returned 1", 0) for n in range(14)]
    on_head = "returned 2" if differs else "returned 1"
    both = [BothSides(f"pay({n}, {n})", "returned 1", on_head, SEVERAL) for n in range(6)]

    one = replace(one, near=(*seen, *alone, *both), values=("77", "5"))
    assert verdict(one).outcome == outcome
