"""Go: one test binary a package, run as a whole and, where something is odd, test by test."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from sandbox.harness import outcome
from sandbox.harness.readers import MOST_TESTS, NAME_CHARS, Reading, SeenTest, clipped, seconds
from sandbox.harness.supervisor import suite
from sandbox.harness.supervisor.orders import JournalResult, Orders, Unbelievable
from sandbox.harness.supervisor.steps import Program, Steps

_FUNCTION = re.compile(r"func (?P<name>(?:Test|Example|Fuzz)\w*)\(")
_PACKAGE = re.compile(r"^package (\w+)", re.M)
_CONTROL = (
    'package {package}\n\nimport c{nonce} "testing"\n\nfunc {name}(t *c{nonce}.T) {{ t.Fatal() }}\n'
)
_MOST_CHARS = 100_000  # of one argument


def run(steps: Steps, orders: Orders) -> Iterator[JournalResult]:
    """Yield the results of every package that has tests."""
    # Since 1.20 the binary can mark its own lines, so that a test's print is no event by accident.
    found = re.search(r"go1\.(\d+)", steps.run("go", "version").out)
    flag = "-test.v=test2json" if found and int(found.group(1)) >= 20 else "-test.v=true"
    asked = {_folder(path) for path in orders.asked}
    for number, folder in enumerate(sorted(asked)):
        package = _Package(steps, orders, folder, number, flag)
        yield from package.results([path for path in orders.tests if _folder(path) == folder])


def _folder(path: str) -> str:
    return PurePosixPath(path).parent.as_posix()


class _Package:
    def __init__(
        self, steps: Steps, orders: Orders, folder: str, number: int, verbose: str
    ) -> None:
        self._steps, self._orders, self._folder = steps, orders, folder
        self._binary = orders.scratch(f"{number}.test")
        self._log = orders.scratch(f"{number}.log")
        self._verbose = verbose

    def results(self, files: list[str]) -> Iterator[JournalResult]:
        """Build, list, run."""
        # A test that must fail, under a name that nobody could know.
        nonce = self._orders.nonce
        control = f"TestZ{nonce}"
        package = _PACKAGE.search(suite.read_text(self._orders.top / files[0]))
        if package:
            filled = _CONTROL.format(package=package.group(1), nonce=nonce, name=control)
            (self._orders.top / self._folder / f"z{nonce}_test.go").write_text(filled)
        built = self._steps.run("go", "test", "-c", "-o", str(self._binary), f"./{self._folder}")
        if built.status != 0:
            yield suite.broken(self._folder, "It does not build.", built)
            return
        if not self._binary.exists():
            return  # every test file is left out by its build constraints
        functions: dict[str, suite.FunctionSource] = {}
        for path in files:
            text = suite.read_text(self._orders.top / path)
            for name, function in suite.find_functions(text, _FUNCTION, path).items():
                functions.setdefault(name, function)
        listed = self._steps.run(str(self._binary), "-test.list", ".*", folder=self._folder)
        if listed.status != 0:
            yield suite.broken(self._folder, "Its tests cannot be listed.", listed)
            return
        names = tuple(dict.fromkeys(n for n in listed.out.split("\n") if n in functions))
        if self._start(control).done.status == 0:
            raise Unbelievable(f"in {self._folder} a control test that must fail ended with 0")
        if names:
            yield from self._told(names, functions)

    def _told(
        self, names: tuple[str, ...], functions: dict[str, suite.FunctionSource]
    ) -> Iterator[JournalResult]:
        whole = self._start("|".join(names)) if sum(map(len, names)) < _MOST_CHARS else None
        whole = whole or self._start("|".join(names[:1]))
        tops = _tops(whole)

        def results(seen: SeenTest) -> Iterator[JournalResult]:
            at = functions[seen.name]
            yield suite.result_of(seen, at)
            for inner in whole.reading.tests if tops.is_clean(names) else ():
                if inner.name.startswith(seen.name + "/"):
                    yield suite.result_of(
                        inner, at, f"{seen.name}[{inner.name[len(seen.name) + 1 :]}]"
                    )

        yield from suite.told_of(
            names, tops, lambda name: _tops(self._start(name)), results, self._folder
        )

    def _start(self, names: str) -> suite.Whole:
        """Run the named tests. The log is complete only when the run went through its own end."""
        self._log.unlink(missing_ok=True)
        argv = (
            *("go", "tool", "test2json", "-t", str(self._binary), self._verbose),
            *(f"-test.run=^(?:{names})$", "-test.paniconexit0", f"-test.testlogfile={self._log}"),
        )
        done = self._steps.start(Program(argv, folder=self._folder))
        return suite.Whole(
            done, read_events(done.out), suite.read_text(self._log).startswith("# test log")
        )


def _tops(whole: suite.Whole) -> suite.Whole:
    """Leave the subtests out: they are not listed, and their test fails when they do."""
    tests = tuple(test for test in whole.reading.tests if "/" not in test.name)
    return suite.Whole(whole.done, Reading(tests, whole.reading.problem), whole.ended)


# --- the events of `go test -json` -----------------------------------------------------------------
# A test's end is one event `pass`, `fail` or `skip`. Go makes the events from what the test binary
# prints, so a test can print lines that become events: a second end for one test, or an end for one
# that was not started, is a problem and not a result.


_ENDS = {"pass": outcome.PASSED, "fail": outcome.FAILED, "skip": outcome.SKIPPED}
_MOST_OUTPUT = 400


class _GoEvents:
    def __init__(self) -> None:
        self.started: dict[str, bool] = {}
        self.ended: dict[str, SeenTest] = {}
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
            if test in self.started:
                self.problem = self.problem or f"{test} was started twice."
            self.started[test] = True
        elif action in _ENDS and test:
            found = _ENDS[action]
            if test in self.ended or test not in self.started:
                made_up = f"A result of {test} was printed that Go did not give."
                self.problem = self.problem or made_up
                if test in self.ended:
                    found = outcome.worse(found, self.ended[test].outcome)
            output = "" if found == outcome.PASSED else "".join(self.output.get(test, []))
            took_s = seconds(event.get("Elapsed"))
            self.ended[test] = SeenTest(test, found, took_s, clipped(output.strip()))
        elif action in _ENDS:
            self.package_end = self.package_end or _ENDS[action]


def read_events(text: str) -> Reading:
    """Return every test that ended, subtests included; what started and did not end is a problem."""
    reader = _GoEvents()
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
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
