"""CMake and CTest: ctest is another process than every test, and its exit code is the word."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from xml.parsers import expat

from sandbox.harness import outcome
from sandbox.harness.readers import (
    MESSAGE_CHARS,
    MOST_TESTS,
    NAME_CHARS,
    Reading,
    SeenTest,
    clipped,
    seconds,
)
from sandbox.harness.supervisor.exits import Exits
from sandbox.harness.supervisor.orders import JournalResult, Orders
from sandbox.harness.supervisor.programs import common_place, sources
from sandbox.harness.supervisor.steps import Program, Steps
from sandbox.harness.supervisor.suite import Whole, broken, told_of

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
        yield broken(".", "CMake cannot configure it.", configured)
        return
    jobs = str(min(4, os.cpu_count() or 1))
    built = steps.run("cmake", "--build", build, "--parallel", jobs, "--", "-k")
    listed = steps.run("ctest", "--test-dir", build, "--show-only=json-v1")
    tests = _tests(listed.out, orders)
    if listed.status != 0 or (not tests and built.status != 0):
        both = replace(built, err=f"{built.err}\n{listed.said}")
        yield broken(".", "Its tests do not build.", both)
        return
    unbuilt = clipped(built.said) if built.status != 0 else ""
    yield from _results(_CtestRunner(steps, orders, build), tests, unbuilt)


def _tests(text: str, orders: Orders) -> dict[str, _Test]:
    """Read ctest's list: {"tests": [{"name": ..., "command": [...]}, ...]}."""
    try:
        listed = json.loads(text).get("tests", [])
    except (ValueError, AttributeError, RecursionError):
        return {}
    found: dict[str, _Test] = {}
    for number, entry in enumerate(listed[:MOST_TESTS], start=1):
        name, command = str(entry.get("name")), entry.get("command") or []
        stems = {name, *(PurePosixPath(str(word)).stem for word in command[:1])}
        named = [path for path in orders.tests if PurePosixPath(path).stem in stems]
        # The file that the program is named after, else where all tests stand.
        path = named[0] if len(named) == 1 else common_place(orders.tests)
        found.setdefault(name, _Test(number, path))
    return found


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
        try:
            with report.open("rb") as stream:
                document = stream.read(_REPORT_BYTES)
        except OSError:
            document = b""
        reading = read_junit(document)
        early = self._exits.early()
        return Whole(done, Reading(reading.tests, early or reading.problem), not early)


def _results(
    runner: _CtestRunner, tests: dict[str, _Test], unbuilt: str
) -> Iterator[JournalResult]:
    if not tests:
        return

    def alone(name: str) -> Whole:
        number = tests[name].number
        return runner.start("-I", f"{number},{number}")

    def results(seen: SeenTest) -> Iterator[JournalResult]:
        path, message = tests[seen.name].path, seen.message
        if unbuilt and seen.outcome in (outcome.FAILED, outcome.ERROR):
            message = clipped(f"{message}\nThe build said:\n{unbuilt}")
        source = sources(runner.orders, (path,)) if path in runner.orders.tests else ""
        yield JournalResult(
            f"ctest::{seen.name}", path, seen.outcome, seen.seconds, message, source=source
        )

    yield from told_of(tuple(tests), runner.start(), alone, results, ".")


# --- JUnit's XML, as ctest writes it ---------------------------------------------------------------
# There is no standard: `testcase` elements with `name`, `time`, and in them `failure`, `error` or `skipped`
# are what all dialects share; ctest adds a `status` attribute.


_DEPTH = 50
_BAD = {"failure": outcome.FAILED, "error": outcome.ERROR, "skipped": outcome.SKIPPED}
# ctest's words; "notrun" is what could not be started, unless a `skipped` element explains it.
_STATUS = {"fail": outcome.FAILED, "notrun": outcome.ERROR, "disabled": outcome.SKIPPED}


class _Refused(Exception):
    """A document that is not read any further."""


class _JunitDocument:
    def __init__(self) -> None:
        self.tests: list[SeenTest] = []
        self._depth = 0
        self._case: dict[str, str] | None = None
        self._outcome = ""
        self._text: list[str] = []
        self._room = MESSAGE_CHARS

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEPTH or len(self.tests) >= MOST_TESTS:
            raise _Refused("The document is too deep or has too many tests.")
        if tag == "testcase" and self._case is None:
            self._case, self._text, self._room = attributes, [], MESSAGE_CHARS
            self._outcome = _STATUS.get(attributes.get("status", ""), "")
        elif self._case is not None and tag in _BAD:
            found = _BAD[tag]
            if found != outcome.SKIPPED:
                self._outcome = outcome.worse(found, self._outcome or outcome.PASSED)
            elif self._outcome in ("", outcome.ERROR):
                self._outcome = found
            self._say(attributes.get("message", "") + "\n")

    def end(self, tag: str) -> None:
        self._depth -= 1
        if tag != "testcase" or self._case is None:
            return
        case, self._case = self._case, None
        self.tests.append(
            SeenTest(
                case.get("name", "")[:NAME_CHARS],
                self._outcome or outcome.PASSED,
                seconds(case.get("time", "0")),
                clipped("".join(self._text).strip()),
            )
        )

    def text(self, data: str) -> None:
        if self._case is not None and self._outcome:
            self._say(data)

    def _say(self, text: str) -> None:
        self._text.append(text[: self._room])
        self._room -= len(self._text[-1])


def read_junit(document: bytes) -> Reading:
    """Return every `testcase`; a broken or refused document gives what stood before the break."""
    reader = _JunitDocument()
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise _Refused("The document declares a document type, which is not read.")

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(document, True)
    except _Refused as refused:
        return Reading(tuple(reader.tests), str(refused))
    except (expat.ExpatError, ValueError, LookupError) as error:
        return Reading(tuple(reader.tests), f"The results are no XML: {error}."[:300])
    return Reading(tuple(reader.tests))
