"""Names that the driver and the launcher share: where things stand on the launcher's stage."""

from __future__ import annotations

STAGE = "/tmp"  # noqa: S108  covered by an own tmpfs in a private mount namespace
SCRATCH = f"{STAGE}/scratch"
ETC = f"{STAGE}/etc"
CHANNEL_DESCRIPTOR = 9  # one digit: `echo >&10` is an error in a POSIX shell
LAUNCH_ERROR = "launch-error"
NOT_MAPPABLE = "not-mappable"


def staged(index: int) -> str:
    """Where mount number `index` stands on the stage, ready to be bound."""
    return f"{STAGE}/m{index}"


def layered(index: int) -> str:
    """Where the copy-on-write view of mount number `index` stands on the stage."""
    return f"{STAGE}/o{index}"
