"""Finds checkers that are told to be silent: linters, types, coverage, warnings, sanitizers.

What counts is what is new over the whole file: a marker that moved, or that replaced another, is no news.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines, removed_lines
from bot.diff.paths import is_automation, is_build_file
from bot.integrity.reading.inspection import Inspection, make_finding
from bot.integrity.reading.languages import SCRIPT
from bot.values.rules import CHECK_LOWERED, SUPPRESSION_ADDED
from sandbox.values import FileChange, Finding, Side

_PYTHON = (".py", ".pyi")
_SCRIPT = (*SCRIPT.suffixes, ".vue", ".svelte")
_NATIVE = (".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".m", ".mm")
_LINTERS: dict[tuple[str, ...], str] = {
    _PYTHON: r"#\s*(?:noqa|ruff:\s*noqa|flake8:\s*noqa|nosec|pylint:\s*disable)",
    _SCRIPT: r"eslint-disable|tslint:disable|biome-ignore|oxlint-disable|xo-disable",
    (".go",): r"//\s*(?:nolint|#nosec|lint:ignore)",
    (".rs",): r"#!?\[(?:cfg_attr\([^)]*,\s*)?allow\(",
    (".java", ".kt"): r"@SuppressWarnings|@Suppress\(|NOSONAR|CHECKSTYLE:OFF|@SuppressFBWarnings",
    _NATIVE: r"NOLINT|cppcheck-suppress|#\s*pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored"
    r"|#\s*pragma\s+warning\s*\(\s*disable",
    (".sh", ".bash", ".bats"): r"#\s*shellcheck\s+disable",
    ("",): r"#\s*(?:shellcheck\s+disable|hadolint\s+ignore)",
    (".dockerfile",): r"#\s*hadolint\s+ignore",
    (".rb",): r"#\s*rubocop:disable",
    (".php",): r"phpcs:(?:ignore|disable)|@phpstan-ignore|@codeCoverageIgnore",
}
_CHECKERS: dict[str, dict[tuple[str, ...], str]] = {
    "a linter": _LINTERS,
    "the type checker": {
        _PYTHON: r"#\s*(?:type:\s*ignore|(?:based)?pyright:\s*\w|mypy:\s*(?:ignore|disable))",
        _SCRIPT: r"@ts-(?:ignore|nocheck|expect-error)",
    },
    "coverage": {
        (".py",): r"#\s*pragma:\s*no\s*(?:cover|branch)",
        _SCRIPT: r"(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)",
        _NATIVE: r"LCOV_EXCL|GCOVR_EXCL",
    },
    "warnings": {
        (".py",): r"warnings\.(?:simplefilter|filterwarnings)\(\s*[\"']ignore|PYTHONWARNINGS",
        _SCRIPT: r"NODE_NO_WARNINGS|removeAllListeners\(['\"]warning",
    },
    "a sanitizer": {
        _NATIVE: r"no_sanitize|__(?:a|t|m|ub)san_default_(?:options|suppressions)|disable_sanitizer",
    },
}
_MARKERS = {
    (suffix, checker): re.compile(pattern)
    for checker, patterns in _CHECKERS.items()
    for suffixes, pattern in patterns.items()
    for suffix in suffixes
}
"""What silences a checker, by the ending of the files in which it means that."""
_LAYOUT = re.compile(
    r"#\s*noqa:\s*(?:(?:[EW][1235]|COM|Q|I)\d+)(?:[,\s]+(?:[EW][1235]|COM|Q|I)\d+)*\s*(?=#|$)"
)
"""Silences nothing but blanks, line length, commas, quotes and the order of imports: no bug hides there."""
_SANITIZER = re.compile(
    r"-fno-sanitize|(?:A|T|M|UB|L)SAN_OPTIONS\s*[:=].*(?:=0|suppressions|exitcode=0|halt_on_error=0)"
)
_LOWERED = re.compile(
    r"(?i)fail[_-]under|coverageThreshold|check-coverage|^\s*\"?(?:branches|functions|lines|statements)\"?\s*:"
    r"|minimum_coverage|--cov-fail-under"
)
_STRICT = re.compile(
    r"(?i)-Werror|-Wall\b|-fsanitize|--max-warnings|^\s*\"?(?:strict|strict_optional|disallow_\w+|warn_\w+|noImplicit\w+|"
    r"strictNullChecks)\"?\s*[=:]\s*true|filterwarnings\s*=\s*.*error|^\s*[\"']error[\"'],?\s*$|deny\(warnings\)"
    r"|xfail_strict\s*=\s*true|--strict-(?:markers|config)"
)
_CONFIGURATIONS = (
    ".", "jest", "vitest", "tsconfig", "eslint", "karma", "cmakelists", "mypy", "ruff", "pytest.ini",
    "makefile", "biome.json", "pom.xml", "build.gradle", "codecov.yml",
)  # fmt: skip
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def suppressions(inspection: Inspection) -> Iterator[Finding]:
    """New markers that silence a checker in what ships: one finding for each file and checker."""
    for change in inspection.left():
        if is_test_file(change.path):
            continue
        suffix = PurePosixPath(change.path).suffix.lower()
        for checker in _CHECKERS:
            if pattern := _MARKERS.get((suffix, checker)):
                yield from _new_markers(change, checker, pattern)
        yield from _new_markers(change, "a sanitizer", _SANITIZER)


def _new_markers(change: FileChange, checker: str, pattern: re.Pattern[str]) -> Iterator[Finding]:
    added = [(n, line) for n, line in added_lines(change) if _silences(line, pattern)]
    gone = {line.strip() for _, line in removed_lines(change) if _silences(line, pattern)}
    more = len(added) - len(gone)
    fresh = [(n, line) for n, line in added if line.strip() not in gone]
    if more > 0 and fresh:
        number, line = fresh[0]
        silence = "markers that silence" if more > 1 else "marker that silences"
        message = f"{more} new {silence} {checker}, the first: `{line.strip()[:80]}`."
        yield make_finding(SUPPRESSION_ADDED, change, number, message)


def _silences(line: str, pattern: re.Pattern[str]) -> bool:
    return pattern.search(_LAYOUT.sub("", line)) is not None


def lowered_checks(inspection: Inspection) -> Iterator[Finding]:
    """Thresholds that went down, and strictness that was taken out of a configuration."""
    for change in inspection.left():
        path, name = change.path, PurePosixPath(change.path).name.lower()
        configures = is_build_file(path) or is_automation(path) or name.startswith(_CONFIGURATIONS)
        if not configures:
            continue
        after = inspection.after(change) or ""
        for number, line in removed_lines(change):
            kept = line.strip().rstrip(",") in after
            if _STRICT.search(line) and not kept:
                message = f"A strict check was taken out: `{line.strip()[:80]}`."
                yield make_finding(CHECK_LOWERED, change, number, message, Side.BASE)
        before = [
            n for _, line in removed_lines(change) if _LOWERED.search(line) for n in _found(line)
        ]
        for number, line in added_lines(change):
            now = _found(line) if _LOWERED.search(line) else []
            if before and now and max(now) < max(before):
                message = f"A threshold went down from {max(before):g}: `{line.strip()[:80]}`."
                yield make_finding(CHECK_LOWERED, change, number, message)


def _found(line: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(line)]
