"""What each tool answers: the output schemas, made of the last report of a repository."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bot.errors import UserError
from bot.report.evidence_views import ObservationView
from bot.report.machine import EvidenceDocument, ReportDocument, RequirementDocument, TestDocument
from bot.text.clipping import clip, clip_middle
from bot.values import ActionKind, Conclusion, Decider, TestChange, Transition, VerdictOutcome
from sandbox.values import FAILING, Outcome

LINE_CHARACTERS = 1_000
OUTPUT_CHARACTERS = 4_000
MOST_ROWS = 100
_AGAINST = (TestChange.PASS_TO_FAIL, TestChange.NEW_FAILING, TestChange.STILL_FAILING)


class Answer(BaseModel):
    """A part of an answer; texts of the repository are cut to what a model can take in."""

    model_config = ConfigDict(frozen=True)


class RequirementRow(Answer):
    """One requirement with its verdict."""

    id: str
    text: str
    verdict: VerdictOutcome
    decided_by: Decider
    is_mandatory: bool
    reason: str
    next_step: str = Field(description="What would count as meeting it; empty where it is met.")
    blocked_by: tuple[str, ...] = Field(description="Requirements that come first and are not met.")


class RemarkRow(Answer):
    """What an integrity check or the gate says beside the requirements."""

    rule: str
    text: str
    next_step: str = ""


class Judged(Answer):
    """A judgement. Only `success` lets a change pass; `action_required` is not a pass."""

    conclusion: Conclusion
    title: str
    change: str = Field(description="What was judged, as base…head.")
    base_sha: str
    head_sha: str
    requirements: tuple[RequirementRow, ...]
    remarks: tuple[RemarkRow, ...] = Field(description="What decided beside the requirements.")
    next_steps: tuple[str, ...]
    warnings: tuple[str, ...]
    report: str = Field(description="The folder with report.md, .html and .json.")


class SideAnswer(Answer):
    """What a step showed on base or on head."""

    result: str
    failed: bool
    tests: str
    output: str


class EvidenceAnswer(Answer):
    """One piece of evidence: a step on both sides. `transition` is base to head."""

    id: str
    action: ActionKind
    goal: str
    command: str
    transition: Transition
    base: SideAnswer | None
    head: SideAnswer | None


class TestRow(Answer):
    """One test four ways: whose version of it, on whose code; null where it was not run."""

    __test__ = False
    id: str
    change: TestChange
    base_on_base: Outcome | None
    base_on_head: Outcome | None
    head_on_base: Outcome | None
    head_on_head: Outcome | None
    path: str
    line: int
    message: Annotated[str, AfterValidator(lambda text: clip_middle(text, OUTPUT_CHARACTERS))]


class Explained(Answer):
    """A requirement's verdict with all that it rests on."""

    requirement: RequirementRow
    evidence: tuple[EvidenceAnswer, ...]
    tests: tuple[TestRow, ...]


class UnmetRow(RequirementRow):
    """A requirement that is not met, and the tests that speak against it."""

    failing_tests: tuple[str, ...]


class MissingAnswer(Answer):
    """All that stands between the change and `success`."""

    conclusion: Conclusion
    title: str
    requirements: tuple[UnmetRow, ...]
    remarks: tuple[RemarkRow, ...] = Field(description="What blocks beside the requirements.")


class Shown(Answer):
    """A command, and what it shows; run it at the top of the repository."""

    command: str = Field(description="A shell line; `…` in it stands for the imports of a call.")
    shows: str
    evidence: str = Field(description="The id of the evidence or of the test.")


class Commands(Answer):
    """The commands that show why a requirement is not met, the most telling first."""

    requirement: str
    verdict: VerdictOutcome
    commands: tuple[Shown, ...]


def judged(document: ReportDocument, folder: str) -> Judged:
    """Return the judgement as a whole; `folder` is where its report is."""
    return Judged(
        conclusion=document.conclusion,
        title=_line(document.title),
        change=_line(document.subject.label),
        base_sha=document.subject.base_sha,
        head_sha=document.subject.head_sha,
        requirements=tuple(map(_row, document.requirements[:MOST_ROWS])),
        remarks=_remarks(document),
        next_steps=tuple(map(_line, document.next_steps[:MOST_ROWS])),
        warnings=tuple(map(_line, document.warnings[:MOST_ROWS])),
        report=folder,
    )


def explained(document: ReportDocument, name: str) -> Explained:
    """Return what one verdict rests on. Raises UserError where there is no such requirement."""
    row = _find(document, name)
    return Explained(
        requirement=_row(row),
        evidence=tuple(
            EvidenceAnswer(
                id=one.id,
                action=one.action,
                goal=_line(one.goal),
                command=clip(one.command, OUTPUT_CHARACTERS),
                transition=one.transition,
                base=_side(one.base),
                head=_side(one.head),
            )
            for one in _evidence(document, row)
        ),
        tests=tuple(
            TestRow.model_validate(one, from_attributes=True)
            for one in _tests(document)
            if one.id in row.tests
        )[:MOST_ROWS],
    )


def missing(document: ReportDocument) -> MissingAnswer:
    """Return what is not met or not verified, what fails first."""
    satisfied = VerdictOutcome.SATISFIED
    rows = [
        row for row in document.requirements if row.verdict is not satisfied and not row.accepted
    ]
    rows.sort(key=lambda row: (not row.mandatory, row.verdict is VerdictOutcome.UNVERIFIED))
    gaps = []
    for row in rows[:MOST_ROWS]:
        failing = tuple(one.id for one in _against(document, row))[:MOST_ROWS]
        gaps.append(UnmetRow(**_row(row).model_dump(), failing_tests=failing))
    return MissingAnswer(
        conclusion=document.conclusion,
        title=_line(document.title),
        requirements=tuple(gaps),
        remarks=_remarks(document),
    )


def commands(document: ReportDocument, name: str) -> Commands:
    """Return what to run to see a failure. Raises UserError for what is met, or where nothing shows it."""
    row = _find(document, name)
    if row.verdict is VerdictOutcome.SATISFIED:
        raise UserError(f"{row.id} is satisfied: there is no failure to show.", row.reason)
    shown = [
        Shown(command=one.command, shows=_line(one.assertion or one.change), evidence=one.id)
        for one in _against(document, row)
        if one.command
    ]
    for piece in _evidence(document, row):
        # A run of it on head shows that something is wrong; examples compare by themselves.
        regressed = piece.transition in (Transition.REGRESSED, Transition.STILL_FAILING)
        if piece.head and piece.command and (piece.head.failed or regressed):
            says = [piece.head.tests or piece.head.output or piece.head.result]
            if piece.action is ActionKind.UNIT_TESTS:
                says += [f"{one.id}: {one.assertion}" for one in _against(document, row)]
            shown.append(
                Shown(command=piece.command, shows=_line("; ".join(says)), evidence=piece.id)
            )
    if not shown:
        raise UserError(
            f"No command shows that {row.id} is not met: {_line(row.reason)}", _line(row.next_step)
        )
    return Commands(requirement=row.id, verdict=row.verdict, commands=tuple(shown[:MOST_ROWS]))


def _find(document: ReportDocument, name: str) -> RequirementDocument:
    for row in document.requirements:
        if row.id.casefold() == name.strip().casefold():
            return row
    ids = ", ".join(row.id for row in document.requirements[:MOST_ROWS])
    raise UserError(
        f"The last judgement has no requirement {clip(name, 80)!r}.",
        f"It has {ids}." if ids else f"It has none: {_line(document.problem or document.title)}",
    )


def _evidence(document: ReportDocument, row: RequirementDocument) -> list[EvidenceDocument]:
    """What the verdict cites, in its order."""
    seen = {one.id: one for one in document.evidence}
    return [seen[id_] for id_ in row.evidence if id_ in seen]


def _tests(document: ReportDocument) -> tuple[TestDocument, ...]:
    return document.tests.compared if document.tests else ()


def _against(document: ReportDocument, row: RequirementDocument) -> list[TestDocument]:
    """The tests of a verdict that fail on head."""
    return [
        one
        for one in _tests(document)
        if one.id in row.tests
        and (one.change in _AGAINST or one.base_on_head in FAILING or one.head_on_head in FAILING)
    ]


def _remarks(document: ReportDocument) -> tuple[RemarkRow, ...]:
    """The gate's reasons that let nothing pass and name no requirement; also why nothing was judged."""
    rows = [
        RemarkRow(rule=one.rule, text=_line(one.text), next_step=_line(one.next_step))
        for one in document.reasons
        if not one.requirement_ids and one.conclusion is not Conclusion.SUCCESS
    ]
    return tuple(rows[:MOST_ROWS])


def _row(row: RequirementDocument) -> RequirementRow:
    return RequirementRow(
        id=row.id,
        text=_line(row.wording or row.text),
        verdict=row.verdict,
        decided_by=row.decided_by,
        is_mandatory=row.mandatory,
        reason=_line(row.reason),
        next_step=_line(row.next_step),
        blocked_by=row.blocked_by,
    )


def _side(seen: ObservationView | None) -> SideAnswer | None:
    if seen is None:
        return None
    return SideAnswer(
        result=seen.result,
        failed=seen.failed,
        tests=seen.tests,
        output=clip_middle("\n".join(filter(None, (seen.output, seen.problem))), OUTPUT_CHARACTERS),
    )


def _line(text: str) -> str:
    """One line of a text, cut."""
    return clip(" ".join(text.split()), LINE_CHARACTERS)
