"""Tells the apps what was pushed to a default branch; of other branches the forge tells nothing."""

from __future__ import annotations

import time
from dataclasses import replace

from bot.demo.forge import git
from bot.demo.forge.context import Context
from bot.demo.forge.rows import RepositoryRow
from bot.demo.forge.shapes import Json, iso


def told_push(forge: Context, repository: RepositoryRow, sender: str) -> None:
    """Send a `push` where the default branch has moved; the first look at it only remembers."""
    before = repository.told_sha
    after = git.branch_sha(forge.state, repository.name, repository.default_branch)
    if not after or after == before:
        return
    forge.state.put(repository.name.lower(), replace(repository, told_sha=after))
    if before:
        payload = _payload(forge, repository, sender, before, after)
        forge.deliveries.emit("push", repository, sender, payload)


def _payload(
    forge: Context, repository: RepositoryRow, sender: str, before: str, after: str
) -> Json:
    web = f"{forge.shapes.web}/{repository.name}"
    commits = [
        _commit(forge, repository, one)
        for one in git.commits_between(forge.state, repository.name, before, after)
    ]
    return {
        "ref": f"refs/heads/{repository.default_branch}",
        "before": before,
        "after": after,
        **dict.fromkeys(("created", "deleted", "forced"), False),
        "base_ref": None,
        "compare": f"{web}/compare/{before[:12]}...{after[:12]}",
        "commits": commits,
        "head_commit": commits[-1] if commits else None,
        "pusher": {"name": sender, "email": f"{sender}@localhost"},
    }


def _commit(forge: Context, repository: RepositoryRow, commit: git.Commit) -> Json:
    who = {"name": commit.author, "email": "noreply@localhost", "date": iso(time.time())}
    changed = git.files_of(forge.state, repository.name, commit.sha)
    return {
        "id": commit.sha,
        "tree_id": commit.sha,
        "distinct": True,
        "message": commit.message,
        "timestamp": iso(time.time()),
        "url": f"{forge.shapes.web}/{repository.name}/commit/{commit.sha}",
        "author": who,
        "committer": who,
        **{
            kind: [one.path for one in changed if one.status == kind]
            for kind in ("added", "removed", "modified")
        },
    }
