"""Bats: one file a program; bats itself is another process than the test and gives the exit code."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from sandbox.harness import outcome
from sandbox.harness.readers import SeenTest, clipped, read_tap
from sandbox.harness.supervisor.orders import JournalResult, Orders
from sandbox.harness.supervisor.sources import FunctionSource, find_functions, read_text
from sandbox.harness.supervisor.steps import Steps
from sandbox.harness.supervisor.suite import Whole, result_of, told_of

_TEST = re.compile(r"[ \t]*@test[ \t]+(?P<name>.*?)[ \t]*\{[ \t]*(?:#.*)?$")
_META = re.compile(r"([\\.^$*+?()\[\]{}|])")


def run(steps: Steps, orders: Orders) -> Iterator[JournalResult]:
    """Yield the results of every file."""
    for path in orders.asked:
        if not path.endswith(".bats"):
            continue
        functions: dict[str, FunctionSource] = {}
        for name, function in find_functions(read_text(orders.top / path), _TEST, path).items():
            try:
                bare = " ".join(shlex.split(name)) if name[:1] in "\"'" else name
            except ValueError:
                bare = name
            functions[bare] = function
        counted = steps.run("bats", "--count", path)
        if counted.status != 0 or counted.out.strip() != str(len(functions)):
            said = "bats cannot tell its tests, or counts others than stand in it."
            told = f"{said}\n{clipped(counted.said)}"
            yield JournalResult(path, path, outcome.ERROR, counted.seconds, told)
        elif functions:
            yield from _tests(steps, path, functions)


def _tests(
    steps: Steps, path: str, functions: dict[str, FunctionSource]
) -> Iterator[JournalResult]:
    def start(*options: str) -> Whole:
        done = steps.run("bats", "--formatter", "tap", *options, path)
        return Whole(done, read_tap(done.out))

    def alone(name: str) -> Whole:
        return start("--filter", f"^{_META.sub(chr(92) + chr(92) + '1', name)}$")

    def results(seen: SeenTest) -> list[JournalResult]:
        return [result_of(seen, functions[seen.name])]

    yield from told_of(tuple(functions), start(), alone, results, path)
