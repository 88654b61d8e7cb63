"""The agreed standard for one task: what a right patch does, and what no patch may do.

From rubric-guided patch judging: root cause, requirements, acceptable, unacceptable; drafted by a
model, approved by people, reused for every patch of the task.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rubric:
    """What people agree on; every text is one line. `root_cause` is the intent where nothing is broken.

    `requirements` must hold and `unacceptable` must not; `acceptable` says what may differ between
    right patches.
    """

    root_cause: str
    requirements: tuple[str, ...]
    acceptable: tuple[str, ...] = ()
    unacceptable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptRubric:
    """One version of an issue's rubric with the logins (lower case) of those who approved its very words.

    Versions count from 1; other words are another version, which nobody approved yet.
    """

    version: int
    rubric: Rubric
    approved_by: tuple[str, ...] = ()

    def approvals(self, author: str = "") -> tuple[str, ...]:
        """Who approved it without the author of the change that it judges."""
        return tuple(login for login in self.approved_by if login != author.lower())


@dataclass(frozen=True, slots=True)
class TaskRubric:
    """The rubric of one issue as an evaluation goes by it. `name` is for people.

    A golden one binds; a draft only advises. `path` is its file on the base branch, if it stands there.
    """

    issue: int
    rubric: Rubric
    is_golden: bool
    version: int = 0
    approved_by: tuple[str, ...] = ()
    path: str = ""
    requirement_ids: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As a requirement's origin names it."""
        if self.path:
            return self.path
        state = "" if self.is_golden else "draft "
        return f"{state}rubric of issue #{self.issue}, version {self.version}"
