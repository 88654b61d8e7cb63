"""Rust: one test binary a target of the package, run as a whole and, where it is odd, test by test."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox.harness import outcome
from sandbox.harness.readers import MOST_TESTS, NAME_CHARS, Reading, SeenTest, clipped
from sandbox.harness.supervisor import suite
from sandbox.harness.supervisor.orders import JournalResult, Orders
from sandbox.harness.supervisor.steps import Done, Program, Steps

_FUNCTION = re.compile(r"^[ \t]*(?:pub |async |unsafe )*fn (?P<name>\w+)\s*[(<]")
_COUNTED = re.compile(r"^(\d+) tests?, \d+ benchmarks?$", re.M)
_KINDS = {"lib": "--lib", "rlib": "--lib", "dylib": "--lib", "proc-macro": "--lib", "bin": "--bin",
          "test": "--test"}  # fmt: skip


@dataclass(frozen=True)
class _Target:
    """One crate of a package that can have tests."""

    package: str
    manifest: str
    folder: Path
    kind: str
    name: str
    path: str  # its root file, as the tree names it

    @property
    def options(self) -> tuple[str, ...]:
        """What names it on cargo's command line."""
        chosen = (self.kind,) if self.kind == "--lib" else (self.kind, self.name)
        return ("--manifest-path", self.manifest, "--package", self.package, *chosen)


def run(steps: Steps, orders: Orders) -> Iterator[JournalResult]:
    """Yield the results of every target; unit tests in sources belong to the source."""
    told = steps.run("cargo", "metadata", "--no-deps", "--offline", "--format-version", "1")
    if told.status != 0:
        yield suite.broken(".", "cargo cannot read it.", told)
        return
    for target in _targets(told.out, orders.top):
        if orders.is_asked(target.path):
            yield from _Crate(steps, orders, target).results()


def _targets(text: str, top: Path) -> list[_Target]:
    try:
        packages = json.loads(text)["packages"]
        return [
            _Target(
                package["name"],
                package["manifest_path"],
                Path(package["manifest_path"]).parent,
                _KINDS[target["kind"][0]],
                target["name"],
                Path(target["src_path"]).relative_to(top).as_posix(),
            )
            for package in packages
            for target in package["targets"]
            if target["kind"][0] in _KINDS and target.get("test", True)
        ]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []


class _Crate:
    def __init__(self, steps: Steps, orders: Orders, target: _Target) -> None:
        self._steps, self._orders, self._target = steps, orders, target
        self._log = orders.scratch("log")
        self._binary = ""

    def results(self) -> Iterator[JournalResult]:
        """Build, list, run."""
        built = self._steps.run(
            "cargo", "test", "--offline", "--no-run", "--message-format=json",
            "--target-dir", str(self._orders.scratch("target")), *self._target.options,
        )  # fmt: skip
        # The test program that cargo says it made.
        for message in _messages(built.out):
            is_test = message.get("reason") == "compiler-artifact" and message.get("executable")
            profile = message.get("profile")
            if is_test and isinstance(profile, dict) and profile.get("test"):
                self._binary = str(message["executable"])
        if built.status != 0 or not self._binary:
            yield self._not_built(built)
            return
        listed = self._start("--list")
        found = map(_LISTED.fullmatch, listed.out.splitlines()[:MOST_TESTS])
        names = tuple(dict.fromkeys(match.group(1)[:NAME_CHARS] for match in found if match))
        counted = _COUNTED.search(listed.out)
        if listed.status != 0 or counted is None:
            # A target with a harness of its own: one program, one exit code.
            done, path = self._start(), self._target.path
            word = outcome.PASSED if done.status == 0 else outcome.FAILED
            said = "" if done.status == 0 else clipped(done.said)
            yield JournalResult(f"{path}::{self._target.name}", path, word, done.seconds, said)
        elif int(counted.group(1)) != len(names):
            yield suite.broken(self._target.path, "Its tests cannot be listed.", listed)
        elif names:
            functions = _Functions(self._orders.top, self._target.path)
            yield from suite.told_of(
                names,
                self._whole(),
                lambda name: self._whole("--exact", name),
                lambda seen: [suite.result_of(seen, functions.of(seen.name))],
                self._target.path,
            )

    def _whole(self, *options: str) -> suite.Whole:
        """Run tests. The log has a line for each test only when the harness itself saw its end."""
        self._log.unlink(missing_ok=True)
        done = self._start(f"--logfile={self._log}", *options)
        reading = read_results(done.out)
        logged = suite.read_text(self._log).splitlines()
        return suite.Whole(done, reading, len(logged) == len(reading.tests))

    def _start(self, *options: str) -> Done:
        folder = str(self._target.folder)
        environment = (("CARGO_MANIFEST_DIR", folder), ("CARGO_PKG_NAME", self._target.package))
        return self._steps.start(Program((self._binary, *options), folder, environment))

    def _not_built(self, built: Done) -> JournalResult:
        """Return what the compiler said, as a person would read it."""
        bodies = (message.get("message") for message in _messages(built.out))
        errors = (one for one in bodies if isinstance(one, dict) and one.get("level") == "error")
        said = clipped("\n".join(str(one.get("rendered")) for one in errors) or built.err)
        message, path = f"It does not build.\n{said}", self._target.path
        return JournalResult(path, path, outcome.ERROR, built.seconds, message)


class _Functions:
    """Finds where the tests of a crate stand, by the modules in their names."""

    def __init__(self, top: Path, path: str) -> None:
        self._top, self._path = top, path
        self._known: dict[str, dict[str, suite.FunctionSource]] = {}

    def of(self, name: str) -> suite.FunctionSource:
        """Return the test's function; without a known place, the crate's root file."""
        *modules, function = name.split("::")
        for count in range(len(modules), -1, -1):
            below = (Path(self._path).parent / "/".join(modules[:count])).as_posix()
            for path in (f"{below}.rs", f"{below}/mod.rs") if count else (self._path,):
                if function in self._in(path):
                    return self._in(path)[function]
        return suite.FunctionSource(self._path, 0, name)

    def _in(self, path: str) -> dict[str, suite.FunctionSource]:
        if path not in self._known:
            self._known[path] = suite.find_functions(
                suite.read_text(self._top / path), _FUNCTION, path
            )
        return self._known[path]


def _messages(text: str) -> Iterator[dict[str, object]]:
    for line in text.splitlines():
        try:
            message = json.loads(line) if line.startswith("{") else None
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict):
            yield message


# --- what Rust's test harness prints ---------------------------------------------------------------
# Source: the `test` crate (library/test/src/formatters/pretty.rs). The tests' own output can stand
# between; a line that repeats a result, or a summary that does not fit the lines, is a problem.


_LISTED = re.compile(r"(\S.*): test")
_RESULT = re.compile(r"test (\S.*?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, (.*))?")
_SUMMARY = re.compile(
    r"test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;.*"
)
_SAID = re.compile(r"^---- (\S.*?) stdout ----\n(.*?)(?=^---- |^\nfailures:|\Z)", re.M | re.S)
_WORDS = {"ok": outcome.PASSED, "FAILED": outcome.FAILED, "ignored": outcome.SKIPPED}


def read_results(text: str) -> Reading:
    """Return one run's results."""
    said = {name: clipped(body.strip()) for name, body in _SAID.findall(text)}
    found: dict[str, list[str]] = {}
    summaries = []
    for line in text.splitlines():
        result, summary = _RESULT.fullmatch(line), _SUMMARY.fullmatch(line)
        if result:
            found.setdefault(result.group(1)[:NAME_CHARS], []).append(_WORDS[result.group(2)])
        elif summary:
            summaries.append(tuple(int(number) for number in summary.groups()))
        if len(found) > MOST_TESTS:
            return Reading((), f"There are more than {MOST_TESTS} tests.")
    tests = []
    for name, words in found.items():
        worst = words[0]
        for word in words[1:]:
            worst = outcome.worse(worst, word)
        message = said.get(name, "") if worst == outcome.FAILED else ""
        tests.append(SeenTest(name, worst, message=message))
    twice = next((name for name, words in found.items() if len(words) > 1), "")
    counted = Counter(words[0] for words in found.values())
    told = tuple(counted[word] for word in (outcome.PASSED, outcome.FAILED, outcome.SKIPPED))
    problem = ""
    if twice:
        problem = f"A second result of {twice} was printed."
    elif len(summaries) != 1:
        problem = f"The run printed {len(summaries)} summaries instead of one."
    elif told != summaries[0]:
        problem = "The summary does not fit the results."
    return Reading(tuple(tests), problem)
