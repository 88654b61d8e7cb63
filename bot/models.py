"""The words of Assay as values: what is asked, what was seen, what is concluded.

All are frozen, slotted and made of plain parts, so `pydantic.TypeAdapter` turns each to JSON and back.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sandbox.models import Finding, Observation, Outcome

# --- what came in ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook as it came in. `payload` is the raw JSON text, verified but not interpreted."""

    id: str
    event: str
    action: str
    payload: str


class Trigger(StrEnum):
    """Why an evaluation was started."""

    OPENED = "opened"
    SYNCHRONIZE = "synchronize"
    READY_FOR_REVIEW = "ready_for_review"
    EDITED = "edited"
    COMMAND = "command"
    RERUN = "rerun"
    MERGE_GROUP = "merge_group"
    AGENT_PATCH = "agent_patch"
    SWEEP = "sweep"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What to judge. `repository` is `owner/name` on GitHub, or a host path when LOCAL.

    `number` is the pull request's (0 without one); `issue` the one an agent's patch names.
    `base_ref` is the target branch or revision, `patch` a unified diff when there is no head to fetch.
    """

    id: str
    repository: str
    head_sha: str
    base_sha: str
    base_ref: str
    trigger: Trigger
    number: int = 0
    issue: int = 0
    installation: int = 0
    head_ref: str = ""
    actor: str = ""
    command: str = ""
    comment: int = 0  # id of the comment that holds the command
    patch: str = ""
    task_text: str = ""
    description: str = ""  # what the change says of itself, where no pull request does
    agent: str = ""
    trajectory: str = ""


# --- what was asked -------------------------------------------------------------------------


class Trust(StrEnum):
    """Who stands behind a text. Only AUTHOR text cannot take a requirement away."""

    MAINTAINER = "maintainer"  # configuration or criteria on the base branch
    ASKER = "asker"  # the issue, the --task file, the dispatched task
    AUTHOR = "author"  # the pull request's own words


@dataclass(frozen=True, slots=True)
class TaskSource:
    """One text that says what was asked. `reference` is for people: "issue #7", "pull request #9"."""

    reference: str
    title: str
    text: str
    trust: Trust


@dataclass(frozen=True, slots=True)
class Task:
    """What was asked, in order of trust, most trusted first."""

    title: str
    sources: tuple[TaskSource, ...]
    warnings: tuple[str, ...] = ()  # "issue #99 is linked but does not exist"


class Category(StrEnum):
    """What kind of demand a requirement is."""

    BASELINE = "baseline"  # always holds: it builds, nothing regresses, tests are not weakened
    BEHAVIOUR = "behaviour"
    UPKEEP = "upkeep"  # refactoring, docs, typing: no change of behaviour is asked for
    CHECK = "check"  # an executable check of the configuration


@dataclass(frozen=True, slots=True)
class Requirement:
    """One checkable demand, a node of a DAG by `prerequisites`. `check` is a shell line or empty.

    `detail` is what the same source says around it (capped): it helps to tie tests, never decides.
    """

    id: str
    text: str
    category: Category
    origin: str  # "issue #7", "configuration", "baseline"
    trust: Trust
    mandatory: bool = True
    prerequisites: tuple[str, ...] = ()
    check: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Preference:
    """A soft wish; never changes the conclusion."""

    id: str
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Requirements:
    """Everything the task demands, with remarks on what was repaired or left out."""

    items: tuple[Requirement, ...]
    preferences: tuple[Preference, ...] = ()
    remarks: tuple[str, ...] = ()


# --- what will be checked -------------------------------------------------------------------


class ActionKind(StrEnum):
    """The kinds of action of this release."""

    UNIT_TESTS = "unit_tests"
    STATIC_LINTER = "static_linter"
    BASH = "bash"
    DYNAMIC_EXECUTION = "dynamic_execution"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to observe on both sides. `arguments` belong to the action (a shell line, paths)."""

    id: str
    goal: str
    guidance: str
    requirement_ids: tuple[str, ...]
    action: ActionKind
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be checked, fixed before the first verdict."""

    steps: tuple[Step, ...]


# --- what was seen --------------------------------------------------------------------------


class Transition(StrEnum):
    """What changed from base to head; the transition is the evidence."""

    FIXED = "fixed"
    REGRESSED = "regressed"
    STILL_FAILING = "still_failing"
    HELD = "held"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One step's observations on both sides, with an id that a verdict can cite."""

    id: str
    step: Step
    base: Observation | None
    head: Observation | None
    transition: Transition


class TestChange(StrEnum):
    """What the four ways say about one test."""

    __test__ = False
    FAIL_TO_PASS = "fail_to_pass"
    PASS_TO_PASS = "pass_to_pass"
    PASS_TO_FAIL = "pass_to_fail"
    NEVER_FAILED = "never_failed"  # new on head, and already passes on base's code
    STILL_FAILING = "still_failing"
    NEW_FAILING = "new_failing"  # new on head, and fails there
    EXPECTATION_CHANGED = (
        "expectation_changed"  # base's version fails on head, the edited one passes
    )
    REMOVED = "removed"  # collected on base, not on head, and its base version passes on head
    FLAKY = "flaky"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TestComparison:
    """One test four ways; None where it was not run or not collected there.

    `written_by_author` says that the pull request added or edited the file the test stands in.
    `passes`/`runs` count the repeats on head after a first disagreement (0/0 when never repeated).
    """

    __test__ = False
    id: str
    change: TestChange
    base_on_base: Outcome | None = None
    base_on_head: Outcome | None = None
    head_on_base: Outcome | None = None
    head_on_head: Outcome | None = None
    written_by_author: bool = False
    message: str = ""  # the failure that matters, capped
    path: str = ""
    line: int = 0
    source: str = ""
    passes: int = 0
    runs: int = 0


@dataclass(frozen=True, slots=True)
class FourWay:
    """The four-way test result. `problem` says why it proves nothing (empty when it does)."""

    comparisons: tuple[TestComparison, ...]
    problem: str = ""
    evidence_id: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """All that was seen in one evaluation.

    `built_base`/`built_head` are None where there was nothing to build or the toolchain is missing
    (then `needs` says what). `changed_paths` are the files of the diff, old names included;
    `changes_truncated` says that some are missing.
    """

    evidence: tuple[Evidence, ...]
    tests: FourWay
    findings: tuple[Finding, ...]  # linters, only new on head
    integrity: tuple[Finding, ...]
    built_base: bool | None
    built_head: bool | None
    needs: tuple[str, ...] = ()
    changed_paths: tuple[str, ...] = ()
    changes_truncated: bool = False


# --- what is concluded ----------------------------------------------------------------------


class VerdictOutcome(StrEnum):
    """The three answers to one requirement; "could not tell" is never "pass"."""

    SATISFIED = "satisfied"
    UNSATISFIED = "unsatisfied"
    UNVERIFIED = "unverified"


class Decider(StrEnum):
    """Who decided a verdict."""

    ORACLE = "oracle"
    AUTHORS_TEST = "author's test"
    PANEL = "panel"
    HUMAN = "human"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one requirement; `reason` is one or two sentences for a doubting maintainer.

    `tests` are ids of the tests that the verdict rests on; `blocked_by` unmet direct prerequisites.
    `next_step` says what a person can do when the outcome is unverified.
    """

    requirement_id: str
    outcome: VerdictOutcome
    decided_by: Decider
    reason: str
    evidence_ids: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()
    next_step: str = ""


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
    """One leaf of the gate's explanation: which rule spoke, and about what."""

    rule: str
    conclusion: Conclusion
    text: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class GateResult:
    """Verdicts to one conclusion. `reasons` holds every rule that spoke, the deciding ones first."""

    conclusion: Conclusion
    title: str  # one line, under 120 characters
    reasons: tuple[GateReason, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a member of a merge group was last told; `conclusion` is None before any answer."""

    number: int
    conclusion: Conclusion | None
    is_waived: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of the judge stage."""

    requirements: Requirements
    verdicts: tuple[Verdict, ...]
    gate: GateResult
    met_independently: int
    met_with_prerequisites: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything a report is made of. Parts are None when the evaluation ended before them.

    `problem` is what went wrong when there is no judgement; `seconds` by stage name.
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


@dataclass(frozen=True, slots=True)
class Publication:
    """Where the report was put."""

    evaluation_id: str
    conclusion: Conclusion
    report_key: str  # artifact folder: <key>/report.{json,md,html,pdf}
    comment: int = 0
    check_run: int = 0
    skipped: str = ""  # why nothing was posted ("superseded by abc123")
