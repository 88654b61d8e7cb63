"""Shows what the linters find on head and did not find on base."""

from __future__ import annotations

from bot.judge import transition
from bot.looks.seen import Seen
from bot.models import Evidence, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.linters import LintRequest, lint_change


async def look_at_findings(services: Services, case: Case, step: Step) -> Seen:
    """Lint the changed files on both sides; without a file to lint there is nothing to see."""
    workspace = services.evaluation_folder(case.request) / "trees"
    request = LintRequest(case.checkout, workspace, case.built.base)
    linted = await lint_change(services.sandbox, request)
    if linted is None:
        return Seen()
    moved = transition(linted.base, linted.head)
    return Seen((Evidence(step.id, step, linted.base, linted.head, moved),), findings=linted.new)
