"""Java: javac, and a JUnit runner of ours that reports under a key which the tests were not given."""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from sandbox.harness import outcome
from sandbox.harness.readers import MOST_TESTS, NAME_CHARS, Reading, SeenTest, clipped
from sandbox.harness.supervisor import suite
from sandbox.harness.supervisor.orders import JournalResult, Orders
from sandbox.harness.supervisor.steps import Done, Program, Steps

_JARS = Path("/usr/share/java")  # Debian's; they come with the packages junit4 and junit5
_COMMON = ("junit4", "hamcrest-all", "hamcrest-core", "hamcrest")
_PLATFORM = (
    "junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params", "junit-platform-commons",
    "junit-platform-engine", "junit-platform-launcher", "junit-vintage-engine", "opentest4j",
    "apiguardian-api", "univocity-parsers",
)  # fmt: skip
_RUNNERS = Path(__file__).parent / "junit"
_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # these processes are short
_JAVAC = (
    "javac",
    *(f"-J{option}" for option in _QUICK),
    *["-nowarn", "-proc:none", "-encoding", "UTF-8", "-d"],
)
_ERROR = re.compile(r"^(?:\./)?([^\s:]+\.java):\d+: error:", re.M)
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.M)
_METHOD = re.compile(
    r"\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |protected |private |static |final )*void (?P<name>\w+)\("
)
_ROUNDS = 5
_REPORT_BYTES = 64 << 20


def run(steps: Steps, orders: Orders) -> Iterator[JournalResult]:
    """Compile sources, then tests, then run what could be compiled."""
    yield from _Suite(steps, orders).results()


class _Suite:
    def __init__(self, steps: Steps, orders: Orders) -> None:
        self._steps, self._orders = steps, orders
        self._main, self._tests = orders.scratch("main"), orders.scratch("tests")
        self._runner = orders.scratch("runner")
        texts = {path: suite.read_text(orders.top / path) for path in orders.tests}
        self._is_platform = any("org.junit.jupiter" in text for text in texts.values())
        self._texts = texts

    def results(self) -> Iterator[JournalResult]:
        """Yield every test's result, and one for each test file that does not compile."""
        wanted, offered = "junit4", "junit4"
        if self._is_platform:
            wanted, offered = "junit-platform-launcher", "junit5"
        if (_JARS / f"{wanted}.jar").exists():
            problem = self._compile_main()
        else:
            problem = f"The sandbox lacks JUnit: apt-get install {offered}"
        if problem:
            yield JournalResult(".", ".", outcome.ERROR, 0.0, problem)
            return
        broken, said = self._compile_tests()
        for path in broken:
            if self._orders.is_asked(path):
                yield JournalResult(path, path, outcome.ERROR, 0.0, f"It does not compile.\n{said}")
        classes: dict[str, str] = {}
        for path in self._orders.asked:
            if path not in broken:
                package, stem = _PACKAGE.search(self._texts[path]), PurePosixPath(path).stem
                classes[f"{package.group(1)}.{stem}" if package else stem] = path
        if classes:
            yield from self._run(classes)

    def _compile_main(self) -> str:
        """Compile the sources and our runner; "" when that went well."""
        files = [
            path
            for path in self._java_files()
            if path not in self._texts and not _is_test_side(path)
        ]
        done = self._javac(self._main, files)
        if done.status != 0:
            return f"The sources do not compile.\n{clipped(done.said)}"
        name = "Junit5" if self._is_platform else "Junit4"
        ours = [str(_RUNNERS / "Report.java"), str(_RUNNERS / f"{name}.java")]
        done = self._javac(self._runner, ours)
        return (
            "" if done.status == 0 else f"Our JUnit runner does not compile.\n{clipped(done.said)}"
        )

    def _compile_tests(self) -> tuple[set[str], str]:
        """Compile the tests without those that the compiler complains of."""
        left = [path for path in self._java_files() if path in self._texts or _is_test_side(path)]
        broken: set[str] = set()
        said = ""
        for _ in range(_ROUNDS):
            done = self._javac(self._tests, left)
            if done.status == 0:
                return broken, said
            said = said or clipped(done.said)
            named = set(_ERROR.findall(done.said)) & set(left)
            broken |= named
            left = [path for path in left if path not in named]
            if not named:
                break
        return set(self._texts), said

    def _java_files(self) -> list[str]:
        top = self._orders.top
        found = (path.relative_to(top).as_posix() for path in top.rglob("*.java") if path.is_file())
        return sorted(path for path in found if not path.startswith((".", "target/", "build/")))

    def _javac(self, target: Path, files: list[str]) -> Done:
        target.mkdir(exist_ok=True)
        if not files:
            return Done(0, "", "", 0.0)
        listing = self._orders.scratch("files")
        listing.write_text("\n".join(f'"{path}"' for path in files))
        return self._steps.run(*_JAVAC, str(target), "-cp", self._classpath(), f"@{listing}")

    def _classpath(self) -> str:
        names = (*_COMMON, *(_PLATFORM if self._is_platform else ()))
        jars = [str(path) for name in names if (path := _JARS / f"{name}.jar").exists()]
        places = [str(place) for place in (self._runner, self._tests, self._main)]
        resources = [str(self._orders.top / f"src/{one}/resources") for one in ("test", "main")]
        return ":".join((*places, *resources, *jars))

    # --- running --------------------------------------------------------------------------------

    def _run(self, classes: dict[str, str]) -> Iterator[JournalResult]:
        listed = self._start("list", "", classes)
        if listed.done.status != 0 or listed.reading.problem:
            said = f"Its tests cannot be listed. {listed.reading.problem}"
            yield suite.broken(".", said, listed.done)
            return
        names = [test.name for test in listed.reading.tests]
        whole = self._start("run", "", classes)
        told = {test.name: test for test in whole.reading.tests}
        is_whole = whole.done.status in (0, 1) and not whole.reading.problem
        for name in names:
            if is_whole and name in told:
                yield self._result(told[name], classes)
            else:
                yield self._result(
                    suite.alone_result(name, self._start("run", name, classes)), classes
                )

    def _start(self, mode: str, only: str, classes: dict[str, str]) -> suite.Whole:
        key, place = secrets.token_hex(16), self._orders.scratch(secrets.token_hex(8))
        wanted = [only.partition("#")[0]] if only else list(classes)
        told = "\n".join((key, str(place), mode, only, *wanted)) + "\n"
        main = "Junit5" if self._is_platform else "Junit4"
        argv = ("java", *_QUICK, "-cp", self._classpath(), main)
        done = self._steps.start(Program(argv, stdin=told.encode()))
        text = (
            place.read_bytes()[:_REPORT_BYTES].decode("ascii", "replace") if place.is_file() else ""
        )
        return suite.Whole(done, _report(text, key))

    def _result(self, seen: SeenTest, classes: dict[str, str]) -> JournalResult:
        name, _, method = seen.name.partition("#")
        outer = name.partition("$")[0]
        path = classes.get(outer, ".")
        functions = suite.find_functions(self._texts.get(path, ""), _METHOD, path)
        at = functions.get(method, suite.FunctionSource(path, 0, seen.name))
        inner = f"{name.partition('$')[2]}." if "$" in name else ""
        return suite.result_of(seen, at, f"{inner}{method}")


def _is_test_side(path: str) -> bool:
    return "/src/test/" in f"/{path}" or path.startswith(("test/", "tests/"))


# --- what our runner wrote ------------------------------------------------------------------

_OUTCOMES = {outcome.PASSED, outcome.FAILED, outcome.SKIPPED}


def _report(text: str, key: str) -> Reading:
    """Read the keyed lines of our runner: the worst result of every test, a problem where the end is missing.

    What carries another key is somebody else's.
    """
    found: dict[str, SeenTest] = {}
    has_ended, problem = False, ""
    for line in text.splitlines():
        words = line.split(" ")
        if len(words) != 5 or words[0] != key or has_ended or len(found) > MOST_TESTS:
            problem = problem or "Somebody else wrote into the report."
        elif words[1] == "end":
            has_ended = True
        else:
            name = _decoded(words[2])[:NAME_CHARS]
            word = words[3] if words[3] in _OUTCOMES else outcome.ERROR
            known = found.get(name)
            if known is None or outcome.worse(known.outcome, word) != known.outcome:
                found[name] = SeenTest(name, word, message=clipped(_decoded(words[4])))
    if not has_ended and not problem:
        problem = "The tests ended before their end: something left the program."
    return Reading(tuple(found.values()), problem)


def _decoded(word: str) -> str:
    try:
        return base64.b64decode(word[1:], validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
