"""Graded qualities of a solution: criteria, their grades, and the 0-4 score they make."""

from __future__ import annotations

from dataclasses import dataclass

MOST_POINTS = 4.0


@dataclass(frozen=True, slots=True)
class Criterion:
    """A graded quality; `accepted` are its values from worst to best, at least two."""

    name: str
    description: str
    accepted: tuple[str, ...]

    def points(self, value: str) -> float | None:
        """0 to 4 by the value's position; None for a value that is not accepted."""
        known = [one.casefold() for one in self.accepted]
        if value.strip().casefold() not in known:
            return None
        return MOST_POINTS * known.index(value.strip().casefold()) / (len(known) - 1)


@dataclass(frozen=True, slots=True)
class Grade:
    """How one criterion was graded over repeats: points 0 to 4 each; a repeat without a grade is left out.

    `value` is the accepted value in the middle of the repeats, `reason` the grader's words for it.
    """

    criterion: Criterion
    points: tuple[float, ...]
    value: str = ""
    reason: str = ""
    is_preference: bool = False

    @property
    def mean(self) -> float | None:
        """The mean of the repeats; None where there is none."""
        return sum(self.points) / len(self.points) if self.points else None


@dataclass(frozen=True, slots=True)
class Grading:
    """The grades of one solution. `problem` says why some are missing."""

    grades: tuple[Grade, ...]
    problem: str = ""

    @property
    def score(self) -> float | None:
        """0 to 4 over the criteria, preferences left out; one without a grade counts as nothing."""
        return self._mean(0.0)

    @property
    def could_be(self) -> float | None:
        """The same, if every criterion without a grade turned out well."""
        return self._mean(MOST_POINTS)

    def _mean(self, missing: float) -> float | None:
        counted = [one.mean for one in self.grades if not one.is_preference]
        if not counted or all(one is None for one in counted):
            return None
        return sum(missing if one is None else one for one in counted) / len(counted)


# --- the agreed standard for one task: what a right patch does, and what no patch may do ----------


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
