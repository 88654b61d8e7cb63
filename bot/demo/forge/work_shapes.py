"""GitHub's JSON for issues, pull requests, comments and check runs."""

from __future__ import annotations

from urllib.parse import quote

from bot.demo.forge.access import role_of
from bot.demo.forge.git import PullFile, changed_files, count_commits
from bot.demo.forge.rows import (
    AppRow,
    CheckRow,
    CommentRow,
    IssueRow,
    PullPart,
    RepositoryRow,
)
from bot.demo.forge.shapes import Json, Shapes, iso, node_id


class WorkShapes(Shapes):
    """Adds what people and apps make in a repository."""

    __slots__ = ()

    def issue(self, row: IssueRow) -> Json:
        """An issue; a pull request's issue side names the pull request."""
        url, html = f"{self.rest}/repos/{row.repository}/issues/{row.number}", self.page(row)
        shape: Json = {
            "id": row.id,
            "node_id": node_id("Issue", row.id),
            "number": row.number,
            "title": row.title,
            "body": row.body,
            "state": row.state,
            "locked": False,
            "user": self.login(row.author),
            "author_association": self.association(row.repository, row.author),
            "assignees": [],
            **dict.fromkeys(("assignee", "milestone", "active_lock_reason")),
            **dict.fromkeys(("performed_via_github_app", "state_reason")),
            "labels": [self.label(row.repository, label) for label in row.labels],
            "comments": len(self.state.comments(row.repository, row.number)),
            "url": url,
            "html_url": html,
            "repository_url": f"{self.rest}/repos/{row.repository}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "labels_url": f"{url}/labels{{/name}}",
            "created_at": iso(row.created_at_s),
            "updated_at": iso(row.updated_at_s),
            "closed_at": iso(row.updated_at_s) if row.state == "closed" else None,
            "reactions": _reactions(url),
            "timeline_url": f"{url}/timeline",
        }
        if row.pull:
            shape["pull_request"] = {
                "url": f"{self.rest}/repos/{row.repository}/pulls/{row.number}",
                "html_url": html,
                "diff_url": f"{html}.diff",
                "patch_url": f"{html}.patch",
                "merged_at": None,
            }
        return shape

    def pull(self, row: IssueRow, pull: PullPart) -> Json:
        """A pull request as lists hold it."""
        url = f"{self.rest}/repos/{row.repository}/pulls/{row.number}"
        html = self.page(row)
        links = self._pull_links(row, pull, url)
        return {
            "id": row.id,
            "node_id": node_id("PullRequest", row.id),
            "number": row.number,
            "title": row.title,
            "body": row.body or None,
            "state": row.state,
            "draft": pull.draft,
            "locked": False,
            "user": self.login(row.author),
            "author_association": self.association(row.repository, row.author),
            "labels": [self.label(row.repository, label) for label in row.labels],
            "head": self._side(pull.head_repository, pull.head_ref, pull.head_sha),
            "base": self._side(row.repository, pull.base_ref, pull.base_sha),
            "created_at": iso(row.created_at_s),
            "updated_at": iso(row.updated_at_s),
            "closed_at": iso(row.updated_at_s) if row.state == "closed" else None,
            "merged_at": iso(row.updated_at_s) if pull.merged else None,
            "url": url,
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            **{f"{name}_url": link for name, link in links.items() if name not in {"self", "html"}},
            "_links": {name: {"href": link} for name, link in links.items()},
            **dict.fromkeys(("assignee", "milestone", "auto_merge", "merge_commit_sha")),
            **{"assignees": [], "requested_reviewers": [], "requested_teams": []},
            "active_lock_reason": None,
        }

    def full_pull(self, row: IssueRow, pull: PullPart) -> Json:
        """A pull request as it is answered when asked for by number."""
        commits = count_commits(self.state, row.repository, pull)
        return {
            **self.pull(row, pull),
            "merged": pull.merged,
            **dict.fromkeys(("mergeable", "rebaseable", "merged_by")),
            **dict.fromkeys(("review_comments", "additions", "deletions"), 0),
            "mergeable_state": "unknown",
            "comments": len(self.state.comments(row.repository, row.number)),
            "maintainer_can_modify": False,
            "commits": commits,
            "changed_files": len(changed_files(self.state, row.repository, pull)),
        }

    def changed_file(self, repository: str, pull: PullPart, file: PullFile) -> Json:
        """One file of a pull request; the forge counts no lines."""
        sha, path = pull.head_sha, quote(file.path)
        shape: Json = {
            "sha": sha,
            "filename": file.path,
            "status": file.status,
            **dict.fromkeys(("additions", "deletions", "changes"), 0),
            "blob_url": f"{self.web}/{repository}/blob/{sha}/{path}",
            "raw_url": f"{self.web}/{repository}/raw/{sha}/{path}",
            "contents_url": f"{self.rest}/repos/{repository}/contents/{path}?ref={sha}",
        }
        return {**shape, "previous_filename": file.before} if file.before else shape

    def pull_reference(self, row: IssueRow, pull: PullPart) -> Json:
        """A pull request as check runs name it."""
        return {
            "id": row.id,
            "number": row.number,
            "url": f"{self.rest}/repos/{row.repository}/pulls/{row.number}",
            "head": self._reference(pull.head_repository, pull.head_ref, pull.head_sha),
            "base": self._reference(row.repository, pull.base_ref, pull.base_sha),
        }

    def comment(self, row: CommentRow) -> Json:
        """A comment of an issue or pull request."""
        url = f"{self.rest}/repos/{row.repository}/issues/comments/{row.id}"
        issue = self.state.issue(row.repository, row.number)
        page = self.page(issue) if issue else self.web
        app = self.state.get(AppRow, row.app_id) if row.app_id else None
        return {
            "id": row.id,
            "node_id": node_id("IssueComment", row.id),
            "url": url,
            "html_url": f"{page}#issuecomment-{row.id}",
            "issue_url": f"{self.rest}/repos/{row.repository}/issues/{row.number}",
            "body": row.body,
            "user": self.login(row.author),
            "author_association": self.association(row.repository, row.author),
            "performed_via_github_app": self.app(app) if app else None,
            "created_at": iso(row.created_at_s),
            "updated_at": iso(row.updated_at_s),
            "reactions": _reactions(url),
        }

    def check_run(self, row: CheckRow) -> Json:
        """A check run with the pull requests whose head it judges."""
        url = f"{self.rest}/repos/{row.repository}/check-runs/{row.id}"
        app = self.state.get(AppRow, row.app_id)
        return {
            "id": row.id,
            "node_id": node_id("CheckRun", row.id),
            "name": row.name,
            "head_sha": row.head_sha,
            "external_id": row.external_id,
            "url": url,
            "html_url": f"{self.web}/{row.repository}/runs/{row.id}",
            "details_url": row.details_url or (f"{self.web}/apps/{app.slug}" if app else None),
            "status": row.status,
            "conclusion": row.conclusion or None,
            "started_at": iso(row.started_at_s),
            "completed_at": iso(row.completed_at_s) if row.completed_at_s else None,
            "check_suite": {"id": suite_id(row)},
            "output": {
                "title": row.title or None,
                "summary": row.summary or None,
                "text": row.text or None,
                "annotations_count": len(row.annotations),
                "annotations_url": f"{url}/annotations",
            },
            "app": self.app(app) if app else None,
            "pull_requests": self.pulls_at(row.repository, row.head_sha),
        }

    def pulls_at(self, repository: str, sha: str) -> list[Json]:
        """The open pull requests of this repository (not from forks) with that head."""
        return [
            self.pull_reference(row, row.pull)
            for row in self.state.issues(repository)
            if row.pull
            and row.state == "open"
            and row.pull.head_sha == sha
            and row.pull.head_repository == row.repository
        ]

    def label(self, repository: str, name: str) -> Json:
        """A label."""
        return {
            "id": sum(name.encode()),
            "node_id": node_id("Label", sum(name.encode())),
            "url": f"{self.rest}/repos/{repository}/labels/{quote(name)}",
            "name": name,
            "description": "",
            "color": "ededed",
            "default": False,
        }

    def association(self, repository: str, login: str) -> str:
        """How an author stands to a repository."""
        row = self.state.repository(repository)
        if row is None or login.endswith("[bot]"):
            return "NONE"
        if login.lower() == row.owner.lower():
            return "OWNER"
        if role_of(row, login) in {"admin", "maintain", "write", "triage"}:
            return "COLLABORATOR"
        mine = [issue for issue in self.state.issues(repository) if issue.author == login]
        if any(issue.pull and issue.pull.merged for issue in mine):
            return "CONTRIBUTOR"
        return "FIRST_TIME_CONTRIBUTOR" if any(issue.pull for issue in mine) else "NONE"

    def page(self, row: IssueRow) -> str:
        """The page that people see."""
        return f"{self.web}/{row.repository}/{'pull' if row.pull else 'issues'}/{row.number}"

    def _pull_links(self, row: IssueRow, pull: PullPart, url: str) -> dict[str, str]:
        root = f"{self.rest}/repos/{row.repository}"
        return {
            "self": url,
            "html": self.page(row),
            "issue": f"{root}/issues/{row.number}",
            "comments": f"{root}/issues/{row.number}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{root}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": f"{root}/statuses/{pull.head_sha}",
        }

    def _side(self, repository: str, ref: str, sha: str) -> Json:
        row = self.state.repository(repository)
        owner = repository.partition("/")[0]
        return {
            "label": f"{owner}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": self.login(owner),
            "repo": self.repository(row) if row else None,
        }

    def _reference(self, repository: str, ref: str, sha: str) -> Json:
        row = self.state.repository(repository) or RepositoryRow(0, repository, False, "main")
        url = f"{self.rest}/repos/{row.name}"
        return {"ref": ref, "sha": sha, "repo": {"id": row.id, "url": url, "name": row.short_name}}


def suite_id(row: CheckRow) -> int:
    """A check suite is one app's runs on one commit; its number follows from both."""
    return int(row.head_sha[:8] or "0", 16) * 1000 + row.app_id % 1000


def _reactions(url: str) -> Json:
    """The forge counts none."""
    names = ("total_count", "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    return {"url": f"{url}/reactions", **dict.fromkeys(names, 0)}
