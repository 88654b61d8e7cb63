"""Shows what the linters find on head and did not find on base."""

from __future__ import annotations

from bot.judge import transition
from bot.looks.seen import Seen
from bot.models import Evidence, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.tools.static_linter import lint_python


async def look_at_findings(services: Services, case: Case, step: Step) -> Seen:
    """Lint the changed files on both sides; without a file to lint there is nothing to see."""
    linted = await lint_python(services.sandbox, case.checkout)
    if linted is None:
        return Seen()
    moved = transition(linted.base, linted.head)
    return Seen((Evidence(step.id, step, linted.base, linted.head, moved),), findings=linted.new)
