"""The view model: what a report shows, already chosen, grouped, capped and scrubbed."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from bot.report.evidence_views import EvidenceView
from bot.report.pictures import PictureRow
from bot.report.tests_views import AlsoChanged, TestsView, TestView
from bot.values import (
    Acceptance,
    AcceptanceKind,
    ActionKind,
    Analysis,
    CanaryResult,
    Claims,
    Conclusion,
    Decider,
    Example,
    GateReason,
    Grading,
    Impact,
    Need,
    PanelResult,
    PatchOpinion,
    PlanScore,
    Preference,
    Requirement,
    RoleUsage,
    Rubric,
    ServedHunk,
    TaskSource,
    UnreadExample,
    Verdict,
    VerdictOutcome,
    WhyNotMeasured,
)
from bot.values.rules import IN_WORDS, OF_LOG
from sandbox.elsewhere.values import Unmeasured
from sandbox.values import Finding


@dataclass(frozen=True, slots=True)
class Subject:
    """What was judged, in words: "pull request #9", "patch by some-agent", "main…feature".

    `home` is the repository's page, empty for a folder of this machine.
    """

    repository: str
    label: str
    number: int
    issue: int
    base_sha: str
    head_sha: str
    base_ref: str
    head_ref: str
    trigger: str
    actor: str
    agent: str
    home: str = ""

    def commit(self, sha: str) -> str:
        """The page of a commit; empty where the repository has no pages."""
        return f"{self.home}/commit/{sha}" if self.home and sha else ""

    def file(self, path: str, line: int = 0, *, on_base: bool = False) -> str:
        """The page of a file at the judged commit, opened at a line."""
        sha = self.base_sha if on_base else self.head_sha
        at = f"#L{line}" if line > 0 else ""
        return f"{self.home}/blob/{sha}/{quote(path)}{at}" if self.home and sha and path else ""

    def about(self, number: int) -> str:
        """The page of an issue (or of a pull request: GitHub leads on)."""
        return f"{self.home}/issues/{number}" if self.home and number else ""


@dataclass(frozen=True, slots=True)
class RequirementView:
    """One requirement, its verdict, what the verdict rests on, and what a person decided about it.

    `can_be_accepted` says that a person with write access may decide; `also` what differs near the inputs of
    its tests, `untried` why no such inputs were tried.
    """

    requirement: Requirement
    verdict: Verdict
    tests: tuple[TestView, ...]
    evidence: tuple[EvidenceView, ...]
    accepted: Acceptance | None = None
    can_be_accepted: bool = False
    also: AlsoChanged | None = None
    untried: Unmeasured | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """How many requirements are met: each on its own, and with its direct prerequisites.

    `checks` of the total are the project's own, which every change has to meet; `met_checks` of them are met.
    """

    total: int
    met_independently: int
    met_with_prerequisites: int
    checks: int = 0
    met_checks: int = 0


@dataclass(frozen=True, slots=True)
class RubricView:
    """A rubric of the task; `version` is 0 and `path` is set where it stands on the base branch."""

    name: str
    issue: int
    is_golden: bool
    version: int
    path: str
    approved_by: tuple[str, ...]
    requirement_ids: tuple[str, ...]
    rubric: Rubric


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """One step of the plan; `reason` says why it was added on the way, empty for a fixed one."""

    id: str
    action: ActionKind
    goal: str
    guidance: str
    requirements: tuple[str, ...]
    arguments: str
    is_proposed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PlanView:
    """The plan as it was frozen, and the steps that were added."""

    digest: str
    steps: tuple[PlannedRow, ...]
    added: tuple[PlannedRow, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgesView:
    """What judges that reason said; `problem` says why it counts for nothing, or why nobody was asked."""

    panels: tuple[PanelResult, ...]
    canary: CanaryResult | None
    problem: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """Everything that a report shows. `judged` is false when the evaluation ended before a verdict.

    `acceptances` are people's decisions, also void ones; `acceptable` is what is left for them. Of the task's
    examples, `unread` were left alone, and base does not do what `unreproduced` complain of. Its sentences
    `not_apart` ask for something and were not judged by themselves.
    """

    id: str
    subject: Subject
    judged: bool
    conclusion: Conclusion
    title: str
    reasons: tuple[GateReason, ...]
    next_steps: tuple[str, ...]
    problem: str
    task_sources: tuple[TaskSource, ...]
    requirements: tuple[RequirementView, ...]
    preferences: tuple[Preference, ...]
    remarks: tuple[str, ...]
    score: Score
    tests: TestsView | None
    evidence: tuple[EvidenceView, ...]
    findings: tuple[Finding, ...]
    integrity: tuple[Finding, ...]
    needs: tuple[str, ...]
    built_base: bool | None
    built_head: bool | None
    environment: tuple[str, ...]
    environment_digest: str
    seconds: tuple[tuple[str, float], ...]
    warnings: tuple[str, ...]
    plan: PlanScore | None = None
    impact: Impact | None = None
    grading: Grading | None = None
    usage: tuple[RoleUsage, ...] = ()
    judges: JudgesView | None = None
    analyses: tuple[Analysis, ...] = ()
    rubrics: tuple[RubricView, ...] = ()
    patch_opinion: PatchOpinion | None = None
    planned: PlanView | None = None
    acceptances: tuple[Acceptance, ...] = ()
    acceptable: tuple[str, ...] = ()
    unread: tuple[UnreadExample, ...] = ()
    unreproduced: tuple[Example, ...] = ()
    not_apart: tuple[str, ...] = ()
    hunks: tuple[ServedHunk, ...] = ()
    claims: Claims | None = None

    @property
    def weakened(self) -> tuple[Finding, ...]:
        """The integrity findings about the change itself."""
        return tuple(one for one in self.integrity if one.rule not in OF_LOG)

    @property
    def of_log(self) -> tuple[Finding, ...]:
        """The findings about the agent's log."""
        return tuple(one for one in self.integrity if one.rule in OF_LOG)

    def in_words(self, rule: str) -> str:
        """What an integrity rule says of the change; its name where it is of another tool."""
        words = IN_WORDS.get(rule, rule)
        return words[:1].upper() + words[1:]

    @property
    def needed_hunks(self) -> tuple[ServedHunk, ...]:
        """The hunks that something was seen to need."""
        return tuple(one for one in self.hunks if one.need is Need.NEEDED)

    @property
    def unneeded_hunks(self) -> tuple[ServedHunk, ...]:
        """The hunks that nothing needs which was run without them: for a reader who looks at scope."""
        return tuple(one for one in self.hunks if one.need is Need.UNNEEDED)

    @property
    def unmeasured_hunks(self) -> dict[WhyNotMeasured, tuple[ServedHunk, ...]]:
        """The hunks of which nobody knows, by the reason."""
        kinds = {one.why for one in self.hunks}
        return {
            why: tuple(one for one in self.hunks if one.why is why)
            for why in WhyNotMeasured
            if why in kinds
        }

    @property
    def is_overridden(self) -> bool:
        """Whether an administrator let pass what a check fails."""
        kinds = {one.kind for one in self.acceptances if not one.void}
        return AcceptanceKind.OVERRIDDEN in kinds

    @property
    def changed_pictures(self) -> tuple[PictureRow, ...]:
        """The moments that look different on head, or are there on one side only; the most changed first."""
        rows = [row for item in self.evidence for row in item.pictures]
        changed = [row for row in rows if not (row.base and row.head) or row.changed_percent]
        return tuple(sorted(changed, key=lambda row: -(row.changed_percent or 100.0)))

    @property
    def unmet(self) -> tuple[RequirementView, ...]:
        """What is not satisfied: first what fails, then what nobody could tell, the optional last."""
        rows = (r for r in self.requirements if r.verdict.outcome is not VerdictOutcome.SATISFIED)
        return tuple(sorted(rows, key=_urgency))

    @property
    def met(self) -> tuple[RequirementView, ...]:
        """What is satisfied, in the order of the list."""
        return tuple(r for r in self.requirements if r.verdict.outcome is VerdictOutcome.SATISFIED)

    @property
    def on_authors_tests(self) -> tuple[str, ...]:
        """The met requirements of the task that the author's own tests alone show, by id.

        None where a judge that reasons looked for what these tests leave out.
        """
        if self.analyses or (self.judges and not self.judges.problem):
            return ()
        return tuple(
            row.requirement.id
            for row in self.met
            if row.verdict.decided_by is Decider.AUTHORS_TEST and row.accepted is None
        )

    @property
    def other_reasons(self) -> tuple[GateReason, ...]:
        """The gate's reasons that no requirement's row and no list of findings says already."""
        said = {self.problem, *(row.verdict.reason for row in self.requirements)}
        return tuple(
            reason
            for reason in self.reasons
            if reason.text
            and reason.text not in said
            and not reason.requirement_ids
            and not (reason.conclusion is Conclusion.SUCCESS and reason.finding_rules)
        )

    def is_said(self, panel: PanelResult) -> bool:
        """Whether the row of a panel's requirement gives the panel's reason."""
        return any(
            panel.reason in row.verdict.reason
            for row in self.requirements
            if row.requirement.id == panel.requirement_id
        )

    def total_seconds(self) -> float:
        """Seconds over all stages."""
        return sum(seconds for _, seconds in self.seconds)

    def cited(self, ids: tuple[str, ...]) -> tuple[EvidenceView, ...]:
        """The evidence with these ids, in their order."""
        seen = {one.id: one for one in self.evidence}
        return tuple(seen[id_] for id_ in ids if id_ in seen)

    def usd(self) -> float | None:
        """What all models cost; None where no price is known, or none was asked."""
        known = [one.usd for one in self.usage if one.usd is not None]
        return sum(known) if known else None

    def count(self, outcome: VerdictOutcome) -> int:
        """How many requirements got this verdict."""
        return sum(1 for row in self.requirements if row.verdict.outcome is outcome)


def _urgency(row: RequirementView) -> tuple[bool, bool]:
    is_open = row.verdict.outcome is VerdictOutcome.UNVERIFIED
    return is_open or not row.requirement.mandatory, not row.requirement.mandatory
