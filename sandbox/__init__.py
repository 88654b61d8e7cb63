"""Runs what nobody trusts: drivers, checkout, environments, tools. Never imports `bot`."""

from __future__ import annotations

from pathlib import Path

from sandbox.base import Sandbox, SandboxError
from sandbox.bubblewrap import BubblewrapSandbox

DRIVERS = {"bubblewrap": BubblewrapSandbox}
"""Every driver by its name, in the order in which `auto` tries them."""


def open_sandbox(name: str, state: Path) -> Sandbox:
    """The driver of that name; `auto` is the first that works. Raises SandboxError."""
    candidates = DRIVERS if name == "auto" else {name: DRIVERS[name]}
    for driver in candidates.values():
        return driver(state)
    raise SandboxError("no driver")
