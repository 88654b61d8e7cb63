"""Stage 1: both sides on disk, at pinned commits."""

from __future__ import annotations

import asyncio

from bot.errors import Transient, UserError
from bot.models import EvaluationRequest
from bot.stages.services import Services
from sandbox.checkout import CheckoutRequest, take
from sandbox.errors import CheckoutError, CheckoutUnavailable
from sandbox.models import Checkout


async def check_out(services: Services, request: EvaluationRequest) -> Checkout:
    """Fetch base and head and export both. Raises UserError when one of them is not to be had."""
    await services.origin.announce(request, "checkout")
    code = await services.origin.code(request)
    wanted = CheckoutRequest(request.id, code.source, code.target, code.head, request.patch)
    try:
        checkout = await asyncio.to_thread(take, services.settings.home / "git", wanted)
    except CheckoutUnavailable as error:
        raise Transient(error.what, retry_after_s=30) from error
    except CheckoutError as error:
        raise UserError(error.what, error.next_step) from error
    if not checkout.diff.files:
        raise UserError(
            "The head changes nothing over its base: there is nothing to judge.",
            "Push the commits that belong to this pull request.",
        )
    return checkout
