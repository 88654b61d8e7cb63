"""`POST /webhook`: check, store durably, answer. Nothing is looked up and nothing is run here.

The order matters: nothing is parsed before the signature over the raw bytes was found right.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from flask import Blueprint, Request, Response, jsonify, request
from werkzeug.exceptions import RequestEntityTooLarge

from bot.errors import Transient
from bot.github import Payload, signature_is_valid
from bot.queue import EngineClient
from bot.values import Delivery
from bot.web.metrics import WebhookCounters
from bot.webhook.events import is_handled, lane, leads_to_nothing

_DELIVERY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")
_EVENT = re.compile(r"[a-z][a-z_]{0,63}")


@dataclass(frozen=True, slots=True)
class WebhookAnswer:
    """What a request is told. `outcome` is a word for the metrics, `event` a known one or empty."""

    status: int
    outcome: str
    message: str
    event: str = ""


def blueprint(secret: str, deliveries: EngineClient, counters: WebhookCounters) -> Blueprint:
    """Build the one route."""
    routes = Blueprint("webhook", __name__)

    @routes.post("/webhook")
    def webhook() -> Response:
        began = time.monotonic()
        answer = receive(request, secret, deliveries.submit_delivery)
        counters.count(answer.event, answer.outcome, time.monotonic() - began)
        response = jsonify(status=answer.outcome, message=answer.message)
        response.status_code = answer.status
        if answer.status == 503:
            response.headers["Retry-After"] = "10"
        return response

    return routes


def receive(
    incoming: Request, secret: str, submit: Callable[[Delivery, str], None]
) -> WebhookAnswer:
    """Take one request in. Answers in the 400s and 500s say what is wrong and how to mend it."""
    if not secret:
        return WebhookAnswer(
            503,
            "unconfigured",
            "No webhook secret is set, so nothing can be trusted. Set WEBHOOK_SECRET, then restart.",
        )
    try:
        body = incoming.get_data(cache=False)
    except RequestEntityTooLarge:
        return WebhookAnswer(413, "too_large", "The payload is larger than GitHub's 25 MB.")
    refusal = _refusal(incoming, body, secret)
    if refusal:
        return refusal
    return _accept(incoming, body, submit)


def _refusal(incoming: Request, body: bytes, secret: str) -> WebhookAnswer | None:
    signed = incoming.headers.get("X-Hub-Signature-256", "")
    if not signed:
        return WebhookAnswer(401, "unsigned", "The header X-Hub-Signature-256 is missing.")
    if not signature_is_valid(secret, body, signed):
        return WebhookAnswer(
            401, "bad_signature", "The signature does not fit the payload and secret."
        )
    for name, pattern in (("X-GitHub-Delivery", _DELIVERY_ID), ("X-GitHub-Event", _EVENT)):
        if not pattern.fullmatch(incoming.headers.get(name, "")):
            return WebhookAnswer(400, "bad_headers", f"The header {name} is missing or malformed.")
    if incoming.mimetype != "application/json":
        return WebhookAnswer(
            415,
            "bad_content_type",
            "Set the webhook's content type to application/json in the App's settings.",
        )
    return None


def _accept(
    incoming: Request, body: bytes, submit: Callable[[Delivery, str], None]
) -> WebhookAnswer:
    event = incoming.headers["X-GitHub-Event"]
    try:
        text = body.decode()
        payload = Payload.parse(text)
    except ValueError:
        return WebhookAnswer(400, "bad_payload", "The payload is not JSON in UTF-8.")
    if not isinstance(payload.value, dict):
        return WebhookAnswer(400, "bad_payload", "The payload is not a JSON object.")
    action = payload.text("action")
    if not is_handled(event, action):
        return WebhookAnswer(202, "ignored", "Assay does nothing for this event.", event)
    delivery = Delivery(incoming.headers["X-GitHub-Delivery"], event, action, text)
    if leads_to_nothing(delivery):
        return WebhookAnswer(202, "ignored", "Nothing in this push is for Assay.", event)
    try:
        submit(delivery, lane(payload, event))
    except Transient:
        return WebhookAnswer(
            503, "unavailable", "The delivery could not be stored. Redeliver it later.", event
        )
    return WebhookAnswer(202, "accepted", "Stored; it will be handled.", event)
