"""Code that can make results up, and changed automation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.judge.integrity.inspection import Inspection, is_gone, make_finding
from bot.judge.paths import is_automation
from bot.judge.rules import CI_EDITED
from bot.judge.tampering import tampering_in
from sandbox.models import Finding, Severity


def tampering(inspection: Inspection) -> Iterator[Finding]:
    """Hooks, early exits, faked equality, start-up code, deselection."""
    for change in inspection.diff.files:
        if is_gone(change):
            continue
        before, after = inspection.before(change), inspection.after(change)
        for remark in tampering_in(change, before, after):
            finding = make_finding(remark.rule, change, remark.line, remark.message)
            blocks = remark.is_deselection and inspection.standing.fewer_unasked
            yield replace(finding, severity=Severity.BLOCK) if blocks else finding


def edited_automation(inspection: Inspection) -> Iterator[Finding]:
    """Every edited file that says what continuous integration runs."""
    for change in inspection.diff.files:
        if is_automation(change.path):
            line = change.hunks[0].new_start if change.hunks else 0
            message = "The change edits what continuous integration runs."
            yield make_finding(CI_EDITED, change, line, message)
