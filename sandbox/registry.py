"""Asks package registries, through their own clients in the sandbox, whether a package exists.

Each client goes where this host's settings send it. Only a clear "there is no such package" counts as
absent, and only while the same registry answers for a package that everybody has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sandbox.base import Command, Completed, Limits, Network, Sandbox
from sandbox.concurrently import concurrently
from sandbox.toolchains.layers import SYSTEM_PATH, TOOLS, UV
from sandbox.toolchains.python_layer import installer
from sandbox.toolchains.tree import json_table

YOUNG_DAYS = 14
_LIMITS = Limits(timeout_s=60)
_VERSION = re.compile(r"[0-9][\w.!+-]{0,63}", re.ASCII)


class Client(StrEnum):
    """Who asks: pip's world through uv, npm's through npm."""

    PIP = "pip"
    NPM = "npm"


class RegistryAnswer(StrEnum):
    """What the registry says of one package."""

    EXISTS = "exists"
    ABSENT = "absent"
    YOUNG = "young"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class WantedPackage:
    """One package by its name in a client's registry; the name must be plain (no version, no URL)."""

    client: Client
    name: str


_CONTROLS = {
    Client.PIP: WantedPackage(Client.PIP, "packaging"),
    Client.NPM: WantedPackage(Client.NPM, "semver"),
}


async def look_up(
    sandbox: Sandbox, wanted: Iterable[WantedPackage]
) -> dict[WantedPackage, RegistryAnswer]:
    """Ask for every package, at most one minute each; UNKNOWN where the registry did not answer."""
    asked = list(dict.fromkeys(wanted))
    clients = list(dict.fromkeys(one.client for one in asked))
    controls = await concurrently(*(_run(sandbox, _CONTROLS[c]) for c in clients))
    answering = {c for c, done in zip(clients, controls, strict=True) if done.exit_code == 0}
    answers: dict[WantedPackage, RegistryAnswer] = {}
    for one in asked:
        known = one.client in answering
        answers[one] = await _answer(sandbox, one) if known else RegistryAnswer.UNKNOWN
    return answers


async def newest_version(sandbox: Sandbox, wanted: WantedPackage) -> str:
    """Return the newest version that the registry offers; empty where it does not say one."""
    done = await _run(sandbox, wanted, fields=("version",))
    said = done.stdout.decode(errors="replace").strip()
    if wanted.client is Client.PIP:
        said = said.partition("==")[2]
    found = _VERSION.match(said.strip('"'))
    return found.group() if found and done.exit_code == 0 else ""


async def _answer(sandbox: Sandbox, wanted: WantedPackage) -> RegistryAnswer:
    done = await _run(sandbox, wanted)
    if done.exit_code != 0:
        absent = {
            Client.PIP: f"{wanted.name} was not found in the package registry",
            Client.NPM: "E404",
        }
        is_absent = absent[wanted.client] in _said(done)
        return RegistryAnswer.ABSENT if is_absent else RegistryAnswer.UNKNOWN
    cutoff = datetime.now(UTC) - timedelta(days=YOUNG_DAYS)
    if wanted.client is Client.PIP:
        older_only = ("--exclude-newer", cutoff.date().isoformat())
        control = await _run(sandbox, _CONTROLS[Client.PIP], older_only)
        older = await _run(sandbox, wanted, older_only)
        filtered = "exclude-newer" in _said(older)
        is_young = control.exit_code == 0 and older.exit_code != 0 and filtered
    else:
        # A registry that tells no times, or tells them to some only, leaves the age open.
        is_young = min(_published(done.stdout), default=cutoff) > cutoff
    return RegistryAnswer.YOUNG if is_young else RegistryAnswer.EXISTS


def _published(told: bytes) -> Iterator[datetime]:
    """The times of all releases, as npm prints them: `{"name": ..., "time": {"1.0.0": ...}}`."""
    for text in json_table(told.decode(errors="replace")).table("time").members.values():
        try:
            found = datetime.fromisoformat(str(text))
        except ValueError:
            continue
        yield found if found.tzinfo else found.replace(tzinfo=UTC)


def _said(done: Completed) -> str:
    text = (done.stdout + b"\n" + done.stderr).decode(errors="replace")
    return " ".join(text.split())


async def _run(
    sandbox: Sandbox,
    wanted: WantedPackage,
    more: tuple[str, ...] = (),
    fields: tuple[str, ...] = ("name", "time"),
) -> Completed:
    argv: tuple[str, ...] = ("npm", "view", wanted.name, *fields, "--json")
    if wanted.client is Client.PIP:
        argv = (UV, "pip", "compile", "--no-deps", "--no-header", "-q", *more, "-")
    command = Command(
        argv,
        mounts=installer(),
        environment=(
            ("PATH", f"{TOOLS}:{SYSTEM_PATH}"),
            ("HOME", "/tmp"),  # noqa: S108 - the sandbox's own
            ("UV_NO_CONFIG", "1"),
            ("UV_PYTHON_DOWNLOADS", "never"),
            ("UV_NO_PROGRESS", "1"),
            ("NO_COLOR", "1"),
        ),
        cwd="/tmp",  # noqa: S108
        stdin=f"{wanted.name}\n".encode() if wanted.client is Client.PIP else b"",
        network=Network.BUILD,
        limits=_LIMITS,
    )
    return await sandbox.run(command)
