"""The web process: webhook intake, health, metrics, and whatever pages are plugged in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flask import Blueprint, Flask, Response, jsonify

from bot.configuration import json_schema
from bot.errors import Transient
from bot.queue import EngineClient
from bot.store import Store
from bot.web import boundary, metrics, webhook

LARGEST_PAYLOAD_BYTES = 25 * 1024 * 1024
"""GitHub never sends more."""
SCHEMA = "/assay.schema.json"
"""Where `# yaml-language-server: $schema=` in a repository's configuration points to."""


@dataclass(frozen=True, slots=True)
class WebParts:
    """What the web process is made of.

    Without a secret the webhook refuses everything; without a token there are no metrics.
    """

    webhook_secret: str
    jobs: EngineClient
    store: Store
    metrics_token: str = ""


def create_app(parts: WebParts, pages: Sequence[Blueprint] = ()) -> Flask:
    """Build the application; `pages` are blueprints that bring their own adapters."""
    app = Flask("bot.web", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_PAYLOAD_BYTES
    counters = metrics.WebhookCounters()
    app.register_blueprint(webhook.blueprint(parts.webhook_secret, parts.jobs, counters))
    routes = Blueprint("health", __name__)

    @routes.get(SCHEMA)
    def schema() -> Response:
        # Editors in a browser ask from elsewhere; there is no secret in it.
        headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=3600"}
        return Response(json_schema(), mimetype="application/schema+json", headers=headers)

    @routes.get("/healthz")
    def healthz() -> Response:
        return jsonify(status="ok")

    @routes.get("/readyz")
    def readyz() -> Response:
        found = {"jobs": _problem(parts.jobs.check), "records": _problem(parts.store.check)}
        problems = {name: problem for name, problem in found.items() if problem}
        response = jsonify(status="unavailable" if problems else "ok", problems=problems)
        response.status_code = 503 if problems else 200
        return response

    app.register_blueprint(routes)
    app.register_blueprint(
        metrics.blueprint(parts.jobs, parts.store, counters, parts.metrics_token)
    )
    for page in pages:
        app.register_blueprint(page)
    boundary.install(app)
    return app


def _problem(check: Callable[[], None]) -> str:
    try:
        check()
    except Transient as error:
        return error.what
    return ""
