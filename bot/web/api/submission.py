"""Takes a patch in: pins what it names at GitHub, and queues it. The same patch is one evaluation."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from bot.errors import UserError
from bot.github import NotThere
from bot.queue import EngineClient
from bot.store import ApiToken, EvaluationRecord, EvaluationState, Store
from bot.values import STAGES, EvaluationRequest, Trigger
from bot.web.api.models import ApiProblem, PostedPatch, refusal
from bot.webhook.adapters import evaluation_id
from bot.webhook.patches import is_full_sha

if TYPE_CHECKING:
    from bot.github.client import GitHubApp
    from bot.github.repository import Repository


MOST_OPEN = 20
"""Patches of one repository that wait or run at the same time."""
MOST_ATTEMPTS = 20
_AGAIN = (EvaluationState.FAILED, EvaluationState.CANCELLED)


OpenGitHub = Callable[[], "GitHubApp"]
"""Opens GitHub as the App. Raises UserError where it is not registered."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """What a patch names, as GitHub has it now. `head_sha` is empty for a diff."""

    installation: int
    base_ref: str
    base_sha: str
    head_sha: str


@dataclass(frozen=True, slots=True)
class Submission:
    """The adapters that taking in needs."""

    requests: Store
    jobs: EngineClient
    github: OpenGitHub

    def take(self, patch: PostedPatch, token: ApiToken) -> EvaluationRecord:
        """Record and queue a patch, or find it. Raises ApiProblem and Transient; then nothing is stored.

        A patch that ended without a verdict, by Assay's failure or because somebody stopped it, is judged
        anew. Every part may be repeated: whatever a crash leaves, the sweep or the same patch completes.
        """
        pinned = asyncio.run(self._pin(token.repository, patch))
        request = _request(patch, token, pinned, self._free_id(token, patch, pinned))
        if patch.plan_of:
            request = replace(request, plan_of=self._plan_of(request, patch.plan_of))
        known = self.requests.evaluation(request.id)
        if known is None:
            if len(self.requests.open_evaluations(request.repository, 0)) >= MOST_OPEN:
                raise refusal(
                    HTTPStatus.TOO_MANY_REQUESTS,
                    "Too many patches",
                    f"{MOST_OPEN} patches of {request.repository} wait or run already. "
                    "Send this one later.",
                    {"Retry-After": "60"},
                )
            self.requests.queued(request)
        if known is None or not known.state.is_final:
            self.jobs.submit_evaluation(request)
        record = self.requests.evaluation(request.id)
        if record is None:
            raise AssertionError("a recorded patch is gone")
        return record

    def _free_id(self, token: ApiToken, patch: PostedPatch, pinned: Pinned) -> str:
        """The id of this content's newest attempt, or of the next one, whoever sends it."""
        content = (
            token.repository.lower(),
            pinned.base_ref,
            pinned.base_sha,
            pinned.head_sha,
            patch.diff.strip("\n"),
            patch.task.strip(),
            patch.description.strip(),
            patch.issue,
            patch.plan_of,
        )
        digest, name = hashlib.sha256(json.dumps(content).encode()).hexdigest(), ""
        for attempt in range(MOST_ATTEMPTS):
            name = evaluation_id(token.repository, 0, "", f"patch {digest} {attempt}")
            known = self.requests.evaluation(name)
            if known is None or known.state not in _AGAIN:
                break
        return name

    def _plan_of(self, request: EvaluationRequest, wanted: str) -> str:
        """The evaluation whose plan was the first. Raises ApiProblem unless it answers the same question."""
        record, earlier = self.requests.evaluation(wanted), self.requests.request(wanted)
        if record is None or earlier is None or not is_patch_of(record, request.repository):
            raise _wrong(f"plan_of: there is no patch {wanted} of this repository.")
        asked = [(one.base_sha, one.task_text, one.issue) for one in (earlier, request)]
        if asked[0] != asked[1]:
            raise _wrong(f"plan_of: {wanted} is for another base commit, task or issue.")
        is_planned = record.stage in STAGES[STAGES.index("plan") + 1 :]
        if not is_planned or record.state in _AGAIN:
            what = f"plan_of: {wanted} has no plan yet, or ended without one."
            raise refusal(HTTPStatus.CONFLICT, "No plan yet", what, {"Retry-After": "10"})
        return earlier.plan_of or earlier.id

    async def _pin(self, name: str, patch: PostedPatch) -> Pinned:
        """Ask GitHub which commits are named. Raises ApiProblem for what is not there, and Transient."""
        try:
            github = self.github()
            installation = await github.installation_of(name)
            async with github.repository(name, installation) as repository:
                return await _pinned(repository, patch, installation)
        except NotThere as error:
            what = f"The App is not installed on {name}."
            raise refusal(HTTPStatus.NOT_FOUND, "No such repository", what) from error
        except UserError as error:
            raise refusal(HTTPStatus.SERVICE_UNAVAILABLE, "Not set up", str(error)) from error


async def _pinned(repository: Repository, patch: PostedPatch, installation: int) -> Pinned:
    if patch.issue:
        try:
            issue = await repository.issue(patch.issue)
        except NotThere as error:
            raise _wrong(f"issue: {repository.name} has no issue #{patch.issue}.") from error
        except UserError as error:
            raise _wrong(f"issue: {error.what}") from error
        if issue.is_pull_request:
            raise _wrong(f"issue: #{patch.issue} is a pull request, not an issue.")
    base_ref, base_sha = patch.base, patch.base
    if not is_full_sha(patch.base):
        base_ref = patch.base or await repository.default_branch()
        base_sha = await _tip(repository, base_ref, "base")
    head_sha = await _tip(repository, patch.branch, "branch") if patch.branch else ""
    return Pinned(installation, base_ref, base_sha, head_sha)


def is_patch_of(record: EvaluationRecord, repository: str) -> bool:
    """Whether an evaluation is an agent's patch of a repository."""
    is_here = record.repository.lower() == repository.lower()
    return is_here and record.trigger == Trigger.AGENT_PATCH


async def _tip(repository: Repository, branch: str, field: str) -> str:
    try:
        return await repository.branch_sha(branch)
    except NotThere as error:
        raise _wrong(f"{field}: {repository.name} has no branch {branch}.") from error
    except UserError as error:
        raise _wrong(f"{field}: {error.what}") from error


def _wrong(detail: str) -> ApiProblem:
    return refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "The patch names what is not there", detail)


def _request(
    patch: PostedPatch, token: ApiToken, pinned: Pinned, identifier: str
) -> EvaluationRequest:
    """What is judged.

    A pushed commit goes without a check run: it may be a pull request's head too, and a verdict on
    another task must not stand for that one's. Where an issue asks, the sender's text only claims.
    """
    asked, claimed = ("", patch.task) if patch.issue else (patch.task, "")
    return EvaluationRequest(
        id=identifier,
        repository=token.repository,
        head_sha="",
        base_sha=pinned.base_sha,
        base_ref=pinned.base_ref,
        trigger=Trigger.AGENT_PATCH,
        issue=patch.issue,
        installation=pinned.installation,
        head_ref=pinned.head_sha,
        actor=f"API token {token.id}",
        patch=patch.diff,
        task_text=asked,
        description="\n\n".join(filter(None, (claimed.strip(), patch.description.strip()))),
        agent=patch.agent or token.name,
        trajectory=patch.trajectory,
    )
