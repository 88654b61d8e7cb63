"""Reads what the keeper wrote to the channel and says what it proves: records to a TestRun."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from sandbox.harness import chain
from sandbox.models import Outcome, TestResult, TestRun
from sandbox.tools.run_records import NO_TESTS


@dataclass(slots=True)
class _Reading:
    results: list[TestResult] = field(default_factory=list)
    running: str = ""
    count: int | None = None  # of results, when the keeper came to its end
    problem: str = ""
    forged: bool = False


def read_journal(channel: bytes, killed: str = "") -> TestRun:
    """Return what a finished or killed run proves; `killed` says which limit ended it, if one did."""
    reading = _Reading()
    reader = chain.Reader(channel[: chain.KEY_BYTES])
    try:
        for body in reader.feed(channel[chain.KEY_BYTES :]):
            _take(json.loads(body), reading)
    except (chain.Broken, ValueError, TypeError, KeyError, RecursionError) as error:
        reading.forged, reading.problem = True, f"the record is broken ({error})"
    problem = _problem(reading, killed)
    return TestRun(
        complete=not problem,
        results=_unique(reading.results),
        problem=problem or ("" if reading.results else NO_TESTS),
        forged=reading.forged,
    )


def _take(record: dict[str, object], reading: _Reading) -> None:
    if reading.count is not None:
        raise ValueError("a record after the end")
    kind = record["kind"]
    if kind == "running":
        reading.running = str(record["what"])
    elif kind == "result":
        reading.results.append(_result(record))
    elif kind == "end":
        reading.count = int(str(record["count"]))
        reading.problem = str(record["problem"])
        reading.forged = bool(record["forged"])
    else:
        raise ValueError("an unknown record")


def _result(record: dict[str, object]) -> TestResult:
    return TestResult(
        id=str(record["id"]),
        outcome=Outcome(str(record["outcome"])),
        seconds=float(str(record["seconds"])),
        message=str(record["message"]),
        path=str(record["path"]),
        line=int(str(record["line"])),
        source=str(record["source"]),
    )


def _problem(reading: _Reading, killed: str) -> str:
    if reading.forged:
        return f"The results cannot be trusted: {reading.problem}."
    if killed:
        return f"The test run {killed} in `{reading.running[:200]}`."
    if reading.count is None:
        what = f"in `{reading.running[:200]}`" if reading.running else "before it ran anything"
        return f"The test run ended {what}, before its end."
    if reading.count != len(reading.results):
        return f"{reading.count} results were announced, {len(reading.results)} are there."
    return reading.problem


def _unique(results: list[TestResult]) -> tuple[TestResult, ...]:
    """Number results of the same id, so that an id names one result."""
    used: dict[str, int] = {}
    named = []
    for one in results:
        used[one.id] = count = used.get(one.id, 0) + 1
        named.append(one if count == 1 else replace(one, id=f"{one.id}#{count}"))
    return tuple(named)
