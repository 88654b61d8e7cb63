"""Stage 1: both sides on disk, at pinned commits."""

from __future__ import annotations

import asyncio

from bot.errors import UserError
from bot.evaluation.on_host import on_this_host, portable, take_trees
from bot.services import Services
from bot.values import EvaluationRequest
from sandbox.values import Checkout


@on_this_host
async def check_out(services: Services, request: EvaluationRequest) -> Checkout:
    """Fetch base and head and export both. Raises UserError when one of them is not to be had."""
    await services.origin.announce(request, "checkout")
    code = await services.origin.code(request)
    shas = (code.target, code.head)
    checkout = await asyncio.to_thread(take_trees, services, request, code, shas)
    if not checkout.diff.files:
        raise UserError(
            "The head changes nothing over its base: there is nothing to judge.",
            "Push the commits that belong to this pull request.",
        )
    return portable(services, checkout)
