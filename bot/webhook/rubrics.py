"""`/judge rubric` and `/judge rubric approve`: the draft is one comment on the issue, for people to edit.

Each part may be repeated: the comment is looked for before it is made, and the same words are the
same version, which one person approves once.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import UserError
from bot.evaluation.rubrics import Branch
from bot.github import Comment
from bot.judges.rubric_drafting import AskedIssue
from bot.source.repository import linked_issues
from bot.task.rubrics.form import RubricProblem, read_form
from bot.templates import render_markdown
from bot.values import KeptRubric
from bot.webhook.adapters import Adapters, AtRepository
from bot.webhook.decisions import ObeyCommand

if TYPE_CHECKING:
    from bot.github.repository import Repository


@dataclass(frozen=True, slots=True)
class _Subject:
    """What a command is about; `author` is the pull request's, empty on an issue."""

    issue: AskedIssue
    branch: Branch
    author: str


def rubric_marker(issue: int) -> str:
    """The hidden first line of an issue's rubric."""
    return f"<!-- assay:rubric {issue:d} -->"


async def draft(at: AtRepository, decision: ObeyCommand) -> str:
    """Post a draft on the issue unless one is there, keep its words, and return the reply."""
    subject = await _subject(at.repository, decision)
    number = subject.issue.number
    needed = await _approvals_needed(at, subject)
    comment = await _comment(at.repository, number)
    if comment is None:
        drafted = await at.rubrics.draft(subject.branch, subject.issue)
        body = render_markdown("rubric/form.md.j2", rubric=drafted, number=number, needed=needed)
        # Drafting takes minutes: somebody else's draft may stand there by now, and be edited.
        comment = await _comment(at.repository, number) or await at.repository.put_comment(
            number, rubric_marker(number), body
        )
    kept = await _kept(at, number, comment)
    golden = await _golden(at, subject, needed)
    return render_markdown(
        "reply/rubric_drafted.md.j2",
        kept=kept,
        number=number,
        needed=needed,
        golden=golden,
        link=comment.url,
    )


async def approve(at: AtRepository, decision: ObeyCommand) -> str:
    """Count an approval of the words that stand there now, and return the reply."""
    subject = await _subject(at.repository, decision)
    number, actor = subject.issue.number, decision.place.actor
    if subject.author.lower() == actor.lower():
        raise UserError("The author of a pull request does not count for its rubric.")
    comment = await _comment(at.repository, number)
    if comment is None:
        raise UserError(f"Issue {number} has no rubric to approve: `/judge rubric` drafts one.")
    if comment.updated_at > decision.given_at > "":
        raise UserError(
            "The rubric was edited after this approval was given, so it does not count.",
            "Read what stands there now, then comment `/judge rubric approve` again.",
        )
    needed = await _approvals_needed(at, subject)
    kept = await _kept(at, number, comment)
    store, name = at.store, at.repository.name
    await asyncio.to_thread(store.approve_rubric, name, number, kept.version, actor)
    kept = (await asyncio.to_thread(store.rubrics, name, number))[kept.version - 1]
    golden = await _golden(at, subject, needed)
    return render_markdown(
        "reply/rubric_approved.md.j2",
        kept=kept,
        number=number,
        golden=golden,
        needed=needed,
        approved_by=kept.approvals(subject.author),
        link=comment.url,
    )


async def _approvals_needed(adapters: Adapters, subject: _Subject) -> int:
    """How many, where people approve at all: a file on the base branch counts alone."""
    rule = await adapters.rubrics.rule(subject.branch, subject.issue.number)
    if rule.path:
        raise UserError(
            f"The rubric of issue {subject.issue.number} is the file `{rule.path}` on the base branch, "
            "golden by being there.",
            "Change it there.",
        )
    return rule.approvals


async def _golden(at: AtRepository, subject: _Subject, needed: int) -> int:
    """The version that patches are held to now; 0 while there is none."""
    known = await asyncio.to_thread(at.store.rubrics, at.repository.name, subject.issue.number)
    enough = (one.version for one in known if len(one.approvals(subject.author)) >= needed)
    return max(enough, default=0)


async def _kept(at: AtRepository, number: int, comment: Comment) -> KeptRubric:
    try:
        rubric = read_form(comment.body)
    except RubricProblem as error:
        raise UserError(f"The rubric of issue {number} cannot be read: {error}.") from error
    return await asyncio.to_thread(at.store.keep_rubric, at.repository.name, number, rubric)


async def _comment(repository: Repository, number: int) -> Comment | None:
    """The comment of ours that begins with the marker; who may edit it may write here."""
    marker = rubric_marker(number)
    comments = await repository.comments(number)
    return next((one for one in comments if one.own and one.body.startswith(marker)), None)


async def _subject(repository: Repository, decision: ObeyCommand) -> _Subject:
    """The issue itself, or the first issue of this repository that the pull request closes."""
    place, author = decision.place, ""
    number = decision.number
    if decision.on_pull_request:
        pull_request = await repository.pull_request(decision.number)
        here = repository.name.lower()
        linked = await linked_issues(repository, pull_request)
        numbers = [one.number for one in linked if one.repository.lower() == here]
        if not numbers:
            raise UserError(
                "A rubric belongs to an issue, and this pull request closes none: write `Closes #…` into "
                "its description."
            )
        number, author, base = numbers[0], pull_request.author, pull_request.base_ref
    else:
        base = await repository.default_branch()
    issue = await repository.issue(number)
    asked = AskedIssue(number, issue.title, issue.body)
    return _Subject(asked, Branch(place.repository, place.installation, base), author)
