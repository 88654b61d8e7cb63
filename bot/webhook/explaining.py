"""`/judge explain R2` and the button "Explain": why a verdict is what it is, from what was kept of it.

Nothing is run and no model is asked: the stored evaluation is read, and the answer is put in place.
"""

from __future__ import annotations

from bot.errors import UserError
from bot.github import Repository
from bot.report.model import ReportView, RequirementView
from bot.templates import render_markdown
from bot.webhook.decisions import ExplainVerdict, ObeyCommand
from bot.webhook.desk import Desk
from bot.webhook.grammar import first_id
from bot.webhook.head_verdict import JudgedHead, judged_head
from bot.webhook.start import number_of

MOST_ROWS = 5
MOST_CHARACTERS = 60_000
"""GitHub takes 65,536."""


async def explain(
    desk: Desk, repository: Repository, decision: ObeyCommand, _delivery_id: str
) -> str:
    """Return the answer about one requirement. Raises UserError where there is nothing to explain."""
    found = await judged_head(desk, repository, decision.number)
    wanted = found.requirement(first_id(decision.words), "/judge explain R1").id
    shown = await desk.verdicts.shown(found.request)
    rows = tuple(row for row in shown.requirements if row.requirement.id == wanted)
    return _explained(desk, found, shown, rows)


async def explain_all(
    desk: Desk, repository: Repository, decision: ExplainVerdict, _delivery_id: str
) -> str:
    """Explain what is not met of the clicked commit, or everything where nothing is missing."""
    number = await number_of(desk, decision)
    if not number or not (await repository.permission(decision.place.actor)).can_write:
        return "the clicker may not write"
    try:
        found = await judged_head(desk, repository, number)
    except UserError as error:
        return f"refused: {error.what}"
    if found.request.head_sha != decision.head_sha:
        return "the clicked commit is not the newest"
    shown = await desk.verdicts.shown(found.request)
    of_task = [row for row in shown.met if not row.requirement.category.is_of_project]
    rows = shown.unmet or tuple(of_task) or shown.met
    body = _explained(desk, found, shown, rows)
    await repository.put_comment(number, f"<!-- assay:explained {found.request.id} -->", body)
    return "explained"


def _explained(
    desk: Desk, found: JudgedHead, shown: ReportView, rows: tuple[RequirementView, ...]
) -> str:
    """The answer, with as many requirements as fit into a comment."""
    body = ""
    for most in range(MOST_ROWS, 0, -1):
        body = render_markdown(
            "reply/explained.md.j2",
            view=shown,
            rows=rows[:most],
            left_out=tuple(row.requirement.id for row in rows[most:]),
            link=desk.link(found.request.id),
            again=found.is_judged_again,
        )
        if len(body) <= MOST_CHARACTERS:
            break
    return body
