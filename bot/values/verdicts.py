"""What is said of one requirement."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class VerdictOutcome(StrEnum):
    """The three answers to one requirement; "could not tell" is never "pass"."""

    SATISFIED = "satisfied"
    UNSATISFIED = "unsatisfied"
    UNVERIFIED = "unverified"


class Decider(StrEnum):
    """Who decided a verdict."""

    ORACLE = "oracle"
    AUTHORS_TEST = "author's test"
    STEP = "step"  # of a judge: it fails on head in what it asserts
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
    damages_noticed: int = 0  # by `tests`, of those that were tried; 0 of 0: not measured
    damages_tried: int = 0
