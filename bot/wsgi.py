"""The web process for gunicorn: `gunicorn -c deploy/gunicorn.conf.py "bot.wsgi:application()"`.

It must be built after gunicorn forks (no `--preload`): connections do not survive a fork.
"""

from __future__ import annotations

import functools
import logging
from functools import partial

from flask import Flask

from bot.errors import Transient
from bot.github.client import open_app
from bot.github.sign_in import open_sign_in
from bot.queue import EngineClient, engine_options, migrate
from bot.settings import load_settings
from bot.store import open_artifacts, open_records
from bot.web.api.routes import Api, blueprint
from bot.web.api.standing import Streams
from bot.web.api.submission import Submission
from bot.web.app import WebParts, create_app
from bot.web.calibration import by_link_or_visit, calibration_page
from bot.web.dashboard.pages import Dashboard, dashboard_pages
from bot.web.dashboard.sign_in import Doors, is_loopback
from bot.web.dashboard.tokens import TokenPages
from bot.web.dashboard.visits import Visits
from bot.web.links import open_links
from bot.web.pages import report_pages
from bot.web.server import CheckedBodies

log = logging.getLogger(__name__)

GITHUB_TIMEOUT_S = 5.0
"""For one answer: a thread waits for it, and whoever sent the patch can send it again."""
WATCHED_S, WATCHED_BEAT_S = 120.0, 2.0
"""People go from page to page: a place for their streams is soon free again."""


def application() -> Flask:
    """Wire the web process from the environment; it starts, not ready, while the database is away."""
    settings = load_settings()
    logging.basicConfig(level=settings.log_level)
    options = engine_options(settings)
    records = open_records(settings)
    try:
        migrate(options)
        records.migrate()
    except Transient as error:
        log.warning("the databases are not prepared yet: %s", error.what)
    parts = WebParts(
        settings.webhook_secret.get_secret_value(),
        EngineClient(options),
        records,
        settings.metrics_token.get_secret_value(),
    )
    artifacts, links = open_artifacts(settings), open_links(settings, records)
    github = functools.cache(partial(open_app, settings, GITHUB_TIMEOUT_S))
    api = Api(
        records,
        Submission(records, parts.jobs, github),
        artifacts.get,
        links.sign,
        settings.public_url,
        Streams(settings.web_streams),
    )
    visits = Visits(
        records, open_sign_in(settings, GITHUB_TIMEOUT_S), not is_loopback(settings.public_url)
    )
    streams = Streams(settings.web_streams, WATCHED_S, WATCHED_BEAT_S)
    dashboard = Dashboard(records, parts.jobs, visits, Doors(visits, links), streams)
    pages = (
        report_pages(records, artifacts, links, visits),
        dashboard_pages(dashboard, TokenPages(records, visits, links)),
        calibration_page(records, by_link_or_visit(links, visits)),
        blueprint(api),
    )
    application = create_app(parts, pages)
    application.wsgi_app = CheckedBodies(application.wsgi_app)  # type: ignore[assignment]
    return application
