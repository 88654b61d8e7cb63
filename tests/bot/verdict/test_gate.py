"""The gate: every row of the table of conclusions, and that no bad fact ever helps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evidence.case import open_case
from bot.task.requirements import comprehend
from bot.values import (
    ActionKind,
    Conclusion,
    Decider,
    FourWay,
    MemberVerdict,
    Task,
    TestChange,
    Transition,
    Verdict,
    VerdictOutcome,
)
from bot.verdict.gate import _WEIGHT, EXIT_CODES, BesideVerdicts, conclude
from bot.verdict.outcome import verdicts
from sandbox.values import Finding, Severity, Side, TestRun
from tests.bot.verdict.cases import (
    DEFAULTS,
    KEPT,
    PASSED,
    SHOP_CHANGED,
    SPLIT,
    comparison,
    conclusion_of,
    evidence,
    finding,
    gate_of,
    observation,
    observed,
    requirements,
)

SUCCESS, FAILURE, ACTION = Conclusion.SUCCESS, Conclusion.FAILURE, Conclusion.ACTION_REQUIRED
LINT = Finding("F401", Severity.ADVISE, "src/shop.py", 1, "unused import", tool="ruff")
UNPARSABLE = Finding("syntax", Severity.BLOCK, "tools/run.sh", 3, "unexpected end", tool="bash -n")
BROKEN = comparison("test_total", TestChange.PASS_TO_FAIL)


def forged(side: str):
    dirty, clean = TestRun(False, (), "forged", True), TestRun(True, ())
    base = observation(0, Side.BASE, tests=dirty if side == "both" else clean)
    head = observation(0, tests=dirty)
    return (evidence(base, head, Transition.UNKNOWN, ActionKind.UNIT_TESTS, ("B2",)),)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, SUCCESS),
        ({"built_base": False}, SUCCESS),
        ({"built_head": False}, FAILURE),
        ({"built_base": False, "built_head": False}, ACTION),
        ({"built_base": None, "built_head": None, "needs": ("Python >= 3.14",)}, ACTION),
        ({"integrity": (finding("assertion-loosened", Severity.BLOCK),)}, FAILURE),
        ({"integrity": (finding("assertion-loosened", Severity.ADVISE),)}, SUCCESS),
        ({"integrity": (finding("startup-hook", Severity.ADVISE),)}, ACTION),
        ({"findings": (LINT,)}, SUCCESS),
        ({"findings": (UNPARSABLE, LINT)}, FAILURE),
        ({"changes_truncated": True}, ACTION),
        ({"tests": FourWay((*KEPT, SPLIT), problem="It was killed.")}, ACTION),
        ({"tests": FourWay(())}, ACTION),
        ({"evidence": forged("head")}, FAILURE),
        ({"evidence": forged("both")}, ACTION),
    ],
)
def test_what_was_seen_and_what_is_concluded(fields, expected):
    assert conclusion_of(*(() if "tests" in fields else (SPLIT,)), **fields) is expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (TestChange.PASS_TO_FAIL, FAILURE),
        (TestChange.NEW_FAILING, FAILURE),
        (TestChange.EXPECTATION_CHANGED, ACTION),
        (TestChange.UNKNOWN, ACTION),
        (TestChange.FLAKY, ACTION),
        (TestChange.STILL_FAILING, SUCCESS),
        (TestChange.SKIPPED, SUCCESS),
        (TestChange.NEVER_FAILED, SUCCESS),
    ],
)
def test_one_more_test_beside_a_proven_requirement(change, expected):
    assert conclusion_of(SPLIT, comparison("test_banana", change)) is expected


def test_a_changed_expectation_that_was_asked_for_is_accepted():
    changed = comparison("test_split_refuses_zero_people", TestChange.EXPECTATION_CHANGED)
    assert conclusion_of(changed) is SUCCESS


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("test_15_issue_93_c_2_refuses_zero", SUCCESS),
        ("test_15_issue_93_c_2", ACTION),
        ("test_15_tip_of_the_waiter_2", ACTION),
    ],
)
def test_numbers_in_a_tests_name_do_not_say_what_it_is_about(name, expected):
    changed = comparison(name, TestChange.EXPECTATION_CHANGED)
    assert conclusion_of(changed) is expected


def test_a_changed_expectation_that_only_got_weaker_is_not():
    loose = comparison(
        "test_split_zero_people",
        TestChange.EXPECTATION_CHANGED,
        head_on_base=KEPT[0].head_on_base,
    )
    assert conclusion_of(SPLIT, loose) is ACTION


GIVEN = "def test_with_the_value():\n    p = split(9, 0)\n    assert p == 9\n"


@pytest.mark.parametrize(
    ("title", "kept", "expected"),
    [
        ("Make one person the default of split", GIVEN, SUCCESS),
        ("Make one person the default of split", GIVEN.replace("== 9", "== 8"), ACTION),
        ("Make one person the default of split", GIVEN.replace("split(9, 0)", "9"), ACTION),
        ("Split between one person", GIVEN, ACTION),
    ],
)
def test_a_test_of_a_default_may_change_where_a_new_one_gives_the_old_value(title, kept, expected):
    before, after = (
        "def test_nobody():\n    p = split(9)\n    assert p == 9\n",
        "assert split(9) == 4",
    )
    changed = comparison("test_nobody", TestChange.EXPECTATION_CHANGED, after, source_before=before)
    held = comparison("test_with_the_value", TestChange.NEVER_FAILED, kept)
    proof = comparison("test_split_has_a_default_of_one_person", TestChange.FAIL_TO_PASS)
    gate = gate_of(requirements(title), observed(proof, changed, held))
    assert gate.conclusion is expected


def test_an_unverified_requirement_asks_a_person_and_says_what_to_do():
    gate = gate_of(requirements(), observed())
    assert gate.conclusion is ACTION
    assert gate.reasons[0].next_step
    assert (
        gate.title == "0 of 1 requirement of the task met; "
        "“split should refuse zero people” could not be verified"
    )


def test_unverified_may_be_allowed_and_is_then_neutral():
    allow = "gate: {unverified: allow}"
    assert gate_of(requirements(), observed(), allow).conclusion is Conclusion.NEUTRAL
    failing = observed(BROKEN)
    assert gate_of(requirements(), failing, allow).conclusion is FAILURE
    unbuilt = observed(built_base=False, built_head=False)
    assert gate_of(requirements(), unbuilt, allow).conclusion is ACTION


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("gate: {lint: advise}", SUCCESS),
        ("gate: {lint: block}", FAILURE),
        ("gate: {min_score: 3}", ACTION),
    ],
)
def test_the_repositorys_policy(policy, expected):
    seen = observed(SPLIT, findings=(LINT,))
    assert gate_of(requirements(), seen, policy).conclusion is expected


@pytest.mark.parametrize(("policy", "expected"), [("advise", ACTION), ("block", FAILURE)])
def test_source_in_a_task_about_documents_is_out_of_scope(policy, expected):
    seen = observed(changed_paths=("docs/a.md", "src/shop.py"), kinds=SHOP_CHANGED)
    gate = gate_of(requirements("docs: explain split"), seen, f"gate: {{scope: {policy}}}")
    assert gate.conclusion is expected
    assert any(reason.rule == "scope" for reason in gate.reasons)


def test_a_run_that_hung_is_timed_out():
    hung = evidence(
        observation(0, Side.BASE),
        observation(None, timed_out=True),
        Transition.UNKNOWN,
        ActionKind.UNIT_TESTS,
        ("B1", "B2", "B3", "R1"),
    )
    seen = observed(evidence=(hung,), tests=FourWay((), problem="The tests hung on head."))
    assert gate_of(requirements(), seen).conclusion is Conclusion.TIMED_OUT


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        (MemberVerdict(4, SUCCESS), SUCCESS),
        (MemberVerdict(4, FAILURE), FAILURE),
        (MemberVerdict(4, FAILURE, is_waived=True), SUCCESS),
        (MemberVerdict(4, ACTION), ACTION),
        (MemberVerdict(4, Conclusion.NEUTRAL), ACTION),
        (MemberVerdict(4, Conclusion.NEUTRAL, is_left_out=True), SUCCESS),
        (MemberVerdict(4, None), ACTION),
    ],
)
def test_every_member_of_a_merge_group_needs_its_own_success(member, expected):
    wanted = comprehend(Task("group", ()), DEFAULTS, ())
    seen = observed(comparison("test_a", TestChange.EXPECTATION_CHANGED))
    case = open_case(wanted, seen, DEFAULTS)
    found = verdicts(case)
    members = (MemberVerdict(3, SUCCESS), member)
    assert conclude(case, found, BesideVerdicts(members)).conclusion is expected


def test_every_conclusion_has_an_exit_code():
    assert {c: EXIT_CODES[c] for c in Conclusion} == {
        SUCCESS: 0,
        Conclusion.NEUTRAL: 0,
        FAILURE: 1,
        ACTION: 3,
        Conclusion.TIMED_OUT: 3,
        Conclusion.CANCELLED: 3,
    }


# --- properties --------------------------------------------------------------------------------

changes = st.sampled_from([c for c in TestChange if c is not TestChange.FAIL_TO_PASS])
BAD_TESTS = (
    TestChange.PASS_TO_FAIL,
    TestChange.NEW_FAILING,
    TestChange.EXPECTATION_CHANGED,
    TestChange.UNKNOWN,
)


@st.composite
def sights(draw):
    tests = [
        comparison(f"test_{name}", change)
        for name, change in draw(
            st.dictionaries(st.sampled_from("abcdefgh"), changes, max_size=5)
        ).items()
    ]
    if draw(st.booleans()):
        tests.append(SPLIT)
    return observed(
        *tests,
        built_base=draw(st.sampled_from([True, False, None])),
        built_head=draw(st.sampled_from([True, False, None])),
        needs=draw(st.sampled_from([(), ("Python >= 3.14",)])),
        integrity=tuple(
            finding(rule, severity)
            for rule, severity in draw(
                st.lists(
                    st.tuples(
                        st.sampled_from(["ci-edited", "early-exit", "test-deleted"]),
                        st.sampled_from(list(Severity)),
                    ),
                    max_size=2,
                )
            )
        ),
        findings=draw(st.sampled_from([(), (LINT,), (UNPARSABLE, LINT)])),
        changes_truncated=draw(st.booleans()),
    )


policies = st.sampled_from(
    [None, "gate: {lint: block}", "gate: {scope: block}", "gate: {min_score: 2}"]
)


@given(sights(), policies, st.sampled_from(BAD_TESTS))
def test_one_more_bad_test_never_helps(seen, policy, change):
    worse = replace(
        seen,
        tests=replace(
            seen.tests, comparisons=(*seen.tests.comparisons, comparison("test_zz", change))
        ),
    )
    before = gate_of(requirements(), seen, policy).conclusion
    after = gate_of(requirements(), worse, policy).conclusion
    assert _WEIGHT[after] >= _WEIGHT[before]


@given(sights(), policies)
def test_one_more_blocking_finding_never_helps(seen, policy):
    worse = replace(seen, integrity=(*seen.integrity, finding("test-skipped", Severity.BLOCK)))
    before = gate_of(requirements(), seen, policy).conclusion
    assert _WEIGHT[gate_of(requirements(), worse, policy).conclusion] >= _WEIGHT[before]


@given(st.lists(st.sampled_from(list(VerdictOutcome)), min_size=4, max_size=4), sights())
def test_success_needs_every_mandatory_requirement_satisfied(outcomes, seen):
    wanted = requirements()
    given_verdicts = tuple(
        Verdict(r.id, outcome, Decider.HUMAN, "because")
        for r, outcome in zip(wanted.items, outcomes, strict=True)
    )
    gate = conclude(open_case(wanted, seen, DEFAULTS), given_verdicts)
    if gate.conclusion is SUCCESS:
        assert set(outcomes) == {VerdictOutcome.SATISFIED}
    for missing in range(4):
        fewer = given_verdicts[:missing] + given_verdicts[missing + 1 :]
        assert conclude(open_case(wanted, seen, DEFAULTS), fewer).conclusion is not SUCCESS


@given(sights(), policies)
def test_reasons_are_ordered_and_the_first_decides(seen, policy):
    gate = gate_of(requirements(), seen, policy)
    weights = [_WEIGHT[reason.conclusion] for reason in gate.reasons]
    assert weights == sorted(weights, reverse=True)
    assert gate.conclusion is (gate.reasons[0].conclusion if gate.reasons else SUCCESS)
    assert 0 < len(gate.title) < 120
    assert "\n" not in gate.title
    assert gate.conclusion is not Conclusion.NEUTRAL


# --- expectations that were edited away ----------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            "npm error code ETARGET\nnpm error notarget No matching version, 12:00:00 AM.\n",
            "npm error notarget No matching version, 12:00:00 AM",
        ),
        (
            "a.js(1,2): error TS2742: The type is not portable.\nnpm error Lifecycle script failed:\n",
            "a.js(1,2): error TS2742: The type is not portable",
        ),
    ],
)
def test_the_first_error_of_a_build_ends_its_sentence_with_one_full_stop(lines, said):
    failed = replace(observation(1), output=lines)
    built = evidence(failed, failed, Transition.UNKNOWN, ActionKind.DYNAMIC_EXECUTION, ("B1",))
    seen = observed(SPLIT, built_base=False, built_head=False, evidence=(built,))
    (reason,) = (one for one in gate_of(requirements(), seen).reasons if "builds" in one.text)
    assert f"builds: {said}. So this" in reason.text


def test_an_edit_that_passes_with_any_code_is_a_regression():
    loosened = comparison(
        "test_total", TestChange.PASS_TO_FAIL, head_on_base=PASSED, head_on_head=PASSED
    )
    assert conclusion_of(SPLIT, loosened) is FAILURE


REFUSES = "test('unknown command', () => {\n  assert.equal(run(%s).code, 2);\n});"


@pytest.mark.parametrize(
    ("body", "edited", "proof", "wanted"),
    [
        ("Please add a command `json`.", '"yaml", F', 'run("json", F)', SUCCESS),
        ("Do not add a command `json`.", '"yaml", F', 'run("json", F)', FAILURE),
        ("Please add a command `toml`.", '"yaml", F', 'run("json", F)', FAILURE),
        ("Please add a command `json`.", '"yaml", F', 'run("json")', FAILURE),
        ("Please add a command `json`.", '"yaml", G', 'run("json", F)', FAILURE),
    ],
)
def test_an_input_that_the_task_makes_valid_leaves_a_test_that_expects_its_refusal(
    body, edited, proof, wanted
):
    loosened = comparison(
        "unknown command",
        TestChange.PASS_TO_FAIL,
        REFUSES % edited,
        source_before=REFUSES % '"json", F',
        head_on_base=PASSED,
        head_on_head=PASSED,
    )
    shown = comparison(
        "writes json by a command",
        TestChange.FAIL_TO_PASS,
        f"test('json', () => {{\n  assert.equal({proof}.code, 0);\n}});",
    )
    wants = requirements("Write JSON by a command", body)
    assert gate_of(wants, observed(shown, loosened)).conclusion is wanted


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("test_a",), "`tests/test_shop.py::test_a` expects, and"),
        (
            ("test_a", "test_b"),
            "`tests/test_shop.py::test_a`, `tests/test_shop.py::test_b` expect, and",
        ),
    ],
)
def test_one_test_expects_and_several_tests_expect(names, said):
    changed = [comparison(name, TestChange.EXPECTATION_CHANGED) for name in names]
    (reason,) = (
        reason
        for reason in gate_of(requirements(), observed(SPLIT, *changed)).reasons
        if reason.rule == "expectation"
    )
    assert said in reason.text


WITHDRAWN = comparison(
    "test_split_refuses_people[zero]", TestChange.PASS_TO_FAIL, head_on_base=None, head_on_head=None
)
STAYS = comparison("test_split_refuses_people[-1]", TestChange.PASS_TO_PASS)


def test_a_withdrawn_parameter_is_accepted_when_it_was_asked_for_and_proven():
    assert conclusion_of(SPLIT, STAYS, WITHDRAWN) is SUCCESS
    assert conclusion_of(STAYS, WITHDRAWN) is ACTION


def test_a_withdrawn_parameter_that_nobody_speaks_of_is_a_regression():
    other = comparison(
        "test_total[1]", TestChange.PASS_TO_FAIL, head_on_base=None, head_on_head=None
    )
    rest = comparison("test_total[2]", TestChange.PASS_TO_PASS)
    assert conclusion_of(SPLIT, rest, other) is FAILURE


def test_a_deleted_failing_test_is_a_regression_even_when_named():
    assert conclusion_of(SPLIT, WITHDRAWN) is FAILURE
