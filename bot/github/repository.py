"""One repository over one transport: what anybody can read of it, and what the App can do there."""

from __future__ import annotations

import base64
import logging
import re
from collections import Counter

from bot.errors import UserError
from bot.github.addresses import repository_path, segment
from bot.github.base import (
    BELONGING,
    AppInfo,
    ChangedPaths,
    CheckReport,
    CheckRun,
    Comment,
    Issue,
    LabelSet,
    NotThere,
    Permission,
    PullRequest,
    Reaction,
    Unprocessable,
)
from bot.github.check_runs import CheckRuns
from bot.github.readings import read_comment, read_issue, read_pull_request
from bot.github.transport import JsonBody, Transport
from bot.text.json_reading import Payload
from bot.values import IssueReference
from bot.values.conclusions import Review

log = logging.getLogger(__name__)

_CLOSING_ISSUES = """
query ClosingIssues($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      closingIssuesReferences(first: 20) {
        nodes { number repository { nameWithOwner } }
      }
    }
  }
}
"""
_QUEUE = """
query MergeGroup($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) {
    mergeQueue(branch: $branch) {
      entries(first: 100) {
        nodes { position headCommit { oid } pullRequest { number } }
      }
    }
  }
}
"""
# refs/heads/gh-readonly-queue/<target branch>/pr-<number>-<sha of the group's base>
_QUEUE_REF = re.compile(r"(?:refs/heads/)?gh-readonly-queue/(.+)/pr-([1-9][0-9]{0,9})-[0-9a-f]{40}")
# https://docs.github.com/en/graphql/reference/enums#commentauthorassociation
_KNOWN_HERE = BELONGING | {"CONTRIBUTOR"}
_MOST_RUNS = 20
_MOST_CHECKED = 100  # of the sweep: one request each; the latest updated come first


class RepositoryReader:
    """Reads one repository; without a token GitHub answers only what is public, and no GraphQL."""

    _app: AppInfo | None = None

    def __init__(self, transport: Transport, name: str, *, has_token: bool) -> None:
        self._transport = transport
        self._root = repository_path(name)
        self._name = name
        self._has_token = has_token

    @property
    def name(self) -> str:
        """`owner/name`."""
        return self._name

    async def pull_request(self, number: int) -> PullRequest:
        """One pull request, or `NotThere`."""
        return read_pull_request(await self._transport.get(f"{self._root}/pulls/{number:d}"))

    async def issue(self, number: int) -> Issue:
        """One issue, or `NotThere`."""
        return read_issue(await self._transport.get(f"{self._root}/issues/{number:d}"))

    async def closing_issues(self, number: int) -> tuple[IssueReference, ...]:
        """The issues that GitHub says this pull request closes; empty without a token."""
        if not self._has_token:
            return ()
        reply = await self._graphql(
            f"closing issues of {self._name}#{number}", _CLOSING_ISSUES, {"number": number}
        )
        nodes = reply.items("repository", "pullRequest", "closingIssuesReferences", "nodes")
        return tuple(
            IssueReference(node.text("repository", "nameWithOwner"), node.integer("number"))
            for node in nodes
            if node.integer("number")
        )

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments of an issue or pull request, oldest first; without the app none is its own."""
        replies = await self._transport.pages(f"{self._root}/issues/{number:d}/comments")
        return tuple(read_comment(reply, self._app) for reply in replies)

    async def branch_sha(self, branch: str) -> str:
        """The commit at a branch's tip, or `NotThere`."""
        reply = await self._transport.get(f"{self._root}/git/ref/heads/{segment(branch)}")
        return reply.text("object", "sha")

    async def default_branch(self) -> str:
        """The branch that new work starts from."""
        return (await self._transport.get(self._root)).text("default_branch")

    async def is_protected(self, branch: str) -> bool:
        """Whether the branch is among those with a protection rule."""
        listed = await self._transport.pages(f"{self._root}/branches", protected="true")
        return any(one.text("name") == branch and one.flag("protected") for one in listed)

    async def file(self, path: str, revision: str) -> bytes | None:
        """A regular file at a branch or commit; None for a folder or a link, UserError above 1 MB."""
        address = "/".join(segment(part) for part in path.split("/"))
        try:
            reply = await self._transport.get(f"{self._root}/contents/{address}", ref=revision)
        except NotThere:
            return None
        if reply.text("type") != "file":
            return None
        if reply.text("encoding") != "base64":
            raise UserError(f"{path} is larger than 1 MB.", "Make it smaller.")
        return base64.b64decode(reply.text("content"))

    async def _graphql(self, what: str, query: str, asked: dict[str, str | int]) -> Payload:
        owner, _, name = self._name.partition("/")
        return await self._transport.graphql(what, query, {"owner": owner, "name": name, **asked})


class Repository(RepositoryReader):
    """One repository seen through an installation. Writes look first, so all of them may be repeated."""

    _app: AppInfo

    def __init__(self, transport: Transport, name: str, app: AppInfo) -> None:
        super().__init__(transport, name, has_token=True)
        self._app = app

    async def permission(self, login: str) -> Permission:
        """What a user may do here, asked of GitHub; NONE for a stranger.

        The old field maps maintain to write and triage to read by itself. A custom role has a name of
        its own, so triage is read from what the user may do.
        """
        if not login:
            return Permission.NONE
        try:
            reply = await self._transport.get(
                f"{self._root}/collaborators/{segment(login)}/permission"
            )
        except NotThere:
            return Permission.NONE  # no such user
        level = reply.text("permission")
        if level == Permission.READ and reply.flag("user", "permissions", "triage"):
            return Permission.TRIAGE
        return Permission(level) if level in set(Permission) else Permission.NONE

    async def is_first_time_contributor(self, pull_request: PullRequest) -> bool:
        """Whether the author has neither merged anything here before nor may write.

        A private member looks like a stranger, so the permission is asked.
        """
        if pull_request.author_association in _KNOWN_HERE:
            return False
        return not (await self.permission(pull_request.author)).can_write

    async def changed_paths(self, pull_request: PullRequest) -> ChangedPaths:
        """The files that head changes, renamed ones by both names; complete if as many as GitHub counted."""
        listed = await self._transport.pages(f"{self._root}/pulls/{pull_request.number:d}/files")
        names = [
            name for one in listed for name in (one.text("filename"), one.text("previous_filename"))
        ]
        complete = 0 < len(listed) == pull_request.changed_files
        return ChangedPaths(tuple(filter(None, names)), complete)

    async def labels_set(self, number: int) -> tuple[LabelSet, ...]:
        """The labels that are there, each with whoever set it last; events come oldest first."""
        there: dict[str, LabelSet] = {}
        for event in await self._transport.pages(f"{self._root}/issues/{number:d}/events"):
            name, kind = event.text("label", "name"), event.text("event")
            if kind == "labeled":
                by_bot = event.text("actor", "type") != "User"
                there[name] = LabelSet(name, event.text("actor", "login"), by_bot)
            elif kind == "unlabeled":
                there.pop(name, None)
        return tuple(there.values())

    async def unchecked_pull_requests(self, check_name: str) -> tuple[PullRequest, ...]:
        """Open, non-draft pull requests whose head has no check run of this app, latest updated first.

        They are what a missed webhook left behind: GitHub does not redeliver by itself.
        """
        replies = await self._transport.pages(
            f"{self._root}/pulls", state="open", sort="updated", direction="desc"
        )
        waiting = [read_pull_request(reply) for reply in replies]
        unchecked = []
        for pull_request in [pull for pull in waiting if not pull.draft][:_MOST_CHECKED]:
            reply = await self._transport.get(
                f"{self._root}/commits/{segment(pull_request.head_sha)}/check-runs",
                check_name=check_name,
                app_id=self._app.id,
                per_page=1,
            )
            if not reply.items("check_runs"):
                unchecked.append(pull_request)
        return tuple(unchecked)

    async def pull_requests_of(self, sha: str) -> tuple[PullRequest, ...]:
        """Open pull requests with a commit; a fork's may be missing.

        GitHub lists merged ones for what the default branch has.
        """
        return tuple(one for one in await self._with_commit(sha) if one.is_open)

    async def merged_with(self, sha: str) -> tuple[PullRequest, ...]:
        """The merged pull requests that brought a commit of the default branch."""
        return tuple(one for one in await self._with_commit(sha) if one.merged)

    async def _with_commit(self, sha: str) -> tuple[PullRequest, ...]:
        listed = await self._transport.pages(f"{self._root}/commits/{segment(sha)}/pulls")
        return tuple(map(read_pull_request, listed))

    async def commit_messages(self, number: int) -> tuple[str, ...]:
        """The messages of a pull request's commits, oldest first; GitHub lists at most 250."""
        listed = await self._transport.pages(f"{self._root}/pulls/{number:d}/commits")
        return tuple(one.text("commit", "message") for one in listed)

    async def merge_group_members(self, head_ref: str, head_sha: str) -> tuple[int, ...]:
        """The pull requests merged into the group's head, first in line first.

        The queue is asked; when it has moved on, the ref still names the last member.
        """
        match = _QUEUE_REF.fullmatch(head_ref)
        if match is None:
            return ()
        reply = await self._graphql(f"merge queue of {self._name}", _QUEUE, {"branch": match[1]})
        nodes = reply.items("repository", "mergeQueue", "entries", "nodes")
        entries = sorted(nodes, key=lambda node: node.integer("position"))
        numbers = [entry.integer("pullRequest", "number") for entry in entries]
        heads = [entry.text("headCommit", "oid") for entry in entries]
        if head_sha not in heads:
            return (int(match[2]),)
        return tuple(numbers[: heads.index(head_sha) + 1])

    async def react(self, comment: int, reaction: Reaction) -> None:
        """Puts a reaction on a comment; GitHub answers 200 instead of 201 when it is there already."""
        path = f"{self._root}/issues/comments/{comment:d}/reactions"
        await self._transport.write("POST", path, {"content": reaction.value})

    async def put_comment(self, number: int, marker: str, body: str) -> Comment:
        """Creates or updates the app's one comment that holds the hidden `marker`; writes nothing twice.

        `marker` is an HTML comment such as `<!-- assay:report -->`, put in front where `body` lacks it. Other
        people's comments never count, whatever they contain; a deleted one is made anew.
        """
        body = body if marker in body else f"{marker}\n{body}"
        for comment in await self.comments(number):
            if not (comment.own and marker in comment.body):
                continue
            if comment.body == body:
                return comment
            path = f"{self._root}/issues/comments/{comment.id:d}"
            try:
                reply = await self._transport.write("PATCH", path, {"body": body})
            except NotThere:
                break  # deleted between the look and the write
            return read_comment(reply, self._app)
        path = f"{self._root}/issues/{number:d}/comments"
        return read_comment(await self._transport.write("POST", path, {"body": body}), self._app)

    async def suggest(self, number: int, head_sha: str, review: Review) -> int:
        """Puts the suggestions that do not stand yet into one review; returns how many those were.

        One that GitHub does not take is left out. May be repeated after a crash.
        """
        root = f"{self._root}/pulls/{number:d}"
        # The app's own comments whose lines have not changed since, by their marks. The mark is the
        # first line: what comes after it is partly the pull request's own text.
        present: Counter[str] = Counter()
        for reply in await self._transport.pages(f"{root}/comments"):
            comment = read_comment(reply, self._app)
            # GitHub gives no line to what is outdated: nobody can commit that any more.
            if comment.own and reply.integer("line"):
                present[comment.body.partition("\n")[0].strip()] += 1
        waiting = []
        for one in review.suggestions:
            if present[one.mark] > 0:
                present[one.mark] -= 1
                continue
            place: JsonBody = {"path": one.path, "line": one.last, "side": "RIGHT"}
            if one.first < one.last:
                place |= {"start_line": one.first, "start_side": "RIGHT"}
            waiting.append({**place, "body": f"{one.mark}\n{one.body}"})
        wanted: JsonBody = {"commit_id": head_sha, "event": "COMMENT", "body": review.body}
        return await self._post_review(f"{root}/reviews", wanted, waiting) if waiting else 0

    async def _post_review(self, path: str, wanted: JsonBody, comments: list[JsonBody]) -> int:
        """GitHub does not say which comment of a review it refuses: a refused one is sent in halves."""
        try:
            await self._transport.write("POST", path, {**wanted, "comments": comments})
        except Unprocessable as refused:
            if len(comments) == 1:
                log.warning("no suggestion on %s: %s", comments[0]["path"], refused.what)
                return 0
            half = len(comments) // 2
            posted = await self._post_review(path, wanted, comments[:half])
            return posted + await self._post_review(path, wanted, comments[half:])
        return len(comments)

    async def artifact(self, name: str, head_sha: str, most_bytes: int) -> bytes | None:
        """A workflow's newest ZIP archive of that name; None where the commit has none, or it expired.

        Raises UserError above `most_bytes`, and where the App lacks the optional permission `actions: read`.
        """
        listed = await self._transport.get(
            f"{self._root}/actions/runs", head_sha=head_sha, per_page=_MOST_RUNS
        )
        runs = sorted((one.integer("id") for one in listed.items("workflow_runs")), reverse=True)
        for run in runs[:_MOST_RUNS]:
            left = await self._transport.get(
                f"{self._root}/actions/runs/{run:d}/artifacts", name=name, per_page=_MOST_RUNS
            )
            for found in left.items("artifacts"):
                if found.text("name") != name or found.flag("expired"):
                    continue
                if found.integer("size_in_bytes") > most_bytes:
                    most = f"{most_bytes // 1_000_000} MB"
                    raise UserError(f"The artifact has more than {most}, and was not read.")
                number = segment(str(found.integer("id")))
                path = f"{self._root}/actions/artifacts/{number}/zip"
                return await self._transport.download(path, most_bytes)
        return None

    async def put_check_run(self, report: CheckReport, known: int = 0) -> CheckRun:
        """Creates or updates the check run of (head sha, name, external id)."""
        return await CheckRuns(self._transport, self._root, self._app).put(report, known)

    async def check_runs(self, sha: str, name: str) -> tuple[CheckRun, ...]:
        """This app's check runs of that name on a commit, newest first."""
        return await CheckRuns(self._transport, self._root, self._app).listed(sha, name)
