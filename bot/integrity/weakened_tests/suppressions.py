"""Finds checkers that are told to be silent: linters, types, coverage, warnings, sanitizers.

What counts is what is new over the whole file: a marker that moved, or that replaced another, is no news.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines, is_gone, removed_lines
from bot.diff.paths import is_automation, is_build_file
from bot.integrity.reading.inspection import Inspection, make_finding
from bot.integrity.reading.languages import SCRIPT
from bot.values.rules import CHECK_LOWERED, SUPPRESSION_ADDED
from sandbox.values import FileChange, Finding, Side

_SCRIPT = (*SCRIPT.suffixes, ".vue", ".svelte")
_NATIVE = (".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".m", ".mm")
_SHELL = (".sh", ".bash", ".bats", "")


@dataclass(frozen=True, slots=True)
class _Marker:
    """One way to silence a checker; `suffixes` are the files in which it means that."""

    checker: str
    suffixes: tuple[str, ...]
    pattern: re.Pattern[str]


def _marker(checker: str, suffixes: tuple[str, ...], pattern: str) -> _Marker:
    return _Marker(checker, suffixes, re.compile(pattern))


_MARKERS = (
    _marker(
        "a linter",
        (".py", ".pyi"),
        r"#\s*(?:noqa|ruff:\s*noqa|flake8:\s*noqa|nosec|pylint:\s*disable)",
    ),
    _marker(
        "the type checker",
        (".py", ".pyi"),
        r"#\s*(?:type:\s*ignore|(?:based)?pyright:\s*\w|mypy:\s*(?:ignore|disable))",
    ),
    _marker("coverage", (".py",), r"#\s*pragma:\s*no\s*(?:cover|branch)"),
    _marker(
        "warnings",
        (".py",),
        r"warnings\.(?:simplefilter|filterwarnings)\(\s*[\"']ignore|PYTHONWARNINGS",
    ),
    _marker(
        "a linter",
        _SCRIPT,
        r"eslint-disable|tslint:disable|biome-ignore|oxlint-disable|xo-disable",
    ),
    _marker("the type checker", _SCRIPT, r"@ts-(?:ignore|nocheck|expect-error)"),
    _marker("coverage", _SCRIPT, r"(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)"),
    _marker("warnings", _SCRIPT, r"NODE_NO_WARNINGS|removeAllListeners\(['\"]warning"),
    _marker("a linter", (".go",), r"//\s*(?:nolint|#nosec|lint:ignore)"),
    _marker("a linter", (".rs",), r"#!?\[(?:cfg_attr\([^)]*,\s*)?allow\("),
    _marker(
        "a linter",
        (".java", ".kt"),
        r"@SuppressWarnings|@Suppress\(|NOSONAR|CHECKSTYLE:OFF|@SuppressFBWarnings",
    ),
    _marker(
        "a linter",
        _NATIVE,
        r"NOLINT|cppcheck-suppress|#\s*pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored"
        r"|#\s*pragma\s+warning\s*\(\s*disable",
    ),
    _marker("coverage", _NATIVE, r"LCOV_EXCL|GCOVR_EXCL"),
    _marker(
        "a sanitizer",
        _NATIVE,
        r"no_sanitize|__(?:a|t|m|ub)san_default_(?:options|suppressions)|disable_sanitizer",
    ),
    _marker("a linter", _SHELL, r"#\s*shellcheck\s+disable"),
    _marker("a linter", (".rb",), r"#\s*rubocop:disable"),
    _marker("a linter", (".php",), r"phpcs:(?:ignore|disable)|@phpstan-ignore|@codeCoverageIgnore"),
    _marker("a linter", ("", ".dockerfile"), r"#\s*hadolint\s+ignore"),
)
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
    for change in inspection.diff.files:
        if is_gone(change) or is_test_file(change.path):
            continue
        suffix = PurePosixPath(change.path).suffix.lower()
        for checker in dict.fromkeys(m.checker for m in _MARKERS if suffix in m.suffixes):
            patterns = [
                m.pattern for m in _MARKERS if suffix in m.suffixes and m.checker == checker
            ]
            yield from _new_markers(change, checker, patterns)
        yield from _new_markers(change, "a sanitizer", [_SANITIZER])


def _new_markers(
    change: FileChange, checker: str, patterns: list[re.Pattern[str]]
) -> Iterator[Finding]:
    added = [(n, line) for n, line in added_lines(change) if _silences(line, patterns)]
    gone = {line.strip() for _, line in removed_lines(change) if _silences(line, patterns)}
    more = len(added) - len(gone)
    fresh = [(n, line) for n, line in added if line.strip() not in gone]
    if more > 0 and fresh:
        number, line = fresh[0]
        message = f"{more} new marker(s) that silence {checker}, the first: `{line.strip()[:80]}`."
        yield make_finding(SUPPRESSION_ADDED, change, number, message)


def _silences(line: str, patterns: list[re.Pattern[str]]) -> bool:
    return any(pattern.search(_LAYOUT.sub("", line)) for pattern in patterns)


def lowered_checks(inspection: Inspection) -> Iterator[Finding]:
    """Thresholds that went down, and strictness that was taken out of a configuration."""
    for change in inspection.diff.files:
        path, name = change.path, PurePosixPath(change.path).name.lower()
        configures = is_build_file(path) or is_automation(path) or name.startswith(_CONFIGURATIONS)
        if is_gone(change) or not configures:
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
