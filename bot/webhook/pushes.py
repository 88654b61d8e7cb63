"""What was pushed to the default branch, as far as it says that it takes an earlier change back."""

from __future__ import annotations

import re

from bot.github import Payload
from bot.webhook.decisions import Decision, Ignore, KeepReverts, RevertingCommit, place_of

MOST_CLAIMS = 5
_COMMIT = re.compile(r"\bThis reverts commit ([0-9a-f]{40})\b")
_CHANGED = ("added", "removed", "modified")
_BRANCHES = "refs/heads/"


def pushed(payload: Payload) -> Decision:
    """A commit may revert a pull request without one of its own; all other pushes lead to nothing."""
    branch = payload.text("repository", "default_branch")
    if not branch or payload.text("ref") != f"{_BRANCHES}{branch}":
        return Ignore("a push to another branch than the default one")
    found = []
    for commit in payload.items("commits"):
        if reverts := reverted_commits(commit.text("message")):
            paths = {path.text() for kind in _CHANGED for path in commit.items(kind)}
            found.append(RevertingCommit(commit.text("id"), reverts, tuple(sorted(paths))))
    if not found:
        return Ignore("a push that reverts nothing")
    return KeepReverts(place_of(payload), branch, tuple(found[:MOST_CLAIMS]))


def reverted_commits(*texts: str) -> tuple[str, ...]:
    """The commits that texts say to revert, in the words of `git revert`."""
    named = dict.fromkeys(sha for text in texts for sha in _COMMIT.findall(text))
    return tuple(named)[:MOST_CLAIMS]
