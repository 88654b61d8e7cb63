"""What people say of verdicts: `/judge agree` and `/judge disagree`, and reverts; kept, and nothing changes.

Every part may be repeated: a label is kept once for its comment, click or merge.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from bot.errors import UserError
from bot.github import NotThere, PullRequest
from bot.store import VerdictLabelFilter
from bot.templates import render_markdown
from bot.text import scrub
from bot.text.clipping import clip
from bot.values import (
    Conclusion,
    Decider,
    Evaluation,
    LabelKind,
    Role,
    SourceKind,
    Task,
    Verdict,
    VerdictLabel,
    VerdictOutcome,
)
from bot.values.talk import RULE
from bot.verdict.acceptance import can_be_overridden, subject_of, text_of
from bot.webhook.adapters import Adapters, AtRepository
from bot.webhook.decisions import Cancel, JudgeCommand, KeepReverts, ObeyCommand, RevertingCommit
from bot.webhook.events import MOST_CLAIMS, reverted_commits
from bot.webhook.grammar import read_words
from bot.webhook.head_verdict import JudgedHead, judged, records_of, seconds, with_verdict

if TYPE_CHECKING:
    from bot.github.repository import Repository


MOST_SUBJECTS = 20
MOST_WORDS = 65_536  # of a task: as many as GitHub takes for an issue's text
_KINDS = {JudgeCommand.AGREE: LabelKind.AGREED, JudgeCommand.DISAGREE: LabelKind.DISAGREED}
_DECIDED_BY_MODELS = {Decider.PANEL: Role.PANEL, Decider.STEP: Role.ANALYST}
_LETS_MERGE = frozenset({Conclusion.SUCCESS, Conclusion.NEUTRAL})


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says of a verdict, and where: the comment, the click, the merge or the revert."""

    kind: LabelKind
    person: str
    reason: str
    source: str


async def label(at: AtRepository, decision: ObeyCommand) -> str:
    """Keep what a comment says of requirements' verdicts and return the reply. Raises UserError."""
    source = f"comment {decision.comment:d}"
    known = VerdictLabelFilter(at.repository.name, decision.number, source=source)
    kept = await asyncio.to_thread(lambda: tuple(at.store.labels(known)))
    if not kept:
        # Handled again after a push, it still speaks of what its author saw.
        pull_request = await at.repository.pull_request(decision.number)
        records = await records_of(at, pull_request)
        found = await judged(at, pull_request, records, seconds(decision.given_at))
        words, verb = read_words(decision.words, found.judgement), decision.command.value
        wanted = words.subjects[:MOST_SUBJECTS] or ("",)
        named = [found.requirement(one, f"/judge {verb} R1 <reason>").id for one in wanted]
        if not words.reason:
            raise UserError(f"Say why: `/judge {verb} {' '.join(named)[:100]} <reason>`.")
        said = Said(_KINDS[decision.command], decision.place.actor, words.reason, source)
        kept = tuple(verdict_label(found, one, said) for one in dict.fromkeys(named))
        await asyncio.to_thread(at.store.keep_labels, *kept)
    return render_markdown("reply/labelled.md.j2", labels=kept)


def verdict_label(found: JudgedHead, subject: str, said: Said) -> VerdictLabel:
    """What somebody says of a requirement's verdict, or of a rule of the gate, as it stands."""
    evaluation, judgement = found.evaluation, found.judgement
    by_id = {one.id: one for one in judgement.requirements.items}
    requirement = by_id.get(subject)
    verdict = next((one for one in judgement.verdicts if one.requirement_id == subject), None)
    if requirement and verdict is None:
        verdict = Verdict(subject, VerdictOutcome.UNVERIFIED, Decider.NOBODY, "")
    spoke = [one for one in judgement.gate.reasons if one.rule == subject and not requirement]
    # Where tests, checks or people decided there is no model behind it.
    role = _DECIDED_BY_MODELS.get(verdict.decided_by) if verdict else None
    usage = evaluation.deliberation.usage if evaluation.deliberation and role else ()
    models = dict.fromkeys(one.model for one in usage if one.role is role)
    plain = VerdictLabel(
        **asdict(said),
        repository=found.request.repository,
        number=found.request.number,
        base_sha=evaluation.base_sha,
        head_sha=evaluation.head_sha,
        evaluation=found.request.id,
        conclusion=judgement.gate.conclusion.value,
        subject=subject,
        text=text_of(subject, judgement),
        category=requirement.category.value if requirement else RULE,
        verdict=verdict.outcome.value if verdict else (spoke[0].conclusion.value if spoke else ""),
        decided_by=verdict.decided_by.value if verdict else "",
        model=", ".join(models),
        given_s=time.time(),
        mandatory=requirement is None or requirement.mandatory,
    )
    return with_change(plain, evaluation, found.address)


async def keep_merge(at: AtRepository, decision: Cancel) -> None:
    """Keep that a pull request was merged though its check run did not let it pass.

    What was never judged, or is being judged, has no verdict to merge against.
    """
    said = Said(LabelKind.MERGED, decision.place.actor, "", "merge")
    merged = await change_label(at, (decision.number, decision.head_sha), said)
    if merged and Conclusion(merged.conclusion) not in _LETS_MERGE:
        await asyncio.to_thread(at.store.keep_labels, merged)


async def change_label(at: AtRepository, head: tuple[int, str], said: Said) -> VerdictLabel | None:
    """What somebody says of a whole change: `head` is a pull request's (number, sha).

    None where it has no verdict. Where its report is gone, so is what was asked.
    """
    repository = at.repository.name
    records = await asyncio.to_thread(at.store.of_commit, repository, *head)
    verdicts = with_verdict(records)
    if not verdicts:
        return None
    newest = verdicts[0]
    request = await asyncio.to_thread(at.store.request, newest.id)
    plain = VerdictLabel(
        **asdict(said),
        repository=repository,
        number=head[0],
        base_sha=request.base_sha if request else "",
        head_sha=head[1],
        evaluation=newest.id,
        conclusion=newest.conclusion,
        subject="",
        text=newest.title,
        category="",
        verdict=newest.conclusion,
        decided_by="",
        model="",
        given_s=time.time(),
    )
    try:
        evaluation = await at.verdicts.evaluation(request) if request else None
    except UserError:  # the report is gone; the target's tip at that time is known still
        return plain
    address = at.github.clone_url(repository)
    return with_change(plain, evaluation, address) if evaluation else plain


def with_change(label: VerdictLabel, evaluation: Evaluation, address: str) -> VerdictLabel:
    """Return a label with what it takes to judge the same change again."""
    reasons = evaluation.judgement.gate.reasons if evaluation.judgement else ()
    blocking = (subject_of(one) for one in reasons if can_be_overridden(one))
    return replace(
        label,
        base_sha=evaluation.base_sha,
        blocking=tuple(dict.fromkeys(blocking)),
        address=address,
        task=_words(evaluation.task, is_asked=True),
        description=_words(evaluation.task, is_asked=False),
    )


def _words(task: Task | None, *, is_asked: bool) -> str:
    """What people wrote, of those who may ask or of the others; documents stand in the repository."""
    told = []
    for source in task.sources if task else ():
        if source.kind is SourceKind.WORDS and source.trust.is_asked is is_asked:
            listed = source.listed.requirements if source.listed else ()
            points = "\n".join(f"- [ ] {one.text}" for one in listed)
            told.append("\n\n".join(filter(None, (source.title, source.text, points))))
    return clip(scrub("\n\n".join(told)), MOST_WORDS)


# --- a change that reverts an earlier pull request is a label of that one --------------------------
# Titles, texts and commit messages only claim it. A claim counts where GitHub says that it was merged
# into the default branch from a branch of this repository, by an author who may write here, or pushed
# there by somebody who may, and that both change the same files. So no fork's words make a label, and
# none is made of a part that was taken back.


_TITLE = 'Revert "'
# What GitHub's "Revert" button writes into the text.
_PULL_REQUEST = re.compile(
    r"^Reverts ([\w.-]{1,100}/[\w.-]{1,100})#([1-9][0-9]{0,9})[ \t\r]*$", re.M
)


async def keep_revert(at: AtRepository, decision: Cancel) -> None:
    """Keep for each pull request that a merged one reverts that its change was taken back."""
    revert = await at.repository.pull_request(decision.number)
    if not revert.merged or revert.from_fork:
        return
    numbers: tuple[int, ...] = ()
    if revert.title.startswith(_TITLE):
        named = _PULL_REQUEST.findall(revert.body)
        here = at.repository.name.lower()
        numbers = tuple(int(number) for name, number in named if name.lower() == here)
    commits = reverted_commits(revert.body, *await at.repository.commit_messages(revert.number))
    if not (numbers or commits) or revert.base_ref != await at.repository.default_branch():
        return
    # Who may only read can open a pull request from a branch that others pushed.
    if not (await at.repository.permission(revert.author)).can_write:
        return
    for sha in commits:
        numbers += await _merged_with(at.repository, sha)
    changed = await at.repository.changed_paths(revert)
    found = []
    for number in tuple(dict.fromkeys(numbers))[:MOST_CLAIMS]:
        earlier = await _merged(at.repository, number)
        if number != revert.number and earlier and earlier.base_ref == revert.base_ref:
            paths = set(changed.paths)
            if changed.complete and await _changes_just(at.repository, earlier, paths):
                found.append(earlier)
    source = f"revert {decision.number:d}"
    said = Said(
        LabelKind.REVERTED, decision.place.actor, f"Reverted by #{decision.number:d}.", source
    )
    for earlier in found:
        await _keep(at, earlier, said)


async def keep_pushed_reverts(at: AtRepository, decision: KeepReverts) -> str:
    """Keep for each pull request that pushed commits revert together that its change was taken back."""
    who = decision.place.actor
    if not (await at.repository.permission(who)).can_write:
        return f"{who} may not write"
    taken_back: dict[int, list[RevertingCommit]] = {}
    for commit in decision.commits:
        if await _merged_with(at.repository, commit.sha):
            continue  # it came by a pull request: that one tells
        for sha in commit.reverts:
            for number in await _merged_with(at.repository, sha):
                taken_back.setdefault(number, []).append(commit)
    kept = 0
    for number, commits in tuple(taken_back.items())[:MOST_CLAIMS]:
        earlier = await _merged(at.repository, number)
        paths = {path for commit in commits for path in commit.paths}
        is_here = earlier is not None and earlier.base_ref == decision.branch
        if earlier and is_here and await _changes_just(at.repository, earlier, paths):
            sha = commits[-1].sha
            said = Said(LabelKind.REVERTED, who, f"Reverted by commit {sha}.", f"revert {sha}")
            kept += await _keep(at, earlier, said)
    return f"{kept} reverts kept"


async def _keep(at: AtRepository, earlier: PullRequest, said: Said) -> bool:
    """Keep it once: GitHub tells of a merge and of its push at the same moment."""
    label = await change_label(at, (earlier.number, earlier.head_sha), said)
    if label is None or await asyncio.to_thread(_is_kept, at, label):
        return False
    await asyncio.to_thread(at.store.keep_labels, label)
    return True


def _is_kept(adapters: Adapters, label: VerdictLabel) -> bool:
    same = VerdictLabelFilter(repository=label.repository, number=label.number)
    return any(
        one.kind is LabelKind.REVERTED and one.head_sha == label.head_sha
        for one in adapters.store.labels(same)
    )


async def _changes_just(repository: Repository, earlier: PullRequest, paths: set[str]) -> bool:
    """Whether a pull request changed these files and no others, as far as GitHub lists them."""
    changed = await repository.changed_paths(earlier)
    return changed.complete and set(changed.paths) == paths


async def _merged_with(repository: Repository, sha: str) -> tuple[int, ...]:
    """The pull requests that brought a commit; none for one that is not there."""
    try:
        return tuple(one.number for one in await repository.merged_with(sha))
    except UserError:  # GitHub refuses a commit that it does not know
        return ()


async def _merged(repository: Repository, number: int) -> PullRequest | None:
    """A pull request, where there is one and it was merged."""
    try:
        found = await repository.pull_request(number)
    except NotThere:
        return None
    return found if found.merged else None
