"""Reads what test runners print or write: pure functions from hostile text to `SeenTest` results.

They run inside the sandbox, beside what they read (Python >= 3.8, standard library only): what a
document of a hostile runner can cost is bounded there. A reader never raises on bad input; what it
could not read stands in `problem`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sandbox.harness import outcome

MESSAGE_CHARS = 4000
NAME_CHARS = 500
MOST_TESTS = 100_000


@dataclass(frozen=True)
class SeenTest:
    """One test as the runner tells it; `outcome` is a word of `sandbox.harness.outcome`."""

    name: str
    outcome: str
    seconds: float = 0.0
    message: str = ""


@dataclass(frozen=True)
class Reading:
    """All tests of a document, in its order; `problem` says why it is not the whole truth."""

    tests: tuple[SeenTest, ...]
    problem: str = ""


def storable(text: str) -> str:
    """Return a text without NUL and halves of surrogate pairs, which no store takes."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def clipped(text: str) -> str:
    """Return the end of a text, where the reason stands."""
    return text if len(text) <= MESSAGE_CHARS else "…" + text[1 - MESSAGE_CHARS :]


def seconds(text: object) -> float:
    """Return a duration that somebody wrote, 0.0 when it is none."""
    try:
        value = float(str(text).replace(",", ""))
    except (ValueError, OverflowError):
        return 0.0
    return value if 0 <= value < 1e6 else 0.0


# --- the Test Anything Protocol, versions 12 to 14, also several streams after one another ----------
# Source: https://testanything.org/tap-version-14-specification.html. Indented lines are subtests: the
# point that closes them counts for them. A stream is whole when it has one plan and exactly the points
# that the plan announces, each once.


_POINT = re.compile(r"(not )?ok\b(?:[ \t]+(\d{1,9}))?[ \t]*(?:-[ \t]+)?(.*)", re.S)
_PLAN = re.compile(r"(\d{1,9})\.\.(\d{1,9})(?:[ \t]*#[ \t]*(.*))?")
_DIRECTIVE = re.compile(r"(?<!\\)#[ \t]*(skip|todo)\b\S*[ \t]*(.*)", re.I)
_VERSION = re.compile(r"TAP version \d+")
_LINE_CHARS = 4000


class _TapStream:
    """One stream: its plan and its points so far."""

    def __init__(self) -> None:
        self.plan: int | None = None
        self.plan_came_last = False
        self.numbers: list[int] = []
        self.bailed = ""

    def problem(self) -> str:
        if self.bailed:
            return f"The tests gave up: {self.bailed}."
        if self.plan is None:
            return "The results have no plan, so some may be missing." if self.numbers else ""
        if sorted(self.numbers) != list(range(1, self.plan + 1)):
            return f"{self.plan} tests were planned and {len(self.numbers)} results were printed."
        return ""


class _TapLines:
    def __init__(self) -> None:
        self.tests: list[SeenTest] = []
        self.streams = [_TapStream()]
        self.notes: list[str] = []

    def line(self, line: str) -> None:
        plan, point = _PLAN.fullmatch(line), _POINT.match(line)
        if _VERSION.fullmatch(line):
            self._next_stream()
        elif plan:
            first, last = int(plan.group(1)), int(plan.group(2))
            if self.streams[-1].plan is not None:
                self._next_stream()
            stream = self.streams[-1]
            stream.plan_came_last = bool(stream.numbers)
            stream.plan = last if first == 1 or last == 0 else -1
        elif line.startswith("Bail out!"):
            self.streams[-1].bailed = line[9:].strip()[:NAME_CHARS] or "no reason given"
        elif point:
            self._point(bool(point.group(1)), point.group(2), point.group(3).strip())
        elif self.tests and self.streams[-1].numbers and line.strip():
            # Diagnostics are the message of the point before them, when that one failed.
            before = self.tests[-1]
            if before.outcome == outcome.FAILED and len(self.notes) < 200:
                self.notes.append(line.lstrip("# ") if line.startswith("#") else line)
                said = clipped("\n".join(self.notes))
                self.tests[-1] = SeenTest(before.name, before.outcome, message=said)

    def _next_stream(self) -> None:
        stream = self.streams[-1]
        if stream.numbers or stream.plan is not None or stream.bailed:
            self.streams.append(_TapStream())

    def _point(self, is_bad: bool, number: str | None, text: str) -> None:
        stream = self.streams[-1]
        ended = stream.plan_came_last or (stream.numbers and len(stream.numbers) == stream.plan)
        if ended and number is not None and int(number) == 1:
            self._next_stream()
        stream = self.streams[-1]
        stream.numbers.append(int(number) if number else len(stream.numbers) + 1)
        directive = _DIRECTIVE.search(text)
        name = (text[: directive.start()] if directive else text).strip()[:NAME_CHARS]
        self.notes = []
        kind = directive.group(1).lower() if directive else ""
        word = outcome.FAILED if is_bad else outcome.PASSED
        if kind == "skip":
            word = outcome.SKIPPED
        elif kind == "todo":
            word = outcome.XFAILED if is_bad else outcome.XPASSED
        shown = directive.group(2).strip() if directive else ""
        self.tests.append(SeenTest(name or f"test {stream.numbers[-1]}", word, message=shown))


def read_tap(text: str) -> Reading:
    """Return the points of all streams in a text; other lines are the program's own talk."""
    reader = _TapLines()
    for line in text.splitlines():
        if len(reader.tests) >= MOST_TESTS:
            return Reading(tuple(reader.tests), f"There are more than {MOST_TESTS} results.")
        reader.line(line[:_LINE_CHARS].rstrip())
    problems = [stream.problem() for stream in reader.streams]
    return Reading(tuple(reader.tests), next(filter(None, problems), ""))


def has_tap(text: str) -> bool:
    """Tell whether a text speaks TAP: a plan or a version, and a point or an empty plan."""
    reading = read_tap(text)
    return (
        bool(reading.tests) and re.search(r"^(\d+\.\.\d+|TAP version \d+)", text, re.M) is not None
    )
