"""The machine's door: `report.json`, versioned by `schema`, described by `report.schema.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from bot.report.evidence_views import EvidenceView, ObservationView, shown_as
from bot.report.model import (
    JudgesView,
    PlanView,
    ReportView,
    RequirementView,
    RubricView,
    Score,
    Subject,
)
from bot.report.pictures import PictureRow
from bot.report.tests_views import AlsoChanged, TestsView
from bot.values import (
    Acceptance,
    ActionKind,
    Analysis,
    Category,
    CodePlace,
    Conclusion,
    Decider,
    GateReason,
    Grade,
    Impact,
    ItemScore,
    NotRun,
    PatchOpinion,
    PlanScore,
    RoleUsage,
    ServedHunk,
    TestChange,
    TestedFolder,
    Transition,
    Trust,
    VerdictOutcome,
)
from sandbox.elsewhere.values import Unmeasured
from sandbox.values import Finding, Outcome

SCHEMA: Literal[1] = 1
"""Grows when a field changes its meaning or goes away; a new field does not change it."""


@dataclass(frozen=True, slots=True)
class RequirementDocument:
    """One requirement with its verdict; `evidence` and `tests` are ids."""

    id: str
    text: str
    category: Category
    origin: str
    trust: Trust
    mandatory: bool
    prerequisites: tuple[str, ...]
    verdict: VerdictOutcome
    decided_by: Decider
    evidence: tuple[str, ...]
    tests: tuple[str, ...]
    reason: str
    blocked_by: tuple[str, ...]
    next_step: str
    quotation: str = ""
    area: str = ""
    wording: str = ""
    accepted: Acceptance | None = None
    damages_noticed: int = 0
    damages_tried: int = 0
    also_changed: AlsoChanged | None = None
    untried: Unmeasured | None = None


@dataclass(frozen=True, slots=True)
class EvidenceDocument:
    """One step on both sides; null where it was not run. `command` repeats it. The damages are those that a
    judge's own step noticed, and those that it was run on."""

    id: str
    action: ActionKind
    goal: str
    command: str
    transition: Transition
    requirements: tuple[str, ...]
    base: ObservationView | None
    head: ObservationView | None
    pictures: tuple[PictureRow, ...] = ()
    damages_noticed: int = 0
    damages_tried: int = 0


@dataclass(frozen=True, slots=True)
class TestDocument:
    """One test four ways; null where it was not run or not there."""

    __test__ = False
    id: str
    change: TestChange
    base_on_base: Outcome | None
    base_on_head: Outcome | None
    head_on_base: Outcome | None
    head_on_head: Outcome | None
    written_by_author: bool
    message: str
    path: str
    line: int
    passes: int
    runs: int
    command: str
    assertion: str = ""
    reaches: tuple[CodePlace, ...] = ()


@dataclass(frozen=True, slots=True)
class TestsDocument:
    """Ids by change; `compared` holds the details of those that can matter for a verdict.

    `folders` are those whose tests were run, `not_run` those that the change can break beside them.
    """

    __test__ = False
    problem: str
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    pass_to_fail: tuple[str, ...]
    never_failed: tuple[str, ...]
    other: dict[TestChange, tuple[str, ...]]
    compared: tuple[TestDocument, ...]
    folders: tuple[TestedFolder, ...] = ()
    not_run: tuple[NotRun, ...] = ()


@dataclass(frozen=True, slots=True)
class EnvironmentDocument:
    """How it was built. `built_*` are null where there was nothing to build."""

    digest: str
    reasons: tuple[str, ...]
    needs: tuple[str, ...]
    built_base: bool | None
    built_head: bool | None


@dataclass(frozen=True, slots=True)
class PlanDocument:
    """A test plan: `score` is the share of all points (0 to 1) over the whole plan.

    `items[].points` is 2, 1 or 0, null where nobody could decide: that counts as nothing.
    """

    path: str
    score: float
    items: tuple[ItemScore, ...]


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One item in the row format of PRDBench's own reports."""

    metric: str
    description: str
    score: int
    explanation: str


@dataclass(frozen=True, slots=True)
class GradingDocument:
    """Grades by criteria, 0 to 4 each: advice. `score` is their mean, null where there is none."""

    score: float | None
    grades: tuple[Grade, ...]
    problem: str


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A whole report. `cost` (US dollars) is null when no model was asked; `seconds` is by stage."""

    schema: Literal[1]
    id: str
    conclusion: Conclusion
    title: str
    judged: bool
    problem: str
    subject: Subject
    reasons: tuple[GateReason, ...]
    next_steps: tuple[str, ...]
    requirements: tuple[RequirementDocument, ...]
    evidence: tuple[EvidenceDocument, ...]
    tests: TestsDocument | None
    findings: tuple[Finding, ...]
    integrity: tuple[Finding, ...]
    score: Score
    cost: float | None
    seconds: dict[str, float]
    environment: EnvironmentDocument
    warnings: tuple[str, ...]
    plan: PlanDocument | None = None
    impact: Impact | None = None
    planned: PlanView | None = None
    grading: GradingDocument | None = None
    usage: tuple[RoleUsage, ...] = ()
    rubrics: tuple[RubricView, ...] = ()
    patch_opinion: PatchOpinion | None = None
    judges: JudgesView | None = None
    analyses: tuple[Analysis, ...] = ()
    acceptances: tuple[Acceptance, ...] = ()
    acceptable: tuple[str, ...] = ()
    hunks: tuple[ServedHunk, ...] = ()
    not_apart: tuple[str, ...] = ()
    on_authors_tests: tuple[str, ...] = ()


_ADAPTER = TypeAdapter(ReportDocument)
_ROWS = TypeAdapter(tuple[PlanRow, ...])


def machine(view: ReportView) -> str:
    """The report as JSON text, valid against `report.schema.json` beside this module."""
    plan, grading = None, None
    if view.plan:
        plan = PlanDocument(view.plan.path, round(view.plan.on_scale(1.0), 4), view.plan.items)
    if (given := view.grading) is not None:
        score = None if given.score is None else round(given.score, 2)
        grading = GradingDocument(score, given.grades, given.problem)
    document = shown_as(
        ReportDocument,
        view,
        schema=SCHEMA,
        requirements=tuple(map(_requirement, view.requirements)),
        evidence=tuple(map(_evidence, view.evidence)),
        tests=_tests(view.tests) if view.tests else None,
        cost=view.usd(),
        seconds=dict(view.seconds),
        environment=EnvironmentDocument(
            view.environment_digest, view.environment, view.needs, view.built_base, view.built_head
        ),
        plan=plan,
        grading=grading,
    )
    return _ADAPTER.dump_json(document, indent=2).decode() + "\n"


def read_machine(text: bytes) -> ReportDocument:
    """Read what `machine` wrote. Raises pydantic's ValidationError for anything else."""
    return _ADAPTER.validate_json(text)


def plan_rows(plan: PlanScore) -> str:
    """The plan as PRDBench reports it, a JSON list of rows; what is undecided scores 0 and says so."""
    rows = tuple(
        PlanRow(
            item.metric,
            item.description,
            item.points or 0,
            item.explanation if item.points is not None else f"Undecided: {item.explanation}",
        )
        for item in plan.items
    )
    return _ROWS.dump_json(rows, indent=2).decode() + "\n"


def schema() -> str:
    """The JSON Schema of `machine`'s text; `report.schema.json` holds exactly this."""
    described = _ADAPTER.json_schema(mode="serialization")
    return json.dumps(described, indent=2, sort_keys=True) + "\n"


def _requirement(row: RequirementView) -> RequirementDocument:
    return shown_as(
        RequirementDocument,
        row,
        row.requirement,
        row.verdict,
        verdict=row.verdict.outcome,
        evidence=row.verdict.evidence_ids,
        tests=row.verdict.tests,
        also_changed=row.also,
        untried=row.untried,
    )


def _evidence(item: EvidenceView) -> EvidenceDocument:
    shown = item.head or item.base
    command, requirements = shown.command if shown else "", item.requirement_ids
    return shown_as(EvidenceDocument, item, command=command, requirements=requirements)


def _tests(tests: TestsView) -> TestsDocument:
    ids = dict(tests.ids)
    compared = [
        shown_as(TestDocument, test, test.comparison)
        for group in tests.shown
        for test in group.tests
    ]
    return shown_as(
        TestsDocument,
        tests,
        fail_to_pass=ids.pop(TestChange.FAIL_TO_PASS, ()),
        pass_to_pass=ids.pop(TestChange.PASS_TO_PASS, ()),
        pass_to_fail=ids.pop(TestChange.PASS_TO_FAIL, ()),
        never_failed=ids.pop(TestChange.NEVER_FAILED, ()),
        other=ids,
        compared=tuple(compared),
    )
