"""`assay doctor`: what is missing on this machine, and the command that mends it."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

import click

from bot.doctor import examine
from bot.errors import UserError
from bot.settings import load_settings, make_home


def run() -> None:
    """Print what was looked at; ends with 2 when something required is missing."""
    settings = load_settings()
    with suppress(UserError):  # examine says it better
        make_home(settings.home)
    diagnoses = asyncio.run(examine(settings))
    width = max(len(diagnosis.subject) for diagnosis in diagnoses)
    for diagnosis in diagnoses:
        mark = "ok" if diagnosis.is_well else "MISSING" if diagnosis.is_fatal else "-"
        click.echo(f"{mark:7}  {diagnosis.subject:{width}}  {diagnosis.seen}")
        if diagnosis.remedy:
            click.echo(f"{'':7}  {'':{width}}  → {diagnosis.remedy}")
    if any(diagnosis.is_fatal for diagnosis in diagnoses):
        sys.exit(2)
