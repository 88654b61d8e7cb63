"""Everything said to GitHub; `client.py` and what it imports are the only users of githubkit.

`base` holds the protocols and values, `payload` reads GitHub's JSON, `signature` checks deliveries;
`client.connect(...)` gives the real thing. This package does not import the transport by itself.
"""

from bot.github.base import (
    AccessToken,
    Annotation,
    AnnotationLevel,
    AppCredentials,
    AppInfo,
    CheckAction,
    CheckReport,
    CheckRun,
    CheckStatus,
    Comment,
    GitHub,
    Installation,
    Issue,
    IssueReference,
    NotThere,
    Permission,
    PullRequest,
    Reaction,
    Repository,
    RepositoryReader,
)
from bot.github.payload import Payload
from bot.github.signature import signature, signature_is_valid

__all__ = [
    "AccessToken",
    "Annotation",
    "AnnotationLevel",
    "AppCredentials",
    "AppInfo",
    "CheckAction",
    "CheckReport",
    "CheckRun",
    "CheckStatus",
    "Comment",
    "GitHub",
    "Installation",
    "Issue",
    "IssueReference",
    "NotThere",
    "Payload",
    "Permission",
    "PullRequest",
    "Reaction",
    "Repository",
    "RepositoryReader",
    "signature",
    "signature_is_valid",
]
