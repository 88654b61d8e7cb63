"""What people say about verdicts, and ask. None of it changes a conclusion."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class LabelKind(StrEnum):
    """What somebody said, or did, about a verdict."""

    AGREED = "agree"
    DISAGREED = "disagree"
    ACCEPTED = "accept"  # what could not be verified is fine
    OVERRIDDEN = "override"  # what failed shall pass
    MERGED = "merge"  # the pull request was merged, though the conclusion was no success


@dataclass(frozen=True, slots=True)
class VerdictLabel:
    """What one person said of one verdict, with the verdict as it stood then.

    `subject` is the requirement's id or a rule of the gate, empty for the whole change; `text` what it said,
    `category` the requirement's kind ("rule" for a rule). `base_sha` and `head_sha` are what was judged,
    `conclusion` what the check run said. `model` names the models where judges decided. `source` is the
    comment, the click or the merge; `given_s` is Unix time.
    """

    kind: LabelKind
    repository: str
    number: int
    base_sha: str
    head_sha: str
    evaluation: str
    conclusion: str
    subject: str
    text: str
    category: str
    verdict: str
    decided_by: str
    model: str
    person: str
    reason: str
    source: str
    given_s: float


@dataclass(frozen=True, slots=True)
class Pause:
    """Whether a pull request is judged by itself, as the comment with the highest id says."""

    is_paused: bool
    actor: str
    comment: int


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody asks about an evaluation in a comment; `usd` is what its models may cost in all."""

    text: str
    comment: int
    usd: float


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model answers, with the evidence that it names and that exists; `usd` is None where unknown."""

    paragraphs: tuple[str, ...]
    evidence_ids: tuple[str, ...]
    model: str
    usd: float | None = None
