"""Turns GitHub's JSON, from its API and from webhooks alike, into values; checks webhooks' signatures."""

from __future__ import annotations

import hashlib
import hmac

from bot.github.base import AppInfo, CheckRun, Comment, Issue, PullRequest
from bot.text.json_reading import Payload


def read_pull_request(reply: Payload) -> PullRequest:
    """The value of GitHub's JSON, of the REST API and of a webhook's `pull_request` alike."""
    return PullRequest(
        number=reply.integer("number"),
        title=reply.text("title"),
        body=reply.text("body"),
        state=reply.text("state"),
        draft=reply.flag("draft"),
        author=reply.text("user", "login"),
        author_association=reply.text("author_association"),
        head_sha=reply.text("head", "sha"),
        head_ref=reply.text("head", "ref"),
        head_repository=reply.text("head", "repo", "full_name"),
        base_sha=reply.text("base", "sha"),
        base_ref=reply.text("base", "ref"),
        base_repository=reply.text("base", "repo", "full_name"),
        labels=_labels(reply),
        merged=reply.flag("merged") or reply.has("merged_at"),
        changed_files=reply.integer("changed_files"),
    )


def read_issue(reply: Payload) -> Issue:
    """The value of GitHub's JSON, of the REST API and of a webhook's `issue` alike."""
    return Issue(
        number=reply.integer("number"),
        title=reply.text("title"),
        body=reply.text("body"),
        author=reply.text("user", "login"),
        author_association=reply.text("author_association"),
        is_pull_request=reply.has("pull_request"),
    )


def read_comment(reply: Payload, app: AppInfo | None) -> Comment:
    """The value of GitHub's JSON; own is only what this app wrote, never what looks like it."""
    own = False
    if app is not None:
        # Brackets cannot stand in a person's login, so this name cannot be taken.
        is_bot = reply.text("user", "type") == "Bot"
        is_ours = is_bot and reply.text("user", "login") == f"{app.slug}[bot]"
        own = is_ours or reply.integer("performed_via_github_app", "id") == app.id
    return Comment(
        id=reply.integer("id"),
        body=reply.text("body"),
        own=own,
        url=reply.text("html_url"),
        updated_at=reply.text("updated_at"),
    )


def read_check_run(reply: Payload) -> CheckRun:
    """The value of GitHub's JSON, of the REST API and of a webhook's `check_run` alike."""
    return CheckRun(
        id=reply.integer("id"),
        head_sha=reply.text("head_sha"),
        external_id=reply.text("external_id"),
        status=reply.text("status"),
        conclusion=reply.text("conclusion"),
        annotations=reply.integer("output", "annotations_count"),
        title=reply.text("output", "title"),
    )


def _labels(reply: Payload) -> tuple[str, ...]:
    # An issue's label may be a bare string.
    names = (label.text("name") or label.text() for label in reply.items("labels"))
    return tuple(name for name in names if name)


def signature(secret: str, body: bytes) -> str:
    """The header value that GitHub sends for these raw bytes."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def signature_is_valid(secret: str, body: bytes, header: str) -> bool:
    """Compares in constant time; never true without a secret."""
    if not secret:
        return False
    return hmac.compare_digest(signature(secret, body).encode(), header.encode(errors="replace"))
