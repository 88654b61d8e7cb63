"""What is read of a repository at GitHub: whose configuration counts, and what was asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from bot.configuration import PATH, Layer, PolicyContext
from bot.errors import Transient, UserError
from bot.github import Issue, NotThere, PullRequest
from bot.task.linked import closing_issues
from bot.task.task_file import read_task_file
from bot.values import EvaluationRequest, IssueReference, Task, TaskSource, Trust

if TYPE_CHECKING:
    from bot.github.repository import RepositoryReader

OpenRepository = Callable[[str], AbstractAsyncContextManager["RepositoryReader"]]


async def policy_context(
    open_repository: OpenRepository, repository: str, base_ref: str
) -> PolicyContext:
    """Ask GitHub. Raises UserError and Transient where the repository itself cannot be read."""
    async with open_repository(repository) as reader:
        trusted = await _trusted(reader, base_ref)
    organization = await _organization(open_repository, repository)
    return PolicyContext(organization, trusted, base_is_trusted=trusted is None)


async def branch_layer(reader: RepositoryReader, branch: str) -> Layer:
    """The configuration at a branch's tip; what GitHub refuses to show is a problem of the layer."""
    try:
        return Layer(branch, await reader.file(PATH, await reader.branch_sha(branch)))
    except UserError as error:
        return Layer(branch, None, error.what.rstrip("."))


async def _trusted(reader: RepositoryReader, base_ref: str) -> Layer | None:
    """The default branch's file, unless the target is that branch or a protected one."""
    default = await reader.default_branch()
    if base_ref == default:
        return None
    try:
        if await reader.is_protected(base_ref):
            return None
    except UserError:
        pass  # not known, so it is not trusted
    return await branch_layer(reader, default)


async def _organization(open_repository: OpenRepository, repository: str) -> Layer | None:
    """The file in the owner's `.github` repository; what keeps it away locks nobody out."""
    name = f"{repository.partition('/')[0]}/.github"
    if repository.lower() == name.lower():
        return None
    try:
        async with open_repository(name) as reader:
            sha = await reader.branch_sha(await reader.default_branch())
            text = await reader.file(PATH, sha)
    except NotThere:
        return None
    except (UserError, Transient) as error:
        return Layer(name, None, f"they cannot be read now ({error.what.rstrip('.')})")
    return None if text is None else Layer(f"{name} at {sha[:12]}", text)


# --- the words of a pull request: its issues, its title and text, each with its trust --------------


MAX_ISSUES = 10

MayWrite = Callable[[Issue], Awaitable[bool]]
"""Whether the author of an issue has write access to its repository."""


async def task_of_pull_request(
    repository: RepositoryReader, number: int, may_write: MayWrite
) -> Task:
    """Collect the linked issues (asked for) and the pull request's own words (claimed).

    An issue that the pull request's own author opened is no more than these words, unless the author has
    write access: else whoever wants a test changed or an example believed would open an issue first.
    """
    pull_request = await repository.pull_request(number)
    wanted = await linked_issues(repository, pull_request)
    sources: list[TaskSource] = []
    warnings: list[str] = []
    for reference in wanted[:MAX_ISSUES]:
        issue, warning = await _issue(repository, reference)
        trust = Trust.ASKER
        opener = issue.author.lower() if issue else ""
        is_own = bool(opener) and opener == pull_request.author.lower()
        if issue and is_own and not await may_write(issue):
            trust = Trust.AUTHOR
            warning = (
                f"Issue #{issue.number} was opened by the author of this pull request, who has no "
                "write access: it can add requirements like the pull request's own text, and it "
                "permits nothing."
            )
        sources += [_words_of(issue, trust)] if issue else []
        warnings += [warning] if warning else []
    if len(wanted) > MAX_ISSUES:
        warnings.append(f"Only the first {MAX_ISSUES} of {len(wanted)} linked issues were read.")
    own = TaskSource(f"pull request #{number}", pull_request.title, pull_request.body, Trust.AUTHOR)
    title = sources[0].title if sources else pull_request.title
    return Task(title, (*sources, own), tuple(warnings), pull_request.author)


async def task_of_issue(repository: RepositoryReader, request: EvaluationRequest) -> Task:
    """Collect an issue, the text of the one who sent a patch for it, and what the patch says of itself."""
    sources: list[TaskSource] = []
    warnings: list[str] = []
    if request.issue:
        issue, warning = await _issue(repository, IssueReference(repository.name, request.issue))
        sources += [_words_of(issue, Trust.ASKER)] if issue else []
        warnings += [warning] if warning else []
    if request.task_text.strip():
        sources.append(_said(request.task_text, "the dispatched task", Trust.ASKER))
    if not sources:
        raise UserError(
            "Nothing says what was asked.", "Name an issue that exists, or send a task text."
        )
    if request.description.strip():
        sources.append(_said(request.description, "the patch's description", Trust.AUTHOR))
    return Task(sources[0].title, tuple(sources), tuple(warnings))


def _said(text: str, name: str, trust: Trust) -> TaskSource:
    """A text as whoever sent it; a list of typed requirements is read only from those who may ask."""
    listed = read_task_file(text, name, trust) if trust.is_asked else None
    first, _, rest = text.strip().partition("\n")
    return listed or TaskSource(name, first, rest, trust)


async def linked_issues(
    repository: RepositoryReader, pull_request: PullRequest
) -> tuple[IssueReference, ...]:
    """The issues that a pull request closes, by GitHub's reading and by its own words."""
    by_github = await repository.closing_issues(pull_request.number)
    text = f"{pull_request.title}\n\n{pull_request.body}"
    return tuple(dict.fromkeys((*by_github, *closing_issues(text, repository.name))))


async def _issue(
    repository: RepositoryReader, reference: IssueReference
) -> tuple[Issue | None, str]:
    """Return the issue or a warning that says why there are none."""
    name = f"issue #{reference.number}"
    if reference.repository.lower() != repository.name.lower():
        return None, f"{reference.repository}#{reference.number} is linked; it was not read."
    try:
        issue = await repository.issue(reference.number)
    except UserError as error:
        return None, f"{name} is linked but cannot be read: {error.what}"
    if issue.is_pull_request:
        return None, f"#{reference.number} is linked; it is a pull request, not an issue."
    return issue, ""


def _words_of(issue: Issue, trust: Trust) -> TaskSource:
    return TaskSource(f"issue #{issue.number}", issue.title, issue.body, trust, issue.number)
