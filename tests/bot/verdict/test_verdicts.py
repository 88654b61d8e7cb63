"""Every row of the rules of judging: what each kind of test and check makes of a requirement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.case import open_case
from bot.task.requirements import comprehend
from bot.values import (
    ActionKind,
    Beside,
    Conclusion,
    DamageSeen,
    Decider,
    FourWay,
    TestChange,
    Transition,
    VerdictOutcome,
)
from bot.values.four_way import transition
from bot.values.rules import EARLY_EXIT
from bot.values.verdicts import count_met
from bot.verdict.outcome import verdicts
from sandbox.damage.values import Damage, DamageTrial
from sandbox.values import ChangedFile, ChangeKind, Outcome, Severity, Side
from tests.bot.configured import read_configuration
from tests.bot.verdict.cases import (
    DEFAULTS,
    KEPT,
    PATH,
    SPLIT,
    comparison,
    conclusion_of,
    evidence,
    finding,
    observation,
    observed,
    requirements,
    task,
    verdict_of,
)

SATISFIED, UNSATISFIED, UNVERIFIED = VerdictOutcome
TWO = "- [ ] accepts thousands separators\n- [ ] raises `ValueError` for negative amounts\n"
SEPARATORS = comparison("test_accepts_thousands_separators", TestChange.FAIL_TO_PASS)
NEGATIVE = comparison(
    "test_refuses_negative_amounts",
    TestChange.FAIL_TO_PASS,
    "def test_refuses_negative_amounts():\n    with pytest.raises(ValueError):\n        parse('-3')\n",
)

SKIPPED_ON_HEAD = replace(
    comparison("test_a", TestChange.SKIPPED), base_on_base=KEPT[0].base_on_base
)
UNCOLLECTED = replace(comparison("test_a", TestChange.REMOVED), base_on_head=None)


def sole(*tests, **fields):
    return verdict_of("R1", requirements(), observed(*tests, **fields))


# --- behaviour -------------------------------------------------------------------------------


def test_the_authors_fail_to_pass_test_satisfies_and_is_labelled():
    found = sole(SPLIT)
    assert (found.outcome, found.decided_by) == (SATISFIED, Decider.AUTHORS_TEST)
    assert found.tests == (SPLIT.id,)
    assert found.evidence_ids == ("E1",)
    assert "The pull request adds or edits its file" in found.reason


def test_marks_of_code_in_a_tests_name_do_not_end_what_is_shown_as_code():
    test = replace(comparison("test_a", TestChange.STILL_FAILING), id="test.js::`split` > `n`")
    found = verdict_of("B2", requirements(), observed(*KEPT, test))
    assert "`test.js::'split' > 'n'`" in found.reason


@pytest.mark.parametrize(
    ("name", "outcome"),
    [("test_divides", SATISFIED), ("test_bill_rounds_to_cents", UNVERIFIED)],
)
def test_what_the_author_lists_takes_no_proof_from_the_one_demand_of_the_issue(name, outcome):
    source = f"def {name}():\n    assert Bill(9).parts(3) == [3, 3, 3]\n"
    proof = comparison(name, TestChange.FAIL_TO_PASS, source)
    title = "A bill should know what each of its guests owes when all pay the same"
    wanted = requirements(title, author="- [x] bill rounds to cents\n")
    found = verdict_of("R1", wanted, observed(proof))
    assert found.outcome is outcome
    assert ("the only requirement of the task" in found.reason) is (outcome is SATISFIED)


def test_the_configuration_can_ask_for_more_than_the_authors_tests():
    asks = read_configuration("gate: {authors_tests: block}")
    by_author, by_base = (
        verdicts(open_case(requirements(), observed(test), asks))[-1]
        for test in (SPLIT, replace(SPLIT, written_by_author=False))
    )
    assert (by_author.outcome, by_author.tests) == (UNVERIFIED, (SPLIT.id,))
    assert by_author.reason.endswith("and `gate.authors_tests` asks for more.")
    assert by_base.outcome is SATISFIED


@pytest.mark.parametrize("by_author", [True, False])
def test_the_configuration_can_ask_for_every_sentence_of_the_task(by_author: bool):
    test = replace(SPLIT, written_by_author=by_author)
    plain, more = requirements(), replace(requirements(), not_apart=("It should also round.",))
    asks = read_configuration("gate: {unjudged: block}")
    given = {
        (wanted, configuration): verdicts(open_case(wanted, observed(test), configuration))[-1]
        for wanted in (plain, more)
        for configuration in (DEFAULTS, asks)
    }
    left = given.pop((more, asks))
    assert (left.outcome, left.tests) == (UNVERIFIED, (SPLIT.id,))
    assert "But “It should also round.” was not judged on its own" in left.reason
    assert "accept it" in left.next_step
    assert {one.outcome for one in given.values()} == {SATISFIED}
    baseline = verdicts(open_case(more, observed(test), asks))[:3]
    assert {one.outcome for one in baseline} == {SATISFIED}


def test_a_test_of_base_that_passes_now_is_an_oracle():
    named = comparison("test_split_refuses_zero", TestChange.FAIL_TO_PASS, written_by_author=False)
    assert sole(named).decided_by is Decider.ORACLE


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (TestChange.FAIL_TO_PASS, SATISFIED),
        (TestChange.NEW_FAILING, UNSATISFIED),
        (TestChange.NEVER_FAILED, UNVERIFIED),
        (TestChange.FLAKY, UNVERIFIED),
        (TestChange.SKIPPED, UNVERIFIED),
        (TestChange.UNKNOWN, UNVERIFIED),
        (TestChange.PASS_TO_PASS, UNVERIFIED),
        (TestChange.STILL_FAILING, UNVERIFIED),
        (TestChange.REMOVED, UNVERIFIED),
    ],
)
def test_what_each_kind_of_test_can_prove(change, outcome):
    found = sole(comparison("test_split_refuses_zero_people", change))
    assert found.outcome is outcome
    assert bool(found.next_step) == (outcome is not SATISFIED)


def test_a_failing_test_is_not_outweighed_by_passing_ones():
    failing = comparison("test_split_refuses_no_people", TestChange.NEW_FAILING)
    assert sole(SPLIT, failing).outcome is UNSATISFIED


REFUSED = "connect ECONNREFUSED 127.0.0.1:5432"
MOCK = "/work/tree/node_modules/@tapjs/mock/index.js"


@pytest.mark.parametrize(
    ("of_base", "of_head", "outcome"),
    [
        (REFUSED, REFUSED, UNVERIFIED),
        (
            f"ERR_MODULE_NOT_FOUND]: Cannot find module '/work/tree/a.js' imported from {MOCK}",
            f"ERR_MODULE_NOT_FOUND]: Cannot find module '/work/tree/b.js' imported from {MOCK}",
            UNVERIFIED,
        ),
        ("ModuleNotFoundError: No module named 'one'", REFUSED, UNSATISFIED),
        (
            "ModuleNotFoundError: No module 'one'",
            "ModuleNotFoundError: No module 'two'",
            UNSATISFIED,
        ),
        ("AssertionError: 1 != 2", "AssertionError: 1 != 2", UNSATISFIED),
        ("", "", UNSATISFIED),
    ],
)
def test_a_new_test_that_lacks_what_tests_of_base_lack_refutes_nothing(of_base, of_head, outcome):
    broken = comparison("test_old", TestChange.STILL_FAILING, message=of_base)
    new = comparison("test_split_refuses_zero_people", TestChange.NEW_FAILING, message=of_head)
    found = sole(broken, new)
    assert found.outcome is outcome
    assert ("1 test of base fails on base, too" in found.reason) is (outcome is UNVERIFIED)
    beside = replace(broken, written_by_author=True)  # in the file that the new test was added to
    assert sole(beside, new).outcome is outcome
    assert sole(replace(beside, base_on_head=Outcome.PASSED), new).outcome is UNSATISFIED
    assert sole(replace(beside, base_on_base=None), new).outcome is UNSATISFIED


def test_what_tests_lack_is_what_was_raised_and_not_a_line_of_code():
    said = (
        "    except (OSError, FileNotFoundError):\n>       raise Unreachable()\n"
        "E       shop.ConnectionError: no socket at '/run/shop'\n"
    )
    broken = comparison("test_old", TestChange.STILL_FAILING, message=said)
    found = sole(broken, comparison("test_split_refuses", TestChange.NEW_FAILING, message=said))
    assert "for want of the same: `ConnectionError: no socket at '/run/shop'`" in found.reason


@pytest.mark.parametrize(
    ("of_base", "of_head", "outcome"),
    [
        ({}, True, UNVERIFIED),
        ({}, False, UNSATISFIED),
        ({"is_unfinished": False}, True, UNSATISFIED),
        ({"path": "tests/test_other.py"}, True, UNSATISFIED),
        ({"base_on_base": Outcome.FAILED}, True, UNSATISFIED),
    ],
)
def test_a_new_test_that_is_cut_off_where_tests_of_base_are_refutes_nothing(
    of_base, of_head, outcome
):
    told = {
        "base_on_base": Outcome.ERROR,
        "written_by_author": True,
        "is_unfinished": True,
        **of_base,
    }
    broken = comparison("test_old", TestChange.STILL_FAILING, **told)
    new = comparison(
        "test_split_refuses_zero_people", TestChange.NEW_FAILING, is_unfinished=of_head
    )
    found = sole(broken, new)
    assert found.outcome is outcome
    assert ("do not come to their end on base" in found.reason) is (outcome is UNVERIFIED)
    assert sole(new).outcome is UNSATISFIED


STACK = (
    "/work/tree/{broken}:12\n  get a() => 1 ?? 2\n\nSyntaxError: Unexpected token ?\n"
    "    at Module._compile (internal/modules/cjs/loader.js:760:23)\n"
    "    at Object.<anonymous> (/work/tree/{asks}:3:18)\n"
    "    at Object.<anonymous> (/work/tree/{by}:5:15)\n"
    "    at Object.<anonymous> (/work/tree/node_modules/mocha/lib/mocha.js:250:9)\n"
)


@pytest.mark.parametrize(
    ("asks", "by", "outcome"),
    [
        ("node_modules/nise/index.js", PATH, UNVERIFIED),
        ("src/split.js", PATH, UNSATISFIED),
        (
            "node_modules/mocha/lib/esm.js",
            "node_modules/mocha/bin.js",
            UNSATISFIED,
        ),  # the test itself
    ],
)
def test_a_package_that_this_node_cannot_read_refutes_nothing(asks, by, outcome):
    message = STACK.format(broken="lib/a.js", asks=asks, by=by)
    found = sole(comparison("split", TestChange.NEW_FAILING, message=message))
    assert found.outcome is outcome
    assert ("a package that they load" in found.reason) is (outcome is UNVERIFIED)


TIMED = """split refuses zero people
test('split refuses zero people', t => {
    const start = performance.now();
    const result = split(0);
    const elapsed = performance.now() - start;
    t.is(result, undefined);
    t.true(elapsed < 50, `Took ${elapsed}ms.`);
    t.true(result < 50);
});
"""
TIMED_IN_PYTHON = """def test_split_refuses_zero_people():
    start = time.perf_counter()
    split(0)
    took = time.perf_counter() - start
    assert took < 0.5
    assert took == split(0)
"""


@pytest.mark.parametrize(
    ("source", "line", "outcome"),
    [
        (TIMED, 16, UNVERIFIED),
        (TIMED, 15, UNSATISFIED),  # another assertion of the same test
        (TIMED, 17, UNSATISFIED),  # a limit, but not on a time
        (TIMED, 99, UNSATISFIED),
        (TIMED.replace("performance.now()", "start()"), 16, UNSATISFIED),
        (TIMED_IN_PYTHON, 15, UNVERIFIED),
        (TIMED_IN_PYTHON, 16, UNSATISFIED),
    ],
)
def test_a_new_test_that_fails_for_the_time_it_takes_here_refutes_nothing(source, line, outcome):
    new = comparison(
        "split refuses zero people",
        TestChange.NEW_FAILING,
        source,
        line=11,
        message=f"Took 81ms.\n    at file:///work/tree/{PATH}:{line}:8\n",
    )
    found = sole(new)
    assert found.outcome is outcome
    assert ("a limit on time (`" in found.reason) is (outcome is UNVERIFIED)
    assert "`Took" not in found.reason
    other = comparison("split refuses nobody", TestChange.NEW_FAILING, message="1 != 2")
    assert sole(new, other).outcome is UNSATISFIED
    assert conclusion_of(new) is not Conclusion.SUCCESS


def test_a_test_that_the_task_names_binds_when_it_still_fails():
    wanted = requirements("test_split_even should pass")
    failing = comparison("test_split_even", TestChange.STILL_FAILING)
    assert verdict_of("R1", wanted, observed(failing, SPLIT)).outcome is UNSATISFIED


def test_a_rewritten_expectation_that_fails_on_base_is_a_proof():
    changed = comparison("test_split_refuses_zero_people", TestChange.EXPECTATION_CHANGED)
    assert sole(changed).outcome is SATISFIED


def test_a_rewritten_expectation_that_passes_on_base_too_proves_nothing():
    loose = comparison(
        "test_split_refuses_zero_people",
        TestChange.EXPECTATION_CHANGED,
        head_on_base=KEPT[0].head_on_base,
    )
    assert sole(loose).outcome is UNVERIFIED


def test_an_asked_for_thing_needs_a_test_that_speaks_of_it():
    other = comparison(
        "test_banana", TestChange.FAIL_TO_PASS, "def test_banana():\n    assert peel()\n"
    )
    assert sole(other).outcome is UNVERIFIED


def test_the_authors_own_title_is_proven_by_any_test_that_only_the_change_makes_pass():
    other = comparison(
        "test_banana", TestChange.FAIL_TO_PASS, "def test_banana():\n    assert peel()\n"
    )
    wanted = requirements("Polish", trust=task().sources[0].trust.AUTHOR)
    assert verdict_of("R1", wanted, observed(other)).outcome is SATISFIED


@pytest.mark.parametrize(
    ("tests", "outcomes"),
    [
        ((SEPARATORS, NEGATIVE), (SATISFIED, SATISFIED)),
        ((SEPARATORS,), (SATISFIED, UNVERIFIED)),
        ((NEGATIVE,), (UNVERIFIED, SATISFIED)),
        ((), (UNVERIFIED, UNVERIFIED)),
    ],
)
def test_of_several_requirements_each_needs_its_own_test(tests, outcomes):
    found = verdicts(open_case(requirements("parse_amount copes", TWO), observed(*tests), DEFAULTS))
    assert tuple(v.outcome for v in found[3:]) == outcomes


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("negative = parse_amount('1,000')\n    assert negative == 1000", UNVERIFIED),
        ("with pytest.raises(ValueError):\n        parse_amount('-1')", SATISFIED),
        ("assert 'ValueError' in run('-1').stderr", SATISFIED),
        ("assert_refused('-1')", SATISFIED),
        ("try:\n        parse_amount('-1')\n    except Exception:\n        return", SATISFIED),
    ],
)
def test_an_error_that_must_be_raised_is_asked_for_in_the_tests_body(body, outcome):
    name = "test_negative_amounts_raise_value_error"
    code = f'def {name}():\n    """Negative amounts raise ValueError."""\n    {body}\n'
    wanted = requirements("parse_amount copes", "- [ ] negative amounts raise `ValueError`")
    test = comparison(name, TestChange.FAIL_TO_PASS, code)
    assert verdict_of("R1", wanted, observed(test)).outcome is outcome


def test_the_error_of_a_bugs_title_is_none_to_wait_for():
    wanted = requirements(
        'child("") raises ValueError in the parse node',
        '`child("")` should return the node of that key.',
    )
    body = "def test_child_of_an_empty_key():\n    assert child('').text == 'John'\n"
    test = comparison("test_child_of_an_empty_key", TestChange.FAIL_TO_PASS, body)
    assert verdict_of("R1", wanted, observed(test)).outcome is SATISFIED


def test_an_error_that_must_not_be_raised_is_none_to_wait_for():
    wanted = requirements("split copes", "- [ ] no people no longer raises `ZeroDivisionError`")
    code = "def test_split_no_people():\n    assert split(4, people=0) == []\n"
    test = comparison("test_split_no_people", TestChange.FAIL_TO_PASS, code)
    assert verdict_of("R1", wanted, observed(test)).outcome is SATISFIED


def test_a_result_that_proves_nothing_leaves_everything_unverified():
    broken = FourWay((*KEPT, SPLIT), problem="The run on head ended early.", evidence_id="E1")
    found = verdicts(open_case(requirements(), observed(tests=broken), DEFAULTS))
    assert [v.outcome for v in found] == [SATISFIED, UNVERIFIED, SATISFIED, UNVERIFIED]
    assert "ended early" in found[3].reason


def test_a_new_test_without_a_result_on_base_says_what_ended_the_run_there():
    new = comparison(
        "test_split_refuses_zero_people",
        TestChange.UNKNOWN,
        base_on_base=None,
        head_on_head=Outcome.PASSED,
    )
    ended = "The test run was killed at the memory limit of 4096 MB."
    found = verdict_of(
        "R1", requirements(), observed(tests=FourWay((*KEPT, new), ended_on_base=ended))
    )
    assert found.outcome is UNVERIFIED
    assert found.reason.startswith(f"`{new.id}` has no result on base's code")
    assert ended in found.reason


def test_a_new_test_that_is_skipped_is_named():
    new = comparison(
        "test_split_on_an_older_python",
        TestChange.SKIPPED,
        base_on_base=None,
        head_on_base=Outcome.SKIPPED,
        head_on_head=Outcome.SKIPPED,
        written_by_author=True,
    )
    found = verdict_of("R1", requirements(), observed(new))
    assert (found.outcome, found.reason.partition(",")[0]) == (
        UNVERIFIED,
        f"`{new.id}` is skipped here",
    )
    assert "is not skipped here" in found.next_step


@pytest.mark.parametrize(
    ("name", "shown", "is_shown"),
    [
        ("test_split_never_has_more_than_the_limit_at_once", "test_split_at_the_same_time", False),
        ("test_split_never_has_more_than_the_limit_at_once", "test_limit_at_once_is_never", True),
        ("test_split_at_the_same_time_on_windows", "test_split_at_the_same_time", True),
    ],
)
def test_a_part_that_only_a_skipped_test_is_about(name: str, shown: str, *, is_shown: bool):
    skipped = comparison(
        name,
        TestChange.SKIPPED,
        base_on_base=None,
        head_on_base=Outcome.SKIPPED,
        head_on_head=Outcome.SKIPPED,
        written_by_author=True,
    )
    asked = "- [ ] `split` works at the same time, but never more than `limit` at once\n"
    proof = comparison(shown, TestChange.FAIL_TO_PASS)
    found = verdict_of("R1", requirements("x", asked), observed(skipped, proof))
    assert (found.outcome is not UNVERIFIED) is is_shown
    assert ("is skipped here, where tests run on Linux" in found.reason) is not is_shown


@pytest.mark.parametrize(
    ("name", "is_shown"),
    [
        ("test_split_at_the_same_time_with_the_limit", True),
        ("test_split_never_has_more_than_the_limit_at_once", False),
    ],
)
def test_a_part_that_only_a_test_is_about_whose_assertions_may_not_be_made(
    name: str, *, is_shown: bool
):
    asked = "- [ ] `split` works at the same time, but never more than `limit` at once\n"
    proof = comparison("test_split_at_the_same_time", TestChange.FAIL_TO_PASS)
    hiding = comparison(name, TestChange.FAIL_TO_PASS)
    hides = replace(finding("assertion-loosened", Severity.ADVISE), tests=(hiding.id,))
    found = verdict_of("R1", requirements("x", asked), observed(proof, hiding, integrity=(hides,)))
    assert (found.outcome is not UNVERIFIED) is is_shown
    assert ("proves nothing" in found.reason) is not is_shown


# --- independence and counting ----------------------------------------------------------------


def test_an_unmet_prerequisite_shows_and_does_not_change_the_verdict():
    wanted = requirements(
        "x", "- [ ] R1: accepts thousands separators\n- [ ] R2: refuses negative amounts (after R1)"
    )
    found = verdicts(open_case(wanted, observed(NEGATIVE), DEFAULTS))
    assert (found[4].outcome, found[4].blocked_by) == (SATISFIED, ("R1",))
    met = count_met(wanted, found)
    assert (met.independently, met.with_prerequisites, met.total) == (4, 3, 5)


def test_a_requirement_without_a_verdict_counts():
    wanted = requirements()
    met = count_met(wanted, ())
    assert (met.independently, met.total) == (0, 4)


# --- baseline ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "head", "needs", "outcome"),
    [
        (True, True, (), SATISFIED),
        (False, True, (), SATISFIED),
        (True, False, (), UNSATISFIED),
        (False, False, (), UNVERIFIED),
        (None, False, (), UNVERIFIED),
        (None, None, (), SATISFIED),
        (None, None, ("Python >= 3.13",), UNVERIFIED),
        (True, None, (), UNVERIFIED),
    ],
)
def test_it_builds(base, head, needs, outcome):
    seen = observed(SPLIT, built_base=base, built_head=head, needs=needs)
    assert verdict_of("B1", requirements(), seen).outcome is outcome


@pytest.mark.parametrize(
    ("tests", "outcome"),
    [
        (FourWay(KEPT), SATISFIED),
        (FourWay((*KEPT, comparison("test_a", TestChange.PASS_TO_FAIL))), UNSATISFIED),
        (FourWay((*KEPT, comparison("test_a", TestChange.FLAKY))), UNVERIFIED),
        (FourWay((*KEPT, comparison("test_a", TestChange.FLAKY, flakes_on_base=True))), SATISFIED),
        (FourWay((*KEPT, SKIPPED_ON_HEAD)), UNVERIFIED),
        (FourWay((SKIPPED_ON_HEAD,)), UNVERIFIED),
        (FourWay((*KEPT, UNCOLLECTED)), UNVERIFIED),
        (FourWay((*KEPT, comparison("test_a", TestChange.REMOVED))), SATISFIED),
        (FourWay((*KEPT, comparison("test_a", TestChange.STILL_FAILING))), SATISFIED),
        (FourWay((*KEPT, comparison("test_a", TestChange.UNKNOWN))), UNVERIFIED),
        (FourWay((SPLIT,)), UNVERIFIED),
        (FourWay(()), UNVERIFIED),
        (FourWay(KEPT, problem="It was killed."), UNVERIFIED),
    ],
)
def test_nothing_regresses(tests, outcome):
    assert verdict_of("B2", requirements(), observed(tests=tests)).outcome is outcome


def test_what_was_not_run_cannot_be_said_to_hold():
    seen = observed(left_out="Two calls of a runner are not run.")
    verdict = verdict_of("B2", requirements(), seen)
    assert verdict.outcome is UNVERIFIED
    assert "Two calls" in verdict.reason


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (Transition.HELD, SATISFIED),
        (Transition.FIXED, SATISFIED),
        (Transition.REGRESSED, UNSATISFIED),
        (Transition.STILL_FAILING, UNVERIFIED),
        (Transition.UNKNOWN, UNVERIFIED),
    ],
)
def test_a_suite_that_only_has_an_exit_code(change, outcome):
    codes = {Transition.HELD: (0, 0), Transition.FIXED: (1, 0), Transition.REGRESSED: (0, 1)}
    base, head = codes.get(change, (1, 1))
    ran = evidence(
        observation(base, Side.BASE), observation(head), change, ActionKind.UNIT_TESTS, ("B2",)
    )
    seen = observed(evidence=(ran,), tests=FourWay(()))
    assert verdict_of("B2", requirements(), seen).outcome is outcome
    assert verdict_of("R1", requirements(), seen).outcome is UNVERIFIED


def test_tests_are_not_weakened():
    def weakened(*findings, **fields):
        seen = observed(SPLIT, integrity=findings, **fields)
        return verdict_of("B3", requirements(), seen).outcome

    assert weakened() is SATISFIED
    assert weakened(finding("ci-edited", Severity.ADVISE)) is SATISFIED
    assert weakened(finding("assertion-loosened", Severity.BLOCK)) is UNSATISFIED
    assert weakened(finding(EARLY_EXIT, Severity.ADVISE)) is UNVERIFIED
    assert weakened(changes_truncated=True) is UNVERIFIED


# --- upkeep -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "paths", "outcome"),
    [
        ("docs: explain split", ("docs/split.md",), SATISFIED),
        ("docs: explain split", ("src/shop.py",), UNVERIFIED),
        ("Update the changelog", ("CHANGELOG.md",), SATISFIED),
        ("Update the changelog", ("README.md",), UNVERIFIED),
        ("refactor: one parser", ("src/shop.py",), SATISFIED),
        ("style: sort imports", ("ruff.toml",), SATISFIED),
        ("chore: lint", (".eslintrc.yml",), SATISFIED),
        ("refactor: one parser", ("tests/test_shop.py", "CHANGELOG.md"), UNVERIFIED),
        ("chore(deps): bump ruff", ("pyproject.toml",), SATISFIED),
        ("Update dev-dependencies", ("package.json",), SATISFIED),
        ("ci: run on 3.13", (".github/workflows/test.yml",), SATISFIED),
        ("Drop Python 3.8", ("pyproject.toml", "src/shop.py", "tests/test_shop.py"), SATISFIED),
        ("Drop Python 3.8", ("pyproject.toml", "tests/test_shop.py"), UNVERIFIED),
        ("Removed support for Python 3.9", ("pyproject.toml",), SATISFIED),
        ("Drop Node.js < 18", ("package.json",), SATISFIED),
        ("Drop end-of-life Python versions (#7)", ("pyproject.toml",), SATISFIED),
        ("Remove end of life Python support from `run`", ("pyproject.toml",), UNVERIFIED),
        ("Add Python 3.14 support", ("setup.py", ".github/workflows/test.yml"), SATISFIED),
        ("Add support for Python 3.13 and 3.14 (#7)", ("pyproject.toml",), SATISFIED),
        ("Add Python 3.14 support to `run`", ("pyproject.toml",), UNVERIFIED),
        ("ci: run on 3.13", ("src/shop.py",), UNVERIFIED),
    ],
)
def test_upkeep_is_held_and_read(title, paths, outcome):
    assert verdict_of("R1", requirements(title), observed(changed_paths=paths)).outcome is outcome


def test_upkeep_is_unverified_when_behaviour_could_not_be_seen():
    seen = observed(tests=FourWay(()), changed_paths=("src/shop.py",))
    assert verdict_of("R1", requirements("refactor: one parser"), seen).outcome is UNVERIFIED


def test_a_document_that_the_program_may_read_is_called_no_code():
    read = (ChangedFile("docs/split.md", ChangeKind.CODE),)
    seen = observed(changed_paths=("docs/split.md",), kinds=read)
    verdict = verdict_of("R1", requirements("docs: explain split"), seen)
    assert verdict.outcome is UNVERIFIED
    assert "The project's code may read `docs/split.md`, which changed" in verdict.reason


def test_a_document_beside_code_is_not_called_code():
    read = tuple(ChangedFile(path, ChangeKind.CODE) for path in ("CHANGES.md", "src/shop.py"))
    seen = observed(changed_paths=tuple(one.path for one in read), kinds=read)
    verdict = verdict_of("R1", requirements("Add tests for split"), seen)
    assert verdict.reason.startswith("Code changed (`src/shop.py`), whatever the title calls it.")


def test_new_code_is_not_said_to_have_been_there():
    seen = observed(
        changed_paths=("assert.js",), kinds=(ChangedFile("assert.js", ChangeKind.CODE),)
    )
    verdict = verdict_of("R1", requirements("docs: explain split"), seen)
    assert verdict.outcome is UNVERIFIED
    assert verdict.reason.startswith("Code changed (`assert.js`), whatever the title calls it.")


def test_asked_for_tests_are_counted():
    wanted = requirements("Add tests for split")
    new = comparison("test_split_more", TestChange.NEVER_FAILED)
    assert verdict_of("R1", wanted, observed(new)).outcome is SATISFIED
    assert verdict_of("R1", wanted, observed()).outcome is UNSATISFIED
    hollow = observed(new, integrity=(finding("assertion-trivial", Severity.ADVISE),))
    assert verdict_of("R1", wanted, hollow).outcome is UNSATISFIED


# --- checks and transitions --------------------------------------------------------------------

CHECKED = comprehend(
    task(), read_configuration("requirements: [{id: C1, text: api stays, check: ./api}]"), ()
)


@pytest.mark.parametrize(
    ("base", "head", "outcome", "change"),
    [
        (1, 0, SATISFIED, Transition.FIXED),
        (0, 0, SATISFIED, Transition.HELD),
        (0, 1, UNSATISFIED, Transition.REGRESSED),
        (1, 1, UNSATISFIED, Transition.STILL_FAILING),
        (None, 0, SATISFIED, Transition.UNKNOWN),
        (None, 1, UNSATISFIED, Transition.UNKNOWN),
        (0, None, UNVERIFIED, Transition.UNKNOWN),
        (0, 127, UNSATISFIED, Transition.REGRESSED),
        (127, 127, UNVERIFIED, Transition.STILL_FAILING),
    ],
)
def test_a_configured_check_binds_by_its_exit_code(base, head, outcome, change):
    before, after = observation(base, Side.BASE), observation(head)
    assert transition(before, after) is change
    seen = observed(SPLIT, evidence=(evidence(before, after, transition(before, after)),))
    found = verdict_of("C1", CHECKED, seen)
    assert found.outcome is outcome
    if outcome is not UNVERIFIED:
        assert (found.decided_by, found.evidence_ids) == (Decider.ORACLE, ("E3",))


def test_a_check_that_was_not_run_is_unverified():
    assert verdict_of("C1", CHECKED, observed(SPLIT)).outcome is UNVERIFIED


@pytest.mark.parametrize(
    "silent",
    [
        None,
        observation(None),
        observation(0, timed_out=True),
        observation(0, problem="The result channel was cut."),
    ],
)
def test_what_proves_nothing_is_unknown(silent):
    assert transition(observation(0, Side.BASE), silent) is Transition.UNKNOWN
    assert transition(silent, observation(0)) is Transition.UNKNOWN


def test_a_long_id_is_told_by_its_two_ends():
    long = replace(SPLIT, id=f"{SPLIT.id}[{'x' * 900}-last]")
    assert long.shown.startswith(f"`{SPLIT.id}[xx") and long.shown.endswith("x-last]`")
    assert "…" in long.shown and len(long.shown) < 200


def test_the_pass_rate_stands_in_the_reason():
    steady = replace(SPLIT, passes=1, runs=1)
    assert "passed again on a re-run" in verdict_of("R1", requirements(), observed(steady)).reason
    flaky = replace(SPLIT, change=TestChange.FLAKY, passes=3, runs=5)
    found = verdict_of("R1", requirements(), observed(flaky))
    assert found.outcome is UNVERIFIED
    assert "passed 3 of 5" in found.reason
    flaky = replace(flaky, passes=0, flakes_on_base=True)
    found = verdict_of("R1", requirements(), observed(flaky))
    assert "is flaky on base (it passed there at first, and" in found.reason


ROUNDED = comparison(
    "test_split_rounds",
    TestChange.FAIL_TO_PASS,
    "def test_split_rounds():\n    assert sum(split(1000, 3)) == 1000\n",
)


@pytest.mark.parametrize(
    ("body", "code", "outcome"),
    [
        ("When `tip` is None, it has to work all the same.", "split(1, 2)", UNVERIFIED),
        ("When `tip` is None, it has to work all the same.", "split(1, 2, tip=None)", SATISFIED),
        ("`split(1, tip=undefined)` should give 1.", "t.is(split(1, 2, null), 1)", SATISFIED),
        ("When `tip` is None, it must keep working.", "split(1, 2)", SATISFIED),
        ("`tip` is None by default.", "split(1, 2)", SATISFIED),
    ],
)
def test_a_missing_value_of_which_a_sentence_speaks_has_to_be_in_a_test(body, code, outcome):
    source = f"def test_split_rounds():\n    assert {code} == 1\n"
    test = comparison("test_split_rounds", TestChange.FAIL_TO_PASS, source)
    verdict = verdict_of("R1", requirements("split should round to 1000", body), observed(test))

    assert verdict.outcome is outcome, verdict.reason


@pytest.mark.parametrize(
    ("body", "tests", "outcome"),
    [
        ("Zero people should be a `ValueError`.", (ROUNDED,), UNVERIFIED),
        ('Zero people (or none), should\nbe a ValueError ("No people").', (ROUNDED,), UNVERIFIED),
        ("Zero people must raise ValueError.", (ROUNDED, SPLIT), SATISFIED),
        ("Zero people is still a ValueError.", (ROUNDED,), SATISFIED),
        ("It should not raise a `ValueError`.", (ROUNDED,), SATISFIED),
        ("It should give 0 instead of a ValueError.", (ROUNDED,), SATISFIED),
    ],
)
def test_an_error_that_a_sentence_asks_for_has_to_be_expected_by_a_test(body, tests, outcome):
    wanted = requirements("split should round to 1000", body)
    verdict = verdict_of("R1", wanted, observed(*tests))

    assert verdict.outcome is outcome, verdict.reason
    assert ("asks for `ValueError`" in verdict.reason) is (outcome is UNVERIFIED)


DESKTOP = "`desktop` fails without a console"


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("The fallback `from_registry` should find the desktop folder as well.", SATISFIED),
        ("The fallback should find the desktop folder as well.", UNVERIFIED),
        ("The fallback `from_env` should find the desktop folder as well.", UNVERIFIED),
    ],
)
def test_a_test_may_call_what_the_sentence_names_instead_of_what_the_title_names(body, outcome):
    test = comparison(
        "test_desktop_from_registry",
        TestChange.FAIL_TO_PASS,
        "def test_desktop_from_registry():\n    assert from_registry('desktop') == 'C:'\n",
    )
    seen = DamageSeen(beside=(Beside(("desktop",), (test.id,)),))
    wanted = requirements(DESKTOP, body)
    assert verdict_of("R1", wanted, observed(test, damage=seen)).outcome is outcome


@pytest.mark.parametrize(("name", "is_its"), [("test_price", True), ("test_pri", False)])
def test_a_call_is_of_the_test_whose_whole_name_made_it(name: str, is_its: bool) -> None:
    test = comparison("test_price", TestChange.FAIL_TO_PASS)
    assert test.makes(test.path, name) is is_its
    assert not test.makes("tests/test_other.py", name)


def test_where_a_test_notices_no_damage_the_damage_is_told():
    test = comparison("test_desktop", TestChange.FAIL_TO_PASS, "desktop()\n")
    told = (("desktop", False), ("helper", True))
    damages = (
        (Damage("src/dirs.py", "emptied", 3, name, f"`{name}` does nothing"), by)
        for name, by in told
    )
    trials = tuple(
        DamageTrial(one, (test.id,), ()) if by else DamageTrial(one, (), (test.id,))
        for one, by in damages
    )
    seen = observed(test, damage=DamageSeen(trials, evidence_id="D1"))
    found = verdict_of("R1", requirements(DESKTOP, ""), seen)
    where = "`desktop` does nothing (src/dirs.py:3; 1 of 2 damages noticed)"
    assert f"and on a copy of head where {where}. So nothing shows" in found.reason


def test_a_changed_test_of_another_runner_is_said_to_be_not_run():
    script = "src/app/github.test.ts"
    seen = observed(changed_paths=("src/app/github.ts", script, PATH))
    found = verdict_of("R1", requirements(), seen)
    assert found.outcome is VerdictOutcome.UNVERIFIED
    assert f"No test of `{script}`, which this change touches, was run." in found.reason
    assert f"a command that runs `{script}` too" in found.next_step
    assert "was run" not in verdict_of("R1", requirements(), observed()).reason
