"""Reads what the Node reporters wrote to the channel and says what it proves: records to a TestRun."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from sandbox.environments.tree import Tree
from sandbox.harness import chain
from sandbox.models import Outcome, TestResult, TestRun
from sandbox.tools.run_records import NO_TESTS, unique
from sandbox.tools.script_source import LARGEST_SOURCE, ScriptSources

_LONGEST_S = 1e6
_BAD = (Outcome.FAILED, Outcome.ERROR)
# A file that runs none of these may be a test by its exit code alone, as `node --test` has it.
_COMPILED_FROM = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",)}
_DECLARES_TESTS = re.compile(r"""['"]node:test['"]""")


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    results: list[TestResult] = field(default_factory=list)
    ended: bool = False
    lost: int = 0
    wait_status: int | None = None
    problem: str = ""
    forged: str = ""


def read_node_channel(channel: bytes, tree: Path, start: str, killed: str = "") -> TestRun:
    """Return what a finished or killed run proves.

    `tree` is the project's folder on the host, `start` the same inside; `killed` says which limit ended
    the run, if one did. A run without any test is complete and says so as its problem.
    """
    reading = _Reading()
    place = _Place(Tree(tree), start, ScriptSources(Tree(tree)))
    reader = chain.Reader(channel[: chain.KEY_BYTES])
    try:
        for body in reader.feed(channel[chain.KEY_BYTES :]):
            _take(json.loads(body), reading, place)
    except chain.Broken as broken:
        reading.forged = reading.forged or str(broken)
    except (ValueError, TypeError, KeyError, RecursionError):
        reading.forged = reading.forged or "a record of a wrong shape"
    problem = _problem(reading, killed) or _stranger(reading, place)
    return TestRun(
        complete=not problem,
        results=unique(tuple(reading.results)),
        problem=problem or ("" if reading.results else NO_TESTS),
        forged=bool(reading.forged),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the tests stand: names from inside become names of the project's folder."""

    tree: Tree
    start: str
    sources: ScriptSources

    def path(self, file: str) -> str:
        """Return a path relative to the project's folder; one outside of it stays as it is.

        What was compiled is told by the name of its source.
        """
        pure = PurePosixPath(file.removeprefix("file://"))
        if pure.is_relative_to(self.start):
            pure = pure.relative_to(self.start)
        path = "" if pure.as_posix() == "." else pure.as_posix()
        return path if not path or self.is_here(path) else self._source(pure) or path

    def is_here(self, path: str) -> bool:
        """Tell whether the repository has the file."""
        return self.tree.is_plain(path)

    def _source(self, built: PurePosixPath) -> str:
        below = PurePosixPath(*built.parts[1:])
        suffixes = (built.suffix, *_COMPILED_FROM.get(built.suffix, ()))
        for folder in ("", "src", "source"):
            for suffix in suffixes:
                path = PurePosixPath(folder, below.with_suffix(suffix)) if below.name else built
                if self.tree.is_plain(path.as_posix()):
                    return path.as_posix()
        return ""


def _take(record: dict[str, object], reading: _Reading, place: _Place) -> None:
    kind = record["kind"]
    if kind == "ended":
        reading.wait_status = _integer(record, "status")
    elif kind in ("forged", "cut"):
        reading.forged = str(record.get("why", "a record that was cut off"))
    elif reading.ended:
        raise ValueError("a record after the end of the run")
    elif kind == "end":
        reading.ended, reading.lost = True, _integer(record, "lost")
        reading.problem = _text(record, "problem") if "problem" in record else ""
    elif kind == "file":
        path = place.path(_text(record, "file"))
        said = _text(record, "message")
        reading.results.append(TestResult(path, Outcome.ERROR, message=said, path=path))
    elif kind == "test":
        reading.results += _results(record, place)
    else:
        raise ValueError(f"unexpected {kind}")


def _results(record: dict[str, object], place: _Place) -> list[TestResult]:
    """Return the result of one test; none for a suite that has nothing of its own to say."""
    outcome, titles = Outcome(_text(record, "outcome")), _titles(record)
    path = place.path(_text(record, "file"))
    if record["suite"] and (outcome not in _BAD or _text(record, "failure") == "subtestsFailed"):
        return []
    named = place.path(titles[0])
    if len(titles) == 1 and (named == path or (not path and place.tree.is_plain(named))):
        return [_whole_file(named, outcome, record, place)]
    line, source = place.sources.of(path, titles, _integer(record, "line"))
    test_id = f"{path}::{' > '.join(titles)}"
    seconds, message = _seconds(record), _text(record, "message")
    return [TestResult(test_id, outcome, seconds, message, path, line, source)]


def _whole_file(
    path: str, outcome: Outcome, record: dict[str, object], place: _Place
) -> TestResult:
    """Return the result of a file that told no test.

    A plain script is one test. A file that declares tests and told none has not come to them,
    whatever it exited with.
    """
    seconds, message, text = _seconds(record), _text(record, "message"), place.tree.read(path)
    if not _DECLARES_TESTS.search(text):
        name = f"{path}::the whole file"
        return TestResult(name, outcome, seconds, message, path, 1, text[:LARGEST_SOURCE])
    if outcome not in _BAD:
        message = "The file ended before it ran any of its tests."
    return TestResult(path, Outcome.ERROR, seconds, message, path)


def _titles(record: dict[str, object]) -> list[str]:
    titles = record["title"]
    if not isinstance(titles, list) or not titles:
        raise TypeError("title")
    return [_clean(str(title)) for title in titles]


def _seconds(record: dict[str, object]) -> float:
    seconds = record["seconds"]
    if not isinstance(seconds, int | float) or not 0 <= seconds < _LONGEST_S:
        raise TypeError("seconds")
    return float(seconds)


def _text(record: dict[str, object], key: str) -> str:
    value = record[key]
    if not isinstance(value, str):
        raise TypeError(key)
    return _clean(value)


def _clean(text: str) -> str:
    """Return a text that every store takes: no NUL, no half of a surrogate pair."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _integer(record: dict[str, object], key: str) -> int:
    value = record[key]
    if not isinstance(value, int) or value < 0:
        raise TypeError(key)
    return value


def _stranger(reading: _Reading, place: _Place) -> str:
    """Name a test whose file is not in the repository: nobody could tell which side's it is."""
    for result in reading.results:
        if result.path and not place.is_here(result.path):
            return f"The tests run from {result.path}, which is not in the repository."
    return ""


def _problem(reading: _Reading, killed: str) -> str:
    """Say in one sentence what keeps the run from proving anything; empty when nothing does."""
    if reading.forged:
        return f"The results cannot be trusted: {reading.forged}."
    if killed:
        return f"The test run {killed}."
    if reading.wait_status is None:
        return "The test run was killed from within."
    if not reading.ended:
        return f"The test runner {_end(reading.wait_status)} before its end; see the output."
    return _end_problem(reading, reading.wait_status)


def _end_problem(reading: _Reading, wait_status: int) -> str:
    """Say what is wrong with a run whose reporter came to its end."""
    if reading.lost:
        return f"{reading.lost} collected tests have no result."
    if reading.problem:
        return f"Something failed outside of the tests: {reading.problem}"
    has_failed = any(result.outcome in _BAD for result in reading.results)
    if reading.results and bool(wait_status) is not has_failed:
        said = "a test failed" if has_failed else "no test failed"
        return f"The test runner {_end(wait_status)} although {said}; see the output."
    return ""


def _end(wait_status: int) -> str:
    signal = wait_status & 0x7F
    return f"was killed by signal {signal}" if signal else f"exited with {wait_status >> 8}"
