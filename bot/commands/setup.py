"""`assay setup`: registers the App from app.yml in the browser and stores its credentials."""

from __future__ import annotations

import asyncio
import getpass
import os
import secrets
import signal
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click
from flask import Blueprint, Flask, Response, request
from markupsafe import escape
from werkzeug.serving import WSGIRequestHandler, make_server

from bot.errors import UserError
from bot.github import AppCredentials, NotThere
from bot.github.addresses import Addresses
from bot.github.client import convert_manifest
from bot.github.credentials import CredentialFiles, load_manifest, new_app_page
from bot.github.transport import Manners
from bot.settings import Settings, load_settings
from bot.source.github import CHECK_NAME
from bot.templates import render_html, render_text
from bot.web import boundary
from bot.web.dashboard.sign_in import is_loopback

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse

BACK = "/registered"
"""Where GitHub leads the browser back to, with `code` and `state`."""
SHUTDOWN_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Registration:
    """One registration. `page` is GitHub's form, which carries `state`; `manifest` is JSON text."""

    page: str
    manifest: str
    state: str


def run(organization: str, port: int, opens: bool, force: bool) -> None:
    """Serve the page until the App is registered."""
    settings = load_settings()
    files = CredentialFiles(settings.home)
    if not force:
        files.refuse_to_replace()
    # GitHub must be able to send webhooks to ASSAY_PUBLIC_URL.
    github = Addresses.of(settings.ghe_host).web
    way_out = "Set ASSAY_PUBLIC_URL to the https address of your web process (`assay web`)."
    if is_loopback(settings.public_url) and not is_loopback(github):
        raise UserError(
            f"{urlsplit(github).hostname} cannot send webhooks to {settings.public_url}, this machine's own "
            "loopback.",
            way_out,
        )
    set_up = _SetUp(settings, files)
    with _serving(set_up, organization, port) as address:
        if tunnel := _tunnel(urlsplit(address).port or 0):
            click.echo(f"You are logged in by ssh. First run this on your own machine: {tunnel}")
        click.echo(f"Open {address} in your browser (Ctrl-C stops).")
        if opens:
            webbrowser.open(address)
        credentials = set_up.wait()
    click.echo(
        render_text(
            "setup/next_steps.txt.j2",
            app_id=credentials.app_id,
            url=credentials.url,
            folder=str(files.settings.parent),
            check=CHECK_NAME,
        )
    )


def _tunnel(port: int) -> str:
    """Return the command that leads a port of the person's own machine here; empty without ssh."""
    words = os.environ.get("SSH_CONNECTION", "").split()
    if len(words) != 4:
        return ""
    *_, host, ssh_port = words
    other_port = "" if ssh_port == "22" else f"-p {ssh_port} "
    return f"ssh -N -L {port}:127.0.0.1:{port} {other_port}{getpass.getuser()}@{host}"


@dataclass(slots=True)
class _SetUp:
    """Waits for the person; `registered` runs in the page's thread."""

    settings: Settings
    files: CredentialFiles
    credentials: AppCredentials | None = None
    ended: threading.Event = field(default_factory=threading.Event)
    exchanging: threading.Lock = field(default_factory=threading.Lock)

    def registered(self, code: str) -> str:
        """Exchange the code, store what comes, and return the App's address; a reload changes nothing."""
        with self.exchanging:
            if self.credentials is None:
                manners = Manners(Addresses.of(self.settings.ghe_host))
                try:
                    credentials = asyncio.run(convert_manifest(manners, code))
                except NotThere as error:
                    raise UserError(
                        "GitHub does not know this code: it was used already, or is older than an hour.",
                        "Open the address that `assay setup` printed, and begin again; "
                        "an App that was made meanwhile can be deleted in GitHub's settings.",
                    ) from error
                self.files.store(credentials, self.settings)
                self.credentials = credentials
        return self.credentials.url

    def wait(self) -> AppCredentials:
        """Return once the App is registered. Raises UserError on Ctrl-C."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.ended.set())
        self.ended.wait()
        if self.credentials is None:
            raise UserError("Stopped; no App was registered.", "Run `assay setup` again.")
        return self.credentials


@contextmanager
def _serving(set_up: _SetUp, organization: str, port: int) -> Iterator[str]:
    """Serve the page on the loopback; yields its address."""
    try:
        server = make_server("127.0.0.1", port, _not_yet, threaded=True, request_handler=_Quiet)
    except SystemExit as error:  # werkzeug's way of saying that the port is taken
        raise UserError(f"Port {port} is taken.", "Name another one with --port.") from error
    address = f"http://127.0.0.1:{server.server_port}"
    state = secrets.token_urlsafe(32)
    web = Addresses.of(set_up.settings.ghe_host).web
    server.app = create_setup(
        Registration(
            page=new_app_page(web, organization, state),
            manifest=load_manifest().registration(set_up.settings.public_url, f"{address}{BACK}"),
            state=state,
        ),
        set_up,
    )
    thread = threading.Thread(target=server.serve_forever, args=(SHUTDOWN_POLL_S,), daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Quiet(WSGIRequestHandler):
    """Logs nothing: the code in the address is a secret until it is used."""

    def log(self, type: str, message: str, *args: object) -> None:
        """Drop the line."""


def _not_yet(_environ: object, start: StartResponse) -> list[bytes]:
    start("503 Service Unavailable", [])
    return []


def create_setup(registration: Registration, set_up: _SetUp) -> Flask:
    """Build the application.

    It answers on the loopback only, and only under the loopback's names: a page elsewhere that
    points its own name here learns nothing.
    """
    app = Flask("bot.commands.setup", static_folder=None)
    app.config["TRUSTED_HOSTS"] = ["127.0.0.1", "localhost"]
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
        answer = _page("setup/registered.html.j2", app=set_up.registered(code))
        answer.call_on_close(set_up.ended.set)  # the person's browser has it
        return answer

    app.register_blueprint(pages)
    boundary.install(app)
    return app


def _page(name: str, **values: str) -> Response:
    return Response(render_html(name, **values), content_type="text/html; charset=utf-8")
