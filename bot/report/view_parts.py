"""Parts of the view: rubrics, the word on the patch, what analysts said, what was planned and reached."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable

from bot.report.model import AnalysisView, EvidenceView, PatchView, PlannedRow, PlanView, RubricView
from bot.values import (
    Analysis,
    CodePlace,
    Deliberation,
    Impact,
    PatchOpinion,
    Plan,
    Step,
    TaskRubric,
    TestChange,
    TestComparison,
)
from sandbox.values import Outcome


def rubric_views(rubrics: tuple[TaskRubric, ...]) -> tuple[RubricView, ...]:
    """Each rubric with its standing."""
    return tuple(
        RubricView(
            name=one.name,
            issue=one.issue,
            is_golden=one.is_golden,
            version=one.version,
            path=one.path,
            approved_by=one.approved_by,
            requirement_ids=one.requirement_ids,
            rubric=one.rubric,
        )
        for one in rubrics
    )


def patch_view(deliberation: Deliberation, evidence: tuple[EvidenceView, ...]) -> PatchView | None:
    """The opinion with the pieces that it cites; None where nobody was asked."""
    opinion: PatchOpinion | None = deliberation.patch
    if opinion is None:
        return None
    seen = {one.id: one for one in evidence}
    cited = tuple(seen[id_] for id_ in opinion.evidence_ids if id_ in seen)
    return PatchView(opinion, cited)


def analysis_rows(
    analyses: Iterable[Analysis], evidence: Iterable[EvidenceView]
) -> tuple[AnalysisView, ...]:
    """Each analysis with its own steps, in the order in which they were taken."""
    seen = {one.id: one for one in evidence}
    return tuple(
        AnalysisView(one, _of(one.evidence_ids, seen), _of(one.refuted_by, seen))
        for one in analyses
    )


def _of(ids: tuple[str, ...], seen: dict[str, EvidenceView]) -> tuple[EvidenceView, ...]:
    return tuple(seen[id_] for id_ in ids if id_ in seen)


MOST_ROWS = 120
ARGUMENTS_CHARACTERS = 400


def plan_view(plan: Plan, digest: str) -> PlanView:
    """The steps in order; those that were added carry their reason."""
    rows = [_row(step, "") for step in plan.steps]
    added = [_row(one.step, one.reason) for one in plan.extensions]
    return PlanView(digest, tuple(rows[:MOST_ROWS]), tuple(added[:MOST_ROWS]))


def _row(step: Step, reason: str) -> PlannedRow:
    return PlannedRow(
        id=step.id,
        action=step.action,
        goal=step.goal,
        guidance=step.guidance,
        requirements=step.requirement_ids,
        arguments=" ".join(step.arguments)[:ARGUMENTS_CHARACTERS],
        is_proposed=step.is_proposed,
        reason=reason,
    )


_NAME = re.compile(r"(?<!\w)(\w+)(?:\[.*)?$", re.DOTALL)
"""The bare name at the end of a runner's id, without the parameters."""


class Reached:
    """Finds the changed symbols of a test by its file and its name, or by its line."""

    def __init__(self, impact: Impact | None, tests: Iterable[TestComparison]) -> None:
        self._symbols: dict[tuple[str, str | int], dict[CodePlace, None]] = defaultdict(dict)
        self._starts: dict[str, list[int]] = defaultdict(list)
        for test in tests:
            self._starts[test.path].append(test.line)
        for symbol in impact.symbols if impact else ():
            for place in symbol.tests:
                self._symbols[place.path, place.name or self._start(place)][symbol.place] = None

    def _start(self, place: CodePlace) -> int:
        """The line on which the test begins that a line outside of all definitions stands in."""
        return max((line for line in self._starts[place.path] if line <= place.line), default=0)

    def of(self, test: TestComparison) -> tuple[CodePlace, ...]:
        """Return them in the order of the diff."""
        name = _NAME.search(test.id)
        by_name = self._symbols.get((test.path, name[1]), {}) if name else {}
        by_line = self._symbols.get((test.path, test.line), {}) if test.line > 0 else {}
        return tuple({**by_name, **by_line})


_FAILING = (Outcome.FAILED, Outcome.ERROR)
_BASES = (TestChange.PASS_TO_FAIL, TestChange.EXPECTATION_CHANGED, TestChange.REMOVED)


def repeat(test: TestComparison, base_sha: str, head_sha: str) -> str:
    """Shell lines for a clean clone that holds both commits; only pytest's node ids name one test.

    Where the pull request edited the test, head's own version need not show what base's shows. Without
    head's commit it is the line for the tree as it stands, if that shows it.
    """
    file, is_of_pytest, _ = test.id.partition("::")
    if not (is_of_pytest and file.endswith(".py")):
        return ""
    run = f"python -m pytest {shlex.quote(test.id)}"
    is_bases = test.change in _BASES and test.head_on_head not in _FAILING
    if not (test.path and base_sha and head_sha):
        return "" if is_bases else run
    base, head, path = base_sha[:12], head_sha[:12], shlex.quote(test.path)
    on_base, on_head = f"git checkout -q {base}", f"git checkout -q {head}"
    if test.change is TestChange.FAIL_TO_PASS and test.head_on_base in _FAILING:
        there, back = _with_tests_of(head, path), _with_tests_of(base, path)
        return f"{on_base} && {there} && {run}; {back}\n{on_head} && {run}"
    if is_bases:
        there, back = _with_tests_of(base, path), _with_tests_of(head, path)
        return f"{on_head} && {there} && {run}; {back}"
    return f"{on_head} && {run}" if test.head_on_head is not None else run


def _with_tests_of(sha: str, path: str) -> str:
    """Put a file as it is in a commit (also where it is not there) into the tree."""
    return f"git restore -s {sha} -SW -- {path}"
