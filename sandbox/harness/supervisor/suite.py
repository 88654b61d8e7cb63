"""One program with many tests: one run of all, and where that is no clean pass, each test alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.harness import outcome
from sandbox.harness.readers import Reading, SeenTest, clipped
from sandbox.harness.supervisor.orders import JournalResult
from sandbox.harness.supervisor.steps import Done

_FILE_BYTES = 1_000_000
_SOURCE_CHARS = 4000


@dataclass(frozen=True)
class FunctionSource:
    """A test function: its file as the tree names it, its line from 1, its text."""

    path: str
    line: int
    text: str


def read_text(path: Path) -> str:
    """Return the start of a regular file, "" for anything else."""
    try:
        if path.is_symlink() or not path.is_file():
            return ""
        with path.open("rb") as stream:
            return stream.read(_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def find_functions(text: str, pattern: re.Pattern[str], path: str) -> dict[str, FunctionSource]:
    """Return the functions whose first line `pattern` matches, by the pattern's group `name`.

    A function ends with the first `}` that is indented as its first line is.
    """
    found: dict[str, FunctionSource] = {}
    lines = text.splitlines()
    for index, line in enumerate(lines):
        match = pattern.match(line)
        if match:
            indent = line[: len(line) - len(line.lstrip())]
            end, first, stop = f"{indent}}}", index, index
            while first > 0 and lines[first - 1].lstrip().startswith(("//", "#[", "@", "/*", "*")):
                first -= 1
            while stop < len(lines) - 1 and lines[stop].rstrip() != end:
                stop += 1
            body = "\n".join(lines[first : stop + 1])[:_SOURCE_CHARS]
            found.setdefault(match.group("name"), FunctionSource(path, index + 1, body))
    return found


_BAD = (outcome.FAILED, outcome.ERROR)
_NO_ACCOUNT = "It ended without an account of this test: the program left early."


@dataclass(frozen=True)
class Whole:
    """One run of all tests of a program. `ended` says that the program went through its own end."""

    done: Done
    reading: Reading
    ended: bool = True

    def is_clean(self, names: tuple[str, ...]) -> bool:
        """Tell whether exit code and account agree that exactly these tests ran and none failed."""
        found = Counter(test.name for test in self.reading.tests)
        return (
            self.done.status == 0
            and self.ended
            and not (self.done.is_cut or self.reading.problem)
            and found == Counter(names)
            and not any(test.outcome in _BAD for test in self.reading.tests)
        )


def told_of(
    listed: tuple[str, ...],
    whole: Whole,
    alone: Callable[[str], Whole],
    results: Callable[[SeenTest], Iterable[JournalResult]],
    place: str,
) -> Iterator[JournalResult]:
    """Yield the `results` of every listed test, and one of the `place` where its run says more."""
    told, found = {test.name: test for test in whole.reading.tests}, []
    is_clean = whole.is_clean(listed)
    for name in listed:
        seen = told.get(name)
        if not is_clean or seen is None:  # the worse of all that is known of it
            own = alone_result(name, alone(name))
            if seen is None or outcome.worse(own.outcome, seen.outcome) == own.outcome:
                seen = own
            elif not seen.message:
                seen = replace(seen, message="It fails when it runs with the others.")
        found.append(seen)
        yield from results(seen)
    # A run that ended badly although no test of it did.
    if whole.done.status != 0 and not any(seen.outcome in _BAD for seen in found):
        done = whole.done
        how = "did not end in time" if done.status is None else f"ended with {done.status}"
        said = f"The run {how} although every test passes alone.\n{clipped(done.said)}"
        yield JournalResult(place, place, outcome.ERROR, done.seconds, said)


def broken(place: str, said: str, done: Done) -> JournalResult:
    """Return the result of a file or folder that could not run, with the end of what was printed."""
    message = f"{said}\n{clipped(done.said)}"
    return JournalResult(place, place, outcome.ERROR, done.seconds, message)


def result_of(seen: SeenTest, at: FunctionSource, name: str = "") -> JournalResult:
    """Return the result of a test, under its own name or another one, with where it stands."""
    named = f"{at.path}::{name or seen.name}", at.path
    return JournalResult(*named, seen.outcome, seen.seconds, seen.message, at.line, at.text)


def alone_result(name: str, run: Whole) -> SeenTest:
    """Return what a run of one test says of it: a pass needs the exit code and the account."""
    told = [test for test in run.reading.tests if test.name == name]
    took_s, said = run.done.seconds, clipped(run.done.said)
    if run.done.status is None:
        return SeenTest(name, outcome.FAILED, took_s, f"It did not end in time.\n{said}")
    if run.done.status != 0:
        message = told[0].message if told and told[0].message else said
        return SeenTest(name, outcome.FAILED, took_s, message)
    if run.is_clean((name,)):
        return replace(told[0], seconds=took_s)
    return SeenTest(name, outcome.ERROR, took_s, f"{run.reading.problem or _NO_ACCOUNT}\n{said}")
