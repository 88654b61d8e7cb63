"""Says why this machine does not let bubblewrap work, and the command that changes it."""

from __future__ import annotations

from pathlib import Path

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
