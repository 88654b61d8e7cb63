"""`assay worker`: runs evaluations until it is told to stop."""

from __future__ import annotations

import signal

import click

from bot.commands.wiring import open_work, set_up_log
from bot.own_folder import make_home
from bot.queue import engine_options, open_worker
from bot.settings import load_settings


def run() -> None:
    """Run evaluations until a signal says to stop."""
    settings = load_settings()
    set_up_log(settings)
    make_home(settings.home)
    with open_work(settings) as work, open_worker(engine_options(settings), work) as worker:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        click.echo("assay worker: ready", err=True)
        worker.wait()
