"""What is remembered about evaluations, as one protocol and the small values it speaks in.

Every method raises `Transient` when the database cannot be reached. Times are Unix seconds. All
methods may be called from any thread, and twice: a repetition changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.values import (
    Acceptance,
    Conclusion,
    EvaluationRequest,
    KeptRubric,
    Pause,
    RoleUsage,
    Rubric,
    VerdictLabel,
)


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


class Store(Protocol):
    """The records of all evaluations."""

    def check(self) -> None:
        """Return when the database answers; for readiness."""

    def queued(self, request: EvaluationRequest, claim: str = "") -> bool:
        """Remember a new evaluation; false when another open one holds the same claim."""

    def evaluation(self, evaluation_id: str) -> EvaluationRecord | None:
        """Find one evaluation."""

    def request(self, evaluation_id: str) -> EvaluationRequest | None:
        """Find what an evaluation was asked for, to ask for it again."""

    def of_head(self, repository: str, head_sha: str) -> tuple[EvaluationRecord, ...]:
        """List the evaluations of a commit, for whatever it was judged, newest first."""

    def latest(self, repository: str, number: int) -> EvaluationRecord | None:
        """Find the newest evaluation of a pull request."""

    def history(self, repository: str, number: int) -> tuple[EvaluationRecord, ...]:
        """List the newest reports of a pull request, newest first; what was cancelled has none."""

    def of_commit(self, repository: str, number: int, sha: str) -> tuple[EvaluationRecord, ...]:
        """List the evaluations of a pull request's commit, newest first."""

    def open_evaluations(self, repository: str, number: int) -> tuple[EvaluationRecord, ...]:
        """List what is queued or running for a pull request, oldest first."""

    def unfinished_check_runs(self) -> tuple[EvaluationRecord, ...]:
        """List final evaluations whose check run is still open on GitHub, oldest first."""

    def recent(self, limit: int = 50) -> tuple[EvaluationRecord, ...]:
        """List the newest evaluations, newest first."""

    def ended(self, evaluation_id: str, how: Ended) -> bool:
        """Remember the end; false when it had ended before (then nothing changes)."""

    def concluded_again(self, evaluation_id: str, conclusion: Conclusion, title: str) -> None:
        """Remember what a person's decision made of an evaluation that was done."""

    def check_run(self, evaluation_id: str, check_run: int, finished: bool) -> None:
        """Remember the check run that shows this evaluation, and whether it is completed."""

    def base_result(self, key: str) -> str | None:
        """Find a kept result of base (JSON)."""

    def keep_base_result(self, key: str, value: str) -> None:
        """Keep a result of base for the next pull request."""

    def approve_head(self, repository: str, head: tuple[int, str], actor: str) -> None:
        """Remember that a maintainer lets `head` run, a stranger's pull request's (number, sha)."""

    def is_approved(self, repository: str, head: tuple[int, str]) -> bool:
        """Tell whether a maintainer let it run."""

    def accept(self, repository: str, number: int, given: Acceptance) -> None:
        """Keep a decision; the same `source` about the same subject and commit counts once."""

    def acceptances(self, repository: str, number: int) -> tuple[Acceptance, ...]:
        """List what was decided about a pull request, at any of its commits, newest first."""

    def keep_labels(self, *labels: VerdictLabel) -> None:
        """Keep all or none; the same `source` about the same subject and commit counts once."""

    def labels(self, wanted: VerdictLabelFilter) -> Iterator[VerdictLabel]:
        """Go through what was kept, oldest first."""

    def pause_of(self, repository: str, number: int) -> Pause | None:
        """Return what was last said about pausing a pull request; None when nothing was."""

    def keep_pause(self, repository: str, number: int, said: Pause) -> bool:
        """Keep what a comment says, unless a newer one said something; tell whether it counts."""

    def rubrics(self, repository: str, issue: int) -> tuple[KeptRubric, ...]:
        """List the versions of an issue's rubric, oldest first."""

    def keep_rubric(self, repository: str, issue: int, rubric: Rubric) -> KeptRubric:
        """Keep these words: the newest version if it says the same, else a new one that nobody approved."""

    def approve_rubric(self, repository: str, issue: int, version: int, actor: str) -> None:
        """Remember that somebody approved a version; the same person counts once."""

    def host_seen(self, host: HostDisk) -> None:
        """Remember how much disk a host has left."""

    def used(self, session_id: str, usage: tuple[RoleUsage, ...]) -> None:
        """Remember what models took while a session with them was open; the same again changes nothing."""

    def totals(self) -> Totals:
        """Count, for the metrics page."""

    def prune(self, older_than_s: float) -> tuple[str, ...]:
        """Delete final records and kept results last touched before a time; return their report keys."""


class Artifacts(Protocol):
    """Named files in folders; a folder is a report key."""

    def put(self, key: str, name: str, content: bytes) -> None:
        """Write one file, whole or not at all."""

    def get(self, key: str, name: str) -> bytes | None:
        """Read one file; None when there is none."""

    def delete(self, key: str) -> None:
        """Remove a folder; a missing one is fine."""
