"""Looks for tests made weaker and for results made up, whatever the tests say.

One folder a question; `CHECKS` is the literal registry. A finding blocks when the base version of the
weakened test fails on head, or when fewer tests are collected and nothing asked for that; otherwise it
advises.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.diff.lines import TextReader
from bot.integrity.compatibility import (
    callers,
    dependencies,
    package_entries,
    parameters,
    public_names,
    twins,
)
from bot.integrity.faked_results import hard_coded, hidden_code, tampering, tested_inputs
from bot.integrity.reading.inspection import Check, Inspection
from bot.integrity.scope import named_parts, new_options, out_of_scope
from bot.integrity.side_effects import guards, protections, reach, swallowed_errors, text_methods
from bot.integrity.texts import instructions, leaks
from bot.integrity.weakened_tests import automation, suppressions, weakened
from bot.values import FourWay, Requirements
from bot.values.rules import NEEDS_READER, UNREAD_CHANGES
from sandbox.values import Diff, Finding, Severity

MAX_FINDINGS = 200


def inspect_integrity(
    diff: Diff,
    base_reader: TextReader,
    head_reader: TextReader,
    four_way: FourWay,
    requirements: Requirements,
) -> tuple[Finding, ...]:
    """Every integrity finding of a change, blocking ones first; at most 200, each with its hunk."""
    inspection = Inspection(diff, base_reader, head_reader, four_way, requirements)
    findings = (finding for check in CHECKS for finding in check(inspection))
    unique = {(f.rule, f.path, f.line, f.message): f for f in findings}
    # What decides comes first, so that a flood of small remarks cannot push it out.
    ordered = sorted(
        unique.values(),
        key=lambda f: (
            f.severity is not Severity.BLOCK,
            f.rule not in NEEDS_READER,
            f.path,
            f.line,
        ),
    )
    return tuple(ordered[:MAX_FINDINGS])


def unread_changes(inspection: Inspection) -> Iterator[Finding]:
    """Say that a part of the change was not looked at."""
    diff = inspection.diff
    if diff.truncated:
        yield Finding(
            UNREAD_CHANGES,
            Severity.ADVISE,
            diff.files[0].path if diff.files else "",
            0,
            "The diff was cut; weakened tests in the rest would not be seen.",
            tool="integrity",
        )


CHECKS: tuple[Check, ...] = (
    unread_changes,
    hidden_code.unseen_content,
    weakened.weakened_tests,
    weakened.changed_expectations,
    hard_coded.hard_coded_results,
    tested_inputs.branches_for_tested_inputs,
    hard_coded.test_awareness,
    hidden_code.test_reading,
    hidden_code.decoded_code,
    tampering.tampering,
    tampering.early_exits,
    tampering.replaced_commands,
    tampering.replaced_subjects,
    automation.edited_automation,
    automation.narrowed_discovery,
    suppressions.suppressions,
    suppressions.lowered_checks,
    leaks.secrets_added,
    leaks.secrets_told,
    instructions.instructions_to_reviewers,
    instructions.hidden_text,
    out_of_scope.files_out_of_scope,
    reach.newly_reached,
    package_entries.reached_on_install,
    named_parts.missing_options,
    named_parts.missing_parts,
    new_options.unasked_options,
    new_options.defaults_that_change,
    new_options.untried_options,
    new_options.parameters_never_given,
    new_options.unused_definitions,
    text_methods.replaced_only_first,
    text_methods.stripped_letters,
    public_names.removed_public_names,
    callers.broken_callers,
    parameters.ignored_parameters,
    parameters.left_overrides,
    twins.left_twins,
    public_names.lost_base_classes,
    public_names.lost_hashes,
    swallowed_errors.swallowed_errors,
    guards.removed_guards,
    protections.lost_protections,
    protections.kept_on_errors,
    automation.shadowed_modules,
    automation.added_stand_ins,
    dependencies.moved_versions,
    package_entries.stale_entries,
    package_entries.lost_modes,
)
