"""Builds small cases for the rules of judging: tests, evidence, what was observed."""

from __future__ import annotations

from bot.configuration import Configuration
from bot.evidence.case import open_case
from bot.task.requirements import comprehend
from bot.values import (
    ActionKind,
    Conclusion,
    Evidence,
    FourWay,
    GateResult,
    Observed,
    Requirements,
    Step,
    Task,
    TaskSource,
    TestChange,
    TestComparison,
    Trust,
    Verdict,
)
from bot.verdict.gate import conclude
from bot.verdict.outcome import verdicts
from sandbox.values import ChangedFile, ChangeKind, Finding, Observation, Outcome, Side
from tests.bot.configured import read_configuration

PASSED, FAILED, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED
DEFAULTS = Configuration()
PATH = "tests/test_shop.py"


def comparison(name: str, change: TestChange, source: str = "", **fields) -> TestComparison:
    """One test in `tests/test_shop.py`, with the outcomes that its change stands for."""
    base, base_on_head, head_on_base, head = _OUTCOMES.get(change, (None, None, None, None))
    values = {
        "base_on_base": base,
        "base_on_head": base_on_head,
        "head_on_base": head_on_base,
        "head_on_head": head,
        "written_by_author": base is None,
        "path": PATH,
        "line": 1,
    }
    return TestComparison(
        f"{PATH}::{name}",
        change,
        source=source or f"def {name}():\n    assert shop()\n",
        **(values | fields),
    )


_OUTCOMES = {
    TestChange.FAIL_TO_PASS: (None, None, FAILED, PASSED),
    TestChange.PASS_TO_PASS: (PASSED, PASSED, PASSED, PASSED),
    TestChange.PASS_TO_FAIL: (PASSED, FAILED, PASSED, FAILED),
    TestChange.NEVER_FAILED: (None, None, PASSED, PASSED),
    TestChange.STILL_FAILING: (FAILED, FAILED, FAILED, FAILED),
    TestChange.NEW_FAILING: (None, None, FAILED, FAILED),
    TestChange.EXPECTATION_CHANGED: (PASSED, FAILED, FAILED, PASSED),
    TestChange.REMOVED: (PASSED, PASSED, None, None),
    TestChange.FLAKY: (PASSED, FAILED, PASSED, FAILED),
    TestChange.SKIPPED: (SKIPPED, SKIPPED, SKIPPED, SKIPPED),
    TestChange.UNKNOWN: (PASSED, None, None, None),
}

KEPT = (
    comparison("test_total_adds_lines", TestChange.PASS_TO_PASS),
    comparison("test_discount_rounds", TestChange.PASS_TO_PASS),
)
SPLIT = comparison(
    "test_split_refuses_zero_people",
    TestChange.FAIL_TO_PASS,
    "def test_split_refuses_zero_people():\n"
    "    with pytest.raises(ValueError):\n        split(1000, 0)\n",
)


SHOP_CHANGED = (ChangedFile("src/shop.py", ChangeKind.CODE),)


def observed(*tests: TestComparison, **fields) -> Observed:
    """All that was seen, with two tests that hold on both sides."""
    values = {
        "evidence": (),
        "tests": FourWay((*KEPT, *tests), evidence_id="E1"),
        "findings": (),
        "integrity": (),
        "built_base": True,
        "built_head": True,
        "changed_paths": ("src/shop.py", PATH),
    }
    return Observed(**(values | fields))


def task(title: str = "split should refuse zero people", body: str = "", **fields) -> Task:
    """A task out of one issue; `author` adds a pull request's body."""
    author = fields.pop("author", None)
    sources = [TaskSource("issue #7", title, body, fields.pop("trust", Trust.ASKER))]
    if author is not None:
        sources.append(TaskSource("pull request #9", "My change", author, Trust.AUTHOR))
    return Task(title, tuple(sources))


def requirements(title: str = "split should refuse zero people", body: str = "", **fields):
    """What a task demands under the default configuration."""
    return comprehend(task(title, body, **fields), DEFAULTS, ())


def verdict_of(
    id_: str, wanted: Requirements, seen: Observed, configuration: Configuration = DEFAULTS
) -> Verdict:
    """The one verdict for a requirement."""
    given = verdicts(open_case(wanted, seen, configuration))
    (found,) = [v for v in given if v.requirement_id == id_]
    return found


def gate_of(wanted: Requirements, seen: Observed, configuration: str | None = None) -> GateResult:
    """Judge and conclude by the public door."""
    policy = read_configuration(configuration)
    case = open_case(wanted, seen, policy)
    return conclude(case, verdicts(case))


def conclusion_of(*tests: TestComparison, **fields) -> Conclusion:
    """The conclusion of the default task with these tests."""
    return gate_of(requirements(), observed(*tests, **fields)).conclusion


def observation(exit_code: int | None, side: Side = Side.HEAD, **fields) -> Observation:
    """What one command showed."""
    return Observation(side, "make check", exit_code, "", 0.1, **fields)


def evidence(
    base: Observation | None,
    head: Observation | None,
    transition,
    action: ActionKind = ActionKind.BASH,
    requirement_ids: tuple[str, ...] = ("C1",),
) -> Evidence:
    """One step's evidence, E3."""
    step = Step("E3", "goal", "", requirement_ids, action, ("make check",))
    return Evidence("E3", step, base, head, transition)


def finding(rule: str, severity, path: str = PATH) -> Finding:
    """An integrity finding."""
    return Finding(rule, severity, path, 3, "what was seen", tool="integrity")
