"""`assay bench compare`: two runs over the same cases, submissions or things, and a paired test."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from rich.console import Console

from bot.bench import measures, patches
from bot.bench.criteria import GRADES, orders, read_grades
from bot.bench.devai_measures import VERDICTS, agreement
from bot.bench.prdbench import ROUNDS, compare_rounds
from bot.commands.bench_patches import ended, judges_of, print_table, row_line
from bot.commands.progress import say
from bot.errors import UserError
from bot.text.clipping import clip_line

_MOST_LINES = 40


def run(before: Path, after: Path) -> None:
    """Show what changed, and whether one run is better than chance explains."""
    kinds = (
        (VERDICTS.are_in, _compare_verdicts),
        (ROUNDS.are_in, _compare_rounds),
        (GRADES.are_in, _compare_grades),
    )
    for holds, compare in kinds:
        if holds(before) and holds(after):
            compare(Console(), before, after)
            return
    console = Console()
    found = patches.compare(patches.read_rows(before), patches.read_rows(after))
    if not found.pairs:
        raise UserError(
            f"{before} and {after} have no case in common.", "Compare two runs over one set."
        )
    for name, rows in ((before, [a for a, _ in found.pairs]), (after, [b for _, b in found.pairs])):
        say(console, f"{name}: {judges_of(rows)}")
        print_table(console, rows)
    say(console, f"{len(found.changed)} of {len(found.pairs)} cases changed")
    for first, second in found.changed:
        say(console, f"  {ended(first)} -> {row_line(second)}")
    if found.left_out:
        left_out = ", ".join(found.left_out)
        why = "because one run has no conclusion or other inputs"
        say(console, f"Not compared, {why}: {left_out}")
    _say_test(console, found.mended, found.spoiled)


def _compare_verdicts(console: Console, before: Path, after: Path) -> None:
    """Compare two judges on the requirements that both judged, with the same reference."""
    one, other = ({row.key: row for row in VERDICTS.read(file)} for file in (before, after))
    both = [(one[key], other[key]) for key in one if key in other]
    pairs = [(a, b) for a, b in both if a.reference is b.reference]
    if not pairs:
        raise UserError(
            f"{before} and {after} have no requirement in common.", "Compare two judges of one set."
        )
    for name, rows in ((before, [a for a, _ in pairs]), (after, [b for _, b in pairs])):
        found = agreement("", rows)
        judges = ", ".join(dict.fromkeys(row.judge for row in rows))
        say(
            console,
            f"{name}: {judges}; {found.alignment:.2f} % of {found.pairs} verdicts as the reference",
        )
    changed = [(a, b) for a, b in pairs if a.satisfied is not b.satisfied]
    say(console, f"{len(changed)} of {len(pairs)} verdicts changed")
    for _, later in changed[:_MOST_LINES]:
        mark = "right" if later.agrees else "wrong"
        verdict = "met" if later.satisfied else "not met"
        system, task, requirement = later.key
        say(console, f"  {mark}  {verdict:8} {system}  {task}, requirement {requirement}")
    _say_more(console, len(changed))
    if left_out := len(one.keys() ^ other.keys()) + len(both) - len(pairs):
        why = "one run lacks them, or has another reference"
        say(console, f"Not compared: {left_out} requirements, because {why}")
    mended = sum(later.agrees for _, later in changed)
    _say_test(console, mended, len(changed) - mended)


def _compare_rounds(console: Console, before: Path, after: Path) -> None:
    """Compare two runs of PRDBench item by item, on the submissions that both judged."""
    found = compare_rounds(ROUNDS.read(before), ROUNDS.read(after))
    if not found.rounds:
        raise UserError(
            f"{before} and {after} have no submission in common.", "Compare two runs over one set."
        )
    for place, name in enumerate((before, after)):
        rows = [pair[place] for pair in found.rounds]
        score = fmean(row.score for row in rows)
        models = " and ".join(sorted({row.models or "no model" for row in rows}))
        say(console, f"{name}: {models}; {score:.2f} % of {len(rows)} submissions' points")
    changed = [one for one in found.items if one.before != one.after]
    say(console, f"{len(changed)} of {len(found.items)} items changed")
    for one in changed[:_MOST_LINES]:
        about = f"{one.row.agent}  {one.row.task}, round {one.row.round}"
        say(console, f"  {one.before} -> {one.after}  {about}: {clip_line(one.metric, 100)}")
    _say_more(console, len(changed))
    if found.left_out:
        left_out = "; ".join(f"{agent}, {task}, round {n}" for agent, task, n in found.left_out)
        why = "because one run lacks them, could not judge them or had other files"
        say(console, f"Not compared, {why}: {left_out}")
    more = sum(one.after > one.before for one in changed)
    _say_test(console, more, len(changed) - more, "More points")


def _compare_grades(console: Console, before: Path, after: Path) -> None:
    """Compare two gradings by which of two things, one known to be the better, gets more points."""
    one, other = (orders(read_grades(file)) for file in (before, after))
    both = [key for key in one if key in other]
    if not both:
        raise UserError(
            f"{before} and {after} have no better and worse thing in common, by one criterion.",
            "Compare two gradings of one set.",
        )
    for name, found in ((before, one), (after, other)):
        right = sum(found[key] > 0 for key in both)
        say(console, f"{name}: {right} of {len(both)} pairs with the better one above")
    changed = [key for key in both if (one[key] > 0) is not (other[key] > 0)]
    say(console, f"{len(changed)} of {len(both)} pairs changed")
    for key in changed[:_MOST_LINES]:
        mark = "right" if other[key] > 0 else "wrong"
        said = f"{key.criterion}  {key.task}: {key.better} above {key.worse} by"
        say(console, f"  {mark}  {said} {other[key]:.2f} points, before {one[key]:.2f}")
    _say_more(console, len(changed))
    if left_out := len(one.keys() ^ other.keys()):
        say(console, f"Not compared: {left_out} pairs that one run lacks")
    mended = sum(other[key] > 0 for key in changed)
    _say_test(console, mended, len(changed) - mended)


def _say_more(console: Console, lines: int) -> None:
    if lines > _MOST_LINES:
        say(console, f"  and {lines - _MOST_LINES} more")


def _say_test(console: Console, mended: int, spoiled: int, what: str = "Right") -> None:
    """Print the paired test of those that only one run has right."""
    say(console, f"{what} in the second only: {mended}; in the first only: {spoiled}")
    if measures.has_statistics():
        say(console, f"McNemar's exact test: p = {measures.mcnemar(mended, spoiled):.3f}")
    else:
        say(console, f"McNemar's exact test: {measures.INSTALL}")
