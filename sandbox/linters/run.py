"""Runs one linter on one side: in the sandbox, without a network, and read with care."""

from __future__ import annotations

import shlex
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise
from pathlib import Path

from sandbox.base import TREE, Command, Killed, Mount, MountMode, Sandbox
from sandbox.errors import CheckoutError
from sandbox.linters.base import (
    MAX_MESSAGE_CHARACTERS,
    Edit,
    Linter,
    LinterCall,
    LinterOutput,
    LinterRemark,
    LintJob,
    Position,
    UnreadableOutput,
    choose,
)
from sandbox.linters.reading import MAX_REMARKS
from sandbox.repository.names import inside
from sandbox.streams import last_line
from sandbox.values import Replacement, Side

_MISSING = 127
_SHOWN_COMMAND = 600
_SHOWN_ERROR = 300
_MOST_FIXED_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Linted:
    """What one linter said on one side. `problem` says why its silence proves nothing."""

    linter: str
    files: int
    remarks: tuple[LinterRemark, ...] = ()
    command: str = ""
    seconds: float = 0.0
    problem: str = ""
    missing: bool = False  # the program is not in the sandbox
    note: str = ""  # files that were left out


async def lint(sandbox: Sandbox, linter: Linter, side: Side, job: LintJob) -> Linted | None:
    """Run the linter; None when it has nothing to do here. Raises SandboxError."""
    chosen, left_out = choose(linter, job.tree, job.sources)
    job = replace(job, sources=chosen)
    calls = linter.calls(job) if chosen else ()
    if not calls:
        return Linted(linter.name, len(chosen), note=left_out) if left_out else None
    parts = [await _called(sandbox, linter, job, call) for call in calls]
    worst = next((part for part in parts if part.problem), parts[0])
    remarks = _within_tree(job.tree, side, [remark for part in parts for remark in part.remarks])
    is_over = len(remarks) > MAX_REMARKS
    too_many = f"only the first {MAX_REMARKS} findings were read" if is_over else ""
    return replace(
        worst,
        files=len(chosen),
        remarks=remarks[:MAX_REMARKS],
        command=parts[0].command,
        seconds=sum(part.seconds for part in parts),
        note="; ".join(filter(None, (left_out, too_many))),
    )


async def _called(sandbox: Sandbox, linter: Linter, job: LintJob, call: LinterCall) -> Linted:
    """Start a linter once; how many files it is shown is not said here."""
    layers = job.layers
    if not linter.writes:  # one that does gets them copy-on-write, which may mean copied
        layers = tuple(replace(mount, mode=MountMode.READ_ONLY) for mount in layers)
    # Where something is mounted into the tree, its mount point must be made there.
    inner = any(mount.target.startswith(f"{TREE}/") for mount in (*layers, *call.mounts))
    mode = MountMode.COPY_ON_WRITE if inner or linter.writes else MountMode.READ_ONLY
    variables = job.environment.variables if job.environment and layers else ()
    command = Command(
        argv=call.argv,
        mounts=(Mount(str(job.tree), TREE, mode), *layers, *call.mounts),
        environment=(*variables, ("NO_COLOR", "1"), *call.variables),
        cwd=f"{TREE}/{call.folder}" if call.folder not in ("", ".") else TREE,
        stdin=call.stdin,
        limits=linter.limits,
    )
    done = await sandbox.run(command)
    where = f"cd {shlex.quote(call.folder)} && " if call.folder not in ("", ".") else ""
    shown = (where + call.shown)[:_SHOWN_COMMAND]
    seen = Linted(linter.name, 0, command=shown, seconds=done.seconds)
    problem, is_missing = "", done.exit_code == _MISSING
    if is_missing:
        problem = f"{linter.name} is not installed: {linter.install}"
    elif done.killed is Killed.TIMEOUT:
        problem = f"{linter.name} did not end within {linter.limits.timeout_s:g} s."
    elif done.killed:
        problem = f"{linter.name} was stopped: it used too much {done.killed.value}."
    elif done.truncated:
        most_mb = linter.limits.output_bytes / 1e6
        problem = f"{linter.name} printed more than {most_mb:g} MB, which is not read."
    elif done.exit_code not in linter.ends_with:
        said = last_line(done.stderr or done.stdout, _SHOWN_ERROR)
        problem = f"{linter.name} refused to run: {said}"
    if problem:
        return replace(seen, problem=problem, missing=is_missing)
    printed = LinterOutput(done.exit_code or 0, done.stdout, done.stderr, call.folder)
    try:
        # One more than is kept, so that it can be told that there were more.
        remarks = tuple(islice(linter.read(printed), MAX_REMARKS + 1))
    except UnreadableOutput as error:
        return replace(seen, problem=f"{linter.name} cannot be read: {error}.")
    return replace(seen, remarks=remarks)


def _within_tree(
    tree: Path, side: Side, remarks: Iterable[LinterRemark]
) -> tuple[LinterRemark, ...]:
    """Keep what speaks of a file of the tree, once, with texts of a length that can be shown."""
    known: dict[str, bool] = {}
    texts: dict[str, SourceText | None] = {}
    kept: dict[LinterRemark, None] = {}
    for remark in remarks:
        path = remark.path
        if path not in known:
            try:
                known[path] = inside(tree, path).is_file()
            except (CheckoutError, OSError, ValueError):
                known[path] = False
        if not known[path]:
            continue
        found = None
        if remark.edits and side is Side.HEAD:
            if path not in texts:
                texts[path] = _text(inside(tree, path))
            text = texts[path]
            found = text.replacement(remark.edits) if text else None
        message = remark.message.strip()[:MAX_MESSAGE_CHARACTERS]
        rule = remark.rule[:100]
        kept[replace(remark, rule=rule, message=message, edits=(), replacement=found)] = None
    return tuple(kept)


def _text(file: Path) -> SourceText | None:
    """What a linter saw; of a file that is no UTF-8, or begins with a mark, columns cannot be told."""
    if file.is_symlink() or file.stat().st_size > _MOST_FIXED_BYTES:
        return None
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    return None if "\r" in text or text.startswith("\ufeff") else SourceText(text)


# --- what a linter would put into a file, as whole lines that a person can commit ------------------
# A linter speaks in columns of its own kind. What cannot be said as one short run of lines is no fix:
# edits that overlap, that stand far apart, or that leave the file.


MOST_LINES = 20
"""Replaced by one fix, and put in their place."""
MOST_CHARACTERS = 4_000
MOST_EDITS = 20


class SourceText:
    """The text of one file that a linter looked at."""

    __slots__ = ("_begins", "_lines", "_utf16_begins")

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._begins = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._utf16_begins: list[int] = []

    def replacement(self, edits: tuple[Edit, ...]) -> Replacement | None:
        """Return the lines that the edits change, and what they become; None for what is no fix."""
        if not edits or len(edits) > MOST_EDITS:
            return None
        try:
            places = sorted((self._at(one.start), self._at(one.end), one.text) for one in edits)
        except ValueError:
            return None
        if any(start > end for start, end, _ in places):
            return None
        if any(one[1] > two[0] or one[:2] == two[:2] for one, two in pairwise(places)):
            return None
        (first, _), (last, _) = places[0][0], places[-1][1]
        if last - first > MOST_LINES:
            return None
        after = "\n".join(self._lines[first : last + 1])
        begin = self._begins[first]
        for start, end, text in reversed(places):
            after = after[: self._offset(start) - begin] + text + after[self._offset(end) - begin :]
        found = _smallest(first, self._lines[first : last + 1], after.split("\n"))
        # A line break at the very end of a file cannot be told from an empty line there.
        is_last = found is not None and found.last == len(self._lines)
        return None if found and is_last and found.after[-1:] == ("",) else found

    def _offset(self, place: tuple[int, int]) -> int:
        return self._begins[place[0]] + place[1]

    def _at(self, position: Position) -> tuple[int, int]:
        """The line and the column, from 0. Raises ValueError for what lies outside."""
        line, column = position.line - 1, position.column - 1
        if position.line == 0:
            # The line, and the column in UTF-16 code units: only ESLint counts so.
            if not self._utf16_begins:
                lengths = (
                    len(line.encode("utf-16-le", "surrogatepass")) // 2 for line in self._lines
                )
                self._utf16_begins = list(accumulate((one + 1 for one in lengths), initial=0))
            begins = self._utf16_begins
            low = max(0, bisect_right(begins, column, hi=len(self._lines)) - 1)
            line, column = low, column - begins[low]
        if not 0 <= line < len(self._lines):
            raise ValueError
        text = self._lines[line]
        if position.is_utf16 and not text.isascii():
            # A column inside a character is a UnicodeDecodeError, which is a ValueError.
            column = len(
                text.encode("utf-16-le", "surrogatepass")[: column * 2].decode("utf-16-le")
            )
        if not 0 <= column <= len(text):
            raise ValueError
        return line, column


def _smallest(first: int, before: list[str], after: list[str]) -> Replacement | None:
    """Leave out equal lines at both ends, but keep a line to replace."""
    while len(before) > 1 and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    while len(before) > 1 and after and before[0] == after[0]:
        del before[0], after[0]
        first += 1
    size = sum(map(len, (*before, *after)))
    if before == after or max(len(before), len(after)) > MOST_LINES or size > MOST_CHARACTERS:
        return None
    return Replacement(first + 1, tuple(before), tuple(after))
