"""What an acceptance answers at the gate, and which pushes it outlives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.code_map.index import CodeIndex
from bot.values import (
    Acceptance,
    AcceptanceKind,
    Category,
    Conclusion,
    Decider,
    GateReason,
    GateResult,
    Judgement,
    MemberVerdict,
    Requirement,
    Requirements,
    Trust,
    Verdict,
    VerdictOutcome,
)
from bot.verdict.acceptance import acceptable, after_acceptances, checked, of_group, touches
from sandbox.code_map.facts import Facts, SourceFile

ACCEPTED, OVERRIDDEN = AcceptanceKind.ACCEPTED, AcceptanceKind.OVERRIDDEN
ACTION, FAILURE, SUCCESS = Conclusion.ACTION_REQUIRED, Conclusion.FAILURE, Conclusion.SUCCESS
UNVERIFIED = GateReason("unverified", ACTION, "R1: no test.", "Add one.", ("R1",))
FAILED = GateReason("requirement", FAILURE, "B2: it fails.", "Fix it.", ("B2",))
EXPECTS = GateReason("expectation", ACTION, "It changed.", "Say so.", tests=("t1", "t2"))


def given(subject: str = "R1", kind: AcceptanceKind = ACCEPTED, **more: str) -> Acceptance:
    text = {"R1": "It works.", "B2": "No regressions.", "expectation": "t1, t2"}.get(subject, "")
    whole = Acceptance(subject, kind, "ben", "seen", "a" * 40, text, "comment 1")
    return replace(whole, **more)


def judgement(*reasons: GateReason, acceptances: tuple[Acceptance, ...] = ()) -> Judgement:
    items = (
        Requirement("B2", "No regressions.", Category.BASELINE, "baseline", Trust.MAINTAINER),
        Requirement("R1", "It works.", Category.BEHAVIOUR, "issue", Trust.ASKER),
    )
    conclusion = reasons[0].conclusion if reasons else SUCCESS
    gate = GateResult(conclusion, "1 of 2 requirements met; as it was", reasons)
    verdicts = (
        Verdict("B2", VerdictOutcome.SATISFIED, Decider.ORACLE, "Held."),
        Verdict("R1", VerdictOutcome.UNVERIFIED, Decider.NOBODY, "No test."),
    )
    return Judgement(Requirements(items, ()), verdicts, gate, acceptances=acceptances)


def test_accepting_answers_what_nobody_could_tell_and_nothing_else() -> None:
    both = judgement(FAILED, UNVERIFIED, acceptances=(given("B2"), given("R1")))
    assert acceptable(both.gate) == ("R1",)
    gate = after_acceptances(both)
    assert gate.conclusion is FAILURE
    assert [reason.rule for reason in gate.reasons] == ["requirement", "accepted"]
    alone = after_acceptances(judgement(UNVERIFIED, acceptances=(given(),)))
    assert (alone.conclusion, acceptable(alone)) == (SUCCESS, ())
    counted = "0 of 1 requirement of the task met"
    assert alone.title == f"{counted}; “It works” accepted by @ben"


def test_an_override_answers_a_failure_and_is_said_first() -> None:
    gate = after_acceptances(
        judgement(FAILED, UNVERIFIED, acceptances=(given("B2", OVERRIDDEN), given("R1")))
    )
    assert gate.conclusion is SUCCESS
    assert gate.reasons[0].rule == "overridden"
    assert gate.title.startswith("OVERRIDDEN by @ben")
    part = after_acceptances(judgement(FAILED, UNVERIFIED, acceptances=(given("B2", OVERRIDDEN),)))
    assert part.conclusion is ACTION
    assert part.title.startswith("OVERRIDDEN in part")


@pytest.mark.parametrize("rule", ["member", "evaluation"])
def test_nobody_overrides_what_is_not_of_the_change(rule: str) -> None:
    reason = GateReason(rule, FAILURE, "Another pull request failed.")
    found = judgement(reason, acceptances=(given(rule, OVERRIDDEN),))
    assert after_acceptances(found).conclusion is FAILURE


def test_what_does_not_count_any_more_is_told_and_answers_nothing() -> None:
    gate = after_acceptances(judgement(UNVERIFIED, acceptances=(given(void="it was pushed"),)))
    assert gate.conclusion is ACTION
    assert gate.title == "1 of 2 requirements met; as it was"
    assert "does not count any more: it was pushed" in gate.reasons[-1].text


def test_it_holds_for_the_words_that_it_was_given_for() -> None:
    assert checked(given(), judgement(UNVERIFIED)) == given()
    assert checked(given(), judgement()) is None, "there is nothing to accept any more"
    changed = checked(given(text="It works fast."), judgement(UNVERIFIED))
    assert changed and "something else" in changed.void
    failing = replace(UNVERIFIED, rule="requirement", conclusion=FAILURE)
    failed = checked(given(), judgement(failing))
    assert failed and "a check fails now" in failed.void
    assert checked(given(kind=OVERRIDDEN), judgement(failing)) == given(kind=OVERRIDDEN)
    gone = checked(given("R7"), judgement(UNVERIFIED))
    assert gone and "nothing asks for it" in gone.void


def test_a_changed_expectation_is_accepted_for_its_tests() -> None:
    assert checked(given("expectation"), judgement(EXPECTS)) == given("expectation")
    more = replace(EXPECTS, tests=("t1", "t2", "t3"))
    voided = checked(given("expectation"), judgement(more))
    assert voided and voided.void


def test_a_group_passes_by_what_was_accepted_for_all_of_it() -> None:
    group = judgement(replace(UNVERIFIED, requirement_ids=("B2",)))
    one = MemberVerdict(4, SUCCESS, is_waived=True, accepted=(given("B2"),))
    other = MemberVerdict(5, SUCCESS)
    assert of_group(group, (one, other)) == ()
    assert of_group(group, ()) == ()
    (found,) = of_group(group, (one, replace(one, number=5)))
    assert found.reason == "as for #4, #5: seen"


def source(path: str, *imports: str, language: str = "python") -> SourceFile:
    return SourceFile(path, language, Facts(imports=dict.fromkeys(imports, (1,))))


INDEX = CodeIndex(
    (
        source("calc.py", "money"),
        source("money.py", "rounding"),
        source("rounding.py"),
        source("shop.py", "calc"),
        source("shapes.py"),
        source("conftest.py"),
        source("tests/helpers.py"),
        source("tests/test_shapes.py", "shapes"),
        source("tests/test_shop.py", "shop"),
        source("native.c", language="c"),
    )
)


@pytest.mark.parametrize(
    ("path", "voids"),
    [
        ("calc.py", True),  # the change itself
        ("rounding.py", True),  # what it imports, by way of another
        ("shop.py", True),  # what imports it
        ("tests/test_shop.py", True),
        ("shapes.py", False),
        ("tests/test_shapes.py", False),
        ("README.md", False),
        ("docs/guide.txt", True),
        ("docs/guide.rst", False),
        ("CHANGELOG", False),
        ("pages/index.md", True),  # text in a folder of its own may be data
        ("CMakeLists.txt", True),
        ("requirements.txt", True),
        ("docs/conf.py", True),
        ("conftest.py", True),  # loaded unasked
        ("tests/helpers.py", True),
        ("native.c", True),  # its users are not known surely
        ("settings.json", True),
        ("gone.py", True),
    ],
)
def test_only_what_is_surely_unrelated_keeps_it(path: str, voids: bool) -> None:
    about = replace(given(), places=("calc.py", "test_calc.py"))
    assert touches(about, judgement(UNVERIFIED), (path,), INDEX) == (path if voids else "")


def test_without_places_or_without_the_code_only_prose_keeps_it() -> None:
    everything = given("B2")
    about = replace(given(), places=("calc.py",))
    for one, index in ((everything, INDEX), (about, None)):
        assert touches(one, judgement(UNVERIFIED), ("README.md", "shapes.py"), index) == "shapes.py"
        assert touches(one, judgement(UNVERIFIED), ("README.md",), index) == ""


def test_prose_counts_where_documentation_is_asked_for() -> None:
    found = judgement(UNVERIFIED)
    items = tuple(replace(one, category=Category.UPKEEP) for one in found.requirements.items)
    found = replace(found, requirements=Requirements(items, ()))
    assert touches(given(), found, ("README.md",), None) == "README.md"
