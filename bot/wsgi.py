"""The web process for gunicorn: `gunicorn -c deploy/gunicorn.conf.py "bot.wsgi:application()"`.

It must be built after gunicorn forks (no `--preload`): connections do not survive a fork.
"""

from __future__ import annotations

import logging

from flask import Flask

from bot.errors import Transient
from bot.queue import EngineClient, engine_options, migrate
from bot.settings import load_settings
from bot.store import open_artifacts, open_records
from bot.web.app import WebParts, create_app
from bot.web.links import open_links
from bot.web.pages import report_pages
from bot.web.server import CheckedBodies

log = logging.getLogger(__name__)


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
    pages = report_pages(records, open_artifacts(settings), open_links(settings, records))
    application = create_app(parts, (pages,))
    application.wsgi_app = CheckedBodies(application.wsgi_app)  # type: ignore[assignment]
    return application
