"""Points and verdicts of a test plan's items: what binds, what satisfies, what stays undecided."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.case import open_case
from bot.evidence.planning import plan
from bot.evidence.test_plan.points import Marked, marked
from bot.evidence.test_plan.quotations import Demand, HowPrinted, printed
from bot.evidence.test_plan.whole import score_plan
from bot.task.requirements import comprehend
from bot.values import (
    ActionKind,
    Category,
    Conclusion,
    Decider,
    Evidence,
    FourWay,
    ItemKind,
    Observed,
    PlanItem,
    PlannedCase,
    Requirement,
    Requirements,
    Step,
    Task,
    TestPlan,
    Transition,
    Trust,
    VerdictOutcome,
)
from bot.verdict.gate import conclude
from bot.verdict.outcome import verdicts
from sandbox.terminal.values import CaseRun, FileCheck, FileOutcome, ItemRun
from sandbox.values import Observation, Side
from tests.bot.configured import read_configuration

ITEM = PlanItem(
    number=1,
    metric="1.2 Menu Navigation - Input Data Submenu",
    description="1. **Act:** Choose '1'.\n2. **Assert:** Verify that the submenu shows options: "
    "'Read from file', 'Manual input', 'Return to main menu'.",
    kind=ItemKind.SHELL_INTERACTION,
    cases=(PlannedCase("python main.py", "1\n5"),),
    input_files=(),
    expected_files=(),
    expected_output="The input data submenu displays all expected options correctly.",
)
PROSE = replace(ITEM, description="**Assert:** It is pleasant.", expected_output="It feels smooth.")
TESTS = replace(
    PROSE, kind=ItemKind.UNIT_TEST, cases=(PlannedCase("pytest src/tests/test_a.py::test_x"),)
)
FILES = replace(PROSE, kind=ItemKind.FILE_COMPARISON, expected_files=("evaluation/expected_a.csv",))
MENU = "= Input =\n1. Read from file\n2. Manual  Input\n3. return to main menu\nYour choice: \n"
SATISFIED, UNSATISFIED = VerdictOutcome.SATISFIED, VerdictOutcome.UNSATISFIED
UNVERIFIED = VerdictOutcome.UNVERIFIED


def requirement(item: PlanItem, number: int = 1) -> Requirement:
    origin = "evaluation/plan.json"
    return Requirement(
        f"C{number}", item.metric, Category.CRITERION, origin, Trust.MAINTAINER, item=item
    )


def side(output: str = "", code: int | None = 0, **fields) -> Observation:
    known = {f: fields.pop(f) for f in ("problem", "timed_out", "truncated") if f in fields}
    asked = fields.pop("asked_for_more", False)
    typed = fields.pop("typed", "1\n5")
    case = CaseRun("python main.py", code, output, 0.1, asked_for_more=asked, typed=typed)
    run = ItemRun(**{"cases": (case,)} | fields)
    return Observation(Side.HEAD, "python main.py", code, output, 0.1, item=run, **known)


def evidence(head: Observation, base: Observation | None = None, number: int = 1) -> Evidence:
    step = Step(f"E{number}", "g", "h", (f"C{number}",), ActionKind.SHELL_INTERACTION)
    return Evidence(step.id, step, base, head, Transition.UNKNOWN)


def mark(item: PlanItem, head: Observation, base: Observation | None = None) -> Marked:
    return marked(requirement(item), evidence(head, base))


def file(outcome: FileOutcome, name: str = "evaluation/expected_a.csv") -> FileCheck:
    return FileCheck(name, "evaluation/a.csv", outcome, "row 1")


# --- what binds -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "head", "points", "outcome"),
    [
        (PROSE, side("fine", 1), 0, UNSATISFIED),
        (PROSE, side("fine", None, timed_out=True), 0, UNSATISFIED),
        (PROSE, side("", 139), 0, UNSATISFIED),
        (TESTS, side("1 failed", 1), 0, UNSATISFIED),
        (FILES, side("ok", 0, files=(file(FileOutcome.DIFFERS),)), 0, UNSATISFIED),
        (FILES, side("ok", 0, files=(file(FileOutcome.MISSING),)), 0, UNSATISFIED),
        (FILES, side("ok", 0, files=(file(FileOutcome.UNREADABLE),)), 0, UNSATISFIED),
        (
            FILES,
            side("ok", 0, files=(file(FileOutcome.EQUAL), file(FileOutcome.DIFFERS))),
            1,
            UNSATISFIED,
        ),
        (ITEM, side("1. Read from file\nbye"), 1, UNSATISFIED),
        (TESTS, side("E   NameError: name 'x'", None, problem="Refused."), 0, UNSATISFIED),
        (ITEM, side("Hello, world"), 0, UNSATISFIED),
        (
            replace(PROSE, expected_output="The file out.csv is created."),
            side("ok"),
            0,
            UNSATISFIED,
        ),
    ],
)
def test_what_fails_binds(item, head, points, outcome) -> None:
    found = mark(item, head)
    assert (found.points, found.outcome) == (points, outcome), found.reason


def test_a_crash_binds_also_where_an_error_was_asked_for() -> None:
    item = replace(PROSE, metric="9.1 Invalid input is refused")
    crash = "Traceback (most recent call last):\n  File 'x'\nKeyError: 'x'\n"
    assert mark(item, side(crash, 1)).outcome is UNSATISFIED
    assert mark(item, side("usage: main.py [-h]\n", 2)).outcome is UNVERIFIED


def test_without_errors_asks_for_no_error() -> None:
    item = replace(PROSE, expected_output="It exits without any errors.")
    assert mark(item, side("bye", 1)).outcome is UNSATISFIED


# --- what satisfies -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "head", "decider"),
    [
        (ITEM, side(MENU), Decider.ORACLE),
        (TESTS, side("1 passed", tests=1), Decider.ORACLE),
        (TESTS, side("1 passed", tests=1, authors=("src/tests/test_a.py",)), Decider.AUTHORS_TEST),
        (FILES, side("ok", files=(file(FileOutcome.EQUAL),)), Decider.ORACLE),
        (
            replace(PROSE, expected_output="Invalid input, please try again"),
            side("menu\nInvalid input, please try  again\n"),
            Decider.ORACLE,
        ),
    ],
)
def test_what_satisfies(item, head, decider) -> None:
    found = mark(item, head)
    assert (found.points, found.outcome, found.decider) == (2, SATISFIED, decider), found.reason


# --- what never does ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "head"),
    [
        (PROSE, side("It feels very smooth.")),
        (ITEM, side(MENU, truncated=True)),
        (ITEM, side("Manual input\n" + "x\n" * 30 + "Read from file\nReturn to main menu\n")),
        (ITEM, side("Read a file\nManual data input\nReturn to the main menu\n")),
        (ITEM, side(MENU + "EOFError: EOF when reading a line\n", 1)),
        (ITEM, side(MENU, 129, asked_for_more=True)),
        (replace(ITEM, expected_output="All options work, and it is fast."), side(MENU)),
        (replace(ITEM, description=ITEM.description.replace("shows", "shows e.g.")), side(MENU)),
        (TESTS, side("no tests ran", tests=0)),
        (TESTS, side("1 passed", None, problem="The run has no end.")),
        (
            replace(PROSE, expected_output="Please enter a name"),
            side("Please enter a name\n", typed="Please enter a name"),
        ),
        (replace(PROSE, expected_output="Braised Beef"), side("Braised Beef\n")),
        (replace(PROSE, expected_output="Displays '[Name] won'."), side("[Name] won\n")),
        (replace(PROSE, problem="It needs PowerShell."), side("", None)),
        (PROSE, side("fine", lacks=("evaluation/1.in",))),
        (PROSE, side("bash: frobnicate: command not found\n", 127)),
        (TESTS, side("/usr/bin/python: No module named pytest\n", 1)),
        (FILES, side("ok", files=(file(FileOutcome.SIMILAR),))),
        (FILES, side("ok", files=(file(FileOutcome.UNDECIDED),))),
    ],
)
def test_what_stays_undecided(item, head) -> None:
    found = mark(item, head)
    assert found.outcome is UNVERIFIED, found.reason
    assert found.points in {None, 1}
    assert found.next_step


def test_an_authors_test_that_passes_on_base_shows_nothing() -> None:
    own = side("1 passed", tests=1, authors=("src/tests/test_a.py",))
    assert mark(TESTS, own, own).outcome is UNVERIFIED
    assert mark(TESTS, own, side("1 failed", 1)).outcome is SATISFIED


def test_a_test_that_the_author_was_asked_for_must_be_there() -> None:
    absent = side("", 4, lacks=("src/tests/test_a.py",))
    assert mark(TESTS, absent).outcome is UNSATISFIED
    planned = side("", 4, lacks=("evaluation/tests/test_a.py",))
    assert mark(TESTS, planned).outcome is UNVERIFIED


def test_a_reference_document_is_an_example() -> None:
    item = replace(FILES, cases=(), expected_files=("evaluation/expected_README.md",))
    differs = file(FileOutcome.DIFFERS, "evaluation/expected_README.md")
    missing = replace(differs, outcome=FileOutcome.MISSING)
    assert mark(item, side(cases=(), files=(differs,))).outcome is UNVERIFIED
    assert mark(item, side(cases=(), files=(missing,))).outcome is UNSATISFIED


def test_an_interrupt_may_end_with_its_code() -> None:
    item = replace(PROSE, cases=(PlannedCase("python -m repl", "Ctrl+C"),))
    traced = "Traceback (most recent call last):\nKeyboardInterrupt\n"
    assert mark(item, side(traced, 130, typed="Ctrl+C")).outcome is UNVERIFIED
    assert mark(item, side(traced, 130)).outcome is UNSATISFIED


@pytest.mark.parametrize(
    ("output", "how"),
    [
        ("first\nsecond thing", HowPrinted.WHOLLY),
        ("\x1b[1mFIRST  and\nSecond   Thing\x1b[0m", HowPrinted.WHOLLY),
        ("second thing\nfirst", HowPrinted.APART),
        ("first" + "\n" * 9 + "second thing", HowPrinted.APART),
        ("first\nsecond things", HowPrinted.WHOLLY),
        ("first\nsecond thong", HowPrinted.ALIKE),
        ("first\nnothing of it", HowPrinted.PARTLY),
        ("", HowPrinted.NOT),
    ],
)
def test_looking_for_texts(output: str, how: HowPrinted) -> None:
    assert printed(Demand(("first", "second thing")), output) is how


# --- the whole plan -------------------------------------------------------------------------


def judged(configured: str, *heads: Observation, bases: tuple[Observation, ...] = ()):
    configuration = read_configuration(configured)
    items = tuple(replace(PROSE, number=n + 1, kind=ItemKind.UNIT_TEST) for n in range(len(heads)))
    found = comprehend(Task("t", ()), configuration, (), TestPlan("evaluation/plan.json", items))
    seen = tuple(evidence(head, bases[n] if bases else None, n + 1) for n, head in enumerate(heads))
    observed = Observed(seen, FourWay((), "No tests."), (), (), True, True)
    case = open_case(found, observed, configuration)
    given = verdicts(case)
    return found, observed, given, conclude(case, given)


PASSES, FAILS = side("ok", tests=1), side("no", 1)
UNKNOWN = side("", None, problem="Hm.", timed_out=True)


def test_every_item_is_a_mandatory_requirement_and_has_a_step() -> None:
    found, _, given, gate = judged("criteria: evaluation/plan.json", PASSES, FAILS, UNKNOWN)
    assert [r.id for r in found.items] == ["B1", "B2", "B3", "C1", "C2", "C3"]
    assert [v.outcome.value for v in given[3:]] == ["satisfied", "unsatisfied", "unverified"]
    assert gate.conclusion is Conclusion.FAILURE
    steps = plan(found, read_configuration(None), ("a.py",)).steps
    assert [s.requirement_ids for s in steps[2:5]] == [("C1",), ("C2",), ("C3",)]


def test_undecided_items_count_in_the_denominator() -> None:
    found, observed, _, gate = judged("criteria: p.json", PASSES, UNKNOWN)
    score = score_plan(found, observed)
    assert score is not None
    assert [item.points for item in score.items] == [2, None]
    assert (score.on_scale(1.0), score.could_be(1.0)) == (0.5, 1.0)
    assert gate.conclusion is Conclusion.ACTION_REQUIRED


@pytest.mark.parametrize(
    ("least", "heads", "said"),
    [
        (2, (PASSES, PASSES, FAILS), "success"),
        (3, (PASSES, PASSES, FAILS), "failure"),
        (3, (PASSES, PASSES, UNKNOWN), "action_required"),
        (2, (PASSES, PASSES, UNKNOWN), "success"),
    ],
)
def test_a_least_score_takes_the_plan_as_a_whole(least: int, heads, said: str) -> None:
    text = f"criteria: p.json\ngate: {{min_score: {least}}}"
    *_, gate = judged(text, *heads)
    scored = [reason for reason in gate.reasons if reason.rule == "score"]
    assert [reason.conclusion.value for reason in scored] == [said]
    assert not [reason for reason in gate.reasons if reason.text.startswith("C")]


def test_an_item_that_base_fulfils_blocks_whatever_the_score() -> None:
    text = "criteria: p.json\ngate: {min_score: 1}"
    *_, gate = judged(text, PASSES, FAILS, bases=(PASSES, PASSES))
    assert "regression" in [r.rule for r in gate.reasons if r.conclusion is Conclusion.FAILURE]
    *_, fine = judged(text, PASSES, FAILS, bases=(PASSES, FAILS))
    assert "regression" not in [r.rule for r in fine.reasons]


@pytest.mark.parametrize(
    ("base", "head", "outcome"),
    [
        (PASSES, PASSES, SATISFIED),
        (PASSES, FAILS, UNSATISFIED),
        (FAILS, PASSES, SATISFIED),  # nothing held on base, so nothing could regress
        (UNKNOWN, PASSES, UNVERIFIED),
    ],
)
def test_where_base_has_no_tests_its_plan_says_what_regresses(base, head, outcome) -> None:
    _, _, given, _ = judged("criteria: p.json", head, bases=(base,))
    assert {v.requirement_id: v.outcome for v in given}["B2"] is outcome


def test_ids_do_not_collide_with_the_configurations() -> None:
    text = 'criteria: p.json\nrequirements: [{id: C1, text: "x", check: "true"}]'
    found, *_ = judged(text, PASSES)
    assert isinstance(found, Requirements)
    assert [r.id for r in found.items if r.item] == ["C_1"]
