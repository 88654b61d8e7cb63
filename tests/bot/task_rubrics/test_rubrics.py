"""What a rubric does: golden ones become requirements and may block, drafts advise, VALID never helps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.errors import UserError
from bot.evaluation.rubrics import rubrics_of, with_rubrics
from bot.evidence.case import open_case
from bot.judges.citations import citation_problem
from bot.judges.weighing import weigh
from bot.task.rubrics.files import committed_rubric
from bot.values import (
    ActionKind,
    Category,
    Conclusion,
    Deliberation,
    Evidence,
    GateResult,
    KeptRubric,
    Observed,
    PanelResult,
    PatchOpinion,
    Requirement,
    Requirements,
    Rubric,
    Step,
    Task,
    TaskRubric,
    TaskSource,
    TestChange,
    Transition,
    Trust,
    Validity,
    VerdictOutcome,
)
from bot.verdict.gate import BesideVerdicts, conclude
from bot.verdict.outcome import verdicts
from bot.verdict.patch_reasons import patch_reasons
from sandbox.values import Side
from tests.bot.configured import read_configuration
from tests.bot.verdict.cases import (
    DEFAULTS,
    SPLIT,
    comparison,
    observation,
    observed,
    requirements,
    verdict_of,
)

RUBRIC = Rubric(
    "split divides by the number of people.",
    ("split should refuse zero people", "split refuses fewer than zero people"),
    ("Any message",),
    ("split returns 0 for zero people",),
)
GOLDEN = TaskRubric(7, RUBRIC, True, 2, ("ben", "mara"))
DRAFT = replace(GOLDEN, is_golden=False)
INVALID, VALID = Validity.INVALID, Validity.VALID
FAILURE, ACTION, SUCCESS = Conclusion.FAILURE, Conclusion.ACTION_REQUIRED, Conclusion.SUCCESS
TASK = Task("t", (TaskSource("issue #7", "t", "", Trust.ASKER, 7),), author="Zoe")


# --- which rubric counts --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kept", "version", "golden"),
    [
        ((KeptRubric(1, RUBRIC, ("ben", "mara")),), 1, True),
        ((KeptRubric(1, RUBRIC, ("ben",)),), 1, False),
        ((KeptRubric(1, RUBRIC, ("ben", "zoe")),), 1, False),  # the author does not count
        ((KeptRubric(1, RUBRIC, ("ben", "mara")), KeptRubric(2, RUBRIC, ("ben",))), 1, True),
        ((KeptRubric(1, RUBRIC, ("a", "b")), KeptRubric(2, RUBRIC, ("a", "b"))), 2, True),
        ((KeptRubric(1, RUBRIC, ()), KeptRubric(2, RUBRIC, ("ben",))), 2, False),
    ],
)
def test_enough_people_besides_the_author_make_it_golden(
    kept: tuple[KeptRubric, ...], version: int, golden: bool
) -> None:
    (found,) = rubrics_of(TASK, (), {7: kept}, 2)
    assert (found.version, found.is_golden) == (version, golden)
    (by_one,) = rubrics_of(TASK, (), {7: (KeptRubric(1, RUBRIC, ("ben",)),)}, 1)
    assert by_one.is_golden


def test_a_file_on_base_is_golden_and_comes_first() -> None:
    path = ".github/assay/rubrics/7.json"
    file = committed_rubric(path, b'{"root_cause": "a", "requirements": ["b"]}')
    kept = {7: (KeptRubric(1, RUBRIC, ("ben", "mara")),)}
    (found,) = rubrics_of(TASK, (file,), kept, 2)
    assert (found.is_golden, found.path, found.rubric.root_cause) == (True, path, "a")
    other = committed_rubric(".github/assay/rubrics/8.yml", b"nonsense")
    assert rubrics_of(TASK, (other,), {}, 2) == ()
    with pytest.raises(UserError, match=r"rubrics/7\.yml"):
        rubrics_of(TASK, (committed_rubric(".github/assay/rubrics/7.yml", b"nonsense"),), kept, 2)


# --- what it demands ------------------------------------------------------------------------


def golden_requirements() -> tuple[Requirements, tuple[TaskRubric, ...]]:
    return with_rubrics(requirements(), (GOLDEN,))


def test_a_golden_rubric_makes_requirements_that_a_maintainer_stands_behind() -> None:
    found, (rubric,) = golden_requirements()
    by_id = {one.id: one for one in found.items}
    assert list(by_id) == ["B1", "B2", "B3", "G1", "G2", "R1"]
    assert by_id["R1"].trust is Trust.MAINTAINER  # the issue says the same: not asked twice
    assert by_id["R1"].origin == "issue #7, rubric of issue #7, version 2"
    assert (by_id["G1"].trust, by_id["G1"].mandatory) == (Trust.MAINTAINER, True)
    assert by_id["G2"].category is Category.PROHIBITION
    assert by_id["G2"].text == "Must not hold: split returns 0 for zero people"
    assert rubric.requirement_ids == ("R1", "G1", "G2")


def test_a_draft_demands_nothing() -> None:
    found, (rubric,) = with_rubrics(requirements(), (DRAFT,))
    assert found == requirements()
    assert rubric.requirement_ids == ()


def test_no_test_can_vouch_that_a_prohibition_is_kept() -> None:
    """A test may assert the very thing that must not hold."""
    found, _ = golden_requirements()
    asserting = comparison(
        "test_split_returns_0_for_zero_people",
        TestChange.FAIL_TO_PASS,
        "def test_split_returns_0_for_zero_people():\n    assert split(1000, 0) == 0\n",
    )
    assert verdict_of("G2", found, observed(SPLIT, asserting)).outcome is VerdictOutcome.UNVERIFIED


def test_judges_decide_a_prohibition_by_what_was_executed() -> None:
    found, _ = golden_requirements()
    requirement = next(one for one in found.items if one.id == "G2")
    seen = observed(SPLIT)
    given = verdicts(open_case(found, seen, DEFAULTS))
    panel = PanelResult("G2", VerdictOutcome.SATISFIED, "It raises.", ("A1",), is_agreed=True)
    weighed = weigh(found, given, Deliberation(panels=(panel,)))
    assert {v.requirement_id: v.outcome for v in weighed}["G2"] is VerdictOutcome.SATISFIED
    held = step("A1", 0, Transition.HELD, ("G2",))
    assert not citation_problem(requirement, VerdictOutcome.SATISFIED, ("A1",), (held,))
    read = step("A1", 0, Transition.HELD, ("G2",), ActionKind.READ)
    assert citation_problem(requirement, VerdictOutcome.SATISFIED, ("A1",), (read,))


# --- the gate -------------------------------------------------------------------------------


def step(
    id_: str,
    exit_code: int,
    transition: Transition,
    ids: tuple[str, ...],
    action: ActionKind = ActionKind.DYNAMIC_EXECUTION,
) -> Evidence:
    base = observation(0 if transition in (Transition.REGRESSED, Transition.HELD) else 1, Side.BASE)
    return Evidence(id_, Step(id_, "g", "", ids, action), base, observation(exit_code), transition)


def opinion(validity: Validity | None, *cited: str, **more: object) -> PatchOpinion:
    values = {
        "thought": "t",
        "justification": "Zero people get 0.",
        "minimality": "nothing",
        "is_unsure": False,
        "rubric": GOLDEN.name,
        "is_golden": True,
        "evidence_ids": cited,
    }
    return PatchOpinion(validity, **(values | more))  # type: ignore[arg-type]


def gate(
    patch: PatchOpinion,
    *own: Evidence,
    seen: Observed | None = None,
    wanted: Requirements | None = None,
    **more: object,
) -> GateResult:
    """As the judge stage concludes, with all requirements met unless `seen` says otherwise."""
    wanted, seen = wanted or requirements(), seen or observed(SPLIT)
    policy = read_configuration(str(more.pop("configuration", "")) or None)
    deliberation = Deliberation(evidence=own, patch=patch, **more)  # type: ignore[arg-type]
    found = weigh(wanted, verdicts(open_case(wanted, seen, policy)), deliberation)
    rubrics = (replace(GOLDEN, requirement_ids=("R1", "G1")),)
    reasons = patch_reasons(deliberation, seen.evidence, rubrics, policy)
    return conclude(open_case(wanted, seen, policy), found, BesideVerdicts(patch=reasons))


REFUTES = step("A1", 1, Transition.STILL_FAILING, ("R1",))
REGRESSED = step("A2", 1, Transition.REGRESSED, ("B2",), ActionKind.BASH)
UNRELATED = step("A3", 1, Transition.STILL_FAILING, ("B1", "B2", "R1"), ActionKind.UNIT_TESTS)
PASSING = step("A4", 0, Transition.HELD, ("R1",))


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (opinion(VALID, "A4"), SUCCESS),
        (opinion(VALID, is_unsure=True), ACTION),  # doubtful by a golden rubric
        (opinion(None, is_unsure=True, problem="The endpoint is away."), ACTION),
        (opinion(INVALID, "A1"), FAILURE),  # a judge's step for the rubric's requirement fails
        (opinion(INVALID, "A2"), FAILURE),  # something regressed
        (opinion(INVALID, "A3"), ACTION),  # fails on base as well, and is about everything
        (opinion(INVALID, "A4"), ACTION),  # a model alone against passing oracles
        (opinion(INVALID, quotes=("return 0",)), ACTION),
        (opinion(INVALID, "A1", is_unsure=True), ACTION),
    ],
)
def test_by_a_golden_rubric(patch: PatchOpinion, expected: Conclusion) -> None:
    assert gate(patch, REFUTES, REGRESSED, UNRELATED, PASSING).conclusion is expected


@pytest.mark.parametrize("validity", [VALID, INVALID, None])
@pytest.mark.parametrize("rubric", ["", DRAFT.name])
def test_a_draft_or_none_is_advice(validity: Validity | None, rubric: str) -> None:
    patch = opinion(validity, "A1", rubric=rubric, is_golden=False, is_unsure=True)
    concluded = gate(patch, REFUTES)
    assert concluded.conclusion is SUCCESS
    told = [one for one in concluded.reasons if one.rule == "patch"]
    assert len(told) == (validity is INVALID)
    assert all(one.text.startswith("Advice only: ") for one in told)


def test_valid_never_makes_anything_better() -> None:
    """Unsatisfied stays failure and unverified stays action required, in verdict and conclusion."""
    valid = opinion(VALID, "A4")
    regressed = observed(SPLIT, comparison("test_total", TestChange.PASS_TO_FAIL))
    assert gate(valid, PASSING, seen=regressed).conclusion is FAILURE
    assert gate(valid, PASSING, seen=observed()).conclusion is ACTION
    wanted, seen = requirements(), observed()
    given = verdicts(open_case(wanted, seen, DEFAULTS))
    assert weigh(wanted, given, Deliberation(patch=valid, evidence=(PASSING,))) == given
    assert gate(valid, PASSING, wanted=golden_requirements()[0]).conclusion is ACTION


def test_a_configuration_that_lets_the_unverified_pass_lets_no_invalid_pass() -> None:
    allow = "gate: {unverified: allow}"
    unsure = gate(opinion(None, is_unsure=True), configuration=allow)
    assert unsure.conclusion is Conclusion.NEUTRAL
    assert gate(opinion(INVALID, "A4"), PASSING, configuration=allow).conclusion is ACTION


def test_judges_that_missed_their_canary_say_nothing_and_a_golden_rubric_asks_a_person() -> None:
    concluded = gate(opinion(INVALID, "A1"), REFUTES, problem="A canary was missed.")
    assert concluded.conclusion is ACTION
    (reason,) = concluded.reasons
    assert reason.text == (
        f"The patch as a whole got no verdict by the {GOLDEN.name}: A canary was missed."
    )
    allow = "gate: {unverified: allow}"
    allowed = gate(opinion(INVALID, "A1"), problem="Missed.", configuration=allow)
    assert allowed.conclusion is Conclusion.NEUTRAL


def test_where_no_judge_could_be_asked_it_is_said_with_the_way_out() -> None:
    wanted, seen = requirements(), observed()
    given = verdicts(open_case(wanted, seen, DEFAULTS))
    why = "The model's endpoint failed (status 503)."
    empty = tuple(PanelResult(v.requirement_id, VerdictOutcome.UNVERIFIED, why) for v in given)
    for held in (Deliberation(problem=why), Deliberation(panels=empty)):
        told = {one.requirement_id: one for one in weigh(wanted, given, held)}
        assert [one.outcome for one in told.values()] == [one.outcome for one in given]
        assert told["R1"].reason.endswith(why)
        assert told["R1"].next_step.endswith("fix what prevented judging, then comment `/judge`.")
        assert told["B1"] in given, "no judge was going to be asked about it"


def test_the_title_names_the_patch() -> None:
    concluded = gate(opinion(INVALID, "A4"), PASSING)
    assert concluded.title == (
        "1 of 1 requirement of the task met; the patch as a whole needs a reader"
    )
    assert "INVALID by the rubric of issue #7" in concluded.reasons[0].text


@pytest.mark.parametrize(
    ("votes", "doubts", "said"),
    [
        ((0, 3, 0), (), "judged INVALID by"),
        ((1, 2, 0), ("The samples do not agree.",), "judged INVALID with doubts by"),
        ((0, 3, 0), ("It cites nothing that holds.",), "judged INVALID by"),
    ],
)
def test_there_are_no_doubts_where_all_agree(
    votes: tuple[int, int, int], doubts: tuple[str, ...], said: str
) -> None:
    patch = opinion(INVALID, votes=votes, doubts=doubts, is_unsure=bool(doubts))
    (text,) = [one.text for one in gate(patch).reasons if one.rule == "patch"]
    assert said in text
    assert all(text.count(doubt) == 1 for doubt in doubts)


def test_an_id_that_is_taken_is_not_given_twice() -> None:
    taken = Requirement("G1", "x", Category.CHECK, "configuration", Trust.MAINTAINER)
    wanted = replace(requirements(), items=(*requirements().items, taken))
    found, _ = with_rubrics(wanted, (GOLDEN,))
    assert [one.id for one in found.items if one.id.startswith("G")] == ["G_1", "G_2", "G1"]
