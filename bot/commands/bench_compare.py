"""`assay bench compare`: two runs over the same cases side by side, and a paired test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from bot.bench import measures, tally
from bot.bench.devai_measures import Verdict, agreement, holds_verdicts, read_verdicts
from bot.bench.patches import read_rows
from bot.commands.bench_patches import ended, judges_of, print_table, row_line, say
from bot.errors import UserError

_MOST_LINES = 40


def run(before: Path, after: Path) -> None:
    """Show what changed, and whether one run is better than chance explains."""
    if holds_verdicts(before) and holds_verdicts(after):
        _compare_verdicts(Console(), before, after)
    else:
        _compare_cases(Console(), before, after)


def _compare_cases(console: Console, before: Path, after: Path) -> None:
    found = tally.compare(read_rows(before), read_rows(after))
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
    one, other = ({row.key: row for row in read_verdicts(file)} for file in (before, after))
    both = [(one[key], other[key]) for key in one if key in other]
    pairs = [(a, b) for a, b in both if a.reference is b.reference]
    if not pairs:
        raise UserError(
            f"{before} and {after} have no requirement in common.", "Compare two judges of one set."
        )
    for name, rows in ((before, [a for a, _ in pairs]), (after, [b for _, b in pairs])):
        say(console, f"{name}: {_summary(rows)}")
    changed = [(a, b) for a, b in pairs if a.satisfied is not b.satisfied]
    say(console, f"{len(changed)} of {len(pairs)} verdicts changed")
    for _, later in changed[:_MOST_LINES]:
        mark = "right" if later.agrees else "wrong"
        verdict = "met" if later.satisfied else "not met"
        system, task, requirement = later.key
        say(console, f"  {mark}  {verdict:8} {system}  {task}, requirement {requirement}")
    if len(changed) > _MOST_LINES:
        say(console, f"  and {len(changed) - _MOST_LINES} more")
    if left_out := len(one.keys() ^ other.keys()) + len(both) - len(pairs):
        why = "one run lacks them, or has another reference"
        say(console, f"Not compared: {left_out} requirements, because {why}")
    mended = sum(later.agrees for _, later in changed)
    _say_test(console, mended, len(changed) - mended)


def _summary(rows: Sequence[Verdict]) -> str:
    found = agreement("", rows)
    judges = ", ".join(dict.fromkeys(row.judge for row in rows))
    return f"{judges}; {found.alignment:.2f} % of {found.pairs} verdicts as the reference"


def _say_test(console: Console, mended: int, spoiled: int) -> None:
    """Print the paired test of those that only one run has right."""
    say(console, f"Right in the second only: {mended}; in the first only: {spoiled}")
    if measures.has_statistics():
        say(console, f"McNemar's exact test: p = {tally.mcnemar(mended, spoiled):.3f}")
    else:
        say(console, f"McNemar's exact test: {measures.INSTALL}")
