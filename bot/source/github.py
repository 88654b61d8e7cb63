"""A repository on GitHub, seen through the App's installation."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from bot.configuration import PolicyContext
from bot.errors import Superseded, Transient, UserError
from bot.github import CheckAction, CheckReport, CheckStatus, Issue
from bot.report.markdown import marker
from bot.services import Announcement, CodeSource
from bot.source.repository import policy_context, task_of_issue, task_of_pull_request
from bot.source.shared_head import HeadVerdict, SharedHead, hide_running, report_of, show_running
from bot.store import Ended, EvaluationFacts, EvaluationState, Store
from bot.templates import check_words
from bot.values import (
    ACCEPT_BUTTON,
    EXPLAIN_BUTTON,
    RERUN_BUTTON,
    Acceptance,
    Conclusion,
    EvaluationRequest,
    MemberVerdict,
    Plan,
    Publication,
    Task,
    TestChange,
    Trigger,
)
from bot.values.conclusions import Review
from sandbox.repository.mirror import RepositorySource
from sandbox.values import Checkout

if TYPE_CHECKING:
    from bot.github.client import GitHubApp
    from bot.github.repository import Repository


log = logging.getLogger(__name__)

CHECK_NAME = "Assay"
FIRST_STAGE = "checkout"
_RERUN = CheckAction("Judge again", "Runs this commit in the sandbox again", RERUN_BUTTON)
_ACCEPT = CheckAction("Accept unverified", "Accept what could not be verified", ACCEPT_BUTTON)
_EXPLAIN = CheckAction("Explain", "Comments why it is so; nothing is run", EXPLAIN_BUTTON)


@dataclass(frozen=True, slots=True)
class GitHubOrigin:
    """Reads what was asked from GitHub, posts the comment and the check run.

    `report_link` gives the signed address of an evaluation's page; `allow_http` admits a
    GitHub-compatible server on the loopback.
    """

    github: GitHubApp
    store: Store
    report_link: Callable[[str], str]
    allow_http: bool = False

    async def code(self, request: EvaluationRequest) -> CodeSource:
        """Name both revisions, with a token for this repository that lives an hour."""
        await self._check_still_wanted(request)
        token = await self.github.clone_token(request.installation, request.repository)
        url = self.github.clone_url(request.repository)
        head = request.head_sha or request.head_ref
        return CodeSource(
            RepositorySource(url, token.value, self.allow_http), request.base_ref, head
        )

    async def _check_still_wanted(self, request: EvaluationRequest) -> None:
        if not request.number:
            return
        async with self._repository(request) as repository:
            pull_request = await repository.pull_request(request.number)
        if not pull_request.is_open:
            raise Superseded("The pull request was closed.")
        if pull_request.head_sha != request.head_sha:
            raise Superseded(f"A newer commit was pushed: {pull_request.head_sha[:12]}.")

    async def task(self, request: EvaluationRequest, checkout: Checkout) -> Task:
        """Read the issue and the pull request, or the text that was sent with a patch."""
        async with self._repository(request) as repository:
            if request.number:
                return await task_of_pull_request(
                    repository, request.number, partial(_may_write, repository)
                )
            if request.trigger is Trigger.MERGE_GROUP:
                return Task("The merge group holds together", ())
            return await task_of_issue(repository, request)

    async def policy_context(self, request: EvaluationRequest) -> PolicyContext:
        """Ask GitHub, through the installation of the repository."""
        opened = partial(self.github.repository, installation=request.installation)
        return await policy_context(opened, request.repository, request.base_ref)

    def home(self, request: EvaluationRequest) -> str:
        """Return the repository's page."""
        return self.github.clone_url(request.repository).removesuffix(".git")

    async def members(self, request: EvaluationRequest) -> tuple[MemberVerdict, ...]:
        """Say what every pull request of the merge group was last told."""
        if request.trigger is not Trigger.MERGE_GROUP:
            return ()
        async with self._repository(request) as repository:
            numbers = await repository.merge_group_members(request.head_ref, request.head_sha)
        told: list[MemberVerdict] = []
        for number in numbers:
            latest = self.store.latest(request.repository, number)
            conclusion = Conclusion(latest.conclusion) if latest and latest.conclusion else None
            given: dict[str, Acceptance] = {}
            for one in self.store.acceptances(request.repository, number):
                if latest and one.head_sha == latest.head_sha:
                    given.setdefault(one.subject, one)
            accepted = tuple(one for one in given.values() if not one.void)
            is_waived = bool(accepted) and conclusion is Conclusion.SUCCESS
            # Without a report nothing was judged: the configuration let it pass.
            is_left_out = conclusion is Conclusion.NEUTRAL and latest and not latest.report_key
            told.append(MemberVerdict(number, conclusion, is_waived, accepted, bool(is_left_out)))
        return tuple(told)

    async def artifact(
        self, request: EvaluationRequest, name: str, most_bytes: int
    ) -> bytes | None:
        """Ask for what a workflow left for the head commit."""
        async with self._repository(request) as repository:
            return await repository.artifact(name, request.head_sha, most_bytes)

    async def announce(
        self, request: EvaluationRequest, stage: str, plan: Plan | None = None
    ) -> None:
        """Show stage and plan on the check run; what GitHub does not take is not worth a failure."""
        if request.has_check_run:
            # Whoever cancels the evaluation completes its check run: what is said here and arrives after
            # that would open it again, so it is not left half done.
            await asyncio.shield(self._announce(request, stage, plan))

    async def _announce(self, request: EvaluationRequest, stage: str, plan: Plan | None) -> None:
        if stage == FIRST_STAGE:
            try:
                async with self._repository(request) as repository:
                    await show_running(repository, request, self.home(request), self.link(request))
            except (Transient, UserError) as error:
                log.warning("the comment does not say what is being judged: %s", error.what)
        words = check_words("in_progress", stage=stage, plan=plan)
        try:
            await self._put_check(request, self._report(request, CheckStatus.IN_PROGRESS, words))
            await self._take_back_if_cancelled(request)
        except (Transient, UserError) as error:  # publishing tries again, and says it if it must
            log.warning("the check run does not show stage %s: %s", stage, error.what)

    async def _take_back_if_cancelled(self, request: EvaluationRequest) -> None:
        """Say again what the cancel said, where it came between."""
        record = self.store.evaluation(request.id)
        if record is None or record.state is not EvaluationState.CANCELLED:
            return
        words = check_words("ended", superseded=True, why=record.problem, next_step="")
        report = self._report(request, CheckStatus.COMPLETED, words)
        await self._put_check(request, replace(report, conclusion=Conclusion.CANCELLED))
        async with self._repository(request) as repository:
            await hide_running(repository, request)

    def link(self, request: EvaluationRequest) -> str:
        """Return the signed address of the report page."""
        return self.report_link(request.id)

    async def publish(self, answer: Announcement) -> Publication:
        """Post the comment unless a newer head is there, then complete the check run.

        The check run comes last: who waited for it finds the report and the comment in place.
        """
        request = answer.evaluation.request
        skipped = await self._why_not_comment(request)
        if skipped:
            try:
                async with self._repository(request) as repository:
                    await hide_running(repository, request)
            except (Transient, UserError) as error:
                log.warning("the comment still says that it is being judged: %s", error.what)
        comment = 0
        try:
            if not skipped:
                number, mark = request.number or request.issue, marker(request)
                async with self._repository(request) as repository:
                    comment = (await repository.put_comment(number, mark, answer.comment)).id
        except UserError as error:  # a locked or deleted conversation; the check run has it all
            skipped = error.what
            log.warning("%s was not commented on: %s", request.id, skipped)
        if answer.review and not skipped:
            await self._suggest(request, answer.review)
        end, gate = _end(answer, comment), answer.evaluation.gate
        if not self.store.ended(request.id, end):
            self.store.concluded_again(request.id, gate.conclusion, gate.title)
        if request.has_check_run:
            await self._complete(answer)
        return Publication(gate.conclusion, answer.report_key)

    async def _why_not_comment(self, request: EvaluationRequest) -> str:
        if not request.number and not request.issue:
            return "There is no conversation to comment on."
        try:
            await self._check_still_wanted(request)
        except Superseded as error:
            return error.by
        return ""

    async def _suggest(self, request: EvaluationRequest, review: Review) -> None:
        """Post fixes as suggestions; what GitHub refuses is not worth a failure."""
        if not (request.number and request.has_check_run):
            return
        try:
            async with self._repository(request) as repository:
                await repository.suggest(request.number, request.head_sha, review)
        except UserError as error:
            log.warning("%s got no suggestions: %s", request.id, error.what)

    async def _put_check(self, request: EvaluationRequest, report: CheckReport) -> None:
        record = self.store.evaluation(request.id)
        async with self._repository(request) as repository:
            check_run = await repository.put_check_run(report, record.check_run if record else 0)
        is_finished = report.status is CheckStatus.COMPLETED
        self.store.check_run(request.id, check_run.id, is_finished)

    async def _complete(self, answer: Announcement) -> None:
        """Complete the check run with the worst of what the commit's pull requests were told."""
        request, gate = answer.evaluation.request, answer.evaluation.gate
        # What people can do about a verdict; of a merge group it is asked again by the queue.
        buttons: tuple[CheckAction, ...] = ()
        if request.number and gate.conclusion is not Conclusion.CANCELLED:
            accept = (_ACCEPT,) if answer.evaluation.acceptable else ()
            buttons = (_RERUN, *accept, *((_EXPLAIN,) if answer.evaluation.judgement else ()))
        words = (answer.check.title, answer.check.summary)
        report = replace(
            self._report(request, CheckStatus.COMPLETED, words),
            conclusion=gate.conclusion,
            annotations=answer.annotations,
            actions=buttons,
        )
        async with self._repository(request) as repository:
            shared = SharedHead(repository, self.store, self.report_link, CHECK_NAME)
            is_shared = False
            if request.number:
                own = HeadVerdict(request.number, gate.conclusion, gate.title)
                verdicts = await shared.verdicts(request.head_sha)
                report = shared.worst_shown(report, own, verdicts)
                is_shared = any(one.number != request.number for one in verdicts)
            await self._put_each(repository, answer, is_shared=is_shared)
            await self._put_check(request, report)
            await shared.agree(request.head_sha, request.number)

    async def _put_each(
        self, repository: Repository, answer: Announcement, *, is_shared: bool
    ) -> None:
        """Put the requirements' check runs, completed at once, so that none is ever left open.

        Only into the default branch or a protected one: what anybody's own branch asks for must not turn
        green what is required elsewhere.
        """
        request = answer.evaluation.request
        if not (answer.each and request.speaks_for_commit) or not (
            request.base_ref == await repository.default_branch()
            or await repository.is_protected(request.base_ref)
        ):
            return
        for one in answer.each:
            conclusion, words = one.conclusion, (one.text.title, one.text.summary.strip())
            if is_shared and conclusion is Conclusion.SUCCESS:
                conclusion = Conclusion.ACTION_REQUIRED
                words = check_words("requirement_shared")
            report = self._report(request, CheckStatus.COMPLETED, words)
            await repository.put_check_run(replace(report, name=one.name, conclusion=conclusion))

    def _report(
        self, request: EvaluationRequest, status: CheckStatus, words: tuple[str, str]
    ) -> CheckReport:
        return report_of(request, status, words, CHECK_NAME, self.link(request))

    def _repository(self, request: EvaluationRequest) -> AbstractAsyncContextManager[Repository]:
        return self.github.repository(request.repository, request.installation)


async def _may_write(repository: Repository, issue: Issue) -> bool:
    return (await repository.permission(issue.author)).can_write


def _end(answer: Announcement, comment: int) -> Ended:
    evaluation, gate = answer.evaluation, answer.evaluation.gate
    judgement, observed = evaluation.judgement, evaluation.observed
    usage = evaluation.deliberation.usage if evaluation.deliberation else ()
    prices = [one.usd for one in usage if one.usd is not None]
    tests = observed.tests.comparisons if observed else ()
    cancelled = gate.conclusion is Conclusion.CANCELLED
    return Ended(
        state=EvaluationState.CANCELLED if cancelled else EvaluationState.DONE,
        conclusion=gate.conclusion,
        title=gate.title,
        problem=evaluation.problem,
        report_key=answer.report_key,
        comment=comment,
        facts=EvaluationFacts(
            agent=evaluation.agent or evaluation.request.agent,
            met=judgement.met.independently if judgement else 0,
            total=len(judgement.requirements.items) if judgement else 0,
            usd=sum(prices) if prices else None,
            flaky=tuple(one.id for one in tests if one.change is TestChange.FLAKY),
        ),
    )
