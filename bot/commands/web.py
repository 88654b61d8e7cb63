"""`assay web`: webhook intake and report pages, by gunicorn."""

from __future__ import annotations

import os
import sys

import click

from bot.errors import Transient
from bot.settings import load_settings, make_home
from bot.store import open_records
from bot.templates import deployed
from bot.web.links import open_links


def run() -> None:
    """Become gunicorn."""
    settings = load_settings()
    make_home(settings.home)
    environment = {
        **os.environ,
        "ASSAY_HOST": settings.host,
        "ASSAY_PORT": str(settings.port),
        "ASSAY_HOME": str(settings.home.absolute()),
    }
    # The list's signed address: it is signed by a key that the database keeps.
    try:
        with open_records(settings) as records:
            records.migrate()
            index = open_links(settings, records).index()
    except Transient as error:
        index = f"not known yet, {error.what}"
    click.echo(f"assay web: recent evaluations: {index}", err=True)
    configuration = deployed("gunicorn.conf.py")
    argv = [sys.executable, "-m", "gunicorn", "--config", str(configuration)]
    os.execve(sys.executable, argv, environment)  # noqa: S606  signals reach gunicorn itself
