"""Finds changes to how tests are run: edited continuous integration, narrowed discovery, shadowed modules.

pytest looks into the folders of `pythonpath`, and into those of test files, before the project's own: what is
tested is then a copy there, and not the code that ships.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines, is_new, removed_lines
from bot.diff.paths import is_automation, is_policy, is_workflow
from bot.integrity.reading.inspection import Inspection, make_finding, ships, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.values.rules import (
    CI_EDITED,
    CI_WEAKENED,
    MODULE_SHADOWED,
    STAND_IN_ADDED,
    TEST_DESELECTED,
)
from sandbox.values import FileChange, Finding, Severity

_VERSION = re.compile(r"(?<![A-Za-z])v?\d+(?:[.\-]\w+)*|\b[0-9a-f]{40}\b|#.*$")
_STEP_LABEL = re.compile(r"\s+-\s+name\s*:\s")
_OPTION = re.compile(r"(?<=\s)(-[A-Za-z]) +(?=\w)")
_ENVIRONMENTS = re.compile(r"\s*(?:-\s*)?(?:env_?list|toxenvs)\s*[:=]")
_FORGIVING = re.compile(
    r"continue-on-error\s*:\s*true|allow_failure\s*:\s*true|\|\|\s*(?:true|exit 0|:)\s*[\"']?$"
    r"|ignore_outcome\s*=\s*true|^\s*if\s*:\s*false\b|--exit-zero|--passWithNoTests|pull_request_target"
)
_RUNS_TESTS = re.compile(
    r"\b(?:pytest|unittest|tox|nox|npm (?:run )?t(?:est)?\b|yarn test|pnpm test|vitest|jest|mocha|ava|"
    r"(?<!brew )tap|tape|jasmine|uvu|"
    r"go test|cargo test|mvn|gradlew?|ctest|make (?:test|check)|bats)\b"
)
_FORGIVEN = re.compile(
    r"(?:continue-on-error|allow_failure)\s*:\s*true|\|\|\s*(?:true|exit 0|:)\s*[\"']?$"
    r"|ignore_outcome\s*=\s*true|^[\s-]*if\s*:\s*false\b"
)
"""Where tests fail there, all is well nevertheless."""
_INSTALLS = re.compile(r"\b(?:install|add|upgrade)\b[^&|;]{0,400}")
_PICKS_TESTS = re.compile(
    r"(?:-k|-m|-t|-run|--(?:ignore|deselect|grep|testNamePattern|testPathPattern)\b.*)$"
    r"|\S*(?:::|\.py$|\.[cm]?[jt]sx?$|\btest_\w+)"
)
_SPEAKS_OF_AUTOMATION = re.compile(
    r"(?i)\b(?:ci|cd|workflows?|actions?|pipelines?|travis|circle ?ci|github|appveyor|azure|jenkins|gitlab|"
    r"automation|continue-on-error|nightl\w+|matrix|tox|nox|coverage|flak\w+|slow|builds?|test suite|"
    r"runners?)\b"
)
_NAMES_ONLY = re.compile(
    r"\s*(?:-\s*)?(?:env_?list|tox-?env|deps|requires|name|uses|key|path)\s*[:=]|\s*(?:-\s*)?[\w-]+\s*:\s*\[|\s*#"
)
_DISCOVERY = {
    "package.json": r"\"(?:test|test:\w+|pretest)\"\s*:|testPathIgnorePatterns|testMatch|testRegex|"
    r"passWithNoTests|\"exclude\"",
    "jest": r"testPathIgnorePatterns|testMatch|testRegex|testNamePattern|passWithNoTests|\broots\b",
    "vitest": r"\bexclude\b|\binclude\b|testNamePattern|passWithNoTests|allowOnly",
    "vite": r"\bexclude\b|testNamePattern|passWithNoTests",
    "ava": r"\bfiles\b|\bmatch\b",
    ".taprc": r"\b(?:files|include|exclude|test-regex|test-ignore|grep|only)\b",
    "jasmine": r"\bspec_(?:dir|files)\b|\bfilter\b",
    ".mocharc": r"\b(?:spec|ignore|exclude|grep|fgrep|invert)\b",
    "pom.xml": r"skipTests|maven\.test\.skip|<excludes?>|testFailureIgnore|<groups>|excludedGroups",
    "build.gradle": r"exclude\s|ignoreFailures|enabled\s*=\s*false|excludeTags|filter\s*\{",
    "cargo.toml": r"^\s*(?:test|harness|doctest|autotests)\s*=\s*false",
    "cmakelists.txt": r"WILL_FAIL|DISABLED\s|set_tests_properties|SKIP_",
    "ctestcustom": r"CTEST_CUSTOM_TESTS_IGNORE",
    ".bazelrc": r"test_tag_filters",
}  # fmt: skip
_SCRIPT = re.compile(r"\"(?P<name>[\w:-]{1,80})\"[ \t]*:[ \t]*(?P<line>\"(?:[^\"\\]|\\.)*\")")
_TEST_RUN = re.compile(
    r"(?:[A-Z_]+=[\w/.+-]* )*(?:npx )?(?:npm (?:run )?test[\w:-]*|vitest|jest|mocha|ava|tap|tape|jasmine|uvu"
    r"|node --test)(?: [\w.][\w./:=-]*)*\Z"
)
"""A run of tests, in another time zone, say, or of further files."""
_RUNNER_FILES = ("pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg")
_FOLDERS = re.compile(
    r"^[ \t]*pythonpath[ \t]*=([^\n]{0,400}(?:\n[ \t][^\n=]{1,200}){0,20})", re.MULTILINE
)
_ROOTS = ("", "src")


def edited_automation(inspection: Inspection) -> Iterator[Finding]:
    """Edited files that say what continuous integration runs; new versions and labels are no news."""
    for change in inspection.diff.files:
        if not is_automation(change.path) or is_policy(change.path):
            continue
        before = inspection.before(change) or ""
        # a name may choose what runs
        labels = is_workflow(change.path) and "matrix.name" not in before
        added = [line for _, line in added_lines(change)]
        removed = [line for _, line in removed_lines(change)]
        # lists of environments, old line and new, where the new one has all that the old one had
        grown = next(
            (
                {old, new}
                for old in filter(_ENVIRONMENTS.match, removed)
                for new in filter(_ENVIRONMENTS.match, added)
                if set(re.findall(r"[\w.-]+", old)) <= set(re.findall(r"[\w.-]+", new))
            ),
            set[str](),
        )
        come = [_telling(line, labels) for line in added if line not in grown]
        gone = [_telling(line, labels) for line in removed if line not in grown]
        if not added or sorted(filter(None, come)) != sorted(filter(None, gone)):
            is_asked = _SPEAKS_OF_AUTOMATION.search(words_of_task(inspection)) is not None
            weaker = None if is_asked or _only_counts(change) else _weaker_run(change, inspection)
            line, message = weaker or _told(change)
            yield make_finding(CI_WEAKENED if weaker else CI_EDITED, change, line, message)


def _telling(line: str, labels: bool) -> str:
    """What of a line says what is run; `-e docs` is `-edocs`, and blanks at the end are nothing."""
    if labels and _STEP_LABEL.match(line):
        return ""
    return _OPTION.sub(r"\1", _VERSION.sub("", line)).rstrip()


def _weaker_run(change: FileChange, inspection: Inspection) -> tuple[int, str] | None:
    """Return the line by which tests may fail unseen, or fewer are run, and what it does; None for none."""
    text, added = inspection.after(change) or "", dict(added_lines(change))
    lost = [line for _, line in removed_lines(change) if _is_run(line)]
    ours = [(number, line) for number, line in added.items() if _is_run(line)]
    strict = [one for one in ours if not _FORGIVEN.search(one[1])]
    others = (
        line for one in inspection.diff.files if one is not change for _, line in added_lines(one)
    )
    moved = sum(map(_is_run, others))  # to another file: a Makefile, say
    for number, line in added.items():
        forgives = _FORGIVEN.search(line)
        block = _block(text.splitlines(), number) if forgives and not _is_run(line) else ()
        is_old = any(at not in added and _is_run(one) for at, one in block)
        is_replaced = len(lost) > len(strict) + moved and (
            any(_is_run(one) for _, one in block) or _is_run(line)
        )
        if forgives and (is_old or is_replaced):
            return (
                number,
                f"Tests may now fail unseen: `{line.strip()[:80]}`. The task does not speak of it.",
            )
    if len(lost) > len(strict) + moved:
        start = change.hunks[0].new_start if change.hunks else 0
        return (
            start,
            f"Tests are no longer run by `{lost[0].strip()[:80]}`, and the task does not speak of it.",
        )
    if len(lost) == len(ours):
        for old, (number, new) in zip(lost, ours, strict=True):
            if _runs_less(old, new):
                return (
                    number,
                    f"Fewer tests are run by `{new.strip()[:80]}`, and the task does not speak of it.",
                )
    return None


def _is_run(line: str) -> bool:
    run = _INSTALLS.sub(" ", line)  # `pip install pytest` runs none
    return _RUNS_TESTS.search(run) is not None and not _NAMES_ONLY.match(line)


def _runs_less(before: str, after: str) -> bool:
    """Whether a run of tests has all the words of another one, and some of what picks out tests."""
    old, new = ({*_RUNS_TESTS.split(line, maxsplit=1)[1].split()} for line in (before, after))
    return old <= new and any(map(_PICKS_TESTS.match, new - old))


def _block(lines: list[str], number: int) -> list[tuple[int, str]]:
    """The step or job of a workflow that a line (from 1) says something of, with the lines' numbers."""

    def column(line: str, *, of_key: bool = False) -> int:
        return len(line) - len(line.lstrip(" -" if of_key else " "))

    own = column(lines[number - 1], of_key=True)
    first = last = number - 1
    # up to the line with the dash, or the job's name
    while first > 0 and column(lines[first]) >= own:
        first -= 1
    while last + 1 < len(lines) and (column(lines[last + 1]) >= own or not lines[last + 1].strip()):
        last += 1
    return [(at + 1, lines[at]) for at in range(first, last + 1)]


def _told(change: FileChange) -> tuple[int, str]:
    """The line that weakens what is run, and what it does, where one can be named."""
    kept = {line.strip() for _, line in added_lines(change)}
    for number, line in added_lines(change):
        if _FORGIVING.search(line):
            return number, f"Automation may now fail unseen: `{line.strip()[:80]}`."
    more = sum(bool(_RUNS_TESTS.search(line)) for _, line in added_lines(change))
    gone = [
        line
        for _, line in removed_lines(change)
        if _RUNS_TESTS.search(line) and not _NAMES_ONLY.match(line)
    ]
    start = change.hunks[0].new_start if change.hunks else 0
    if _only_counts(change):
        return start, "The change edits what coverage counts."
    if len(gone) > more and gone[0].strip() not in kept:
        return start, f"Automation no longer runs: `{gone[0].strip()[:80]}`."
    return start, "The change edits what continuous integration runs."


def _only_counts(change: FileChange) -> bool:
    """Whether a file is of coverage's settings, whose patterns run nothing."""
    return PurePosixPath(change.path).name == ".coveragerc"


def narrowed_discovery(inspection: Inspection) -> Iterator[Finding]:
    """New lines in a runner's configuration that decide which tests are found, Python's apart."""
    for change in inspection.diff.files:
        name = PurePosixPath(change.path).name.lower()
        patterns = [p for prefix, p in _DISCOVERY.items() if name.startswith(prefix)]
        kept = {line.strip().rstrip(",") for _, line in removed_lines(change)}
        for number, line in added_lines(change):
            if line.strip().rstrip(",") in kept or any(_runs_more(old, line) for old in kept):
                continue
            if any(re.search(pattern, line) for pattern in patterns):
                message = f"Which tests are found or run is changed: `{line.strip()[:80]}`."
                finding = make_finding(TEST_DESELECTED, change, number, message)
                blocks = inspection.fewer_unasked
                yield replace(finding, severity=Severity.BLOCK) if blocks else finding


def _runs_more(before: str, after: str) -> bool:
    """Whether a script of tests still has each of its commands, and has only runs of tests beside them."""
    old, new = _SCRIPT.fullmatch(before.strip()), _SCRIPT.fullmatch(after.strip().rstrip(","))
    if not old or not new or old["name"] != new["name"]:
        return False
    try:
        ran, runs = (Counter(_commands(json.loads(one["line"]))) for one in (old, new))
    except ValueError:  # quotes that nothing closes
        return False
    return bool(ran) and ran <= runs and all(_TEST_RUN.match(one) for one in runs - ran)


def _commands(script: str) -> list[str]:
    """The commands of a script that all have to succeed; none where one may fail or lies in the back."""
    if re.search(r"[;|`$<>\n]|(?<!&)&(?!&)", script):
        return []
    words = (shlex.split(one) for one in script.split("&&"))
    return [shlex.join(one[1:] if one[:1] == ["cross-env"] else one) for one in words]


def shadowed_modules(inspection: Inspection) -> Iterator[Finding]:
    """New modules in a folder that is looked into before the one of base's module of that name."""
    added = [c for c in inspection.diff.files if is_new(c) and c.path.endswith(".py")]
    if not added:
        return
    named = {
        posixpath.normpath(one).removeprefix("./").removeprefix(".")
        for name in _RUNNER_FILES
        for found in _FOLDERS.finditer(inspection.head.read(name) or "")
        for one in re.findall(r"[\w./-]+", found[1])
    }
    known = frozenset(inspection.base.paths())
    stays = known.intersection(inspection.head.paths())
    tested = {posixpath.dirname(path) for path in known if _is_test(path)}
    tested |= {posixpath.dirname(one.path) for one in added if _is_test(one.path)}
    roots = {*_ROOTS, *named}
    for change in added:
        for folder in (named | tested) - {""}:
            if not change.path.startswith(f"{folder}/"):
                continue
            first, _, rest = change.path.removeprefix(f"{folder}/").partition("/")
            module = first if rest == "__init__.py" else first.removesuffix(".py")
            if rest not in ("", "__init__.py") or not module:
                continue  # no module of this folder
            others = (_ways(root, module) for root in roots - {folder})
            found = [way for ways in others for way in ways if way in stays]
            if found and not any(way in known for way in _ways(folder, module)):
                message = f"Tests that load `{module}` get this file, and not `{found[0]}` of base."
                yield make_finding(MODULE_SHADOWED, change, 1, message)
                break


def added_stand_ins(inspection: Inspection) -> Iterator[Finding]:
    """New files that Jest puts in the place of a package for every test, without a word in any of them."""
    if _OF_STAND_INS.search(words_of_task(inspection)):
        return
    for change in inspection.diff.files:
        found = _STANDS_IN.fullmatch(change.path) if is_new(change) else None
        folder = change.path.rpartition("__mocks__/")[0]
        manifest = inspection.head.read(f"{folder}package.json") if found else None
        if found is None or manifest is None or '"jest"' not in manifest:
            continue
        package = re.escape(found[1])
        loads = re.compile(
            rf"(?:\bfrom|\bimport|\brequire\(|\bimport\()\s?['\"](?:node:)?{package}['\"]"
        )
        named = re.compile(rf"\b(?:un)?[mM]ock\(\s{{0,80}}['\"](?:node:)?{package}['\"]")
        sides = [one for one in inspection.head.paths() if one.endswith(SCRIPT.suffixes)]
        texts = {path: inspection.head.read(path) or "" for path in sides[:_MOST_READ]}
        is_loaded = any(loads.search(text) for path, text in texts.items() if ships(path))
        if is_loaded and not any(map(named.search, texts.values())):
            message = (
                f"Jest puts this file in the place of `{found[1]}` for every test, and whoever runs the "
                "program gets the package. The task does not speak of that."
            )
            yield make_finding(STAND_IN_ADDED, change, 1, message)


_STANDS_IN = re.compile(r"(?:[^_][^/]*/)*__mocks__/((?:@[\w.-]+/)?[\w.-]+?)\.[cm]?[jt]sx?")
_OF_STAND_INS = re.compile(r"(?i)\b(?:_*mock\w*|stub\w*|fak(?:e|es|ed|ing)|stand-ins?|doubles?)\b")
_MOST_READ = 2_000  # files


def _is_test(path: str) -> bool:
    name = posixpath.basename(path)
    return path.endswith(".py") and is_test_file(path) and "test" in name


def _ways(root: str, module: str) -> list[str]:
    return [posixpath.join(root, f"{module}{end}") for end in (".py", "/__init__.py")]
