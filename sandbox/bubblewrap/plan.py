"""What the launcher is told: decided beforehand by the driver, carried out without a decision."""

from __future__ import annotations

import marshal
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class StagedMount:
    """One host folder or file to stage; `overlay` puts a copy-on-write layer above it."""

    source: bytes
    is_folder: bool
    overlay: bool
    map_owner: bool


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """All that the launcher does.

    `drop_to` is the uid and gid that root becomes, None for a plain user. `rlimits` are pairs of
    (resource number, value). `slirp` is the argv without the namespace's path and descriptors,
    empty for no network. `routes` are netlink messages. `cgroups` are `cgroup.procs` files to
    enter. `channel` is the descriptor of the private pipe, if any.
    """

    parent: int
    drop_to: int | None
    mounts: tuple[StagedMount, ...]
    scratch_bytes: int
    scratch_inodes: int
    scratch_folders: tuple[str, ...]
    etc: tuple[tuple[str, str], ...]
    cgroups: tuple[str, ...]
    rlimits: tuple[tuple[int, int], ...]
    slirp: tuple[str, ...]
    routes: tuple[bytes, ...]
    channel: int | None
    argv: tuple[bytes, ...]

    def to_bytes(self) -> bytes:
        """For `launch.read_plan` in the same interpreter; marshal needs no import that costs time."""
        return marshal.dumps(asdict(self))
