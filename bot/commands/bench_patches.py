"""`assay bench patches`: judge labelled pull requests, and count what came out."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from bot.bench import measures, patches
from bot.bench.cases import LabelledCase, read_set
from bot.bench.patches import ROWS, Benches, CaseRow, CaseTrial, code_version, read_rows
from bot.commands.bench import judging
from bot.commands.progress import say, write_table
from bot.errors import UserError
from bot.settings import Settings, load_settings, make_home
from bot.values import Part

T = TypeVar("T")
PACKAGES = tuple(Path(__file__).parents[2] / name for name in ("bot", "sandbox"))
"""What makes a version of Assay."""
_COUNTS = ("label", "kind", "n", "success", "failure", "action_required", "error")


@dataclass(frozen=True, slots=True)
class PatchesOptions:
    """The command line of `assay bench patches`."""

    folder: Path
    out: Path | None
    held_out: bool
    only: tuple[str, ...]
    case: tuple[str, ...]
    without_models: bool
    clones: Path | None
    jobs: int
    without: tuple[str, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of Assay that are off, in their own order."""
        return tuple(part for part in Part if part in self.without)

    def rows(self, models: str) -> Path:
        """The file for the rows: what judges otherwise has a name of its own."""
        judges = "-with-models" if models else ""
        parts = "".join(f"-without-{part}" for part in self.parts)
        return self.out or Path(f"patches{judges}{parts}.jsonl")

    def choose(self, cases: Iterable[LabelledCase]) -> tuple[LabelledCase, ...]:
        """Return the cases that are asked for. Raises UserError where there are none."""
        chosen = tuple(
            case
            for case in cases
            if case.held_out is self.held_out
            and (not self.only or case.kind in self.only)
            and (not self.case or case.id in self.case)
        )
        if not chosen:
            which = "held out" if self.held_out else "not held out"
            raise UserError(f"{self.folder} has no such case that is {which}.", "See --held-out.")
        return chosen


def run(**options: Any) -> None:
    """Judge the cases that have no row yet, and print the table over all that are asked for.

    Ends with 1 when a wrong change would be merged, a right one was stopped, or one has no conclusion.
    """
    wanted, console = PatchesOptions(**options), Console()
    every, left_out = read_set(wanted.folder)
    for one in left_out:
        say(console, f"No case: {one.repository}#{one.number} at {one.head_sha[:12]}: {one.why}.")
    cases = wanted.choose(every)
    settings = load_settings()
    if wanted.without_models:
        settings = settings.model_copy(update={"model": "", "models": {}})
    make_home(settings.home)
    models = models_of(settings)
    out = wanted.rows(models)
    rows = _known(cases, out, (models, wanted.parts))
    if rows:
        say(console, f"{len(rows)} of {len(cases)} cases are judged in {out} already.")
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        benches = Benches(Path(folder), (settings.home / "bench").resolve(), wanted.clones)
        trial = CaseTrial(benches, judging(settings), models, code_version(PACKAGES), wanted.parts)
        waiting = [case for case in cases if case.id not in rows]

        async def judge(case: LabelledCase) -> None:
            row = rows[case.id] = await trial.run(case)
            ROWS.append(out, row)
            say(console, f"[{len(rows)}/{len(cases)}] {row_line(row)}")

        asyncio.run(at_once(wanted.jobs, judge, waiting))
    shown = [rows[case.id] for case in cases]
    print_table(console, shown)
    if wanted.parts:
        say(console, f"Without {', '.join(wanted.parts)}.")
    write_table(out.with_suffix(".csv"), _COUNTS, _counts(shown))
    say(console, f"Rows: {out}; the table: {out.with_suffix('.csv')}")
    sys.exit(int(not all(row.is_settled and patches.is_right(row) for row in shown)))


def models_of(settings: Settings) -> str:
    """Name the models that judge; empty without any."""
    roles = [f"{role}={model}" for role, model in sorted(settings.models.items())]
    return " ".join(filter(None, (settings.model, *roles)))


def _known(
    cases: Sequence[LabelledCase], out: Path, judges: tuple[str, tuple[Part, ...]]
) -> dict[str, CaseRow]:
    """Return the rows of an earlier run that hold for these cases, with today's labels.

    `judges` are its models, and the parts that were off.
    """
    wanted = {(case.id, case.inputs(), judges): case for case in cases}
    rows = read_rows(out) if out.exists() else ()
    return {
        row.case: replace(row, kind=case.kind, label=case.label, held_out=case.held_out)
        for row in rows
        if row.is_settled
        and (case := wanted.get((row.case, row.inputs, (row.models, row.without))))
    }


async def at_once(jobs: int, work: Callable[[T], Awaitable[None]], given: Iterable[T]) -> None:
    """Do the work on all that is given, so much at the same time."""
    free = asyncio.Semaphore(jobs)

    async def one(each: T) -> None:
        async with free:
            await work(each)

    await asyncio.gather(*map(one, given))


# --- what is printed: texts of reports are hostile, so nothing is markup ---------------------


def ended(row: CaseRow) -> str:
    """Name how a case ended."""
    return row.judged.conclusion if row.judged else "error"


def row_line(row: CaseRow) -> str:
    """Say in a line what came of a case."""
    said = row.judged.said if row.judged else row.error
    seconds = f"{row.judged.seconds:.0f} s  " if row.judged else ""
    what = f"{row.label} {row.kind}"
    mark = "STOPPED" if row.is_stopped else "ok" if row.judged else "ERROR"
    mark = "WRONG" if row.is_wrong_success else mark
    return f"{mark:7} {ended(row):15} {what:25} {row.case}  {seconds}{said}"


def judges_of(rows: Sequence[CaseRow]) -> str:
    """Name the models and the versions of Assay that judged, and what was off."""
    models = " and ".join(sorted({row.models or "no model" for row in rows}))
    off = dict.fromkeys(part for row in rows for part in row.without)
    models += f"; without {', '.join(off)}" if off else ""
    return f"{models}; code {', '.join(sorted({row.code for row in rows}))}"


def print_table(console: Console, rows: Sequence[CaseRow]) -> None:
    """Print how many ended in which way, and all that went wrong."""
    table = Table(box=SIMPLE)
    for name in _COUNTS:
        table.add_column(name, justify="left" if name in {"label", "kind"} else "right")
    for cells in _counts(rows):
        table.add_row(*cells)
    console.print(table)
    say(console, f"Wrong successes: {_ids(row for row in rows if row.is_wrong_success)}")
    stopped = [row for row in rows if row.is_stopped]
    say(console, f"Right ones stopped: {_ids(stopped)}")
    for row in stopped:
        for reason in row.judged.reasons[:3] if row.judged else ():
            about = "; ".join(reason.requirements) or reason.text
            say(console, f"  {row.case}: {reason.conclusion} by {reason.rule}: {about}")
    for title, listed in (
        ("Not prepared", [row for row in rows if row.error]),
        ("Not finished by Assay", [row for row in rows if row.judged and row.judged.problem]),
    ):
        if listed:
            say(console, f"{title}: {_ids(listed)}")
    if not measures.has_statistics():
        agreement = measures.INSTALL
    else:
        found = patches.kappa(rows)
        agreement = "not defined without right and wrong ones" if found is None else f"{found:.3f}"
    say(console, f"Cohen's kappa of success and label: {agreement}")
    seconds, cost = patches.median_seconds(rows), patches.median_cost(rows)
    if seconds is not None:
        priced = "" if cost is None else f", ${cost:.3f}"
        say(console, f"A case takes {seconds:.0f} s{priced} at the median")
    if len({row.code for row in rows}) > 1:
        say(console, "These rows were judged by more than one version of Assay's code.")


def _counts(rows: Sequence[CaseRow]) -> Iterator[tuple[str, ...]]:
    for one in patches.count_kinds(rows):
        counts = (one.cases, one.success, one.failure, one.asked, one.error)
        yield one.label, one.kind, *map(str, counts)


def _ids(rows: Iterable[CaseRow]) -> str:
    return ", ".join(row.case for row in rows) or "none"
