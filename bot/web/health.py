"""`/healthz`: this process lives. `/readyz`: it can store what comes in. And the schema for editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from flask import Blueprint, Response, jsonify

from bot.configuration import json_schema
from bot.errors import Transient

SCHEMA = "/assay.schema.json"
"""Where `# yaml-language-server: $schema=` in a repository's configuration points to."""


class Checked(Protocol):
    """Something that the web process cannot work without."""

    def check(self) -> None:
        """Return when it answers. Raises `Transient` when it does not."""


def blueprint(jobs: Checked, store: Checked) -> Blueprint:
    """Build the routes."""
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
        found = {"jobs": _problem(jobs.check), "records": _problem(store.check)}
        problems = {name: problem for name, problem in found.items() if problem}
        response = jsonify(status="unavailable" if problems else "ok", problems=problems)
        response.status_code = 503 if problems else 200
        return response

    return routes


def _problem(check: Callable[[], None]) -> str:
    try:
        check()
    except Transient as error:
        return error.what
    return ""
