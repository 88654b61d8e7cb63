"""Runs what nobody trusts: drivers, checkout, environments, tools. Never imports `bot`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from sandbox.base import Sandbox, SandboxError

DRIVERS = {
    "bubblewrap": "sandbox.bubblewrap.driver:open_bubblewrap",
    "docker": "sandbox.docker.driver:open_docker",
}
"""Every driver by its name, in the order in which `auto` tries them; imported when it is opened."""


def _opener(name: str) -> Callable[[Path], Sandbox]:
    module, _, function = DRIVERS[name].partition(":")
    opener: Callable[[Path], Sandbox] = getattr(import_module(module), function)
    return opener


def open_sandbox(name: str, state: Path) -> Sandbox:
    """The driver of that name, after it ran a command to see that it works; `auto` is the first that does.

    `state` is a folder of ours. Raises SandboxError that says what is missing; for `auto` of the first
    driver, whose way out is the shortest.
    """
    if name != "auto" and name not in DRIVERS:
        raise SandboxError(f"no sandbox is called {name!r}: auto, {', '.join(DRIVERS)}")
    first, *others = DRIVERS if name == "auto" else (name,)
    try:
        return _opener(first)(state)
    except SandboxError as error:
        for other in others:
            with suppress(SandboxError):
                return _opener(other)(state)
        raise error
