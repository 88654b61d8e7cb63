"""`assay bench criteria`: how stable criteria are, and whether they tell better from worse."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from bot.bench import measures
from bot.bench.criteria import GRADES, Checked, GradeRow, Quality, check, read_grades
from bot.bench.measures import library
from bot.commands.progress import TerminalProgress, print_figures, say, table_console, write_table
from bot.commands.services import open_agents, read_bounded
from bot.errors import UserError
from bot.judges.criteria_critic import EXAMPLE_CHARS, TASK_CHARS
from bot.judges.criteria_grading import LEAST_DROP, MOST_VARIATION, quantify, worsened
from bot.judges.model import ModelProblem, SessionLimits
from bot.settings import Settings, load_settings, make_home
from bot.task.kept_criteria import read_kept
from bot.text import scrub
from bot.values import Criterion

_MINUTES = 120.0
_CHANCE = 0.5
_NAMES = (
    "criterion", "grades", "graded twice", "deviation", "variation", "better", "worse", "AUC",
    "p", "copies", "seen %", "drop", "holds",
)  # fmt: skip
_COUNTS = ("grades", "graded twice", "better", "worse", "copies")
_WAY_OUT = "bot/bench/README.md describes the folder."


@dataclass(frozen=True, slots=True)
class CriteriaOptions:
    """The command line of `assay bench criteria`."""

    folder: Path
    out: Path | None
    repeats: int | None
    usd: float


@dataclass(frozen=True, slots=True)
class _Thing:
    """A solution to grade."""

    task: str
    name: str
    asked: str
    text: str
    quality: Quality = Quality.UNKNOWN
    of: str = ""


def run(**options: Any) -> None:
    """Read grades, or grade anew; print the table, and write it where a folder is named."""
    wanted, console = CriteriaOptions(**options), table_console()
    if not measures.has_statistics():
        raise UserError("`assay bench criteria` needs statistics.", measures.INSTALL)
    if wanted.out:
        wanted.out.mkdir(parents=True, exist_ok=True)
    rows = _graded_anew(wanted) if wanted.repeats else read_grades(wanted.folder)
    found = check(rows)
    cells = [[scrub(cell) for cell in _cells(one)] for one in found]
    print_figures(console, _NAMES, cells, _COUNTS, ("criterion",))
    spreads = [one.spread.variation for one in found if one.spread.variation is not None]
    if spreads:
        mean = sum(spreads) / len(spreads)
        say(console, f"Mean coefficient of variation: {mean:.3f} (AgentEval: at most 0.5)")
    if wanted.out:
        _write(wanted.out, found)
        say(console, f"Table and plot: {wanted.out}")


# --- grading anew ----------------------------------------------------------------------------


def _graded_anew(wanted: CriteriaOptions) -> tuple[GradeRow, ...]:
    settings = load_settings()
    if not settings.model:
        raise UserError("Grading needs a model: set ASSAY_MODEL.", "Or leave out --repeats.")
    file = wanted.folder / "criteria.json"
    if not file.is_file():
        raise UserError(f"{file} is missing: it says what is graded by.", _WAY_OUT)
    criteria = read_kept(file.read_bytes(), str(file))
    things = tuple(_things(wanted.folder / "solutions"))
    if not things:
        raise UserError(f"{wanted.folder / 'solutions'} has no task with solutions.", _WAY_OUT)
    make_home(settings.home)
    with TerminalProgress(Console(stderr=True)) as progress:
        progress.tell("criteria")
        rows = asyncio.run(_grade(settings, wanted, criteria, things))
    if wanted.out:
        GRADES.write(wanted.out / "grades.jsonl", rows)
    return rows


def _things(folder: Path) -> Iterator[_Thing]:
    """Every solution of every task, and spoiled copies of the better ones."""
    for task in sorted(folder.glob("*/")):
        asked = read_bounded(task / "task.md") if (task / "task.md").is_file() else ""
        for quality in (Quality.BETTER, Quality.WORSE):
            for file in sorted(task.glob(f"{quality}/*")):
                name, text = f"{quality}/{file.name}", read_bounded(file)
                yield _Thing(task.name, name, asked, text, quality)
                for one in worsened(text) if quality is Quality.BETTER else ():
                    yield _Thing(task.name, f"{name}, {one.how}", asked, one.text, of=name)


async def _grade(
    settings: Settings,
    wanted: CriteriaOptions,
    criteria: tuple[Criterion, ...],
    things: tuple[_Thing, ...],
) -> tuple[GradeRow, ...]:
    """One grade for each criterion and repeat; a repeat whose value is not accepted has none."""
    rows: list[GradeRow] = []
    limits = SessionLimits(wanted.usd, _MINUTES)
    async with open_agents(settings, (one.text for one in things), limits) as agents:
        enclose = agents.delimiter.enclose
        for thing in things:
            task = enclose("task", thing.asked, TASK_CHARS)
            solution = enclose("solution", thing.text, EXAMPLE_CHARS)
            about = f"{task}\n\n{solution}"
            try:
                grading = await quantify(agents, criteria, about, wanted.repeats or 0)
            except ModelProblem as error:
                raise UserError(f"Not everything was graded. {error.why}", "Try again.") from error
            named = (thing.task, thing.name)
            rows += [
                GradeRow(one.criterion.name, *named, number, points, thing.quality, thing.of)
                for one in grading.grades
                for number, points in enumerate(one.points, start=1)
            ]
    return tuple(rows)


# --- what is printed and written: names are hostile, so nothing is markup ---------------------


def holds(one: Checked) -> bool | None:
    """Whether AgentEval's Verifier keeps it: stable, and it sees what is worse. None: nothing tells."""
    spread, told = one.spread.variation, one.discrimination
    if spread is None or (told.auc is None and told.drop is None):
        return None
    sees = (told.auc is None or told.auc > _CHANCE) and (
        told.drop is None or told.drop >= LEAST_DROP
    )
    return spread <= MOST_VARIATION and sees


def _cells(one: Checked) -> tuple[str, ...]:
    spread, told, is_kept = one.spread, one.discrimination, holds(one)
    return (
        one.criterion,
        str(one.grades),
        str(spread.things),
        _number(spread.deviation),
        _number(spread.variation),
        str(told.better),
        str(told.worse),
        _number(told.auc),
        _number(told.p),
        str(told.copies),
        "" if told.seen is None else f"{told.seen:.1f}",
        _number(told.drop),
        "" if is_kept is None else "yes" if is_kept else "no",
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _write(out: Path, found: Sequence[Checked]) -> None:
    write_table(out / "criteria.csv", _NAMES, map(_cells, found))
    if measures.has_statistics("matplotlib"):
        # Spread against discrimination; what cannot be placed is left out.
        figure = library("matplotlib.figure").Figure(figsize=(7, 5), layout="constrained")
        axes = figure.add_subplot(
            xlabel="mean coefficient of variation", ylabel="AUC", ylim=(-0.05, 1.05)
        )
        axes.axvline(MOST_VARIATION, color="gray", linestyle="--")
        axes.axhline(_CHANCE, color="gray", linestyle="--")
        for one in found:
            place = one.spread.variation, one.discrimination.auc
            if None not in place:
                axes.plot(*place, marker="o", color="C0" if holds(one) else "C3")
                label = scrub(one.criterion).replace("$", r"\$")
                axes.annotate(label, place, textcoords="offset points", xytext=(5, 5))
        axes.margins(x=0.2)
        axes.set_title("Stable criteria that see what is worse: left and above")
        figure.savefig(out / "criteria.png", dpi=120)
