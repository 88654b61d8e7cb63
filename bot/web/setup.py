"""The page of `assay setup`: leads to GitHub's form for a new App, and takes what GitHub sends back."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, request
from markupsafe import escape

from bot.errors import UserError
from bot.templates import render_html
from bot.web import boundary

BACK = "/registered"
"""Where GitHub leads the browser back to, with `code` and `state`."""


@dataclass(frozen=True, slots=True)
class Registration:
    """One registration. `page` is GitHub's form, which carries `state`; `manifest` is JSON text."""

    page: str
    manifest: str
    state: str


class Registrar(Protocol):
    """Whoever waits for the App."""

    def registered(self, code: str) -> str:
        """Exchange the code for the App's credentials; return the App's address at GitHub."""

    def told(self) -> None:
        """Hear that the browser has got its answer."""


def create_setup(registration: Registration, registrar: Registrar) -> Flask:
    """Build the application.

    It answers on the loopback only, and only under the loopback's names: a page elsewhere that
    points its own name here learns nothing.
    """
    app = Flask("bot.web.setup", static_folder=None)
    app.config["TRUSTED_HOSTS"] = ["127.0.0.1", "localhost"]
    app.register_blueprint(_blueprint(registration, registrar))
    boundary.install(app)
    return app


def _blueprint(registration: Registration, registrar: Registrar) -> Blueprint:
    pages = Blueprint("setup", __name__)
    github = urlsplit(registration.page)

    @pages.get("/")
    def asked() -> Response:
        return _page(
            "setup/register.html.j2",
            github=f"{github.scheme}://{github.netloc}",
            page=escape(registration.page),
            manifest=escape(registration.manifest),
        )

    @pages.get(BACK)
    def came_back() -> Response:
        state = request.args.get("state", "")
        if not secrets.compare_digest(state.encode(), registration.state.encode()):
            raise UserError(
                "This answer does not belong to the registration that was started here.",
                "Open the address that `assay setup` printed, and begin again.",
            )
        code = request.args.get("code", "")
        if not code:
            raise UserError("GitHub sent no code.", "Begin again with the button.")
        answer = _page("setup/registered.html.j2", app=registrar.registered(code))
        answer.call_on_close(registrar.told)
        return answer

    return pages


def _page(name: str, **values: str) -> Response:
    return Response(render_html(name, **values), content_type="text/html; charset=utf-8")
