"""The title says what decided, for every rule of the gate and every finding, and never a bare code."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from bot.evidence.case import open_case
from bot.values import (
    ActionKind,
    Conclusion,
    Criterion,
    Decider,
    GateReason,
    GateResult,
    Grade,
    Grading,
    MemberVerdict,
    TestChange,
    Transition,
    Verdict,
    VerdictOutcome,
    rules,
)
from bot.values.verdicts import MetCount
from bot.verdict import gate, headline
from bot.verdict.gate import BesideVerdicts, conclude
from bot.verdict.headline import MAX_TITLE
from bot.verdict.outcome import verdicts
from sandbox.edges.empty_calls import ANSWERS, DIVIDES_BY_ZERO
from sandbox.values import Finding, Severity, Side, TestRun
from tests.bot.configured import read_configuration
from tests.bot.verdict.cases import (
    SHOP_CHANGED,
    SPLIT,
    comparison,
    evidence,
    finding,
    gate_of,
    observation,
    observed,
    requirements,
)

FAILURE, ACTION = Conclusion.FAILURE, Conclusion.ACTION_REQUIRED
CODE = re.compile(r"\b[BREGCP]\d+\b")
BROKEN = comparison("test_total", TestChange.PASS_TO_FAIL)
UNPARSABLE = Finding("syntax", Severity.BLOCK, "tools/run.sh", 3, "unexpected end", tool="bash -n")
LINT = Finding("F401", Severity.ADVISE, "src/shop.py", 1, "unused import", tool="ruff")
GRADED = Criterion("clarity", "Is it clear?", ("bad", "fair", "fine", "good", "best"))


ALONE = BesideVerdicts()


def title(seen, configuration: str | None = None, beside: BesideVerdicts = ALONE, kept=None) -> str:
    """The title that the gate gives, the count cut off; `kept` stands in for all verdicts."""
    wanted, policy = requirements(), read_configuration(configuration)
    given = verdicts(open_case(wanted, seen, policy))
    if kept is not None:
        given = tuple(
            replace(verdict, outcome=kept, tests=(), evidence_ids=()) for verdict in given
        )
    return shown(conclude(open_case(wanted, seen, policy), given, beside))


def shown(result: GateResult) -> str:
    assert len(result.title) <= MAX_TITLE
    assert not CODE.search(result.title), "a code means nothing to who meets it first"
    return result.title.partition("; ")[2]


def graded(*points: float | None) -> BesideVerdicts:
    grades = (Grade(GRADED, () if one is None else (one,)) for one in points)
    return BesideVerdicts(grading=Grading(tuple(grades)))


def forged(base: bool):
    dirty, clean = TestRun(False, (), "forged", True), TestRun(True, ())
    sides = observation(0, Side.BASE, tests=dirty if base else clean), observation(0, tests=dirty)
    return (evidence(*sides, Transition.UNKNOWN, ActionKind.UNIT_TESTS, ("B2",)),)


def crashed():
    sides = (
        observation(0, side, findings=(Finding(rule, Severity.ADVISE, "a.py", 1, "mean([])"),))
        for side, rule in ((Side.BASE, ANSWERS), (Side.HEAD, DIVIDES_BY_ZERO))
    )
    return (evidence(*sides, Transition.UNKNOWN, ActionKind.DYNAMIC_EXECUTION),)


MET = VerdictOutcome.SATISFIED
PATCH = BesideVerdicts(patch=(GateReason("patch", FAILURE, "INVALID"),))
DOUBT = BesideVerdicts(patch=(GateReason("patch", ACTION, "no verdict"),))
UNKNOWN_DEPENDENCY = finding(rules.DEPENDENCY_UNKNOWN, Severity.BLOCK, "pyproject.toml")
ADDED = comparison("test_added", TestChange.NEW_FAILING)
EXPECTS = comparison("test_banana", TestChange.EXPECTATION_CHANGED)

TITLES = [
    ({"built_head": False, "kept": MET}, "head does not build"),
    ({"tests": (BROKEN,), "kept": MET}, "1 test that passed before fails now"),
    ({"tests": (SPLIT, ADDED), "kept": MET}, "its own new tests fail"),
    ({"tests": (SPLIT, EXPECTS)}, "changed expectations need approval"),
    ({"tests": (SPLIT,), "findings": (UNPARSABLE,)}, "a changed file does not parse"),
    (
        {"tests": (SPLIT,), "findings": (LINT,), "policy": "gate: {lint: block}"},
        "new linter findings block",
    ),
    ({"evidence": forged(base=False), "kept": MET}, "its code forges test results"),
    ({"evidence": forged(base=True), "kept": MET}, "test results are forged on base too"),
    ({"evidence": crashed(), "kept": MET}, "an empty input divides by zero"),
    ({"integrity": (UNKNOWN_DEPENDENCY,), "kept": MET}, "a new dependency does not exist"),
    ({"beside": PATCH, "kept": MET}, "the patch as a whole did not pass"),
    ({"beside": DOUBT, "kept": MET}, "the patch as a whole needs a reader"),
    (
        {"beside": BesideVerdicts((MemberVerdict(4, FAILURE),)), "kept": MET},
        "a pull request of the group did not pass",
    ),
    (
        {"beside": BesideVerdicts((MemberVerdict(4, None),)), "kept": MET},
        "a pull request of the group has no success yet",
    ),
    ({"policy": "gate: {min_score: 3}", "kept": MET}, "there is no score to compare"),
    (
        {"policy": "gate: {min_score: 3}", "beside": graded(1.0, 1.0), "kept": MET},
        "the score is 1.00 of the required 3",
    ),
    (
        {"policy": "gate: {min_score: 3}", "beside": graded(4.0, None), "kept": MET},
        "the score is 2.00 of the required 3, and not everything is decided",
    ),
    ({"tests": ()}, "“split should refuse zero people” could not be verified"),
    ({"tests": (SPLIT, BROKEN)}, "1 test that passed before fails now"),
]


@pytest.mark.parametrize(("case", "expected"), TITLES, ids=[said for _, said in TITLES])
def test_each_rule_of_the_gate_has_its_own_words(case, expected):
    case = dict(case)
    policy, beside, kept = (
        case.pop("policy", None),
        case.pop("beside", ALONE),
        case.pop("kept", None),
    )
    seen = observed(*case.pop("tests", (SPLIT,)), **case)
    assert title(seen, policy, beside, kept) == expected


def test_the_scope_rule():
    seen = observed(changed_paths=("docs/a.md", "src/shop.py"), kinds=SHOP_CHANGED)
    decided = gate_of(requirements("docs: explain split"), seen, "gate: {scope: block}")
    assert "files outside the task changed" in decided.title


def test_no_rule_is_left_without_words():
    """Every name that the gate gives a reason by was seen above."""
    source = (gate.__file__, gate.score_reason.__code__.co_filename)
    named = set()
    for path in source:
        found = re.findall(r'(?:GateReason\(|_about\([^"]*?)\s*"([a-z-]+)"', Path(path).read_text())
        named |= set(found)
    assert {"build", "integrity", "score", "member", "unverified"} <= named
    known = {*headline._SHORT, "integrity", "score", "requirement", "unverified", "regression"}
    assert named <= known


NAMED_RULES = {
    name: value
    for name, value in vars(rules).items()
    if name.isupper() and name[0] != "_" and isinstance(value, str)
}


def test_every_finding_has_words_of_its_own():
    assert set(rules.IN_WORDS) == set(NAMED_RULES.values())
    assert len(set(rules.IN_WORDS.values())) == len(NAMED_RULES)


@pytest.mark.parametrize(
    ("rule", "severity", "expected"),
    [
        (rules.TEST_DELETED, Severity.BLOCK, "a test was deleted"),
        (rules.EARLY_EXIT, Severity.BLOCK, "its code ends the tests early"),
        (rules.RESULT_HARD_CODED, Severity.BLOCK, "an expected result is hard-coded"),
        (rules.STARTUP_HOOK, Severity.ADVISE, "its code runs before the tests start"),
        (rules.UNREAD_CHANGES, Severity.ADVISE, "the change is too large to read whole"),
    ],
)
def test_what_weakened_the_tests_is_said(rule, severity, expected):
    decided = gate_of(requirements(), observed(SPLIT, integrity=(finding(rule, severity),)))
    assert shown(decided) == expected
    assert rule in decided.reasons[0].finding_rules


def test_facts_stand_in_fields():
    decided = gate_of(requirements(), observed(SPLIT, BROKEN))
    assert decided.reasons[0].requirement_ids == ("B2",)
    assert decided.reasons[0].tests == (BROKEN.id,)


def test_what_does_not_fit_is_said_to_be_more():
    texts = [f"- [ ] {what} {'very ' * 20}" for what in ("handles odd input", "rounds", "logs")]
    wanted = requirements("many things", "\n".join(texts))
    seen = observed(BROKEN, integrity=(UNKNOWN_DEPENDENCY,), findings=(UNPARSABLE,))
    said = shown(gate_of(wanted, seen))
    assert said == (
        "1 test that passed before fails now, a new dependency does not exist, and more"
    )
    unproven = shown(gate_of(wanted, observed()))
    assert unproven.startswith("“handles odd input very")
    assert unproven.endswith("…” and 1 more could not be verified")


def test_an_unknown_rule_of_a_later_version_says_its_own_text():
    odd = GateReason("new-rule", FAILURE, "The moon is full.")
    given = (Verdict("R1", MET, Decider.ORACLE, ""),)
    wanted = replace(requirements(), items=requirements().items[3:])
    case = open_case(wanted, observed(SPLIT), read_configuration(None))
    decided = conclude(case, given, BesideVerdicts(patch=(odd,)))
    assert shown(decided) == "The moon is full."


@pytest.mark.parametrize(
    ("met", "of_success", "otherwise"),
    [
        (MetCount(5, 5, 5, 3, 3), "All 2 requirements of the task met", "2 of 2 requirements {}"),
        (MetCount(4, 4, 4, 3, 3), "The requirement of the task is met", "1 of 1 requirement {}"),
        (MetCount(3, 3, 4, 3, 3), "0 of 1 requirement of the task met", "0 of 1 requirement {}"),
        (MetCount(2, 2, 4, 1, 3), "1 of 1 requirement of the task met", "1 of 1 requirement {}"),
        (MetCount(3, 3, 3, 3, 3), "All 3 project checks passed", "3 of 3 project checks passed"),
        (MetCount(2, 2, 3, 2, 3), "2 of 3 project checks passed", "2 of 3 project checks passed"),
    ],
)
def test_the_projects_own_checks_are_no_requirements_of_the_task(
    met: MetCount, of_success: str, otherwise: str
) -> None:
    assert headline.headline(Conclusion.SUCCESS, met, (), {}) == of_success
    assert str(met) == otherwise.format("of the task met")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("", ""),
        ("Errors should be logged.", "; 1 more sentence was not judged on its own"),
        ("It must be fast. It must be kind.", "; 2 more sentences were not judged on their own"),
    ],
)
def test_a_success_says_how_much_of_the_task_was_not_judged_on_its_own(
    body: str, said: str
) -> None:
    wanted = requirements(body=body)
    assert gate_of(wanted, observed(SPLIT)).title == f"The requirement of the task is met{said}"
