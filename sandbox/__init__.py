"""Runs what nobody trusts: drivers, checkout, environments, tools. Never imports `bot`."""

from __future__ import annotations

from pathlib import Path

from sandbox.base import Sandbox, SandboxError
from sandbox.bubblewrap import BubblewrapSandbox, open_bubblewrap

DRIVERS = {BubblewrapSandbox.name: open_bubblewrap}
"""Every driver by its name, in the order in which `auto` tries them."""


def open_sandbox(name: str, state: Path) -> Sandbox:
    """The driver of that name, after it ran a command to see that it works; `auto` is the first that does.

    `state` is a folder of ours. Raises SandboxError that says what is missing, for `auto` of every
    driver.
    """
    if name != "auto" and name not in DRIVERS:
        raise SandboxError(f"no sandbox is called {name!r}: auto, {', '.join(DRIVERS)}")
    failures = []
    for candidate in DRIVERS if name == "auto" else (name,):
        try:
            return DRIVERS[candidate](state)
        except SandboxError as error:
            failures.append(f"{candidate}: {error}")
    raise SandboxError("; ".join(failures))
