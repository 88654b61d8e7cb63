"""`/healthz`: this process lives. `/readyz`: it can store what comes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from flask import Blueprint, Response, jsonify

from bot.errors import Transient


class Checked(Protocol):
    """Something that the web process cannot work without."""

    def check(self) -> None:
        """Return when it answers. Raises `Transient` when it does not."""


def blueprint(jobs: Checked, store: Checked) -> Blueprint:
    """Build both routes."""
    routes = Blueprint("health", __name__)

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
