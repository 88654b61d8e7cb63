"""Says of each hunk which requirements need it: whose evidence fails where the hunk is as on base."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from bot.diff.lines import numbered_lines
from bot.diff.paths import is_document
from bot.evidence.case import Case
from bot.task.categories import NARROW, upkeep_area
from bot.values import (
    Category,
    DamageSeen,
    Evidence,
    Need,
    Requirement,
    ServedHunk,
    Verdict,
    VerdictOutcome,
    WhyNotMeasured,
)
from bot.verdict.behaviour import proofs_of
from sandbox.damage.values import AS_ON_BASE, Damage, DamageTrial, Lines
from sandbox.values import ChangeKind, Diff, FileChange, Hunk, Side

MOST_HUNKS = 300
MOST_NAMED = 20
"""Tests and steps that are named for one hunk."""


def served_hunks(
    diff: Diff, case: Case, verdicts: tuple[Verdict, ...], steps: tuple[Evidence, ...]
) -> tuple[ServedHunk, ...]:
    """Return every hunk of the diff (capped), in its order; `steps` has the judges' own, too."""
    shown = _shown(case, verdicts, steps)
    cited = {one for row in shown for one in row.steps}
    damage = case.observed.damage
    trials = [*(damage.trials if damage else ()), *(damage.of_hunks if damage else ())]
    for step in steps:
        trials += [trial for one in step.damage for trial in one.trials if step.id in cited]
    code = {one.path for one in case.observed.kinds if one.kind is ChangeKind.CODE}
    proofs = frozenset(test.id for test in case.groups.proofs)
    weighing = _Weighing(shown, tuple(trials), damage, frozenset(code), proofs)
    pairs = ((change, hunk) for change in diff.files for hunk in change.hunks)
    return tuple(weighing.of(change, hunk) for change, hunk in islice(pairs, MOST_HUNKS))


@dataclass(frozen=True, slots=True)
class _Shown:
    """A requirement, and the tests and judges' steps that it rests on; those of `turning` fail on base."""

    requirement: Requirement
    is_satisfied: bool
    tests: frozenset[str]
    steps: frozenset[str]
    turning: frozenset[str]

    @property
    def may_need(self) -> bool:
        """Whether it asks that the code does or is something else: what stays needs no change."""
        asked = self.requirement
        if asked.category is Category.UPKEEP:
            return upkeep_area(asked.text) not in NARROW
        return asked.category in (Category.BEHAVIOUR, Category.CRITERION)


def _shown(
    case: Case, verdicts: tuple[Verdict, ...], steps: tuple[Evidence, ...]
) -> tuple[_Shown, ...]:
    given = {one.requirement_id: one for one in verdicts}
    rows = []
    for one in case.requirements.items:
        verdict = given.get(one.id)
        if verdict is None or one.category.is_of_project:
            continue
        is_by_tests = one.category in (Category.BEHAVIOUR, Category.KEEP)
        proofs = proofs_of(one, case, case.tied(one)) if is_by_tests else ()
        turning = frozenset(test.id for test in proofs)
        own = {
            step.id
            for step in steps
            if step.id in verdict.evidence_ids and any(seen.about == one.id for seen in step.damage)
        }
        is_satisfied = verdict.outcome is VerdictOutcome.SATISFIED
        tests = turning.union(verdict.tests)
        rows.append(_Shown(one, is_satisfied, tests, frozenset(own), turning.union(own)))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class _Weighing:
    """All trials, and what they are to be weighed by; `damage` is how the tests' ones ended.

    `proofs` are all tests that fail on base and pass on head, whatever they are for.
    """

    shown: tuple[_Shown, ...]
    trials: tuple[DamageTrial, ...]
    damage: DamageSeen | None
    code: frozenset[str]
    proofs: frozenset[str]

    def of(self, change: FileChange, hunk: Hunk) -> ServedHunk:
        """Say what is known of one hunk."""
        lines = changed_lines(change, hunk)
        near = tuple(one for one in self.trials if _is_in(one.damage, lines, hunk))
        needing = {test for trial in near for test in trial.needing}
        turning = frozenset[str]().union(*(row.turning for row in self.shown))
        without = [one for one in near if one.damage.kind in AS_ON_BASE]
        tried = {test for one in without for test in (*one.ran, *one.unloaded)}
        ran = tried & turning
        served = [row for row in self.shown if needing & (row.tests | row.steps)]
        rest = [r for r in self.shown if r.may_need and r not in served and not ran & r.turning]
        need, why = Need.NEEDED, None
        if not needing:
            why = self._why(change, bool(near), lines, hunk) if not ran else None
            if is_document(lines.path):  # that nothing which was run reads
                why = WhyNotMeasured.NOT_CODE
            if why is None and (any(row.is_satisfied for row in rest) or self.proofs - tried):
                why = WhyNotMeasured.OTHER_EVIDENCE
            need = Need.NOT_MEASURED if why else Need.UNNEEDED
        steps = {one for row in self.shown for one in row.steps}
        is_open = need is Need.UNNEEDED or why is WhyNotMeasured.OTHER_EVIDENCE
        return ServedHunk(
            *(lines.path, lines.first, lines.last, need),
            requirements=tuple(row.requirement.id for row in served),
            tests=tuple(sorted(needing - steps))[:MOST_NAMED],
            steps=tuple(sorted(needing & steps))[:MOST_NAMED],
            runs=len(needing | ran),
            why=why,
            rest=tuple(row.requirement.id for row in rest) if is_open else (),
        )

    def _why(self, change: FileChange, is_tried: bool, lines: Lines, hunk: Hunk) -> WhyNotMeasured:
        """Why it is not known whether a hunk is needed that nothing ran without."""
        seen = self.damage
        if change.path not in self.code:
            return WhyNotMeasured.NOT_CODE
        if not any(row.turning - row.steps for row in self.shown) or not seen or seen.is_of_base:
            return WhyNotMeasured.NO_TEST
        if seen.is_limited or any(_is_in(one, lines, hunk) for one in seen.untried):
            return WhyNotMeasured.LIMIT
        has_none = not is_tried and not seen.problem
        return WhyNotMeasured.NO_DAMAGE if has_none else WhyNotMeasured.NO_RESULT


def changed_lines(change: FileChange, hunk: Hunk) -> Lines:
    """Return the first and the last line of head that a hunk changes; a removed one is where it stood."""
    numbered = numbered_lines(hunk, Side.HEAD)
    found = [number for number, line in numbered if line.startswith(("+", "-"))]
    first, last = (min(found), max(found)) if found else (hunk.new_start, hunk.new_start)
    return Lines(change.path, max(first, 1), max(last, 1))


def _is_in(damage: Damage, lines: Lines, hunk: Hunk) -> bool:
    """Whether a damage is to something of a hunk."""
    if damage.path != lines.path and not damage.places:
        return False
    if not damage.places:
        return hunk.new_start <= damage.line <= hunk.new_start + hunk.new_count
    return any(
        one.path == lines.path and one.first <= lines.last and one.last >= lines.first
        for one in damage.places
    )
