"""`assay doctor`: what is missing on this machine, and the command that installs it."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bot.settings import Settings, load_settings
from sandbox import open_sandbox
from sandbox.base import Command, SandboxError

REQUIRED, USEFUL = "required", "useful"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at. `remedy` is a command or a sentence, empty when all is well."""

    subject: str
    weight: str
    is_well: bool
    seen: str
    remedy: str = ""


def _programs(settings: Settings) -> Iterator[Diagnosis]:
    wanted = (
        ("git", "git", REQUIRED),
        ("bwrap", "bubblewrap", REQUIRED),
        ("slirp4netns", "slirp4netns", REQUIRED),
        ("/usr/bin/python3", "python3", REQUIRED),
        (settings.chromium, "chromium", USEFUL),
    )
    for program, package, weight in wanted:
        found = shutil.which(program)
        remedy = "" if found else f"apt-get install {package}"
        yield Diagnosis(program, weight, bool(found), found or "not found", remedy)


async def _sandbox(settings: Settings) -> Diagnosis:
    try:
        sandbox = open_sandbox(settings.sandbox, settings.home / "sandbox")
        completed = await sandbox.run(Command(argv=("/usr/bin/id", "-u"), cwd="/"))
    except SandboxError as error:
        return Diagnosis("sandbox", REQUIRED, False, "does not start", str(error))
    seen = f"{sandbox.name}, runs as uid {completed.stdout.decode().strip()}"
    return Diagnosis("sandbox", REQUIRED, completed.exit_code == 0, seen)


def _app(settings: Settings) -> Iterator[Diagnosis]:
    registered = bool(settings.app_id)
    yield Diagnosis(
        "GitHub App",
        USEFUL,
        registered,
        f"id {settings.app_id}" if registered else "not registered",
        "" if registered else "assay setup",
    )
    secret = bool(settings.webhook_secret.get_secret_value())
    yield Diagnosis(
        "webhook secret",
        USEFUL,
        secret,
        "set" if secret else "not set: every delivery is refused",
        "" if secret else "assay setup, or set WEBHOOK_SECRET",
    )


def _home(settings: Settings) -> Diagnosis:
    folder = settings.home if settings.home.exists() else Path.cwd()
    free_gb = shutil.disk_usage(folder).free / 1e9
    enough = free_gb >= settings.disk_gb
    remedy = "" if enough else f"free some disk, or lower ASSAY_DISK_GB (now {settings.disk_gb})"
    return Diagnosis("disk", USEFUL, enough, f"{free_gb:.0f} GB free", remedy)


async def examine(settings: Settings) -> tuple[Diagnosis, ...]:
    """Look at everything that Assay needs on this machine."""
    return (*_programs(settings), await _sandbox(settings), _home(settings), *_app(settings))


@click.command("doctor")
def command() -> None:
    """Say what is missing on this machine, and how to install it."""
    diagnoses = asyncio.run(examine(load_settings()))
    table = Table(box=None)
    for title in ("", "what", "seen", "to do"):
        table.add_column(title)
    for diagnosis in diagnoses:
        mark = "ok" if diagnosis.is_well else ("MISSING" if diagnosis.weight == REQUIRED else "-")
        table.add_row(mark, diagnosis.subject, diagnosis.seen, diagnosis.remedy)
    Console().print(table)
    if any(not one.is_well and one.weight == REQUIRED for one in diagnoses):
        sys.exit(2)
