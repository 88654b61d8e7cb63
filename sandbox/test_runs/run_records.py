"""Reads what the harness wrote to the channel and says what it proves: records to a TestRun."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sandbox.base import Completed
from sandbox.harness import canary, chain
from sandbox.harness.readers import storable
from sandbox.values import Observation, Outcome, TestResult, TestRun

_LONGEST_S = 1e6
NO_TESTS = "No tests were collected."
_TELLING = re.compile(r"\berror\b|cannot |unknown|not found|no such|is not |unsupported", re.I)
_NO_REASON = re.compile(
    r"^(?:at |[✓✔√] )|\busage: "
)  # of a stack, or the name of a test that passed
_SAID_BYTES = 20_000
_SAID_CHARS = 300
_PYTEST_STOPPED = {2: "was interrupted", 3: "failed inside", 4: "refused its arguments"}


@dataclass(slots=True)
class _RecordReading:
    """What has been read so far. `announced` and `finished` are by the test's number."""

    started: bool = False
    announced: list[TestResult] = field(default_factory=list)
    sources: dict[tuple[str, int], str] = field(default_factory=dict)  # by path and line
    finished: dict[int, TestResult] = field(default_factory=dict)
    others: list[TestResult] = field(default_factory=list)
    canaries: list[tuple[str, str]] = field(default_factory=list)
    controlled: bool = False  # canaries ran after the last test
    running: int | None = None
    collected: int | None = None
    conftest_failed: bool = False
    status: int | None = None  # of the runner, when it came to its end
    wait_status: int | None = None  # of the child process
    problem: str = ""
    uncaught: str = ""  # what ended the process, unless it told something after that
    forged: str = ""


def read_channel(channel: bytes, killed: str = "", said: str = "") -> TestRun:
    """Return what a finished or killed run proves. `killed` says which limit ended it, if one did.

    `said` is what it printed, of which the problem of a run that never came to its tests has a line.

    The channel starts with the supervisor's key; then come its frames. A run that came to its end
    without collecting anything is complete and says so as its problem; any other is complete only when
    every announced test has its result.
    """
    reading = _RecordReading(started=len(channel) >= chain.KEY_BYTES)
    broken = read_records(channel, lambda record: _take(record, reading))
    reading.forged = reading.forged or broken
    _judge_canaries(reading)
    results = [
        reading.finished.get(number, announced)
        for number, announced in enumerate(reading.announced)
        if number in reading.finished or number == reading.running
    ]
    problem = _problem(reading, killed, said)
    if problem and reading.running is not None and reading.running < len(reading.announced):
        index = next(i for i, r in enumerate(results) if r is reading.announced[reading.running])
        message = f"This test was running when the run {killed or 'broke off'}."
        results[index] = replace(
            results[index], outcome=Outcome.ERROR, seconds=0.0, message=message
        )
    return TestRun(
        complete=not problem,
        results=unique((*results, *reading.others)),
        problem=problem or ("" if results or reading.others else NO_TESTS),
        forged=bool(reading.forged),
    )


def read_records(channel: bytes, take: Callable[[dict[str, object]], None]) -> str:
    """Have every record taken; return what shows that somebody else wrote one, "" where nothing does."""
    reader = chain.Reader(channel[: chain.KEY_BYTES])
    try:
        for body in reader.feed(channel[chain.KEY_BYTES :]):
            take(json.loads(body))
    except chain.Broken as broken:
        return str(broken)
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return "a record of a wrong shape"
    return ""


def _take(record: dict[str, object], reading: _RecordReading) -> None:
    """Take one verified record. Raises ValueError, TypeError, KeyError, IndexError on a bad shape."""
    kind = record["kind"]
    if kind != "ended":
        reading.uncaught = ""  # it went on
    if kind == "ended":
        reading.wait_status = integer_of(record, "status")
    elif kind in ("forged", "cut"):
        reading.forged = reading.forged or str(record.get("why", "a record that was cut off"))
    elif reading.status is not None:
        reading.forged = "a record after the end of the run"
    elif kind == "session":
        reading.status = integer_of(record, "status")
    elif kind == "problem":
        reading.problem = text_of(record, "text")
    elif kind == "uncaught":
        reading.uncaught = text_of(record, "text")
    elif kind == "canary":
        reading.canaries.append((text_of(record, "name"), text_of(record, "outcome")))
        reading.controlled = True
    else:
        _take_test(str(kind), record, reading)


def _take_test(kind: str, record: dict[str, object], reading: _RecordReading) -> None:
    if kind == "test" and reading.collected is None:
        test = _result(record, Outcome.ERROR)
        if test.line and not test.is_doctest:
            # The harness tells the code with the first test of each function only.
            code = reading.sources.setdefault((test.path, test.line), test.source)
            test = replace(test, source=code)
        reading.announced.append(test)
    elif kind == "collected" and reading.collected is None:
        reading.collected = integer_of(record, "count")
    elif kind == "start" and reading.running is None:
        number = integer_of(record, "number")
        if number in reading.finished:
            raise ValueError("a test that has its result is started again")
        reading.running = number
        reading.controlled = False
    elif kind == "finish" and reading.running == integer_of(record, "number"):
        number = integer_of(record, "number")
        if number in reading.finished:
            raise ValueError("a second result for one test")
        seconds, announced = seconds_of(record), reading.announced[number]
        reading.running = None
        outcome, message = Outcome(text_of(record, "outcome")), text_of(record, "message")
        ended = replace(announced, outcome=outcome, seconds=seconds, message=message, raised="")
        reading.finished[number] = ended
    elif kind == "deselected":
        message = "Deselected by the project's configuration."
        reading.others.append(_result(record, Outcome.SKIPPED, message))
    elif kind in ("collect_error", "conftest_error"):
        reading.conftest_failed |= kind == "conftest_error"
        reading.others.append(_result(record, Outcome.ERROR, text_of(record, "message")))
    elif kind == "collect_skip":
        reading.others.append(_result(record, Outcome.SKIPPED, text_of(record, "message")))
    else:
        raise ValueError(f"unexpected {kind}")


def _result(record: dict[str, object], outcome: Outcome, message: str = "") -> TestResult:
    return TestResult(
        id=text_of(record, "id"),
        outcome=outcome,
        message=message,
        path=text_of(record, "path"),
        line=integer_of(record, "line") if "line" in record else 0,
        source=text_of(record, "source") if "source" in record else "",
        is_doctest=record.get("doctest") is True,
        is_lint=record.get("lint") is True,
        raised=text_of(record, "raised") if "raised" in record else "",
    )


def text_of(record: Mapping[str, object], key: str) -> str:
    """Return a text of a record as every store takes it. Raises KeyError, TypeError."""
    value = record[key]
    if not isinstance(value, str):
        raise TypeError(key)
    return storable(value)


def integer_of(record: Mapping[str, object], key: str) -> int:
    """Return a whole number of a record, from 0 on. Raises KeyError, TypeError."""
    value = record[key]
    if not isinstance(value, int) or value < 0:
        raise TypeError(key)
    return value


def seconds_of(record: Mapping[str, object]) -> float:
    """Return how long a test took. Raises KeyError, TypeError."""
    seconds = record["seconds"]
    if not isinstance(seconds, int | float) or not 0 <= seconds < _LONGEST_S:
        raise TypeError("seconds")
    return float(seconds)


def _judge_canaries(reading: _RecordReading) -> None:
    """A test that must fail and did not gives away that results are bent, and so the reverse."""
    allowed = (Outcome.FAILED.value, Outcome.ERROR.value, canary.UNKNOWN)
    for name, outcome in reading.canaries:
        if canary.must_pass(name):
            if outcome not in (Outcome.PASSED.value, canary.UNKNOWN):
                reading.problem = f"a control test that must pass ended as {outcome}"
        elif outcome not in allowed:
            reading.forged = f"a control test that must fail ended as {outcome}"


def unique(results: tuple[TestResult, ...]) -> tuple[TestResult, ...]:
    """Return the results with those of the same id numbered, so that an id names one result."""
    used: dict[str, int] = {}
    named = []
    for result in results:
        used[result.id] = count = used.get(result.id, 0) + 1
        if count == 1:
            named.append(result)
        elif result.id != result.path:  # a file that cannot be loaded, as tests or as doctests
            named.append(replace(result, id=f"{result.id}#{count}"))
    return tuple(named)


def _problem(reading: _RecordReading, killed: str, printed: str) -> str:
    """Say in one sentence what keeps the run from proving anything; empty when nothing does."""
    if reading.forged:
        return f"The results cannot be trusted: {reading.forged}."
    if killed:
        return f"The test run {killed} {_where(reading)}."
    if reading.problem or reading.uncaught:
        said = reading.problem or reading.uncaught
        return said[:1].upper() + said[1:] + ("" if said.endswith(".") else ".")
    ended = reading.status is not None and reading.wait_status is not None
    return _session_problem(reading, printed) if ended else _early_end(reading)


def _early_end(reading: _RecordReading) -> str:
    if not reading.started:
        return "The test harness did not start; see the output."
    if reading.wait_status is None:
        return f"The test run was killed from within {_where(reading)}."
    return f"The test process {ended_how(reading.wait_status)} {_where(reading)}, before its end."


def _session_problem(reading: _RecordReading, printed: str) -> str:
    """Say what is missing from a run that came to its end."""
    if reading.conftest_failed:
        return ""  # the error of conftest.py is the result of everything below it
    if reading.collected is None:
        how = _PYTEST_STOPPED.get(reading.status or 0, "did not come to running tests")
        said = telling_line(printed).strip("= ").rstrip(".")
        return f"pytest {how} before any test ran. It said: {said}."
    missing = max(reading.collected, len(reading.announced)) - len(reading.finished)
    if missing:
        return f"{missing} of {reading.collected} collected tests have no result."
    if not reading.announced or reading.controlled:
        return ""
    return "The control tests of the harness did not run."


def end_of_output(completed: Completed) -> str:
    """Return the last of what a command printed on either stream."""
    printed = completed.stdout[-_SAID_BYTES:] + b"\n" + completed.stderr[-_SAID_BYTES:]
    return printed.decode("utf-8", "replace")


def telling_line(printed: str) -> str:
    """Return the printed line that tells best why a program ended: a late one that speaks of an error."""
    lines = [line.strip() for line in storable(printed).splitlines()[-60:] if line.strip()]
    telling = [line for line in lines if _TELLING.search(line) and not _NO_REASON.search(line)]
    return (*telling[:1], *lines[-1:], "It printed nothing")[0][:_SAID_CHARS]


def _where(reading: _RecordReading) -> str:
    if reading.running is not None and reading.running < len(reading.announced):
        return f"in {reading.announced[reading.running].id}"
    if reading.collected is None:
        return "while the tests were being collected"
    return "after the last test" if len(reading.finished) == reading.collected else "between tests"


def ended_how(wait_status: int) -> str:
    """Say how a process ended, as a predicate."""
    signal = wait_status & 0x7F
    return f"was killed by signal {signal}" if signal else f"exited with {wait_status >> 8}"


# --- makes one observation of several calls of a project's tests: every test once -----------------


_RANKS = {Outcome.SKIPPED: 0, Outcome.FAILED: 2, Outcome.ERROR: 2}


def joined_calls(seen: tuple[Observation, ...]) -> Observation:
    """Join the calls in their order. A test that one call skips or deselects ran where another ran it."""
    exits = [one.exit_code for one in seen if one.exit_code != 0]
    problems = (one.problem for one in seen if one.problem)
    tests = joined_runs(tuple(one.tests for one in seen if one.tests is not None))
    is_whole = all(one.tests is not None for one in seen)
    return replace(
        seen[0],
        command=" && ".join(one.command for one in seen),
        exit_code=None if None in exits else max((code or 0 for code in exits), default=0),
        output="\n".join(one.output for one in seen),
        seconds=sum(one.seconds for one in seen),
        timed_out=any(one.timed_out for one in seen),
        out_of_memory=any(one.out_of_memory for one in seen),
        truncated=any(one.truncated for one in seen),
        tests=tests if is_whole else None,
        problem=tests.problem if is_whole else next(problems, ""),
    )


def joined_runs(runs: tuple[TestRun, ...]) -> TestRun:
    """Join runs of one tree: of two results for one test the worse one, a skip last of all."""
    found: dict[str, TestResult] = {}
    for result in (result for run in runs for result in run.results):
        known = found.get(result.id)
        if known is None or _RANKS.get(result.outcome, 1) > _RANKS.get(known.outcome, 1):
            found[result.id] = result
    wanting = [run for run in runs if not run.complete]
    told = wanting or (() if found else runs)  # a call without tests of its own is no problem
    return TestRun(
        complete=not wanting,
        results=tuple(found.values()),
        problem=next((run.problem for run in told if run.problem), ""),
        forged=any(run.forged for run in runs),
        runner=next((run.runner for run in runs if run.runner), ""),
    )
