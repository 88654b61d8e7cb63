"""Everything said to GitHub; `transport.py` is the only user of githubkit.

`client.GitHubApp` is the App as a whole; `repository.Repository` is one repository seen through one
installation, entered inside the job that uses it:

    async with github.repository("octo/hello", installation=7) as repository:
        pull_request = await repository.pull_request(9)

Every method of both raises `Transient` (rate limit, 5xx, hang: try again later) or `UserError` (refused,
with the way out); its subclass `NotThere` says that the thing does not exist or may not be seen.

Importing this package loads only the values and their readings: the transport takes half a second, so who
only names a client's type imports it for the type checker alone.
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
    Installation,
    Issue,
    LabelSet,
    NotThere,
    Permission,
    PullRequest,
    Reaction,
)
from bot.github.readings import read_pull_request, signature, signature_is_valid
from bot.text.json_reading import Payload
