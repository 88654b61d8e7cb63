"""The web boundary: every error becomes one clear answer, and none shows what is inside."""

from __future__ import annotations

import logging

from flask import Flask, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.errors import Transient, UserError
from bot.templates import render_html
from bot.web.api.models import BELOW, Problem, as_response

log = logging.getLogger(__name__)

_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
)


def install(app: Flask) -> None:
    """Handle errors of all routes, and set the headers that every answer needs."""

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Response:
        answer = _answer(error.code or 500, error.name, error.description or "")
        for name, value in error.get_headers():
            if name in {"Allow", "Retry-After"}:
                answer.headers[name] = value
        return answer

    @app.errorhandler(UserError)
    def user_error(error: UserError) -> Response:
        return _answer(400, error.what, error.next_step)

    @app.errorhandler(Transient)
    def transient(error: Transient) -> Response:
        log.warning("%s: %s", request.path, error.what)
        answer = _answer(503, "Not available right now", f"{error.what}. Try again in a moment.")
        answer.headers["Retry-After"] = "10"
        return answer

    @app.errorhandler(Exception)
    def bug(error: Exception) -> Response:
        """The last resort; `Exception` is caught here and in the worker's loop, nowhere else."""
        log.error("%s %s failed", request.method, request.path, exc_info=error)
        return _answer(500, "Assay made a mistake", "The log of the web process says more.")

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in _HEADERS:
            response.headers.setdefault(name, value)
        return response


def _answer(status: int, title: str, text: str) -> Response:
    if request.path.startswith(BELOW):
        return as_response(Problem(title=title, status=status, detail=text))
    is_for_programs = request.path == "/webhook" or request.path.endswith(".json")
    if not is_for_programs and request.accept_mimetypes.best == "text/html":
        page = render_html("error.html.j2", status=status, title=title, text=text)
        return Response(page, status, content_type="text/html; charset=utf-8")
    response = jsonify(status=status, error=title, message=text)
    response.status_code = status
    return response
