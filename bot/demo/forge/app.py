"""Puts the forge together: one Flask app, its routes by concept, its refusals, its faults.

`python -m bot.demo.forge.app --state DIR --port N` prints its address and ends on SIGTERM.
"""

from __future__ import annotations

import argparse
import signal
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from flask import Flask, Response, request
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from bot.demo.forge import (
    api_apps,
    api_checks,
    api_issues,
    api_pulls,
    api_repositories,
    api_users,
    control,
    git_http,
    pages,
)
from bot.demo.forge.access import Refused
from bot.demo.forge.context import KEY, Context, answer
from bot.demo.forge.deliveries import Deliveries
from bot.demo.forge.state import State
from bot.demo.forge.work_shapes import WorkShapes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from _typeshed.wsgi import WSGIApplication
    from flask import Blueprint

HOUR_S = 3600.0
_API = (
    api_apps,
    api_users,
    api_issues,
    api_pulls,
    api_checks,
    api_repositories,
)
DOCUMENTATION = "https://docs.github.com/rest"
LARGEST_REQUEST_BYTES = 512 * 1024 * 1024  # a push comes as one request


def create_forge(
    state: State, web: str, token_lifetime_s: float = HOUR_S, more: Sequence[Blueprint] = ()
) -> Flask:
    """The forge as a Flask app; `web` is the address that people and programs reach it by."""
    app = Flask("bot.demo.forge", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST_BYTES
    shapes = WorkShapes(state, web.rstrip("/"))
    deliveries = Deliveries(state, shapes)
    app.extensions[KEY] = Context(state, shapes, deliveries, token_lifetime_s)
    for module in _API:
        app.register_blueprint(module.routes, url_prefix="/api/v3")
    app.register_blueprint(api_pulls.graphql_routes, url_prefix="/api/graphql")
    # What has fixed words in its address stands before the pages of any owner.
    doors = (
        control.routes,
        api_users.sign_in_routes,
        *more,
        git_http.routes,
        pages.routes,
    )
    for routes in doors:
        app.register_blueprint(routes)
    app.register_error_handler(Refused, _refusal_answered)
    app.register_error_handler(404, _nothing_there)
    return app


@dataclass(slots=True)
class RunningForge:
    """A forge that serves on loopback until it is left; tests add `more` routes and `wrap` it in checks."""

    folder: Path
    port: int = 0
    token_lifetime_s: float = HOUR_S
    wrap: Callable[[Flask], WSGIApplication] = field(default=lambda app: app)
    more: Sequence[Blueprint] = ()
    web: str = ""
    state: State = field(init=False)
    _app: Flask = field(init=False)
    _server: BaseWSGIServer = field(init=False)
    _thread: threading.Thread = field(init=False)

    def __enter__(self) -> Self:
        self.state = State(self.folder)
        # The socket is open before the app is made, so that the app knows its own address.
        self._server = make_server(
            "127.0.0.1", self.port, _not_yet, threaded=True, request_handler=_QuietHandler
        )
        self.web = f"http://127.0.0.1:{self._server.server_port}"
        self._app = create_forge(self.state, self.web, self.token_lifetime_s, self.more)
        self._server.app = self.wrap(self._app)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        forge = self._app.extensions[KEY]
        if isinstance(forge, Context):
            forge.deliveries.close()
        self.state.close()


class _QuietHandler(WSGIRequestHandler):
    """Logs nothing: addresses of a forge hold no news."""

    def log(self, type: str, message: str, *args: object) -> None:
        """Drops the line."""


def _not_yet(_environ: object, start: Callable[..., object]) -> list[bytes]:
    start("503 Service Unavailable", [])
    return []


def _refusal_answered(refused: Refused) -> Response:
    shape: dict[str, object] = {
        "message": refused.message,
        "documentation_url": DOCUMENTATION,
        "status": str(refused.status),
    }
    if refused.errors:
        shape["errors"] = list(refused.errors)
    response = answer(shape, refused.status)
    if refused.permissions_hint:
        response.headers["X-Accepted-GitHub-Permissions"] = refused.permissions_hint
    return response


def _nothing_there(_error: object) -> Response:
    if request.path.startswith("/api/"):
        return _refusal_answered(Refused(404, "Not Found"))
    return Response("Not Found\n", 404, content_type="text/plain")


def main() -> None:
    """Serves until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="bot.demo.forge.app", description=__doc__)
    parser.add_argument("--state", type=Path, required=True, help="folder for its data")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    arguments = parser.parse_args()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with RunningForge(arguments.state, arguments.port) as forge:
        print(forge.web, flush=True)
        ended.wait()


if __name__ == "__main__":
    main()
