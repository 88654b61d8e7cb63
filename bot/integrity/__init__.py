"""Looks for tests made weaker and for results made up, whatever the tests say.

One folder a question; `CHECKS` is the literal registry. A finding blocks when the base version of the
weakened test fails on head, or when fewer tests are collected and nothing asked for that; otherwise it
advises.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.diff.lines import TextReader
from bot.integrity.compatibility.callers import broken_callers
from bot.integrity.compatibility.dependencies import moved_versions
from bot.integrity.compatibility.ignored_parameters import ignored_parameters
from bot.integrity.compatibility.overrides import left_overrides
from bot.integrity.compatibility.package_entries import (
    lost_modes,
    reached_on_install,
    stale_entries,
)
from bot.integrity.compatibility.public_names import (
    lost_base_classes,
    lost_hashes,
    removed_public_names,
)
from bot.integrity.compatibility.twins import left_twins
from bot.integrity.faked_results.hard_coded import hard_coded_results, test_awareness
from bot.integrity.faked_results.hidden_code import decoded_code, test_reading, unseen_content
from bot.integrity.faked_results.tampering import (
    early_exits,
    replaced_commands,
    replaced_subjects,
    tampering,
)
from bot.integrity.faked_results.tested_inputs import branches_for_tested_inputs
from bot.integrity.reading.inspection import Check, Inspection, TestFacts
from bot.integrity.scope.named_parts import missing_options, missing_parts
from bot.integrity.scope.new_options import (
    parameters_never_given,
    unasked_options,
    untried_options,
    unused_definitions,
)
from bot.integrity.scope.out_of_scope import files_out_of_scope
from bot.integrity.side_effects.guards import removed_guards
from bot.integrity.side_effects.protections import kept_on_errors, lost_protections
from bot.integrity.side_effects.reach import newly_reached
from bot.integrity.side_effects.swallowed_errors import swallowed_errors
from bot.integrity.side_effects.text_methods import replaced_only_first, stripped_letters
from bot.integrity.texts.instructions import hidden_text, instructions_to_reviewers
from bot.integrity.texts.leaks import secrets_added
from bot.integrity.weakened_tests.automation import (
    added_stand_ins,
    edited_automation,
    narrowed_discovery,
    shadowed_modules,
)
from bot.integrity.weakened_tests.suppressions import lowered_checks, suppressions
from bot.integrity.weakened_tests.weakened import changed_expectations, weakened_tests
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
    facts = TestFacts(four_way, requirements)
    inspection = Inspection(diff, base_reader, head_reader, facts, requirements)
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
    unseen_content,
    weakened_tests,
    changed_expectations,
    hard_coded_results,
    branches_for_tested_inputs,
    test_awareness,
    test_reading,
    decoded_code,
    tampering,
    early_exits,
    replaced_commands,
    replaced_subjects,
    edited_automation,
    narrowed_discovery,
    suppressions,
    lowered_checks,
    secrets_added,
    instructions_to_reviewers,
    hidden_text,
    files_out_of_scope,
    newly_reached,
    reached_on_install,
    missing_options,
    missing_parts,
    unasked_options,
    untried_options,
    parameters_never_given,
    unused_definitions,
    replaced_only_first,
    stripped_letters,
    removed_public_names,
    broken_callers,
    ignored_parameters,
    left_overrides,
    left_twins,
    lost_base_classes,
    lost_hashes,
    swallowed_errors,
    removed_guards,
    lost_protections,
    kept_on_errors,
    shadowed_modules,
    added_stand_ins,
    moved_versions,
    stale_entries,
    lost_modes,
)
