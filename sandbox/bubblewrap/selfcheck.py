"""Say why this machine does not let bubblewrap work, and the command that changes it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sandbox.base import SandboxError

# (the kernel's switch, the value that forbids, the command that allows)
_SWITCHES = (
    ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def ways_out(switches: Path = Path("/proc/sys")) -> tuple[str, ...]:
    """The commands that would allow what the kernel's switches forbid."""
    return tuple(
        command
        for name, forbids, command in _SWITCHES
        if (switches / name).is_file() and (switches / name).read_text().strip() == forbids
    )


def as_root(command: str) -> str:
    """Return a command as this user would type it."""
    return command if os.geteuid() == 0 else f"sudo {command}"


def no_build_network(error: SandboxError) -> SandboxError:
    """The error that says why a command with the build network did not start, and what to do."""
    tun, what = Path("/dev/net/tun"), "builds have no network"
    if not tun.exists():
        make = "mkdir -p /dev/net && mknod -m 0666 /dev/net/tun c 10 200"
        return SandboxError(f"{what}, because there is no {tun}", as_root(f"sh -c {make!r}"))
    if stat.S_IMODE(tun.stat().st_mode) & 0o006 != 0o006:
        way_out = as_root(f"chmod 0666 {tun}")
        return SandboxError(f"{what}, because only root may open {tun}", way_out)
    return SandboxError(f"{what}: {error}")
