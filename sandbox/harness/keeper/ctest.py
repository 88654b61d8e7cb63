"""CMake and CTest: ctest is another process than every test, and its exit code is the word."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sandbox.harness import outcome
from sandbox.harness.keeper.exits import Exits
from sandbox.harness.keeper.journal import JournalResult
from sandbox.harness.keeper.orders import Orders
from sandbox.harness.keeper.programs import common_place, sources
from sandbox.harness.keeper.steps import Program, Steps
from sandbox.harness.keeper.suite import Whole, left_over, settle
from sandbox.harness.readers import junit_xml
from sandbox.harness.readers.seen import MOST_TESTS, Reading, clipped

_REPORT_BYTES = 64 << 20


@dataclass(frozen=True)
class _Test:
    number: int  # ctest's own, from 1
    path: str  # of the source that it is made of, where its name tells


def run(steps: Steps, orders: Orders) -> Iterator[JournalResult]:
    """Configure, build as much as can be built, run; a test without its program fails."""
    build = str(orders.scratch("build"))
    configured = steps.run("cmake", "-S", ".", "-B", build, *orders.arguments)
    if configured.status != 0:
        said = f"CMake cannot configure it.\n{clipped(configured.said)}"
        yield JournalResult(".", ".", outcome.ERROR, configured.seconds, said)
        return
    jobs = str(min(4, os.cpu_count() or 1))
    built = steps.run("cmake", "--build", build, "--parallel", jobs, "--", "-k")
    listed = steps.run("ctest", "--test-dir", build, "--show-only=json-v1")
    tests = _tests(listed.out, orders)
    if listed.status != 0 or (not tests and built.status != 0):
        said = clipped(f"{built.said}\n{listed.said}")
        yield JournalResult(
            ".", ".", outcome.ERROR, built.seconds, f"Its tests do not build.\n{said}"
        )
        return
    broken = clipped(built.said) if built.status != 0 else ""
    yield from _results(_CtestRunner(steps, orders, build), tests, broken)


def _tests(text: str, orders: Orders) -> dict[str, _Test]:
    """Read ctest's list: {"tests": [{"name": ..., "command": [...]}, ...]}."""
    try:
        listed = json.loads(text).get("tests", [])
    except (ValueError, AttributeError, RecursionError):
        return {}
    found: dict[str, _Test] = {}
    for number, entry in enumerate(listed[:MOST_TESTS], start=1):
        name, command = str(entry.get("name")), entry.get("command") or []
        found.setdefault(name, _Test(number, _made_of(name, command, orders.tests)))
    return found


def _made_of(name: str, command: list[object], tests: tuple[str, ...]) -> str:
    """Return the test file that the program is named after, else where all tests stand."""
    stems = {name, *(PurePosixPath(str(word)).stem for word in command[:1])}
    named = [path for path in tests if PurePosixPath(path).stem in stems]
    return named[0] if len(named) == 1 else common_place(tests)


class _CtestRunner:
    def __init__(self, steps: Steps, orders: Orders, build: str) -> None:
        self._steps, self.orders, self._build = steps, orders, build
        self._exits = Exits(steps, orders)

    def start(self, *options: str) -> Whole:
        report = self.orders.scratch("report.xml")
        report.unlink(missing_ok=True)
        argv = (
            *("ctest", "--test-dir", self._build, "--output-on-failure", "--no-tests=ignore"),
            *("--output-junit", str(report), *options),
        )
        done = self._steps.start(Program(argv, environment=self._exits.environment))
        reading = junit_xml.read(_bytes(report))
        early = self._exits.early()
        return Whole(done, Reading(reading.tests, early or reading.problem), not early)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_REPORT_BYTES)
    except OSError:
        return b""


def _results(runner: _CtestRunner, tests: dict[str, _Test], broken: str) -> Iterator[JournalResult]:
    if not tests:
        return
    whole, found = runner.start(), []

    def alone(name: str) -> Whole:
        number = tests[name].number
        return runner.start("-I", f"{number},{number}")

    for seen in settle(tuple(tests), whole, alone):
        found.append(seen)
        path, message = tests[seen.name].path, seen.message
        if broken and seen.outcome in (outcome.FAILED, outcome.ERROR):
            message = clipped(f"{message}\nThe build said:\n{broken}")
        source = sources(runner.orders, (path,)) if path in runner.orders.tests else ""
        yield JournalResult(
            f"ctest::{seen.name}", path, seen.outcome, seen.seconds, message, source=source
        )
    problem = left_over(whole, found)
    if problem:
        yield JournalResult(".", ".", outcome.ERROR, whole.done.seconds, problem)
