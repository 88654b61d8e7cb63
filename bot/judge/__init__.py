"""Requirements, ties, verdicts, gate and integrity: pure and synchronous."""

from bot.judge.acceptance import (
    acceptable,
    after_acceptances,
    can_be_accepted,
    can_be_overridden,
    checked,
    needs_code,
    of_group,
    places_of,
    subject_of,
    text_of,
    touches,
)
from bot.judge.closing import IssueReference, closing_issues
from bot.judge.damage import called_in, kept_that_reach, stand_ins
from bot.judge.diff_text import unified
from bot.judge.empty_inputs import empty_calls, promises
from bot.judge.gate import EXIT_CODES, Beside, conclude
from bot.judge.integrity import TextReader, inspect_integrity
from bot.judge.integrity.dependencies import dependency_findings, new_dependencies
from bot.judge.keeping import proofs_of_each
from bot.judge.meaning import kinds_of_change
from bot.judge.outcome import MetCount, count_met, verdicts
from bot.judge.patch_reasons import patch_reasons
from bot.judge.planning import plan
from bot.judge.removed_code import find_retired
from bot.judge.requirements import BUILDS, comprehend
from bot.judge.transitions import transition
from bot.judge.weighing import weigh
from bot.judge.whole_plan import score_plan

__all__ = [
    "BUILDS",
    "EXIT_CODES",
    "Beside",
    "IssueReference",
    "MetCount",
    "TextReader",
    "acceptable",
    "after_acceptances",
    "called_in",
    "can_be_accepted",
    "can_be_overridden",
    "checked",
    "closing_issues",
    "comprehend",
    "conclude",
    "count_met",
    "dependency_findings",
    "empty_calls",
    "find_retired",
    "inspect_integrity",
    "kept_that_reach",
    "kinds_of_change",
    "needs_code",
    "new_dependencies",
    "of_group",
    "patch_reasons",
    "places_of",
    "plan",
    "promises",
    "proofs_of_each",
    "score_plan",
    "stand_ins",
    "subject_of",
    "text_of",
    "touches",
    "transition",
    "unified",
    "verdicts",
    "weigh",
]
