"""`assay serve`: web and worker together, for one machine."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import click

from bot.settings import load_settings, make_home
from sandbox import open_sandbox

STOP_TIMEOUT_S = 25


def run() -> None:
    """Run both until one of them ends or somebody stops them."""
    settings = load_settings()
    make_home(settings.home)
    open_sandbox(settings.sandbox, settings.home / "sandbox")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    parts = [
        subprocess.Popen([sys.executable, "-m", "bot.cli", name]) for name in ("web", "worker")
    ]
    click.echo(f"assay: {settings.public_url} (Ctrl-C stops it)", err=True)
    try:
        while not stop.wait(0.5) and all(part.poll() is None for part in parts):
            pass
    finally:
        codes = [_stopped(part) for part in parts]
    if not stop.is_set():
        sys.exit(next((code for code in codes if code), 1))


def _stopped(part: subprocess.Popen[bytes]) -> int:
    if part.poll() is None:
        part.terminate()
    try:
        return part.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        part.kill()
        return part.wait()
