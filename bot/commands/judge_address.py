"""`assay judge ADDRESS`: judge a pull request as anybody may read it, and post nothing."""

from __future__ import annotations

import os
import secrets

from bot.commands.progress import TerminalProgress
from bot.commands.services import judge_once
from bot.errors import UserError
from bot.github import NotThere
from bot.github.addresses import Addresses, parse_pull_request_url, token_for
from bot.github.client import open_public
from bot.github.transport import Manners
from bot.settings import Settings
from bot.source.public import PublicOrigin
from bot.values import EvaluationRequest, Publication, Trigger


async def judge_address(
    settings: Settings, repository: str, progress: TerminalProgress
) -> Publication:
    """Judge a public pull request. Raises UserError when there is none, Transient when GitHub is away."""
    address = parse_pull_request_url(repository)
    manners = Manners(Addresses.of(address.host))
    token = token_for(address, settings.ghe_host, os.environ.get("GITHUB_TOKEN", ""))
    async with open_public(manners, address.repository, token) as reader:
        progress.tell("pull request")
        try:
            pull_request = await reader.pull_request(address.number)
        except NotThere as error:
            raise UserError(
                f"There is no pull request at {repository}.",
                "" if token else "If it is private, set GITHUB_TOKEN to a token that may read it.",
            ) from error
        origin = PublicOrigin(progress.tell, manners, reader, token)
        request = EvaluationRequest(
            id=f"public-{secrets.token_hex(8)}",
            repository=address.repository,
            number=pull_request.number,
            head_sha=pull_request.head_sha,
            base_sha=pull_request.base_sha,
            base_ref=pull_request.base_ref,
            head_ref=pull_request.head_ref,
            trigger=Trigger.LOCAL,
        )
        return await judge_once(settings, origin, request, count_runs=progress.count)
