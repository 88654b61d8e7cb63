"""Explains in one sentence why a model gave no usable answer."""

from __future__ import annotations

import logging

from openai import APIConnectionError
from pydantic_ai import exceptions

from bot.judges.model.base import Answerless, ModelAway

log = logging.getLogger(__name__)
_AGAIN = "Try again when it is back: comment `/judge`, or run the command again"


def away(error: exceptions.ModelAPIError) -> ModelAway:
    """Return the error for an endpoint that still fails after all retries."""
    log.warning("a model's endpoint failed: %s", error)
    if isinstance(error, exceptions.ModelHTTPError):
        return ModelAway(f"The model's endpoint {_refusal(error)}.")
    if is_silent(error):
        return silent()
    return ModelAway(
        "The model's endpoint does not return chat completions: check `ASSAY_MODEL_URL`."
    )


def _refusal(error: exceptions.ModelHTTPError) -> str:
    match error.status_code:
        case 401 | 403:
            return "rejects the key in `ASSAY_MODEL_KEY`"
        case 404:
            return f"does not know the model {error.model_name!r}"
        case 429:
            return f"is busy (status 429). {_AGAIN}"
        case status if status >= 500:
            return f"failed (status {status}). {_AGAIN}"
        case status:
            return f"rejects the request (status {status})"


def is_silent(error: exceptions.ModelAPIError) -> bool:
    """Tell whether the endpoint did not respond in time, so that more requests would only waste minutes."""
    return isinstance(error.__cause__, APIConnectionError)


def silent() -> ModelAway:
    """Return the error for an endpoint that does not respond."""
    return ModelAway(f"The model's endpoint does not respond. {_AGAIN}.")


def answerless(error: exceptions.UnexpectedModelBehavior) -> Answerless:
    """Return the error for a reply that is still unusable after all retries."""
    log.info("a model's reply could not be used: %s", error.message)
    match error:
        case exceptions.ContentFilterError():
            return Answerless("The model refused to answer.")
        case exceptions.IncompleteToolCall() | exceptions.OutputTokenLimitExceeded():
            return Answerless("The model's reply exceeded the length limit.")
    return Answerless("The model's reply could not be parsed, twice in a row.")
