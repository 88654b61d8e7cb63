"""Everything said to GitHub; `transport.py` is the only user of githubkit.

`base` holds the protocols and values, `readings` makes them from GitHub's JSON, `signature` checks
deliveries; `client.GitHubApp` is the real thing. Importing this package does not load the transport.
"""

from bot.github.base import (
    BELONGING,
    AccessToken,
    AppCredentials,
    AppInfo,
    ChangedPaths,
    CheckAction,
    CheckReport,
    CheckRun,
    CheckStatus,
    Comment,
    GitHub,
    Installation,
    Issue,
    LabelSet,
    NotThere,
    Permission,
    PullRequest,
    Reaction,
    Repository,
    RepositoryReader,
)
from bot.github.readings import read_pull_request, signature, signature_is_valid
from bot.text.json_reading import Payload
