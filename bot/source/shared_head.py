"""One commit that is the head of several open pull requests: every check run on it shows the worst.

GitHub keeps check runs by commit, so without this a pull request into a branch of one's own would turn the
check of another one green. Whoever posts or takes back a verdict calls `agree` afterwards, on what the
records say then: of two that end at the same time, the later one sees both.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.errors import UserError
from bot.github import CheckReport, CheckStatus, NotThere
from bot.report.markdown import marker, with_status, without_status
from bot.store import EvaluationRecord, Store
from bot.templates import check_words, render_markdown
from bot.values import Conclusion, EvaluationRequest

if TYPE_CHECKING:
    from bot.github.repository import Repository


_BEST_FIRST = (
    Conclusion.SUCCESS,
    Conclusion.NEUTRAL,
    Conclusion.CANCELLED,
    Conclusion.ACTION_REQUIRED,
    Conclusion.TIMED_OUT,
    Conclusion.FAILURE,
)
MOST_TITLE = 255
Link = Callable[[str], str]


def report_of(
    request: EvaluationRequest,
    status: CheckStatus,
    words: tuple[str, str],
    check_name: str,
    link: str,
) -> CheckReport:
    """Say title and summary on an evaluation's check run; `link` addresses its page."""
    return CheckReport(
        name=request.check_name(check_name),
        head_sha=request.head_sha,
        external_id=request.id,
        status=status,
        title=words[0],
        summary=words[1],
        details_url=link,
    )


@dataclass(frozen=True, slots=True)
class HeadVerdict:
    """What one open pull request was told about a commit. Without an evaluation it was told nothing yet."""

    number: int
    conclusion: Conclusion
    title: str
    evaluation: EvaluationRecord | None = None


@dataclass(frozen=True, slots=True)
class SharedHead:
    """The check runs of one commit. `store` is asked in a thread; `link` addresses an evaluation's page."""

    repository: Repository
    store: Store
    link: Link
    check_name: str

    async def agree(self, sha: str, number: int) -> None:
        """Show the worst verdict on every completed check run of a commit after `number`'s has changed.

        Costs no request where the records know of no other pull request. Raises Transient and UserError.
        """
        records = await asyncio.to_thread(self.store.of_head, self.repository.name, sha)
        if not {record.number for record in records} - {0, number}:
            return
        verdicts = await self.verdicts(sha)
        by_id = {one.evaluation.id: one for one in verdicts if one.evaluation is not None}
        for run in await self.repository.check_runs(sha, self.check_name):
            own = by_id.get(run.external_id)
            if own is None or run.status != CheckStatus.COMPLETED:
                continue
            link = self.link(run.external_id)
            report = CheckReport(
                name=self.check_name,
                head_sha=run.head_sha,
                external_id=run.external_id,
                status=CheckStatus.COMPLETED,
                conclusion=own.conclusion,
                title=own.title[:MOST_TITLE],
                summary=render_markdown("check/own_verdict.md.j2", link=link),
                details_url=link,
                actions=None,
            )
            shown = self.worst_shown(report, own, verdicts)
            if (run.conclusion, run.title) != (shown.conclusion, shown.title):
                await self.repository.put_check_run(shown, run.id)

    def worst_shown(
        self, report: CheckReport, own: HeadVerdict, verdicts: tuple[HeadVerdict, ...]
    ) -> CheckReport:
        """A check run's words where other open pull requests have its commit too."""
        others = tuple(one for one in verdicts if one.number != own.number)
        if not others:
            return report
        worst = max((own, *others), key=lambda one: _BEST_FIRST.index(one.conclusion))
        title, summary = check_words(
            "shared_head",
            own=own,
            worst=worst,
            verdicts=sorted((own, *others), key=lambda one: one.number),
            link=self.link,
        )
        return replace(
            report,
            conclusion=worst.conclusion,
            title=title[:MOST_TITLE] if worst is not own else report.title,
            summary=f"{summary}\n\n{report.summary}",
        )

    async def verdicts(self, sha: str) -> tuple[HeadVerdict, ...]:
        """How every open pull request stands whose head this commit is."""
        records = await asyncio.to_thread(self.store.of_head, self.repository.name, sha)
        latest = {record.number: record for record in reversed(records) if record.number}
        found = {one.number: one for one in await self.repository.pull_requests_of(sha)}
        for number in latest.keys() - found.keys():  # GitHub does not list every fork's
            try:
                found[number] = await self.repository.pull_request(number)
            except NotThere:
                continue
        told: list[HeadVerdict] = []
        for one in found.values():
            if not one.is_open or one.head_sha != sha:
                continue
            record = latest.get(one.number)
            if record is None:
                # Where its target protects nothing, nobody waits for a verdict.
                is_default = one.base_ref == await self.repository.default_branch()
                if not is_default and not await self.repository.is_protected(one.base_ref):
                    continue
                conclusion, why = Conclusion.ACTION_REQUIRED, "it has not been judged"
            elif not record.state.is_final:
                conclusion, why = Conclusion.ACTION_REQUIRED, "it is being judged"
            else:
                conclusion = Conclusion(record.conclusion or Conclusion.ACTION_REQUIRED)
                why = record.title
            told.append(HeadVerdict(one.number, conclusion, why, record))
        return tuple(told)


# --- the line on Assay's comment that says what is being judged, while the last verdict stays readable


log = logging.getLogger(__name__)


async def show_running(
    repository: Repository, request: EvaluationRequest, home: str, link: str
) -> None:
    """Say on the comment that a commit is being judged; without a comment nothing is said."""
    commit = f"{home}/commit/{request.head_sha}" if home else ""
    text = render_markdown("check/judging.md.j2", sha=request.head_sha, commit=commit, link=link)
    if body := await _comment(repository, request):
        await _put(repository, request, body, with_status(body, request.id, text))


async def hide_running(repository: Repository, request: EvaluationRequest) -> None:
    """Take the line back that this evaluation put there, where it ended without a new comment.

    A comment that cannot be changed any more (a locked conversation) is left as it is.
    """
    try:
        if body := await _comment(repository, request):
            await _put(repository, request, body, without_status(body, request.id))
    except UserError as error:
        log.warning("the comment still says that %s is judged: %s", request.id, error.what)


async def _comment(repository: Repository, request: EvaluationRequest) -> str:
    if not request.number:
        return ""
    mark = marker(request)
    for comment in await repository.comments(request.number):
        if comment.own and mark in comment.body:
            return comment.body
    return ""


async def _put(repository: Repository, request: EvaluationRequest, body: str, changed: str) -> None:
    if changed != body:
        await repository.put_comment(request.number, marker(request), changed)
