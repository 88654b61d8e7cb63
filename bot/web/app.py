"""The web process: webhook intake, health, metrics, and whatever pages are plugged in."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from flask import Blueprint, Flask

from bot.engine import QueueDepth
from bot.models import Delivery
from bot.store import Store
from bot.web import boundary, health, metrics, webhook

log = logging.getLogger(__name__)

LARGEST_PAYLOAD_BYTES = 25 * 1024 * 1024
"""GitHub never sends more."""


class Jobs(Protocol):
    """The engine's client, as far as the web process needs it. Each may raise `Transient`."""

    def submit_delivery(self, delivery: Delivery, lane: str) -> None:
        """Store a delivery durably; the same id a second time does nothing."""

    def depth(self) -> QueueDepth:
        """Count the jobs that are not finished."""

    def check(self) -> None:
        """Return when the job store answers."""


@dataclass(frozen=True, slots=True)
class WebParts:
    """What the web process is made of.

    Without a secret the webhook refuses everything; without a token there are no metrics.
    """

    webhook_secret: str
    jobs: Jobs
    store: Store
    metrics_token: str = ""


def create_app(parts: WebParts, pages: Sequence[Blueprint] = ()) -> Flask:
    """Build the application; `pages` are blueprints that bring their own adapters."""
    app = Flask("bot.web", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_PAYLOAD_BYTES
    counters = metrics.WebhookCounters()
    app.register_blueprint(webhook.blueprint(parts.webhook_secret, parts.jobs, counters))
    app.register_blueprint(health.blueprint(parts.jobs, parts.store))
    app.register_blueprint(
        metrics.blueprint(parts.jobs, parts.store, counters, parts.metrics_token)
    )
    for page in pages:
        app.register_blueprint(page)
    boundary.install(app)
    return app
