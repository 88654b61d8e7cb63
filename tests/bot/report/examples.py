"""Evaluations as the stages hand them over, one for each situation that a report must explain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from enum import Enum

from bot.values import (
    ActionKind,
    Category,
    ChangedSymbol,
    ClaimedStep,
    Claims,
    CodePlace,
    Conclusion,
    Decider,
    Deliberation,
    Evaluation,
    EvaluationRequest,
    Evidence,
    FourWay,
    GateReason,
    GateResult,
    Impact,
    Judgement,
    Observed,
    PatchOpinion,
    Plan,
    Preference,
    Requirement,
    Requirements,
    Rubric,
    Step,
    Task,
    TaskRubric,
    TaskSource,
    TestChange,
    TestComparison,
    TrajectoryStep,
    Transition,
    Trigger,
    Trust,
    Validity,
    Verdict,
    VerdictOutcome,
)
from sandbox.elsewhere.values import BothSides, SecondLook, TestedInput
from sandbox.values import (
    Finding,
    Observation,
    Outcome,
    Picture,
    Severity,
    Side,
    TestResult,
    TestRun,
)
from tests.bot.report.panels import DELIBERATION, MISSED

BASE = "3f2a9c1e7b64d05588aa1290cf3e4d6b7a8190ef"
HEAD = "b81d0e44c9a7f3126655de098bca7741f0e2d3c5"

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
SATISFIED, UNSATISFIED = VerdictOutcome.SATISFIED, VerdictOutcome.UNSATISFIED
UNVERIFIED = VerdictOutcome.UNVERIFIED

REQUEST = EvaluationRequest(
    id="01jd2k9v7x3p8f5q",
    repository="acme/slugify",
    head_sha=HEAD,
    base_sha=BASE,
    base_ref="main",
    trigger=Trigger.OPENED,
    number=9,
    installation=4711,
    head_ref="fix-unicode",
    actor="mina",
)

TASK = Task(
    "Slugs lose non-Latin words",
    (
        TaskSource(
            "issue #7",
            "Slugs lose non-Latin words",
            "`slugify('Füße und Bäume')` gives `f-e-und-b-ume`.\n\n"
            "- Transliterate letters with diacritics\n"
            "- Never return an empty slug for non-empty input\n",
            Trust.ASKER,
        ),
        TaskSource("pull request #9", "Transliterate before slugging", "Fixes #7", Trust.AUTHOR),
    ),
)

ENVIRONMENT = (
    "Python 3.11 project: pyproject.toml declares the extra “test”, so it is installed with it.",
    "Tests run with pytest, because pyproject.toml configures it.",
    "Dependencies are one layer for both sides: no build input differs.",
    "Sandbox: bubblewrap, no network while tests run.",
)

SECONDS = (
    ("checkout", 1.21),
    ("configure", 0.02),
    ("environment", 6.84),
    ("task", 0.31),
    ("plan", 0.0),
    ("observe", 14.93),
    ("judge", 0.05),
)

TEST_COMMAND = "python -m pytest -q tests"

BASELINE = (
    Requirement("B1", "The project builds", Category.BASELINE, "baseline", Trust.MAINTAINER),
    Requirement("B2", "Nothing that worked stops working", Category.BASELINE, "baseline", Trust.MAINTAINER),
    Requirement("B3", "No test or check is made weaker", Category.BASELINE, "baseline", Trust.MAINTAINER),
)  # fmt: skip
ASKED = (
    Requirement("R1", "Transliterate letters with diacritics", Category.BEHAVIOUR, "issue #7", Trust.ASKER),
    Requirement(
        "R2",
        "Never return an empty slug for non-empty input",
        Category.BEHAVIOUR,
        "issue #7",
        Trust.ASKER,
        prerequisites=("R1",),
    ),
)  # fmt: skip

FAILURE_MESSAGE = """\
    def test_truncates_at_word_boundary():
>       assert slugify("one two three", max_length=8) == "one-two"
E       AssertionError: assert 'one-two-' == 'one-two'
E
E         - one-two
E         + one-two-
E         ?        +

tests/test_slugify.py:41: AssertionError"""


def _passing(name: str) -> TestComparison:
    return TestComparison(
        f"tests/test_slugify.py::{name}", TestChange.PASS_TO_PASS, PASSED, PASSED, PASSED, PASSED
    )


def _fixed(name: str, line: int) -> TestComparison:
    return TestComparison(
        f"tests/test_unicode.py::{name}",
        TestChange.FAIL_TO_PASS,
        head_on_base=FAILED,
        head_on_head=PASSED,
        written_by_author=True,
        message="E   AssertionError: assert 'f-e' == 'fuesse'",
        path="tests/test_unicode.py",
        line=line,
    )


HELD_TESTS = tuple(_passing(f"test_plain_{n}") for n in range(12))
FIXED_TESTS = (_fixed("test_umlauts[Füße-fuesse]", 12), _fixed("test_never_empty", 21))
_NEAR = BothSides("slugify('b c')", "returned 'b c'", "returned 'b-c'")
_FIRST = FIXED_TESTS[0]
SECOND_LOOK = SecondLook(
    inputs=(TestedInput(_NEAR, "slugify", _FIRST.path, _FIRST.id, near=(_NEAR,)),)
)
REGRESSED_TEST = TestComparison(
    "tests/test_slugify.py::test_truncates_at_word_boundary",
    TestChange.PASS_TO_FAIL,
    PASSED,
    FAILED,
    PASSED,
    FAILED,
    message=FAILURE_MESSAGE,
    path="tests/test_slugify.py",
    line=41,
    passes=0,
    runs=3,
    assertion="AssertionError: assert 'one-two-' == 'one-two'",
)


def _run(passed: int, failed: int) -> TestRun:
    results = [TestResult(f"t{n}", PASSED) for n in range(passed)]
    return TestRun(True, (*results, *(TestResult(f"f{n}", FAILED) for n in range(failed))))


def _tests_evidence(base: TestRun, head: TestRun, transition: Transition) -> Evidence:
    step = Step(
        "S1", "Run the tests four ways", "Base and head tests on both sides",
        ("B2", "R1", "R2"), ActionKind.UNIT_TESTS, ("tests",),
    )  # fmt: skip
    return Evidence(
        "E1",
        step,
        Observation(Side.BASE, TEST_COMMAND, 0, "............  [100%]\n12 passed", 0.9, tests=base),
        Observation(Side.HEAD, TEST_COMMAND, 0, "..............  [100%]\n14 passed", 1.1, tests=head),
        transition,
    )  # fmt: skip


LINT_EVIDENCE = Evidence(
    "E2",
    Step("S2", "Lint the changed files", "Only what is new on head", ("B3",), ActionKind.STATIC_LINTER),
    Observation(Side.BASE, "ruff check slugify.py", 0, "All checks passed!", 0.05),
    Observation(
        Side.HEAD, "ruff check slugify.py", 1, "slugify.py:3:8: F401 `re` imported but unused", 0.05
    ),
    Transition.REGRESSED,
)  # fmt: skip

LINT_FINDING = Finding(
    "F401", Severity.ADVISE, "slugify.py", 3, "`re` imported but unused", tool="ruff"
)

_HELD = tuple(
    Verdict(requirement.id, SATISFIED, Decider.ORACLE, reason, ("E1",))
    for requirement, reason in zip(
        BASELINE,
        (
            "Both sides were built.",
            "All 12 tests of base pass on head too.",
            "No test was deleted, skipped or loosened.",
        ),
        strict=True,
    )
)


def _judged(verdicts: tuple[Verdict, ...], gate: GateResult) -> Judgement:
    return Judgement(
        Requirements(
            (*BASELINE, *ASKED), (Preference("P1", "A shorter diff is nicer", "pull request #9"),)
        ),
        verdicts,
        gate,
    )


def _evaluation(judgement: Judgement, observed: Observed) -> Evaluation:
    return Evaluation(
        REQUEST, BASE, HEAD, TASK, Plan(tuple(item.step for item in observed.evidence)),
        observed, judgement, judgement.gate, ENVIRONMENT, "sha256:9d1f0c77ab34", SECONDS,
    )  # fmt: skip


def success() -> Evaluation:
    """Both things that were asked for work, nothing else broke."""
    verdicts = (
        *_HELD,
        Verdict("R1", SATISFIED, Decider.AUTHORS_TEST,
                "The pull request's own test fails on base and passes on head.",
                ("E1",), (FIXED_TESTS[0].id,)),
        Verdict("R2", SATISFIED, Decider.AUTHORS_TEST,
                "The pull request's own test fails on base and passes on head.",
                ("E1",), (FIXED_TESTS[1].id,)),
    )  # fmt: skip
    gate = GateResult(
        Conclusion.SUCCESS,
        "5 of 5 requirements met, nothing regressed",
        (GateReason("all", Conclusion.SUCCESS, "Every mandatory requirement is satisfied."),),
    )
    evidence = (_tests_evidence(_run(12, 0), _run(14, 0), Transition.HELD), LINT_EVIDENCE)
    tests = FourWay((*FIXED_TESTS, *HELD_TESTS), evidence_id="E1")
    observed = Observed(evidence, tests, (LINT_FINDING,), (), True, True, second_look=SECOND_LOOK)
    return _evaluation(_judged(verdicts, gate), observed)


def one_missing() -> Evaluation:
    """One of two requirements has no evidence at all."""
    verdicts = (
        *_HELD,
        Verdict("R1", SATISFIED, Decider.AUTHORS_TEST,
                "The pull request's own test fails on base and passes on head.",
                ("E1",), (FIXED_TESTS[0].id,)),
        Verdict("R2", UNVERIFIED, Decider.NOBODY,
                "No test that failed on base and passes on head speaks about it.", (), (), (),
                "Add a test that fails on base and shows that an empty slug can no longer happen, "
                "or name an existing one in the pull request's description."),
    )  # fmt: skip
    gate = GateResult(
        Conclusion.ACTION_REQUIRED,
        "1 of 2 things that were asked for is not shown to work",
        (GateReason("unverified", Conclusion.ACTION_REQUIRED,
                    "R2 “Never return an empty slug for non-empty input” is unverified.",
                    requirement_ids=("R2",)),),
    )  # fmt: skip
    evidence = (_tests_evidence(_run(12, 0), _run(13, 0), Transition.HELD),)
    tests = FourWay((FIXED_TESTS[0], *HELD_TESTS), evidence_id="E1")
    return _evaluation(_judged(verdicts, gate), Observed(evidence, tests, (), (), True, True))


def deliberated() -> Evaluation:
    """Judges that reason talked about what no test shows."""
    return replace(one_missing(), deliberation=DELIBERATION)


def canary_missed() -> Evaluation:
    """Judges that reason did what a text told them to do."""
    return replace(one_missing(), deliberation=MISSED)


def weakened_tests() -> Evaluation:
    """The author loosened a test until it was green."""
    changed = replace(
        REGRESSED_TEST, change=TestChange.EXPECTATION_CHANGED, head_on_base=PASSED, head_on_head=PASSED,
        written_by_author=True, passes=0, runs=0,
    )  # fmt: skip
    hunk = (
        "@@ -39,5 +39,5 @@\n def test_truncates_at_word_boundary():\n"
        '-    assert slugify("one two three", max_length=8) == "one-two"\n'
        '+    assert slugify("one two three", max_length=8)\n'
    )
    finding = Finding(
        "assertion-loosened", Severity.BLOCK, "tests/test_slugify.py", 41,
        "The comparison with “one-two” is gone; base's version of this test fails on head.",
        hunk=hunk, tool="integrity",
    )  # fmt: skip
    reason = "A test was loosened and its former version fails on head."
    verdicts = (
        *_HELD[:2],
        Verdict("B3", UNSATISFIED, Decider.ORACLE, reason, ("E1",), (changed.id,)),
        Verdict("R1", UNVERIFIED, Decider.NOBODY, "No fail-to-pass test speaks about it."),
        Verdict("R2", UNVERIFIED, Decider.NOBODY, "No fail-to-pass test speaks about it.",
                blocked_by=("R1",)),
    )  # fmt: skip
    gate = GateResult(
        Conclusion.FAILURE,
        "A test was weakened until it passed",
        (
            GateReason("integrity", Conclusion.FAILURE, reason,
                       "Put the assertion back and mend the code instead."),
            GateReason("unverified", Conclusion.ACTION_REQUIRED, "R1 and R2 are unverified.",
                       requirement_ids=("R1", "R2")),
        ),
    )  # fmt: skip
    evidence = (_tests_evidence(_run(13, 0), _run(13, 0), Transition.HELD),)
    tests = FourWay((changed, *HELD_TESTS), evidence_id="E1")
    return _evaluation(
        _judged(verdicts, gate), Observed(evidence, tests, (), (finding,), True, True)
    )


IMPACT = Impact(
    (
        ChangedSymbol(
            CodePlace("src/slugify/core.py", 12, "truncate", "function"),
            "changed",
            (CodePlace("src/slugify/core.py", 30, "slugify", "function"),),
            (
                *(CodePlace("tests/test_core.py", n, f"test_{n}", "function") for n in range(1, 5)),
                CodePlace(
                    "tests/test_slugify.py", 40, "test_truncates_at_word_boundary", "function"
                ),
            ),
            1,
            9,
        ),
        ChangedSymbol(CodePlace("src/slugify/old.py", 3, "fold", ""), "removed", (), (), 0, 0),
    ),
    7,
    ("1 source file was not read on head: minified.",),
)


def regression() -> Evaluation:
    """What was asked for works, but something else broke."""
    reason = "1 test that passes on base fails on head, in 3 of 3 repeats."
    verdicts = (
        _HELD[0],
        Verdict("B2", UNSATISFIED, Decider.ORACLE, reason, ("E1",), (REGRESSED_TEST.id,)),
        _HELD[2],
        *(success().judgement.verdicts[3:]),  # type: ignore[union-attr]
    )
    gate = GateResult(
        Conclusion.FAILURE,
        "A test that passed on base fails on head",
        (GateReason("regression", Conclusion.FAILURE, reason,
                    "Mend test_truncates_at_word_boundary; the command that repeats it is below."),),
    )  # fmt: skip
    evidence = (_tests_evidence(_run(13, 0), _run(14, 1), Transition.REGRESSED),)
    flaky = TestComparison(
        "tests/test_clock.py::test_now", TestChange.FLAKY, PASSED, FAILED, passes=2, runs=5
    )
    vacuous = TestComparison(
        "tests/test_unicode.py::test_returns_text", TestChange.NEVER_FAILED, None, None, PASSED, PASSED,
        written_by_author=True,
    )  # fmt: skip
    tests = FourWay((REGRESSED_TEST, vacuous, flaky, *FIXED_TESTS, *HELD_TESTS), evidence_id="E1")
    return _evaluation(
        _judged(verdicts, gate),
        Observed(evidence, tests, (LINT_FINDING,), (), True, True, impact=IMPACT),
    )


def _ended(gate: GateResult, problem: str, observed: Observed | None = None) -> Evaluation:
    return Evaluation(
        REQUEST, BASE, HEAD, TASK if observed else None, None, observed, None, gate,
        ENVIRONMENT if observed else (), "", SECONDS[:2], (), problem,
    )  # fmt: skip


def broken_configuration() -> Evaluation:
    """The configuration on the base branch has a key that nobody knows."""
    problem = (
        "`.github/assay.yml`: `gate.unverifed` is not a known key (did you mean `unverified`?)"
    )
    gate = GateResult(
        Conclusion.ACTION_REQUIRED,
        "The configuration cannot be read",
        (GateReason("configuration", Conclusion.ACTION_REQUIRED, problem,
                    "Correct `.github/assay.yml` on the base branch, then comment /judge."),),
    )  # fmt: skip
    return _ended(gate, problem)


def needs_toolchain() -> Evaluation:
    """This machine cannot build the project."""
    text = "The project asks for Python >= 3.13, which this machine does not have."
    gate = GateResult(
        Conclusion.ACTION_REQUIRED,
        "This machine lacks what the project needs",
        (GateReason("environment", Conclusion.ACTION_REQUIRED, text,
                    "Ask the operator of this Assay to install it: assay doctor lists what is missing."),),
    )  # fmt: skip
    return _ended(gate, text, Observed((), FourWay(()), (), (), None, None, ("Python >= 3.13",)))


def judged_by_rubric() -> Evaluation:
    """A regression whose patch as a whole was judged by a golden rubric, and there is a draft too."""
    golden = Rubric(
        "Words are cut in the middle.", ("Cuts at a space",), ("Any length",), ("except: pass",)
    )
    rubrics = (
        TaskRubric(7, golden, True, 2, ("ben", "mara"), requirement_ids=("R1",)),
        TaskRubric(8, Rubric("Slugs are too long.", ("At most 80",)), False, 1),
    )
    opinion = PatchOpinion(
        validity=Validity.INVALID, thought="It cuts wrongly.", justification="A word is cut.",
        minimality="The renamed variable is not needed.", is_unsure=True, rubric=rubrics[0].name,
        is_golden=True, evidence_ids=("E1",), quotes=("return text[:80]",),
        doubts=("The samples do not agree.",), votes=(1, 2, 0),
    )  # fmt: skip
    return replace(regression(), rubrics=rubrics, deliberation=Deliberation(patch=opinion))


def base_does_not_build() -> Evaluation:
    """The baseline itself is broken, so nothing can be compared."""
    text = "Base does not build, so head has nothing to be compared with."
    gate = GateResult(
        Conclusion.ACTION_REQUIRED,
        "The base branch does not build",
        (GateReason("environment", Conclusion.ACTION_REQUIRED, text, "Mend the base branch first."),),
    )  # fmt: skip
    failed = Observation(
        Side.BASE, "uv pip install -e '.[test]'", 1,
        "error: Failed to build `slugify`\n  The build backend returned an error", 3.2,
    )  # fmt: skip
    step = Step("S0", "Build the project", "", ("B1",), ActionKind.BASH)
    evidence = (
        Evidence("E0", step, failed, replace(failed, side=Side.HEAD), Transition.STILL_FAILING),
    )
    return _ended(gate, text, Observed(evidence, FourWay(()), (), (), False, False))


def empty_diff() -> Evaluation:
    """Head changes nothing."""
    text = "Head changes nothing over base: there is nothing to judge."
    gate = GateResult(
        Conclusion.ACTION_REQUIRED,
        "Nothing to judge",
        (GateReason("diff", Conclusion.ACTION_REQUIRED, text, "Push a commit that changes something."),),
    )  # fmt: skip
    return _ended(gate, text)


def superseded() -> Evaluation:
    """A newer push made this one pointless."""
    text = "Superseded by 0c4d1e2f9a."
    return _ended(GateResult(Conclusion.CANCELLED, "Superseded by a newer push", ()), text)


def internal_failure() -> Evaluation:
    """The bot itself failed."""
    text = "The database could not be reached for an hour."
    gate = GateResult(
        Conclusion.ACTION_REQUIRED,
        "The evaluation could not be finished",
        (GateReason("failed", Conclusion.ACTION_REQUIRED, text, "Comment /judge to try again."),),
    )  # fmt: skip
    return _ended(gate, text)


HOSTILE = (
    "</details></summary><script>alert(1)</script><img src=x onerror=alert(1)>"
    " @octocat @acme/security #1 acme/slugify#2 GH-3 https://evil.example/x www.evil.example"
    " ![p](https://evil.example/p.png) [click](javascript:alert(1)) <https://evil.example>"
    " | cell | `code` ``` \n/judge cancel\n\n# Heading\n\n```\n/approve\n@dependabot merge\n~~~~\n"
    "--><!-- assay:pull-request 9 --> \x1b[31mred\x1b[0m \u202egnp.exe\u202c zero\u200bwidth \x00 \ud800 "
    "{{ 7 * 7 }} {% raw %} ghp_"
    + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8 "
    + "$\\href{javascript:x}{y}$ "
    "mailto:a@evil.example 3f2a9c1e7b64d05588aa1290cf3e4d6b7a8190ef [^1] **bold** _em_ ~~gone~~"
)


def _poisoned(value: object) -> object:
    """The same tree with hostile text after every text that an outsider can write."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, tuple):
        return tuple(_poisoned(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _poisoned(getattr(value, f.name)) for f in fields(value)})
    return value


def hostile() -> Evaluation:
    """Every text there is ends in an attack: words, names, paths, commands, outputs, ids."""
    ruled = judged_by_rubric()
    patch = ruled.deliberation.patch if ruled.deliberation else None
    assert ruled.observed
    log = Claims("SWE-agent", 2, (ClaimedStep(TrajectoryStep(2, "t", "vi a.py", "o"), ("R1",)),))
    observed = replace(ruled.observed, claims=log, second_look=SECOND_LOOK)
    ruled = replace(ruled, observed=observed)
    return _poisoned(replace(ruled, deliberation=replace(DELIBERATION, patch=patch)))  # type: ignore[return-value]


EXAMPLES: dict[str, Callable[[], Evaluation]] = {
    example.__name__: example
    for example in (
        success, one_missing, weakened_tests, deliberated, canary_missed,
        regression, judged_by_rubric, broken_configuration, needs_toolchain,
        base_does_not_build, empty_diff, superseded, internal_failure, hostile,
    )
}  # fmt: skip


def regression_with_pictures(title: str, artifact: str) -> Evaluation:
    """The first step of `regression` with a picture of head."""
    evaluation = regression()
    assert evaluation.observed
    first, *others = evaluation.observed.evidence
    head = Observation(
        Side.HEAD, "open a.html", 0, title, 1.0, pictures=(Picture(title, artifact),)
    )
    evidence = (replace(first, head=head), *others)
    return replace(evaluation, observed=replace(evaluation.observed, evidence=evidence))
