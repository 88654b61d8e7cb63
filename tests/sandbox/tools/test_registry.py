"""Registries are asked through their own clients, in the sandbox; no answer is never "it exists"."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from sandbox.base import Command, Completed, Network
from sandbox.tools.registry import Answer, Client, Wanted, look_up

OLD, NEW, GONE = (Wanted(Client.PIP, name) for name in ("packaging", "young", "missing"))


@dataclass
class Registry:
    """A sandbox in which the clients answer as they do, for a registry that knows a few packages."""

    reachable: bool = True
    asked: list[Command] = field(default_factory=list)

    async def run(self, command: Command) -> Completed:
        self.asked.append(command)
        name = command.stdin.decode().strip() or command.argv[2]
        said = self._said(name, "--exclude-newer" in command.argv)
        return Completed(1 if said else 0, b"", said.encode(), 0.1)

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
        OLD: Answer.EXISTS,
        NEW: Answer.YOUNG,
        GONE: Answer.ABSENT,
    }
    assert {command.network for command in registry.asked} == {Network.BUILD}
    assert all("missing" not in command.argv for command in registry.asked)


async def test_npm_is_asked_for_npm_packages():
    known, absent = Wanted(Client.NPM, "p-queue"), Wanted(Client.NPM, "@no/such")
    found = await look_up(Registry(), [known, absent])
    assert found == {known: Answer.EXISTS, absent: Answer.ABSENT}


@pytest.mark.parametrize("wanted", [OLD, GONE, Wanted(Client.NPM, "p-queue")])
async def test_without_a_network_nothing_is_known(wanted):
    assert await look_up(Registry(reachable=False), [wanted]) == {wanted: Answer.UNKNOWN}


async def test_nothing_to_ask():
    assert await look_up(Registry(), []) == {}
