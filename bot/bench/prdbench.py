"""PRDBench: test plans against submissions, round by round, scored as the paper does.

A set is a folder with `tasks/TASK` (each with its `evaluation/detailed_test_plan.json`, as released) and
`submissions/AGENT/TASK/round-1`, `round-2` and so on; without rounds the folder itself is the first.
"""

from __future__ import annotations

import hashlib
import os
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from bot.bench.rows import Rows
from bot.errors import UserError
from bot.report.machine import ReportDocument
from bot.task.test_plans import read_plan
from bot.values import ItemKind, VerdictOutcome

PLAN = Path("evaluation/detailed_test_plan.json")
MOST_POINTS = 2
_ROUND = re.compile(r"round-([1-9][0-9]{0,2})\Z")
_LEFT_OUT = {".git", ".venv", "node_modules", "__pycache__"}
_WAY_OUT = "bot/bench/README.md describes the folders."


@dataclass(frozen=True, slots=True)
class Submitted:
    """What one agent submitted for a task: `rounds[0]` is the first round's folder."""

    agent: str
    task: str
    given: Path
    rounds: tuple[Path, ...]


def read_set(folder: Path) -> tuple[Submitted, ...]:
    """Find every submission of a set, by agent and task. Raises UserError for what is missing."""
    tasks = {plan.parents[1].name: plan.parents[1] for plan in folder.glob(f"tasks/*/{PLAN}")}
    if not tasks:
        raise UserError(f"{folder} has no task: there is no tasks/*/{PLAN}.", _WAY_OUT)
    found = []
    for place in sorted(folder.glob("submissions/*/*/")):
        agent, task = place.parent.name, place.name
        if task not in tasks:
            raise UserError(f"{place}: there is no task {task} in {folder / 'tasks'}.", _WAY_OUT)
        numbered = {int(m[1]): one for one in place.iterdir() if (m := _ROUND.match(one.name))}
        if missing := sorted(set(range(1, max(numbered, default=0))) - set(numbered)):
            raise UserError(f"{place} has no round-{missing[0]}.", _WAY_OUT)
        rounds = [numbered[number].resolve() for number in sorted(numbered)] or [place.resolve()]
        found.append(Submitted(agent, task, tasks[task].resolve(), tuple(rounds)))
    if not found:
        raise UserError(f"{folder} has no submission: see submissions/AGENT/TASK.", _WAY_OUT)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One metric of a plan: 2, 1 or 0 points; None where nobody could decide, which counts as 0."""

    metric: str
    kind: ItemKind
    points: int | None
    verdict: VerdictOutcome
    explanation: str


@dataclass(frozen=True, slots=True)
class RoundRow:
    """What one submission reached in one round. Without items `error` says why there are none.

    `inputs` is a digest of the task's and the submission's files, `models` and `code` say who judged.
    """

    task: str
    agent: str
    round: int
    inputs: str
    models: str
    code: str
    items: tuple[ItemRow, ...] = ()
    seconds: float = 0.0
    cost: float | None = None
    error: str = ""

    @property
    def score(self) -> float:
        """The share of all points of the plan, in percent; 0 where it could not be judged."""
        return _share(self.items)


def items_of(document: ReportDocument, plan: Path) -> tuple[ItemRow, ...]:
    """Return what a report says of the plan's items, in the plan's order; () where it has no plan."""
    if document.plan is None:
        return ()
    kinds = [item.kind for item in read_plan(plan.read_bytes(), plan.name).items]
    verdicts = {row.id: row.verdict for row in document.requirements}
    return tuple(
        ItemRow(item.metric, kind, item.points, verdicts[item.requirement_id], item.explanation)
        for item, kind in zip(document.plan.items, kinds, strict=True)
    )


def inputs(*folders: Path) -> str:
    """Return a digest of all files of these folders: names, contents and what may be executed."""
    digest = hashlib.sha256()
    for folder in folders:
        for root, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if name not in _LEFT_OUT)
            for name in sorted(files):
                file = Path(root, name)
                if file.is_symlink() or file.is_file():
                    content = (
                        os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes()
                    )
                    mode = b"x" if os.access(file, os.X_OK) else b"-"
                    digest.update(os.fsencode(file.relative_to(folder)) + b"\0" + mode)
                    digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()[:16]


# --- measures --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RoundScore:
    """What an agent reached in one round, over all its tasks or over one kind of items.

    `score` is the mean of the tasks' scores in percent, `gain` how many points of a hundred it is above
    the round before, over the tasks that both rounds have; None without one. `could_be` is the score if every
    undecided item had all points.
    """

    agent: str
    round: int
    kind: ItemKind | None
    tasks: int
    items: int
    full: int
    half: int
    none: int
    undecided: int
    score: float
    could_be: float
    gain: float | None


def round_scores(rows: Sequence[RoundRow]) -> tuple[RoundScore, ...]:
    """Return a score for each agent and round, and below it for each kind of items it has."""
    groups = dict.fromkeys((row.agent, row.round) for row in rows)
    found = []
    for agent, number in sorted(groups):
        own = [row for row in rows if (row.agent, row.round) == (agent, number)]
        before = {row.task: row for row in rows if (row.agent, row.round) == (agent, number - 1)}
        kinds = [one for one in ItemKind if any(i.kind is one for row in own for i in row.items)]
        for kind in (None, *kinds):
            of_kind = [(row, _of(row, kind)) for row in own]
            counted = [(row, items) for row, items in of_kind if items or kind is None]
            points = [item.points for _, items in counted for item in items]
            gains = [
                _share(items) - _share(_of(before[row.task], kind))
                for row, items in counted
                if row.task in before
            ]
            score = RoundScore(
                agent=agent,
                round=number,
                kind=kind,
                tasks=len(counted),
                items=len(points),
                full=points.count(2),
                half=points.count(1),
                none=points.count(0),
                undecided=points.count(None),
                score=statistics.fmean(_share(items) for _, items in counted),
                could_be=statistics.fmean(_share(items, MOST_POINTS) for _, items in counted),
                gain=statistics.fmean(gains) if gains else None,
            )
            found.append(score)
    return tuple(found)


def _of(row: RoundRow, kind: ItemKind | None) -> tuple[ItemRow, ...]:
    return tuple(item for item in row.items if kind in (None, item.kind))


def _share(items: Iterable[ItemRow], undecided: int = 0) -> float:
    points = [undecided if item.points is None else item.points for item in items]
    return 100 * sum(points) / (MOST_POINTS * len(points)) if points else 0.0


# --- two runs --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ItemPair:
    """One item of a plan as two runs judged it; what nobody could decide has 0 points, as in a score."""

    row: RoundRow
    metric: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class RoundComparison:
    """The submissions that both runs judged, as pairs of before and after; `left_out` are the others."""

    rounds: tuple[tuple[RoundRow, RoundRow], ...]
    left_out: tuple[tuple[str, str, int], ...]

    @property
    def items(self) -> tuple[ItemPair, ...]:
        """Every item of them. The same inputs have the same plan, so items stand in the same order."""
        return tuple(
            ItemPair(one, a.metric, a.points or 0, b.points or 0)
            for one, other in self.rounds
            for a, b in zip(one.items, other.items, strict=True)
        )


def compare_rounds(before: Iterable[RoundRow], after: Iterable[RoundRow]) -> RoundComparison:
    """Join the newest rows of two runs by agent, task and round, where both judged the same files."""
    one, other = (
        {(row.agent, row.task, row.round): row for row in rows} for rows in (before, after)
    )
    rounds, left_out = [], []
    for key in sorted(one.keys() | other.keys()):
        first, second = one.get(key), other.get(key)
        is_whole = first and second and first.items and second.items
        if first and second and is_whole and first.inputs == second.inputs:
            rounds.append((first, second))
        else:
            left_out.append(key)
    return RoundComparison(tuple(rounds), tuple(left_out))


# --- rows on disk ----------------------------------------------------------------------------

ROUNDS = Rows(TypeAdapter(RoundRow), b'{"task":', "assay bench prdbench")
