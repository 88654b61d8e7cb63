"""`assay criteria`: finds criteria for a task from a good and a bad solution, and keeps what holds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bot.commands.progress import TerminalProgress
from bot.commands.services import open_agents, read_bounded
from bot.diff.unified import unified
from bot.errors import UserError
from bot.judges.criteria_critic import Brief
from bot.judges.criteria_grading import CriterionTrial, find_criteria
from bot.judges.model import ModelProblem, SessionLimits
from bot.settings import Settings, load_settings, make_home
from bot.task.kept_criteria import KeptCriteria, KeptCriterion
from bot.text import scrub
from sandbox.errors import CheckoutError
from sandbox.repository.checkout import read_diff
from sandbox.repository.fetch import fetch, resolve_at_source
from sandbox.repository.mirror import RepositorySource, merge_base, open_mirror

_MINUTES = 30.0


@dataclass(frozen=True, slots=True)
class CriteriaCommand:
    """The command line."""

    task: Path
    good: str
    bad: str
    out: Path
    repository: Path
    base: str | None
    repeats: int
    usd: float


def run(**options: Any) -> None:
    """Find criteria and write those that passed. Raises UserError when none did."""
    asked = CriteriaCommand(**options)
    settings = load_settings()
    if not settings.model:
        raise UserError("Criteria need a model: set ASSAY_MODEL (see README).")
    make_home(settings.home)
    with TerminalProgress(Console(stderr=True)) as progress:
        progress.tell("criteria")
        trials = asyncio.run(_find(settings, asked))
    console = Console()
    for one in trials:
        word = f"left out: {one.why_not}" if one.why_not else "kept"
        console.print(scrub(f"{one.criterion.name}: {word}"), markup=False, highlight=False)
    _write(asked, trials)


async def _find(settings: Settings, asked: CriteriaCommand) -> tuple[CriterionTrial, ...]:
    task = read_bounded(asked.task)
    good, bad = await asyncio.to_thread(_solutions, settings, asked)
    limits = SessionLimits(asked.usd, _MINUTES)
    async with open_agents(settings, (task, good, bad), limits) as agents:
        try:
            return await find_criteria(agents, Brief(task, good, bad), asked.repeats)
        except ModelProblem as error:
            raise UserError(f"No criteria were found. {error.why}") from error


def _solutions(settings: Settings, asked: CriteriaCommand) -> tuple[str, str]:
    """Both solutions as text: a file as it stands, a revision as its diff."""
    names = (asked.good, asked.bad)
    revisions = [name for name in names if not Path(name).is_file()]
    if not revisions:
        return read_bounded(Path(asked.good)), read_bounded(Path(asked.bad))
    if len(revisions) == 1 and asked.base is None:
        raise click.UsageError(f"{revisions[0]!r} is no file; as a revision it needs --base")
    try:
        mirror = open_mirror(
            settings.home / "git", RepositorySource(str(asked.repository.resolve()))
        )
        wanted = [*revisions, *([asked.base] if asked.base else [])]
        shas = {name: resolve_at_source(mirror, name) for name in wanted}
        fetch(mirror, tuple(shas.values()))
        texts = []
        for name, other in (names, reversed(names)):
            if name in shas:
                start = merge_base(mirror, shas[asked.base or other], shas[name])
                texts.append(unified(read_diff(mirror, start, shas[name])))
            else:
                texts.append(read_bounded(Path(name)))
    except CheckoutError as error:
        raise UserError(error.what, error.next_step) from error
    good, bad = texts
    return good, bad


def _write(asked: CriteriaCommand, trials: tuple[CriterionTrial, ...]) -> None:
    kept = []
    for one in trials:
        if one.why_not:
            continue
        figures = (one.variation, one.good, one.bad, one.damaged)
        spread, good, bad, damaged = (None if x is None else round(x, 3) for x in figures)
        criterion = KeptCriterion(
            name=scrub(one.criterion.name),
            description=scrub(one.criterion.description),
            accepted_values=tuple(map(scrub, one.criterion.accepted)),
            variation=spread,
            good=good,
            bad=bad,
            damaged=damaged,
        )
        kept.append(criterion)
    if not kept:
        raise UserError(
            "No criterion is stable and sees a damaged solution as worse; nothing was written.",
            "Take examples that differ more, or another model.",
        )
    title = next(
        (line.strip("# ").strip() for line in read_bounded(asked.task).splitlines() if line), ""
    )
    document = KeptCriteria(task=scrub(title)[:200], criteria=tuple(kept))
    try:
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(document.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{asked.out} cannot be written: {error.strerror}.") from error
