"""What is concluded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.values.grades import TaskRubric
from bot.values.observed import Observed
from bot.values.opinions import Deliberation
from bot.values.plans import Plan
from bot.values.requests import EvaluationRequest
from bot.values.tasks import Requirements, Task
from bot.values.verdicts import MetCount, ServedHunk, Verdict, count_met

ACCEPT_BUTTON = "accept"
EXPLAIN_BUTTON = "explain"
RERUN_BUTTON = "rerun"
"""Identifiers of the buttons on a check run with a verdict (GitHub allows three, of 20 characters)."""


MOST_REQUIREMENT_CHECKS = 50


def requirement_check_name(requirement_id: str) -> str:
    """Return the name of a requirement's own check run."""
    return f"assay / {requirement_id}"[:100]


class AcceptanceKind(StrEnum):
    """How far a person goes."""

    ACCEPTED = "accepted"  # what could not be verified may be merged
    OVERRIDDEN = "overridden"  # an administrator lets it pass although a check fails


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One person's decision about one requirement, or about one rule of the gate, at one commit.

    `subject` is the requirement's id or the rule's name, and `text` what it said then. `places` are the
    files that it is about; empty where that is everything but documentation. `void` says why it does not
    count any more. `source` names the comment or the click; `carried_from` is the earlier commit that it
    was given for. `given_s` is Unix time.
    """

    subject: str
    kind: AcceptanceKind
    actor: str
    reason: str
    head_sha: str
    text: str
    source: str
    given_s: float = 0.0
    places: tuple[str, ...] = ()
    by_author: bool = False
    carried_from: str = ""
    void: str = ""


class AnnotationLevel(StrEnum):
    """How loud a remark on a line is, as GitHub spells it."""

    NOTICE = "notice"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    """One remark on lines of the head tree (from 1, inclusive). Plain text, shown as such."""

    path: str
    start_line: int
    end_line: int
    level: AnnotationLevel
    message: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A comment on lines of the head tree (from 1, inclusive) with what may be committed in their place.

    `mark` stands in the body, out of sight, and is the same wherever the same lines would become the same.
    """

    path: str
    first: int
    last: int
    mark: str
    body: str


@dataclass(frozen=True, slots=True)
class Review:
    """Suggestions that belong together, and what is said above them."""

    body: str
    suggestions: tuple[Suggestion, ...]


class Conclusion(StrEnum):
    """A check run's conclusion, as GitHub spells it."""

    SUCCESS = "success"
    FAILURE = "failure"
    ACTION_REQUIRED = "action_required"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class GateReason:
    """One leaf of the gate's explanation: which rule spoke, and about what.

    `tests` are ids of tests, `finding_rules` the rules of the findings that it rests on. `score` is
    what was reached of the `least_score` that is required; None where there is no score.
    """

    rule: str
    conclusion: Conclusion
    text: str
    next_step: str = ""
    requirement_ids: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    finding_rules: tuple[str, ...] = ()
    score: float | None = None
    least_score: float | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """Verdicts to one conclusion. `reasons` holds every rule that spoke, the deciding ones first."""

    conclusion: Conclusion
    title: str  # one line, under 120 characters
    reasons: tuple[GateReason, ...]


@dataclass(frozen=True, slots=True)
class MemberVerdict:
    """What a member of a merge group was last told; `conclusion` is None before any answer.

    `accepted` is what people decided about its newest commit; where that made it pass, it `is_waived`.
    `is_left_out` says that the configuration let it pass without being judged.
    """

    number: int
    conclusion: Conclusion | None
    is_waived: bool = False
    accepted: tuple[Acceptance, ...] = ()
    is_left_out: bool = False


@dataclass(frozen=True, slots=True)
class ItemScore:
    """One item of a test plan: 2, 1 or 0 points as PRDBench counts; None where nobody could decide."""

    requirement_id: str
    metric: str
    description: str
    points: int | None
    explanation: str


@dataclass(frozen=True, slots=True)
class PlanScore:
    """A whole test plan; an undecided item counts as nothing."""

    path: str
    items: tuple[ItemScore, ...]

    def points(self) -> int:
        """The points that were reached."""
        return sum(item.points or 0 for item in self.items)

    def undecided(self) -> int:
        """How many items nobody could decide."""
        return sum(item.points is None for item in self.items)

    def on_scale(self, most: float) -> float:
        """The share of all points that were reached, times `most`."""
        return most * self.points() / (2 * len(self.items))

    def could_be(self, most: float) -> float:
        """The same, if every undecided item turned out well."""
        reached = sum(2 if item.points is None else item.points for item in self.items)
        return most * reached / (2 * len(self.items))


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of the judge stage. `gate` follows from the evidence alone; `acceptances` are what
    people decided about it, also those that do not count any more. `hunks` say what each change is for."""

    requirements: Requirements
    verdicts: tuple[Verdict, ...]
    gate: GateResult
    plan: PlanScore | None = None
    acceptances: tuple[Acceptance, ...] = ()
    hunks: tuple[ServedHunk, ...] = ()

    @property
    def met(self) -> MetCount:
        """How many of the requirements are met."""
        return count_met(self.requirements, self.verdicts)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything a report is made of. Parts are None when the evaluation ended before them.

    `gate` is the judgement's after what people accepted. `problem` is what went wrong when there is no
    judgement; `seconds` by stage name.
    """

    request: EvaluationRequest
    base_sha: str
    head_sha: str
    task: Task | None
    plan: Plan | None
    observed: Observed | None
    judgement: Judgement | None
    gate: GateResult
    environment: tuple[str, ...] = ()  # the recipe's reasons and the sandbox, as sentences
    environment_digest: str = ""
    seconds: tuple[tuple[str, float], ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str = ""
    deliberation: Deliberation | None = None
    plan_digest: str = ""  # of the plan as it was frozen
    rubrics: tuple[TaskRubric, ...] = ()
    acceptable: tuple[str, ...] = ()  # what a person with write access can accept
    checks_each: bool = False  # each requirement has a check run of its own, too
    agent: str = ""  # the coding agent that wrote the change, as far as it shows


@dataclass(frozen=True, slots=True)
class Publication:
    """Where the report was put."""

    conclusion: Conclusion
    report_key: str  # artifact folder: <key>/report.{json,md,html,pdf}
