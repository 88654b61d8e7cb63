"""What `assay judge` shows in the terminal: the stages as they pass, then the verdicts."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Container, Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Self

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table
from rich.text import Text

from bot.report.machine import ReportDocument
from bot.text.clipping import clip
from bot.values import Conclusion, VerdictOutcome

COLOURS = {Conclusion.SUCCESS: "green", Conclusion.FAILURE: "red"}
TEXT_CHARACTERS = 300
MOST_NEXT_STEPS = 5
MOST_TESTS = 3


def table_console() -> Console:
    """For tables: where no terminal sets the width, figures are not cut to 80 columns."""
    return Console(width=None if sys.stdout.isatty() else 160)


def say(console: Console, line: str) -> None:
    """Print a line as it is."""
    console.print(line, highlight=False, markup=False, soft_wrap=True)


def write_table(file: Path, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table as CSV."""
    with file.open("w", newline="", encoding="utf-8") as table:
        csv.writer(table).writerows((names, *rows))


def print_figures(
    console: Console,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    hidden: Container[str],
    words: Container[str],
) -> None:
    """Print a table of figures; `words` are its columns of names. What stands in it is no markup.

    `hidden` are counts that the CSV has: a terminal is narrow.
    """
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    shown = [place for place, name in enumerate(names) if name not in hidden]
    for name in (names[place] for place in shown):
        table.add_column(name, justify="left" if name in words else "right", overflow="fold")
    for cells in rows:
        table.add_row(*(Text(cells[place]) for place in shown))
    console.print(table)


class TerminalProgress:
    """Shows the stage that runs, and leaves a line with its time for each that ended."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage, self._began_s, self._runs = "starting", time.monotonic(), ""
        self._status: Status = console.status(self)

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, *_raised: object) -> None:
        self._end_stage()
        self._status.stop()

    def tell(self, stage: str) -> None:
        """Hear that a stage begins."""
        self._end_stage()
        self._stage, self._began_s, self._runs = stage, time.monotonic(), ""

    def count(self, ended: int, of: int) -> None:
        """Hear that some of the test runs have ended."""
        self._runs = f", {ended} of {of} runs"

    def __rich__(self) -> str:
        """What stands beside the spinner, whenever it is drawn."""
        return f"{self._stage}, {time.monotonic() - self._began_s:.0f} s{self._runs}"

    def _end_stage(self) -> None:
        if self._stage not in {"", "starting"}:
            seconds = time.monotonic() - self._began_s
            self._console.print(f"[dim]{self._stage:<12} {seconds:6.1f} s[/dim]", highlight=False)
        self._stage = ""


def print_report(console: Console, document: ReportDocument, files: Sequence[Path]) -> None:
    """Print the conclusion, each requirement's verdict (and why, unless it is met), and the files."""
    colour = COLOURS.get(document.conclusion, "yellow")
    console.print(f"[bold {colour}]{document.conclusion}[/]: {escape(document.title)}")
    if document.requirements:
        # Each that is not met has its reason and the tests that speak against it.
        failing = (
            {one.id: one.assertion for one in document.tests.compared} if document.tests else {}
        )
        table = Table(box=None, padding=(0, 2, 0, 0))
        for title in ("", "verdict", "decided by", "requirement, and why it is not satisfied"):
            table.add_column(title)
        for row in document.requirements:
            text = escape(_clipped(row.wording or row.text))
            if row.accepted is not None:
                told = f"{row.accepted.kind} by @{row.accepted.actor}: {row.accepted.reason}"
                text += f"\n[bold]{escape(_clipped(told))}[/bold]"
            if row.damages_tried and row.verdict == VerdictOutcome.SATISFIED:
                s = "" if row.damages_tried == 1 else "s"
                text += (
                    f"\n[dim]{row.damages_noticed} of {row.damages_tried} damage{s} noticed[/dim]"
                )
            if row.verdict != VerdictOutcome.SATISFIED:
                lines = [row.reason]
                for test in row.tests[:MOST_TESTS]:
                    assertion = failing.get(test, "")
                    lines.append(f"{test}: {assertion}" if assertion else test)
                text += "".join(f"\n[dim]{escape(_clipped(line))}[/dim]" for line in lines)
            table.add_row(escape(row.id), row.verdict, row.decided_by, text)
        console.print(table)
    if document.conclusion is Conclusion.SUCCESS and document.on_authors_tests:
        alone = ", ".join(document.on_authors_tests)
        console.print(
            f"Shown by the author's own tests alone: {escape(alone)}. "
            "No model looked for what these tests leave out."
        )
    for reason in document.reasons:
        if not document.judged or reason.rule == "expectation":
            console.print(escape(reason.text), highlight=False)
    lines = [f"Not judged on its own: {_clipped(one)}" for one in document.not_apart]
    listed = (lines, map(_clipped, document.warnings), document.next_steps)
    for line in chain.from_iterable(islice(one, MOST_NEXT_STEPS) for one in listed):
        console.print(f"- {escape(line)}", highlight=False)
    for file in files:
        console.print(f"[dim]report[/dim] {escape(str(file))}", highlight=False, soft_wrap=True)


def _clipped(text: str) -> str:
    """One line of a text, without characters that could steer the terminal."""
    line = "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
    return clip(line, TEXT_CHARACTERS)
