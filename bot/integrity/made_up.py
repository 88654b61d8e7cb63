"""Code that can make results up: hooks, early exits, faked equality, start-up code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines, is_gone, removed_lines
from bot.integrity.inspection import Inspection, make_finding
from bot.integrity.tampering import tampering_in
from bot.values.rules import EARLY_EXIT, TEST_DESELECTED
from sandbox.values import FileChange, Finding, Severity

_EXITS = re.compile(
    r"\bprocess\.(?:exit|reallyExit)\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0|\bos\.Exit\(\s*0\s*\)|"
    r"\bprocess::exit\(\s*0\s*\)|\bSystem\.exit\(\s*0\s*\)|\bRuntime\.getRuntime\(\)\.halt\(|"
    r"\b_?_?[eE]xit\(\s*(?:0|EXIT_SUCCESS)\s*\)|^\s*exit(?:\s+0)?\s*$|^\s*set\s+\+e\b|\btrap\s+.*exit\s+0"
)


def tampering(inspection: Inspection) -> Iterator[Finding]:
    """Hooks, early exits, faked equality, start-up code, deselection."""
    for change in inspection.diff.files:
        if is_gone(change):
            continue
        before, after = inspection.before(change), inspection.after(change)
        for remark in tampering_in(change, before, after):
            finding = make_finding(remark.rule, change, remark.line, remark.message)
            if remark.rule == TEST_DESELECTED and _stood_elsewhere(remark.line, change, inspection):
                continue
            blocks = remark.is_deselection and inspection.standing.fewer_unasked
            yield replace(finding, severity=Severity.BLOCK) if blocks else finding


def _stood_elsewhere(line: int, change: FileChange, inspection: Inspection) -> bool:
    """Whether the same setting stood in a file of base that the change edits: it only moved."""
    setting = next((text for number, text in added_lines(change) if number == line), "")
    wanted = re.findall(r"[\w./*-]+", setting)
    if len(wanted) < 2:
        return False
    return any(
        re.findall(r"[\w./*-]+", text) == wanted
        for other in inspection.diff.files
        for _, text in removed_lines(other)
    )


def early_exits(inspection: Inspection) -> Iterator[Finding]:
    """Lines that end a test program with success before its tests can fail, in other languages."""
    for change in inspection.diff.files:
        if is_gone(change) or not is_test_file(change.path) or change.path.endswith(".py"):
            continue
        before = inspection.before(change) or ""
        for number, line in added_lines(change):
            if _EXITS.search(line) and line.strip() not in before:
                message = (
                    f"This can end a test run before its results are told: `{line.strip()[:80]}`."
                )
                yield make_finding(EARLY_EXIT, change, number, message)
