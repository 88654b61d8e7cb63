"""What Assay talks to: its databases, its public address, and the App as GitHub knows it."""

from __future__ import annotations

import asyncio
from contextlib import closing
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

import httpx

from bot.doctor.machine import Diagnosis, Importance
from bot.errors import Transient, UserError
from bot.github.addresses import Addresses
from bot.github.client import GitHubApp
from bot.github.credentials import load_manifest, private_key
from bot.github.transport import Manners
from bot.queue import EngineClient, engine_options
from bot.settings import Settings
from bot.store import open_records

LEVELS = {"": 0, "read": 1, "write": 2, "admin": 3}


def ask_databases(settings: Settings) -> None:
    """Raise Transient unless both answer and have their tables."""
    with open_records(settings) as records:
        records.check()
    if not settings.database_url and not Path(settings.home / "engine.db").is_file():
        return  # only `assay judge` was used here, which needs no engine
    with closing(EngineClient(engine_options(settings))) as jobs:
        jobs.check()


def look_at_webhooks(settings: Settings) -> Diagnosis:
    """Say when the last webhook came: none, although people push, means that GitHub cannot get here."""
    remedy = "open a pull request, then see Recent Deliveries in the App's settings (Advanced)"
    never = Diagnosis("webhooks", False, "none has come yet", remedy, Importance.USEFUL)
    if not settings.database_url and not Path(settings.home / "engine.db").is_file():
        return never
    with closing(EngineClient(engine_options(settings))) as jobs:
        last_s = jobs.last_delivery_s()
    if last_s is None:
        return never
    when = datetime.fromtimestamp(last_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Diagnosis("webhooks", True, f"the last one came at {when}", "", Importance.USEFUL)


async def look_at_app(settings: Settings) -> tuple[Diagnosis, ...]:
    """Look at the credentials, and ask GitHub for the App when they can be read."""
    if settings.webhook_secret.get_secret_value():
        seen = [Diagnosis("webhook secret", True, "set")]
    else:
        remedy = "set WEBHOOK_SECRET here and in the App's settings at GitHub"
        not_set = "not set: every delivery is refused"
        seen = [Diagnosis("webhook secret", False, not_set, remedy)]
    path = settings.private_key_path
    # without a file the key stands in the environment, or the next look says what is wrong
    if path is not None and path.is_file():
        mode = path.stat().st_mode & 0o777
        is_private = not mode & 0o077
        remedy = "" if is_private else f"chmod 600 {path}"
        shown = f"{path} has mode {mode:04o}" + ("" if is_private else ", others may read it")
        seen.append(Diagnosis("private key", is_private, shown, remedy, Importance.USEFUL))
    return (*seen, await _look_at_address(settings), *await _ask_github(settings))


async def _look_at_address(settings: Settings) -> Diagnosis:
    """Ask the public address whether Assay answers there, as GitHub will."""
    address = f"{settings.public_url.rstrip('/')}/healthz"
    try:
        async with httpx.AsyncClient(timeout=settings.github_timeout_s) as client:
            answer = await client.get(address)
        is_ours = answer.status_code == HTTPStatus.OK and answer.json().get("status") == "ok"
        problem = "" if is_ours else f"answered {answer.status_code}, but not as Assay does"
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        problem = f"does not answer ({type(error).__name__})"
    except (ValueError, AttributeError):
        problem = "answered, but not as Assay does"
    if not problem:
        return Diagnosis("public address", True, f"{address} answers", "", Importance.USEFUL)
    remedy = "start `assay serve`, check the proxy in front of it, and set ASSAY_PUBLIC_URL"
    return Diagnosis("public address", False, f"{address} {problem}", remedy, Importance.USEFUL)


async def _ask_github(settings: Settings) -> tuple[Diagnosis, ...]:
    addresses = Addresses.of(settings.ghe_host)
    manners = Manners(addresses, timeout_s=settings.github_timeout_s)
    try:
        github = GitHubApp(manners, settings.app_id, private_key(settings))
        async with asyncio.timeout(settings.github_timeout_s):
            app = await github.app()
    except UserError as error:
        return (Diagnosis("GitHub App", False, error.what, error.next_step or "assay setup"),)
    except (Transient, TimeoutError) as error:
        seen = (
            str(error) or f"{addresses.web} does not answer within {settings.github_timeout_s:g} s"
        )
        remedy = "check the network and GHE_HOST, or wait for GitHub"
        return (Diagnosis("GitHub App", False, seen, remedy, Importance.USEFUL),)
    wanted, granted = load_manifest(), dict(app.permissions)
    missing = [
        f"{name}: {level}"
        for name, level in wanted.default_permissions.items()
        if LEVELS.get(granted.get(name, ""), 0) < LEVELS[level]
    ]
    events = sorted(set(wanted.default_events) - set(app.events))
    return (
        Diagnosis("GitHub App", True, f"{app.name}, id {app.id}: {app.url}"),
        _complete("permissions", missing, f"grant them at {app.url}, then accept the change"),
        _complete("events", events, f"subscribe to them in the settings of {app.url}"),
    )


def _complete(subject: str, missing: list[str], remedy: str) -> Diagnosis:
    if not missing:
        return Diagnosis(f"App's {subject}", True, "as in app.yml")
    return Diagnosis(f"App's {subject}", False, f"missing: {', '.join(missing)}", remedy)
