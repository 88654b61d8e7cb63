"""How each step of a plan is taken: one file an action kind, all with the same signature."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from bot.context import Case
from bot.evidence.checks import (
    call_with_nothing,
    look_at_findings,
    read_file,
    run_check,
    search_code,
)
from bot.evidence.code_map.run import look_for_places
from bot.evidence.examples.run import call_as_shown
from bot.evidence.own_steps.commands import compare_file, run_line, run_named_tests, type_into
from bot.evidence.own_steps.files import run_judges_files
from bot.evidence.pages.run import follow_script, look_at_pages
from bot.evidence.seen import Seen
from bot.evidence.test_plan.run import run_plan_item
from bot.evidence.tests.run import run_unit_tests
from bot.services import Services
from bot.values import ActionKind, Step

Look = Callable[[Services, Case, Step], Coroutine[Any, Any, Seen]]

LOOKS: dict[ActionKind, Look] = {
    ActionKind.UNIT_TESTS: run_unit_tests,
    ActionKind.STATIC_LINTER: look_at_findings,
    ActionKind.BASH: run_check,
    ActionKind.SCREENSHOT: look_at_pages,
    ActionKind.INTERACTION: follow_script,
    ActionKind.DYNAMIC_EXECUTION: call_with_nothing,
    ActionKind.EXAMPLES: call_as_shown,
    ActionKind.SHELL_INTERACTION: run_plan_item,
    ActionKind.FILE_COMPARISON: run_plan_item,
    ActionKind.LOCATE: look_for_places,
    ActionKind.SEARCH: search_code,
    ActionKind.READ: read_file,
}
"""Every action that a plan may name. A look turns what goes wrong in the tree under test into data;
it raises SandboxError when the sandbox itself fails."""

ANALYSTS_LOOKS: dict[ActionKind, Look] = {
    **LOOKS,
    ActionKind.DYNAMIC_EXECUTION: run_judges_files,
    ActionKind.UNIT_TESTS: run_named_tests,
    ActionKind.BASH: run_line,
    ActionKind.SHELL_INTERACTION: type_into,
    ActionKind.FILE_COMPARISON: compare_file,
}
"""How an analyst's steps are taken: those of a plan rest on the configuration or on a test plan, an
analyst's name everything themselves."""


def look_of(step: Step) -> Look:
    """How a step of the plan is taken; one that a model proposed rests on no configuration."""
    return (ANALYSTS_LOOKS if step.is_proposed else LOOKS)[step.action]
