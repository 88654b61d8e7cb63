"""What is said of one requirement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.values.tasks import Requirement, Requirements


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


def with_blockers(
    given: Iterable[Verdict], requirements: Iterable[Requirement]
) -> tuple[Verdict, ...]:
    """Return the verdicts, one for each of the requirements, with the prerequisites that are not met."""
    given = tuple(given)
    met = {one.requirement_id for one in given if one.outcome is VerdictOutcome.SATISFIED}
    return tuple(
        replace(verdict, blocked_by=tuple(p for p in requirement.prerequisites if p not in met))
        for verdict, requirement in zip(given, requirements, strict=True)
    )


@dataclass(frozen=True, slots=True)
class MetCount:
    """How many requirements are met: by themselves (I), and with their direct prerequisites (D).

    `checks` of the `all_checks` are the project's own, which every change has to meet.
    """

    independently: int
    with_prerequisites: int
    total: int
    checks: int = 0
    all_checks: int = 0

    def __str__(self) -> str:
        """The task's own requirements alone: a change that meets none of them still builds."""
        met, asked = self.independently - self.checks, self.total - self.all_checks
        if not asked:
            return f"{self.checks} of {self.all_checks} project checks passed"
        return f"{met} of {asked} requirement{'s' if asked != 1 else ''} of the task met"

    def of_success(self) -> str:
        """The same where nothing stands in the way; what is optional may still be open."""
        asked = self.total - self.all_checks
        if self.independently < self.total:
            return str(self)
        if not asked:
            return f"All {self.all_checks} project checks passed"
        return (
            f"All {asked} requirements of the task met"
            if asked > 1
            else "The requirement of the task is met"
        )


def count_met(requirements: Requirements, given: tuple[Verdict, ...]) -> MetCount:
    """Count over the whole list: a requirement without a satisfied verdict is not met."""
    outcomes: dict[str, list[VerdictOutcome]] = {}
    for verdict in given:
        outcomes.setdefault(verdict.requirement_id, []).append(verdict.outcome)
    met = {id_ for id_, seen in outcomes.items() if set(seen) == {VerdictOutcome.SATISFIED}}
    listed = [r for r in requirements.items if r.id in met]
    with_prerequisites = [r for r in listed if met.issuperset(r.prerequisites)]
    checks = [r for r in requirements.items if r.category.is_of_project]
    return MetCount(
        len(listed),
        len(with_prerequisites),
        len(requirements.items),
        sum(r.id in met for r in checks),
        len(checks),
    )


class Need(StrEnum):
    """What damage shows of a hunk."""

    NEEDED = "needed"
    UNNEEDED = "unneeded"
    NOT_MEASURED = "not_measured"


class WhyNotMeasured(StrEnum):
    """Why nobody knows whether a hunk is needed."""

    NOT_CODE = "not_code"  # documentation, tests, build files: no damage is made there
    NO_DAMAGE = "no_damage"  # only imports, comments or layout, or it cannot be taken back alone
    NO_TEST = "no_test"  # nothing that fails without the change and passes with it was run
    NO_RESULT = "no_result"  # no test gave a result without it
    LIMIT = "limit"  # `limits.damage`
    OTHER_EVIDENCE = (
        "other_evidence"  # what fails on base, or shows a requirement, was not run without it
    )


@dataclass(frozen=True, slots=True)
class ServedHunk:
    """One hunk of the diff, by its lines on head, and the requirements whose evidence fails without it.

    `tests` and `steps` are what fails, `runs` how many were run. `rest` are requirements that it may be for:
    what shows them was not run without it, or nothing shows them. `why` says why it was not measured, None
    where it was.
    """

    path: str
    first: int
    last: int
    need: Need
    requirements: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    runs: int = 0
    why: WhyNotMeasured | None = None
    rest: tuple[str, ...] = ()

    @property
    def lines(self) -> str:
        """The place as people write it."""
        return f"{self.path}:{self.first}" + (f"-{self.last}" if self.last > self.first else "")
