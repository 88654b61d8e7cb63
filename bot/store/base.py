"""The small values that the store speaks in, and what keeps reports. Times are Unix seconds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.values import Conclusion, RoleUsage


class EvaluationState(StrEnum):
    """Where an evaluation stands; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether it will not change any more."""
        return self not in {EvaluationState.QUEUED, EvaluationState.RUNNING}


@dataclass(frozen=True, slots=True)
class EvaluationRecord:
    """One evaluation as its page shows it.

    `problem` says why it waits, failed or was cancelled; `conclusion` is empty until there is one.
    `check_run_finished` is true once GitHub shows a completed check run for it.
    """

    id: str
    repository: str
    number: int
    head_sha: str
    installation: int
    trigger: str
    actor: str
    state: EvaluationState
    created_s: float
    updated_s: float
    stage: str = ""
    conclusion: str = ""
    title: str = ""
    problem: str = ""
    report_key: str = ""
    check_run: int = 0
    comment: int = 0
    check_run_finished: bool = False


@dataclass(frozen=True, slots=True)
class EvaluationFacts:
    """What lists show of a judged evaluation; `usd` is None where no price is known, or no model was asked.

    `flaky` are the ids of tests that did not give the same answer each time.
    """

    agent: str = ""
    met: int = 0
    total: int = 0
    usd: float | None = None
    flaky: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """How an evaluation ended; empty parts leave what is known already."""

    state: EvaluationState
    conclusion: Conclusion | None = None
    title: str = ""
    problem: str = ""
    report_key: str = ""
    comment: int = 0
    facts: EvaluationFacts | None = None


@dataclass(frozen=True, slots=True)
class StageTime:
    """How often a stage ran, and for how long in all."""

    stage: str
    runs: int
    seconds: float


@dataclass(frozen=True, slots=True)
class HostDisk:
    """The disk of a worker's home, when it last looked."""

    name: str
    free_bytes: int
    floor_bytes: int
    seen_s: float

    @property
    def is_low(self) -> bool:
        """Whether it takes no new evaluation."""
        return self.free_bytes < self.floor_bytes


@dataclass(frozen=True, slots=True)
class Totals:
    """What the metrics page counts: (state, conclusion, how many), the stages' times, and models."""

    evaluations: tuple[tuple[str, str, int], ...]
    stages: tuple[StageTime, ...]
    models: tuple[RoleUsage, ...] = ()
    hosts: tuple[HostDisk, ...] = ()


@dataclass(frozen=True, slots=True)
class VerdictLabelFilter:
    """Which labels are meant; what is empty does not narrow it."""

    repository: str = ""
    number: int = 0
    person: str = ""
    source: str = ""


class Artifacts(Protocol):
    """Named files in folders; a folder is a report key."""

    def put(self, key: str, name: str, content: bytes) -> None:
        """Write one file, whole or not at all."""

    def get(self, key: str, name: str) -> bytes | None:
        """Read one file; None when there is none."""

    def delete(self, key: str) -> None:
        """Remove a folder; a missing one is fine."""
