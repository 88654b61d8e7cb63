"""What was seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.models.places import Impact, Located
from bot.models.tasks import Step
from sandbox.models import Finding, Observation, Outcome


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
    `passes`/`runs` count the repeats on head after a first disagreement (0/0 when never repeated);
    `flakes_on_base` says that one of those on base, where it passed at first, failed.
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
    flakes_on_base: bool = False


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
    `changes_truncated` says that some are missing; `code_changes` are those that ship and whose code
    may mean something else now. `impact` and `located` are hints for people, no verdict rests on them.
    """

    evidence: tuple[Evidence, ...]
    tests: FourWay
    findings: tuple[Finding, ...]  # linters, only new on head
    integrity: tuple[Finding, ...]
    built_base: bool | None
    built_head: bool | None
    needs: tuple[str, ...] = ()
    left_out: str = ""  # which of base's tests are not run, as a sentence
    changed_paths: tuple[str, ...] = ()
    changes_truncated: bool = False
    code_changes: tuple[str, ...] = ()
    impact: Impact | None = None
    located: tuple[Located, ...] = ()
