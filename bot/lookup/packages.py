"""Says what a package registry knows of a package, by the registry's own client in the sandbox."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from sandbox.base import Sandbox
from sandbox.tools.registry import Answer, Client, Wanted, look_up, newest_version

Packages = Callable[[Wanted], Awaitable[str]]
"""Answers in words what is known of one package."""

_REQUEST = re.compile(r"(pip|npm):(@?[A-Za-z0-9][\w.-]*(?:/[\w.-]+)?)", re.ASCII)
_MOST_NAME_CHARS = 214
_WORDS = {
    Answer.EXISTS: "exists",
    Answer.ABSENT: "does not exist",
    Answer.YOUNG: "exists, and was first published within the last two weeks",
    Answer.UNKNOWN: "could not be looked up: its registry does not answer",
}


def wanted_package(request: str) -> Wanted | None:
    """The package that a request of the form `pip:name` or `npm:name` asks for."""
    found = _REQUEST.fullmatch(request.strip())
    if found is None or len(found[2]) > _MOST_NAME_CHARS:
        return None
    return Wanted(Client(found[1]), found[2])


def packages_by(sandbox: Sandbox) -> Packages:
    """Ask registries by their clients in this sandbox."""

    async def ask(wanted: Wanted) -> str:
        answer = (await look_up(sandbox, [wanted]))[wanted]
        said = f"The {wanted.client.value} package {wanted.name} {_WORDS[answer]}."
        if answer not in {Answer.EXISTS, Answer.YOUNG}:
            return said
        version = await newest_version(sandbox, wanted)
        return f"{said} Its newest version is {version}." if version else said

    return ask
