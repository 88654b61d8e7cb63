"""GitHub's JSON for accounts, repositories, apps and installations, with every required field."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from bot.demo.forge.rows import AppRow, InstallationRow, RepositoryRow, User
from bot.demo.forge.state import State

Json = dict[str, object]

_REPOSITORY_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_USER_LINKS = {
    "events_url": "/events{/privacy}",
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "organizations_url": "/orgs",
    "received_events_url": "/received_events",
    "repos_url": "/repos",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
}
_NO = (
    "has_projects has_wiki has_pages has_discussions archived disabled is_template "
    "web_commit_signoff_required"
)
_FEATURES: Json = {
    **dict.fromkeys(("has_issues", "has_downloads", "allow_forking"), True),
    **dict.fromkeys(_NO.split(), False),
    **dict.fromkeys(("homepage", "language", "mirror_url", "license", "description")),
    "topics": [],
}
_COUNTS = (
    "forks forks_count open_issues open_issues_count size stargazers_count watchers watchers_count"
)


@dataclass(frozen=True, slots=True)
class Shapes:
    """Makes JSON; `web` is the forge's own address without a trailing slash."""

    state: State
    web: str

    @property
    def rest(self) -> str:
        """Where the REST API is, without a trailing slash."""
        return f"{self.web}/api/v3"

    def login(self, login: str) -> Json:
        """The user of that name; one that was never registered gets GitHub's ghost id."""
        return self.user(self.state.user(login) or User(10137, login))

    def user(self, user: User) -> Json:
        """A simple user."""
        name = quote(user.login)  # a bot's has brackets
        url = f"{self.rest}/users/{name}"
        return {
            "login": user.login,
            "id": user.id,
            "node_id": node_id("User", user.id),
            "avatar_url": f"{self.web}/_forge/avatar/{user.id}",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.web}/{name}",
            **{key: url + tail for key, tail in _USER_LINKS.items()},
            "type": user.type,
            "site_admin": False,
        }

    def repository(self, row: RepositoryRow) -> Json:
        """A repository as pull requests and webhooks hold it."""
        url, html = f"{self.rest}/repos/{row.name}", f"{self.web}/{row.name}"
        return {
            "id": row.id,
            "node_id": node_id("Repository", row.id),
            "name": row.short_name,
            "full_name": row.name,
            "owner": self.login(row.owner),
            "private": row.private,
            "visibility": "private" if row.private else "public",
            "html_url": html,
            "url": url,
            "fork": bool(row.fork_of),
            "default_branch": row.default_branch,
            "clone_url": f"{html}.git",
            "git_url": f"git:{html.partition(':')[2]}.git",
            "ssh_url": f"git@localhost:{row.name}.git",
            "svn_url": html,
            **{key: url + tail for key, tail in _REPOSITORY_LINKS.items()},
            **_FEATURES,
            **dict.fromkeys(_COUNTS.split(), 0),
            **dict.fromkeys(("created_at", "updated_at", "pushed_at"), "2026-01-01T00:00:00Z"),
        }

    def full_repository(self, row: RepositoryRow) -> Json:
        """A repository as it is answered when asked for by name."""
        return {**self.repository(row), "network_count": 0, "subscribers_count": 0}

    def app(self, row: AppRow) -> Json:
        """An app (GitHub says integration)."""
        return {
            "id": row.id,
            "slug": row.slug,
            "node_id": node_id("Integration", row.id),
            "client_id": row.client_id,
            "owner": self.login(row.owner),
            "name": row.name,
            "description": None,
            "external_url": "https://example.com",
            "html_url": f"{self.web}/apps/{row.slug}",
            "created_at": iso(row.created_at_s),
            "updated_at": iso(row.created_at_s),
            "permissions": dict(row.permissions),
            "events": list(row.events),
        }

    def installation(self, row: InstallationRow, app: AppRow) -> Json:
        """An app's installation on an account."""
        account = self.state.user(row.account) or User(10137, row.account)
        url = f"{self.rest}/app/installations/{row.id}"
        return {
            "id": row.id,
            "account": self.user(account),
            "app_id": app.id,
            "app_slug": app.slug,
            "target_id": account.id,
            "target_type": account.type,
            "single_file_name": None,
            "repository_selection": "selected" if row.repositories else "all",
            "access_tokens_url": f"{url}/access_tokens",
            "repositories_url": f"{self.rest}/installation/repositories",
            "html_url": f"{self.web}/settings/installations/{row.id}",
            "events": list(app.events),
            "permissions": dict(app.permissions),
            "created_at": iso(row.created_at_s),
            "updated_at": iso(row.created_at_s),
            "suspended_by": self.login(row.account) if row.suspended else None,
            "suspended_at": iso(row.created_at_s) if row.suspended else None,
        }


def iso(moment_s: float) -> str:
    """A time as GitHub writes it."""
    return datetime.fromtimestamp(moment_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def node_id(kind: str, number: int) -> str:
    """An opaque GraphQL id."""
    return base64.b64encode(f"{len(kind):03}:{kind}{number}".encode()).decode()
