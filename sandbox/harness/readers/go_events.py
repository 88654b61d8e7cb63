"""Reads the events of `go test -json` (`go doc test2json`), one package's run.

A test's end is one event `pass`, `fail` or `skip`. Go makes the events from what the test binary
prints, so a test can print lines that become events: a second end for one test, or an end for one
that was not started, is a problem and not a result.
"""

from __future__ import annotations

import json

from sandbox.harness import outcome
from sandbox.harness.readers.seen import MOST_TESTS, NAME_CHARS, Reading, Seen, clipped, seconds

_ENDS = {"pass": outcome.PASSED, "fail": outcome.FAILED, "skip": outcome.SKIPPED}
_MOST_OUTPUT = 400


class _GoEvents:
    def __init__(self) -> None:
        self.started: dict[str, bool] = {}
        self.ended: dict[str, Seen] = {}
        self.output: dict[str, list[str]] = {}
        self.package_end = ""
        self.problem = ""

    def event(self, event: dict[str, object]) -> None:
        action, test = str(event.get("Action")), str(event.get("Test") or "")[:NAME_CHARS]
        if action == "output":
            lines = self.output.setdefault(test, [])
            if len(lines) < _MOST_OUTPUT:
                lines.append(str(event.get("Output"))[:1000])
        elif action == "run" and test:
            self._start(test)
        elif action in _ENDS and test:
            self._end(test, action, seconds(event.get("Elapsed")))
        elif action in _ENDS:
            self.package_end = self.package_end or _ENDS[action]

    def _start(self, test: str) -> None:
        if test in self.started:
            self.problem = self.problem or f"{test} was started twice."
        self.started[test] = True

    def _end(self, test: str, action: str, took_s: float) -> None:
        if test in self.ended or test not in self.started:
            self.problem = self.problem or f"A result of {test} was printed that Go did not give."
            worst = outcome.worse(
                _ENDS[action], self.ended[test].outcome if test in self.ended else _ENDS[action]
            )
            action = next(word for word, name in _ENDS.items() if name == worst)
        said = "" if action == "pass" else clipped("".join(self.output.get(test, [])).strip())
        self.ended[test] = Seen(test, _ENDS[action], took_s, said)


def _parsed(line: str) -> dict[str, object] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def read(text: str) -> Reading:
    """Return every test that ended, subtests included; what started and did not end is a problem."""
    reader = _GoEvents()
    for line in text.splitlines():
        event = _parsed(line)
        if event is not None:
            reader.event(event)
        if len(reader.started) > MOST_TESTS:
            return Reading((), f"There are more than {MOST_TESTS} tests.")
    hanging = [test for test in reader.started if test not in reader.ended]
    problem = reader.problem
    if not problem and hanging:
        problem = f"{hanging[0]} was started and did not end."
    if not problem and not reader.package_end:
        problem = "The package's run did not come to its end."
    if (
        not problem
        and reader.package_end == outcome.FAILED
        and not any(seen.outcome == outcome.FAILED for seen in reader.ended.values())
    ):
        problem = "The package failed, and no test of it did."
    return Reading(tuple(reader.ended.values()), problem)
