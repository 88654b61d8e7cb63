"""Registries are asked through their own clients, in the sandbox; no answer is never "it exists"."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from sandbox import open_sandbox
from sandbox.base import Command, Completed, Network
from sandbox.registry import Client, RegistryAnswer, WantedPackage, look_up
from tests.sandbox.harness.kept import needs

OLD, NEW, GONE = (WantedPackage(Client.PIP, name) for name in ("packaging", "young", "missing"))


@dataclass
class Registry:
    """A sandbox in which the clients answer as they do, for a registry that knows a few packages."""

    reachable: bool = True
    asked: list[Command] = field(default_factory=list)

    async def run(self, command: Command) -> Completed:
        self.asked.append(command)
        name = command.stdin.decode().strip() or command.argv[2]
        said = self._said(name, "--exclude-newer" in command.argv)
        return Completed(1 if said else 0, self._times(name), said.encode(), 0.1)

    def _times(self, name: str) -> bytes:
        """As npm prints them; another registry than npm's own may tell none."""
        if name == "untold":
            return b'"untold"'
        first = datetime.now(UTC) - timedelta(days=2 if name == "young" else 200)
        times = {"modified": "2999-01-01T00:00:00.000Z", "1.0.0": first.isoformat()}
        return json.dumps({"name": name, "time": times}).encode()

    def _said(self, name: str, old_only: bool) -> str:
        if not self.reachable:
            return "error: error sending request for url"
        if name == "missing":
            return (
                f"cause: Because {name} was not\n found in the package registry and you require it"
            )
        if name == "young" and old_only:
            return "hint: `young` was filtered by `exclude-newer` to only include packages before"
        return "npm error code E404" if name == "@no/such" else ""


async def test_what_exists_is_young_or_is_not_there():
    registry = Registry()
    assert await look_up(registry, [OLD, NEW, GONE]) == {
        OLD: RegistryAnswer.EXISTS,
        NEW: RegistryAnswer.YOUNG,
        GONE: RegistryAnswer.ABSENT,
    }
    assert {command.network for command in registry.asked} == {Network.BUILD}
    assert all("missing" not in command.argv for command in registry.asked)


async def test_npm_is_asked_for_npm_packages():
    known, absent, young, untold = (
        WantedPackage(Client.NPM, name) for name in ("p-queue", "@no/such", "young", "untold")
    )
    assert await look_up(Registry(), [known, absent, young, untold]) == {
        known: RegistryAnswer.EXISTS,
        absent: RegistryAnswer.ABSENT,
        young: RegistryAnswer.YOUNG,
        untold: RegistryAnswer.EXISTS,
    }


@pytest.mark.real
@pytest.mark.slow  # asks the registries of this host
@pytest.mark.parametrize(("client", "name"), [(Client.PIP, "attrs"), (Client.NPM, "p-queue")])
async def test_the_real_clients_are_understood(
    client: Client, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if client is Client.NPM:
        needs("npm")
    sandbox = await asyncio.to_thread(open_sandbox, "auto", tmp_path_factory.mktemp("state"))
    known, absent = (
        WantedPackage(client, name),
        WantedPackage(client, "assay-has-no-package-of-this-name"),
    )
    found = await look_up(sandbox, [known, absent])
    if found[known] is RegistryAnswer.UNKNOWN:
        pytest.skip(f"the registry of {client} does not answer here")
    assert found == {known: RegistryAnswer.EXISTS, absent: RegistryAnswer.ABSENT}


@pytest.mark.parametrize("wanted", [OLD, GONE, WantedPackage(Client.NPM, "p-queue")])
async def test_without_a_network_nothing_is_known(wanted):
    assert await look_up(Registry(reachable=False), [wanted]) == {wanted: RegistryAnswer.UNKNOWN}


async def test_nothing_to_ask():
    assert await look_up(Registry(), []) == {}
