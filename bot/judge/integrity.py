"""Looks for tests made weaker and for results made up, whatever the tests say (DESIGN 3.8).

Python tests are compared function by function on their syntax trees. A finding blocks when the
base version of the weakened test fails on head, or when fewer tests are collected and nothing asked
for that; otherwise it advises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from bot.judge.adaptation import is_only_adapted
from bot.judge.loosening import Remark, Version, compare_tests
from bot.judge.paths import is_automation, is_test_module
from bot.judge.rules import (
    ASSERTION_LOOSENED,
    CI_EDITED,
    EXPECTATION_CHANGED,
    TEST_ADAPTED,
    TEST_FILE_DELETED,
    UNREAD_CHANGES,
    adapted,
)
from bot.judge.standing import TestStanding, open_standing
from bot.judge.tampering import tampering_in
from bot.judge.test_code import CodeOfTests, read_tests
from bot.models import FourWay, Requirements, TestChange, TestComparison
from sandbox.models import ChangeStatus, Diff, FileChange, Finding, Outcome, Severity, Side

MAX_FINDINGS = 200
MAX_HUNK_LINES = 40


class TextReader(Protocol):
    """The texts of one side's tree."""

    def read(self, path: str) -> str | None:
        """The text of a file; None when it is absent, no text, or too large to read."""
        ...


@dataclass(frozen=True, slots=True)
class _Inspection:
    diff: Diff
    base: TextReader
    head: TextReader
    standing: TestStanding


def inspect_integrity(
    diff: Diff,
    base_reader: TextReader,
    head_reader: TextReader,
    four_way: FourWay,
    requirements: Requirements,
) -> tuple[Finding, ...]:
    """Every integrity finding of a change, blocking ones first; at most 200, each with its hunk."""
    inspection = _Inspection(diff, base_reader, head_reader, open_standing(four_way, requirements))
    findings = [
        *_unread(diff),
        *_weakened_tests(inspection),
        *_changed_expectations(inspection),
        *_tampering(inspection),
        *_edited_automation(inspection),
    ]
    unique = {(f.rule, f.path, f.line, f.message): f for f in findings}
    ordered = sorted(
        unique.values(), key=lambda f: (f.severity is not Severity.BLOCK, f.path, f.line)
    )
    return tuple(ordered[:MAX_FINDINGS])


def _unread(diff: Diff) -> Iterator[Finding]:
    if diff.truncated:
        yield Finding(
            UNREAD_CHANGES,
            Severity.ADVISE,
            diff.files[0].path if diff.files else "",
            0,
            "The diff was cut; weakened tests in the rest would not be seen.",
            tool="integrity",
        )


# --- tests -----------------------------------------------------------------------------------


def _weakened_tests(inspection: _Inspection) -> Iterator[Finding]:
    changed = [c for c in inspection.diff.files if _is_test_change(c)]
    before = {_old(c): _parsed(inspection.base, _old(c)) for c in changed if not _is_new(c)}
    after = {c.path: _parsed(inspection.head, c.path) for c in changed if not _is_gone(c)}
    elsewhere = [code for code in after.values() if code]
    for change in changed:
        yield from _one_test_file(change, before, after, elsewhere, inspection)


def _one_test_file(
    change: FileChange,
    before: dict[str, CodeOfTests | None],
    after: dict[str, CodeOfTests | None],
    elsewhere: list[CodeOfTests],
    inspection: _Inspection,
) -> Iterator[Finding]:
    base, head = before.get(_old(change)), after.get(change.path)
    if _is_gone(change) and base is None:
        yield _finding(TEST_FILE_DELETED, change, 0, "This test file was deleted.", Side.BASE)
        return
    versions = Version(_old(change), base), Version(change.path, head)
    for remark in compare_tests(*versions, elsewhere):
        yield _weighed(remark, change, inspection.standing)


def _weighed(remark: Remark, change: FileChange, standing: TestStanding) -> Finding:
    path = _old(change)
    finding = _finding(remark.rule, change, remark.line, remark.message, remark.side)
    if remark.side is Side.BASE:
        blocks = standing.deletion_blocks(path, remark.test)
    else:
        blocks = not remark.is_new_test and standing.base_version_fails(path, remark.test)
    return replace(finding, severity=Severity.BLOCK) if blocks else finding


def _changed_expectations(inspection: _Inspection) -> Iterator[Finding]:
    """What four ways show and the syntax does not: fixtures, snapshots, values."""
    changes = {change.path: change for change in inspection.diff.files}
    for test in inspection.standing.tests:
        change = changes.get(test.path)
        if change is None or not _is_edited_until_green(test):
            continue
        loosened = test.change is TestChange.PASS_TO_FAIL
        if _is_adapted(test, change, inspection):
            yield _finding(TEST_ADAPTED, change, test.line, adapted(test.id))
        elif loosened:
            message = f"`{test.id}` now passes with any code; its base version fails on head."
            found = _finding(ASSERTION_LOOSENED, change, test.line, message)
            yield replace(found, severity=Severity.BLOCK)
        else:
            message = f"What `{test.id}` expects was changed; its base version fails on head."
            yield _finding(EXPECTATION_CHANGED, change, test.line, message)


def _is_edited_until_green(test: TestComparison) -> bool:
    if test.change is TestChange.EXPECTATION_CHANGED:
        return True
    return test.change is TestChange.PASS_TO_FAIL and test.head_on_head is Outcome.PASSED


def _is_adapted(test: TestComparison, change: FileChange, inspection: _Inspection) -> bool:
    before = inspection.base.read(_old(change))
    after = inspection.head.read(change.path)
    _, _, name = test.id.split("[", 1)[0].partition("::")
    return bool(before and after and name) and is_only_adapted(before or "", after or "", name)


def _parsed(reader: TextReader, path: str) -> CodeOfTests | None:
    text = reader.read(path)
    return None if text is None else read_tests(text)


def _is_test_change(change: FileChange) -> bool:
    return is_test_module(change.path) or is_test_module(_old(change))


def _old(change: FileChange) -> str:
    return change.old_path or change.path


def _is_new(change: FileChange) -> bool:
    return change.status is ChangeStatus.ADDED


def _is_gone(change: FileChange) -> bool:
    return change.status is ChangeStatus.DELETED


# --- everything else -------------------------------------------------------------------------


def _tampering(inspection: _Inspection) -> Iterator[Finding]:
    for change in inspection.diff.files:
        if _is_gone(change):
            continue
        before = None if _is_new(change) else inspection.base.read(_old(change))
        after = inspection.head.read(change.path)
        for remark in tampering_in(change, before, after):
            finding = _finding(remark.rule, change, remark.line, remark.message)
            blocks = remark.is_deselection and inspection.standing.fewer_unasked
            yield replace(finding, severity=Severity.BLOCK) if blocks else finding


def _edited_automation(inspection: _Inspection) -> Iterator[Finding]:
    for change in inspection.diff.files:
        if is_automation(change.path):
            line = change.hunks[0].new_start if change.hunks else 0
            yield _finding(
                CI_EDITED,
                change,
                line,
                "The change edits what continuous integration runs.",
            )


def _finding(
    rule: str, change: FileChange, line: int, message: str, side: Side = Side.HEAD
) -> Finding:
    path = _old(change) if side is Side.BASE else change.path
    return Finding(
        rule=rule,
        severity=Severity.ADVISE,
        path=path,
        line=line,
        message=message,
        side=side,
        hunk=hunk_at(change, line, side),
        tool="integrity",
    )


def hunk_at(change: FileChange, line: int, side: Side) -> str:
    """The hunk that a line stands in, or the nearest one, with at most 40 lines."""
    if not change.hunks:
        return ""

    def distance(index: int) -> int:
        hunk = change.hunks[index]
        start, count = (
            (hunk.old_start, hunk.old_count)
            if side is Side.BASE
            else (hunk.new_start, hunk.new_count)
        )
        return max(start - line, line - (start + count - 1), 0)

    nearest = change.hunks[min(range(len(change.hunks)), key=distance)]
    return "\n".join(nearest.lines[:MAX_HUNK_LINES])
