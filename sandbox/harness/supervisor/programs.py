"""Programs that end with one exit code, and tell of single tests only where they print TAP; and bats."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from os.path import commonpath
from pathlib import PurePosixPath

from sandbox.harness import outcome
from sandbox.harness.readers import Reading, clipped, has_tap, read_tap
from sandbox.harness.supervisor import suite
from sandbox.harness.supervisor.exits import Exits, ScriptEnds
from sandbox.harness.supervisor.orders import JournalResult, Orders
from sandbox.harness.supervisor.steps import Done, Program, Steps

_SOURCE_CHARS = 4000
_DID_NOTHING = re.compile(r"^make: ((?:Nothing to be done for|[`'].*' is up to date).*?)\.?$", re.M)


def run_make(steps: Steps, orders: Orders) -> Iterator[JournalResult]:
    """Run the test target; building for it is part of it, so what does not compile fails."""
    argv = orders.arguments
    place = common_place(orders.tests)
    source = sources(orders, orders.tests)
    exits = Exits(steps, orders)
    done = steps.start(Program(argv, environment=(*exits.environment, ("LC_ALL", "C"))))
    early = exits.early() if done.status == 0 else ""
    if done.status == 0 and not early:
        # A file or folder of the target's name is enough for make to do nothing.
        idle = _DID_NOTHING.search(done.said)
        early = f"make ran nothing: {idle.group(1)}." if idle else ""
    # Its id names no file: it must be the same whatever files there are.
    yield from _told(done, place, " ".join(argv), source, early)


def run_scripts(steps: Steps, orders: Orders) -> Iterator[JournalResult]:
    """Run every test script by the interpreter that it names."""
    watch = ScriptEnds(steps, orders)
    for path in orders.asked:
        text = suite.read_text(orders.top / path)
        first = text.split("\n", 1)[0]
        words = first[2:].split() if first.startswith("#!") else []
        known = PurePosixPath(words[-1]).name if words else ""
        done = steps.start(watch.program("sh" if known in {"sh", "dash"} else "bash", path))
        early = watch.early(path, text) if done.status == 0 else ""
        test_id = f"{path}::{PurePosixPath(path).name}"
        yield from _told(done, path, test_id, sources(orders, (path,)), early)


def common_place(tests: tuple[str, ...]) -> str:
    """Return the file or folder that holds all tests; "." when they stand everywhere."""
    if len(tests) == 1:
        return tests[0]
    return (commonpath(tests) if tests else "") or "."


def sources(orders: Orders, paths: tuple[str, ...]) -> str:
    """Return what the test files say, for whoever asks what these tests are about."""
    texts = [suite.read_text(orders.top / path)[:_SOURCE_CHARS] for path in paths[:20]]
    return "\n".join(texts)[:_SOURCE_CHARS]


def _told(
    done: Done, path: str, own_id: str, source: str, early: str = ""
) -> Iterator[JournalResult]:
    """Yield the program's own result, then its points. A torn TAP stream is no success."""
    speaks = has_tap(done.out)
    reading = read_tap(done.out) if speaks else Reading(())
    problem = (
        early or reading.problem or ("It printed more than can be read." if done.is_cut else "")
    )
    word, message = outcome.FAILED, clipped(done.said)
    if done.status is None:
        message = f"It did not end in time.\n{message}"
    elif done.status == 0 and problem:
        word, message = outcome.ERROR, f"It ended with 0, but: {problem}\n{message}"
    elif done.status == 0:
        word, message = outcome.PASSED, ""
    yield JournalResult(own_id, path, word, done.seconds, message, source=source)
    for seen in reading.tests:
        test_id = f"{own_id}::{seen.name}"
        yield JournalResult(test_id, path, seen.outcome, 0.0, seen.message, source=seen.name)


# --- bats: one file a program; bats is another process than the test, and gives the exit code ----


_TEST = re.compile(r"[ \t]*@test[ \t]+(?P<name>.*?)[ \t]*\{[ \t]*(?:#.*)?$")
_META = re.compile(r"([\\.^$*+?()\[\]{}|])")


def run_bats(steps: Steps, orders: Orders) -> Iterator[JournalResult]:
    """Yield the results of every file."""
    for path in orders.asked:
        if not path.endswith(".bats"):
            continue
        functions: dict[str, suite.FunctionSource] = {}
        for name, function in suite.find_functions(
            suite.read_text(orders.top / path), _TEST, path
        ).items():
            try:
                bare = " ".join(shlex.split(name)) if name[:1] in "\"'" else name
            except ValueError:
                bare = name
            functions[bare] = function
        counted = steps.run("bats", "--count", path)
        if counted.status != 0 or counted.out.strip() != str(len(functions)):
            said = "bats cannot tell its tests, or counts others than stand in it."
            yield suite.broken(path, said, counted)
        elif functions:
            yield from _told_by_bats(steps, path, functions)


def _told_by_bats(
    steps: Steps, path: str, functions: dict[str, suite.FunctionSource]
) -> Iterator[JournalResult]:
    def start(*options: str) -> suite.Whole:
        done = steps.run("bats", "--formatter", "tap", *options, path)
        return suite.Whole(done, read_tap(done.out))

    yield from suite.told_of(
        tuple(functions),
        start(),
        lambda name: start("--filter", "^" + _META.sub(r"\\\1", name) + "$"),
        lambda seen: [suite.result_of(seen, functions[seen.name])],
        path,
    )
