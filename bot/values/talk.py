"""What people say about verdicts, and ask. None of it changes a conclusion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class LabelKind(StrEnum):
    """What somebody said, or did, about a verdict."""

    AGREED = "agree"
    DISAGREED = "disagree"
    ACCEPTED = "accept"  # what could not be verified is fine
    OVERRIDDEN = "override"  # what failed shall pass
    MERGED = "merge"  # the pull request was merged, though the conclusion was no success
    REVERTED = "revert"  # what was merged was taken back later


RULE = "rule"
"""The category of a label that is about a rule of the gate."""
_MET = {"satisfied": True, "success": True, "unsatisfied": False, "failure": False}
_SAYS = {
    LabelKind.ACCEPTED: True,
    LabelKind.OVERRIDDEN: True,
    LabelKind.MERGED: True,
    LabelKind.REVERTED: False,
}


@dataclass(frozen=True, slots=True)
class VerdictLabel:
    """What one person said of one verdict, with the verdict as it stood then.

    `subject` is the requirement's id or a rule of the gate, empty for the whole change; `text` what it said,
    `category` the requirement's kind ("rule" for a rule). `base_sha` and `head_sha` are what was judged,
    `conclusion` what the check run said, `blocking` the subjects that kept it from success. `model` names the
    models where judges decided. `source` is the comment, the click, the merge or the revert; `given_s` is
    Unix time.

    `address` is where git fetches the repository, `task` what was asked, `description` what the change said
    of itself, both as they were judged. They are empty where the report was gone, and in old labels.
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
    mandatory: bool = True
    blocking: tuple[str, ...] = ()
    address: str = ""
    task: str = ""
    description: str = ""

    @property
    def was_met(self) -> bool | None:
        """Whether Assay said that it is met; None where it left that to people."""
        return _MET.get(self.verdict)

    @property
    def is_met(self) -> bool | None:
        """Whether it is met by what the person says; None where they do not tell.

        Who disagrees that something could not be verified does not say what it is.
        """
        if self.kind in _SAYS:
            return _SAYS[self.kind]
        if self.was_met is None:
            return None
        return self.was_met is (self.kind is LabelKind.AGREED)


def that_count(labels: Iterable[VerdictLabel]) -> tuple[VerdictLabel, ...]:
    """Return the newest label of each person about each subject of a commit, in order of time.

    Of merges and reverts of a commit the newest counts alone, whoever it was.
    """
    newest: dict[tuple[str | int, ...], VerdictLabel] = {}
    for one in sorted(labels, key=lambda label: label.given_s):
        about = (one.repository.lower(), one.number, one.head_sha, one.subject)
        newest[(*about, one.person.lower() if one.subject else "")] = one
    return tuple(sorted(newest.values(), key=lambda label: label.given_s))


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
