"""`assay bench devai`: tables, CSV and a plot of DevAI's judgments, and what is wrong with the data."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from bot.bench import measures
from bot.bench.devai import Defect, read_devai
from bot.bench.devai_measures import (
    ALL_SYSTEMS,
    VERDICTS,
    ComparedVerdict,
    SystemScore,
    agreement,
    by_system,
    curve,
    percent,
    scores,
    statistics_of,
    verdicts,
)
from bot.bench.measures import library
from bot.commands.progress import print_figures, say, table_console, write_table

_PLACES_SHOWN = 2
_ODD = re.compile(r"[^A-Za-z0-9_.-]")
_MOST_NAME = 100
_SCORES = (
    "system", "judge", "judged", "met (I) %", "shift (I)", "met (D) %", "shift (D)", "tasks",
    "solved %", "shift solved", "ended %",
)  # fmt: skip
_COUNTS = ("both met", "only judge", "only reference", "both unmet")
_AGREEMENT = (
    "system", "judge", "pairs", *_COUNTS, "alignment %", "95 % from", "to", "kappa", "alpha",
    "precision", "recall", "F1", "AP",
)  # fmt: skip
_DEFECTS = ("what", "file", "requirement")
_CURVE = ("judge", "system", "recall", "precision")

Row = tuple[str, ...]
Pairs = Mapping[str, Sequence[ComparedVerdict]]
Tables = Mapping[str, tuple[Row, Sequence[Row]]]
"""By the name of a file: the heads of the columns, and the rows."""


def run(folder: Path, reference: str, out: Path | None) -> None:
    """Print the tables; write them, with the verdicts and a plot, where a folder is named."""
    console = table_console()
    data = read_devai(folder, reference)
    pairs = verdicts(data, reference)
    defects = [
        (one.kind, one.file, "" if one.requirement is None else str(one.requirement))
        for one in data.defects
    ]
    tables: Tables = {
        "scores": (_SCORES, list(_score_rows(scores(data), reference))),
        "agreement": (_AGREEMENT, list(_agreement_rows(pairs))),
        "precision-recall": (_CURVE, list(_curve_rows(pairs))),
        "defects": (_DEFECTS, defects),
    }
    instances = sum(len(task.requirements) for task in data.instances.values())
    systems = len({judged.system for judged in data.judged})
    judges = len({judged.judge for judged in data.judged})
    say(
        console,
        f"{len(data.instances)} instances with {instances} requirements; {systems} systems, "
        f"{judges} judges. Right is what {reference} says.",
    )
    _print(console, "What systems met", *tables["scores"])
    _print(console, "Agreement", *tables["agreement"])
    if not _has_statistics():
        say(console, f"Kappa, alpha, precision, recall, intervals: {measures.INSTALL}")
    if data.defects:
        _print_defects(console, data.defects)
    else:
        say(console, "The data has no defects.")
    if out:
        _write(out, tables, pairs)
        say(console, f"Tables, verdicts and plot: {out}")


def _has_statistics() -> bool:
    return measures.has_statistics("krippendorff")


# --- rows ------------------------------------------------------------------------------------


def _score_rows(found: Sequence[SystemScore], reference: str) -> Iterable[Row]:
    """Yield a row a system and judge; the judge shift is the distance from the reference."""
    right = {one.system: one.percentages for one in found if one.judge == reference}
    for one in found:
        cells: list[str] = []
        for place, value in enumerate(one.percentages):
            is_other = one.judge != reference and one.system in right
            shift = abs(value - right[one.system][place]) if is_other else None
            cells += [_percent(value), _percent(shift)]
        ended = None if one.ended_itself is None else percent(one.ended_itself, one.tasks)
        numbers = (str(one.requirements), *cells[:4], str(one.tasks), *cells[4:])
        yield (one.system, one.judge, *numbers, _percent(ended))


def _agreement_rows(pairs: Pairs) -> Iterable[Row]:
    for judge, of_judge in pairs.items():
        for system, some in by_system(of_judge).items():
            found = agreement(system, some)
            counts = (found.both_met, found.only_judge, found.only_reference, found.both_unmet)
            row = (system, judge, str(found.pairs), *map(str, counts), _percent(found.alignment))
            if not _has_statistics():
                yield (*row, *[""] * (len(_AGREEMENT) - len(row)))
                continue
            known = statistics_of(some)
            shares = (known.kappa, known.alpha, known.precision, known.recall, known.f1)
            yield (
                *row,
                *map(_percent, known.interval),
                *map(_share, shares),
                _share(known.average_precision),
            )


def _curve_rows(pairs: Pairs) -> Iterable[Row]:
    for judge, of_judge in pairs.items() if _has_statistics() else ():
        for system, some in by_system(of_judge).items():
            for point in curve(some):
                yield (judge, system, *map(_share, point))


def _percent(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


# --- what is printed and written: names of files are hostile, so nothing is markup -----------


def _print(console: Console, title: str, names: Sequence[str], rows: Sequence[Row]) -> None:
    """Print a table for each judge. Counts of agreement are in the CSV: a terminal is narrow."""
    judge_at = names.index("judge")
    for judge in dict.fromkeys(row[judge_at] for row in rows):
        say(console, f"\n{title}, by {judge}:")
        own = [row for row in rows if row[judge_at] == judge]
        print_figures(console, names, own, ("judge", *_COUNTS), ("system",))


def _print_defects(console: Console, defects: Sequence[Defect]) -> None:
    """Name each kind of defect once, with how often and where first."""
    say(console, "What is wrong with the data:")
    for kind, times in Counter(defect.kind for defect in defects).most_common():
        places = dict.fromkeys(
            defect.file
            if defect.requirement is None
            else f"{defect.file}, requirement {defect.requirement}"
            for defect in defects
            if defect.kind is kind
        )
        first = "; ".join(list(places)[:_PLACES_SHOWN])
        more = len(places) - _PLACES_SHOWN
        say(console, f"{times:6}  {kind}")
        say(console, f"        {first}{f'; and {more} more' if more > 0 else ''}")


def _write(out: Path, tables: Tables, pairs: Pairs) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, (names, rows) in tables.items():
        write_table(out / f"{name}.csv", names, rows)
    for judge, of_judge in pairs.items():
        VERDICTS.write(out / f"{_ODD.sub('-', judge)[:_MOST_NAME]}.jsonl", of_judge)
    if not (_has_statistics() and measures.has_statistics("matplotlib") and pairs):
        return
    # A curve for each judge and system; without a display.
    figure = library("matplotlib.figure").Figure(figsize=(7, 6), layout="constrained")
    axes = figure.add_subplot(
        xlabel="recall", ylabel="precision", xlim=(-0.02, 1.02), ylim=(0, 1.05)
    )
    for judge, of_judge in pairs.items():
        for system, some in by_system(of_judge).items():
            points = curve(some)
            if points and system != ALL_SYSTEMS:
                label = f"{system}, {judge}".replace("$", r"\$")
                axes.plot(
                    *zip(*points, strict=True), marker="o", drawstyle="steps-post", label=label
                )
    axes.set_title("Precision and recall of a requirement met")
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(loc="lower left")
    figure.savefig(out / "precision-recall.png", dpi=120)
