"""Says in one sentence, for people, why a model gave no answer that can be used."""

from __future__ import annotations

import logging

from openai import APIConnectionError
from pydantic_ai import exceptions

from bot.llm.base import Answerless, ModelAway

log = logging.getLogger(__name__)
_AGAIN = "ask again with /judge when it is back"


def away(error: exceptions.ModelAPIError) -> ModelAway:
    """What an endpoint's failure, after all tries, is to an evaluation."""
    log.warning("a model's endpoint failed: %s", error)
    if isinstance(error, exceptions.ModelHTTPError):
        return ModelAway(f"The model's endpoint {_refusal(error)}.")
    if is_silent(error):
        return silent()
    return ModelAway(
        "The model's endpoint answers what is no chat completion: see ASSAY_MODEL_URL."
    )


def _refusal(error: exceptions.ModelHTTPError) -> str:
    match error.status_code:
        case 401 | 403:
            return "refuses the key in ASSAY_MODEL_KEY"
        case 404:
            return f"does not know the model {error.model_name!r}"
        case 429:
            return f"is busy (it answers 429): {_AGAIN}"
        case status if status >= 500:
            return f"is broken (it answers {status}): {_AGAIN}"
        case status:
            return f"does not take the question ({status})"


def is_silent(error: exceptions.ModelAPIError) -> bool:
    """Whether nobody answered at all, in time: asking more takes minutes and brings nothing."""
    return isinstance(error.__cause__, APIConnectionError)


def silent() -> ModelAway:
    """What nobody's answer is to an evaluation."""
    return ModelAway(f"The model's endpoint does not answer: {_AGAIN}.")


def answerless(error: exceptions.UnexpectedModelBehavior) -> Answerless:
    """What a reply that cannot be used, after all tries, is to an evaluation."""
    log.info("a model's reply could not be used: %s", error.message)
    match error:
        case exceptions.ContentFilterError():
            return Answerless("It refused to answer.")
        case exceptions.IncompleteToolCall() | exceptions.OutputTokenLimitExceeded():
            return Answerless("Its reply was longer than it may be, and was cut.")
    return Answerless("Its reply could not be read twice.")
